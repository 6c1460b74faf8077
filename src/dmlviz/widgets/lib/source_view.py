"""Source text that scrolls, coloured by syntax and drawn only in sight; wide lines go on in rows behind a mark."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from itertools import accumulate
from typing import NamedTuple

from msgspec import Struct
from rich.cells import cell_len, get_character_cell_size, set_cell_size
from rich.segment import Segment
from rich.style import Style
from textual.color import Color
from textual.geometry import Size
from textual.scroll_view import ScrollView
from textual.strip import Strip

from .inks import inks_of

MOST_COLOURED = 200_000
"""Characters; what follows is shown without colours."""
MOST_LINES = 20_000
MOST_COLUMNS = 1_000
"""Of a line; what is left out is counted."""

CONTINUED = "↪ "
"""What stands before the rest of a line that is wider than the room."""

Line = tuple[tuple[str, str], ...]
"""Runs of one line: (kind, text)."""


class Source(Struct, frozen=True):
    """Text made ready to be drawn."""

    lines: tuple[Line, ...]
    widths: tuple[int, ...]
    """Columns of each line."""


class Row(NamedTuple):
    """What one row shows of a line: its characters from `start` to `stop`, behind `indent` columns."""

    line: int
    start: int = 0
    stop: int | None = None
    indent: int = 0


def rows_of(number: int, text: str, room: int) -> Iterator[Row]:
    """Line `number` in rows of `room` columns, cut between words if half a row stays; later ones are indented."""
    ends = list(accumulate(map(get_character_cell_size, text)))
    indent = min(len(text) - len(text.lstrip(" ")), room // 2)
    start, end, less = 0, 0, 0
    while ends and ends[-1] - end > room - less:
        stop = max(start + 1, bisect_left(ends, end + room - less + 1))
        space = text.rfind(" ", start + (stop - start) // 2, stop + 1)
        stop = space if space > start + indent * (not start) else stop
        yield Row(number, start, stop, less - len(CONTINUED) if start else 0)
        start = stop + (text[stop : stop + 1] == " ")
        end, less = ends[start - 1], indent + len(CONTINUED)
    if start < len(text) or not start:
        yield Row(number, start, None, less - len(CONTINUED) if start else 0)


def coloured(text: str, language: str) -> Source:
    """`text` in lines of runs of a kind; `language` in Pygments' words, or empty. May take long: no widget is asked."""
    cut = text.rfind("\n", 0, MOST_COLOURED) + 1 if len(text) > MOST_COLOURED else len(text)
    lines: list[Line] = []
    for runs in _by_line([*_runs_of(text[:cut], language), ("plain", text[cut:])]):
        if len(lines) == MOST_LINES:
            more = text.count("\n") + (not text.endswith("\n")) - MOST_LINES
            lines.append((("comment", f"… {more:,} more lines, which the file has"),))
            break
        lines.append(_drawable(runs))
    while lines and not lines[-1]:
        lines.pop()
    return Source(tuple(lines), tuple(sum(cell_len(text) for _, text in line) for line in lines))


def _runs_of(text: str, language: str) -> Iterator[tuple[str, str]]:
    """(kind, text) of each token; all is plain where `language` is empty or unknown."""
    from rich.syntax import Syntax  # with Pygments: only where something is highlighted

    lexer = Syntax("", language).lexer if language else None
    if lexer is None:
        yield "plain", text
        return
    for _, token, value in lexer.get_tokens_unprocessed(text):
        yield _kind_of(tuple(token)), value


def _kind_of(token: tuple[str, ...]) -> str:
    """What a Pygments token is drawn as: one of few kinds."""
    first, second = (*token, "", "")[:2]
    if first == "Comment":
        return "keyword" if second.startswith("Preproc") else "comment"
    if first == "Keyword" or token[:2] == ("Operator", "Word"):
        return "keyword"
    if first == "Literal" and second == "String":
        return "comment" if "Doc" in token else "string"
    if (first == "Name" and second in ("Function", "Class", "Tag")) or (first == "Generic" and second != "Output"):
        return "name"
    return "plain"


def _by_line(runs: list[tuple[str, str]]) -> Iterator[Line]:
    """The runs of each line, without newlines."""
    line: list[tuple[str, str]] = []
    for kind, text in runs:
        first, *others = text.split("\n")
        _append_run(line, kind, first)
        for other in others:
            yield tuple(line)
            line = []
            _append_run(line, kind, other)
    yield tuple(line)


def _append_run(line: list[tuple[str, str]], kind: str, text: str) -> None:
    """Appends a text to a line of runs, to the last run where that has the same kind; nothing where it is empty."""
    if text:
        if line and line[-1][0] == kind:
            line[-1] = kind, line[-1][1] + text
        else:
            line.append((kind, text))


def _drawable(runs: Line) -> Line:
    """A line that can be drawn: control characters as escapes, at most `MOST_COLUMNS`, with a count of what is left."""
    drawn: list[tuple[str, str]] = []
    room = MOST_COLUMNS
    for kind, text in runs:
        shown = _with_escapes(text[: room + 1])
        if cell_len(shown) > room:
            drawn.append((kind, set_cell_size(shown, room)))
            break
        room -= cell_len(shown)
        drawn.append((kind, shown))
    else:
        return tuple(drawn)
    left = sum(len(text) for _, text in runs) - sum(len(text) for _, text in drawn)
    return (*drawn, ("comment", f"… {left:,} more" if left > 0 else "…"))


def _with_escapes(text: str) -> str:
    """A text with tabs as spaces, and other unprintable characters as Python's escapes."""
    if text.isprintable():
        return text
    text = text.replace("\t", "    ")
    return "".join(c if c.isprintable() else c.encode("unicode_escape", "surrogatepass").decode("ascii") for c in text)


class SourceView(ScrollView, can_focus=True):
    """Shows a `Source`; arrows, page keys and the wheel scroll it."""

    def __init__(self, *, id: str) -> None:  # noqa: A002
        super().__init__(id=id)
        self._source = Source((), ())
        self._rows: list[Row] = []
        self._room = 0
        """Columns that the rows are made for."""
        self._drawn: dict[int, Strip] = {}
        self._inked: object = None

    def show(self, source: Source) -> None:
        """Shows a source from its beginning."""
        self._source, self._room = source, 0
        self._make_rows()
        self.scroll_to(0, 0, animate=False)

    def on_resize(self) -> None:
        if self.scrollable_content_region.width == self._room:
            return
        at = self._rows[min(self.scroll_offset.y, len(self._rows) - 1)].line if self._rows else 0
        self._make_rows()
        self.scroll_to(
            y=bisect_left(self._rows, at, key=lambda row: row.line), animate=False
        )  # the same line stays above the others

    def _make_rows(self) -> None:
        """Makes the rows for the room there is."""
        self._room = room = self.scrollable_content_region.width
        self._drawn.clear()
        self._rows = []
        for number, (line, width) in enumerate(zip(self._source.lines, self._source.widths, strict=True)):
            if width <= room or room <= 2 * len(CONTINUED):
                self._rows.append(Row(number))
            else:
                self._rows += rows_of(number, "".join(text for _, text in line), room)
        self.virtual_size = Size(room, len(self._rows))
        self.refresh()

    def notify_style_update(self) -> None:
        self._drawn.clear()
        super().notify_style_update()

    def _styles(self) -> dict[str, Style]:
        """Styles by the kind of a run."""
        variables = self.app.theme_variables
        inks = inks_of(variables, "background")
        paper = inks.paper.rich_color
        # Of 16 colours none is left that is read well on the paper and means nothing else, and as a grey it is dim.
        plain = variables["identity"] != "xterm" or self.app.no_color
        keyword = inks.text if plain else Color.parse(variables["secondary"])
        return {
            "plain": Style(color=inks.text.rich_color, bgcolor=paper),
            "name": Style(color=inks.text.rich_color, bgcolor=paper, bold=True),
            "keyword": Style(color=keyword.rich_color, bgcolor=paper, bold=True),
            "string": Style(color=inks.accent.rich_color, bgcolor=paper),
            "comment": Style(color=inks.muted.rich_color, bgcolor=paper),
        }

    def render_line(self, y: int) -> Strip:
        at, width = y + self.scroll_offset.y, self.size.width
        if self._inked != self.app.theme:
            self._inked = self.app.theme
            self._drawn.clear()
        if at >= len(self._rows):
            return Strip.blank(width, self.rich_style)
        strip = self._drawn.get(at)
        if strip is None:
            styles = self._styles()
            strip = self._drawn[at] = Strip(list(self._segments(self._rows[at], styles)))
        return strip.crop_extend(0, width, self.rich_style)

    def _segments(self, row: Row, styles: dict[str, Style]) -> Iterator[Segment]:
        if row.start:
            yield Segment(" " * row.indent + CONTINUED, styles["comment"])
        at = 0
        for kind, text in self._source.lines[row.line]:
            part = text[max(0, row.start - at) : None if row.stop is None else max(0, row.stop - at)]
            at += len(text)
            if part:
                yield Segment(part, styles[kind])
