"""The cursor's element in numbers, and the pinned ones below it: where they come from, or who reads them."""

from __future__ import annotations

from typing import NamedTuple

from ..scene.elements import value_of
from ..scene.figure import PLAIN, TAB, Cursor, Line, Span, Style
from ..scene.formulas import Piece, short, tallest, terms, wrapped
from ..scene.pins import MOST, Pins
from ..scene.spans import fitting
from ..tracing import Trace
from .inks import Inks, inks_of
from .painted import LinePanel

NONE = Pins()
LINES = (3, 5)
"""Lines kept for the formula: the least and the most."""
STYLES = {
    "output": Style("letter"),
    "via": Style("focused title"),
    "source": Style("plain"),
    "warn": Style("warn", strong=True),
    "": Style("dim"),
}
"""How the kinds of pieces look, but for the value, which has its own colour."""


class FormulaLine(LinePanel):
    """`OutputTensor[2,0] = InputTensor[IndicesTensor[0,2],0] = InputTensor[1,0] = 3`, with the value in its colour.

    Below it a line for each pin. It is as high as the longest formula of the picture, so that nothing moves with the
    cursor; it grows with pins, except where there is room enough to keep theirs free.
    """

    PANEL = "surface"

    class _Said(NamedTuple):
        """All that the lines depend on."""

        trace: Trace
        cursor: Cursor
        live: bool
        pins: Pins
        counted: bool

    def __init__(self, *, id: str) -> None:  # noqa: A002
        super().__init__(id=id)
        self._kept: tuple[object, int] = (None, LINES[0])
        self._said: FormulaLine._Said | None = None
        self.lit = False

    @property
    def inks(self) -> Inks:
        return inks_of(self.app.theme_variables, "panel" if self.lit else self.PANEL)

    def show(
        self,
        trace: Trace | None,
        cursor: Cursor | None,
        live: bool,
        pins: Pins = NONE,
        *,
        roomy: bool = False,
        lit: bool = False,
    ) -> None:
        """`live` is False where the picture is not of the desc as it stands: values then have no colour.

        Where it is `roomy`, lines for pins are kept free; where it is `lit`, it is this that the steps are at.
        """
        height = self._room_of(trace, max(20, self.content_size.width))
        height += (MOST if roomy else len(pins.held)) + self.styles.padding.height
        if self.styles.inline.height is None or self.styles.inline.height.value != height:
            self.styles.height = height
        said = (
            self._Said(trace, cursor, live, pins, trace.prepared) if trace is not None and cursor is not None else None
        )
        if (said, lit) != (self._said, self.lit):
            self._said, self.lit = said, lit
            self.redraw()

    @property
    def text(self) -> str:
        """What it says, line by line."""
        return "\n".join("".join(span.text for span in line) for line in self.made(*self.size))

    def made(self, width: int, height: int) -> list[Line]:
        if self._said is None:
            return []
        trace, cursor, live, pins, _ = self._said
        width = max(20, width)
        lines = self._room_of(trace, width)
        made = [_spans(line, trace, cursor, live) for line in wrapped(terms(trace, cursor), width)]
        if len(made) > lines:
            rest = [span for line in made[lines - 1 :] for span in (*line, Span(" ", PLAIN))]
            made = [*made[: lines - 1], fitting(rest[:-1], width)]
        if pins.held:
            made += [[]] * (lines - len(made))
        for pin in pins.ordered:
            said = _spans(short(trace, pin.cursor, width - 2), trace, pin.cursor, live)
            made.append(fitting([Span(pin.sign, TAB), Span(" ", PLAIN), *said], width))
        return made

    def _room_of(self, trace: Trace | None, width: int) -> int:
        """How many lines the formulas of a trace get; kept, so that the picture doesn't move with the cursor."""
        key = (trace, width)
        if trace is not None and self._kept[0] != key:
            least, most = LINES
            self._kept = key, min(max(tallest(trace, width), least), most)
        return self._kept[1]


def _spans(pieces: list[Piece], trace: Trace, cursor: Cursor, live: bool) -> Line:
    identity = value_of(trace, cursor)[1] if live else -1
    value = Style("cell", identity, True)
    return [Span(text, STYLES.get(kind, value)) for text, kind in pieces]
