"""`svg`: an experiment at one step, drawn plainly for slides; its fonts are named, and none is loaded."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property
from typing import NamedTuple

from msgspec import Struct, field

from ..errors import DmlvizError, quote
from ..formats.text_columns import width as columns_of
from ..formats.text_columns import wrapped
from ..operators.maps import Place
from ..scene.cells.cells import Cell
from ..scene.elements.cursor import Cursor
from ..scene.elements.known import NOTHING
from ..scene.elements.partners import partners
from ..teaching.words.catalogue import sentence
from .page import Data, asked_in, escaped, experiment_data, heads_of
from .pictures import Picture, Table, cell_colours, identity_of
from .tasks import Exercise

FONTS = "DejaVu Sans Mono, Cascadia Mono, Consolas, Menlo, monospace"
VALUE, SIZE, SMALL = 20, 16, 12
"""Pixels of the font's height: of values, of sentences, and of headings and letters."""
CHARACTER = 0.62
"""The width of a character as a share of the font's height, with a little to spare: the named fonts have 0.60."""
ROW, LINE, MARGIN, COLUMNS = 42, 24, 24, 90
"""Pixels of the height of a cell and of a line, and around the whole; columns of a line."""
PAD, GAP, BETWEEN, SIDES = 12, 4, 28, 56
"""Pixels beside a value, between two cells, between two tensors, and between inputs and outputs."""
LEAST_WIDTH = 640
INK, DIM, LINE_INK, PAPER = "#14181d", "#4f575f", "#79828b", "#ffffff"
MARK, ASKED = "#b80050", "#0b5cad"
"""Frames of what is read, and of what is asked about."""


def ratio_of(text: str | None) -> float | None:
    """Width by height, from `16:9`; None for None. Raises DmlvizError for another text."""
    if text is None:
        return None
    parts = re.fullmatch(r"([1-9]\d?):([1-9]\d?)", text, re.ASCII)
    if parts is None:
        raise DmlvizError(f"size is {quote(text)}, expected the ratio of width and height, such as 16:9.")
    return int(parts[1]) / int(parts[2])


class Box(NamedTuple):
    x: float
    y: float
    width: float


class Drawing(Struct):
    """Pieces of an image, and how far they reach."""

    title: str
    pieces: list[str] = field(default_factory=list)
    right: float = 0
    bottom: float = 0

    def text(self, x: float, y: float, text: str, how: str = "start", **more: object) -> None:
        """A line whose baseline is at `y`; `how` is where `x` is in it: start, middle or end."""
        looks = {"text-anchor": how, **more}
        attributes = " ".join(f'{name.replace("_", "-")}="{value}"' for name, value in looks.items())
        self.pieces.append(f'<text x="{x:g}" y="{y:g}" {attributes}>{escaped(text)}</text>')

    def lines(self, y: float, text: str, **looks: str) -> float:
        """A text from `y` on, in lines that aren't too long; returns where it ends."""
        for line in text.splitlines() or [""]:
            for piece in wrapped(line, COLUMNS) if columns_of(line) > COLUMNS else [line]:
                self.text(MARGIN, y + LINE * 2 / 3, piece, **looks)
                y += LINE
            self.reach(MARGIN + min(columns_of(line), COLUMNS) * SIZE * CHARACTER, y)
        return y

    def rectangle(self, box: Box, fill: str, stroke: str, dashes: str = "") -> None:
        """A cell's frame; where `dashes` are told, which may be `none`, its line is thick."""
        thick = f' stroke-width="3" stroke-dasharray="{dashes}"' if dashes else ""
        place = f'x="{box.x:g}" y="{box.y:g}" width="{box.width:g}" height="{ROW}"'
        self.pieces.append(f'<rect {place} fill="{fill}" stroke="{stroke}"{thick}/>')
        self.reach(box.x + box.width, box.y + ROW)

    def cell(self, box: Box, cell: Cell, *, is_now: bool, is_open: bool) -> None:
        """A cell; what the step writes has a dashed frame, which is seen in grey too."""
        id_ = identity_of(cell)
        fill, ink = cell_colours(id_, cell.shade) if id_ >= 0 else (PAPER, INK)
        self.rectangle(box, fill, INK if is_now else LINE_INK, "5 3" * is_now)
        if cell.letter:
            self.text(box.x + 4, box.y + SMALL + 1, cell.letter, font_size=SMALL, fill=ink)
        self.value(box, cell.text + ("" if is_open else cell.sign.replace("-", "−")), ink, 4 * bool(cell.letter))

    def value(self, box: Box, text: str, ink: str, aside: float = 0) -> None:
        x = box.x + box.width / 2 + aside
        y = box.y + ROW / 2 + 7
        self.text(x, y, text, "middle", font_size=VALUE, fill=ink, font_weight="bold")

    def heads(self, table: Table, boxes: list[Box], x: float, y: float) -> None:
        heads = heads_of(table.figure)
        title = f"{heads['path']} {heads['type']}"
        rows = boxes[:: table.figure.columns.count]
        self.text(x, y + LINE * 2 / 3, title, font_size=SMALL, font_weight="bold")
        self.reach(x + len(title) * SMALL * CHARACTER, y)
        for box, head in zip(boxes, heads["column_heads"], strict=False):
            self.text(box.x + box.width / 2, box.y - 6, head, "middle", font_size=SMALL, fill=DIM)
        for box, head in zip(rows, heads["row_heads"], strict=False):
            self.text(box.x - 8, box.y + ROW / 2 + 4, head, "end", font_size=SMALL, fill=DIM)

    def reach(self, x: float, y: float) -> None:
        """Makes the drawing at least so large that (x, y) lies in it."""
        self.right = max(self.right, x)
        self.bottom = max(self.bottom, y)

    def svg(self, extent: tuple[float, float], ratio: float | None) -> str:
        """The image; of a ratio, with more ground around it."""
        width, height = (length + MARGIN for length in extent)
        wide = max(width, height * ratio) if ratio is not None else width
        high = wide / ratio if ratio is not None else height
        place = (width - wide) / 2, (height - high) / 2, wide, high
        x, y, across, down = (f"{round(length, 2):.12g}" for length in place)
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" role="img" width="{across}" height="{down}" '
            f'viewBox="{x} {y} {across} {down}"><title>{escaped(self.title)}</title>'
            f'<rect x="{x}" y="{y}" width="100%" height="100%" fill="{PAPER}"/><g font-family="{FONTS}" '
            f'font-size="{SIZE}" fill="{INK}" style="white-space:pre">{"".join(self.pieces)}</g></svg>'
        )


class Stills:
    """An experiment's stills, all of one size. Number 0 asks its task, and the others tell the answer."""

    def __init__(self, exercise: Exercise) -> None:
        self.exercise = exercise
        self.data = experiment_data(exercise)
        self.task: Data = self.data.get("task", {})

    def svg(self, step: int, ratio: float | None = None) -> str:
        """The still after `step` steps, of 0 to the exercise's `count`; `ratio` is its width by its height."""
        return self._drawing(step).svg(self._extent, ratio)

    @cached_property
    def _extent(self) -> tuple[float, float]:
        """Of the first, the last and that of which most is said, whichever is larger."""
        picture = self.exercise.picture
        said = [*map(picture.caption, range(picture.steps.count + 1))] if picture is not None else [""]
        longest = max(range(len(said)), key=lambda step: (len(wrapped(said[step], COLUMNS)), len(said[step])))
        drawings = [self._drawing(step) for step in {0, longest, self.exercise.count}]
        return max(LEAST_WIDTH, *(each.right for each in drawings)), max(each.bottom for each in drawings)

    def _drawing(self, step: int) -> Drawing:
        """All pieces of a still. Words stand below the picture, so that it is in one place at every step."""
        is_open = step == 0 and "hints" in self.task
        picture = self.exercise.picture
        art = Drawing(self.exercise.title if is_open else self.exercise.name or self.exercise.title)
        y = art.lines(MARGIN, art.title, font_weight="bold")
        if "picture" in self.task:  # which is covered until the answer, and then whole
            picture, step = (None, step) if is_open else (picture, picture.steps.count if picture is not None else 0)
        shown = (one["open"] if is_open and "open" in one else one.get("content", "") for one in self.data["fields"])
        fields = [f"{one['name']} {text}" for one, text in zip(self.data["fields"], shown, strict=True)]
        y = art.lines(y, " · ".join((self.data["operator"], *fields)), fill=DIM) + LINE / 2
        if picture is not None:
            self._draw_picture(art, picture, step, y, is_open)
            y = art.bottom + LINE / 2
        for text in self._texts(step, is_open):
            y = art.lines(y, text)
        if is_open:
            self._draw_choices(art)
        return art

    def _texts(self, step: int, is_open: bool) -> Iterator[str]:
        """What stands below a picture, or instead of one: what is asked, or what the step does, or what is wrong."""
        data = self.data
        task = self.task
        picture = self.exercise.picture
        yield from (data[key] for key in ("question", "large") if key in data)
        if is_open:
            yield task["prompt"]
            if "about" in task:
                yield sentence("page.about", element=task["about"])
            for fact in task.get("facts", ()):
                values = [text for rows in fact.get("tables", ()) for row in rows for text in row]
                yield fact["text"] + " = " * bool(values) + ", ".join(values)
            for option in task.get("options", ()):
                if "tables" not in option:
                    yield f"{option['key'] if len(option['key']) == 1 else '–'} {option['text']}"
        elif "invalid" in data or "picture" in task:
            yield from (data["verdict"], *data.get("reasons", ()))
        elif picture is not None:
            yield sentence("page.step_of", step=step, count=data["count"])
            yield picture.caption(step)

    def _draw_choices(self, art: Drawing) -> None:
        """The pictures that a task has to choose from, or the goal of a level, side by side."""
        named = [(option["key"], option.get("tables", ())) for option in self.task.get("options", ())]
        x = float(MARGIN)
        top = art.bottom + LINE / 2
        for key, tables in [*named, (sentence("page.goal"), self.task.get("goal", ()))]:
            for rows in tables:
                wide = max(len(text) for row in rows for text in row) * VALUE * CHARACTER + 2 * PAD
                art.text(x, top + LINE * 2 / 3, key, font_weight="bold")
                for n, row in enumerate(rows):
                    for k, text in enumerate(row):
                        box = Box(x + k * (wide + GAP), top + LINE + n * (ROW + GAP), wide)
                        art.rectangle(box, PAPER, LINE_INK)
                        art.value(box, text, INK)
                x = box.x + box.width + SIDES

    def _draw_picture(self, art: Drawing, picture: Picture, step: int, top: float, is_open: bool) -> None:
        cover = self.exercise.cover if is_open else None
        is_covered = cover is not None and cover.links
        known = NOTHING if is_covered else picture.known(step)
        boxes = dict[tuple[Place, int], Box]()
        now = list[Cursor]()
        x = float(MARGIN)
        for out in (False, True):
            side, y = Drawing(art.title), top
            for table in picture.tables:
                place = table.place
                if place.is_output is not out or (cover is not None and cover.hides(place, table.path)):
                    continue
                at = _boxes(table, x, y)
                side.heads(table, at, x, y)
                first, behind = asked_in(table, self.exercise.question)
                for k, cell in enumerate(table.cells(known)):
                    is_now = out and 0 < int(table.told[k]) == step
                    side.cell(at[k], cell, is_now=is_now, is_open=is_covered)
                    flat = int(table.contents.flat[k])
                    boxes[place, flat] = at[k]
                    if is_now:
                        now.append(Cursor(place, table.index(k)))
                    if first <= flat < behind:
                        side.rectangle(at[k], "none", ASKED, "none")
                y = at[-1].y + ROW + GAP + BETWEEN
            art.pieces += side.pieces
            art.reach(side.right, side.bottom)
            x = max(x, side.right) + SIDES
        for cursor in now[:1]:
            found = partners(picture.trace, cursor)
            for tensor, flat in filter(None, (found.source, found.via)):
                art.rectangle(boxes[Place(False, tensor), flat], "none", MARK, "none")


def _boxes(table: Table, x: float, y: float) -> list[Box]:
    heads = heads_of(table.figure)
    texts = table.contents.texts
    rows = heads["row_heads"]
    columns = heads["column_heads"]
    value = max(map(len, texts)) * VALUE + 2 * SMALL + VALUE * any(cell.sign for cell in table.cells())
    head = max(map(len, columns), default=0) * SMALL
    wide = max(value * CHARACTER, head * CHARACTER, ROW - 2 * PAD) + 2 * PAD
    x += max(map(len, rows)) * SMALL * CHARACTER + 8 if rows else 0
    y += LINE * (2 if columns else 1)
    places = (divmod(k, table.figure.columns.count) for k in range(len(texts)))
    return [Box(x + column * (wide + GAP), y + row * (ROW + GAP), wide) for row, column in places]
