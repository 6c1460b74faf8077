"""Check, Report, Fix, and what an operator has to provide: data, no meaning."""

from __future__ import annotations

import enum
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Generic, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from ..desc.fields import Desc
from ..desc.levels import FeatureLevel
from ..desc.values import Array, Fill, Indices, Values

D = TypeVar("D", bound=Desc)
Changes = Mapping[str, Any]
Starts = Mapping[int, "range | Indices"]
"""Axes of a tensor, ascending, that are cut into pieces: where the pieces begin, 0 first, the last up to the end."""

E_INVALIDARG = 0x80070057


class Severity(enum.StrEnum):
    ERROR = "error"
    """A documented violation: CreateOperator may answer E_INVALIDARG."""
    WARNING = "warning"
    """Legal, but the result is not what it seems."""
    NOTE = "note"
    """Worth knowing."""


class Change(NamedTuple):
    """One thing that a fix changes; `before` is empty for what is added, `after` for what is removed."""

    what: str
    before: str
    after: str

    def __str__(self) -> str:
        if not self.before or not self.after:
            return f"{'remove' if self.before else 'add'} {self.what} {self.before or self.after}"
        return f"{self.what} {self.before} → {self.after}"


@dataclass(frozen=True, slots=True)
class Fix:
    """An edit that was applied to a copy and re-checked there: it removes the failure it is offered for."""

    label: str
    desc: Desc
    feature_level: FeatureLevel
    mends_all: bool
    """True if no error is left after it."""
    changes: tuple[Change, ...] = ()
    """What `label` says, piece by piece."""
    left: int = 0
    """How many checks fail after it."""


@dataclass(frozen=True, slots=True)
class Check:
    """One rule held against one tensor or field."""

    id: str
    severity: Severity
    ok: bool
    field: str
    """DirectML's path: `OutputTensor.Sizes[2]`."""
    expected: Any
    found: Any
    message: str
    """One sentence: what was found and what was expected."""
    page: str
    """Where the rule is written."""
    fixes: tuple[Fix, ...] = ()
    related: tuple[str, ...] = ()
    """Paths of what else the rule read, to be lit beside `field`."""


@dataclass(frozen=True, slots=True)
class Waiting:
    """A check that another failure leaves without meaning."""

    id: str
    field: str
    on: str
    """The id of the check it waits for."""


@dataclass(frozen=True, slots=True)
class Report:
    """Every check of a desc at a feature level, and the lowest level that would accept the desc."""

    checks: tuple[Check, ...]
    waiting: tuple[Waiting, ...]
    feature_level: FeatureLevel
    lowest_level: FeatureLevel | None

    @property
    def ok(self) -> bool:
        """True if no rule of severity error is broken."""
        return not self.errors

    @property
    def errors(self) -> tuple[Check, ...]:
        return tuple(c for c in self.checks if not c.ok and c.severity is Severity.ERROR)

    @property
    def failures(self) -> tuple[Check, ...]:
        """Broken rules, warnings and notes."""
        return tuple(c for c in self.checks if not c.ok)


@dataclass(slots=True)
class Recorder:
    """Collects checks while rules run, and remembers which ids failed so that others can wait for them."""

    page: str
    patient: bool = True
    """False: rules that need a scan of many values wait for it, and whoever asked has it made elsewhere."""
    checks: list[Check] = field(default_factory=list)
    waiting: list[Waiting] = field(default_factory=list)

    def expect(
        self,
        id: str,  # noqa: A002 (the field's own name)
        ok: bool,
        field: str,
        expected: Any,
        found: Any,
        message: str,
        *,
        holds: str = "",
        where: str = "",
        related: Sequence[str] = (),
        severity: Severity = Severity.ERROR,
    ) -> bool:
        """Records one check: `message` says why it fails, `holds` that it doesn't; `where` names a passage of the page.

        Returns `ok`.
        """
        page = f"{self.page}, {where}" if where else self.page
        self.checks.append(
            Check(
                id,
                severity,
                ok,
                field,
                expected,
                found,
                holds if ok and holds else message,
                page,
                related=tuple(related),
            )
        )
        return ok

    def wait(self, id: str, field: str, on: str) -> None:  # noqa: A002
        self.waiting.append(Waiting(id, field, on))

    def note(self, id: str, field: str, found: Any, expected: Any, message: str, where: str = "") -> None:  # noqa: A002
        """Records a note; notes are recorded only where they have something to say."""
        self.expect(id, False, field, expected, found, message, where=where, severity=Severity.NOTE)

    def failed(self, *ids: str) -> str | None:
        """The first of `ids` that failed or waits itself."""
        for id_ in ids:
            if any(c.id == id_ and not c.ok for c in self.checks) or any(w.id == id_ for w in self.waiting):
                return id_
        return None


# ---- maps -------------------------------------------------------------------------------------------------------

NEGATIVE, CLAMPED = 1, 2
"""Flags of a source: its index counts from the end; its index or length was clamped."""

SCAN_LIMIT = 2**24
"""Index or length tensors with more elements are not scanned: what needs it is "not counted"."""
MANY = 2**16
"""A scan of more elements takes longer than a frame."""
NOT_COUNTED, COUNTING = -1, -2
"""In place of a count: it would need too large a scan; its scan isn't made yet."""
SCAN = "a scan of all values"
"""What a check waits for in a hurry."""


READ_LIMIT = 2**16
"""Sentences about values are made of at most so many index or length values."""


class Reader:
    """Reads input tensor `k` at flat indices (N,): how maps see index and length values.

    `cache` keeps what a map derives from all of them; a reader lives as long as its values stay. Where it isn't
    `patient`, a map that would have to scan many values first answers COUNTING until `Operator.prepare` has run.
    """

    def __init__(self, values: Sequence[Values]) -> None:
        self.values = values
        self.cache: dict[str, Any] = {}
        self.patient = True

    def __call__(self, tensor: int, flat: Indices) -> NDArray[Any]:
        return self.values[tensor].read(flat)

    def one(self, tensor: int, flat: int) -> int:
        """An index or a length."""
        return int(self(tensor, np.array([flat], np.int64))[0])


@dataclass(frozen=True, slots=True)
class Sources:
    """Where N output elements come from. All arrays are int64."""

    tensor: Indices
    """(N,) number of the input tensor."""
    index: tuple[Indices, ...]
    """One (N,) array an axis of that tensor."""
    via: tuple[Indices, ...] | None = None
    """The index or length cell that sent each element, one (N,) array an axis; None where there is none."""
    via_tensor: int = -1
    flags: Indices | None = None
    """(N,) of NEGATIVE | CLAMPED; None for none anywhere."""


@dataclass(frozen=True, slots=True)
class Factor:
    """Some neighbouring axes of an output, and the positions along them that belong to a region, ascending.

    `positions` are row-major over `sizes`, the sizes of those axes.
    """

    sizes: tuple[int, ...]
    positions: range | Array


@dataclass(frozen=True, slots=True)
class Region:
    """A set of elements of one output: the product of its factors, in axis order."""

    output: int
    factors: tuple[Factor, ...]


@dataclass(frozen=True, slots=True)
class Place:
    """A tensor of a desc by side and number: output 0, or input 2 in field order."""

    is_output: bool
    number: int


class Term(NamedTuple):
    """A number in a computation with the name of what it stands for; a sign between numbers has no name."""

    name: str
    text: str


class CodeLine(NamedTuple):
    """A line of pseudo-code, and what it comes to with the desc's numbers in place."""

    text: str
    live: str = ""
    ok: bool | None = None
    """Of an assertion: whether it holds; None where another failure leaves it without meaning, and of other lines."""
    failing: tuple[str, ...] = ()
    """The numbers of each failure, the first few of them."""


class Operator(ABC, Generic[D]):
    """What one operator means. The form, the checks, the pictures and the exports all follow from it."""

    name: ClassVar[str]
    """Without prefix: GATHER."""
    title: ClassVar[str]
    """One sentence for a newcomer."""
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

        Kinds: "output", "via", "source", "" for what stands between. What follows the source says where a number in
        the formula comes from.
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

        An element each is true of any operator; one that knows better says so. Two neighbours that could be moved
        together have different identities, or lie where the cuts that others need part them.
        """
        return {d: range(n) for d, n in enumerate(desc.outputs[output].tensor.sizes)}

    # Running.

    @abstractmethod
    def kernel_numbers(self, desc: D) -> tuple[int, ...]:
        """What the kernel of the same name plans its work by: sizes folded to bytes, runs and strides."""


def unravel(flat: Indices, sizes: Sequence[int]) -> tuple[Indices, ...]:
    """Row-major flat indices (N,) as one (N,) array an axis."""
    index = []
    rest = flat
    for size in reversed(sizes):
        index.append(rest % size)
        rest = rest // size
    return tuple(reversed(index))


def ravel(index: Sequence[Indices], sizes: Sequence[int]) -> Indices:
    """One (N,) array an axis as row-major flat indices (N,)."""
    flat: Indices = np.zeros_like(index[0])
    for each, size in zip(index, sizes, strict=True):
        flat = flat * size + each
    return flat
