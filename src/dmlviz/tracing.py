"""Where every element comes from and goes to, by an operator's own maps: one element, or a window at once.

Nothing here looks at an output that was computed: a source follows from sizes, and from index or length values.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from msgspec import Struct

from .desc.base import Desc
from .desc.indexing import arrays_of, flat_in, unravel
from .desc.tensors import TensorDesc, braces, brackets, integer, integers
from .desc.values import Array, Index, Indices, Values, element_of
from .errors import DmlvizError
from .formats.displayed import Displayed
from .operators.base import Operator
from .operators.maps import CLAMPED, NEGATIVE, NOWHERE, Place, Reader, Region, Sources
from .operators.registry import operator_of


class Via(Struct, frozen=True):
    """The index or length cell that sends an element to its place."""

    tensor: int
    index: tuple[int, ...]
    value: int


class Source(Struct, frozen=True, repr_omit_defaults=True):
    """Where one output element comes from: an element of an input, or nowhere, where the desc's `constant` stands."""

    tensor: int
    """Number among the inputs, in field order; NOWHERE (-1) for an element that has no source."""
    index: tuple[int, ...]
    """Of what comes from nowhere ()."""
    via: Via | None
    negative: bool
    """Its index is negative and counts from the end."""
    clamped: bool
    """Its index or length lay outside the range and was clamped."""
    constant: int | float | None = None
    """What an element holds that comes from nowhere, in the output's type; None for one that has a source."""

    @property
    def nowhere(self) -> bool:
        """True if no input's element is read."""
        return self.tensor == NOWHERE


class Destination(NamedTuple):
    """An output element."""

    output: int
    index: tuple[int, ...]  # type: ignore[assignment]  # a coordinate, not tuple's method


class Destinations(Sequence[Destination]):
    """Every output element that reads one element, in row-major order; made as they are asked for."""

    def __init__(self, region: Region | None) -> None:
        self.counted = region is not None
        """False where the count needs a scan of more index cells than `COUNT_LIMIT`."""
        self.output, self._factors = (region.output, region.factors) if region is not None else (NOWHERE, ())
        self._lengths = [len(factor.positions) for factor in self._factors]

    def __len__(self) -> int:
        """Raises DmlvizError where they are not counted."""
        if not self.counted:
            raise DmlvizError("destinations are not counted: indices or lengths have more than 2^22 elements.")
        return math.prod(self._lengths)

    def window(self, start: int, stop: int) -> Index:
        """Destinations start to stop as one (N,) array an output axis."""
        index: list[Indices] = []
        places = unravel(np.arange(start, min(stop, len(self)), dtype=np.int64), self._lengths)
        for place, factor in zip(places, self._factors, strict=True):
            held = factor.positions
            at = held.start + place * held.step if isinstance(held, range) else held[place].astype(np.int64)
            index += unravel(at, factor.sizes)
        return tuple(index)

    def __getitem__(self, at: Any) -> Any:
        if isinstance(at, slice):
            return [self[i] for i in range(*at.indices(len(self)))]
        position = range(len(self))[integer(at, "position")]
        return Destination(self.output, tuple(int(axis[0]) for axis in self.window(position, position + 1)))

    def __iter__(self) -> Iterator[Destination]:
        for start in range(0, len(self), 4096):
            axes = (axis.tolist() for axis in self.window(start, start + 4096))
            yield from (Destination(self.output, at) for at in zip(*axes, strict=True))


class Trace(Displayed):
    """The links between the elements of a valid desc, for given index and length values."""

    def __init__(self, desc: Desc, values: Sequence[Values], *, patient: bool = True) -> None:
        """`patient` is False where counts that need a long scan are to stay unknown until `prepare` has run."""
        self.desc = desc
        self.operator: Operator[Any] = operator_of(desc)
        self.colours = self.operator
        """What says what colours stand for: the operator, or the same `recoloured`."""
        self.kept: dict[Any, Any] = {}
        """What pictures have worked out from all this, colours too; what maps derive from values the reader keeps."""
        self.inputs = desc.inputs
        self.outputs = desc.outputs
        self.input_sizes = [part.tensor.sizes for part in self.inputs]
        self.values = tuple(values)
        self.read = Reader(self.values)
        self.read.patient = patient

    def coloured(self, other: bool) -> Trace:
        """This trace with colours of the other meaning, where the operator has one; with the usual if not `other`."""
        return self.with_colours((self.operator.recoloured() if other else None) or self.operator)

    def with_colours(self, colours: Any) -> Trace:
        """This trace with colours of another meaning, which has what `Operator` says of those, and with the others."""
        if colours is self.colours:
            return self
        copied = copy.copy(self)  # with its reader: what was counted stays counted
        copied.colours, copied.kept = colours, {}
        return copied

    def source(self, output: int = 0, index: Sequence[int] = ()) -> Source:
        """The input element that output element `index` takes. Raises DmlvizError for an index outside."""
        part = self.outputs[checked_number(output, len(self.outputs), "output")]
        at = checked_index(part.tensor, index, part.path)
        sources = self.sources(output, arrays_of(at))
        via = None
        if sources.via is not None:
            cell = tuple(int(axis[0]) for axis in sources.via)
            value = self.read.one(sources.via_tensor, flat_in(cell, self.input_sizes[sources.via_tensor]))
            via = Via(sources.via_tensor, cell, value)
        flags = int(sources.flags[0]) if sources.flags is not None else 0
        tensor = int(sources.tensor[0])
        constant = self.constant(output)
        return Source(
            tensor=tensor,
            index=() if tensor == NOWHERE else tuple(int(axis[0]) for axis in sources.index),
            via=via,
            negative=bool(flags & NEGATIVE),
            clamped=bool(flags & CLAMPED),
            constant=constant.item() if tensor == NOWHERE and constant is not None else None,
        )

    def sources(self, output: int, index: Index) -> Sources:
        """Sources of a whole window: `index` has one (N,) int64 array an axis of the output."""
        return self.operator.source(self.desc, output, index, self.read)

    def addresses(self, output: int, index: Index) -> tuple[Indices, Indices]:
        """Where a window of N output elements comes from: (tensor numbers, flat element numbers), both (N,) int64.

        An element without a source has the tensor NOWHERE (-1) and the element 0; it holds `constant(output)`.
        """
        sources = self.sources(output, index)
        return sources.tensor, sources.flat(self.input_sizes)

    def constant(self, output: int) -> np.generic | None:
        """The constant in an output's elements from nowhere, in its type as by `values.element_of`; None for none."""
        number = self.operator.constant(self.desc, output)
        if number is None:
            return None
        return element_of(number, self.outputs[output].tensor.data_type)

    @property
    def has_constants(self) -> bool:
        """True if output elements may come from nowhere."""
        return any(self.constant(output) is not None for output in range(len(self.outputs)))

    def destinations(self, tensor: int = 0, index: Sequence[int] = ()) -> Destinations:
        """Every output element that reads input element `index`; of an index or length cell, every one it sends."""
        part = self.inputs[checked_number(tensor, len(self.inputs), "tensor")]
        at = checked_index(part.tensor, index, part.path)
        return Destinations(self.operator.region(self.desc, tensor, at, self.read))

    def counts(self, tensor: int, index: Index) -> Indices:
        """How many output elements read each of a window's; NOT_COUNTED (-1) or COUNTING (-2) where it isn't known."""
        return self.operator.counts(self.desc, tensor, index, self.read)

    @property
    def prepared(self) -> bool:
        """True if counts and destinations are known without a long scan."""
        return self.operator.prepared(self.desc, self.read)

    def prepare(self) -> None:
        """Makes the scan that counts and destinations need; they are known then. May take seconds."""
        self.operator.prepare(self.desc, self.read)

    def identity(self, place: Place, index: Index) -> Indices:
        """What the colour of each element stands for, from 0; -1 for none."""
        return self.colours.identity(self.desc, place, index, self.read)

    def window(self, output: int, index: Index) -> Array:
        """The values of a window of output elements, fetched from their sources: the slow reference."""
        constant = self.constant(output)
        if constant is None:
            constant = self.outputs[output].tensor.data_type.dtype.type(0)
        return self.read.elements(*self.addresses(output, index), constant)

    def reference(self, output: int) -> Array:
        """One whole output by the slow reference; for small tensors and for tests."""
        tensor = self.outputs[output].tensor
        index = unravel(tensor.flat, tensor.sizes)
        return self.window(output, index).reshape(tensor.sizes)

    def formula(self, output: int, index: tuple[int, ...]) -> list[tuple[str, str]]:
        """How an output element's source is computed: (text, kind) pairs, see `Operator.formula`."""
        return self.operator.formula(self.desc, output, index, self.read)


def checked_number(written: object, count: int, field: str) -> int:
    """A number from 0 to before `count`. Raises DmlvizError naming the `field` for anything else."""
    number = integer(written, field)
    if not 0 <= number < count:
        raise DmlvizError(f"{field} is {number}, expected 0 to {count - 1}.")
    return number


def checked_index(tensor: TensorDesc, index: Sequence[int], path: str) -> tuple[int, ...]:
    """The index as a tuple, a number as one of one axis. Raises DmlvizError naming the `path` where it lies outside."""
    at = integers(index, f"{path} index") if isinstance(index, Iterable) else (integer(index, f"{path} index"),)
    if len(at) != tensor.dimension_count or not all(0 <= i < n for i, n in zip(at, tensor.sizes, strict=False)):
        raise DmlvizError(f"{path}{brackets(at)} is outside Sizes {braces(tensor.sizes)}.")
    return at
