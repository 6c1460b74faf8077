"""A panel that draws what a state says, some of which can be clicked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Generic, NamedTuple, TypeVar

from textual import events

from ...scene.spans import Line
from .painted import LinePanel

AnyState = TypeVar("AnyState")


class Hit(NamedTuple):
    """What a click on some columns of a line does."""

    y: int
    first: int
    last: int
    name: str
    value: str


class StatePanel(LinePanel, Generic[AnyState]):
    """Draws the lines of a state; nothing before there is one."""

    def __init__(self, *, id: str) -> None:  # noqa: A002
        super().__init__(id=id)
        self._state: AnyState | None = None
        self._hits: list[Hit] = []
        """What can be clicked of what is drawn; of two that overlap the latter is in front."""

    def present(self, state: AnyState) -> None:
        """Shows another state."""
        self._state = state
        self.redraw()

    def lines(self, width: int, height: int) -> Sequence[Line]:
        return self.lines_of(self._state, width, height) if self._state is not None else []

    def lines_of(self, state: AnyState, width: int, height: int) -> Sequence[Line]:
        """The lines of a state for `width` columns and `height` lines; sets `_hits`, too."""
        raise NotImplementedError

    def place_of(self, name: str, value: str) -> tuple[int, int]:
        """(x, y) of the hit with this name and value, from the widget's corner. Raises LookupError without one."""
        left, top = self.content_offset
        for hit in self._hits:
            if (hit.name, hit.value) == (name, value):
                return hit.first + left, hit.y + top
        raise LookupError(f"{name} {value}")

    def hit_at(self, event: events.MouseEvent) -> Hit | None:
        """The hit that the mouse is over, the one in front of several; None without one."""
        offset = event.get_content_offset(self)
        if offset is None:
            return None
        return next((h for h in reversed(self._hits) if h.y == offset.y and h.first <= offset.x < h.last), None)
