"""`svg`: an experiment at one step, drawn for slides from the page's JSON."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

from msgspec import Struct

from ..errors import DmlvizError
from ..formats.text_columns import wrapped
from ..scene.cells.contents import HIDDEN
from ..teaching.words.catalogue import sentence
from .drawing import (
    CHARACTER,
    COLUMNS,
    DIM,
    LINE,
    LINE_INK,
    MARGIN,
    PAPER,
    ROW,
    SIZE,
    SMALL,
    VALUE,
    Box,
    Drawing,
    Shown,
)
from .page_data import Data, colours_of, experiment_data
from .tasks import Exercise

PAD, GAP, BETWEEN, SIDES = 12, 4, 28, 56
"""Pixels beside a value, between two cells, between two tensors, and between inputs and outputs."""
LEAST_WIDTH, WIDEST, TALLEST, SMALL_ROW = 640, 840, 900, 28
"""Pixels of the least width; after which choices, and tensors of a side, go on elsewhere; of a choice's cell."""
SHORT = 8
"""Characters of choices that stand on one line."""
MARK, ASKED = "#b80050", "#0b5cad"
"""Frames of what is read, and of what is asked about."""
Place = tuple[int, int]
"""A table's number, and a cell's in it."""


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
        data, picture = experiment_data(exercise, bare=bare), exercise.shown.picture
        said = picture.captions if picture is not None and not bare else ("",)
        return Stills(data, colours_of([exercise]), exercise.count, said)

    def svg(self, step: int) -> str:
        """The still after `step` steps. Raises DmlvizError for no such step."""
        if not 0 <= step <= self.count:
            raise DmlvizError(f"step is {step}, expected 0 to {self.count}.")
        is_open = step == 0 and "hints" in self.data.get("task", {})
        return self._drawing(step, is_open).svg(self._title(is_open), self._size)

    @cached_property
    def _size(self) -> tuple[float, float]:
        """Of the question or the last one, whichever is larger."""
        drawings = self._drawing(0, "hints" in self.data.get("task", {})), self._drawing(self.count, False)
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

    def _is_drawn(self, is_open: bool) -> bool:
        return "tables" in self.data and not (is_open and "picture" in self.data["task"])

    def _drawing(self, step: int, is_open: bool) -> Drawing:
        """All pieces of a still; what only some of them have keeps its room at the others, so that nothing moves."""
        art, data, y = Drawing(), self.data, float(MARGIN)
        task = data.get("task", {})
        if "bare" not in data:
            y = art.lines(y, self._title(is_open), font_weight="bold")
            y = art.lines(y, self._operator_words(is_open), fill=DIM)
            above = ["\n".join(self._texts_above(each)) for each in (is_open, is_open != ("hints" in task))]
            room = max(Drawing().lines(y, text) for text in above)
            art.lines(y, above[0])
            y = room + LINE / 2
        elif "tables" not in data:
            y = art.lines(y, data["verdict"])
        if self._is_drawn(is_open):
            step = step if "picture" not in task else data["count"]  # the answer, after the question
            y = self._draw_picture(art, step, y, is_open)
            if "bare" not in data:
                lines, room = self._captions[step], max(map(len, self._captions))
                art.lines(y + LINE / 2, "\n".join(lines))
                y += LINE / 2 + room * LINE
                if not (is_open and "links" in task):  # how many steps there are may be what is asked
                    y = art.lines(y, sentence("page.step_of", step=step, count=data["count"]), fill=DIM)
        if is_open:
            y = _draw_choices(art, task, y + LINE / 2)
        art.reach(0, y)
        return art

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
                height = LINE * (1 + ("column_heads" in table)) + _rows(table) * (ROW + GAP)
                if y > top and y + height > top + TALLEST:
                    x, y, widest = x + widest + BETWEEN, top, 0.0
                placed = _boxes(table, x, y)
                _draw_heads(art, table, placed, x, y)
                for k, box in enumerate(placed):
                    boxes[number, k] = box
                    art.cell(box, shown[number][k], is_now=(number, k) in now)
                    if self._is_asked(table, k):
                        around = Box(box.x - 2, box.y - 2, box.width + 4, box.height + 4)
                        art.rectangle(around, "none", ASKED, "none")
                widest = max(widest, placed[-1].right - x, len(_head(table)) * SMALL * CHARACTER)
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
                    curve = f"C{middle:g} {y:g} {middle:g} {z:g} {start:g} {z:g}H{end.right - 6:g}"
                    path = f"M{box.x + 6:g} {y:g}H{start - SIDES:g}{curve}"
                    art.pieces.append(f'<path d="{path}" fill="none" stroke="{MARK}" stroke-width="3"/>')


def _head(table: Data) -> str:
    return f"{table['path']} {table['type']}"


def _rows(table: Data) -> int:
    count: int = len(table["texts"]) // table["columns"]
    return count


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
    if any("tables" in option for option in options):
        return _draw_pictures(art, [(option["key"], option["tables"]) for option in options], y)
    if "goal" in task:
        return _draw_pictures(art, [(sentence("page.goal"), task["goal"])], y)
    texts = [option.get("text", option["key"]) for option in options]
    if all(len(text) <= SHORT for text in texts):
        return art.lines(y, " · ".join(texts))
    for option, text in zip(options, texts, strict=True):
        is_lettered = len(option["key"]) == 1
        art.text(MARGIN, y + LINE * 2 / 3, option["key"] if is_lettered else "–")
        y = art.lines(y, text, MARGIN + LINE)
    return y


def _draw_pictures(art: Drawing, pictures: Sequence[tuple[str, Any]], top: float) -> float:
    """Pictures side by side, each below its letter, as many as fit beside each other; returns where they end."""
    x, bottom = float(MARGIN), top
    for title, tables in pictures:
        wide = max(len(text) for rows in tables for row in rows for text in row) * SIZE * CHARACTER + PAD
        across = max(len(row) for rows in tables for row in rows) * wide
        if x + across > MARGIN + WIDEST:
            x, top = float(MARGIN), bottom + LINE / 2
        y = art.lines(top, title, x, font_weight="bold")
        for rows in tables:
            for n, row in enumerate(rows):
                for k, text in enumerate(row):
                    box = Box(x + k * wide, y + n * SMALL_ROW, wide, SMALL_ROW)
                    art.rectangle(box, PAPER, LINE_INK)
                    art.text(box.x + wide / 2, box.y + SMALL_ROW / 2 + 6, text, "middle")
            y += len(rows) * SMALL_ROW + LINE / 2
        x, bottom = x + across + SIDES, max(bottom, y)
    return bottom
