"""A document whose experiment is edited, without a screen, and what the last edit made of its outputs."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable

from ...errors import DmlvizError
from ...scene.changes import Changes, Counts
from ...scene.view_state import ViewState
from ...session.document import Document
from ...session.experiments import Experiment
from ..form.reasons import Fields
from ..shown.desk import Desk
from ..shown.picture import Picture


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
        self._valid: ViewState | None = None  # of the last edit, where all of that was shown

    def begin(self, view: ViewState) -> None:
        """Follows another experiment: nothing came before it."""
        self.changes = self.counts = None
        self._valid = view if view.live else None
        self.is_marked = False

    def follow(self, view: ViewState, *, hidden: bool) -> None:
        """Follows an edit; `hidden`: not all of the output was shown before it."""
        self.is_marked = False
        self._valid = None if hidden else self._valid
        if not view.live:
            return
        before, self._valid = self._valid, view
        one = before.experiment if before is not None else None
        if one is not None and (one.desc, one.values) == (view.experiment.desc, view.experiment.values):
            return  # another level: the same output
        old, new = before.trace if before is not None else None, view.trace
        self.changes = self.counts = None
        if old is not None and new is not None and old.operator is new.operator:
            self.changes = Changes(old, new)
        self.edits += 1

    def count(self, *, marked: bool) -> None:
        """Counts what the last edit changed; with `marked`, marks it too."""
        if self.changes is not None:
            self.counts = self.counts or self.changes.counts()
            self.is_marked = marked


class EditDesk(Desk):
    """A subclass says what a row's text makes of the experiment, and what follows from that."""

    def __init__(self, document: Document, picture: Picture, now: Callable[[], float]) -> None:
        super().__init__(picture, now)
        self.document, self._fields = document, Fields()

    @property
    def experiment(self) -> Experiment:
        """The experiment that is looked at."""
        return self.document.experiment

    @abstractmethod
    def _typed(self, key: str, text: str) -> Experiment:
        """The experiment with the text of a form's row. Raises DmlvizError for what can't be read."""

    @abstractmethod
    def _follow(self) -> None:
        """Makes everything anew that follows from the document."""

    def _fill_form(self) -> None:
        """Makes the form's rows anew, where a subclass keeps them."""

    def edit(self, one: Experiment, key: object = None) -> None:
        """Makes an edited experiment the present one; edits of one key are undone as one."""
        self.document.edit(one, key)
        self._follow()

    def type_in_field(self, key: str, text: str) -> None:
        """Edits the experiment by the text of a form's row; what can't be read becomes a field error."""
        try:
            typed = self._typed(key, text)
        except DmlvizError as error:
            self._fields.errors[key] = str(error)
            self._fill_form()
            return
        self._fields.errors.pop(key, None)
        self.edit(typed, ("field", self.document.number, key))

    def leave_fields(self, but: str = "") -> None:
        """The focus leaves all rows but one: what can't be read goes, since the document never held it."""
        self.document.pause()
        left = [key for key in self._fields.errors if key != but]
        for key in left:
            del self._fields.errors[key]
        if left:
            self._fill_form()

    def undo(self) -> None:
        """Takes the last edit back, if there is one."""
        if self.document.undo():
            self._follow_history()

    def redo(self) -> None:
        """Makes the edit again that was taken back last, if there is one."""
        if self.document.redo():
            self._follow_history()

    def _follow_history(self) -> None:
        self._fields.restart()
        self._follow()
