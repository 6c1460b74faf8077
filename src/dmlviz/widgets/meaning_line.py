"""What the operator means, under its name: one sentence, and its map in pseudo-code with the desc's numbers."""

from __future__ import annotations

from typing import Protocol

from textual.geometry import Size

from ..scene.names import are_short
from ..scene.spans import DIM, PLAIN, Line, Span, Style, fitting
from ..scene.view_state import ViewState
from ..scene.words.meaning import GAP, Meaning, meaning
from ..workspace.state import PictureState
from .painted import LinePanel

CODE = Style("axis")


class Meant(Protocol):
    """A state with a desc, and with what may be told of it."""

    @property
    def view(self) -> ViewState: ...

    @property
    def picture(self) -> PictureState: ...


class MeaningLine(LinePanel):
    """One line, or two where sentence and pseudo-code don't fit beside each other."""

    PANEL = "panel"

    def __init__(self, *, id: str) -> None:  # noqa: A002
        super().__init__(id=id)
        self.meaning = Meaning("")
        self._said: tuple[object, ...] = ()
        self._paths: list[str] = []

    def present(self, state: Meant) -> None:
        """Shows another state."""
        view, known = state.view, state.picture.known
        said = view, known.whole
        if self._said and self._said[0] is view and self._said[1] == known.whole:
            return
        self._said, before = said, len(self._lines_of(self.meaning))
        self._paths = [part.path for part in view.experiment.desc.parts]
        found = meaning(view.experiment.desc, view.trace if view.live else None, known)
        if found != self.meaning:
            self.meaning = found
            if len(self._lines_of(found)) != before:
                self.refresh(layout=True)
            self.redraw()

    @property
    def count(self) -> int:
        """How many lines it takes."""
        return len(self._lines_of(self.meaning)) if self.display else 0

    def _lines_of(self, found: Meaning) -> list[tuple[str, str]]:
        columns = self.app.size.width
        return found.lines(max(20, columns - self.styles.padding.width), short=are_short(self._paths, columns))

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        return len(self._lines_of(self.meaning))

    def made(self, width: int, height: int) -> list[Line]:
        made = []
        for sentence, code in self._lines_of(self.meaning):
            line = [Span(sentence, PLAIN)] if sentence else []
            if code:
                left, sign, right = code.partition(" = ")
                line += [Span(GAP, PLAIN)] if sentence else []
                line += [Span(left, CODE), Span(sign, DIM), Span(right, CODE)]
            made.append(fitting(line, width))
        return made
