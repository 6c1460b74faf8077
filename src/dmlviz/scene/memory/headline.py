"""The memory strip's first line: how much moves, from which byte to which, and how far apart neighbours lie."""

from __future__ import annotations

import math

import numpy as np

from ...desc.tensors import braces
from ...tracing import Trace
from ..elements.cursor import Cursor
from ..elements.known import EVERYTHING, Known
from ..spans import PLAIN, RULER, TITLE, Line, Span, cut
from ..spoken import Words, said
from .row import MemoryRow
from .runs import Run

TITLE_TEXT = "Memory"


def moved_line(
    trace: Trace,
    cursor: Cursor,
    run: Run,
    source: MemoryRow | None,
    output: MemoryRow,
    width: int,
    known: Known = EVERYTHING,
    words: Words = (),
) -> Line:
    """The line that says what moves with an element, in as many words as there is room for."""
    size, length = output.part.tensor.data_type.item_size, run.length
    least = "" if run.whole else "at least "
    what_runs = "run of" if source is not None else "filled run of"
    few = f"  {what_runs} {least}{length:,} {'element' if length == 1 else 'elements'}"
    what = f"{few} = {length * size:,} {'byte' if length * size == 1 else 'bytes'}"
    end = run.start * size
    far, near = f", at byte {end:,}", f" · byte {end:,}"
    if source is not None and source.run is not None:
        begin = source.run[0] * size
        far, near = f", moved from byte {begin:,} to byte {end:,}", f" · byte {begin:,} → {end:,}"
    told, steps = _strides_in_words(
        [t.part.tensor.sizes for t in (source, output) if t is not None and t.run is not None]
    )
    if not cursor.place.is_output and known.whole:
        count = len(trace.destinations(cursor.place.number, cursor.index))
        told, steps = (f" · the first of {count:,}" if count > 1 else text for text in (told, steps))
    texts = (what + far + told, what + far + steps, what + near + steps, what + far, what + near, few + near, what)
    title = said(TITLE_TEXT, words)
    room = width - len(title)
    spoken = [said(text, words) for text in texts]
    text = next((t for t in spoken if len(t) <= room), spoken[-1])
    return [Span(title, TITLE), Span(cut(text, room), PLAIN)]


def unmoved_line(trace: Trace, cursor: Cursor, width: int, known: Known = EVERYTHING, words: Words = ()) -> Line:
    """The line that says why nothing moves with an element."""
    if cursor.place.is_output:
        why = "· not written yet"
    elif not known.whole and known.readers(trace, cursor) is not None:
        why = "nothing that is written has read the element"
    elif not trace.prepared:
        why = "counting who reads it…"
    else:
        at = tuple(np.array([i], np.int64) for i in cursor.index)
        read = int(trace.counts(cursor.place.number, at)[0])
        why = "the element is never read, so nothing moves it" if not read else "who reads it is not counted"
    title = said(TITLE_TEXT, words)
    return [Span(title, TITLE), Span(cut(f"  {said(why, words)}", width - len(title)), RULER)]


def _strides_in_words(moved: list[tuple[int, ...]]) -> tuple[str, str]:
    """The strides of tensors of some sizes, in words and in short; axis by axis where they are alike and few."""
    both = list(dict.fromkeys(map(strides, moved)))
    short = " · strides " + " → ".join(braces(strides_of_one).replace(" ", "") for strides_of_one in both)
    told = [f"of axis {d} is {n:,}" for d, n in enumerate(both[0]) if any(sizes[d] > 1 for sizes in moved)]
    return f" · stride {', '.join(told)}" if len(both) == 1 and 0 < len(told) <= 3 else short, short


def strides(sizes: tuple[int, ...]) -> tuple[int, ...]:
    """How many elements one step along each axis goes, packed and row-major."""
    return tuple(math.prod(sizes[d + 1 :]) for d in range(len(sizes)))
