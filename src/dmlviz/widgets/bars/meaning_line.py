"""What the operator means, under its name: one sentence, and its map in pseudo-code with the desc's numbers."""

from __future__ import annotations

from typing import Any

from textual.geometry import Size

from ...scene.spans import DIM, PLAIN, Line, Span, Style, fitting
from ...scene.words.meaning import GAP, Meaning, meaning
from ..lib.painted import LinePanel

CODE = Style("axis")


class MeaningLine(LinePanel):
    """One line, or two where sentence and pseudo-code don't fit beside each other."""

    PANEL = "panel"
    meaning = Meaning("")
    _shown: tuple[object, ...] = ()

    def present(self, state: Any) -> None:
        view, known = state.view, state.picture.known
        if self._shown and self._shown[0] is view and self._shown[1] == known.whole:
            return
        self._shown = view, known.whole
        lines = len(self._wrapped_for_width(self.meaning))
        self.meaning = meaning(view.experiment.desc, view.trace if view.live else None, known)
        if len(self._wrapped_for_width(self.meaning)) != lines:
            self.refresh(layout=True)
        self.redraw()

    def _wrapped_for_width(self, meant: Meaning) -> list[tuple[str, str]]:
        return meant.lines(max(20, self.app.size.width - self.styles.padding.width))

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        return len(self._wrapped_for_width(self.meaning))

    def lines(self, width: int, height: int) -> list[Line]:
        rows = []
        for said, code in self._wrapped_for_width(self.meaning):
            line = [Span(said, PLAIN)] if said else []
            if code:
                left, sign, right = code.partition(" = ")
                line += [Span(GAP, PLAIN)] if said else []
                line += [Span(left, CODE), Span(sign, DIM), Span(right, CODE)]
            rows.append(fitting(line, width))
        return rows
