"""Running and timing the experiment: its kernel got ready ahead, the run that goes on, what came of it."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial

from ...operators.registry import operator_of
from ...session.experiments import Experiment
from ...worker.client import Runner, same_run
from ...worker.states import Readiness, Running

Later = Callable[..., None]
"""Calls what it is given with the rest of it in the screen's own thread, and shows what came of it."""


class Runs:
    """The runs of the experiment that is looked at, one at a time, in the worker process."""

    def __init__(self, experiment: Experiment) -> None:
        self.runner = Runner()
        self.running = Running()
        self.number = 0
        """Of the run whose words are heard."""
        self.warms = False
        """The kernel of the operator on the screen is got ready before anybody asks for it."""
        self._experiment = experiment

    @property
    def _name(self) -> str:
        return operator_of(self._experiment.desc).name

    @property
    def readiness(self) -> Readiness | None:
        """How far the experiment's kernel is; None where it is left to the first run."""
        return self.runner.readiness(self._name) if self.warms else None

    @property
    def is_cold(self) -> bool:
        """True if the experiment's kernel is still to be got ready ahead, and nobody is at it."""
        now = self.readiness
        return now is not None and not (now.ready or now.stage or now.trouble or self.running.busy)

    def follow(self, experiment: Experiment) -> None:
        """Looks at another desc: a time is never shown for one that it isn't of."""
        before, self._experiment = self._experiment, experiment
        if not same_run(before, experiment):
            self.cancel()
            self.running = Running()

    def warm(self, later: Later) -> None:
        """Gets the experiment's kernel ready."""
        if self.warms:
            self.runner.warm(self._name, partial(later, lambda _: None))

    def start(self, later: Later) -> None:
        """Runs and times the experiment, a valid one."""
        self.number += 1
        self.running = Running("starting", since=time.monotonic())
        self.warm(later)
        self.runner.start(self._experiment, partial(later, self.heard, self.number))

    def cancel(self) -> None:
        """Ends the run that goes on, if one does."""
        if self.running.busy:
            self.number += 1  # what is on its way is of no run any more
            self.runner.cancel()
            self.running = Running()

    def heard(self, number: int, running: Running) -> None:
        """Takes over how far run `number` is, or what came of it; nothing of a run that nobody waits for."""
        if number == self.number:
            self.running = running
