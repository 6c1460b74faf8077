"""Running and timing the desc: the run that goes on, and the panel that tells of it."""

from __future__ import annotations

import contextlib
import time
from typing import TYPE_CHECKING

from ..runner import Runner, Running
from ..widgets.kernel_panel import KernelPanel

if TYPE_CHECKING:
    from .explorer import Explorer


class Runs:
    """The runs of one explorer, one at a time."""

    def __init__(self, explorer: Explorer) -> None:
        self._explorer = explorer
        self.kernel = Running()
        self.runner = Runner()
        self.number = 0  # of the run whose words are heard
        self.panel = KernelPanel(id="kernel")

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

            self.kernel = Running("starting", since=time.monotonic())
            self.runner.start(explorer.experiment, tell)
            self.draw()

    def cancel(self) -> None:
        """Ends the run that goes on, if one does."""
        if self.kernel.busy:
            self.number += 1  # what is on its way is of no run any more
            self.runner.cancel()
            self.kernel = Running()
            self.draw()

    def clear(self) -> None:
        """Cancels, and forgets what came of the last run: a time is never shown for another desc."""
        self.cancel()
        self.kernel = Running()

    def heard(self, number: int, state: Running) -> None:
        """Run `number` tells how far it is, or what came of it."""
        if number == self.number:
            self.kernel = state
            self.draw()

    def draw(self) -> None:
        """Shows how far the run is, in the panel and in the footer."""
        explorer = self._explorer
        self.panel.show(self.kernel, explorer.experiment, explorer.shown.live)
        explorer.footer.busy(self.kernel.busy)

    def close(self) -> None:
        """Ends the run and its process."""
        self.runner.close()
