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
from ..desc.fields import Role
from ..desc.indexing import ravel, unravel
from ..desc.levels import FeatureLevel
from ..desc.tensors import TensorDesc, brackets
from ..desc.values import CHUNK, Fill, Indices, Values
from ..stopping import checkpoint
from .maps import NOT_COUNTED, NOWHERE, Place, Reader, Readers, Region, Sources, Starts
from .report import Check, Recorder
from .workings import MapCode

D = TypeVar("D", bound=Desc)
PAGES = 5
"""The operators whose pages the source has; others stand behind them as their neighbours."""
NEIGHBOURS = "related operators"
"""What lists call those."""
NO_VALUES = Reader(())
"""What maps read that no index and no length steers."""


def address_of(page: str) -> str:
    """Where a page of DirectML's is on the web."""
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
    """The tensor field whose DimensionCount and DataType the others are held against."""
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
        """True for an operator that is none of the source's five: lists have it behind them, under `NEIGHBOURS`."""
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
        """Records the operator's own rules, each with a sentence for either case, which names the field.

        `desc` may hold anything at all: a rule without meaning waits for the one that broke (`record.wait`).
        """

    def value_rules(self, desc: D, values: Sequence[Values | None], record: Recorder) -> None:
        """Records what index and length values break, or what that waits for. The default records nothing."""

    def level_notes(self, desc: D, level: FeatureLevel, record: Recorder) -> None:
        """Records where public sources disagree with the page at `level`. The default records nothing."""

    def fixes(self, desc: D, broken: Check) -> Iterator[Changes]:
        """Edits that may mend `broken`, likeliest first: fields by DirectML's names.

        Each is tried, also with outputs inferred anew, and offered only if it mends. The default tries that alone.
        """
        yield {}

    def turned(self, desc: D) -> Iterator[Desc]:
        """Descs of other operators that may have been meant; offered as fixes if valid. The default knows none."""
        return iter(())

    # What is said about a desc besides its checks.

    def map_code(self, desc: D) -> MapCode | None:
        """Where all elements of a valid desc's outputs come from, in one line with live numbers; never of values.

        None, the default, has the `formula` of one element told in its place.
        """
        return None

    # Values.

    def default_fill(self, desc: D, tensor: int) -> Fill | None:
        """What fills input `tensor` of any desc, so that indices and lengths lie inside; None, the default: 1, 2, 3."""
        return None

    def bound(self, desc: D, tensor: int) -> int | None:
        """Random values of input `tensor` stay below this; None, the default, for any value."""
        return None

    # Maps. A desc is valid wherever they are called.

    @abstractmethod
    def source(self, desc: D, output: int, index: tuple[Indices, ...], read: Reader) -> Sources:
        """Where elements of an output come from; `index` has one (N,) array an axis."""

    @abstractmethod
    def region(self, desc: D, tensor: int, index: tuple[int, ...], read: Reader) -> Region | None:
        """The output elements that read this element, or that this index or length cell has sent.

        An element that nothing reads has a region with an empty factor. None: not counted, for lack of a scan.
        """

    def constant(self, desc: D, output: int) -> int | float | None:
        """What stands in the elements of an output from NOWHERE; None, the default, where every one has a source."""
        return None

    def constant_count(self, desc: D, output: int, read: Reader) -> int:
        """How many elements of an output come from NOWHERE, where there is a `constant`. The default asks for each."""
        tensor, count = desc.outputs[output].tensor, 0
        for start in range(0, tensor.element_count, CHUNK):
            checkpoint()
            flat = np.arange(start, min(start + CHUNK, tensor.element_count), dtype=np.int64)
            sources = self.source(desc, output, unravel(flat, tensor.sizes), read)
            count += int(np.count_nonzero(sources.tensor == NOWHERE))
        return count

    def counts(self, desc: D, tensor: int, index: tuple[Indices, ...], read: Reader) -> Indices:
        """(N,) how many output elements read each element; NOT_COUNTED or COUNTING where that isn't known.

        The default asks `region` element by element.
        """
        regions = (self.region(desc, tensor, at, read) for at in zip(*(a.tolist() for a in index), strict=True))
        reads = [NOT_COUNTED if r is None else math.prod(len(f.positions) for f in r.factors) for r in regions]
        return np.array(reads, np.int64)

    def prepared(self, desc: D, read: Reader) -> bool:
        """True, the default, if counts and regions are known without a scan of many values."""
        return True

    def prepare(self, desc: D, read: Reader) -> None:
        """Makes the scan that counts and regions need, and leaves what it finds in `read.cache`. May take seconds."""

    def misreadings(self) -> Sequence[Any]:
        """Wrong rules that people hold about it, likeliest first: those of its module in `operators.misreadings`."""
        module = f"{__package__}.misreadings.{self.name.lower()}"
        if importlib.util.find_spec(module) is None:
            return ()
        misreadings: Sequence[Any] = importlib.import_module(module).MISREADINGS
        return misreadings

    # The picture. A colour stands for an identity; by default each input tensor has one.

    def identity(self, desc: D, place: Place, index: tuple[Indices, ...], read: Reader) -> Indices:
        """(N,) what each element's colour stands for, from 0; -1 for none, as what comes from NOWHERE has it.

        An input's element has the identity of the output elements that read it, and -1 where they differ; any where
        nothing reads it.
        """
        if place.is_output:
            return self.source(desc, place.number, index, read).tensor
        is_data = desc.inputs[place.number].field.role is Role.DATA
        return np.full_like(index[0], place.number if is_data else -1)

    def named_by(self, desc: D, tensor: int, index: tuple[Indices, ...], read: Reader) -> Readers | None:
        """The output elements that elements of input `tensor` have their identity of; it is told once those are known.

        None, the default, where identity follows from where an element lies.
        """
        return None

    def recoloured(self) -> Operator[D] | None:
        """This operator with an `identity` that is something else, the same object at every call; None, the default."""
        return None

    def identity_count(self, desc: D) -> int:
        """What all numbers that `identity` gives are below."""
        return len(desc.inputs)

    def identity_axes(self, desc: D, place: Place) -> tuple[int, ...]:
        """The axes along which identity changes; () where a whole tensor has one, or where it is -1 throughout."""
        data = [part for part in desc.inputs if part.field.role is Role.DATA]
        many = place.is_output and len(data) > 1
        return tuple(range(desc.outputs[place.number].tensor.dimension_count)) if many else ()

    def sequence_size(self, desc: D) -> int:
        """How many elements a sequence has whose order the operator changes; 0, the default, for none."""
        return 0

    def sequence_places(
        self, desc: D, place: Place, index: tuple[Indices, ...], read: Reader
    ) -> tuple[Indices, Indices] | None:
        """(place of each element's source in its sequence, elements of that which change their order), both (N,).

        -1 is the place of an element that stays; the others change places pairwise. None, the default, for none.
        """
        return None

    def placed_by(self, desc: D, tensor: int, index: tuple[Indices, ...], read: Reader) -> Readers | None:
        """The output elements to which elements of input `tensor` go, where `sequence_places` has places for them.

        None, the default, where places may always be told.
        """
        return None

    def cell_flags(self, desc: D, tensor: int, values: NDArray[Any]) -> Indices | None:
        """(N,) of NEGATIVE | CLAMPED for index or length cells that hold `values`; None, the default, for none."""
        return None

    def formula(self, desc: D, output: int, index: tuple[int, ...], read: Reader) -> list[tuple[str, str]]:
        """How this element's source is computed: (text, kind) pairs of "output", "via", "source", "" between them.

        Pairs behind the source say where a number comes from. The source of what comes from nowhere is `constant_path`.
        The default says only which element it is.
        """
        sources = self.source(desc, output, tuple(np.array([i], np.int64) for i in index), read)
        source, tensor = self.constant_path, int(sources.tensor[0])
        if tensor != NOWHERE:
            source = f"{desc.inputs[tensor].path}{brackets(int(axis[0]) for axis in sources.index)}"
        return [(f"{desc.outputs[output].path}{brackets(index)}", "output"), (" = ", ""), (source, "source")]

    def axis_roles(self, desc: D, place: Place) -> Mapping[int, str]:
        """What axes of a tensor are for, where it is worth a word: {2: "Axis"}; by default those that fields name."""
        return {desc.get(field.name): field.name for field in desc.ATTRIBUTES if field.is_axis}

    # Steps. Cuts along axes make boxes of an output; a step writes a box. The order is row-major, over the boxes too.

    def slices(self, desc: D, output: int) -> Starts:
        """Cuts that leave all that belongs together, constants apart: by default those along the axes of identity."""
        sizes = desc.outputs[output].tensor.sizes
        return {d: range(sizes[d]) for d in self.identity_axes(desc, Place(True, output))}

    def moved_element(self, desc: D) -> tuple[int, tuple[int, ...]] | None:
        """(output, index) of the first element that reads the first of a data tensor; None where values steer."""
        if any(part.field.role is not Role.DATA for part in desc.inputs):
            return None
        for k, part in enumerate(desc.inputs):
            read = self.region(desc, k, (0,) * part.tensor.dimension_count, NO_VALUES)
            if read is not None and all(len(factor.positions) for factor in read.factors):
                at = (unravel(np.array([f.positions[0]], np.int64), f.sizes) for f in read.factors)
                return read.output, tuple(int(axis[0]) for axes in at for axis in axes)
        return None

    def runs(self, desc: D, output: int, read: Reader) -> Starts:
        """Cuts that leave what a single copy of memory moves: contiguous in the output and in one input.

        The default cuts before every element. Two neighbours are cut apart only where their identities differ, or where
        other elements need the cut.
        """
        return {d: range(n) for d, n in enumerate(desc.outputs[output].tensor.sizes)}

    def block(self, desc: D, output: int) -> int:
        """A length for which every aligned block of an output comes from neighbours in one input; 1 always holds."""
        cuts = self.runs(desc, output, NO_VALUES) if not self.runs_vary else {}
        sizes, last = desc.outputs[output].tensor.sizes, max(cuts, default=-1)
        if not cuts:
            return 1 if self.runs_vary else math.prod(sizes)
        starts = cuts[last]
        apart = starts.step if isinstance(starts, range) else int(np.gcd.reduce(starts, initial=sizes[last]))
        return apart * math.prod(sizes[last + 1 :])

    # Running, and other uses.

    def about(self, tensor: TensorDesc, axis: int) -> D | None:
        """A desc about `tensor`, along `axis`, that may be invalid; None, the default: the first example is fitted."""
        return None

    @abstractmethod
    def kernel_numbers(self, desc: D) -> tuple[int, ...]:
        """What the kernel of the same name plans its work by, from the desc alone: sizes in bytes, runs and strides."""


class BySource(Operator[D]):
    """An operator of one input whose colours stand for its elements."""

    identity_of = "the source element"

    def identity(self, desc: D, place: Place, index: tuple[Indices, ...], read: Reader) -> Indices:
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
