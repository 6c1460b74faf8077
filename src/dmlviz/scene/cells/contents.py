"""What the elements of one tensor hold, for any window of it, and how much of that may be told."""

from __future__ import annotations

import numpy as np
from msgspec import Struct
from msgspec.structs import replace
from numpy.typing import NDArray

from ...desc.fields import Role
from ...desc.indexing import ravel, unravel
from ...desc.values import Array, Index, Indices
from ...formats.page_text import shorts
from ...operators.maps import NOWHERE, Place
from ...tracing import Trace
from ..colour.palette import NO_SHADE, shades_of
from ..elements.cursor import part_of
from ..elements.known import Known
from ..elements.lookup import filled_by
from ..elements.sources import flat_sources
from ..layout.margins import place_columns

HIDDEN = "·"
"""What a cell shows that isn't written yet."""
NOWHERE_SIGN = "∅"
"""Stands before a constant that has no source, as a letter would: behind it, it would be read as another digit."""
SMALL_DIGITS = "₀₁₂₃₄₅₆₇₈₉"
SUBSCRIPTS = str.maketrans("0123456789", SMALL_DIGITS)


class Contents(Struct, frozen=True, kw_only=True):
    """What N elements of a tensor hold. All arrays are (N,)."""

    trace: Trace
    place: Place
    flat: Indices
    texts: list[str]
    """Values; empty where cells are too small for text."""
    identity: Indices
    counts: Indices | None
    """How often each is read; None for what is not data, and where that isn't to be told."""
    flags: Indices | None
    source: tuple[Indices, Indices] | None
    """(tensor, flat index) of an output's sources."""
    via: tuple[int, Indices] | None
    """(tensor, flat index) of the index or length cell that sends each."""
    nowhere: NDArray[np.bool_] | None = None
    """True for an output's elements that have no source and hold a constant; None where every one has a source."""
    shades: list[int] | None = None
    """Of the identity's colour: where each is in its sequence, from light to dark; None for no shades."""
    places: list[str] | None = None
    """Which of its sequence each is, or blanks; None where nothing says so."""

    @property
    def index(self) -> Index:
        """The coordinates of the elements: one (N,) array an axis."""
        return unravel(self.flat, part_of(self.trace, self.place).tensor.sizes)


def contents_of(trace: Trace, place: Place, index: Index, *, worded: bool = True, shaded: bool = True) -> Contents:
    """What a window of a tensor holds: with values if `worded`, with places in sequences if `shaded`."""
    part, number = part_of(trace, place), place.number
    flat = ravel(index, part.tensor.sizes)
    counts = flags = via = source = nowhere = None
    identity = trace.identity(place, index)
    values: Array = np.zeros(0)
    is_data = part.field.role is Role.DATA
    if place.is_output:
        sources = flat_sources(trace, number, index)
        values = trace.window(number, index) if worded else values
        flags, source = sources.flags, (sources.tensor, sources.flat)
        via = (sources.via_tensor, sources.via) if sources.via is not None else None
        if filled_by(trace, number):
            nowhere = sources.tensor == NOWHERE
            identity = np.where(nowhere, -1, identity)
    else:
        if worded or not is_data:
            values = trace.read(number, flat)
        if is_data:
            counts = trace.counts(number, index)
        else:
            flags = trace.operator.cell_flags(trace.desc, number, values)
    shades = places = None
    if shaded and (sequence := trace.colours.sequence_places(trace.desc, place, index, trace.read)) is not None:
        shades, places = shades_of(*sequence), _small_digits(sequence[0], place_columns(trace))
    return Contents(
        trace=trace,
        place=place,
        flat=flat,
        texts=shorts(values if worded else values[:0]),
        identity=identity,
        counts=counts,
        flags=flags,
        source=source,
        via=via,
        nowhere=nowhere,
        shades=shades,
        places=places,
    )


def _small_digits(place: Indices, columns: int) -> list[str]:
    """Which of its sequence each element is, in small digits or blanks; "" where there are no columns for them."""
    if not columns:
        return [""] * len(place)
    return [f"{k if k >= 0 else '':<{columns}}".translate(SUBSCRIPTS) for k in place.tolist()]


def hide_unknown(held: Contents, known: Known) -> tuple[Contents, NDArray[np.bool_] | None]:
    """The contents without what would give away what isn't known, and (N,) whether each is known; None for all.

    Of an output's elements that isn't known where they come from; of an input's, which identity their readers give
    them. Nothing is counted until everything is known.
    """
    trace, place, index = held.trace, held.place, held.index
    if known.whole:
        return held, None
    named = known.tells_identity(trace, place, index)
    identity, placed = np.where(named, held.identity, -1), named
    if held.shades is not None and held.places is not None:
        placed = known.tells_place(trace, place, index)
        there = placed.tolist()
        held = replace(
            held,
            shades=[shade if tells else NO_SHADE for shade, tells in zip(held.shades, there, strict=True)],
            places=[text if tells else " " * len(text) for text, tells in zip(held.places, there, strict=True)],
        )
    if not place.is_output:
        return replace(held, identity=identity, counts=None), named & placed
    flags, via, source = held.flags, held.via, held.source
    return replace(
        held,
        identity=identity,
        texts=[text if tells else HIDDEN for text, tells in zip(held.texts, named.tolist(), strict=False)],
        flags=np.where(named, flags, 0) if flags is not None else None,
        via=(via[0], np.where(named, via[1], -1)) if via is not None else None,
        source=(np.where(named, source[0], -1), source[1]) if source is not None else None,
        nowhere=held.nowhere & named if held.nowhere is not None else None,
    ), named
