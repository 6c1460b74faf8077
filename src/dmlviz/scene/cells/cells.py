"""What each cell of a window shows: its value, its identity, its signs, and what a cursor, a step or a user marks.

Whoever draws cells asks here: the pictures of the screen in every zoom, the memory strip, text, stills and pages.
"""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...desc.fields import Role
from ...operators.maps import CLAMPED, NEGATIVE
from ..colour.palette import NO_SHADE, letter
from ..elements.cursor import part_of
from ..elements.partners import Partners
from ..look import Entry, EntryKind, Look
from ..spans import Style
from .contents import HIDDEN, NOWHERE_SIGN, Contents, hide_unknown

CLAMPED_SIGN, NEGATIVE_SIGN, BROKEN_SIGN = "!", "-", "✘"
ANSWERED = {EntryKind.RIGHT: "cell", EntryKind.WRONG: "wrong", EntryKind.MISSED: "missed"}
"""How cells look about which an answer was right or wrong."""


class Cell(NamedTuple):
    """What one cell shows."""

    text: str
    """Its value; `HIDDEN` for an output's that isn't written yet."""
    identity: int
    """What its colour stands for; -1 for none, and where that may not be told."""
    shade: int
    """Of that colour, see `colour.palette`; -1 for the colour itself."""
    place: str
    """Which of its sequence it is, in small digits or blanks; "" for nothing."""
    sign: str
    """What is told of an index or length, or of a broken rule: one of the signs above, or nothing."""
    is_known: bool
    """False where it is an output's that is not written yet."""
    is_unread: bool
    is_nowhere: bool
    is_broken: bool
    is_marked: bool
    """It belongs to the cursor's element, or the present step moves it."""
    is_stale: bool
    entry: Entry | None

    @property
    def letter(self) -> str:
        """The letter that stands for its identity, or the sign of what has no source; "" for none."""
        return NOWHERE_SIGN if self.is_nowhere else letter(self.identity)

    @property
    def is_answered(self) -> bool:
        """True if the cell shows its entry: one of an open question, or a graded one whose element is known."""
        return self.entry is not None and (self.entry.kind.is_open or self.is_known)

    @property
    def style(self) -> Style:
        """How it is drawn where there is room for its value."""
        if self.entry is not None and self.is_answered:
            kind = self.entry.kind.value if self.entry.kind.is_open else ANSWERED[self.entry.kind]
            if kind == "cell":
                return Style("nowhere" if self.is_nowhere else kind, self.identity, self.is_marked)
            return Style(kind, -1, self.is_marked)
        if self.is_known and (self.is_broken or self.is_stale):
            return Style("broken cell" if self.is_broken else "stale", -1, self.is_marked)
        return self.small_style

    @property
    def small_style(self) -> Style:
        """How it is drawn in small cells, which show neither entries nor broken rules."""
        if not self.is_known:
            return Style("empty", -1, self.is_marked)
        kind = "unread" if self.is_unread else "nowhere" if self.is_nowhere and not self.is_stale else "cell"
        if self.is_stale or kind != "cell":
            return Style(kind, -1, self.is_marked)
        return Style(kind, self.identity, self.is_marked, shade=self.shade)


_CELL = partial(tuple.__new__, Cell)
"""`Cell._make` without a call of Python for each of a frame's cells."""


class Cells(NamedTuple):
    """The cells of a window, and what they hold as arrays, of which nothing tells what may not be told."""

    contents: Contents
    every: list[Cell]


NO_PARTNERS = Partners()


def cells_of(held: Contents, look: Look, partners: Partners = NO_PARTNERS) -> Cells:
    """What the cells of a window show at this cursor and step; `partners` is what belongs to the cursor's element."""
    held, known = hide_unknown(held, look.written)
    if look.changes is not None and held.place.is_output and look.written.whole and not look.stale:
        marked = look.changes.changed(held.place.number, held.flat)
    else:
        marked = _belonging(held, partners)
    if look.lit is not None:
        marked |= look.lit(held.place, held.flat)
    identity, count, broken = held.identity.tolist(), len(held.flat), _broken_cells(held, look)
    is_known = known.tolist() if known is not None and held.place.is_output else [True] * count
    entries = look.entries.get(held.place, {})
    columns = (
        [text if tells else HIDDEN for text, tells in zip(held.texts or [""] * count, is_known, strict=True)],
        identity,
        [
            shade if own >= 0 else NO_SHADE
            for shade, own in zip(held.shades or [NO_SHADE] * count, identity, strict=True)
        ],
        held.places or [""] * count,
        _signs(held, broken),
        is_known,
        (held.counts == 0).tolist() if held.counts is not None else [False] * count,
        held.nowhere.tolist() if held.nowhere is not None else [False] * count,
        broken.tolist(),
        marked.tolist(),
        [look.stale] * count,
        [entries.get(flat) for flat in held.flat.tolist()] if entries else [None] * count,
    )
    return Cells(held, [*map(_CELL, zip(*columns, strict=True))])


def _signs(held: Contents, broken: NDArray[np.bool_]) -> list[str]:
    """The sign of each cell: broken, clamped, negative, or "" for none."""
    signs = [BROKEN_SIGN if each else "" for each in broken.tolist()]
    if held.flags is None:
        return signs
    negative = NEGATIVE if held.place.is_output else 0
    return [
        CLAMPED_SIGN if flags & CLAMPED else sign or NEGATIVE_SIGN * bool(flags & negative)
        for sign, flags in zip(signs, held.flags.tolist(), strict=True)
    ]


def _belonging(held: Contents, partners: Partners) -> NDArray[np.bool_]:
    number, inputs, flat = held.place.number, held.trace.inputs, held.flat
    marked = np.zeros(len(flat), bool)
    if held.place.is_output:
        if partners.output is not None and partners.output[0] == number:
            marked |= flat == partners.output[1]
        if partners.reads is not None and held.source is not None:
            tensor, cell = partners.reads
            if inputs[tensor].field.role is Role.DATA:
                marked |= (held.source[0] == tensor) & (held.source[1] == cell)
            elif held.via is not None:
                marked |= held.via[1] == cell
        return marked
    for element in (partners.source, partners.via, partners.reads):
        if element is not None and element[0] == number:
            marked |= flat == element[1]
    if partners.reads is not None and partners.reads[0] != number:
        # Three ways: an index or length cell and the elements it sends share one identity.
        roles = {inputs[number].field.role, inputs[partners.reads[0]].field.role}
        if len(roles) == 2 and partners.identity >= 0:
            marked |= held.identity == partners.identity
    return marked


def _broken_cells(held: Contents, look: Look) -> NDArray[np.bool_]:
    """(N,) True for the cells that a broken rule concerns."""
    part = part_of(held.trace, held.place)
    sizes, broken = part.tensor.sizes, np.zeros(len(held.flat), bool)
    for cells in look.broken_cells:
        if cells.path != part.path:
            continue
        if cells.axis is None:
            broken |= (held.flags & CLAMPED) > 0 if held.flags is not None else False
        elif cells.axis < len(sizes):
            along = held.index[cells.axis]
            broken |= (along >= cells.start) & (along < cells.stop)
    return broken
