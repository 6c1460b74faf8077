"""Runs experiments in a process of their own and tells what becomes of them."""

from __future__ import annotations

import pickle
import threading
import time
from collections.abc import Callable

from .. import kernels, operators
from ..desc import npy_files
from ..errors import DmlvizError
from ..operators.registry import operator_of
from ..running import memory
from ..session.experiments import Experiment, Session
from ..session.writing import dump
from .child_process import Child, why_ended
from .states import Running

LARGE = 256 << 20
"""Bytes of a run after which its process is ended, so that all of its memory is given back."""
SMALL = 1 << 20
"""Bytes of a run, at most, that nobody has asked for."""


def memory_needed(experiment: Experiment) -> int:
    """Bytes that running a valid experiment takes: its outputs and its inputs."""
    return sum(part.tensor.byte_count for part in experiment.desc.parts)


def same_run(one: Experiment, other: Experiment) -> bool:
    """True if what is known of a run of `one` holds for `other`: name and notes don't count."""
    (mine, theirs) = ((each.desc, each.feature_level, each.values, each.folder) for each in (one, other))
    return mine == theirs


class _Request:
    """What is asked of the process, and how far it is."""

    def __init__(self, experiment: Experiment, tell: Callable[[Running], None] | None) -> None:
        """`tell` is None for a run that nobody has asked for."""
        self.name = operator_of(experiment.desc).name
        self.asked = (dump(Session((experiment,)), views=False), experiment.folder)
        self.needed = memory_needed(experiment)
        self.tell = tell
        self.state = Running("starting", since=time.monotonic())
        self.child: Child | None = None
        """The process that answers, once it has been asked."""
        self.is_cancelled = False


class Runner:
    """Runs one experiment at a time in a process that is kept for the next, so that what was compiled stays ready."""

    def __init__(self) -> None:
        self._child: Child | None = None
        self._run: _Request | None = None
        self._lock = threading.RLock()
        self._turn = threading.Lock()
        """Held by the one request that talks with the process."""

    def start(self, experiment: Experiment, tell: Callable[[Running], None]) -> None:
        """Runs a valid experiment, in place of the one that runs now; returns at once.

        `tell` is called in a thread: with every stage, then with a `Running` that isn't busy; once at most after
        `cancel`. It comes behind a run that `get_ready` has begun with the same kernel, and tells that one's stages.
        """
        with self._lock:
            request = _Request(experiment, tell)
            ahead = self._run
            if ahead is None or ahead.tell is not None or ahead.name != request.name:
                self.cancel()
                ahead = None
            self._begin(request)
            if ahead is not None:
                self._tell(ahead)

    def get_ready(self, experiment: Experiment) -> None:
        """Runs a small valid experiment, unless one runs, so that a later run finds the process and its kernel."""
        with self._lock:
            if self._run is None and memory_needed(experiment) <= SMALL:
                self._begin(_Request(experiment, None))

    def _begin(self, request: _Request) -> None:
        self._run = request
        threading.Thread(target=self._follow, args=(request,), daemon=True).start()

    def cancel(self) -> None:
        """Ends the run, if one is going on, and its process; nothing more is told of it."""
        with self._lock:
            run = self._run
            self._run = None
            if run is not None:
                run.is_cancelled = True
                if run.child is not None:
                    run.child.kill()  # the thread that waits for its answer buries it
                    self._child = None

    def close(self) -> None:
        """Ends the run and the process."""
        with self._lock:
            self.cancel()
            self._end()

    def _end(self) -> None:
        child = self._child
        self._child = None
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
                if self._run is request:
                    self._run = None
                if trouble:
                    request.state = Running(trouble=trouble)
                elif request.needed > LARGE:
                    self._end()
        self._tell(request)

    def _tell(self, request: _Request) -> None:
        """Tells how far a request is; of one that nobody has asked for its stage, to whoever waits for its end."""
        state = request.state
        waits = self._run
        if request.tell is not None:
            request.tell(state)
        elif waits is not None and waits.tell is not None and state.busy:
            waits.tell(Running(state.stage, since=state.since))

    def _why_unanswered(self, request: _Request) -> str:
        """Has a process answer; why it didn't, or "". Raises DmlvizError where there can be none."""
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
                    self._tell(request)
        except (OSError, EOFError, ValueError, pickle.UnpicklingError):
            return why_ended(child.bury(5.0))
