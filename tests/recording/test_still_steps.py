"""Stills and their steps, by every unit: what is framed and said is what the scene's step moves."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from support.commands import call
from support.kinds import MEMORY
from support.moved_cells import Cell, in_memory, moved, stretches

import dmlviz as dml
from dmlviz.desc.indexing import ravel
from dmlviz.errors import DmlvizError
from dmlviz.operators.maps import NOWHERE
from dmlviz.recording.images import png_of, size_of
from dmlviz.recording.pictures import Picture, line_of, recorded
from dmlviz.recording.recording import record
from dmlviz.recording.svg_still import INK, MARK, svg_still
from dmlviz.recording.tasks import Exercise, exercises_of
from dmlviz.scene.elements.cursor import part_of
from dmlviz.scene.steps.order import UNITS, Unit
from dmlviz.scene.words.formulas import terms
from dmlviz.session.examples import all_examples
from dmlviz.session.experiments import Experiment, Session

SESSIONS = {example.name: example.session() for example in all_examples()}
SVG = "{http://www.w3.org/2000/svg}"


class Still:
    """A still as whoever looks at it reads it: cells by the title above them, frames and lines by where they are."""

    def __init__(self, picture: Picture, svg: str) -> None:
        root = ElementTree.fromstring(svg)
        texts = [
            (text.text or "", float(text.get("x", 0)), float(text.get("y", 0))) for text in root.iter(f"{SVG}text")
        ]
        self.words = " ".join(text for text, _, _ in texts)
        self.cells: dict[Cell, tuple[float, float, float, float]] = {}
        rects = [rect for rect in root.iter(f"{SVG}rect") if rect.get("x") is not None]
        self._frames = {self._box(rect) for rect in rects if rect.get("stroke") == MARK}
        self._dashed = {self._box(rect) for rect in rects if rect.get("stroke-dasharray") == "5 3"}
        boxes = sorted({self._box(rect) for rect in rects}, key=lambda box: (box[1], box[0]))
        titles = {
            next(
                (x, y) for text, x, y in texts if text.startswith(f"{table.path} {table.figure.part.tensor.data_type}")
            ): table
            for table in picture.tables
        }
        number = dict.fromkeys(titles, 0)
        for box in boxes:
            left = max(x for x, _ in titles if x <= box[0] + 1)
            title = max(at for at in titles if at[0] == left and at[1] < box[1])
            table = titles[title]
            if number[title] < table.rows * table.columns:  # below stand choices of a task
                self.cells[table.place, int(table.contents.flat[number[title]])] = box
                number[title] += 1
        self._texts, self._boxes = texts, boxes
        self.lines = [
            tuple(map(float, match.groups()))
            for path in root.iter(f"{SVG}path")
            if (match := re.fullmatch(r"M([\d.]+) ([\d.]+)H([\d.]+)", path.get("d", "")))
        ]

    def memory(self, path: str) -> tuple[dict[int, str], set[int]]:
        """The row of memory below a title: what stands in each element in sight, and which of them are framed."""
        top = next(y for text, _, y in self._texts if text.startswith(f"Memory of {path}"))
        row = [box for box in self._boxes if top < box[1] < top + 20]
        beside = [(text, x) for text, x, y in self._texts if row[0][1] < y < row[0][1] + 42]
        before = next((int(text[2:].replace(",", "")) for text, _ in beside if text.startswith("◂")), 0)
        values, framed = dict[int, str](), set[int]()
        for flat, (x, y, width, height) in enumerate(row, before):
            inside = [text for text, at in beside if x < at < x + width and len(text.strip("ABCDEFGHI")) > 0]
            values[flat] = inside[-1].rstrip("!−")  # the signs of what is clamped, and of what counts from the end
            if {(x, y, width, height)} & (self._frames | self._dashed):
                framed.add(flat)
        return values, framed

    @staticmethod
    def _box(rect: ElementTree.Element) -> tuple[float, float, float, float]:
        x, y, width, height = (float(rect.get(name, 0)) for name in ("x", "y", "width", "height"))
        return x, y, width, height

    @property
    def framed(self) -> set[Cell]:
        """The cells of inputs that are framed, and of outputs those with a dashed frame."""
        return {
            cell for cell, box in self.cells.items() if box in (self._dashed if cell[0].is_output else self._frames)
        }

    @property
    def underlined(self) -> set[Cell]:
        """The cells below whose middle a line runs that isn't on its way to others."""
        return {
            cell
            for cell, (x, y, width, height) in self.cells.items()
            if any(left < x + width / 2 < right and 0 < at - y - height < 5 for left, at, right in self.lines)
        }


def pictures(name: str, unit: str) -> Iterator[tuple[Experiment, Picture]]:
    for experiment in SESSIONS[name].experiments:
        picture = recorded(experiment, unit).picture
        if picture is not None:
            yield experiment, picture


def still(experiment: Experiment, unit: str, step: int, *, bare: bool = True) -> str:
    return svg_still(Exercise(recorded(experiment, unit), None, experiment), step, bare=bare)


@pytest.mark.drawn(6)
@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize("name", SESSIONS)
def test_a_still_frames_what_the_scenes_step_moves(name: str, unit: Unit) -> None:
    for experiment, picture in pictures(name, unit):
        assert picture.steps.unit is unit
        assert not Still(picture, still(experiment, unit, 0)).framed
        for step in range(1, picture.steps.count + 1):
            seen, expected = Still(picture, still(experiment, unit, step)), moved(picture, step)
            assert seen.framed == {cell for cell in expected if cell in seen.cells}
            if unit in (Unit.RUN, Unit.SLICE):
                assert seen.underlined == seen.framed


@pytest.mark.parametrize("name", SESSIONS)
def test_a_caption_says_what_its_step_moves(name: str) -> None:
    for _, picture in pictures(name, Unit.RUN):
        trace = picture.trace
        for step, caption in enumerate(picture.captions[1:], 1):
            group, first = picture.steps.group(step), picture.steps.element(step)
            assert group is not None
            assert first is not None
            (box,) = group.boxes
            tensor, flat = trace.addresses(box.output, box.window(0, box.count))
            part = trace.outputs[box.output]
            here = ravel(box.window(0, box.count), part.tensor.sizes)
            assert (np.diff(here) == 1).all()
            assert (tensor == tensor[0]).all()
            count, size = group.count, group.count * part.tensor.data_type.item_size
            says = "filled, not copied" if tensor[0] == NOWHERE else "one copy"
            amount = f"{count} element{'s' * (count > 1)}, {size} byte{'s' * (size > 1)}"
            assert caption.startswith(f"{says}: {amount}; ")
            last = tuple(r.stop - 1 for r in box.ranges)
            ends = ["[" + ",".join(map(str, at)) + "]" for at in (first.index, last)]
            assert f"→ {part.path}{' … '.join(dict.fromkeys(ends))}" in caption
            if tensor[0] == NOWHERE:
                assert f"{trace.operator.constant_path} = " in caption
            else:
                assert (np.diff(flat) == 1).all()
                assert trace.inputs[tensor[0]].path in caption.partition("→")[0]


@pytest.mark.drawn(6)
@pytest.mark.parametrize("unit", [Unit.RUN, Unit.COPY])
@pytest.mark.parametrize("name", SESSIONS)
def test_a_stills_memory_is_what_lies_there(name: str, unit: Unit) -> None:
    for experiment, picture in pictures(name, unit):
        trace, steps = picture.trace, picture.steps
        for step in range(1, steps.count + 1):
            seen, rows = Still(picture, still(experiment, unit, step, bare=False)), stretches(picture, step)
            if len(rows) == 1:
                assert f"comes from nowhere, and holds {trace.operator.constant_path}" in seen.words
            for title, (place, moves) in rows.items():
                shown, framed = seen.memory(part_of(trace, place).path)
                assert framed == {flat for flat in moves.tolist() if flat in shown}
                assert moves[0] in framed
                assert [*shown.values()] == in_memory(picture, place, np.array([*shown], np.int64), step)
                assert title in seen.words


@pytest.mark.parametrize("kind", ["order", "runs", "cell", "source"])
@pytest.mark.parametrize("unit", [None, *UNITS])
def test_memory_is_drawn_where_it_is_asked_about_once_that_is_answered(kind: str, unit: Unit | None) -> None:
    """Copy by copy, unless somebody has chosen another unit; the question's still has room for it, and no word."""
    desc = dml.Join([dml.TensorDesc("FLOAT32", (2, 3)), dml.TensorDesc("FLOAT32", (2, 4))], 1)
    session = Session((Experiment("two", desc, extra={"task": {"ask": {"kind": kind}}}),))
    (exercise,) = exercises_of(session, unit=unit or "")
    picture = exercise.shown.picture
    assert picture is not None
    asks = kind in MEMORY
    assert picture.steps.unit is (unit or (Unit.COPY if asks else Unit.ELEMENT))
    first, *later = [str(made.content) for made in record(session, "svg", unit=unit)]
    assert "Memory of" not in first
    assert all(("Memory of" in svg) == (asks or unit is Unit.RUN) for svg in later)
    assert len({size_of(svg) for svg in (first, *later)}) == 1


def test_memory_of_tensors_that_are_too_long_shows_what_moves() -> None:
    """A row begins with what is moved, or a little before it, and says how much lies beyond either end."""
    desc = dml.Join([dml.TensorDesc("UINT8", (1, 1, 2, 5000)), dml.TensorDesc("UINT8", (1, 1, 2, 3))], 3)
    experiment = Experiment("long", desc)
    picture = recorded(experiment, unit=Unit.RUN).picture
    assert picture is not None
    for step, moves in ((2, range(5000, 5003)), (3, range(5003, 10003))):
        shown, framed = Still(picture, still(experiment, Unit.RUN, step, bare=False)).memory("OutputTensor")
        assert framed == {flat for flat in shown if flat in moves}
        assert moves.start in framed
        assert len(shown) < 100


@pytest.mark.parametrize(
    ("name", "step", "says"),
    [
        ("warning-padding-value", 1, "PaddingValue is -1, 0 in UINT8"),
        ("warning-index-range", 2, "! clamped: DirectML promises no value here"),
        ("note-negative-index", 1, "negative: counts from the end"),
    ],
)
def test_a_copys_caption_says_what_is_odd_about_it(name: str, step: int, says: str) -> None:
    _, picture = next(pictures(name, Unit.RUN))
    assert picture.captions[step].endswith(f"]; {says}")


@pytest.mark.parametrize(
    ("unit", "says"),
    [
        (Unit.ELEMENT, ""),
        (Unit.SLICE, "one slice: 6 elements; the first: "),
        (Unit.WHOLE, "all 54 elements at once; the first: "),
    ],
)
def test_captions_of_other_units_name_their_first_element(unit: Unit, says: str) -> None:
    _, picture = next(pictures("tile-1", unit))
    for step, caption in enumerate(picture.captions[1:], 1):
        first = picture.steps.element(step)
        assert first is not None
        assert caption == says + line_of(terms(picture.trace, first))


@pytest.mark.parametrize(("name", "step"), [("join-1", 2), ("gather-2", 3), ("padding-1", 1), ("padding-1", 13)])
def test_pixels_have_the_frames_colour_at_the_corners_of_what_is_moved(name: str, step: int) -> None:
    image = pytest.importorskip("PIL.Image")
    pytest.importorskip("resvg_py")
    experiment, picture = next(pictures(name, Unit.RUN))
    svg = still(experiment, Unit.RUN, step)
    pixels = image.open(io.BytesIO(png_of(svg, 2))).convert("RGB")
    colours: dict[Any, set[bool]] = {}
    for cell, (x, y, _, _) in Still(picture, svg).cells.items():
        colours.setdefault(pixels.getpixel((int(2 * x), int(2 * y))), set()).add(cell in moved(picture, step))
    ink, mark = (tuple(bytes.fromhex(colour[1:])) for colour in (INK, MARK))
    assert colours[ink] == {True}
    assert colours.get(mark, {True}) == {True}
    assert all(others == {False} for colour, others in colours.items() if colour not in (ink, mark))


@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize("to", ["svg", "html"])
def test_the_unit_is_chosen(to: str, unit: Unit) -> None:
    only = ["--steps", "1"] if to == "svg" else []
    made = call("record", "join-2-axis-3", "--to", to, "--unit", unit, *only)
    (same,) = dml.record(SESSIONS["join-2-axis-3"], to, unit=unit, steps="1" if only else None)
    assert (made.code, made.out) == (0, same)
    count = {Unit.ELEMENT: 12, Unit.RUN: 6, Unit.SLICE: 3, Unit.WHOLE: 1}[unit]
    assert (f"step 1 of {count}" if only else f'max="{count}"') in made.out


def test_a_unit_that_is_none_is_refused_in_a_sentence() -> None:
    refused = call("record", "join-1", "--to", "svg", "--unit", "rows")
    sentence = 'unit is "rows", expected one of element, run, slice, whole.'
    assert (refused.code, refused.out, refused.said) == (2, "", [sentence])
    with pytest.raises(DmlvizError, match=f"^{sentence}$"):
        dml.record(SESSIONS["join-1"], "html", unit="rows")


def test_a_unit_that_makes_too_many_steps_gives_way_and_is_told() -> None:
    rows = dml.Join([dml.TensorDesc("FLOAT32", (300, 2)), dml.TensorDesc("FLOAT32", (300, 1))], 1)
    session, told = Session((Experiment("rows", rows),)), list[str]()
    made = record(session, "svg", unit="run", say=told.append)
    assert len(made) == 3  # before the first, and two slices
    assert told == ['experiment "rows": by run there are more than 256 steps, so its steps are by slice.']
