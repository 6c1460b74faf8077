"""The cursor's element in numbers, and the pinned ones below it: where they come from, or who reads them."""

from __future__ import annotations

from rich.style import Style as RichStyle
from rich.text import Text
from textual.widgets import Static

from ..scene.elements import value_of
from ..scene.figure import TAB, Cursor, Style
from ..scene.formulas import Piece, short, tallest, terms, wrapped
from ..scene.pins import Pins
from ..tracing import Trace
from .inks import Inks, inks_of

NONE = Pins()
LINES = (3, 5)
"""Lines of the whole, in which all pins have a place too, and the most of a formula."""
BESIDE = (62, 48)
"""Columns that pins take at the right of a formula that leaves them, with the source of each and without."""


class FormulaLine(Static):
    """`OutputTensor[2,0] = InputTensor[IndicesTensor[0,2],0] = InputTensor[1,0] = 3`, with the value in its colour.

    A line for each pin: at its right where it is long enough, so that a pin moves nothing, or else below it. It is as
    high as the longest formula of the picture, so that nothing moves with the cursor.
    """

    def __init__(self, *, id: str) -> None:  # noqa: A002
        super().__init__(id=id)
        self._kept: dict[int, int] = {}
        self._kept_of: Trace | None = None

    def show(self, trace: Trace | None, cursor: Cursor | None, live: bool, pins: Pins = NONE) -> None:
        """`live` is False where the picture is not of the desc as it stands: values then have no colour."""
        width = max(20, self.content_size.width)
        least, _ = LINES
        beside = next((n for n in BESIDE if width - n > n // 2 and self._lines(trace, width - n) <= least), 0)
        lines = least if beside else self._lines(trace, width)
        height = max(least, lines + (0 if beside else len(pins.held))) + self.styles.padding.height
        if self.styles.inline.height is None or self.styles.inline.height.value != height:
            self.styles.height = height
        if trace is None or cursor is None:
            self.update("", layout=False)
            return
        inks = inks_of(self.app.theme_variables, "surface")
        own, room = (width - beside, beside - 2) if beside and pins.held else (width, width)
        made = [self._inked(line, trace, cursor, live, inks) for line in wrapped(terms(trace, cursor), own)]
        if len(made) > lines:
            made = [*made[: lines - 1], Text(" ").join(made[lines - 1 :])]
            made[-1].truncate(own, overflow="ellipsis")
        if pins.held:
            made += [Text() for _ in range(lines - len(made))]
        for number, pin in enumerate(pins.ordered):
            said = self._inked(short(trace, pin.cursor, room - 2), trace, pin.cursor, live, inks)
            text = Text.assemble((pin.sign, inks.style(TAB)), " ", said)
            text.truncate(room, overflow="ellipsis")
            if beside:
                made[number].pad_right(own + 2 - made[number].cell_len)
                made[number].append_text(text)
            else:
                made.append(text)
        self.update(Text("\n").join(made), layout=False)

    def _lines(self, trace: Trace | None, width: int) -> int:
        """How many lines the formulas of a trace get; kept, so that the picture doesn't move with the cursor."""
        if trace is None:
            return LINES[0]
        if trace is not self._kept_of:
            self._kept, self._kept_of = {}, trace
        if width not in self._kept:
            self._kept[width] = min(tallest(trace, width), LINES[1])
        return self._kept[width]

    def _inked(self, pieces: list[Piece], trace: Trace, cursor: Cursor, live: bool, inks: Inks) -> Text:
        _, identity = value_of(trace, cursor)
        styles: dict[str, str | RichStyle] = {
            "output": f"bold {inks.text.hex}",
            "via": f"bold {inks.accent.hex}",
            "source": inks.text.hex,
            "value": inks.style(Style("cell", identity if live else -1, True)),
            "warn": f"bold {inks.warning.hex}",
            "": inks.muted.hex,
        }
        text = Text(no_wrap=True)
        for piece, kind in pieces:
            text.append(piece, styles[kind])
        return text
