"""The process that compiles, runs and times, so that a screen never waits for it.

It reads requests from standard input, a line of JSON each, and replies with lines of JSON on standard output. A kernel
is got ready ahead of its first run:

    {"number": 1, "prepare": "GATHER"}

    {"number": 1, "stage": "loading"}                  or "compiling", where it isn't kept on disk
    {"number": 1, "done": true, "state": "compiled now", "seconds": 2.5, "kept": true}

An experiment is run and timed; what it reads stands before it in the session:

    {"number": 1, "session": "a session file's text with one experiment", "folder": "where its .npy files lie" or null}

    {"number": 1, "stage": "compiling", "share": 0}    or another one that `Running.stage` lists
    {"number": 1, "preview": [["OutputTensor", ["1", "2"]]], "agreed": 8}    the outputs' first elements
    {"number": 1, "comparison": {...}, "agreed": 8}    as `Comparison.to_json` has it; again when more is known
    {"number": 1, "chain": {...}}                      as `ChainTiming.to_json` has it, of one that reads others
    {"number": 1, "trouble": "one sentence", "done": true}    of either
    {"number": 1, "done": true}

When standard input ends, which it does however the program at its other end goes, the process ends at once.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import json
import os
import queue
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, TextIO

from msgspec.structs import replace

from ..desc.indexing import sample_indices, unravel
from ..desc.values import Array
from ..errors import DmlvizError, ResourceError
from ..kernels.lib import loading
from ..running import warm_up
from ..running.output_preview import preview_of
from ..session.chains import Chain
from ..session.experiments import Experiment
from ..session.reading import parse
from ..timing import comparison

COMPARED = 4096
"""Elements of each output that are held against the picture's own."""


def main(requests: queue.SimpleQueue[bytes]) -> None:
    """Answers requests, the lines of standard input; whoever puts them there ends the process with it."""
    # Of all processes this is the one to lose when memory runs out.
    with contextlib.suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text("1000")
    replies = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # whatever a library prints is no reply
    while True:
        request = json.loads(requests.get())
        service = _Service(replies, request["number"])
        if "prepare" in request:
            service.prepare(request["prepare"])
        else:
            service.serve(request["session"], request["folder"])


class _Service:
    """Serves one request."""

    def __init__(self, replies: TextIO, number: int) -> None:
        self._replies = replies
        self._number = number
        self._agreed = 0

    def _say(self, **words: Any) -> None:
        try:
            self._replies.write(json.dumps({"number": self._number, **words}) + "\n")
            self._replies.flush()
        except OSError:
            os._exit(0)  # nobody listens any more

    def _tell(self, stage: str, share: float) -> None:
        self._say(stage=stage, share=share)

    def prepare(self, name: str) -> None:
        """Gets a kernel ready."""
        with self._replying("compiling or loading it") as last_reply:
            self._say(stage="loading" if warm_up.is_kept(name) else "compiling")
            warmed = warm_up.warm(name)
            importlib.import_module("numpy.ma")  # Numba does at the first array that it sees, which takes 6 ms
            _settle()
            warm_up.ready_to_share()
            last_reply.update(state=warmed.state.value, seconds=warmed.seconds, kept=warmed.kept)

    def serve(self, text: str, folder: str | None) -> None:
        """Runs and times the one experiment of a session."""
        with self._replying("the run"):
            session, errors = parse(text.encode(), "the session", Path(folder) if folder is not None else None)
            if errors:
                raise errors[0]
            experiment = session.experiments[-1]
            self._run(experiment)
            if experiment.is_wired:
                self._time_chain(session.chain(experiment.name))

    @contextlib.contextmanager
    def _replying(self, what: str) -> Iterator[dict[str, Any]]:
        """Says when what is asked is done, with what is put into the dictionary; or why it isn't."""
        last_reply: dict[str, Any] = {}
        try:
            yield last_reply
        except DmlvizError as error:
            last_reply["trouble"] = str(error)
        except MemoryError:
            last_reply["trouble"] = "memory ran out during the run, expected more of it or a smaller desc."
        except Exception as error:
            last_reply["trouble"] = f"{what} failed with {type(error).__name__}: please report this desc."
        self._say(done=True, **last_reply)

    def _run(self, experiment: Experiment) -> None:
        desc, level = experiment.desc, experiment.feature_level
        self._tell("starting", 0)
        loading.import_numba()
        loading.ready_to_share()
        values = experiment.sources_or_defaults()[0]
        timed = comparison.compare(
            desc,
            values,
            level,
            tell=self._tell,
            verify=lambda outputs: self._verify(experiment, outputs),
        )
        self._say(comparison=timed.to_json(), agreed=self._agreed)
        # Last of all: the first time on a machine it is compiled.
        textbook = comparison.against_textbook(desc, values, level, self._tell)
        if textbook is not None:
            self._say(comparison=replace(timed, textbook=textbook).to_json(), agreed=self._agreed)

    def _time_chain(self, chain: Chain) -> None:
        """Times all stages of what has been run."""
        from ..timing.chain_timing import time_chain  # most experiments read no other

        with contextlib.suppress(ResourceError, MemoryError):  # its own times stand
            self._say(chain=time_chain(chain, tell=lambda _, share: self._tell("chain", share)).to_json())

    def _verify(self, experiment: Experiment, outputs: Sequence[Array]) -> None:
        """Holds elements of the kernel's outputs against the picture's, and tells what they are."""
        _settle()
        trace = experiment.trace()
        for k, (part, array) in enumerate(zip(trace.outputs, outputs, strict=True)):
            flat = sample_indices(part.tensor.element_count, COMPARED)
            want = trace.window(k, unravel(flat, part.tensor.sizes))
            if array.reshape(-1)[flat].tobytes() != want.tobytes():
                raise DmlvizError(f"{part.path} differs from the picture: please report this desc.")
            self._agreed += len(flat)
        preview = preview_of((part.path for part in trace.outputs), outputs, by_kernel=True)
        self._say(preview=preview.outputs, agreed=self._agreed)


def _settle() -> None:
    """Turns the collector on; what has been imported and compiled by now stays, and need not be looked through."""
    gc.freeze()
    gc.enable()
