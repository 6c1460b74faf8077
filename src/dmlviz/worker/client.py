"""Runs experiments in a process of their own and tells what becomes of them."""

from __future__ import annotations

import pickle
import threading
import time
from collections.abc import Callable
from typing import Any

from msgspec.structs import replace

from .. import kernels, operators
from ..desc import npy_files
from ..errors import DmlvizError
from ..operators.registry import operator_of
from ..running import memory
from ..session.experiments import Experiment, Session
from ..session.writing import dump
from .child_process import Child, why_ended
from .states import Readiness, Running

LARGE = 256 << 20
"""Bytes of a run after which its process is ended, so that all of its memory is given back."""


def memory_needed(experiment: Experiment) -> int:
    """Bytes that running a valid experiment takes: its outputs and its inputs."""
    return sum(part.tensor.byte_count for part in experiment.desc.parts)


def same_run(one: Experiment, other: Experiment) -> bool:
    """True if what is known of a run of `one` holds for `other`: name and notes don't count."""
    (mine, theirs) = ((each.desc, each.feature_level, each.values, each.folder) for each in (one, other))
    return mine == theirs


class _Request:
    """What is asked of the process, and how far it is."""

    def __init__(self, name: str, nothing: Readiness | Running, asked: object, needed: int, tell: Any) -> None:
        """`name` is the operator's, `nothing` what is known before, `needed` the bytes of memory that it takes."""
        self.name, self.nothing, self.asked, self.needed, self.tell = name, nothing, asked, needed, tell
        self.state = replace(nothing, stage="starting", since=time.monotonic())
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
            warming = self._warming.state if self._warming is not None and self._warming.name == name else None
            return warming if isinstance(warming, Readiness) else self._ready.get(name, Readiness(name))

    def warm(self, name: str, tell: Callable[[Readiness], None]) -> bool:
        """Gets operator `name`'s kernel ready in the process, which is started if need be; returns at once.

        False means that nothing is to be done, or not now: one is got ready at a time, and none while an experiment
        runs. `tell` is called in a thread, with every stage, the last time when it is ready or won't be.
        """
        with self._lock:
            known = self._ready.get(name)
            is_done = known is not None and (known.trouble or (self._child is not None and self._child.is_alive))
            if self._run is not None or self._warming is not None or is_done:
                return False
            self._warming = _Request(name, Readiness(name), name, 0, tell)
            threading.Thread(target=self._follow, args=(self._warming,), daemon=True).start()
            return True

    def start(self, experiment: Experiment, tell: Callable[[Running], None]) -> None:
        """Runs a valid experiment, in place of the one that runs now; returns at once.

        `tell` is called in a thread: with every stage, then with a `Running` that isn't busy; once at most after
        `cancel`. A kernel that `warm` is getting ready is waited for; another operator's is given up.
        """
        with self._lock:
            self.cancel()
            name = operator_of(experiment.desc).name
            self._give_up_warming_of_others(name)
            asked = (dump(Session((experiment,)), views=False), experiment.folder)
            self._run = _Request(name, Running(), asked, memory_needed(experiment), tell)
            threading.Thread(target=self._follow, args=(self._run,), daemon=True).start()

    def cancel(self) -> None:
        """Ends the run, if one is going on; nothing more is told of it. What `warm` has begun goes on."""
        with self._lock:
            self._give_up(self._run)
            self._run = None

    def close(self) -> None:
        """Ends the run and the process."""
        with self._lock:
            self.cancel()
            self._give_up_warming_of_others("")
            self._end()

    def _give_up_warming_of_others(self, name: str) -> None:
        if self._warming is not None and self._warming.name != name:
            self._give_up(self._warming)
            self._warming = None

    def _give_up(self, request: _Request | None) -> None:
        if request is not None:
            request.is_cancelled = True
            if request.child is not None:
                request.child.kill()  # the thread that waits for its answer buries it
                self._child = None
                self._ready.clear()

    def _end(self) -> None:
        child, self._child = self._child, None
        self._ready.clear()
        if child is not None:
            child.bury()

    def _follow(self, request: _Request) -> None:
        """Asks, tells every answer, and keeps what has become of it."""
        with self._turn:
            try:
                memory.require_memory(request.needed, f"running {request.name}")
                trouble = self._why_unanswered(request)
            except DmlvizError as error:
                trouble = str(error)
            with self._lock:
                if request.is_cancelled:
                    if request.child is not None:
                        request.child.bury()
                    return
                state = request.state = replace(request.nothing, trouble=trouble) if trouble else request.state
                if isinstance(state, Readiness):
                    self._warming, self._ready[request.name] = None, state
                else:
                    self._run = None
                    if not trouble and request.needed > LARGE:
                        self._end()
        request.tell(request.state)

    def _why_unanswered(self, request: _Request) -> str:
        """Has a process answer; why it didn't, or "". Raises DmlvizError where there can be none."""
        if isinstance(request.state, Readiness):
            request.tell(request.state)
        with self._lock:
            if request.is_cancelled:
                return ""
            child = self._child
            is_new = child is None or not child.is_alive
            if child is None or is_new:
                self._end()
                child = self._child = Child("dmlviz.worker")
            request.child = child
        try:
            if is_new:
                child.send(([*operators.__path__], [*kernels.__path__], npy_files.allowed))
            child.send(request.asked)
            while True:
                request.state, is_last = child.receive()
                if is_last:
                    return ""
                if not request.is_cancelled:
                    request.tell(request.state)
        except (OSError, EOFError, ValueError, pickle.UnpicklingError):
            return why_ended(child.bury(5.0))
