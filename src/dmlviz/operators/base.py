"""Operator: what one operator has to provide."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar, Generic, TypeVar

from numpy.typing import NDArray

from ..desc.base import Changes, Desc
from ..desc.levels import FeatureLevel
from ..desc.values import Fill, Indices, Values
from .maps import Place, Reader, Region, Sources, Starts
from .report import Check, Recorder
from .workings import CodeLine, Term

D = TypeVar("D", bound=Desc)


class Operator(ABC, Generic[D]):
    """What one operator means. The form, the checks, the pictures and the exports all follow from it."""

    name: ClassVar[str]
    """Without prefix: GATHER."""
    title: ClassVar[str]
    """One sentence for a newcomer."""
    page_number: ClassVar[float] = math.inf
    """Where its page stands among the source's; operators are listed in this order, then by name."""
    desc: type[D]
    anchor: ClassVar[str]
    """The tensor field whose DimensionCount and DataType the others are held against."""
    reads_vary: ClassVar[bool] = False
    """True where one element may be read more often than another."""
    identity_of: ClassVar[str]
    """What a colour stands for: "the tensor", "the slice along Axis"."""
    sentences: ClassVar[Mapping[str, str]] = {}
    """The operator's own rules by check id: the rule in one plain sentence, whatever the numbers."""

    @property
    def page(self) -> str:
        return f"DML_{self.name}_OPERATOR_DESC"

    @abstractmethod
    def rules(self, desc: D, record: Recorder) -> None:
        """Records the operator's own rules; those that hold for every operator are recorded before."""

    def value_rules(self, desc: D, values: Sequence[Values | None], record: Recorder) -> None:
        """Records what index and length values break, or what that waits for."""

    def level_notes(self, desc: D, level: FeatureLevel, record: Recorder) -> None:
        """Records where public sources disagree with the page at `level`."""

    @abstractmethod
    def fixes(self, desc: D, broken: Check) -> Iterator[Changes]:
        """Edits that may mend `broken`, likeliest first and unverified: fields by DirectML's names."""

    # What is said about a desc besides its checks; none of it is needed.

    def working(self, desc: D, broken: Check) -> list[Term]:
        """The computation behind a broken check, with live numbers: `{3} + {1, 2} + {} = {3, 1, 2}`."""
        return []

    def pseudo_code(self, desc: D) -> list[CodeLine]:
        """The page's pseudo-code with live numbers, for any desc; nothing where the page has none."""
        return []

    def at_values(self, desc: D, read: Reader) -> list[str]:
        """What index or length values make of a valid desc, in sentences; reads at most `READ_LIMIT` of them."""
        return []

    def default_fill(self, desc: D, tensor: int) -> Fill | None:
        """What fills input `tensor` when nothing is said; None for 1, 2, 3, ..."""
        return None

    def bound(self, desc: D, tensor: int) -> int | None:
        """Random values of input `tensor` stay below this; None for any value."""
        return None

    # Maps. A desc is valid wherever they are called.

    @abstractmethod
    def source(self, desc: D, output: int, index: tuple[Indices, ...], read: Reader) -> Sources:
        """Where elements of an output come from; `index` has one (N,) array an axis."""

    @abstractmethod
    def region(self, desc: D, tensor: int, index: tuple[int, ...], read: Reader) -> Region | None:
        """The output elements that read this element, or that this index or length cell has sent; None: not counted."""

    @abstractmethod
    def counts(self, desc: D, tensor: int, index: tuple[Indices, ...], read: Reader) -> Indices:
        """(N,) how many output elements read each element; NOT_COUNTED or COUNTING where that isn't known."""

    def prepared(self, desc: D, read: Reader) -> bool:
        """True if counts and regions are known without a scan of many values."""
        return True

    def prepare(self, desc: D, read: Reader) -> None:
        """Makes the scan that counts and regions need, and leaves what it finds in `read.cache`. May take seconds."""

    def block(self, desc: D, output: int) -> int:
        """A length for which every aligned block of an output, row-major, comes from neighbours in one input."""
        return 1

    # The picture.

    @abstractmethod
    def identity(self, desc: D, place: Place, index: tuple[Indices, ...], read: Reader) -> Indices:
        """(N,) what each element's colour stands for, from 0; -1 for no colour."""

    @abstractmethod
    def identity_count(self, desc: D) -> int:
        """How many identities there are."""

    @abstractmethod
    def identity_axes(self, desc: D, place: Place) -> tuple[int, ...]:
        """The axes along which identity changes; () where a whole tensor has one."""

    def cell_flags(self, desc: D, tensor: int, values: NDArray[Any]) -> Indices | None:
        """(N,) of NEGATIVE | CLAMPED for index or length cells that hold `values`; None for none anywhere."""
        return None

    @abstractmethod
    def formula(self, desc: D, output: int, index: tuple[int, ...], read: Reader) -> list[tuple[str, str]]:
        """How this element's source is computed, with live numbers: (text, kind) pairs.

        Kinds: "output", "via", "source", "" for what stands between. Pairs behind the source say where a number comes
        from.
        """

    def axis_roles(self, desc: D, place: Place) -> Mapping[int, str]:
        """What axes of a tensor are for, where that is worth a word: {2: "Axis"}."""
        return {}

    # Steps. Cuts along axes make boxes of an output; a step writes a box. The order is row-major, over the boxes too.

    def slices(self, desc: D, output: int) -> Starts:
        """Cuts that leave all that belongs together: one position along the axes of identity each."""
        sizes = desc.outputs[output].tensor.sizes
        return {d: range(sizes[d]) for d in self.identity_axes(desc, Place(True, output))}

    def runs(self, desc: D, output: int, read: Reader) -> Starts:
        """Cuts that leave what a single copy of memory moves: contiguous in the output and in one input.

        The default, a cut before every element, holds for any operator; most know coarser ones. Two neighbours are cut
        apart only where their identities differ, or where other elements need the cut.
        """
        return {d: range(n) for d, n in enumerate(desc.outputs[output].tensor.sizes)}

    # Running.

    @abstractmethod
    def kernel_numbers(self, desc: D) -> tuple[int, ...]:
        """What the kernel of the same name plans its work by: sizes folded to bytes, runs and strides."""
