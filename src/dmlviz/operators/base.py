"""Operator: what one operator declares, and what is drawn where it doesn't.

An operator is a module of this package, or of a folder added to its path, with a `Desc`, an `Operator` of it, and
`OPERATOR`. Of the module of the same name in `dmlviz.kernels` it knows only `kernel_numbers`. Its examples lie in
`examples/`, and its oracle and cases in `tests/operator_kit/cases/`, which the kit asks for by the operator's name.

Required are `name`, `title`, `desc` and `anchor`; `rules`, `source`, `region` and `kernel_numbers`. Everything else
has a default, and says what the default draws. An output may have other sizes than `infer_output` says, wherever
`rules` let it pass: that says what it is when nothing is given.
"""

from __future__ import annotations

import importlib
import importlib.util
import math
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from ..desc.base import Changes, Desc
from ..desc.indexing import arrays_of, ravel, unravel
from ..desc.levels import FeatureLevel
from ..desc.tensors import TensorDesc, brackets
from ..desc.values import CHUNK, Fill, Index, Indices, Values
from ..stopping import checkpoint
from .maps import NOT_COUNTED, NOWHERE, Place, Reader, Readers, Region, Sources, Starts
from .report import Check, Recorder
from .workings import MapCode

D = TypeVar("D", bound=Desc)
PAGES = 5
"""The operators that dmlviz is about; lists have related operators after them."""
NEIGHBOURS = "related operators"
"""What lists call those."""
NO_VALUES = Reader(())
"""What maps read that no index and no length steers."""


def address_of(page: str) -> str:
    """Return the address of a DirectML page."""
    return f"https://learn.microsoft.com/windows/win32/api/directml/ns-directml-{page.lower()}"


class Operator(ABC, Generic[D]):
    """What one operator means. The form, the checks, the pictures and the exports all follow from it."""

    name: ClassVar[str]
    """Without prefix: GATHER. The kernel's module and the kit's cases have this name in lower case."""
    title: ClassVar[str]
    """One sentence for a newcomer."""
    in_numpy: ClassVar[str] = ""
    """What NumPy calls it, as code: `np.tile(x, Repeats)`; "" where it has no such thing."""
    page_number: ClassVar[float] = math.inf
    """Where its page stands among the source's: the order of lists."""
    example_word: ClassVar[str] = ""
    """How names of its examples begin, `gather` of `gather-2`; "" for its own name: `depth-to-space`."""
    desc: type[D]
    anchor: ClassVar[str]
    """The tensor field whose DimensionCount and DataType the others must have."""
    reads_vary: ClassVar[bool] = False
    """True where one element may be read more often than another; then counts are drawn."""
    runs_vary: ClassVar[bool] = False
    """True where runs follow from index or length values, so that their number is told once all is written."""
    constant_path: ClassVar[str] = ""
    """The field that holds the constant of elements without a source, or a word, "zero", for it; "" for none."""
    identity_of: ClassVar[str] = "the tensor an element comes from"
    """What a colour stands for, as the colour key says it: "the slice along Axis"."""
    sentences: ClassVar[Mapping[str, str]] = {}
    """Its own rules by check id: each in one plain sentence, whatever the numbers. Empty: none shown."""

    @property
    def neighbour(self) -> bool:
        """True for an operator besides the five: lists have it after them, under `NEIGHBOURS`."""
        return self.page_number > PAGES

    @property
    def page(self) -> str:
        return f"DML_{self.name}_OPERATOR_DESC"

    @property
    def address(self) -> str:
        """Where its page is on the web."""
        return address_of(self.page)

    # Checks.

    @abstractmethod
    def rules(self, desc: D, record: Recorder) -> None:
        """Record the operator's own checks, each with a sentence for both cases, which names the field.

        `desc` may hold anything: a check that makes no sense waits for the one that failed (`record.wait`).
        """

    def value_rules(self, desc: D, values: Sequence[Values | None], record: Recorder) -> None:
        """Record checks of index and length values. The default records nothing."""

    def level_notes(self, desc: D, level: FeatureLevel, record: Recorder) -> None:
        """Record notes about public sources that disagree with the page at `level`. The default records nothing."""

    def fixes(self, desc: D, broken: Check) -> Iterator[Changes]:
        """Yield edits that may fix `broken`, likeliest first: fields by DirectML's names.

        Each is tried, also with outputs inferred anew, and offered only if it helps. The default infers outputs.
        """
        yield {}

    def turned(self, desc: D) -> Iterator[Desc]:
        """Yield descs of other operators that may have been meant; offered as fixes if valid. The default has none."""
        return iter(())

    # What is said about a desc besides its checks.

    def map_code(self, desc: D) -> MapCode | None:
        """Return the map of a valid desc in one line of code with its numbers; never with values.

        None, the default: the `formula` of one element is shown instead.
        """
        return None

    # Values.

    def default_fill(self, desc: D, tensor: int) -> Fill | None:
        """Return the fill of input `tensor`, with indices and lengths in range; None, the default: 1, 2, 3."""
        return None

    def bound(self, desc: D, tensor: int) -> int | None:
        """Return the bound that random values of input `tensor` stay below; None, the default, for any value."""
        return None

    # Maps. A desc is valid wherever they are called.

    @abstractmethod
    def source(self, desc: D, output: int, index: Index, read: Reader) -> Sources:
        """Return the sources of N elements of an output; `index` has one (N,) array for each axis."""

    @abstractmethod
    def region(self, desc: D, tensor: int, index: tuple[int, ...], read: Reader) -> Region | None:
        """Return the output elements that read this element, or that this index or length cell has sent.

        An unused element has a region with an empty factor. None: not counted, for lack of a scan.
        """

    def constant(self, desc: D, output: int) -> int | float | None:
        """Return the value of an output's constants; None, the default, if every element has a source."""
        return None

    def constant_count(self, desc: D, output: int, read: Reader) -> int:
        """Count the constants of an output, if there is a `constant`. The default asks for each element."""
        tensor, count = desc.outputs[output].tensor, 0
        for start in range(0, tensor.element_count, CHUNK):
            checkpoint()
            flat = np.arange(start, min(start + CHUNK, tensor.element_count), dtype=np.int64)
            sources = self.source(desc, output, unravel(flat, tensor.sizes), read)
            count += int(np.count_nonzero(sources.tensor == NOWHERE))
        return count

    def counts(self, desc: D, tensor: int, index: Index, read: Reader) -> Indices:
        """Return (N,) how many output elements read each element; NOT_COUNTED or COUNTING if that isn't known.

        The default asks `region` element by element.
        """
        regions = (self.region(desc, tensor, at, read) for at in zip(*(a.tolist() for a in index), strict=True))
        reads = [NOT_COUNTED if r is None else math.prod(len(f.positions) for f in r.factors) for r in regions]
        return np.array(reads, np.int64)

    def prepared(self, desc: D, read: Reader) -> bool:
        """Return True, the default, if counts and regions are known without a scan of many values."""
        return True

    def prepare(self, desc: D, read: Reader) -> None:
        """Make the scan that counts and regions need, and leave the result in `read.cache`. May take seconds."""

    def misreadings(self) -> Sequence[Any]:
        """Return misconceptions about it, likeliest first: those of its module in `operators.misreadings`."""
        module = f"{__package__}.misreadings.{self.name.lower()}"
        if importlib.util.find_spec(module) is None:
            return ()
        misreadings: Sequence[Any] = importlib.import_module(module).MISREADINGS
        return misreadings

    # The picture. A colour stands for an identity; by default each input tensor has one.

    def identity(self, desc: D, place: Place, index: Index, read: Reader) -> Indices:
        """Return (N,) the meaning of each element's colour, from 0; -1 for none, as constants have.

        An input's element has the identity of the output elements that read it, and -1 if they differ; any if it is
        unused.
        """
        if place.is_output:
            return self.source(desc, place.number, index, read).tensor
        is_data = desc.inputs[place.number].is_data
        return np.full_like(index[0], place.number if is_data else -1)

    def named_by(self, desc: D, tensor: int, index: Index, read: Reader) -> Readers | None:
        """Return the output elements that give elements of `tensor` their identity; hidden until they are known.

        None, the default, if identity follows from an element's index.
        """
        return None

    def recoloured(self) -> Operator[D] | None:
        """Return this operator with another `identity`, the same object at every call; None, the default."""
        return None

    def identity_count(self, desc: D) -> int:
        """Return a number above all that `identity` gives."""
        return len(desc.inputs)

    def identity_axes(self, desc: D, place: Place) -> tuple[int, ...]:
        """Return the axes along which identity changes; () if a whole tensor has one, or -1 throughout."""
        data = [part for part in desc.inputs if part.is_data]
        many = place.is_output and len(data) > 1
        return tuple(range(desc.outputs[place.number].tensor.dimension_count)) if many else ()

    def sequence_size(self, desc: D) -> int:
        """Return the size of a sequence whose order the operator changes; 0, the default, for none."""
        return 0

    def sequence_places(self, desc: D, place: Place, index: Index, read: Reader) -> tuple[Indices, Indices] | None:
        """Return (position of each element's source in its sequence, elements of that which change order), both (N,).

        -1 is the position of an element that stays; the others swap in pairs. None, the default, for none.
        """
        return None

    def placed_by(self, desc: D, tensor: int, index: Index, read: Reader) -> Readers | None:
        """Return the output elements to which elements of `tensor` go, if `sequence_places` has positions.

        None, the default, if positions are never hidden.
        """
        return None

    def cell_flags(self, desc: D, tensor: int, values: NDArray[Any]) -> Indices | None:
        """Return (N,) NEGATIVE | CLAMPED for index or length cells with `values`; None, the default, for none."""
        return None

    def formula(self, desc: D, output: int, index: tuple[int, ...], read: Reader) -> list[tuple[str, str]]:
        """Return how this element's source is computed: (text, kind) pairs of "output", "via", "source", "" between.

        Pairs after the source say where a number comes from. The source of a constant is `constant_path`. The default
        names only the element.
        """
        sources = self.source(desc, output, arrays_of(index), read)
        source, tensor = self.constant_path, int(sources.tensor[0])
        if tensor != NOWHERE:
            source = f"{desc.inputs[tensor].path}{brackets(int(axis[0]) for axis in sources.index)}"
        return [(f"{desc.outputs[output].path}{brackets(index)}", "output"), (" = ", ""), (source, "source")]

    def axis_roles(self, desc: D, place: Place) -> Mapping[int, str]:
        """Return words for axes of a tensor: {2: "Axis"}; by default those that fields name."""
        return {desc.get(field.name): field.name for field in desc.ATTRIBUTES if field.is_axis}

    # Steps. Cuts along axes make boxes of an output; a step writes a box. The order is row-major, over the boxes too.

    def slices(self, desc: D, output: int) -> Starts:
        """Return cuts between slices, with constants apart: by default those along the axes of identity."""
        sizes = desc.outputs[output].tensor.sizes
        return {d: range(sizes[d]) for d in self.identity_axes(desc, Place(True, output))}

    def moved_element(self, desc: D) -> tuple[int, tuple[int, ...]] | None:
        """Return (output, index) of the first element that reads the first of a data tensor; None if values decide."""
        if any(not part.is_data for part in desc.inputs):
            return None
        for k, part in enumerate(desc.inputs):
            read = self.region(desc, k, (0,) * part.tensor.dimension_count, NO_VALUES)
            if read is not None and all(len(factor.positions) for factor in read.factors):
                at = (unravel(np.array([f.positions[0]], np.int64), f.sizes) for f in read.factors)
                return read.output, tuple(int(axis[0]) for axes in at for axis in axes)
        return None

    def runs(self, desc: D, output: int, read: Reader) -> Starts:
        """Return cuts between runs: contiguous in the output and in one input.

        The default cuts before every element. Adjacent elements are cut apart only if their identities differ, or if
        other elements need the cut.
        """
        return {d: range(n) for d, n in enumerate(desc.outputs[output].tensor.sizes)}

    def block(self, desc: D, output: int) -> int:
        """Return a length whose aligned blocks of an output are contiguous in one input; 1 is always right."""
        cuts = self.runs(desc, output, NO_VALUES) if not self.runs_vary else {}
        sizes = desc.outputs[output].tensor.sizes
        last = max(cuts, default=-1)
        if not cuts:
            return 1 if self.runs_vary else math.prod(sizes)
        starts = cuts[last]
        apart = starts.step if isinstance(starts, range) else int(np.gcd.reduce(starts, initial=sizes[last]))
        return apart * math.prod(sizes[last + 1 :])

    # Running, and other uses.

    def about(self, tensor: TensorDesc, axis: int) -> D | None:
        """Return a desc about `tensor`, along `axis`, maybe invalid; None, the default: the first example is fitted."""
        return None

    @abstractmethod
    def kernel_numbers(self, desc: D) -> tuple[int, ...]:
        """Return the numbers that the kernel plans by, from the desc alone: sizes in bytes, runs and strides."""


class BySource(Operator[D]):
    """An operator of one input whose colours stand for its elements."""

    identity_of = "the source element"

    def identity(self, desc: D, place: Place, index: Index, read: Reader) -> Indices:
        sizes = desc.inputs[0].tensor.sizes
        if not place.is_output:
            return ravel(index, sizes)
        sources = self.source(desc, place.number, index, read)
        return np.where(sources.tensor == NOWHERE, -1, ravel(sources.index, sizes))

    def identity_count(self, desc: D) -> int:
        return desc.inputs[0].tensor.element_count

    def identity_axes(self, desc: D, place: Place) -> tuple[int, ...]:
        sizes = zip(desc.inputs[0].tensor.sizes, desc.outputs[0].tensor.sizes, strict=True)
        ends = bool(self.constant_path)  # where something else begins, along an axis of one element too
        return tuple(d for d, (n, there) in enumerate(sizes) if n > 1 or (ends and there > n))


def by_source(kind: type[Operator[D]]) -> Operator[Any]:
    """An operator of this kind with such colours."""
    coloured: Operator[Any] = type(f"{kind.__name__}BySource", (BySource, kind), {})()
    return coloured
