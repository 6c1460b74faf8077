"""`svg`: a picture at one step, drawn for slides and handouts; fonts are named, and none is loaded."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from msgspec import Struct, field

from ..desc.base import Part
from ..desc.fields import Role
from ..errors import DmlvizError
from ..formats.text_columns import width as columns_of
from ..formats.text_columns import wrapped
from ..operators.maps import Place
from ..operators.registry import operator_of
from ..scene.cells.cells import Cell
from ..scene.cells.contents import HIDDEN
from ..scene.elements.cursor import Cursor, flat_of
from ..scene.elements.known import Known
from ..scene.elements.partners import partners
from ..scene.layout.cell_widths import value_width
from ..scene.layout.margins import letter_columns
from ..scene.steps.order import Lit
from ..session.notes import printable, split_notes
from ..teaching.questions.question import Choice
from .colours import cell_colours, identity_of
from .html_text import Markup, tag
from .memory_rows import MemoryRow, memory_rows
from .pictures import Picture, left_out_words, tensor_words
from .stages import chain_texts
from .tables import Table, is_data
from .tasks import Asked, Cover, Exercise
from .words import words

FONTS = "DejaVu Sans Mono, Cascadia Mono, Consolas, Menlo, monospace"
VALUE, SIZE, SMALL = 20, 16, 12
"""Pixels of the font's height: of values, of sentences, and of headings and letters."""
CHARACTER = 0.62
"""The width of a character as a share of the font's height, with a little to spare: the named fonts have 0.60."""
ROW, LINE = 42, 24
"""Pixels of a cell's height, and of a line's."""
PAD, GAP, MARGIN = 12, 4, 24
"""Pixels beside a value, between two cells, and around the whole."""
BETWEEN, SIDES = 28, 56
"""Pixels between two tensors, and between inputs and outputs."""
LEAST_WIDTH = 640
EDGE = 56
"""Pixels at either end of a row of memory, which say how much lies beyond."""
CAPTION = 90
"""Columns of a caption's line."""
WIDEST_OPTIONS = 840
"""Pixels after which pictures to choose from go on below: about as wide as lines of text."""
SMALL_ROW = 28
"""Pixels of the height of their cells."""
LETTERS = frozenset("abcd")
"""Keys of choices that an audience can call."""
SHORT = 8
"""Characters of choices that stand on one line."""
LEVEL = "feature_level"
"""What a question calls the feature level, which is none of the struct's fields."""
MOST_TENSORS = 32
"""Tensors that are listed where no picture is drawn."""
TALLEST = 900
"""Pixels after which tensors of a side go on in another column."""
INK, DIM, LINE_INK, PAPER, MARK = "#14181d", "#4f575f", "#79828b", "#ffffff", "#b80050"


class _Drawn(Struct, frozen=True):
    """A cell's rectangle, and the left and right of its table."""

    x: float
    y: float
    width: float
    left: float
    right: float


class _Drawing(Struct):
    """Pieces of the image, how far they reach, and where each cell is."""

    pieces: list[str]
    right: float = 0
    bottom: float = 0
    cells: dict[tuple[Place, int], _Drawn] = field(default_factory=dict)
    """By tensor and flat index."""

    def text(
        self, x: float, y: float, text: str, *, size: int = SIZE, ink: str = INK, how: str = "", bold: bool = False
    ) -> None:
        """A line of text whose baseline is at `y`; `how` is where `x` is in it: start, or middle or end."""
        self.pieces.append(
            tag(
                "text",
                text,
                x=_length_text(x),
                y=_length_text(y),
                font_size=size if size != SIZE else None,
                fill=ink if ink != INK else None,
                text_anchor=how or None,
                font_weight="bold" if bold else None,
            )
        )
        if not how:
            self.reach(x + columns_of(text) * size * CHARACTER, y)

    def rectangle(
        self, x: float, y: float, width: float, height: float, fill: str, stroke: str, dash: str = ""
    ) -> None:
        self.pieces.append(
            tag(
                "rect",
                x=_length_text(x),
                y=_length_text(y),
                width=_length_text(width),
                height=_length_text(height),
                fill=fill,
                stroke=stroke,
                stroke_width=3 if dash else None,
                stroke_dasharray=dash or None,
            )
        )
        self.reach(x + width, y + height)

    @property
    def size(self) -> tuple[float, float]:
        """How far its pieces reach."""
        return self.right, self.bottom

    def reach(self, x: float, y: float) -> None:
        """Makes the drawing at least so large that (x, y) lies in it."""
        self.right, self.bottom = max(self.right, x), max(self.bottom, y)


def svg_still(exercise: Exercise, step: int, *, bare: bool = False) -> str:
    """An experiment after `step` steps, of `exercise.count`; `bare` draws its tensors alone.

    Before the first step stands what is asked, and nothing that tells the answer. Raises DmlvizError for no such step.
    """
    shown_one, count = exercise.shown, exercise.count
    if not 0 <= step <= count:
        raise DmlvizError(f"step is {step}, expected 0 to {count}.")
    cover = exercise.cover if step == 0 and not bare else None
    picture = shown_one.picture if cover is None or not cover.picture else None
    if picture is not None and exercise.cover is not None and exercise.cover.picture:
        step = picture.steps.count  # the answer, after the question
    drawing = _drawing(exercise, step, cover, picture, bare=bare)
    size = drawing.size
    if not bare and exercise.cover is not None:  # the question's still is as large as those that follow
        other = exercise.cover if cover is None else None
        whole = shown_one.picture if other is None or not other.picture else None
        beside = _drawing(exercise, 0, other, whole).size
        size = max(size[0], beside[0]), max(size[1], beside[1])
    width, height = max(size[0], 0 if bare else LEAST_WIDTH) + MARGIN, size[1] + MARGIN
    title = exercise.title(is_open=cover is not None)
    if picture is not None:
        if cover is None or not cover.links:  # how many steps there are may be what is asked
            title = f"{title}, {words('step_of', step=step, count=picture.steps.count)}"
        told = spoken(picture, step, cover)
    else:
        told = _texts_above(exercise, cover) if cover is not None else shown_one.verdict()
    ground = tag("rect", width="100%", height="100%", fill=PAPER)
    return tag(
        "svg",
        tag("title", title),
        tag("desc", told),
        ground,
        tag("g", *map(Markup, drawing.pieces), font_family=FONTS, font_size=SIZE, fill=INK, style="white-space:pre"),
        xmlns="http://www.w3.org/2000/svg",
        role="img",
        width=_length_text(width),
        height=_length_text(height),
        viewBox=f"0 0 {_length_text(width)} {_length_text(height)}",
    )


def _drawing(
    exercise: Exercise, step: int, cover: Cover | None, picture: Picture | None, *, bare: bool = False
) -> _Drawing:
    """All pieces of a still; what only some steps have keeps its room at the others, so that nothing moves."""
    drawing = _Drawing([])
    y = float(MARGIN)
    is_open = cover is not None and cover.links
    if not bare:
        y = _draw_lines(drawing, y, exercise.title(is_open=cover is not None), bold=True)
        y = _draw_lines(drawing, y, _operator_words(exercise, cover), ink=DIM)
        y = _draw_lines(drawing, y, _texts_above(exercise, cover)) + LINE / 2
    if picture is not None:
        y = _draw_tables(drawing, picture, step, y, cover)
        if not is_open:
            _draw_wires(drawing, picture, step)
        if picture.shows_memory:
            y = _draw_memory(drawing, picture, step, y + LINE / 2, cover, bare=bare)
        if not bare:
            y = _draw_caption(drawing, picture, step, y + LINE / 2)
            if picture.steps.count == exercise.count:
                progress = words("step_of", step=step, count=exercise.count)
                y = _draw_lines(drawing, y, "\n" if is_open else progress, ink=DIM)
    elif bare:
        y = _draw_lines(drawing, y, exercise.shown.verdict())
    if not bare:
        y = _draw_choices(drawing, exercise, y + LINE / 2)
        drawing.reach(0, y)
    return drawing


def _draw_caption(drawing: _Drawing, picture: Picture, step: int, y: float) -> float:
    """A step's caption, with room for the widest and the highest of all steps; returns where that ends."""
    captions = picture.captions
    widest, highest = _room_of(captions)
    _draw_lines(drawing, y, captions[step], columns=CAPTION)
    bottom = y + highest * LINE
    drawing.reach(MARGIN + widest * SIZE * CHARACTER, bottom)
    return bottom


@lru_cache(maxsize=8)
def _room_of(captions: tuple[str, ...]) -> tuple[int, int]:
    """Columns and lines of the room that any of them fits into; each still of a recording asks."""
    lines = [wrapped(caption, CAPTION) for caption in captions]
    return max((columns_of(line) for caption in lines for line in caption), default=0), max(map(len, lines))


def _seen_tables(tables: Sequence[Table], cover: Cover | None) -> list[Table]:
    """The tables whose sizes a question doesn't ask for."""
    return [table for table in tables if cover is None or not cover.table(table.path, table.place.is_output)]


def _cells(picture: Picture, table: Table, step: int, cover: Cover | None) -> list[Cell]:
    """A table's cells at a step; while a question is open, without what tells its answer."""
    if cover is None or not cover.links:
        return table.cells(picture.known(step))
    cells = [cell._replace(identity=-1, shade=-1, sign="", is_nowhere=False) for cell in table.cells()]
    if not table.place.is_output or not cover.outputs:
        return cells
    return [cell._replace(text=HIDDEN) for cell in cells]


def _draw_memory(
    drawing: _Drawing, picture: Picture, step: int, top: float, cover: Cover | None, *, bare: bool
) -> float:
    """The memory that a step reads and writes; room for it while a question hides it. Returns where it ends."""
    trace, right, height = picture.trace, max(LEAST_WIDTH, drawing.right), LINE + ROW + BETWEEN / 2
    drawing.reach(right, top + 2 * height)
    if cover is not None and (cover.links or "memory" in cover.hidden):
        return top + 2 * height
    columns, letters = value_width(trace, is_data=True) - 2, letter_columns(trace)
    wide = columns * VALUE * CHARACTER + (letters + 1) * SMALL * CHARACTER * bool(letters) + 2 * PAD
    whole, part = (max(1, int((right - MARGIN - ends) / (wide + GAP))) for ends in (0, 2 * EDGE))
    read, written = memory_rows(picture, step, whole, part)
    _draw_memory_row(drawing, written, picture.known(step), top + height, wide, bare=bare)
    if read is not None:
        _draw_memory_row(drawing, read, picture.known(step), top, wide, bare=bare)
    else:
        filled = written.cells(picture.known(step))[written.run.start - int(written.contents.flat[0])]
        path = trace.operator.constant_path
        drawing.text(MARGIN, top + LINE * 2 / 3, path if bare else words("nowhere", path=path), size=SMALL)
        _draw_cell(drawing, filled, MARGIN, top + LINE, wide, is_coloured=True, now=False)
    return top + 2 * height


def _draw_memory_row(drawing: _Drawing, row: MemoryRow, known: Known, y: float, wide: float, *, bare: bool) -> None:
    """One tensor's row of memory, with frames as in its table, and how much lies beyond either end."""
    title = row.part.path if bare else words("memory_of", path=row.part.path)
    if row.run and not bare:
        first, last = (f"{at:,}" for at in row.bytes_moved)
        title = words("memory_at", path=row.part.path, first=first, last=last)
    drawing.text(MARGIN, y + LINE * 2 / 3, title, size=SMALL, bold=True)
    y += LINE
    is_output, (before, behind) = row.contents.place.is_output, row.left_out
    x = float(MARGIN + EDGE * bool(before or behind))
    if before:
        drawing.text(x - 2 * GAP, y + ROW / 2 + 4, f"◂ {before:,}", size=SMALL, ink=DIM, how="end")
    for flat, cell in zip(row.contents.flat.tolist(), row.cells(known), strict=True):
        moves = flat in row.run
        _draw_cell(drawing, cell, x, y, wide, is_coloured=True, now=moves and is_output)
        if moves and not is_output:
            drawing.rectangle(x, y, wide, ROW, "none", MARK, "none")
        x += wide + GAP
    if behind:
        drawing.text(x + GAP, y + ROW / 2 + 4, f"{behind:,} ▸", size=SMALL, ink=DIM)


def spoken(picture: Picture, step: int, cover: Cover | None = None) -> str:
    """The tables as a sentence each, for who can't see them."""
    sentences = []
    for table in _seen_tables(picture.tables, cover):
        cells = _cells(picture, table, step, cover)
        rows = [cells[at : at + table.columns] for at in range(0, len(cells), table.columns)]
        values = "; ".join(", ".join(cell.text for cell in row) for row in rows)
        sentences.append(f"{table.path} {tensor_words(table)}: {values}.")
    return " ".join(sentences)


def _tensor_text(part: Part, cover: Cover | None) -> str:
    """A tensor on one line; `{?}` for sizes that are asked for."""
    if cover is not None and cover.table(part.path, part.field.role is Role.OUTPUT):
        return f"{part.path} {part.tensor.data_type} {{?}}"
    return f"{part.path} {part.tensor}"


def _operator_words(exercise: Exercise, cover: Cover | None) -> str:
    """The operator and the fields that are no tensors; `?` for what is asked."""
    experiment, hidden = exercise.shown.experiment, cover.hidden if cover is not None else frozenset[str]()
    fields = exercise.shown.fields
    if exercise.shown.picture is None or (exercise.cover is not None and exercise.cover.rules):
        fields = [("FeatureLevel", str(experiment.feature_level)), *fields]
    asked = {"FeatureLevel" if field == LEVEL else field.partition("[")[0] for field in hidden}
    fields_in_words = (f"{name} {'?' if name in asked else content}" for name, content in fields)
    return " · ".join((operator_of(experiment.desc).name, *fields_in_words))


def _draw_choices(drawing: _Drawing, exercise: Exercise, y: float) -> float:
    """What a task has to choose from, or the goal of a level; returns where it ends."""
    task = exercise.task
    if isinstance(task, Asked) and task.form.startswith("choice"):
        pictured = [option for option in task.options if option.picture]
        if pictured:
            return _draw_options(drawing, pictured, y)
        lettered = {option.id for option in task.options} <= LETTERS
        if not lettered and all(len(option.text) <= SHORT for option in task.options):
            return _draw_lines(drawing, y, " · ".join(option.text for option in task.options))
        for option in task.options:
            drawing.text(MARGIN, y + LINE * 2 / 3, option.id if lettered else "–", bold=lettered)
            y = _draw_lines(drawing, y, option.text, x=MARGIN + LINE, columns=81)
    elif task is not None and task.question is not None and task.question.goal is not None:
        y = _draw_lines(drawing, y, words("goal"), bold=True)
        return _draw_options(drawing, [Choice("", "", task.question.goal)], y)
    return y


def _draw_options(drawing: _Drawing, options: Sequence[Choice], top: float) -> float:
    """Pictures side by side, each below its letter, as many as fit beside each other."""
    x, bottom = float(MARGIN), top
    for option in options:
        tables = option.picture.tables if option.picture else []
        wide = max((len(text) for rows in tables for row in rows for text in row), default=1) * SIZE * CHARACTER + PAD
        across = max((len(row) for rows in tables for row in rows), default=1) * wide
        if x > MARGIN and x + across > MARGIN + WIDEST_OPTIONS:
            x, top = float(MARGIN), bottom + LINE / 2
        y = top
        if option.id:
            y += LINE
            drawing.text(x, y - LINE / 3, option.id, bold=True)
        for rows in tables:
            for n, row in enumerate(rows):
                for k, text in enumerate(row):
                    drawing.rectangle(x + k * wide, y + n * SMALL_ROW, wide, SMALL_ROW, PAPER, LINE_INK)
                    drawing.text(x + k * wide + wide / 2, y + n * SMALL_ROW + SMALL_ROW / 2 + 6, text, how="middle")
            y += len(rows) * SMALL_ROW + LINE / 2
        x, bottom = x + across + SIDES, max(bottom, y)
    return bottom


def _texts_above(exercise: Exercise, cover: Cover | None) -> str:
    """What stands above a picture: the question, reasons why a desc is invalid, and the desc if no picture is drawn."""
    shown_one, task = exercise.shown, exercise.task
    question = task.asked() if isinstance(task, Asked) else task.prompt if task is not None else ""
    lines = [printable(question) or split_notes(shown_one.experiment.notes)[1]]
    lines = [*filter(None, [exercise.stage()]), *lines, *chain_texts(task.question if task is not None else None)]
    if shown_one.report.errors and (cover is None or not cover.rules):
        reasons = [f"{reason.first.id}: {reason.told.message}" for reason in shown_one.report.broken]
        lines += [shown_one.verdict(), *reasons]
    elif cover is None and exercise.cover is not None and exercise.cover.picture:
        lines.append(shown_one.verdict())
    if shown_one.picture is None or (cover is not None and cover.picture):
        desc = shown_one.experiment.desc
        lines += ["", *(_tensor_text(part, cover) for part in desc.parts[:MOST_TENSORS])]
    return "\n".join(lines).strip("\n")


def _draw_lines(
    drawing: _Drawing,
    y: float,
    text: str,
    *,
    x: float = MARGIN,
    columns: int = 84,
    ink: str = INK,
    bold: bool = False,
) -> float:
    """Lines of text from `y` on; returns where they end."""
    for line in text.splitlines():
        for piece in wrapped(line, columns) or [""]:
            y += LINE
            drawing.text(x, y - LINE / 3, piece, ink=ink, bold=bold)
    return y


def _draw_tables(drawing: _Drawing, picture: Picture, step: int, top: float, cover: Cover | None) -> float:
    """Inputs on the left, outputs on the right; returns where they end."""
    x, bottom = float(MARGIN), top
    for side in (picture.inputs, picture.outputs):
        y, widest = top, 0.0
        for table in _seen_tables(side, cover):
            width, height = _table_size(table)
            if y > top and y + height > top + TALLEST:
                x, y, widest = x + widest + BETWEEN, top, 0.0
            _draw_table(drawing, table, _cells(picture, table, step, cover), x, y, step)
            y += height + BETWEEN
            widest, bottom = max(widest, width), max(bottom, y - BETWEEN)
        x += widest + SIDES
    return bottom


def _cell_width(table: Table) -> float:
    """Pixels of the widest cell of a table."""
    texts = max(len(text) for text in table.contents.texts)
    letters = max(len(cell.letter) for cell in table.cells())
    heads = max(len(table.column_head(n)) for n in range(table.columns))
    value = texts * VALUE * CHARACTER + (letters + 1) * SMALL * CHARACTER * bool(letters)
    signs = VALUE * CHARACTER if table.contents.flags is not None else 0
    return max(value + signs, heads * SMALL * CHARACTER, ROW - 2 * PAD) + 2 * PAD


def _margin(table: Table) -> float:
    """Pixels of the row heads; 0 for none."""
    heads = max(len(table.row_head(n)) for n in range(table.rows))
    return heads * SMALL * CHARACTER + 8 if heads else 0


def _title(table: Table) -> str:
    return f"{table.path} {tensor_words(table)}"


def _table_size(table: Table) -> tuple[float, float]:
    """(width, height) of a table with title, headings and the note on what is left out."""
    note = left_out_words(table)
    width = max(
        _margin(table) + table.columns * (_cell_width(table) + GAP),
        len(_title(table)) * SMALL * CHARACTER,
        columns_of(note) * SMALL * CHARACTER,
    )
    return width, LINE * (1 + bool(table.figure.across) + bool(note)) + table.rows * (ROW + GAP)


def _draw_table(drawing: _Drawing, table: Table, cells: Sequence[Cell], x: float, y: float, step: int) -> None:
    """Draws a table with its top left at (x, y), and notes where each cell is."""
    y += LINE
    drawing.text(x, y - LINE / 3, _title(table), size=SMALL, bold=True)
    margin, wide = _margin(table), _cell_width(table)
    right = x + _table_size(table)[0]
    if table.figure.across:
        y += LINE
        for n in range(table.columns):
            middle = x + margin + n * (wide + GAP) + wide / 2
            drawing.text(middle, y - 6, table.column_head(n), size=SMALL, ink=DIM, how="middle")
    for n, cell in enumerate(cells):
        row, column = divmod(n, table.columns)
        left, top = x + margin + column * (wide + GAP), y + row * (ROW + GAP)
        if column == 0 and margin:
            drawing.text(x + margin - 8, top + ROW / 2 + 4, table.row_head(row), size=SMALL, ink=DIM, how="end")
        drawing.cells[table.place, int(table.contents.flat[n])] = _Drawn(x=left, y=top, width=wide, left=x, right=right)
        now = table.place.is_output and cell.is_known and int(table.told[n]) == step
        _draw_cell(drawing, cell, left, top, wide, is_coloured=is_data(table) or cell.identity >= 0, now=now)
    note = left_out_words(table)
    if note:
        drawing.text(x, y + table.rows * (ROW + GAP) + LINE * 2 / 3, note, size=SMALL, ink=DIM)


def _draw_cell(
    drawing: _Drawing, cell: Cell, x: float, y: float, width: float, *, is_coloured: bool, now: bool
) -> None:
    """A cell; what the step writes has a dashed frame, which is seen in grey too."""
    identity = identity_of(cell)
    ground, ink = cell_colours(identity, cell.shade) if is_coloured and identity >= 0 else (PAPER, INK)
    drawing.rectangle(x, y, width, ROW, ground, INK if now else LINE_INK, "5 3" if now else "")
    if cell.letter:
        drawing.text(x + 4, y + SMALL + 1, cell.letter, size=SMALL, ink=ink)
    shown = cell.text + (cell.sign.replace("-", "−"))
    drawing.text(
        x + width / 2 + (4 if cell.letter else 0), y + ROW / 2 + 7, shown, size=VALUE, ink=ink, how="middle", bold=True
    )


def _draw_wires(drawing: _Drawing, picture: Picture, step: int) -> None:
    """Frames what the step reads, with lines to what it writes in the gaps between rows.

    A step by run or slice has a line below all that it moves, and a dotted one from side to side.
    """
    steps, trace = picture.steps, picture.trace
    first: Cursor | None = steps.element(step)
    if first is None:
        return
    lit, rows = steps.lit(step), list[tuple[_Drawn, _Drawn]]()
    if lit is not None:
        moved, _ = steps.moved(step, 1)
        first = moved[0] if moved else first
        rows = _draw_lit(drawing, lit)
    to = drawing.cells.get((first.place, flat_of(trace, first)))
    for tensor, flat in partners(trace, first, picture.known(step)).wires:
        cell = drawing.cells.get((Place(False, tensor), flat))
        if cell is None:
            continue
        if lit is None:
            drawing.rectangle(cell.x, cell.y, cell.width, ROW, "none", MARK, "none")
        if to is None or cell.right >= to.left:
            continue
        y, end = cell.y + ROW + GAP / 2, to.y + ROW + GAP / 2
        middle = (cell.right + to.left) / 2
        last = next((last for _, last in rows if last.y == cell.y and cell.x <= last.x <= cell.right), None)
        start, stop = (cell.x + 6, to.x + to.width - 6) if last is None else (last.x + last.width - 6, to.x + 6)
        points = (start, y, cell.right, middle, y, middle, end, to.left, end, stop)
        path = "M{} {}H{}C{} {} {} {} {} {}H{}".format(*map(_length_text, points))
        thick, dash = ("3", None) if lit is None else ("1.5", "2 4")  # it passes below cells that don't belong to it
        line = tag("path", d=path, fill="none", stroke=MARK, stroke_width=thick, stroke_dasharray=dash)
        drawing.pieces.append(line)


def _draw_lit(drawing: _Drawing, lit: Lit) -> list[tuple[_Drawn, _Drawn]]:
    """Frames the inputs' cells that a step moves, and draws a line below those of each row, which are returned."""
    rows: list[tuple[_Drawn, _Drawn]] = []
    for place in dict.fromkeys(place for place, _ in drawing.cells):
        flats = np.array([flat for of, flat in drawing.cells if of == place], np.int64)
        for flat in flats[lit(place, flats)].tolist():
            cell = drawing.cells[place, flat]
            if not place.is_output:
                drawing.rectangle(cell.x, cell.y, cell.width, ROW, "none", MARK, "none")
            if rows and rows[-1][1].y == cell.y and 0 < cell.x - rows[-1][1].x < 2 * cell.width:
                rows[-1] = rows[-1][0], cell
            else:
                rows.append((cell, cell))
    for first, last in rows:
        line = "M{} {}H{}".format(*map(_length_text, (first.x + 6, first.y + ROW + GAP / 2, last.x + last.width - 6)))
        drawing.pieces.append(tag("path", d=line, fill="none", stroke=MARK, stroke_width=3))
    return rows


def _length_text(length: float) -> str:
    """A length in as few digits as tell it, the same on every machine."""
    return f"{length:.2f}".rstrip("0").rstrip(".")
