"""The process that compiles, runs and times, so that a screen never waits for it.

It reads pickled requests from standard input and writes pickled replies to standard output: pairs of a `Readiness` or
`Running`, and whether that is the last. The first request says where it finds operators and kernels, and which .npy
files it may read; each one after it is an operator's name, whose kernel it gets ready, or a session file's text with
one experiment and the folder of its .npy files, which it runs and times.

When standard input ends, which it does however the program at its other end goes, the process ends at once.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import os
import pickle
import queue
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO

from msgspec.structs import replace

from .. import kernels, operators
from ..desc import npy_files
from ..desc.indexing import sample_indices, unravel
from ..desc.values import Array
from ..errors import DmlvizError
from ..kernels.lib import loading
from ..running import warm_up
from ..session.experiments import Experiment
from ..session.reading import parse
from ..timing import comparison
from .states import Readiness, Running

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
    find_as(*requests.get())
    while True:
        asked = requests.get()
        if isinstance(asked, str):
            serve = partial(_prepare, asked)
            _Service(replies, Readiness(asked), "compiling or loading it").serve(serve)
        else:
            _Service(replies, Running(), "the run").serve(partial(_run, *asked))


def find_as(of_operators: list[str], of_kernels: list[str], allowed: frozenset[Path] | None) -> None:
    """Finds operators and kernels in these folders, and locates these .npy files alone, as the explorer does."""
    operators.__path__[:], kernels.__path__[:] = of_operators, of_kernels
    npy_files.allow_only(allowed)


class _Service:
    """Serves one request: keeps what is known, and replies with it whenever more is."""

    def __init__(self, replies: BinaryIO, state: Readiness | Running, what: str) -> None:
        self._replies = replies
        self._state: Any = state
        self._what = what

    def serve(self, work: Callable[[_Service], dict[str, Any]]) -> None:
        """Does what is asked; the last reply says what `work` returns, or why nothing came of it."""
        began, trouble, last = self._state, "", dict[str, Any]()
        try:
            last = work(self)
        except DmlvizError as error:
            trouble = str(error)
        except MemoryError:
            trouble = "memory ran out during the run, expected more of it or a smaller desc."
        except Exception as error:
            trouble = f"{self._what} failed with {type(error).__name__}: please report this desc."
        if trouble:
            self._state, last = began, {"trouble": trouble}
        self.know(is_last=True, stage="", **last)

    def tell(self, stage: str, share: float = 0.0) -> None:
        """Says what is done now."""
        since = self._state.since if stage == self._state.stage else time.monotonic()
        more: dict[str, Any] = {"share": share} if isinstance(self._state, Running) else {}
        self.know(stage=stage, since=since, **more)

    def know(self, *, is_last: bool = False, **found: Any) -> None:
        """Says what has been found."""
        self._state = replace(self._state, **found)
        try:
            pickle.dump((self._state, is_last), self._replies)
            self._replies.flush()
        except OSError:
            os._exit(0)  # nobody listens any more


def _prepare(name: str, service: _Service) -> dict[str, Any]:
    """Gets a kernel ready."""
    service.tell("loading" if warm_up.is_kept(name) else "compiling")
    warmed = warm_up.warm(name)
    importlib.import_module("numpy.ma")  # Numba does at the first array that it sees, which takes 6 ms
    _settle()
    warm_up.ready_to_share()
    return {"state": warmed.state, "seconds": warmed.seconds, "kept": warmed.kept}


def _run(text: str, folder: Path | None, service: _Service) -> dict[str, Any]:
    """Runs and times the one experiment of a session."""
    session, errors = parse(text.encode(), "the session", folder)
    if errors:
        raise errors[0]
    experiment = session.experiments[-1]
    desc, level = experiment.desc, experiment.feature_level
    service.tell("starting")
    loading.import_numba()
    loading.ready_to_share()
    values = experiment.sources_or_defaults()[0]
    verify = partial(_verify, experiment, service)
    timed = comparison.compare(desc, values, level, tell=service.tell, verify=verify)
    service.know(comparison=timed)
    # Late: the first time on a machine it is compiled.
    textbook = comparison.against_textbook(desc, values, level, service.tell)
    return {"comparison": replace(timed, textbook=textbook)}


def _verify(experiment: Experiment, service: _Service, outputs: Sequence[Array]) -> None:
    """Holds elements of the kernel's outputs against the picture's. Raises DmlvizError where one differs."""
    _settle()
    trace, agreed = experiment.trace(), 0
    for k, (part, array) in enumerate(zip(trace.outputs, outputs, strict=True)):
        flat = sample_indices(part.tensor.element_count, COMPARED)
        want = trace.window(k, unravel(flat, part.tensor.sizes))
        if array.reshape(-1)[flat].tobytes() != want.tobytes():
            raise DmlvizError(f"{part.path} differs from the picture: please report this desc.")
        agreed += len(flat)
    service.know(agreed=agreed)


def _settle() -> None:
    """Turns the collector on; what has been imported and compiled by now stays, and need not be looked through."""
    gc.freeze()
    gc.enable()
