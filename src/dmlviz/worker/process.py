"""The process that compiles, runs and times, so that a screen never waits for it.

It reads pickled requests from standard input and writes pickled replies to standard output: pairs of a `Running` and
whether that is the last. The first request says where it finds operators and kernels, and which .npy files it may read;
each one after it is a session file's text with one experiment, which it runs and times, and the folder of its .npy
files.

When standard input ends, which it does however the program at its other end goes, the process ends at once.
"""

from __future__ import annotations

import contextlib
import gc
import os
import pickle
import queue
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, BinaryIO

from msgspec.structs import replace

from .. import kernels, operators
from ..desc import npy_files
from ..desc.indexing import sample_indices, unravel
from ..desc.values import Array
from ..errors import DmlvizError
from ..kernels.lib import loading, thread_pool
from ..session.experiments import Experiment
from ..session.reading import parse
from ..timing import comparison
from .states import Running

COMPARED = 4096
"""Elements of each output that are held against the picture's own."""


def main(requests: queue.SimpleQueue[Any]) -> None:
    """Answers requests, which whoever puts them there has unpickled."""
    gc.disable()
    # On a busy machine the screen comes first; what is timed in turns is all slowed alike.
    if hasattr(os, "nice"):
        os.nice(5)
    # Of all processes this is the one to lose when memory runs out.
    with contextlib.suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text("1000")
    replies = os.fdopen(os.dup(1), "wb")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # whatever a library prints is no reply
    # It finds operators and kernels, and may locate .npy files, as the explorer does.
    operators.__path__[:], kernels.__path__[:], npy_files.allowed = requests.get()
    while True:
        asked = requests.get()
        _Service(replies).serve(asked)


class _Service:
    """Serves one request: keeps what is known, and replies with it whenever more is."""

    def __init__(self, replies: BinaryIO) -> None:
        self._replies = replies
        self._state = Running()

    def serve(self, asked: Any) -> None:
        """Does what is asked; the last reply says why, where nothing came of it."""
        trouble = ""
        try:
            self._run(*asked)
        except DmlvizError as error:
            trouble = str(error)
        except MemoryError:
            trouble = "memory ran out during the run, expected more of it or a smaller desc."
        except Exception as error:
            trouble = f"the kernel failed with {type(error).__name__}: please report this desc."
        if trouble:
            self._state = Running(trouble=trouble)
        self._know(is_last=True, stage="")

    def _tell(self, stage: str) -> None:
        """Says what is done now."""
        self._know(stage=stage, since=time.monotonic())

    def _know(self, *, is_last: bool = False, **found: Any) -> None:
        """Says what has been found."""
        self._state = replace(self._state, **found)
        try:
            pickle.dump((self._state, is_last), self._replies)
            self._replies.flush()
        except OSError:
            os._exit(0)  # nobody listens any more

    def _run(self, text: str, folder: Path | None) -> None:
        """Runs and times the one experiment of a session."""
        session, errors = parse(text.encode(), "the session", folder)
        if errors:
            raise errors[0]
        experiment = session.experiments[-1]
        self._tell("starting")
        loading.import_numba()
        thread_pool.ready()
        for timed in comparison.comparisons(
            experiment.desc,
            experiment.sources_or_defaults()[0],
            experiment.feature_level,
            tell=self._tell,
            verify=lambda outputs: self._verify(experiment, outputs),
        ):
            self._know(comparison=timed)

    def _verify(self, experiment: Experiment, outputs: Sequence[Array]) -> None:
        """Holds elements of the kernel's outputs against the picture's. Raises DmlvizError where one differs."""
        _settle()
        trace = experiment.trace()
        agreed = 0
        for k, (part, array) in enumerate(zip(trace.outputs, outputs, strict=True)):
            flat = sample_indices(part.tensor.element_count, COMPARED)
            want = trace.window(k, unravel(flat, part.tensor.sizes))
            if array.reshape(-1)[flat].tobytes() != want.tobytes():
                raise DmlvizError(f"{part.path} differs from the picture: please report this desc.")
            agreed += len(flat)
        self._know(agreed=agreed)


def _settle() -> None:
    """Turns the collector on; what has been imported and compiled by now stays, and need not be looked through."""
    gc.freeze()
    gc.enable()
