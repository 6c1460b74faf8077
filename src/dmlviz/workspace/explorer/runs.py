"""Running and timing the experiment: its kernel got ready ahead, the run that goes on, what came of it."""

from __future__ import annotations

import time
from collections.abc import Callable

from ...operators.registry import operator_of
from ...scene.view_state import ViewState
from ...session.experiments import Experiment
from ...worker.client import Runner
from ...worker.states import Readiness, Running

TellRun = Callable[[int, Running], None]
"""Is told, in a thread, how far run number n is, or what came of it."""
TellReadiness = Callable[[Readiness], None]
"""Is told, in a thread, how far a kernel is on its way to its first run."""


class Runs:
    """The runs of one explorer, one at a time, in the worker process."""

    def __init__(self) -> None:
        self.runner = Runner()
        self.running = Running()
        self.number = 0
        """Of the run whose words are heard."""
        self.warms = False
        """The kernel of the operator on the screen is got ready before anybody asks for it."""

    def readiness(self, experiment: Experiment) -> Readiness | None:
        """How far the experiment's kernel is; None where it is left to the first run."""
        return self.runner.readiness(operator_of(experiment.desc).name) if self.warms else None

    def warm(self, experiment: Experiment, tell: TellReadiness) -> bool:
        """Gets the experiment's kernel ready; False if nothing is to do now."""
        return self.warms and self.runner.warm(operator_of(experiment.desc).name, tell)

    def start(self, view: ViewState, tell: TellRun, tell_readiness: TellReadiness) -> None:
        """Runs and times a valid experiment."""
        self.number += 1
        n, one = self.number, view.experiment
        self.running = Running("starting", since=time.monotonic())
        self.warm(one, tell_readiness)
        self.runner.start(one, lambda state: tell(n, state))

    def cancel(self) -> bool:
        """Ends the run that goes on; False where none does."""
        if not self.running.busy:
            return False
        self.number += 1  # what is on its way is of no run any more
        self.runner.cancel()
        self.running = Running()
        return True

    def clear(self) -> bool:
        """Cancels, and forgets what came of the last run: a time is never shown for another desc."""
        cancelled = self.cancel()
        self.running = Running()
        return cancelled

    def heard(self, number: int, running: Running) -> bool:
        """Takes over how far run `number` is, or what came of it; False for a run that nobody waits for."""
        if number != self.number:
            return False
        self.running = running
        return True
