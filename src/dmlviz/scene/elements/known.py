"""What a picture may tell of where output elements come from; what is not known, nothing on it gives away."""

from __future__ import annotations

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from ...desc.indexing import arrays_of
from ...desc.values import Index
from ...operators.maps import Place, Readers
from ...tracing import Trace
from .cursor import Cursor


class Known(Struct, frozen=True):
    """Knows the source of every output element; who hides some of them says which by `__call__`.

    What is drawn follows from the desc, from the inputs, and from the sources that are known. Steps hide what isn't
    written yet: see `steps.order.Written`.
    """

    @property
    def whole(self) -> bool:
        """True if nothing is hidden."""
        return True

    def __call__(self, output: int, index: Index) -> NDArray[np.bool_]:
        """(N,) True for the elements of an output that are known; `index` has one (N,) array an axis."""
        return np.ones(len(index[0]), bool)

    @property
    def ends_runs(self) -> bool:
        """True if it is told that a run ends where what is known does."""
        return False

    def tells(self, cursor: Cursor) -> bool:
        """True if an element's value may be told: an input's, or an output's that is known."""
        if self.whole or not cursor.place.is_output:
            return True
        return bool(self(cursor.place.number, arrays_of(cursor.index))[0])

    def tells_identity(self, trace: Trace, place: Place, index: Index) -> NDArray[np.bool_]:
        """(N,) True for the elements whose identity may be told; `index` has one (N,) array an axis.

        An input's element that has its identity from what reads it tells it once that is known.
        """
        if place.is_output:
            return self(place.number, index)
        readers = None if self.whole else trace.colours.named_by(trace.desc, place.number, index, trace.read)
        return self._readers_known(readers, len(index[0]))

    def _readers_known(self, readers: Readers | None, count: int) -> NDArray[np.bool_]:
        known = np.ones(count, bool)
        if readers is None:
            return known
        for out in np.flatnonzero(np.bincount(readers.output)).tolist():
            here = readers.output == out
            known[here] = self(out, tuple(axis[here] for axis in readers.index))
        return known

    def tells_place(self, trace: Trace, place: Place, index: Index) -> NDArray[np.bool_]:
        """(N,) True for the elements whose place in a sequence may be told; `index` has one (N,) array an axis.

        An input's element tells it once the output element is known to which it goes.
        """
        if self.whole or place.is_output:
            return self.tells_identity(trace, place, index)
        placed = trace.operator.placed_by(trace.desc, place.number, index, trace.read)
        return self._readers_known(placed, len(index[0]))

    def identity(self, trace: Trace, cursor: Cursor) -> int:
        """The identity of an element; -1 where that is none, or may not be told."""
        at = arrays_of(cursor.index)
        if not self.tells_identity(trace, cursor.place, at)[0]:
            return -1
        return int(trace.identity(cursor.place, at)[0])

    def readers(self, trace: Trace, cursor: Cursor) -> list[Cursor] | None:
        """The known readers of an input element among the first `LOOKED_THROUGH`, row-major; None where not counted."""
        destinations = trace.destinations(cursor.place.number, cursor.index)
        if not destinations.counted:
            return None
        if not len(destinations):
            return []
        out, index = destinations[0].output, destinations.window(0, LOOKED_THROUGH)
        known = np.flatnonzero(self(out, index))
        rows = zip(*(axis[known].tolist() for axis in index), strict=True)
        return [Cursor(Place(True, out), at) for at in rows]


class NothingKnown(Known, frozen=True):
    """Knows no output element: while a question is open, all of them are hidden."""

    @property
    def whole(self) -> bool:
        return False

    def __call__(self, output: int, index: Index) -> NDArray[np.bool_]:
        return np.zeros(len(index[0]), bool)

    def tells_identity(self, trace: Trace, place: Place, index: Index) -> NDArray[np.bool_]:
        """(N,) False: letters and colours of inputs would say along which axis they are told apart."""
        return np.zeros(len(index[0]), bool)


LOOKED_THROUGH = 4096
"""Readers of an element that are looked through for known ones, so that no frame is late."""
EVERYTHING = Known()
NOTHING = NothingKnown()
