"""A panel that draws what a state says."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Generic, TypeVar

from ...scene.spans import Line
from .painted import LinePanel

AnyState = TypeVar("AnyState")


class StatePanel(LinePanel, Generic[AnyState]):
    """Draws the lines of a state; nothing before there is one."""

    def __init__(self, *, id: str) -> None:  # noqa: A002
        super().__init__(id=id)
        self._state: AnyState | None = None

    def present(self, state: AnyState) -> None:
        """Shows another state."""
        self._state = state
        self.redraw()

    def lines(self, width: int, height: int) -> Sequence[Line]:
        return self.lines_of(self._state, width, height) if self._state is not None else []

    def lines_of(self, state: AnyState, width: int, height: int) -> Sequence[Line]:
        """The lines of a state for `width` columns and `height` lines."""
        raise NotImplementedError
