"""The cursor's element in numbers, and the pinned ones below it: where they come from, or who reads them."""

from __future__ import annotations

from rich.style import Style as RichStyle
from rich.text import Text
from textual.widgets import Static

from ..scene.elements import value_of
from ..scene.figure import TAB, Cursor, Style
from ..scene.formulas import Piece, short, tallest, terms, wrapped
from ..scene.pins import MOST, Pins
from ..tracing import Trace
from .inks import Inks, inks_of

NONE = Pins()
LINES = (3, 5)
"""Lines kept for the formula: the least and the most."""


class FormulaLine(Static):
    """`OutputTensor[2,0] = InputTensor[IndicesTensor[0,2],0] = InputTensor[1,0] = 3`, with the value in its colour.

    Below it a line for each pin. It is as high as the longest formula of the picture, so that nothing moves with the
    cursor; it grows with pins, except where there is room enough to keep theirs free.
    """

    def __init__(self, *, id: str) -> None:  # noqa: A002
        super().__init__(id=id)
        self._kept: tuple[object, int] = (None, LINES[0])

    def show(
        self, trace: Trace | None, cursor: Cursor | None, live: bool, pins: Pins = NONE, roomy: bool = False
    ) -> None:
        """`live` is False where the picture is not of the desc as it stands: values then have no colour.

        Where it is `roomy`, lines for pins are kept free.
        """
        width = max(20, self.content_size.width)
        lines = self._lines(trace, width)
        height = lines + (MOST if roomy else len(pins.held)) + self.styles.padding.height
        if self.styles.inline.height is None or self.styles.inline.height.value != height:
            self.styles.height = height
        if trace is None or cursor is None:
            self.update("", layout=False)
            return
        inks = inks_of(self.app.theme_variables, "surface")
        made = [self._inked(line, trace, cursor, live, inks) for line in wrapped(terms(trace, cursor), width)]
        if len(made) > lines:
            made = [*made[: lines - 1], Text(" ").join(made[lines - 1 :])]
            made[-1].truncate(width, overflow="ellipsis")
        if pins.held:
            made += [Text()] * (lines - len(made))
        for pin in pins.ordered:
            said = self._inked(short(trace, pin.cursor, width - 2), trace, pin.cursor, live, inks)
            text = Text.assemble((pin.sign, inks.style(TAB)), " ", said)
            text.truncate(width, overflow="ellipsis")
            made.append(text)
        self.update(Text("\n").join(made), layout=False)

    def _lines(self, trace: Trace | None, width: int) -> int:
        """How many lines the formulas of a trace get; kept, so that the picture doesn't move with the cursor."""
        key = (trace, width)
        if trace is not None and self._kept[0] != key:
            least, most = LINES
            self._kept = key, min(max(tallest(trace, width), least), most)
        return self._kept[1]

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
