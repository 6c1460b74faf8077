"""A trace with another map behind some step, and all that a picture of it draws."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dmlviz.desc.indexing import ravel, unravel
from dmlviz.operators.base import Operator
from dmlviz.operators.maps import Factor, Place, Region, Sources
from dmlviz.scene.steps.order import Steps, Unit
from dmlviz.tracing import Trace


@dataclass(frozen=True)
class Element:
    """Where one output's elements come from: (N,) arrays, row-major."""

    tensor: NDArray[Any]
    source: NDArray[Any]
    """Flat, in that input."""
    via: NDArray[Any] | None
    flags: NDArray[Any] | None
    identity: NDArray[Any]
    taken: NDArray[Any]
    """Flat: whose map an element has."""


class OtherMap:
    """An operator on one desc whose elements, unless they are `kept`, have the map of others."""

    def __init__(self, trace: Trace, kept: list[NDArray[np.bool_]], dice: np.random.Generator) -> None:
        self._inner: Operator[Any] = trace.operator
        self._trace, self._kept, self._dice = trace, kept, dice
        self._tables = [self._table(k) for k in range(len(trace.outputs))]
        self._via_tensor = trace.sources(0, _every(trace, Place(True, 0))).via_tensor

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)

    def _table(self, output: int) -> Element:
        trace, at = self._trace, _every(self._trace, Place(True, output))
        count = len(at[0])
        taken = np.where(self._kept[output], np.arange(count), self._dice.integers(0, count, count))
        at = tuple(axis[taken] for axis in at)
        found = trace.sources(output, at)
        source = np.zeros(count, np.int64)
        for k in range(len(trace.inputs)):
            here = found.tensor == k
            if here.any():
                source[here] = ravel([axis[here] for axis in found.index], trace.inputs[k].tensor.sizes)
        via = ravel(found.via, trace.inputs[found.via_tensor].tensor.sizes) if found.via is not None else None
        identity = trace.identity(Place(True, output), at)
        return Element(tensor=found.tensor, source=source, via=via, flags=found.flags, identity=identity, taken=taken)

    def _flat(self, place: Place, index: Any) -> NDArray[Any]:
        parts = self._trace.outputs if place.is_output else self._trace.inputs
        found: NDArray[Any] = ravel(index, parts[place.number].tensor.sizes)
        return found

    def source(self, desc: Any, output: int, index: Any, read: Any) -> Sources:
        flat, table = self._flat(Place(True, output), index), self._tables[output]
        tensor = table.tensor[flat]
        rank = len(self._trace.inputs[int(table.tensor[0])].tensor.sizes)
        where = [np.zeros(len(flat), np.int64) for _ in range(rank)]
        for k in set(tensor.tolist()):
            here = tensor == k
            found = unravel(table.source[flat[here]], self._trace.inputs[k].tensor.sizes)
            for axis, along in zip(where, found, strict=True):
                axis[here] = along
        via = None
        if table.via is not None:
            via = unravel(table.via[flat], self._trace.inputs[self._via_tensor].tensor.sizes)
        flags = table.flags[flat] if table.flags is not None else None
        return Sources(tensor=tensor, index=tuple(where), via=via, via_tensor=self._via_tensor, flags=flags)

    def _readers(self, tensor: int, flat: int) -> tuple[int, NDArray[Any]]:
        """Those in the first output that has any."""
        found = np.zeros(0, np.int64)
        for k, table in enumerate(self._tables):
            if tensor == self._via_tensor:
                assert table.via is not None
                found = np.flatnonzero(table.via == flat)
            else:
                found = np.flatnonzero((table.tensor == tensor) & (table.source == flat))
            if len(found):
                return k, found
        return 0, found

    def region(self, desc: Any, tensor: int, index: Any, read: Any) -> Region:
        flat = int(self._flat(Place(False, tensor), [np.array([i]) for i in index])[0])
        output, found = self._readers(tensor, flat)
        return Region(output, (Factor(self._trace.outputs[output].tensor.sizes, found),))

    def counts(self, desc: Any, tensor: int, index: Any, read: Any) -> NDArray[Any]:
        flats = self._flat(Place(False, tensor), index).tolist()
        return np.array([len(self._readers(tensor, flat)[1]) for flat in flats], np.int64)

    def identity(self, desc: Any, place: Place, index: Any, read: Any) -> NDArray[Any]:
        if place.is_output:
            found: NDArray[Any] = self._tables[place.number].identity[self._flat(place, index)]
            return found
        own = self._trace.identity(place, index)
        readers = self._inner.named_by(desc, place.number, index, read)
        if readers is None:
            return own
        count = self._inner.identity_count(desc)
        for n, output in enumerate(readers.output.tolist()):
            flat = self._flat(Place(True, output), [axis[n : n + 1] for axis in readers.index])
            if not self._kept[output][flat[0]]:
                own[n] = (own[n] + 1 + flat[0]) % count
        return own

    def sequence_places(self, desc: Any, place: Place, index: Any, read: Any) -> Any:
        if not place.is_output:
            found = self._inner.sequence_places(desc, place, index, read)
            readers = self._inner.placed_by(desc, place.number, index, read)
            if found is None or readers is None:
                return found
            kept = self._kept[0][self._flat(Place(True, 0), readers.index)]
            return np.where(kept, found[0], -1 - found[0] % 3), found[1]
        return self._inner.sequence_places(desc, place, self._taken(place, index), read)

    def _taken(self, place: Place, index: Any) -> tuple[NDArray[Any], ...]:
        """The elements whose map some have."""
        sizes = self._trace.outputs[place.number].tensor.sizes
        return unravel(self._tables[place.number].taken[self._flat(place, index)], sizes)

    def formula(self, desc: Any, output: int, index: Any, read: Any) -> list[tuple[str, str]]:
        taken = self._taken(Place(True, output), [np.array([i]) for i in index])
        return self._inner.formula(desc, output, tuple(int(axis[0]) for axis in taken), read)

    def block(self, desc: Any, output: int) -> int:
        return 1 if not self._kept[output].all() else self._inner.block(desc, output)


def _every(trace: Trace, place: Place) -> tuple[NDArray[Any], ...]:
    tensor = (trace.outputs if place.is_output else trace.inputs)[place.number].tensor
    return unravel(np.arange(tensor.element_count, dtype=np.int64), tensor.sizes)


def with_other_map(plain: Trace, unit: Unit, step: int, seed: int) -> Trace:
    """A trace like `plain` up to `step`; behind it its map is another one."""
    written = Steps(plain, unit).until(step)
    kept = [written(k, _every(plain, Place(True, k))) for k in range(len(plain.outputs))]
    made = Trace(plain.desc, plain.values)
    made.operator = OtherMap(plain, kept, np.random.default_rng(seed))  # type: ignore[assignment]
    return made
