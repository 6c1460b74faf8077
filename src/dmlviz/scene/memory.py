"""Linear memory: the elements around the cursor's in address order, and the run that moves together with it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from ..desc.base import Part
from ..desc.fields import Role
from ..desc.indexing import ravel, unravel
from ..desc.tensors import braces
from ..desc.values import Array, Indices
from ..formats.page_text import shorts
from ..operators.maps import CLAMPED, NEGATIVE, Place
from ..tracing import Trace
from .elements import first_reader_of, source_of
from .figure import Cursor, Look, Partners, cell_width, sample, tab_of
from .palette import letter
from .spans import AXIS, DIM, EDGE, LETTER, PLAIN, TAB, TITLE, Line, Span, Style

MOST_BLOCKS = 1 << 16
MOST_SINGLE = 1 << 14
"""How many blocks, or single elements, are looked at to either side for the ends of a run, so that no frame is late."""
HEIGHT = 5
"""Lines: what moves, then each of two tensors with its run below it."""


class Run(NamedTuple):
    """Neighbours in an output that come from neighbours in one input: what one memcpy would move."""

    start: int
    """Flat index in the output."""
    length: int
    whole: bool
    """False where it goes on beyond what was looked at."""


def run_of(trace: Trace, cursor: Cursor) -> Run:
    """The longest run of an output's elements around `cursor` whose sources lie side by side too."""
    k = cursor.place.number
    tensor = trace.outputs[k].tensor
    count, flat = tensor.element_count, flat_of(trace, cursor)
    block = math.gcd(trace.operator.block(trace.desc, k), count)
    first = flat // block
    back, met_back = _linked(trace, k, block, first, -1)
    forth, met_forth = _linked(trace, k, block, first, 1)
    return Run((first - back) * block, (back + 1 + forth) * block, met_back and met_forth)


def _linked(trace: Trace, output: int, block: int, first: int, way: int) -> tuple[int, bool]:
    """How many blocks before (way -1) or behind (1) block `first` belong to its run; whether the end was met."""
    blocks = trace.outputs[output].tensor.element_count // block
    found, chunk = 0, 32
    most = MOST_BLOCKS if block > 1 else MOST_SINGLE
    while found < most:
        # The first elements of the blocks that may be linked to the one before them.
        near = first + found + 1 if way > 0 else first - found
        some = np.arange(near, min(near + chunk, blocks)) if way > 0 else np.arange(near, max(near - chunk, 0), -1)
        if not len(some):
            return found, True
        at = some.astype(np.int64) * block
        here, before = _addresses(trace, output, at), _addresses(trace, output, at - 1)
        loose = np.flatnonzero((here[0] != before[0]) | (here[1] != before[1] + 1))
        if len(loose):
            return found + int(loose[0]), True
        found += len(some)
        chunk *= 2
    return found, False


def _addresses(trace: Trace, output: int, flat: Indices) -> tuple[Indices, Indices]:
    """(tensor, flat index there) of the sources of an output's elements; both (N,)."""
    found = trace.sources(output, unravel(flat, trace.outputs[output].tensor.sizes))
    where = np.zeros(len(flat), np.int64)
    for k in np.unique(found.tensor).tolist():
        here = found.tensor == k
        where[here] = ravel([axis[here] for axis in found.index], trace.inputs[k].tensor.sizes)
    return found.tensor, where


def part_of(trace: Trace, place: Place) -> Part:
    """The tensor of a place, with its name."""
    return (trace.outputs if place.is_output else trace.inputs)[place.number]


def flat_of(trace: Trace, cursor: Cursor) -> int:
    """The row-major flat index of an element."""
    at = [np.array([i], np.int64) for i in cursor.index]
    return int(ravel(at, part_of(trace, cursor.place).tensor.sizes)[0])


def strides(sizes: tuple[int, ...]) -> tuple[int, ...]:
    """How many elements one step along each axis goes, packed and row-major."""
    return tuple(math.prod(sizes[d + 1 :]) for d in range(len(sizes)))


@dataclass(frozen=True)
class Tape:
    """One tensor's memory around an element: the cells that a window shows, and a stretch of them that is a run."""

    trace: Trace
    cursor: Cursor
    run: tuple[int, int] | None
    """(flat start, length) of what moves with the element."""
    open: tuple[bool, bool]
    """Where the run's ends were not looked for: (before, behind)."""
    width: int
    """Columns."""
    cell: int
    """Columns of a cell, without the gap behind it."""
    named: bool
    """Cells hold their letter before their value."""
    reads: tuple[int, int] | None = None
    """An input's element whose readers are marked: (tensor, flat)."""

    @cached_property
    def part(self) -> Part:
        return part_of(self.trace, self.cursor.place)

    @cached_property
    def flat(self) -> int:
        return flat_of(self.trace, self.cursor)

    @cached_property
    def _edge(self) -> int:
        """Columns at either end that say how many elements are not shown; 0 where all are."""
        count = self.part.tensor.element_count
        if count * (self.cell + 1) + 1 <= self.width:
            return 0
        return max(len(f"◂{_about(count)} "), 2 + len("999k"))

    @cached_property
    def shown(self) -> range:
        """The flat indices in sight; the element stands in the middle where it can."""
        count = self.part.tensor.element_count
        room = max(1, (self.width - 2 * self._edge - 1) // (self.cell + 1))
        start = max(0, min(self.flat - room // 2, count - room))
        return range(start, min(start + room, count))

    def column(self, flat: int) -> int:
        """Where the cell of an element in sight begins."""
        return self._edge + 1 + (flat - self.shown.start) * (self.cell + 1)

    def hit(self, x: int) -> Cursor | None:
        """The element whose cell covers column `x`."""
        number, at = divmod(x - self._edge - 1, self.cell + 1)
        if x <= self._edge or at >= self.cell or number >= len(self.shown):
            return None
        index = unravel(np.array([self.shown[number]], np.int64), self.part.tensor.sizes)
        return Cursor(self.cursor.place, tuple(int(i[0]) for i in index))

    def cells(self, look: Look) -> Line:
        """The elements in sight."""
        place = self.cursor.place
        k = place.number
        flat, at, texts, identity, flags, unread = _held(self.trace, place, self.shown)
        written = look.written(k, at).tolist() if look.written is not None and place.is_output else None
        count = self.part.tensor.element_count
        line: Line = []
        if self._edge:
            left = f"◂{_about(self.shown.start)}" if self.shown.start else ""
            line.append(Span(f"{left:<{self._edge}}", DIM))
        marks = self._marks(flat, at)
        line.append(Span("▐" if marks[0] else " ", EDGE))
        for i, (number, text) in enumerate(zip(self.shown, texts, strict=True)):
            mark, after = marks[i], i + 1 < len(marks) and marks[i + 1]
            if written is not None and not written[i]:
                drawn, style = "·".center(self.cell), Style("empty", -1, mark)
            else:
                name = f"{letter(identity[i])} " if self.named and identity[i] >= 0 and not unread[i] else ""
                room = self.cell - 2 - len(name)
                text = _cut(text, room)
                sign = "!" if flags[i] & CLAMPED else "-" if flags[i] & NEGATIVE and place.is_output else " "
                drawn = f" {name}{text:>{room}}{sign}"
                kind = "unread" if unread[i] else "cell"
                style = Style(kind, -1 if look.stale or unread[i] else identity[i], mark)
            if signs := "".join(sign for sign, links in look.pins if (k, number) in _own(links, place.is_output)):
                tab = tab_of(drawn, signs)
                line.append(Span(tab, TAB))
                drawn = drawn[len(tab) :]
            line.append(Span(drawn, style))
            line.append(Span("█" if mark and after else "▌" if mark else "▐" if after else " ", EDGE))
        rest = count - self.shown.stop
        if rest:
            line.append(Span(f"{_about(rest)}▸", DIM))
        return line

    def _marks(self, flat: Indices, at: tuple[Indices, ...]) -> list[bool]:
        """Which elements are the cursor's, or read it, or are sent by it; `flat` and the arrays of `at` are (N,)."""
        marked = flat == self.flat
        if self.reads is not None:
            tensor, cell = self.reads
            found = self.trace.sources(self.cursor.place.number, at)
            if self.trace.inputs[tensor].field.role is not Role.DATA:
                assert found.via is not None
                marked |= ravel(found.via, self.trace.inputs[tensor].tensor.sizes) == cell
            else:
                here = np.flatnonzero(found.tensor == tensor)
                index = [axis[here] for axis in found.index]
                marked[here] |= ravel(index, self.trace.inputs[tensor].tensor.sizes) == cell
        made: list[bool] = marked.tolist()
        return made

    def bracket(self) -> Line:
        """A bracket below the run; an arrow at an end that is out of sight."""
        if self.run is None:
            return []
        start, stop = self.run[0], self.run[0] + self.run[1]
        first, last = max(start, self.shown.start), min(stop, self.shown.stop) - 1
        left = self.column(first)
        wide = self.column(last) + self.cell - left
        head = "╰" if first == start and not self.open[0] else "◂"
        tail = "╯" if last == stop - 1 and not self.open[1] else "▸"
        return [Span(" " * left, PLAIN), Span(head + "─" * (wide - 2) + tail, AXIS)]


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
        return _run(self.trace, output) if output is not None else None

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
            return [Span("Memory", TITLE), Span(_cut(f"  {why}", self.width - 6), DIM)]
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
        return [Span("Memory", TITLE), Span(_cut(text, self.width - 6), PLAIN)]

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
            name = _cut(name, self.label - 1)
            made.append([Span(f"{name:<{self.label}}", LETTER), *tape.cells(look)])
            made.append([Span(f"{said:<{self.label}}", DIM), *tape.bracket()])
        return made

    def hit(self, x: int, y: int) -> Cursor | None:
        """The element drawn at (x, y)."""
        tape = self.tapes[(y - 1) // 2] if 1 <= y < HEIGHT and y % 2 else None
        return tape.hit(x - self.label) if tape is not None else None


class _Held(NamedTuple):
    """What the elements of a window hold, N of them."""

    flat: Indices
    at: tuple[Indices, ...]
    texts: list[str]
    identity: list[int]
    flags: list[int]
    unread: list[bool]


def _held(trace: Trace, place: Place, shown: range) -> _Held:
    """The elements `shown`, by flat index; those of the last window of each side are kept."""
    key = place, shown, trace.prepared
    cache, name = trace.read.cache, f"tape {place.is_output}"
    found = cache.get(name)
    if found is None or found[0] != key:
        found = cache[name] = key, _holding(trace, place, shown)
    return found[1]


def _holding(trace: Trace, place: Place, shown: range) -> _Held:
    k = place.number
    flat = np.arange(shown.start, shown.stop, dtype=np.int64)
    at = unravel(flat, part_of(trace, place).tensor.sizes)
    unread = np.zeros(len(flat), bool)
    if place.is_output:
        values: Array = trace.window(k, at)
        flags = trace.sources(k, at).flags
    else:
        values = trace.read(k, flat)
        is_data = part_of(trace, place).field.role is Role.DATA
        flags = None if is_data else trace.operator.cell_flags(trace.desc, k, values)
        unread = trace.counts(k, at) == 0
    identity = trace.identity(place, at).tolist()
    marks = flags.tolist() if flags is not None else [0] * len(flat)
    return _Held(flat, at, shorts(values), identity, marks, unread.tolist())


def _about(count: int) -> str:
    """A count in few columns: 12,345 or 4.29G."""
    if count < 100_000:
        return f"{count:,}"
    power, unit = next((p, u) for p, u in ((9, "G"), (6, "M"), (3, "k")) if count >= 10**p)
    digits = 3 - len(str(count // 10**power))
    return f"{count // 10 ** (power - digits) / 10**digits:.{digits}f}{unit}"


def _cut(text: str, width: int) -> str:
    return text if len(text) <= width else text[: width - 1] + "…"


def _own(links: Partners, is_output: bool) -> tuple[tuple[int, int] | None, ...]:
    """The single elements among a pin's partners, as (tensor, flat)."""
    return (links.output,) if is_output else (links.source, links.via, links.reads)


def _run(trace: Trace, cursor: Cursor) -> Run:
    """`run_of`, remembered while the cursor stays in one run."""
    k, cache = cursor.place.number, trace.read.cache
    number, run = cache.get("run", (-1, Run(0, 0, True)))
    if number != k or not run.whole or not run.start <= flat_of(trace, cursor) < run.start + run.length:
        run = run_of(trace, cursor)
        cache["run"] = k, run
    return run  # type: ignore[no-any-return]


def _letter_width(trace: Trace) -> int:
    """Columns of the longest letter and the blank behind it."""
    return len(letter(trace.operator.identity_count(trace.desc) - 1)) + 1


def _value_width(trace: Trace, is_data: bool) -> int:
    """Columns of a cell that holds data, or an index or a length."""
    key = f"cell {is_data}"
    if key not in trace.read.cache:
        parts = [k for k, part in enumerate(trace.inputs) if (part.field.role is Role.DATA) == is_data]
        samples = [trace.read(k, sample(trace.inputs[k].tensor.element_count)) for k in parts[:8]]
        trace.read.cache[key] = cell_width(samples)
    width: int = trace.read.cache[key]
    return width
