"""Running and timing the experiment: the run that goes on, and what came of it."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial

from ...session.experiments import Experiment
from ...worker.client import Runner, same_run
from ...worker.states import Running

Later = Callable[..., None]
"""Calls what it is given with the rest of it in the screen's own thread, and shows what came of it."""


class Runs:
    """The runs of the experiment that is looked at, one at a time, in the worker process."""

    def __init__(self, experiment: Experiment) -> None:
        self.runner = Runner()
        self.running = Running()
        self.number = 0
        """Of the run whose words are heard."""
        self._experiment = experiment

    def follow(self, experiment: Experiment) -> None:
        """Looks at another desc: a time is never shown for one that it isn't of."""
        before, self._experiment = self._experiment, experiment
        if not same_run(before, experiment):
            self.cancel()
            self.running = Running()

    def start(self, later: Later) -> None:
        """Runs and times the experiment, a valid one."""
        self.number += 1
        self.running = Running("starting", since=time.monotonic())
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
