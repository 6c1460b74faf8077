"""The cursor's element in numbers, and the pinned ones below it: where they come from, or who reads them."""

from __future__ import annotations

from typing import NamedTuple

from textual.message import Message

from ...scene.elements.cursor import Cursor
from ...scene.elements.known import EVERYTHING, Known
from ...scene.elements.lookup import is_from_nowhere
from ...scene.elements.pins import Pins
from ...scene.spans import PLAIN, TAB, Line, Span, Style, fitting, length
from ...scene.spoken import Words
from ...scene.words.formulas import Piece, short, spoken, tallest, terms, wrapped
from ...tracing import Trace
from ...workspace.shown.state import State
from ..lib.inks import Inks, inks_of
from ..lib.painted import LinePanel

NONE = Pins()
MOST = 5
"""Lines of a formula at most."""
ALONGSIDE = 3
"""Lines of a formula at most that leaves its right side to pins: as many as there can be pins."""
BESIDE = (62, 48)
"""Columns that pins take at the right of a formula that leaves them, with the source of each and without."""
STYLES = {
    "output": Style("letter"),
    "via": Style("axis", strong=True),
    "source": Style("plain"),
    "warn": Style("warn", strong=True),
    "": Style("ruler"),
}
"""How the kinds of pieces look, but for the value, which has its own colour."""


class FormulaLine(LinePanel):
    """`OutputTensor[2,0] = InputTensor[IndicesTensor[0,2],0] = InputTensor[1,0] = 3`, with the value in its colour.

    Beside it a line for each pin, or below it where there is no room. It is as high as the longest formula of the
    picture, so that nothing moves with the cursor, and no lower than the style sheet says; it grows only with pins.
    """

    PANEL = "surface"

    class Resized(Message):
        """There is other room for the formula, which may take other lines of the picture."""

    class _About(NamedTuple):
        """All that the lines depend on."""

        trace: Trace
        cursor: Cursor
        live: bool
        pins: Pins
        counted: bool
        known: Known
        words: Words

    def __init__(self, *, id: str) -> None:  # noqa: A002
        super().__init__(id=id)
        self._kept: dict[tuple[int, bool, Words], int] = {}
        self._remarks = True
        self._kept_of: Trace | None = None
        self._about: FormulaLine._About | None = None
        self._words: Words = ()
        self.lit = False

    def on_resize(self) -> None:
        self.post_message(self.Resized())

    @property
    def inks(self) -> Inks:
        return inks_of(self.app.theme_variables, "panel" if self.lit else self.PANEL)

    def present(self, state: State) -> None:
        """Shows another state."""
        picture = state.picture
        # What is odd about an index or a length is a warning; without any, no element has a remark.
        self._remarks = bool(state.view.report.failures)
        if picture.scene is None:
            self.show(None, None, False)
        else:
            self.show(
                picture.trace, picture.cursor, picture.live, picture.pins, picture.known, lit=picture.lights_formula
            )

    def show(
        self,
        trace: Trace | None,
        cursor: Cursor | None,
        live: bool,
        pins: Pins = NONE,
        known: Known = EVERYTHING,
        *,
        lit: bool = False,
        words: Words = (),
    ) -> None:
        """Shows the formula of an element; unless `live`, the picture is not of the desc as it stands: no colours then.

        `lit` where the steps are at this element; `words` are those of another language than English.
        """
        self._words = words
        lines, beside = self._rows_and_beside(trace, self.content_size.width, pins)
        height = (max(lines, len(pins.by_age)) if beside else lines + len(pins.by_age)) + self.styles.padding.height
        if self.styles.inline.height is None or self.styles.inline.height.value != height:
            self.styles.height = height
        basis = None
        if trace is not None and cursor is not None:
            basis = self._About(trace, cursor, live, pins, trace.prepared, known, self._words)
        if (basis, lit) != (self._about, self.lit):
            self._about, self.lit = basis, lit
            self.redraw()

    def lines(self, width: int, height: int) -> list[Line]:
        if self._about is None:
            return []
        trace, cursor, live, pins, _, known, words = self._about
        width = max(20, width)
        lines, beside = self._rows_and_beside(trace, width, pins)
        lines = max(lines, height - (0 if beside else len(pins.by_age)))
        own, room = (width - beside, beside - 2) if beside else (width, width)
        pieces = wrapped(spoken(terms(trace, cursor, known), words), own)
        if len(pieces) > lines:
            pieces = wrapped(spoken(terms(trace, cursor, known, brief=True), words), own)
        rows = [_formula_spans(line, trace, cursor, live, known) for line in pieces]
        if len(rows) > lines:
            rest = [span for line in rows[lines - 1 :] for span in (*line, Span(" ", PLAIN))]
            rows = [*rows[: lines - 1], fitting(rest[:-1], own)]
        if pins.by_age:
            rows += [[] for _ in range(lines - len(rows))]
        for number, pin in enumerate(pins.by_number):
            (term,) = spoken([short(trace, pin.cursor, room - 2, known)], words)
            told = _formula_spans(term, trace, pin.cursor, live, known)
            line = fitting([Span(pin.sign, TAB), Span(" ", PLAIN), *told], room)
            if beside:
                gap = own + 2 - length(rows[number])
                rows[number] = [*rows[number], Span(" " * gap, PLAIN), *line]
            else:
                rows.append(line)
        return rows

    def _rows_and_beside(self, trace: Trace | None, width: int, pins: Pins) -> tuple[int, int]:
        """(lines of a trace's formulas, columns that pins have beside them); 0 columns where pins stand below."""
        width = max(20, width)
        if pins.by_age:
            for columns in BESIDE:
                own = width - columns
                if own > columns // 2 and self._tallest(trace, own) <= ALONGSIDE:
                    return self._tallest(trace, own), columns
        return self._tallest(trace, width), 0

    def _tallest(self, trace: Trace | None, width: int) -> int:
        """How many lines the longest formula of a trace takes; cached, so that nothing moves with the cursor."""
        if trace is None:
            return 1
        if trace is not self._kept_of:
            self._kept_of, self._kept = trace, {}
        key = width, self._remarks, self._words
        if key not in self._kept:
            self._kept[key] = min(tallest(trace, width, remarks=self._remarks, words=self._words), MOST)
        return self._kept[key]


def _formula_spans(pieces: list[Piece], trace: Trace, cursor: Cursor, live: bool, known: Known) -> Line:
    identity = known.identity(trace, cursor) if live else -1
    value = Style("cell", identity, True)
    if live and is_from_nowhere(trace, cursor, known):
        value = Style("nowhere", -1, True)
    return [Span(text, STYLES.get(kind, value)) for text, kind in pieces]
