"""`svg`: an experiment at one step, drawn for slides from the page's JSON; its fonts are named, and none is loaded."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from itertools import chain
from typing import Any, NamedTuple

from msgspec import Struct, field

from ..formats.text_columns import width as columns_of
from ..formats.text_columns import wrapped
from ..scene.cells.contents import HIDDEN
from ..teaching.words.catalogue import sentence
from .images import Size
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
LEAST_WIDTH, WIDEST, TALLEST, SHORT = 640, 840, 900, 8
"""Pixels of the least width; after which choices, and tensors of a side, go on elsewhere; letters of short ones."""
INK, DIM, LINE_INK, PAPER = "#14181d", "#4f575f", "#79828b", "#ffffff"
MARK, ASKED = "#b80050", "#0b5cad"
"""Frames of what is read, and of what is asked about."""
Place = tuple[int, int]
"""A table's number, and a cell's in it."""


class Shown(NamedTuple):
    """What a cell shows at a step."""

    text: str
    colours: Sequence[str]
    """Fill, ink and letter, where they are told; else empty."""
    sign: str


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
        if how == "start":
            self.reach(x + columns_of(text) * SIZE * CHARACTER, y)

    def lines(self, y: float, texts: Sequence[str], **looks: str) -> float:
        """Lines of words from `y` on; returns where they end."""
        for n, text in enumerate(texts if any(texts) else ()):
            self.text(MARGIN, y + n * LINE + LINE * 2 / 3, text, **looks)
        return y + len(texts) * LINE

    def rectangle(self, box: Box, fill: str, stroke: str, dashes: str = "") -> None:
        """A cell's frame; where `dashes` are told, which may be `none`, its line is thick."""
        thick = f' stroke-width="3" stroke-dasharray="{dashes}"' if dashes else ""
        place = f'x="{box.x:g}" y="{box.y:g}" width="{box.width:g}" height="{ROW}"'
        self.pieces.append(f'<rect {place} fill="{fill}" stroke="{stroke}"{thick}/>')
        self.reach(box.x + box.width, box.y + ROW)

    def cell(self, box: Box, shown: Shown, *, is_now: bool) -> None:
        """A cell; what the step writes has a dashed frame, which is seen in grey too."""
        fill, ink, letter = shown.colours or (PAPER, INK, "")
        self.rectangle(box, fill, INK if is_now else LINE_INK, "5 3" if is_now else "")
        if letter:
            self.text(box.x + 4, box.y + SMALL + 1, letter, font_size=SMALL, fill=ink)
        middle, text = box.x + box.width / 2 + 4 * bool(letter), shown.text + shown.sign.replace("-", "−")
        self.text(middle, box.y + ROW / 2 + 7, text, "middle", font_size=VALUE, fill=ink, font_weight="bold")

    def reach(self, x: float, y: float) -> None:
        """Makes the drawing at least so large that (x, y) lies in it."""
        self.right, self.bottom = max(self.right, x), max(self.bottom, y)

    def svg(self, title: str, extent: tuple[float, float], size: Size | None) -> str:
        """The image with its title; of a size, with more ground around it."""
        width, height = (length + MARGIN for length in extent)
        wide = max(width, height * size.across / size.down) if size is not None else width
        high = wide * size.down / size.across if size is not None else height
        shown = (size.across, size.down) if size is not None and size.in_pixels else (wide, high)
        place = (width - wide) / 2, (height - high) / 2, wide, high
        x, y, *box, across, down = (f"{round(length, 2):g}" for length in (*place, *shown))
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" role="img" width="{across}" height="{down}" '
            f'viewBox="{x} {y} {" ".join(box)}"><title>{escaped(title)}</title>'
            f'<rect x="{x}" y="{y}" width="100%" height="100%" fill="{PAPER}"/><g font-family="{FONTS}" '
            f'font-size="{SIZE}" fill="{INK}" style="white-space:pre">{"".join(self.pieces)}</g></svg>'
        )


def cells_at(data: Data, colours: Mapping[str, Any], step: int, *, is_open: bool = False) -> list[list[Shown]]:
    """The cells of each table after a step, without what an open task covers."""
    task = data.get("task", {}) if is_open else {}
    return [[*_cells_at(table, colours, step, task)] for table in data["tables"]]


def _cells_at(table: Data, colours: Mapping[str, Any], step: int, task: Data) -> Iterator[Shown]:
    texts = table["texts"]
    told, placed, shades = (table.get(key) or [0] * len(texts) for key in ("told", "placed", "shade"))
    signs = table.get("sign") or [""] * len(texts)
    for k, id_ in enumerate(table["identity"]):
        is_shown = not table["out"] or (told[k] <= step and "outputs" not in task)
        is_told = told[k] <= step and "links" not in task and id_ >= 0
        is_shaded = "shade" in table and shades[k] != -1 and placed[k] <= step
        yield Shown(
            text=texts[k] if is_shown else HIDDEN,
            colours=colours[f"{id_} {shades[k]}" if is_shaded else f"{id_}"] if is_told else (),
            sign=signs[k] if is_shown and "links" not in task else "",
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
    def of(exercise: Exercise, *, bare: bool = False) -> Stills:
        """Those of an experiment; `bare` has its tensors alone."""
        data, picture = experiment_data(exercise, bare=bare), exercise.picture
        said = picture.captions if picture is not None and not bare else ("",)
        return Stills(data, colours_of([exercise]), exercise.count, said)

    def svg(self, step: int, size: Size | None = None) -> str:
        """The still after `step` steps, of 0 to `count`."""
        is_open = step == 0 and self._asks
        return self._drawing(step, is_open).svg(self._title(is_open), self._extent, size)

    @property
    def _asks(self) -> bool:
        return "hints" in self.data.get("task", {})

    @cached_property
    def _extent(self) -> tuple[float, float]:
        """Of the question or the last one, whichever is larger."""
        drawings = self._drawing(0, self._asks), self._drawing(self.count, False)
        widest = max(len(line) for lines in self._captions for line in lines) * SIZE * CHARACTER
        least = 0 if "bare" in self.data else LEAST_WIDTH
        return max(least, MARGIN + widest, *(each.right for each in drawings)), max(each.bottom for each in drawings)

    @cached_property
    def _captions(self) -> list[list[str]]:
        """The lines of what is said of each step, from 0."""
        return [wrapped(text, COLUMNS) or [""] for text in self.said]

    def _title(self, is_open: bool) -> str:
        title: str = self.data.get("title", "")
        return title if is_open else self.data.get("then_title", title)

    def _drawing(self, step: int, is_open: bool) -> Drawing:
        """All pieces of a still; what only some of them have keeps its room at the others, so that nothing moves."""
        art, data, y = Drawing(), self.data, float(MARGIN)
        task, is_bare = data.get("task", {}), "bare" in data
        if not is_bare:
            y = art.lines(y, _lines(self._title(is_open)), font_weight="bold")
            y = art.lines(y, _lines(self._operator_words(is_open)), fill=DIM)
            above = [_lines(*self._texts_above(each)) for each in (is_open, is_open != self._asks)]
            art.lines(y, above[0])
            y += LINE * max(map(len, above)) + LINE / 2
        elif "tables" not in data:
            y = art.lines(y, _lines(data["verdict"]))
        if self._is_drawn(is_open):
            step = step if "picture" not in task else data["count"]  # the answer, after the question
            y = self._draw_picture(art, step, y, is_open)
            if not is_bare:
                art.lines(y + LINE / 2, self._captions[step])
                y += LINE / 2 + LINE * max(map(len, self._captions))
                if not (is_open and "links" in task):  # how many steps there are may be what is asked
                    y = art.lines(y, [sentence("page.step_of", step=step, count=data["count"])], fill=DIM)
        if is_open:
            y = _draw_choices(art, task, y + LINE / 2)
        art.reach(0, y)
        return art

    def _is_drawn(self, is_open: bool) -> bool:
        return "tables" in self.data and not (is_open and "picture" in self.data["task"])

    def _operator_words(self, is_open: bool) -> str:
        """The operator and the fields that are no tensors; `?` for what is asked."""
        fields = (
            f"{one['name']} {'?' if is_open and 'asked' in one else one.get('content', '')}"
            for one in self.data.get("fields", ())
        )
        return " · ".join((self.data["operator"], *fields))

    def _texts_above(self, is_open: bool) -> Iterator[str]:
        """What stands above a picture: what is asked; why a desc is invalid; the desc where no picture is drawn."""
        data, task = self.data, self.data.get("task", {})
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
        for tensor in data.get("tensors", ()) if not self._is_drawn(is_open) else ():
            yield tensor.get("open", tensor["text"]) if is_open else tensor["text"]

    def _draw_picture(self, art: Drawing, step: int, top: float, is_open: bool) -> float:
        """Inputs on the left, outputs on the right, and lines between them; returns where they end."""
        x, bottom, boxes = float(MARGIN), top, dict[Place, Box]()
        shown, start = cells_at(self.data, self.colours, step, is_open=is_open), x
        now = [] if is_open else self._written(step)
        for out in (False, True):
            y, widest, start = top, 0.0, x
            for number, table in enumerate(self.data["tables"]):
                if table["out"] is not out or (is_open and "covered" in table):
                    continue
                rows = len(table["texts"]) // table["columns"]
                height = LINE * (1 + ("column_heads" in table)) + rows * (ROW + GAP)
                if y > top and y + height > top + TALLEST:
                    x, y, widest = x + widest + BETWEEN, top, 0.0
                placed = _boxes(table, x, y)
                _draw_heads(art, table, placed, x, y)
                for k, box in enumerate(placed):
                    boxes[number, k] = box
                    art.cell(box, shown[number][k], is_now=(number, k) in now)
                    if self._is_asked(table, k):
                        art.rectangle(box, "none", ASKED, "none")
                widest = max(widest, placed[-1].x + placed[-1].width - x, len(_head(table)) * SMALL * CHARACTER)
                bottom, y = max(bottom, y + height), y + height + BETWEEN
            x += widest + SIDES
        if not (is_open and "links" in self.data["task"]):
            self._draw_wires(art, boxes, now, start - GAP)
        return bottom

    def _is_asked(self, table: Data, k: int) -> bool:
        """True for an element that the task is about."""
        out, n, first, behind = self.data.get("task", {}).get("at", (None, 0, 0, 0))
        return (out, n) == (table["out"], table["number"]) and first <= table["flat"][k] < behind

    def _written(self, step: int) -> list[Place]:
        """The cells that a step writes."""
        outputs = [(n, table) for n, table in enumerate(self.data["tables"]) if table["out"]]
        return [(n, k) for n, table in outputs for k, at in enumerate(table["told"]) if 0 < at == step]

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

    def _draw_wires(self, art: Drawing, boxes: Mapping[Place, Box], now: Sequence[Place], start: float) -> None:
        """Frames what the step reads, with lines to what it writes first in the gaps between rows."""
        for to in now if "lit" in self.data else now[:1]:
            for source in self._sources(to):
                box, end = boxes[source], boxes[to]
                art.rectangle(box, "none", MARK, "none")
                if to == now[0]:
                    y, z, middle = box.y + ROW + GAP / 2, end.y + ROW + GAP / 2, start - SIDES / 2
                    curve = f"C{middle:g} {y:g} {middle:g} {z:g} {start:g} {z:g}H{end.x + end.width - 6:g}"
                    path = f"M{box.x + 6:g} {y:g}H{start - SIDES:g}{curve}"
                    art.pieces.append(f'<path d="{path}" fill="none" stroke="{MARK}" stroke-width="3"/>')


def _lines(*texts: str) -> list[str]:
    """The lines of texts, cut where they are too long."""
    return [piece for text in texts for line in text.splitlines() for piece in wrapped(line, COLUMNS) or [""]]


def _head(table: Data) -> str:
    return f"{table['path']} {table['type']}"


def _boxes(table: Data, x: float, y: float) -> list[Box]:
    """Where a table's cells are whose top left is at (x, y)."""
    value = max(map(len, table["texts"])) * VALUE + 2 * SMALL + VALUE * ("sign" in table)
    heads = max(map(len, table.get("column_heads", [""]))) * SMALL
    wide = max(value * CHARACTER, heads * CHARACTER, ROW - 2 * PAD) + 2 * PAD
    x += max(map(len, table["row_heads"])) * SMALL * CHARACTER + 8 if "row_heads" in table else 0
    y += LINE * (1 + ("column_heads" in table))
    places = (divmod(k, table["columns"]) for k in range(len(table["texts"])))
    return [Box(x + column * (wide + GAP), y + row * (ROW + GAP), wide) for row, column in places]


def _draw_heads(art: Drawing, table: Data, boxes: Sequence[Box], x: float, y: float) -> None:
    """A table's title, and its rows' and columns' indices."""
    art.text(x, y + LINE * 2 / 3, _head(table), font_size=SMALL, font_weight="bold")
    for box, head in zip(boxes, table.get("column_heads", ()), strict=False):
        art.text(box.x + box.width / 2, box.y - 6, head, "middle", font_size=SMALL, fill=DIM)
    for box, head in zip(boxes[:: table["columns"]], table.get("row_heads", ()), strict=False):
        art.text(box.x - 8, box.y + ROW / 2 + 4, head, "end", font_size=SMALL, fill=DIM)


def _draw_choices(art: Drawing, task: Data, y: float) -> float:
    """What a task has to choose from, or the goal of a level; returns where it ends."""
    options = task.get("options", ())
    drawn = [(option["key"], option["tables"]) for option in options if "tables" in option]
    if "goal" in task:
        drawn = [(sentence("page.goal"), task["goal"])]
    if drawn:
        return _draw_pictures(art, drawn, y)
    texts = [option.get("text", option["key"]) for option in options]
    if all(len(text) <= SHORT for text in texts):
        return art.lines(y, _lines(" · ".join(texts)))
    keys = (option["key"] if len(option["key"]) == 1 else "–" for option in options)
    return art.lines(y, _lines(*(f"{key} {text}" for key, text in zip(keys, texts, strict=True))))


def _draw_pictures(art: Drawing, pictures: Sequence[tuple[str, Any]], top: float) -> float:
    """Pictures beside each other, each below its letter, as many as fit; returns where they end."""
    x, bottom = float(MARGIN), top
    for title, drawn in pictures:
        tables: list[Data] = [{"texts": [*chain(*rows)], "columns": len(rows[0])} for rows in drawn]
        across = max(box.x + box.width for table in tables for box in _boxes(table, 0, 0))
        if x + across > MARGIN + WIDEST:
            x, top = float(MARGIN), bottom + LINE / 2
        art.text(x, top + LINE * 2 / 3, title, font_weight="bold")
        y = top
        for table in tables:
            for box, text in zip(_boxes(table, x, y), table["texts"], strict=True):
                art.cell(box, Shown(text, (), ""), is_now=False)
                bottom = max(bottom, box.y + ROW)
            y = box.y + ROW
        x += across + SIDES
    return bottom
