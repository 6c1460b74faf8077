"""Runs experiments in a process of their own and tells what becomes of them."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from . import engine, kernels, operators
from .errors import DmlvizError
from .sampling import Timing
from .session import Experiment, Session, dump
from .specs import Npy
from .timing import Comparison

LARGE = 256 << 20
"""Bytes of a run after which its process is ended, so that all of its memory is given back."""

# The child finds modules, operators and kernels where this process does, however it was started.
START = """
import json, sys
told = json.loads(sys.stdin.buffer.readline())
sys.path[:] = told["path"]
from dmlviz import kernels, operators, worker
operators.__path__[:], kernels.__path__[:] = told["operators"], told["kernels"]
worker.main()
"""


@dataclass(frozen=True)
class Running:
    """What is known of an experiment's run: nothing yet, how far it is, its timing, or why it didn't run."""

    stage: str = ""
    """What is done now: "starting", "compiling", "allocating", "running", "timing", "sizes"; "" where nothing is."""
    share: float = 0.0
    """How much of "timing" or "sizes" is done."""
    since: float = 0.0
    """When the stage began, as time.monotonic() has it."""
    comparison: Comparison | None = None
    trouble: str = ""
    agreed: int = 0
    """Output elements that were compared with the picture's own."""

    @property
    def busy(self) -> bool:
        return bool(self.stage)

    @property
    def timing(self) -> Timing | None:
        return self.comparison.ours if self.comparison is not None else None


Tell = Callable[[Running], None]


def memory_needed(experiment: Experiment) -> int:
    """Bytes that running a valid experiment takes: its outputs and its inputs, but for .npy files, which are mapped."""
    parts = [p for p in experiment.desc.inputs if not isinstance(experiment.values.get(p.path), Npy)]
    return sum(part.tensor.byte_count for part in (*parts, *experiment.desc.outputs))


def same_run(one: Experiment, other: Experiment) -> bool:
    """True if what is known of a run of `one` holds for `other`: name and notes don't count."""
    return (one.desc, one.feature_level, one.values, one.folder) == (
        other.desc,
        other.feature_level,
        other.values,
        other.folder,
    )


class Runner:
    """Runs one experiment at a time in a process that is kept for the next, so that what was compiled stays ready."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._run: _Run | None = None
        self._number = 0
        self._lock = threading.Lock()

    @property
    def process_id(self) -> int | None:
        """The process's, where there is one."""
        with self._lock:
            process = self._process if self._run is None else self._run.process
        return process.pid if process is not None else None

    def start(self, experiment: Experiment, tell: Tell) -> None:
        """Runs a valid experiment, in place of the one that runs now; returns at once.

        `tell` is called in a thread: with every stage, then with a `Running` that isn't busy. After `cancel` at most
        one call still comes, which was on its way.
        """
        self.cancel()
        with self._lock:
            self._number += 1
            process, self._process = self._process, None
            self._run = _Run(self, self._number, experiment, tell, process)
        threading.Thread(target=self._run.follow, daemon=True).start()

    def cancel(self) -> None:
        """Ends the run, if one is going on; nothing more is told of it."""
        with self._lock:
            run, self._run = self._run, None
        if run is not None:
            run.cancel()

    def close(self) -> None:
        """Ends the run and the process."""
        self.cancel()
        with self._lock:
            process, self._process = self._process, None
        if process is not None:
            _end(process)

    def _finished(self, run: _Run, process: subprocess.Popen[bytes] | None) -> bool:
        """Takes back the process of a run; False if it was cancelled meanwhile."""
        with self._lock:
            if self._run is not run:
                return False
            self._run, self._process = None, process
            return True


class _Run:
    """One request, followed by a thread of its own."""

    def __init__(
        self,
        runner: Runner,
        number: int,
        experiment: Experiment,
        tell: Tell,
        process: subprocess.Popen[bytes] | None,
    ) -> None:
        self._runner = runner
        self._number = number
        self._experiment = experiment
        self._tell = tell
        self.process = process
        self._cancelled = False
        self._heard = False
        self._lock = threading.Lock()  # held while the process is made, and while it is told to end
        self._state = Running("starting", since=time.monotonic())

    def cancel(self) -> None:
        with self._lock:
            self._cancelled = True
            if self.process is not None:
                self.process.kill()  # the thread that reads from it buries it

    def follow(self) -> None:
        """Asks, and tells every answer."""
        try:
            needed = memory_needed(self._experiment)
            engine.require_memory(needed, f"running {operators.operator_of(self._experiment.desc).name}")
            self._ask()
        except (DmlvizError, OSError, ValueError) as error:
            said = str(error) if isinstance(error, DmlvizError) else f"the run can't be started: {error}."
            self._state = Running(trouble=said)
        process = self.process
        ended = process is None or process.poll() is not None
        large = self._state.comparison is not None and memory_needed(self._experiment) > LARGE
        kept = None if ended or large else process
        told = self._runner._finished(self, kept)
        if process is not None and (kept is None or not told):
            _end(process)
        if told:
            self._tell(self._state)

    def _ask(self) -> None:
        """Has a process answer. Raises DmlvizError where there can be none."""
        while (made := self._ready_process()) is not None:
            process, is_new = made
            if self._converse(process):
                return
            code = _code(process)
            if is_new or self._heard:
                self._state = Running(trouble=_ended(code))
                return
            # It was ended from outside while nothing ran: another one is asked.

    def _ready_process(self) -> tuple[subprocess.Popen[bytes], bool] | None:
        """The process that is kept, or a new one, and whether it is new; None if the run was cancelled meanwhile."""
        with self._lock:
            if self._cancelled:
                return None
            if self.process is not None and self.process.poll() is None:
                return self.process, False
            if self.process is not None:
                _end(self.process)
            self.process = None
            self.process = _spawn()
            return self.process, True

    def _converse(self, process: subprocess.Popen[bytes]) -> bool:
        """Asks `process` and tells its answers; False if it ends before the last one."""
        assert process.stdin is not None
        assert process.stdout is not None
        request = {
            "number": self._number,
            "session": dump(Session((self._experiment,))),
            "folder": str(self._experiment.folder) if self._experiment.folder is not None else None,
        }
        with contextlib.suppress(BrokenPipeError):  # reading ends then, too
            process.stdin.write(json.dumps(request).encode() + b"\n")
            process.stdin.flush()
        for line in process.stdout:
            found = json.loads(line)
            if found["number"] != self._number:
                continue
            self._heard = True
            self._take(found)
            if "done" in found:
                return True
            if not self._cancelled:
                self._tell(self._state)
        return False

    def _take(self, found: dict[str, Any]) -> None:
        if "stage" in found:
            same = found["stage"] == self._state.stage
            since = self._state.since if same else time.monotonic()
            self._state = replace(self._state, stage=found["stage"], share=found["share"], since=since)
        if "comparison" in found:
            comparison = Comparison.from_json(found["comparison"])
            self._state = replace(self._state, comparison=comparison, agreed=found["agreed"])
        if "trouble" in found:
            self._state = Running(trouble=found["trouble"])
        if "done" in found:
            self._state = replace(self._state, stage="")


def _spawn() -> subprocess.Popen[bytes]:
    """A new worker process. Raises DmlvizError."""
    if not sys.executable:
        raise DmlvizError("the run can't be started: Python's own program is not known, expected sys.executable.")
    try:
        # A session of its own: what the terminal sends to the explorer is not for the worker.
        process = subprocess.Popen(
            [sys.executable, "-P", "-c", START],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
    except OSError as error:
        raise DmlvizError(f"the run can't be started: {error.strerror or error}.") from None
    assert process.stdin is not None
    folder = str(Path(__file__).resolve().parents[1])
    path = [os.path.abspath(each) if each else folder for each in sys.path]
    told = {
        "path": path if folder in path else [folder, *path],
        "operators": [os.path.abspath(each) for each in operators.__path__],
        "kernels": [os.path.abspath(each) for each in kernels.__path__],
    }
    with contextlib.suppress(BrokenPipeError):
        process.stdin.write(json.dumps(told).encode() + b"\n")
        process.stdin.flush()
    return process


def _end(process: subprocess.Popen[bytes]) -> None:
    process.kill()
    for stream in (process.stdin, process.stdout):
        assert stream is not None
        with contextlib.suppress(OSError):
            stream.close()
    process.wait()


def _code(process: subprocess.Popen[bytes]) -> int:
    """The exit code of a process that is ending, or is made to."""
    try:
        return process.wait(5)
    except subprocess.TimeoutExpired:
        process.kill()
        return process.wait()


def _ended(code: int) -> str:
    """Why a process that should have answered did not."""
    if code == -signal.SIGKILL:
        return "the run was killed, maybe because memory ran out; r starts it again."
    if code < 0:
        name = signal.Signals(-code).name if -code in signal.valid_signals() else f"signal {-code}"
        return f"the run crashed with {name}: please report this desc."
    return f"the run ended with exit code {code} and without an answer; r starts it again."
