"""A document whose experiment is edited, without a screen: what explorer and level share."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable

from ...errors import DmlvizError
from ...session.document import Document
from ...session.experiments import Experiment
from ..form.fields import Fields
from ..shown.desk import Desk
from ..shown.picture import Picture


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

    def _edit(self, one: Experiment, key: object = None) -> None:
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
        self._edit(typed, ("field", self.document.number, key))

    def leave_fields(self, but: str = "") -> None:
        """The focus leaves all rows but one: what can't be read goes, since the document never held it."""
        self.document.pause()
        if self._fields.leave([key for key in self._fields.errors if key != but]):
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
