"""Running and timing the desc: its kernel got ready ahead, the run that goes on, and the panel that tells of both."""

from __future__ import annotations

import contextlib
import time
from dataclasses import replace
from typing import TYPE_CHECKING

from textual.timer import Timer

from ..errors import DmlvizError
from ..operators.registry import operator_of
from ..running.output_preview import Answer, answer_of, reference_outputs
from ..widgets.kernel_panel import KernelPanel
from ..worker.client import Readiness, Runner, Running

if TYPE_CHECKING:
    from .explorer.explorer import Explorer

WARM_AFTER = 0.3
"""Seconds without another operator after which its kernel is got ready."""


class Runs:
    """The runs of one explorer, one at a time."""

    def __init__(self, explorer: Explorer) -> None:
        self._explorer = explorer
        self.kernel = Running()
        self.runner = Runner()
        self.number = 0  # of the run whose words are heard
        self.panel = KernelPanel(id="kernel")
        self._warms = False
        self._timer: Timer | None = None

    # ---- the kernel, ahead of its first run

    def warm_up(self, after: float = WARM_AFTER) -> None:
        """From `after` seconds on, the kernel of the operator on the screen is got ready before anybody asks for it."""
        self._warms = True
        self._soon(after)

    def _soon(self, after: float = WARM_AFTER) -> None:
        if self._warms:
            if self._timer is not None:
                self._timer.stop()
            self._timer = self._explorer.set_timer(after, self._warm)

    def _warm(self, instead: bool = False) -> None:
        if self._warms and self.runner.warm(self._operator, self._tell_readiness, instead):
            self.draw()

    def _tell_readiness(self, found: Readiness) -> None:
        with contextlib.suppress(RuntimeError):  # the program has ended
            self._explorer.post_message(self._explorer.Readied(found))

    @property
    def _operator(self) -> str:
        return operator_of(self._explorer.experiment.desc).name

    @property
    def readiness(self) -> Readiness | None:
        """How far the kernel is; None where it is left to the first run."""
        return self.runner.readiness(self._operator) if self._warms else None

    def readied(self, found: Readiness) -> None:
        """A kernel is further on its way, maybe not the one that is wanted by now."""
        if found.name == self._operator:
            self.draw()
        elif not found.stage:
            self._soon()

    # ---- the run

    def run(self) -> None:
        """Runs and times the desc; cancels that while it goes on."""
        explorer = self._explorer
        if self.kernel.busy:
            self.cancel()
        elif explorer.shown.live:
            self.number += 1
            number = self.number

            def tell(state: Running) -> None:
                with contextlib.suppress(RuntimeError):  # the program has ended
                    explorer.post_message(explorer.Timed(number, state))

            self.kernel = Running("starting", since=time.monotonic(), answer=self._reference())
            self._warm(instead=True)
            self.runner.start(explorer.experiment, tell)
            self.draw()

    def _reference(self) -> Answer | None:
        """What the reference says of small outputs where the kernel isn't ready to say it at once."""
        trace, readiness = self._explorer.shown.trace, self.readiness
        if trace is None or (readiness is not None and readiness.ready):
            return None
        try:
            outputs = reference_outputs(trace)
        except (DmlvizError, OSError):
            return None  # the run will say why
        names = [part.path for part in trace.outputs]
        return answer_of(names, outputs, by_kernel=False) if outputs is not None else None

    def cancel(self) -> None:
        """Ends the run that goes on, if one does."""
        if self.kernel.busy:
            self.number += 1  # what is on its way is of no run any more
            self.runner.cancel()
            self.kernel = Running()
            self.draw()
            self._soon()

    def clear(self) -> None:
        """Cancels, and forgets what came of the last run: a time is never shown for another desc."""
        self.cancel()
        self.kernel = Running()

    def heard(self, number: int, state: Running) -> None:
        """Run `number` tells how far it is, or what came of it."""
        if number == self.number:
            if state.busy and state.answer is None:
                state = replace(state, answer=self.kernel.answer)
            self.kernel = state
            self.draw()
            if not state.busy:
                self._soon()  # the process may have ended with the run

    def changed(self) -> None:
        """Another desc is on the screen."""
        readiness = self.readiness
        if readiness is not None and not readiness.ready:
            self._soon()

    def draw(self) -> None:
        """Shows how far the kernel and the run are, in the panel and in the footer."""
        explorer = self._explorer
        self.panel.show(self.kernel, explorer.experiment, explorer.shown.live, self.readiness)
        explorer.footer.busy(self.kernel.busy)

    def close(self) -> None:
        """Ends the run and its process."""
        self.runner.close()
