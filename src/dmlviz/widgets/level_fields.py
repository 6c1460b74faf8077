"""The line in which a level's desc is edited: as the explorer's, with what adds and removes numbers by the mouse."""

from __future__ import annotations

from typing import ClassVar

from textual import events
from textual.binding import Binding, BindingType

from ..scene.spans import PLAIN
from .commands import bindings
from .desc_strip import ARROW, DescStrip, Piece

TYPED = frozenset("0123456789-, ")
"""What is typed into numbers; other characters are keys of the screen."""


class LevelFields(DescStrip, inherit_bindings=False):
    """Draws the rows that a level takes edits of; enter and letters are the screen's."""

    BINDINGS: ClassVar[list[BindingType]] = [
        each for each in bindings("strip") if not (isinstance(each, Binding) and each.action == "accept")
    ]

    @property
    def here(self) -> str:
        """The row that has the focus, or had it last."""
        return self._key

    async def _on_key(self, event: events.Key) -> None:
        if event.is_printable and event.character and event.character not in TYPED:
            event.prevent_default()  # the base class would type it; on the screen it has a meaning

    def on_mouse_down(self, event: events.MouseDown) -> None:
        piece = self._piece_at(event)
        if piece is None or piece.act not in ("add", "remove"):
            return  # it is the base class's, which hears the event next
        event.stop()
        event.prevent_default()
        self.focus_row(piece.key, piece.number)
        if piece.act == "add":
            self._numbers.insert(self._at + 1, self._numbers[self._at] or "1")
            self._at += 1
        elif len(self._numbers) > 1:
            del self._numbers[self._at]
            self._at = min(self._at, len(self._numbers) - 1)
        self._fresh = True
        self._send()

    def _field(self, key: str, here: bool) -> list[Piece]:
        made = super()._field(key, here)
        if here and self._rows[key].is_list:
            made += [
                Piece(" ", PLAIN),
                Piece(text="+", style=ARROW, key=key, number=self._at, act="add"),
                Piece(" ", PLAIN),
            ]
            made.append(Piece(text="×", style=ARROW, key=key, number=self._at, act="remove"))
        return made
