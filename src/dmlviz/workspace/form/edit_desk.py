"""A document whose experiment is edited by a form's rows, what is wrong with them, and what an edit made of outputs."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

from ...errors import DmlvizError
from ...scene.changes import Changes, Counts
from ...scene.view_state import ViewState
from ...session.document import Document
from ...session.experiments import Experiment
from ..shown.picture import Desk, Picture
from ..shown.state import FormRow, FormState


class Reasons:
    """The broken rules and warnings of a view, one of which may be looked at."""

    def __init__(self) -> None:
        self.chosen: int | None = None
        """The one that is looked at, among `view.why.reasons`."""
        self._next = 0

    def restart(self, view: ViewState) -> None:
        """A broken rule is looked at from the start, a warning only when it is asked for: the picture is valid then."""
        self._next = 0
        self.chosen = 0 if view.why.errors else None

    def next_row(self, view: ViewState, errors: Collection[str], rows: Iterable[str]) -> str:
        """Looks at the next broken rule, warning or field error; the form's row that it names, "" for none."""
        reasons = view.why.reasons
        targets: list[str | int] = [*errors, *range(len(reasons))]
        if not targets:
            return ""
        target = targets[self._next % len(targets)]
        self._next += 1
        if isinstance(target, int):
            self.chosen = target
            path, rows = reasons[target].first.field, list(rows)
            row = row_of(path, frozenset(rows))
            return row if row in rows else "".join(_rows_of_array(path, rows)[:1])
        return target

    def look_at(self, number: int, errors: Collection[str]) -> None:
        """Makes reason `number` the one that `next_row` looks at next."""
        self._next = len(errors) + number


def broken_rows(view: ViewState, errors: Iterable[str], rows: Iterable[str]) -> Mapping[str, str]:
    """The form's rows that something is wrong with, each with how bad it is: "error" or "warning"."""
    severities: dict[str, str] = dict.fromkeys(errors, "error")
    rows = list(rows)
    keys = frozenset(rows)
    for reason in view.why.reasons:
        for check in reason.checks:
            for path in (check.field, *check.related):
                severe = reason.is_error and path == check.field
                row = row_of(path, keys)
                for key in [row] if row in keys else _rows_of_array(path, rows):
                    severities.setdefault(key, "error" if severe else "warning")
    return severities


def _rows_of_array(path: str, rows: Iterable[str]) -> list[str]:
    """The rows of an array's tensors; the row that adds one where there is none."""
    own = [key for key in rows if key.startswith(f"{path}[") and "." not in key]
    return own or [key for key in rows if key == f"{path}.add"]


def row_of(path: str, rows: frozenset[str]) -> str:
    """The form's row for a field path: `InputTensors[1].Sizes[2]` to `InputTensors[1]`, an entry to its array."""
    name, bracket, _ = path.partition("[")
    head, dot, rest = path.partition(".")
    if f"{name}.values" in rows and bracket and not dot:
        return f"{name}.values"  # a cell of the indices or lengths
    if rest == "DataType" and path not in rows:
        return "DataType"
    if path in rows:
        return path
    return name if not dot and name in rows else head


class Fields:
    """What the rows of a form hold that the document doesn't, whichever screen they stand on."""

    def __init__(self) -> None:
        self.errors: dict[str, str] = {}
        """{row key: sentence} of the fields whose text can't be read."""
        self._refill = 0

    def restart(self) -> None:
        """Gives up what couldn't be read, and fills the fields anew."""
        self.errors.clear()
        self._refill += 1

    def state(self, view: ViewState, rows: Sequence[FormRow], strip: Sequence[str]) -> FormState:
        """What the form shows: `rows`, of which those of `strip` stand in a line where there is no room for all."""
        broken = broken_rows(view, self.errors, [row.key for row in rows])
        return FormState(
            rows=tuple(rows),
            broken=broken,
            errors=dict(self.errors),
            refill=self._refill,
            strip=tuple(strip),
        )


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
        if self.document.undo():
            self._follow_history()

    def redo(self) -> None:
        if self.document.redo():
            self._follow_history()

    def _follow_history(self) -> None:
        self._fields.restart()
        self._follow()
