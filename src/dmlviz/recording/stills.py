"""`svg`: an experiment at one step, drawn for slides from the page's JSON; its fonts are named, and none is loaded."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from itertools import chain
from typing import Any, NamedTuple

from msgspec import Struct, field

from ..errors import DmlvizError, quote
from ..formats.text_columns import width as columns_of
from ..formats.text_columns import wrapped
from ..scene.cells.contents import HIDDEN
from ..teaching.words.catalogue import sentence
from .page import Data, colours_of, escaped, experiment_data
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
LEAST_WIDTH, WIDEST, SHORT = 640, 760, 8
"""Pixels of the least width, and after which choices go on below; letters of short choices, which share a line."""
INK, DIM, LINE_INK, PAPER = "#14181d", "#4f575f", "#79828b", "#ffffff"
MARK, ASKED = "#b80050", "#0b5cad"
"""Frames of what is read, and of what is asked about."""
Place = tuple[int, int]
"""A table's number, and a cell's in it."""


def ratio_of(text: str | None) -> float | None:
    """Width by height, from `16:9`; None for None. Raises DmlvizError for another text."""
    if text is None:
        return None
    parts = re.fullmatch(r"([1-9]\d?):([1-9]\d?)", text, re.ASCII)
    if parts is None:
        raise DmlvizError(f"size is {quote(text)}, expected the ratio of width and height, such as 16:9.")
    return int(parts[1]) / int(parts[2])


class Shown(NamedTuple):
    """What a cell shows at a step."""

    text: str
    colours: Sequence[str] = ()
    """Fill, ink and letter, where they are told; else empty."""
    sign: str = ""
    is_now: bool = False
    """True for what the step writes."""


class Box(NamedTuple):
    """Where a cell is, in pixels."""

    x: float
    y: float
    width: float


class Drawing(Struct):
    """Pieces of an image, and how far they reach."""

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
        for line in text.splitlines():
            pieces = wrapped(line, COLUMNS) or [""]
            for piece in pieces:
                self.text(MARGIN, y + LINE * 2 / 3, piece, **looks)
                y += LINE
            columns = COLUMNS if len(pieces) > 1 else columns_of(line)
            self.reach(MARGIN + columns * SIZE * CHARACTER, y)
        return y

    def rectangle(self, box: Box, fill: str, stroke: str, dashes: str = "") -> None:
        """A cell's frame; where `dashes` are told, which may be `none`, its line is thick."""
        thick = f' stroke-width="3" stroke-dasharray="{dashes}"' if dashes else ""
        place = f'x="{box.x:g}" y="{box.y:g}" width="{box.width:g}" height="{ROW}"'
        self.pieces.append(f'<rect {place} fill="{fill}" stroke="{stroke}"{thick}/>')
        self.reach(box.x + box.width, box.y + ROW)

    def cell(self, box: Box, shown: Shown) -> None:
        """A cell; what the step writes has a dashed frame, which is seen in grey too."""
        fill, ink, letter = shown.colours or (PAPER, INK, "")
        if shown.is_now:
            self.rectangle(box, fill, INK, "5 3")
        else:
            self.rectangle(box, fill, LINE_INK)
        if letter:
            self.text(box.x + 4, box.y + SMALL + 1, letter, font_size=SMALL, fill=ink)
        middle, text = box.x + box.width / 2 + 4 * bool(letter), shown.text + shown.sign.replace("-", "−")
        self.text(middle, box.y + ROW / 2 + 7, text, "middle", font_size=VALUE, fill=ink, font_weight="bold")

    def tables(self, tables: Sequence[Data], shown: Sequence[Sequence[Shown]], x: float, y: float) -> list[list[Box]]:
        """Tables one below the other from (x, y) on. Returns where their cells are."""
        every = list[list[Box]]()
        for table, cells in zip(tables, shown, strict=True):
            boxes = _boxes(table, x, y)
            title = f"{table['path']} {table.get('type', '')}"
            self.text(x, y + LINE * 2 / 3, title, font_size=SMALL, font_weight="bold")
            self.reach(x + len(title) * SMALL * CHARACTER, y)
            for box, head in zip(boxes, table.get("column_heads", ()), strict=False):
                self.text(box.x + box.width / 2, box.y - 6, head, "middle", font_size=SMALL, fill=DIM)
            for box, head in zip(boxes[:: table["columns"]], table.get("row_heads", ()), strict=False):
                self.text(box.x - 8, box.y + ROW / 2 + 4, head, "end", font_size=SMALL, fill=DIM)
            for box, cell in zip(boxes, cells, strict=True):
                self.cell(box, cell)
            y = boxes[-1].y + ROW + GAP + BETWEEN
            every.append(boxes)
        return every

    def add(self, other: Drawing) -> None:
        """Draws what another one has, where it has it."""
        self.pieces += other.pieces
        self.reach(other.right, other.bottom)

    def reach(self, x: float, y: float) -> None:
        """Makes the drawing at least so large that (x, y) lies in it."""
        self.right, self.bottom = max(self.right, x), max(self.bottom, y)

    def svg(self, title: str, extent: tuple[float, float], ratio: float | None) -> str:
        """The image with its title; of a ratio, with more ground around it."""
        width, height = (length + MARGIN for length in extent)
        wide = max(width, height * ratio) if ratio is not None else width
        high = wide / ratio if ratio is not None else height
        place = (width - wide) / 2, (height - high) / 2, wide, high
        x, y, across, down = (f"{round(length, 2):g}" for length in place)
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" role="img" width="{across}" height="{down}" '
            f'viewBox="{x} {y} {across} {down}"><title>{escaped(title)}</title>'
            f'<rect x="{x}" y="{y}" width="100%" height="100%" fill="{PAPER}"/><g font-family="{FONTS}" '
            f'font-size="{SIZE}" fill="{INK}" style="white-space:pre">{"".join(self.pieces)}</g></svg>'
        )


def cells_at(data: Data, colours: Mapping[str, Any], step: int, *, is_open: bool = False) -> list[list[Shown]]:
    """The cells of each table after a step, without what an open task covers."""
    task = data.get("task", {}) if is_open else {}
    return [[*_cells_at(table, colours, step, task)] for table in data["tables"]]


def _cells_at(table: Data, colours: Mapping[str, Any], step: int, task: Data) -> Iterator[Shown]:
    texts = table["texts"]
    told, shades = (table.get(key) or [0] * len(texts) for key in ("told", "shade"))
    placed, signs = table.get("placed") or told, table.get("sign") or [""] * len(texts)
    for k, id_ in enumerate(table["identity"]):
        is_shown = not table["out"] or (told[k] <= step and "outputs" not in task)
        is_told = told[k] <= step and "links" not in task and id_ >= 0
        is_shaded = "shade" in table and shades[k] != -1 and placed[k] <= step
        yield Shown(
            text=texts[k] if is_shown else HIDDEN,
            colours=colours[f"{id_} {shades[k]}" if is_shaded else f"{id_}"] if is_told else (),
            sign=signs[k] if is_shown and "links" not in task else "",
            is_now=table["out"] and 0 < told[k] == step,
        )


class Stills(Struct, frozen=True, dict=True):
    """An experiment's stills, all of one size. Number 0 asks its task, and the others tell the answer."""

    data: Data
    colours: Mapping[str, Any]
    count: int
    """The number of the last one."""
    said: Sequence[str]
    """What is said of each step, from 0."""

    @staticmethod
    def of(exercise: Exercise) -> Stills:
        said = exercise.picture.captions if exercise.picture is not None else ("",)
        return Stills(experiment_data(exercise), colours_of([exercise]), exercise.count, said)

    def svg(self, step: int, ratio: float | None = None) -> str:
        """The still after `step` steps, of 0 to `count`; `ratio` is its width by its height."""
        return self._drawing(step).svg(self._title(step), self._extent, ratio)

    @property
    def task(self) -> Data:
        """What is asked; empty for nothing."""
        task: Data = self.data.get("task", {})
        return task

    def _is_open(self, step: int) -> bool:
        return step == 0 and "hints" in self.task

    def _title(self, step: int) -> str:
        title: str = self.data["title"]
        return title if self._is_open(step) else self.data.get("then_title", title)

    @cached_property
    def _extent(self) -> tuple[float, float]:
        """Of the first, the last and that of which most is said, whichever is larger."""
        lines = [len(wrapped(text, COLUMNS)) for text in self.said]
        longest = max(range(len(lines)), key=lambda step: (lines[step], len(self.said[step])))
        drawings = [self._drawing(step) for step in {0, longest, self.count}]
        return max(LEAST_WIDTH, *(each.right for each in drawings)), max(each.bottom for each in drawings)

    def _drawing(self, step: int) -> Drawing:
        """All pieces of a still. Words stand below the picture, so that it is in one place at every step."""
        art, is_open = Drawing(), self._is_open(step)
        y = art.lines(MARGIN, self._title(step), font_weight="bold")
        y = art.lines(y, self._operator_words(is_open), fill=DIM) + LINE / 2
        is_drawn = "tables" in self.data and not (is_open and "picture" in self.task)
        if is_drawn:
            # Of a picture that is covered until the answer there is but the last step.
            self._draw_picture(art, step if "picture" not in self.task else self.data["count"], y, is_open)
            y = art.bottom + LINE / 2
        for text in self._texts(step, is_open, is_drawn):
            y = art.lines(y, text)
        if is_open:
            _draw_choices(art, self.task, y + LINE / 2)
        return art

    def _operator_words(self, is_open: bool) -> str:
        """The operator and the fields that are no tensors; `?` for what is asked."""
        fields = (
            f"{one['name']} {'?' if is_open and 'asked' in one else one.get('content', '')}"
            for one in self.data.get("fields", ())
        )
        return " · ".join((self.data["operator"], *fields))

    def _texts(self, step: int, is_open: bool, is_drawn: bool) -> Iterator[str]:
        """What stands below a picture, or instead of one: what is asked, or what the step does, or what is wrong."""
        data, task = self.data, self.task
        yield from (data[key] for key in ("stage", "question", "large") if key in data)
        if is_open:
            yield task["prompt"]
            if "about" in task:
                yield sentence("page.about", element=task["about"])
            for fact in task.get("facts", ()):
                values = [text for rows in fact.get("tables", ()) for row in rows for text in row]
                yield fact["text"] + " = " * bool(values) + ", ".join(values)
        elif "invalid" in data or "picture" in task:
            yield from (data["verdict"], *data.get("reasons", ()))
        elif is_drawn:
            yield sentence("page.step_of", step=step, count=data["count"])
            yield self.said[step]
        for tensor in data.get("tensors", ()) if not is_drawn else ():
            yield tensor.get("open", tensor["text"]) if is_open else tensor["text"]

    def _draw_picture(self, art: Drawing, step: int, top: float, is_open: bool) -> None:
        """Inputs on the left, outputs on the right, and lines between them."""
        tables, x, boxes = self.data["tables"], float(MARGIN), dict[Place, Box]()
        shown, start = cells_at(self.data, self.colours, step, is_open=is_open), x
        for out in (False, True):
            numbers = [n for n, table in enumerate(tables) if table["out"] is out]
            numbers = [n for n in numbers if not (is_open and "covered" in tables[n])]
            side = Drawing()
            drawn = side.tables([tables[n] for n in numbers], [shown[n] for n in numbers], x, top)
            boxes |= {(n, k): box for n, each in zip(numbers, drawn, strict=True) for k, box in enumerate(each)}
            art.add(side)
            start, x = x, max(x, side.right) + SIDES
        for (n, k), box in boxes.items():
            first, behind = tables[n].get("asked", (0, 0))
            if first <= tables[n]["flat"][k] < behind:
                art.rectangle(box, "none", ASKED, "none")
        now = [(n, k) for n, cells in enumerate(shown) for k, cell in enumerate(cells) if cell.is_now]
        for to in now if "lit" in self.data else now[:1]:
            for source in self._sources(to):
                box, end = boxes[source], boxes[to]
                art.rectangle(box, "none", MARK, "none")
                if to == now[0]:  # in the gaps between rows, where it crosses no value
                    y, z, middle = box.y + ROW + GAP / 2, end.y + ROW + GAP / 2, start - GAP - SIDES / 2
                    curve = f"C{middle:g} {y:g} {middle:g} {z:g} {start - GAP:g} {z:g}H{end.x + end.width - 6:g}"
                    path = f"M{box.x + 6:g} {y:g}H{start - GAP - SIDES:g}{curve}"
                    art.pieces.append(f'<path d="{path}" fill="none" stroke="{MARK}" stroke-width="3"/>')

    def _sources(self, place: Place) -> Iterator[Place]:
        """The cells that an output's is made of: its source, and what sends that."""
        tables, k = self.data["tables"], place[1]
        table = tables[place[0]]
        wanted = [(table["source"][k], table["from"][k])] if "source" in table else []
        wanted += [(table["by"], table["via"][k])] if "via" in table else []
        for n, each in enumerate(tables):
            for number, flat in wanted:
                if not each["out"] and each["number"] == number and flat in each["flat"]:
                    yield n, each["flat"].index(flat)


def _boxes(table: Data, x: float, y: float) -> list[Box]:
    """Where a table's cells are whose top left is at (x, y)."""
    value = max(map(len, table["texts"])) * VALUE + 2 * SMALL + VALUE * ("sign" in table)
    heads = max(map(len, table.get("column_heads", [""]))) * SMALL
    wide = max(value * CHARACTER, heads * CHARACTER, ROW - 2 * PAD) + 2 * PAD
    x += max(map(len, table["row_heads"])) * SMALL * CHARACTER + 8 if "row_heads" in table else 0
    y += LINE * (1 + ("column_heads" in table))
    places = (divmod(k, table["columns"]) for k in range(len(table["texts"])))
    return [Box(x + column * (wide + GAP), y + row * (ROW + GAP), wide) for row, column in places]


def _draw_choices(art: Drawing, task: Data, y: float) -> None:
    """What a task has to choose from, or the goal of a level."""
    options = task.get("options", ())
    pictures = [(option["key"], option["tables"]) for option in options if "tables" in option]
    if "goal" in task:
        pictures = [(sentence("page.goal"), task["goal"])]
    x = float(MARGIN)
    for title, drawn in pictures:
        side, names = Drawing(), [title, *[""] * (len(drawn) - 1)]
        texts = [[*chain(*rows)] for rows in drawn]
        tables = [
            {"path": name, "texts": each, "columns": len(rows[0])}
            for name, each, rows in zip(names, texts, drawn, strict=True)
        ]
        side.tables(tables, [[*map(Shown, each)] for each in texts], x, y)
        art.add(side)
        x = side.right + SIDES
        if x > WIDEST:
            x, y = MARGIN, art.bottom + LINE / 2
    said = [option["text"] for option in options if not pictures]
    if all(len(text) <= SHORT for text in said):
        art.lines(y, " · ".join(said))
        return
    for option in options:
        key = option["key"] if len(option["key"]) == 1 else "–"
        y = art.lines(y, f"{key} {option['text']}")
