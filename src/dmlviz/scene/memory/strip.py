"""The memory strip: an element's tensor on either side, and the run that moves between them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ...desc.fields import Role
from ...desc.indexing import sample_indices
from ...desc.tensors import braces
from ...tracing import Trace
from ..colour.palette import letter
from ..elements.cursor import Cursor, flat_of, part_of
from ..elements.lookup import first_reader_of, source_of
from ..layout.cell_widths import cell_width
from ..look import Look
from ..spans import DIM, LETTER, PLAIN, TITLE, Line, Span, cut
from .runs import Run, run_around
from .tape import Tape

HEIGHT = 5
"""Lines: what moves, then each of two tensors with its run below it."""


def strides(sizes: tuple[int, ...]) -> tuple[int, ...]:
    """How many elements one step along each axis goes, packed and row-major."""
    return tuple(math.prod(sizes[d + 1 :]) for d in range(len(sizes)))


@dataclass(frozen=True)
class Memory:
    """The tape of the input and of the output that an element belongs to, and what moves between them."""

    trace: Trace
    cursor: Cursor
    width: int

    @cached_property
    def pair(self) -> tuple[Cursor | None, Cursor | None]:
        """The input's and the output's element: the cursor's and its source, or its first reader."""
        if self.cursor.place.is_output:
            return source_of(self.trace, self.cursor), self.cursor
        return self.cursor, first_reader_of(self.trace, self.cursor)

    @cached_property
    def run(self) -> Run | None:
        """The run in the output; None where nothing is moved, or it isn't known yet."""
        output = self.pair[1]
        return run_around(self.trace, output) if output is not None else None

    @cached_property
    def _moves(self) -> bool:
        """True if the input's element is what moves, not an index or a length."""
        source = self.pair[0]
        return source is not None and part_of(self.trace, source.place).field.role is Role.DATA

    @cached_property
    def label(self) -> int:
        """Columns of the names."""
        names = [part.path for part in (*self.trace.inputs, *self.trace.outputs)]
        most = max(
            (part.tensor.element_count - 1, part.tensor.data_type.item_size)
            for part in (*self.trace.inputs, *self.trace.outputs)
        )
        longest = max(map(len, names))
        for said in (f"element {most[0]:,} · byte {most[0] * most[1]:,}", f"element {most[0]:,}"):
            if max(longest, len(said)) + 2 <= 2 * self.width // 5:
                return max(longest, len(said)) + 2
        return max(12, 2 * self.width // 5)

    @cached_property
    def tapes(self) -> tuple[Tape | None, Tape | None]:
        made: list[Tape | None] = []
        for is_output, cursor in enumerate(self.pair):
            if cursor is None:
                made.append(None)
                continue
            cell, name = _value_width(self.trace, bool(is_output) or self._moves), _letter_width(self.trace)
            named = name <= 4 and (self.width - self.label) // (cell + name + 1) >= 6
            run, ends = None, (False, False)
            if self.run is not None and (is_output or self._moves):
                start = self.run.start
                if not is_output:
                    assert self.pair[1] is not None
                    start = flat_of(self.trace, cursor) - (flat_of(self.trace, self.pair[1]) - start)
                run, ends = (start, self.run.length), (not self.run.whole, not self.run.whole)
            room = self.width - self.label
            reads = None
            if is_output and not self.cursor.place.is_output:
                reads = self.cursor.place.number, flat_of(self.trace, self.cursor)
            made.append(Tape(self.trace, cursor, run, ends, room, cell + name * named, named, reads))
        return made[0], made[1]

    @cached_property
    def headline(self) -> Line:
        """What moves, from where to where, in as many words as there is room for."""
        source, output = self.tapes
        if output is None or self.run is None:
            if not self.trace.prepared:
                why = "counting who reads it…"
            else:
                at = tuple(np.array([i], np.int64) for i in self.cursor.index)
                read = int(self.trace.counts(self.cursor.place.number, at)[0])
                why = "the element is never read, so nothing moves it" if not read else "who reads it is not counted"
            return [Span("Memory", TITLE), Span(cut(f"  {why}", self.width - 6), DIM)]
        item = output.part.tensor.data_type.item_size
        length = self.run.length
        least = "" if self.run.whole else "at least "
        one = "element" if length == 1 else "elements"
        few = f"  run of {least}{length:,} {one}"
        what = f"{few} = {length * item:,} {'byte' if length * item == 1 else 'bytes'}"
        end = self.run.start * item
        far, near = f", at byte {end:,}", f" · byte {end:,}"
        if source is not None and source.run is not None:
            begin = source.run[0] * item
            far, near = f", moved from byte {begin:,} to byte {end:,}", f" · byte {begin:,} → {end:,}"
        moved = [t.part.tensor.sizes for t in (source, output) if t is not None and t.run is not None]
        both = list(dict.fromkeys(map(strides, moved)))
        steps = " · strides " + " → ".join(braces(each).replace(" ", "") for each in both)
        told = [f"of axis {d} is {n:,}" for d, n in enumerate(both[0]) if any(sizes[d] > 1 for sizes in moved)]
        words = f" · stride {', '.join(told)}" if len(both) == 1 and 0 < len(told) <= 3 else steps
        if not self.cursor.place.is_output:
            count = len(self.trace.destinations(self.cursor.place.number, self.cursor.index))
            words, steps = (f" · the first of {count:,}" if count > 1 else each for each in (words, steps))
        texts = (what + far + words, what + far + steps, what + near + steps, what + far, what + near, few + near, what)
        text = next((t for t in texts if len(t) + 6 <= self.width), texts[-1])
        return [Span("Memory", TITLE), Span(cut(text, self.width - 6), PLAIN)]

    def lines(self, look: Look) -> list[Line]:
        """HEIGHT lines."""
        made = [self.headline]
        for tape in self.tapes:
            if tape is None:
                made += [[], []]
                continue
            item = tape.part.tensor.data_type.item_size
            said = f"element {tape.flat:,}"
            if len(wide := f"{said} · byte {tape.flat * item:,}") < self.label:
                said = wide
            name = tape.part.path
            name = cut(name, self.label - 1)
            made.append([Span(f"{name:<{self.label}}", LETTER), *tape.cells(look)])
            made.append([Span(f"{said:<{self.label}}", DIM), *tape.bracket()])
        return made

    def hit(self, x: int, y: int) -> Cursor | None:
        """The element drawn at (x, y)."""
        tape = self.tapes[(y - 1) // 2] if 1 <= y < HEIGHT and y % 2 else None
        return tape.hit(x - self.label) if tape is not None else None


def _letter_width(trace: Trace) -> int:
    """Columns of the longest letter and the blank behind it."""
    return len(letter(trace.operator.identity_count(trace.desc) - 1)) + 1


def _value_width(trace: Trace, is_data: bool) -> int:
    """Columns of a cell that holds data, or an index or a length."""
    key = f"cell {is_data}"
    if key not in trace.read.cache:
        parts = [k for k, part in enumerate(trace.inputs) if (part.field.role is Role.DATA) == is_data]
        samples = [trace.read(k, sample_indices(trace.inputs[k].tensor.element_count)) for k in parts[:8]]
        trace.read.cache[key] = cell_width(samples)
    width: int = trace.read.cache[key]
    return width
