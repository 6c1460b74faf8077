"""Pins: elements that stay marked, with all that belongs to them, while the cursor moves on."""

from __future__ import annotations

from msgspec import Struct
from msgspec.structs import replace

from ...tracing import Trace
from .cursor import Cursor, is_inside
from .known import EVERYTHING, Known
from .partners import Partners, partners

SIGNS = "¹²³"
"""How pins are told apart, without colour."""
MOST = len(SIGNS)


class Pin(Struct, frozen=True):
    """A pinned element."""

    number: int
    """From 0; it keeps its sign while it is pinned."""
    cursor: Cursor

    @property
    def sign(self) -> str:
        return SIGNS[self.number]


class Pins(Struct, frozen=True):
    """Up to three pins, the oldest first."""

    by_age: tuple[Pin, ...] = ()
    clearing: bool = False
    """True where one was just taken off: the next goes with all others."""

    @property
    def by_number(self) -> tuple[Pin, ...]:
        """The pins by number, as they are listed."""
        return tuple(sorted(self.by_age, key=lambda pin: pin.number))

    def toggled(self, cursor: Cursor) -> Pins:
        """The pins with one more at an element, which replaces the oldest of three; without it where it was pinned."""
        without = tuple(pin for pin in self.by_age if pin.cursor != cursor)
        if len(without) < len(self.by_age):
            return Pins(without)
        kept = without[len(without) - MOST + 1 :] if len(without) >= MOST else without
        free = min({*range(MOST)} - {pin.number for pin in kept})
        return Pins((*kept, Pin(free, cursor)))

    def escaped(self) -> Pins:
        """The pins without the newest one; a second time in a row, none."""
        return Pins() if self.clearing else replace(self, by_age=self.by_age[:-1], clearing=True)

    def within(self, trace: Trace) -> Pins:
        """The pins whose element exists in a trace."""
        return replace(self, by_age=tuple(pin for pin in self.by_age if is_inside(trace, pin.cursor)))

    def marks(self, trace: Trace, known: Known = EVERYTHING) -> tuple[tuple[str, Partners], ...]:
        """Each pin's sign, and what is marked with it as far as it is known; all of its elements must exist."""
        return tuple((pin.sign, partners(trace, pin.cursor, known)) for pin in self.by_number)


def tab_of(text: str, signs: str) -> str:
    """The signs of pins as they stand on a cell's blank beginning; a `⁺` for those that it has no room for."""
    room = max(1, len(text) - len(text.lstrip(" ")))
    return signs if len(signs) <= room else signs[: room - 1] + "⁺"
