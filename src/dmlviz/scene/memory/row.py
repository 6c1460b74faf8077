"""One tensor's memory around an element, in address order."""

from __future__ import annotations

from functools import cached_property
from typing import NamedTuple

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from ...desc.base import Part
from ...desc.fields import Role
from ...desc.indexing import ravel, unravel
from ...desc.values import Array, Indices
from ...formats.page_text import shorts
from ...operators.maps import CLAMPED, NEGATIVE, Place
from ...tracing import Trace
from ..colour.palette import MUTED, NO_SHADE, letter, shades_of
from ..elements.cursor import Cursor, flat_of, part_of
from ..elements.partners import Partners
from ..elements.pins import tab_of
from ..look import Look
from ..spans import AXIS, EDGE, PLAIN, RULER, TAB, Line, Span, Style, cut


class MemoryRow(Struct, frozen=True, kw_only=True, dict=True):
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
        flat, at, texts, identity, flags, unread, shades = _held(self.trace, place, self.shown)
        known = look.written.names(self.trace, place, at)
        if not look.written.whole:
            identity = np.where(known, identity, -1).tolist()
            if max(shades, default=NO_SHADE) != NO_SHADE or MUTED in shades:
                shades = np.where(look.written.places(self.trace, place, at), shades, NO_SHADE).tolist()
            unread = [False] * len(flat)
        count = self.part.tensor.element_count
        line: Line = []
        if self._edge:
            left = f"◂{_about(self.shown.start)}" if self.shown.start else ""
            line.append(Span(f"{left:<{self._edge}}", RULER))
        marks = self._marks(flat, at, known)
        line.append(Span("▐" if marks[0] else " ", EDGE))
        for i, (number, text) in enumerate(zip(self.shown, texts, strict=True)):
            mark, after = marks[i], i + 1 < len(marks) and marks[i + 1]
            if place.is_output and not known[i]:
                drawn, style = "·".center(self.cell), Style("empty", -1, mark)
            else:
                name = f"{letter(identity[i])} " if self.named and identity[i] >= 0 and not unread[i] else ""
                room = self.cell - 2 - len(name)
                text = cut(text, room)
                sign = "!" if flags[i] & CLAMPED else "-" if flags[i] & NEGATIVE and place.is_output else " "
                drawn = f" {name}{text:>{room}}{sign}"
                kind = "unread" if unread[i] else "cell"
                plain = look.stale or unread[i]
                style = Style(kind, -1 if plain else identity[i], mark, shade=NO_SHADE if plain else shades[i])
            pins = [sign for sign, links in look.pins if (k, number) in _own(links, place.is_output)]
            if pins:
                tab = tab_of(drawn, "".join(pins))
                line.append(Span(tab, TAB))
                drawn = drawn[len(tab) :]
            line.append(Span(drawn, style))
            line.append(Span("█" if mark and after else "▌" if mark else "▐" if after else " ", EDGE))
        rest = count - self.shown.stop
        if rest:
            line.append(Span(f"{_about(rest)}▸", RULER))
        return line

    def _marks(self, flat: Indices, at: tuple[Indices, ...], known: NDArray[np.bool_]) -> list[bool]:
        """Which elements are the cursor's, or are known to read it or to be sent by it.

        `flat`, `known` and the arrays of `at` are (N,).
        """
        marked = flat == self.flat
        if self.reads is not None:
            tensor, cell = self.reads
            found = self.trace.sources(self.cursor.place.number, at)
            if self.trace.inputs[tensor].field.role is not Role.DATA:
                assert found.via is not None
                marked |= known & (ravel(found.via, self.trace.inputs[tensor].tensor.sizes) == cell)
            else:
                here = np.flatnonzero(known & (found.tensor == tensor))
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


class _Held(NamedTuple):
    """What the elements of a window hold, N of them."""

    flat: Indices
    at: tuple[Indices, ...]
    texts: list[str]
    identity: list[int]
    flags: list[int]
    unread: list[bool]
    shades: list[int]
    """Where each is in its sequence."""


def _held(trace: Trace, place: Place, shown: range) -> _Held:
    """The elements `shown`, by flat index; those of the last window of each side are kept."""
    key = place, shown, trace.prepared
    cache, name = trace.kept, f"row {place.is_output}"
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
    found = trace.sequence_places(place, at)
    shades = shades_of(*found) if found is not None else [NO_SHADE] * len(flat)
    return _Held(
        flat=flat, at=at, texts=shorts(values), identity=identity, flags=marks, unread=unread.tolist(), shades=shades
    )


def _about(count: int) -> str:
    """A count in few columns: 12,345 or 4.29G."""
    if count < 100_000:
        return f"{count:,}"
    power, unit = next((p, u) for p, u in ((9, "G"), (6, "M"), (3, "k")) if count >= 10**p)
    digits = 3 - len(str(count // 10**power))
    return f"{count // 10 ** (power - digits) / 10**digits:.{digits}f}{unit}"


def _own(links: Partners, is_output: bool) -> tuple[tuple[int, int] | None, ...]:
    """The single elements among a pin's partners, as (tensor, flat)."""
    return (links.output,) if is_output else (links.source, links.via, links.reads)
