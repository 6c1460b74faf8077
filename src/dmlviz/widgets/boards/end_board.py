"""The last page of a lesson: what was mended, first tries beside later ones, and what comes next."""

from __future__ import annotations

from collections.abc import Iterator

from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import Static

from ...scene.drawing.small_table import CellSize
from ...scene.spans import WARN, Span
from ...teaching.words.catalogue import sentence
from ...workspace.lessons.lesson import RIGHT, Belief, LessonEnd
from ..lib.inks import inks_of
from ..lib.painted import text_of
from .answer_board import GOOD, marks_of, tables_at

SIZE = CellSize(2, 1)


class EndBoard(VerticalScroll):
    """Tells of a lesson's end; a click on what can be done next does it."""

    def __init__(self, end: LessonEnd, *, id: str) -> None:  # noqa: A002
        super().__init__(id=id)
        self._end = end

    def compose(self) -> ComposeResult:
        end = self._end
        yield Static(Content.styled(f"{end.title}\n", "bold"))
        if end.tested_out or not end.beliefs:
            yield Static(sentence("end.tested_out" if end.tested_out else "end.nothing_wrong"), markup=False)
        else:
            for belief in end.beliefs:
                yield from self._told(belief)
        yield Static(Content("\n").join(_standing(end)), classes="standing")
        for name, key, what in _choices(end):
            yield Static(
                Content.from_markup(f"[bold $accent]{key:>5}[/]  [@click=screen.choose('{name}')]$what[/]", what=what)
            )

    def _told(self, belief: Belief) -> ComposeResult:
        said = sentence("end.mended" if belief.mended else "end.open", name=belief.name)
        sign = "[bold $accent]✓[/]" if belief.mended else "[bold $warning]✗[/]"
        yield Static(Content.from_markup(f"{sign} [bold]$said[/]\n$feedback", said=said, feedback=belief.feedback))
        if belief.picture is not None:
            heads = Span(f"✗ {sentence('end.said')}", WARN), Span(f"✓ {sentence('end.so')}", GOOD)
            width = min(92, self.app.size.width) - 8
            drawn = tables_at([*zip(heads, belief.picture, strict=True)], SIZE, width, 3) or []
            yield Static(text_of(drawn, inks_of(self.app.theme_variables)), classes="beside")


def _standing(end: LessonEnd) -> Iterator[Content]:
    if any(end.firsts):
        for key, marks in (("end.firsts", end.firsts), ("end.later", end.later)):
            right = sentence("end.right", right=marks.count(RIGHT), count=len(marks))
            yield Content.from_markup(f"{sentence(key):<11}  [bold $accent]{marks_of(marks)}[/]  [$ruler]{right}[/]")
    count, asked = end.exits
    if asked and not end.tested_out:
        yield Content(sentence("end.exits", right=count, count=asked))


def _choices(end: LessonEnd) -> Iterator[tuple[str, str, str]]:
    if end.following:
        yield "next", "enter", sentence("end.next", title=end.following)
    if end.missed:
        yield "again", "m", sentence("end.again", count=end.missed)
    yield "anew", "a", sentence("end.anew")
    yield "hand-in", "h", sentence("end.hand_in")
    yield "map", "esc", sentence("end.map")
