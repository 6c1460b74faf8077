"""Runs experiments in a process of their own and tells what becomes of them."""

from __future__ import annotations

import contextlib
import json
import subprocess
import threading
import time
from typing import Any

from msgspec.structs import replace

from ..desc.value_sources import Npy
from ..errors import DmlvizError
from ..operators.registry import operator_of
from ..running import memory
from ..session.experiments import Experiment, Session
from ..session.writing import dump
from .child_process import end, exit_code, spawn, why_ended
from .states import Readiness, Running, Tell, TellReadiness

LARGE = 256 << 20
"""Bytes of a run after which its process is ended, so that all of its memory is given back."""


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
        self._warming: _Warming | None = None
        self._ready: dict[str, Readiness] = {}  # of the present process
        self._number = 0
        self._lock = threading.RLock()

    def readiness(self, name: str) -> Readiness:
        """How far operator `name`'s kernel is, as `warm` has got it."""
        with self._lock:
            if self._warming is not None and self._warming.state.name == name:
                return self._warming.state
            return self._ready.get(name, Readiness(name))

    def warm(self, name: str, tell: TellReadiness, instead: bool = False) -> bool:
        """Gets operator `name`'s kernel ready in the process, which is started if need be; returns at once.

        False means that nothing is to be done, or not now: one is got ready at a time, and none while an experiment
        runs. Another operator's is given up for it with `instead`. `tell` is called in a thread, with every stage, the
        last time when it is ready or won't be.
        """
        with self._lock:
            if instead and self._warming is not None and self._warming.state.name != name:
                self._give_up_warming()
            known = self._ready.get(name)
            if self._run is not None or self._warming is not None or (known is not None and known.trouble):
                return False
            if known is not None and self._process is not None and self._process.poll() is None:
                return False
            self._number += 1
            process, self._process = self._process, None
            self._warming = _Warming(self, self._number, name, tell, process)
            threading.Thread(target=self._warming.follow, daemon=True).start()
            return True

    def start(self, experiment: Experiment, tell: Tell) -> None:
        """Runs a valid experiment, in place of the one that runs now; returns at once.

        `tell` is called in a thread: with every stage, then with a `Running` that isn't busy. One call may still come
        after `cancel`, which was on its way. A kernel that `warm` is getting ready is waited for; another operator's is
        given up.
        """
        with self._lock:
            self.cancel()
            warming = self._warming
            if warming is not None and warming.state.name != operator_of(experiment.desc).name:
                self._give_up_warming()
                warming = None
            self._number += 1
            process, self._process = self._process, None
            self._run = _Run(self, self._number, experiment, tell, process, warming)
            threading.Thread(target=self._run.follow, daemon=True).start()

    def cancel(self) -> None:
        """Ends the run, if one is going on; nothing more is told of it. What `warm` has begun goes on."""
        with self._lock:
            run, self._run = self._run, None
            if run is not None and run.cancel():
                self._ready.clear()

    def close(self) -> None:
        """Ends the run and the process."""
        with self._lock:
            self.cancel()
            self._give_up_warming()
            process, self._process = self._process, None
            self._ready.clear()
        if process is not None:
            end(process)

    def _give_up_warming(self) -> None:
        warming, self._warming = self._warming, None
        if warming is not None:
            warming.cancel()
            self._ready.clear()

    def _take_back(self, request: _Request, process: subprocess.Popen[bytes] | None) -> bool:
        """Keeps the process of a request that is over; False if the request was given up meanwhile."""
        with self._lock:
            if request is self._run:
                self._run = None
            elif request is self._warming:
                self._warming = None
            else:
                return False
            self._process = process
            if process is None or request.renewed:
                self._ready.clear()
            if isinstance(request, _Warming):
                self._ready[request.state.name] = request.state
            return True

    def _hand_over(self, run: _Run) -> None:
        """Gives the process that is kept to a run that has waited for it, unless that is cancelled."""
        with self._lock:
            if self._run is run:
                run.process, self._process = self._process, None


class _Request:
    """One request to a process, followed by a thread of its own."""

    WHAT = "the run"
    STARTED = "the run"
    """What can't be started where there can be no process."""

    def __init__(self, runner: Runner, number: int, process: subprocess.Popen[bytes] | None) -> None:
        self._runner = runner
        self._number = number
        self.process = process
        self.renewed = False
        """The process is another one than it was given."""
        self.done = threading.Event()
        self._cancelled = False
        self._heard = False
        self._lock = threading.Lock()  # held while the process is made, and while it is told to end

    def follow(self) -> None:
        """Asks, tells every answer, and gives the process back."""
        try:
            self._begin()
            trouble = self._ask()
        except (DmlvizError, OSError, ValueError) as error:
            trouble = str(error) if isinstance(error, DmlvizError) else f"{self.STARTED} can't be started: {error}."
        if trouble:
            self._fail(trouble)
        process = self.process
        is_kept = process is not None and process.poll() is None and not self._spoils_the_process()
        told = self._runner._take_back(self, process if is_kept else None)
        if process is not None and not (is_kept and told):
            end(process)
        self.done.set()
        if told:
            self._say()

    def cancel(self) -> bool:
        """True if a process was told to end."""
        with self._lock:
            self._cancelled = True
            if self.process is None:
                return False
            self.process.kill()  # the thread that reads from it buries it
            return True

    def _ask(self) -> str:
        """Has a process answer, and returns why it didn't. Raises DmlvizError where there can be none."""
        while (ready := self._ready_process()) is not None:
            process, is_new = ready
            if self._converse(process):
                break
            code = exit_code(process)
            if is_new or self._heard:
                return why_ended(self.WHAT, code)
            # It was ended from outside while nothing ran: another one is asked.
        return ""

    def _ready_process(self) -> tuple[subprocess.Popen[bytes], bool] | None:
        """The process that is kept, or a new one, and whether it is new; None if this was cancelled meanwhile."""
        with self._lock:
            if self._cancelled:
                return None
            if self.process is not None and self.process.poll() is None:
                return self.process, False
            if self.process is not None:
                end(self.process)
            self.process = None
            self.process = spawn()
            self.renewed = True
            return self.process, True

    def _converse(self, process: subprocess.Popen[bytes]) -> bool:
        """Asks `process` and takes its answers; False if it ends before the last one."""
        assert process.stdin is not None
        assert process.stdout is not None
        with contextlib.suppress(BrokenPipeError):  # reading ends then, too
            process.stdin.write(json.dumps({"number": self._number, **self._request()}).encode() + b"\n")
            process.stdin.flush()
        for line in process.stdout:
            reply = json.loads(line)
            if reply["number"] != self._number:
                continue
            self._heard = True
            self._take(reply)
            if "done" in reply:
                return True
            if not self._cancelled:
                self._say()
        return False

    def _begin(self) -> None:
        """What comes before the process is asked. May raise DmlvizError."""

    def _request(self) -> dict[str, Any]:
        """What the process is asked, besides the number that its replies have."""
        raise NotImplementedError

    def _take(self, reply: dict[str, Any]) -> None:
        """Follows one reply of the process."""
        raise NotImplementedError

    def _fail(self, trouble: str) -> None:
        """Keeps the sentence that says why nothing more will come."""
        raise NotImplementedError

    def _say(self) -> None:
        """Tells whoever asked how far it is."""
        raise NotImplementedError

    def _spoils_the_process(self) -> bool:
        """True if the process is to end, so that all of its memory is given back."""
        return False


class _Warming(_Request):
    """A kernel that is got ready."""

    WHAT = "its process"
    STARTED = "the process"

    def __init__(
        self, runner: Runner, number: int, name: str, tell: TellReadiness, process: subprocess.Popen[bytes] | None
    ) -> None:
        super().__init__(runner, number, process)
        self._tell = tell
        self.state = Readiness(name, "starting", time.monotonic())

    def _begin(self) -> None:
        self._say()

    def _request(self) -> dict[str, Any]:
        return {"prepare": self.state.name}

    def _take(self, reply: dict[str, Any]) -> None:
        if "trouble" in reply:
            self._fail(reply["trouble"])
        elif "done" in reply:
            from ..kernels.lib.kernel import KernelState

            state = KernelState(reply["state"])
            self.state = replace(self.state, stage="", state=state, seconds=reply["seconds"], kept=reply["kept"])
        else:
            self.state = replace(self.state, stage=reply["stage"], since=time.monotonic())

    def _fail(self, trouble: str) -> None:
        self.state = Readiness(self.state.name, trouble=trouble)

    def _say(self) -> None:
        self._tell(self.state)


class _Run(_Request):
    """An experiment that is run."""

    def __init__(
        self,
        runner: Runner,
        number: int,
        experiment: Experiment,
        tell: Tell,
        process: subprocess.Popen[bytes] | None,
        warming: _Warming | None,
    ) -> None:
        super().__init__(runner, number, process)
        self._experiment = experiment
        self._tell = tell
        self._warming = warming
        self._state = Running("starting", since=time.monotonic())

    def _begin(self) -> None:
        needed = memory_needed(self._experiment)
        memory.require_memory(needed, f"running {operator_of(self._experiment.desc).name}")
        if self._warming is not None:
            self._warming.done.wait()
            self._runner._hand_over(self)

    def _request(self) -> dict[str, Any]:
        folder = self._experiment.folder
        return {
            "session": dump(Session((self._experiment,)), views=False),
            "folder": str(folder) if folder is not None else None,
        }

    def _take(self, reply: dict[str, Any]) -> None:
        if "stage" in reply:
            same = reply["stage"] == self._state.stage
            since = self._state.since if same else time.monotonic()
            self._state = replace(self._state, stage=reply["stage"], share=reply["share"], since=since)
        if "preview" in reply:
            from ..running.output_preview import OutputPreview

            outputs = tuple((name, tuple(elements)) for name, elements in reply["preview"])
            self._state = replace(self._state, preview=OutputPreview(outputs, by_kernel=True), agreed=reply["agreed"])
        if "comparison" in reply:
            from ..timing.comparison import Comparison

            comparison = Comparison.from_json(reply["comparison"])
            self._state = replace(self._state, comparison=comparison, agreed=reply["agreed"])
        if "chain" in reply:
            from ..timing.chain_timing import ChainTiming

            self._state = replace(self._state, chain=ChainTiming.from_json(reply["chain"]))
        if "trouble" in reply:
            self._fail(reply["trouble"])
        if "done" in reply:
            self._state = replace(self._state, stage="")

    def _fail(self, trouble: str) -> None:
        self._state = Running(trouble=trouble)

    def _spoils_the_process(self) -> bool:
        return self._state.comparison is not None and memory_needed(self._experiment) > LARGE

    def _say(self) -> None:
        self._tell(self._state)
