"""The rows of a form besides their text: what can't be read of what is typed, and when they are filled anew."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from ...scene.view_state import ViewState
from ..shown.state import FormRow, FormState
from .reasons import broken_rows


class Fields:
    """What the rows of a form hold that the document doesn't, whichever screen they stand on."""

    def __init__(self) -> None:
        self.errors: dict[str, str] = {}
        """{row key: sentence} of the fields whose text can't be read."""
        self._refill = 0

    def refill(self) -> None:
        """Has the fields filled anew with the document's text, whatever is being typed."""
        self._refill += 1

    def restart(self) -> None:
        """Gives up what couldn't be read, and fills the fields anew."""
        self.errors.clear()
        self.refill()

    def leave(self, keys: Collection[str]) -> bool:
        """Gives up what couldn't be read in these rows; False where there was nothing."""
        before = len(self.errors)
        for key in [*keys]:
            self.errors.pop(key, None)
        return len(self.errors) < before

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
