"""A trace with another map behind some step, and all that a picture of it draws."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from dmlviz.desc.indexing import ravel, unravel
from dmlviz.operators.base import Operator
from dmlviz.operators.maps import Factor, Place, Readers, Region, Sources
from dmlviz.scene.steps.order import Steps, Unit
from dmlviz.tracing import Trace


class OtherMap:
    """An operator on one desc whose output elements, unless they are `kept`, have the map of others, drawn by lot."""

    def __init__(self, trace: Trace, kept: list[NDArray[np.bool_]], dice: np.random.Generator) -> None:
        self._inner: Operator[Any] = trace.operator
        self._outputs, self._inputs = ([part.tensor for part in parts] for parts in (trace.outputs, trace.inputs))
        self._kept = kept
        self._taken = [np.where(own, np.arange(own.size), dice.integers(0, own.size, own.size)) for own in kept]

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)

    def _other(self, output: int, index: Any) -> tuple[NDArray[Any], ...]:
        """The elements whose map some have."""
        sizes = self._outputs[output].sizes
        return unravel(self._taken[output][ravel(index, sizes)], sizes)

    def source(self, desc: Any, output: int, index: Any, read: Any) -> Sources:
        return self._inner.source(desc, output, self._other(output, index), read)

    def formula(self, desc: Any, output: int, index: Any, read: Any) -> list[tuple[str, str]]:
        other = self._other(output, [np.array([i]) for i in index])
        return self._inner.formula(desc, output, tuple(int(axis[0]) for axis in other), read)

    def region(self, desc: Any, tensor: int, index: Any, read: Any) -> Region:
        """The readers in the first output that has any."""
        sizes = self._inputs[tensor].sizes
        flat = ravel([np.array([i]) for i in index], sizes)
        for k, part in enumerate(self._outputs):
            found = self.source(desc, k, unravel(part.flat, part.sizes), read)
            own = (found.tensor == tensor) & (found.flat([each.sizes for each in self._inputs]) == flat)
            if found.via is not None and tensor == found.via_tensor:
                own = ravel(found.via, sizes) == flat
            if own.any():
                return Region(k, (Factor(part.sizes, np.flatnonzero(own)),))
        return Region(0, (Factor(self._outputs[0].sizes, np.zeros(0, np.int64)),))

    def counts(self, desc: Any, tensor: int, index: Any, read: Any) -> NDArray[Any]:
        return Operator.counts(self, desc, tensor, index, read)  # type: ignore[arg-type]

    def identity(self, desc: Any, place: Place, index: Any, read: Any) -> NDArray[Any]:
        if place.is_output:
            return self._inner.identity(desc, place, self._other(place.number, index), read)
        own = self._inner.identity(desc, place, index, read)
        readers = self._inner.named_by(desc, place.number, index, read)
        if readers is None:
            return own
        return np.where(self._keeps(readers), own, (own + 1) % self._inner.identity_count(desc))

    def _keeps(self, readers: Readers) -> list[bool]:
        """Whether those elements have their own map."""
        every = zip(readers.output.tolist(), zip(*readers.index, strict=True), strict=True)
        return [bool(self._kept[k][np.ravel_multi_index(at, self._outputs[k].sizes)]) for k, at in every]

    def sequence_places(self, desc: Any, place: Place, index: Any, read: Any) -> Any:
        if place.is_output:
            return self._inner.sequence_places(desc, place, self._other(place.number, index), read)
        found = self._inner.sequence_places(desc, place, index, read)
        readers = self._inner.placed_by(desc, place.number, index, read)
        if found is None or readers is None:
            return found
        return np.where(self._keeps(readers), found[0], -1 - found[0] % 3), found[1]

    def block(self, desc: Any, output: int) -> int:
        return 1 if not self._kept[output].all() else self._inner.block(desc, output)


def with_other_map(plain: Trace, unit: Unit, step: int, seed: int) -> Trace:
    """A trace like `plain` up to `step`; behind it its map is another one."""
    written = Steps(plain, unit).until(step)
    kept = [written(k, unravel(each.tensor.flat, each.tensor.sizes)) for k, each in enumerate(plain.outputs)]
    made = Trace(plain.desc, plain.values)
    made.operator = made.colours = OtherMap(plain, kept, np.random.default_rng(seed))  # type: ignore[assignment]
    return made
