"""Steps in sentences: which elements of an output are which elements of an input, and why.

A sentence says only what was looked up: of a step's elements every source is asked for, and what can't be said of all
of them in a few words isn't said.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from ...desc.base import Part
from ...desc.tensors import brackets
from ...desc.values import Index
from ...formats.page_text import shorts
from ...operators.maps import NOWHERE, Place
from ...tracing import Trace
from ..elements.cursor import Cursor
from ..elements.lookup import value_of
from ..layout.directions import across_of
from ..steps.groups import Box, Group
from ..steps.order import Steps, Unit
from .formulas import flags_text

MOST_LOOKED_UP = 1 << 14
"""Elements of a step whose sources are all looked up; of a larger one the first and the last."""
MOST_HELD = 8
"""A step of at most so many elements is told with their values."""


class Told(Struct, frozen=True):
    """The first steps of a trace in sentences, by the largest unit in which they can be told."""

    unit: Unit
    sentences: tuple[str, ...]
    count: int


def told_steps(trace: Trace, most: int) -> Told:
    """At most `most` steps in sentences: by slice, by run or by element."""
    for unit in (Unit.SLICE, Unit.RUN):
        steps = Steps(trace, unit)
        said = _first_sentences(steps, most)
        if said is not None:
            return Told(unit, said, steps.count)
    steps = Steps(trace, Unit.ELEMENT)
    return Told(Unit.ELEMENT, _first_sentences(steps, most) or (), steps.count)


def _first_sentences(steps: Steps, most: int) -> tuple[str, ...] | None:
    said: list[str] = []
    for step in range(1, min(most, steps.count) + 1):
        group = steps.group(step)
        assert group is not None
        text = sentence(group)
        if text is None:
            return None
        said.append(text)
    return tuple(said)


def sentence(group: Group) -> str | None:
    """A sentence on what a step writes, where that comes from, and what index or length says so; None if not simple."""
    (box,) = group.boxes
    trace, part = group.trace, group.trace.outputs[box.output]
    if group.count > MOST_LOOKED_UP:
        first, last = (_source_text(trace, box.output, at) for at in box.corners)
        written = elements_in_words(part, box.ranges, across_of(trace))
        said = f"{written}, {box.count:,} elements, begins with {first} and ends with {last}"
        return f"{said[0].upper()}{said[1:]}."
    at = box.window(0, box.count)
    sources = trace.sources(box.output, at)
    tensor = int(sources.tensor[0])
    if (sources.tensor != tensor).any():
        return None
    if tensor == NOWHERE:
        return _filled_sentence(trace, box)
    shape = [len(r) for r in box.ranges]
    source = [axis.reshape(shape) for axis in sources.index]
    pieces = list(pieces_of([r.start for r in box.ranges], source))
    if not 0 < len(pieces) <= MOST_PIECES or None in pieces:
        return None
    across = across_of(trace)
    claims = [_claim(part, trace.inputs[tensor], piece, across) for piece in pieces if piece is not None]
    said = " and ".join(claims) + _because(trace, box, sources.via)
    if box.count <= MOST_HELD:
        values = ", ".join(shorts(trace.window(box.output, at)))
        said += f"; {'they hold' if _is_plural(claims) else 'it holds'} {values}"
    return f"{said[0].upper()}{said[1:]}."


def _filled_sentence(trace: Trace, box: Box) -> str:
    part, at = trace.outputs[box.output], box.window(0, 1)
    written = elements_in_words(part, box.ranges, across_of(trace))
    verb = "are" if written.startswith((f"{part.path} rows", f"{part.path} columns")) else "is"
    value = shorts(trace.window(box.output, at))[0]
    text = f"{written} {verb} filled with {trace.operator.constant_path}, which is {value}"
    return f"{text[0].upper()}{text[1:]}."


def _is_plural(claims: Sequence[str]) -> bool:
    return len(claims) > 1 or " are " in claims[0]


def _source_text(trace: Trace, out: int, at: tuple[int, ...]) -> str:
    source = trace.source(out, at)
    if source.nowhere:
        return trace.operator.constant_path
    return f"{trace.inputs[source.tensor].path}{brackets(source.index)}"


def _because(trace: Trace, box: Box, via: Index | None) -> str:
    if via is None or any((axis != axis[0]).any() for axis in via):
        return ""
    first = trace.source(box.output, tuple(r.start for r in box.ranges))
    assert first.via is not None
    odd = flags_text(trace, first)
    path = trace.inputs[first.via.tensor].path
    return f", because {path}{brackets(first.via.index)} is {first.via.value}{f' ({odd})' if odd else ''}"


def _claim(out: Part, tensor: Part, piece: Piece, across: int) -> str:
    """Which elements of an output are which of an input: `OutputTensor row 0 is InputTensor row 2`."""
    written = elements_in_words(out, piece.output, across)
    read = elements_in_words(tensor, piece.source, across)
    verb = "are" if written.startswith((f"{out.path} rows", f"{out.path} columns")) else "is"
    order = ""
    if piece.backwards:
        axes = " and ".join(map(str, piece.backwards))
        order = " backwards" if sum(len(r) > 1 for r in piece.source) == 1 else f" backwards along axis {axes}"
    return f"{written} {verb} {read}{order}"


def elements_in_words(part: Part, ranges: Sequence[range], across: int) -> str:
    """Neighbouring elements: `InputTensor row 2`, `InputTensor[0,1 to 3,all]`; `across` is the axis drawn across."""
    sizes = part.tensor.sizes
    if math.prod(map(len, ranges)) == 1:
        return f"{part.path}{brackets(r.start for r in ranges)}"
    whole = [len(r) == n for r, n in zip(ranges, sizes, strict=True)]
    if all(whole):
        return f"all of {part.path}"
    long = [d for d, n in enumerate(sizes) if n > 1]
    if len(long) == 2 and long[1] == across and whole[long[0]] != whole[long[1]]:
        # Axes of size 1 are not drawn either, so the others are what the picture calls rows and columns.
        name, positions = ("row", ranges[long[0]]) if whole[long[1]] else ("column", ranges[long[1]])
        return (
            f"{part.path} {name} {positions.start}"
            if len(positions) == 1
            else f"{part.path} {name}s {_positions_text(positions)}"
        )
    pieces = ["all" if w and n > 1 else _positions_text(r) for r, n, w in zip(ranges, sizes, whole, strict=True)]
    return f"{part.path}{brackets(pieces)}"


def _positions_text(positions: range) -> str:
    return f"{positions.start}" if len(positions) == 1 else f"{positions.start} to {positions.stop - 1}"


def example(trace: Trace, out: int, index: tuple[int, ...]) -> str:
    """An element's formula with live numbers, and its value, as a sentence."""
    pieces = trace.formula(out, index)
    at = next(i for i, (_, kind) in enumerate(pieces) if kind == "source")
    head, why = ("".join(text for text, _ in some).strip() for some in (pieces[: at + 1], pieces[at + 1 :]))
    value = value_of(trace, Cursor(Place(True, out), index))[0]
    odd = flags_text(trace, trace.source(out, index))
    return f"{head} = {value}{f', where {why}' if why else ''}{f' ({odd})' if odd else ''}."


MOST_PIECES = 4
"""A step that takes more pieces to tell is told by smaller steps."""


class Piece(Struct, frozen=True):
    """Neighbours of an output that are neighbours in an input too, in the same order or in the opposite one."""

    output: tuple[range, ...]
    source: tuple[range, ...]
    backwards: tuple[int, ...]
    """Axes of the input along which the order is the opposite one."""


def pieces_of(start: Sequence[int], source: Sequence[NDArray[np.int64]]) -> Iterator[Piece | None]:
    """A box that begins at `start` cut where its sources jump; `source` has one array of the box's shape an input axis.

    None stands for what is no piece: elements that are repeated inside the box, or whose axes change places.
    """
    shape = source[0].shape
    follows: dict[int, tuple[int, int]] = {}
    for d, n in enumerate(shape):
        if n == 1:
            continue
        along = tuple(slice(None) if k == d else 0 for k in range(len(shape)))
        line = np.array([axis[along] for axis in source])
        stretches = list(_stretches(line))
        if len(stretches) > 1:
            if len(stretches) > MOST_PIECES:
                yield None
                return
            for low, high, _ in stretches:
                there = [
                    axis[tuple(slice(low, high) if k == d else slice(None) for k in range(len(shape)))]
                    for axis in source
                ]
                yield from pieces_of([*start[:d], start[d] + low, *start[d + 1 :]], there)
            return
        follows[d] = stretches[0][2]
    yield _piece(start, source, follows)


def _stretches(line: NDArray[np.int64]) -> Iterator[tuple[int, int, tuple[int, int]]]:
    """(begin, end, (axis, direction)) of stretches of a line of N sources, (axes, N), that go one way, 1 a step."""
    steps = np.diff(line, axis=1)
    one = np.abs(steps).sum(axis=0) == 1
    axis = np.abs(steps).argmax(axis=0)
    way = np.where(one, (axis + 1) * steps.sum(axis=0), 0)  # 0 for a jump
    begin, count, count_of_pieces = 0, line.shape[1], 0
    while begin < count and count_of_pieces <= MOST_PIECES:
        here = int(way[begin]) if begin < count - 1 else 0
        other = np.flatnonzero(way[begin:] != here) if here else np.zeros(1, np.int64)
        end = begin + (int(other[0]) if len(other) else count - 1 - begin) + 1
        yield begin, end, (abs(here) - 1, 1 if here > 0 else -1)
        begin, count_of_pieces = end, count_of_pieces + 1


def _piece(
    start: Sequence[int], source: Sequence[NDArray[np.int64]], follows: dict[int, tuple[int, int]]
) -> Piece | None:
    """The box as one piece, if each of its axes follows an input axis of its own, in the same order of axes."""
    axes = [axis for axis, _ in follows.values()]
    if axes != sorted(set(axes)) or -1 in axes:
        return None
    shape, first = source[0].shape, [int(axis.flat[0]) for axis in source]
    ranges = [range(i, i + 1) for i in first]
    expected = [np.full(shape, i, np.int64) for i in first]
    for d, (axis, way) in follows.items():
        n = shape[d]
        lowest = first[axis] if way > 0 else first[axis] - n + 1
        ranges[axis] = range(lowest, lowest + n)
        expected[axis] += way * np.indices(shape)[d]
    if not np.array_equal(source, expected):
        return None
    box = tuple(range(i, i + n) for i, n in zip(start, shape, strict=True))
    return Piece(box, tuple(ranges), tuple(axis for axis, way in follows.values() if way < 0))
