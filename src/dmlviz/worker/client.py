"""Runs experiments in a process of their own and tells what becomes of them."""

from __future__ import annotations

import pickle
import threading
import time
from collections.abc import Callable
from typing import Any

from .. import kernels, operators
from ..desc import npy_files
from ..desc.value_sources import Npy
from ..errors import DmlvizError
from ..operators.registry import operator_of
from ..running import memory
from ..session.experiments import Experiment, Session
from ..session.writing import dump
from .child_process import Child, why_ended
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


class _Request:
    """What is asked of the process, and how far it is."""

    def __init__(self, state: Readiness | Running, tell: Callable[[Any], None], experiment: Experiment | None) -> None:
        self.state = state
        self.tell = tell
        self.experiment = experiment
        self.child: Child | None = None
        """The process that answers, once it has been asked."""
        self.is_cancelled = False


class Runner:
    """Runs one experiment at a time in a process that is kept for the next, so that what was compiled stays ready."""

    def __init__(self) -> None:
        self._child: Child | None = None
        self._run: _Request | None = None
        self._warming: _Request | None = None
        self._ready: dict[str, Readiness] = {}  # of the present process
        self._lock = threading.RLock()
        self._turn = threading.Lock()
        """Held by the one request that talks with the process: a run waits for the kernel that is got ready."""

    def readiness(self, name: str) -> Readiness:
        """How far operator `name`'s kernel is, as `warm` has got it."""
        with self._lock:
            warmed = self._warming.state if self._warming is not None else None
            if isinstance(warmed, Readiness) and warmed.name == name:
                return warmed
            return self._ready.get(name, Readiness(name))

    def warm(self, name: str, tell: TellReadiness, instead: bool = False) -> bool:
        """Gets operator `name`'s kernel ready in the process, which is started if need be; returns at once.

        False means that nothing is to be done, or not now: one is got ready at a time, and none while an experiment
        runs. Another operator's is given up for it with `instead`. `tell` is called in a thread, with every stage, the
        last time when it is ready or won't be.
        """
        with self._lock:
            if instead and self._run is None:
                self._give_up_warming_of_others(name)
            known = self._ready.get(name)
            is_kept = self._child is not None and self._child.is_alive
            if self._run is not None or self._warming is not None or (known is not None and (known.trouble or is_kept)):
                return False
            self._warming = _Request(Readiness(name, "starting", time.monotonic()), tell, None)
            threading.Thread(target=self._follow, args=(self._warming, name), daemon=True).start()
            return True

    def start(self, experiment: Experiment, tell: Tell) -> None:
        """Runs a valid experiment, in place of the one that runs now; returns at once.

        `tell` is called in a thread: with every stage, then with a `Running` that isn't busy. One call may still come
        after `cancel`, which was on its way. A kernel that `warm` is getting ready is waited for; another operator's is
        given up.
        """
        with self._lock:
            self.cancel()
            self._give_up_warming_of_others(operator_of(experiment.desc).name)
            self._run = _Request(Running("starting", since=time.monotonic()), tell, experiment)
            asked = (dump(Session((experiment,)), views=False), experiment.folder)
            threading.Thread(target=self._follow, args=(self._run, asked), daemon=True).start()

    def cancel(self) -> None:
        """Ends the run, if one is going on; nothing more is told of it. What `warm` has begun goes on."""
        with self._lock:
            self._give_up(self._run)
            self._run = None

    def close(self) -> None:
        """Ends the run and the process."""
        with self._lock:
            self._give_up(self._run)
            self._give_up(self._warming)
            self._run = self._warming = None
            self._end()

    def _give_up_warming_of_others(self, name: str) -> None:
        if self._warming is not None and self.readiness(name) is not self._warming.state:
            self._give_up(self._warming)
            self._warming = None

    def _give_up(self, request: _Request | None) -> None:
        if request is not None:
            request.is_cancelled = True
            if request.child is not None:
                request.child.kill()
                self._child = None
                self._ready.clear()

    def _end(self) -> None:
        child, self._child = self._child, None
        self._ready.clear()
        if child is not None:
            child.bury()

    def _follow(self, request: _Request, asked: object) -> None:
        """Asks, tells every answer, and keeps what has become of it."""
        with self._turn:
            try:
                if request.experiment is not None:
                    named = operator_of(request.experiment.desc).name
                    memory.require_memory(memory_needed(request.experiment), f"running {named}")
                trouble = self._why_unanswered(request, asked)
            except DmlvizError as error:
                trouble = str(error)
            with self._lock:
                if request.is_cancelled:
                    if request.child is not None:
                        request.child.bury()
                    return
                if isinstance(request.state, Running):
                    self._run = None
                    request.state = Running(trouble=trouble) if trouble else request.state
                    is_large = request.experiment is not None and memory_needed(request.experiment) > LARGE
                    if request.state.comparison is not None and is_large:
                        self._end()
                else:
                    self._warming, name = None, request.state.name
                    request.state = Readiness(name, trouble=trouble) if trouble else request.state
                    self._ready[name] = request.state
        request.tell(request.state)

    def _why_unanswered(self, request: _Request, asked: object) -> str:
        """Has a process answer; why it didn't, or "". Raises DmlvizError where there can be none."""
        if request.experiment is None:
            request.tell(request.state)
        while True:
            with self._lock:
                if request.is_cancelled:
                    return ""
                is_kept = self._child is not None and self._child.is_alive
                if not is_kept:
                    self._end()
                    self._child = Child("dmlviz.worker")
                child = request.child = self._child
            assert child is not None
            is_heard = False
            try:
                if not is_kept:
                    child.send(([*operators.__path__], [*kernels.__path__], npy_files.allowed()))
                child.send(asked)
                while True:
                    request.state, is_last = child.receive()
                    is_heard = True
                    if is_last:
                        return ""
                    if not request.is_cancelled:
                        request.tell(request.state)
            except (OSError, EOFError, ValueError, pickle.UnpicklingError):
                if request.is_cancelled or is_heard or not is_kept:
                    what = "its process" if request.experiment is None else "the run"
                    return why_ended(what, child.exit_code())
                # It was ended from outside while nothing ran: another one is asked.
