"""Which rules and fields of the form something is wrong with, and which of them is looked at."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

from ...scene.view_state import ViewState
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
            asks="task" in view.experiment.extra,
        )
