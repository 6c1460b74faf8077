"""The cursor's element in numbers: where it comes from, or who reads it."""

from __future__ import annotations

from textual.geometry import Size
from textual.message import Message

from ...scene.elements.cursor import Cursor
from ...scene.elements.known import Known
from ...scene.elements.lookup import is_from_nowhere
from ...scene.spans import PLAIN, Line, Span, Style, fitting
from ...scene.words.formulas import Piece, tallest, terms, wrapped
from ...tracing import Trace
from ...workspace.shown.state import PictureState, State
from ..lib.inks import Inks, inks_of
from ..lib.painted import LinePanel

MOST = 5
"""Lines of a formula at most."""
LEAST = 20
"""Columns that a formula is wrapped to at least."""
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

    It is as high as the longest formula of the picture, so that nothing moves with the cursor, and no lower than the
    style sheet says.
    """

    PANEL = "surface"
    lit = False
    _remarks = True
    _picture = PictureState()
    _high = 0
    """The lines that the last layout gave."""

    class Resized(Message):
        """There is other room for the formula, which may take other lines of the picture."""

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        self._high = self._tallest(self._picture.trace, max(LEAST, width))
        return self._high

    def on_resize(self) -> None:
        self.post_message(self.Resized())

    @property
    def inks(self) -> Inks:
        return inks_of(self.app.theme_variables, "panel" if self.lit else self.PANEL)

    def present(self, state: State) -> None:
        # What is odd about an index or a length is a warning; without any, no element has a remark.
        self._remarks = bool(state.view.report.failures)
        self.show(state.picture, lit=state.picture.lights_formula)

    def show(self, picture: PictureState, *, lit: bool = False) -> None:
        """Shows the formula of the cursor's element, in colours if the picture is of the desc as it stands.

        `lit` where the steps are at this element.
        """
        self._picture = picture
        if self.display and self._tallest(picture.trace, max(LEAST, self.content_size.width)) != self._high:
            self.refresh(layout=True)
        if lit != self.lit:
            self.lit = lit
            self.refresh()
        self.redraw()

    def lines(self, width: int, height: int) -> list[Line]:
        picture = self._picture
        trace, cursor, live, known = picture.trace, picture.cursor, picture.live, picture.known
        if trace is None or cursor is None:
            return []
        width = max(LEAST, width)
        lines = max(self._tallest(trace, width), height)
        pieces = wrapped(terms(trace, cursor, known), width)
        rows = [_formula_spans(line, trace, cursor, live, known) for line in pieces]
        if len(rows) > lines:
            rest = [span for line in rows[lines - 1 :] for span in (*line, Span(" ", PLAIN))]
            rows = [*rows[: lines - 1], fitting(rest[:-1], width)]
        return rows

    def _tallest(self, trace: Trace | None, width: int) -> int:
        """How many lines the longest formula of a trace takes, so that nothing moves with the cursor."""
        if trace is None:
            return 1
        kept: dict[tuple[int, bool], int] = trace.kept.setdefault("tallest", {})
        key = width, self._remarks
        if key not in kept:
            kept[key] = min(tallest(trace, width, remarks=self._remarks), MOST)
        return kept[key]


def _formula_spans(pieces: list[Piece], trace: Trace, cursor: Cursor, live: bool, known: Known) -> Line:
    identity = known.identity(trace, cursor) if live else -1
    value = Style("cell", identity, True)
    if live and is_from_nowhere(trace, cursor, known):
        value = Style("nowhere", -1, True)
    return [Span(text, STYLES.get(kind, value)) for text, kind in pieces]
