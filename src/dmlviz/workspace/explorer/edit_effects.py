"""What the last edit made of the outputs, and whether that is marked."""

from __future__ import annotations

from msgspec.structs import replace

from ...scene.changes import Changes, Counts
from ...scene.view_state import ViewState
from ...session.experiments import Experiment
from ...tracing import Trace


class EditEffects:
    """Follows the edits of one experiment; an edit counts where a valid desc of the same operator came before it."""

    def __init__(self) -> None:
        self.changes: Changes | None = None
        """From the valid output before the last edit to what it is now; None where there was none."""
        self.counts: Counts | None = None
        """How much of it changed; None until somebody has counted."""
        self.edits = 0
        """Grows with each edit that can be compared."""
        self.is_marked = False
        """What the last edit changed is marked, for a moment."""
        self._valid: Trace | None = None
        self._of: Experiment | None = None
        self._hidden = False

    def begin(self, view: ViewState) -> None:
        """Follows another experiment: nothing came before it."""
        self.changes = self.counts = None
        self._valid, self._of = (view.trace, view.experiment) if view.live else (None, None)
        self._hidden = self.is_marked = False

    def follow(self, view: ViewState, *, hidden: bool) -> None:
        """Follows an edit; `hidden`: not all of the output was shown before it."""
        self.is_marked = False
        self._hidden |= hidden
        if not view.live or view.trace is None:
            return
        before, self._valid = self._valid, view.trace
        was_hidden, self._hidden = self._hidden, False
        if before is view.trace:
            return
        of, self._of = self._of, view.experiment
        if of is not None and _followed_from(of) == _followed_from(view.experiment):
            if self.changes is not None:  # another level: the same output
                self.changes = replace(self.changes, after=view.trace)
            return
        comparable = before is not None and before.operator is view.trace.operator and not was_hidden
        self.changes = Changes(before, view.trace) if before is not None and comparable else None
        self.counts = None
        self.edits += 1

    def count(self, *, marked: bool) -> None:
        """Counts what the last edit changed; with `marked`, marks it too."""
        if self.changes is not None:
            self.counts = self.counts or self.changes.counts()
            self.is_marked = marked


def _followed_from(one: Experiment) -> object:
    """What the output follows from: experiments that agree in it have the same output."""
    return one.desc, one.values, one.folder
