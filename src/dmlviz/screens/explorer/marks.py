"""When what an edit moved is compared and marked in the outputs, and for how long."""

from __future__ import annotations

from collections.abc import Callable

from textual.timer import Timer

from ...workspace.shown.state import ChangesState

COMPARE_AFTER = 0.1
"""Seconds without another edit after which what the last one moved is marked and counted."""
MARKED_FOR = 1.0
"""Seconds that it stays marked."""
UNMARK_AFTER = 0.02
"""Seconds that a key has to draw the picture anew, before it is drawn without the marks that were on it."""


class Marks:
    """Follows what states say of the last edit, and has it compared, then unmarked, when it is time."""

    def __init__(
        self,
        set_timer: Callable[[float, Callable[[], object]], Timer],
        compare: Callable[[bool], None],
        unmark: Callable[[], None],
    ) -> None:
        """`compare` is told whether cells may be marked, too."""
        self.compares = False
        """What an edit moved is marked and counted when the user has come to rest."""
        self._set_timer, self._compare, self._unmark = set_timer, compare, unmark
        self._compared = 0  # the edit that is compared, or will be
        self._marked = False
        self.comparing: Timer | None = None
        """What waits for the user to come to rest; None where nothing is to be compared."""
        self._marking: Timer | None = None  # until the marks go

    def present(self, changes: ChangesState) -> None:
        """Has a new edit compared once the user rests, and new marks go after a moment."""
        if not changes.waits:
            self._stop(self.comparing)
            self.comparing = None
        elif self._compared != changes.edits:
            self._compared = changes.edits
            if self.compares:
                self._compare_soon(marked=True)
        if changes.marked and not self._marked:
            self._unmark_after(MARKED_FOR)
        self._marked = changes.marked

    def heard_input(self) -> bool:
        """After a key or a click, has what waits counted without marks. True where marks are to go now."""
        if self.comparing is not None:
            self._compare_soon(marked=False)
        if self._marking is None:
            return False
        self._unmark_after(UNMARK_AFTER)  # most keys have the picture drawn anew before
        return True

    def _compare_soon(self, marked: bool) -> None:
        self._stop(self.comparing)
        self.comparing = self._set_timer(COMPARE_AFTER, lambda: self._compare(marked))

    def _unmark_after(self, seconds: float) -> None:
        self._stop(self._marking)
        self._marking = self._set_timer(seconds, self._unmark_now)

    def _unmark_now(self) -> None:
        self._marking = None
        self._unmark()

    @staticmethod
    def _stop(timer: Timer | None) -> None:
        if timer is not None:
            timer.stop()
