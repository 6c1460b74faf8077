"""Wrong rules that people hold about an operator, each a second map beside the operator's own.

From them come the wrong answers that a question offers, the element that is worth asking about, and the name of what a
student believes. A misreading answers what the operator answers: outputs, a verdict, a level; only otherwise.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import takewhile
from typing import Any, Generic, TypeVar

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from ..desc.base import Desc
from ..desc.levels import FeatureLevel
from ..desc.values import Array, Indices
from .maps import NOWHERE, Place, Reader, Sources
from .scans import SCAN_LIMIT

D = TypeVar("D", bound=Desc)


FIRST_READ = 2**10
"""Of many values, most often one of the first tells."""

Sizes = tuple[int, ...]


class WrongOutputs(Struct, frozen=True):
    """What a desc's outputs would be by a wrong rule: their sizes, and where each element would come from."""

    sizes: tuple[Sizes, ...]
    """The sizes of each output; their number and DimensionCounts may differ from the desc's."""
    source: Callable[[int, tuple[Indices, ...]], Sources] | None = None
    """(output, one (N,) array an axis of its wrong sizes) to sources; None where the rule is about sizes alone.

    `tensor` is `maps.NOWHERE` where an element comes from no input. `via` is there only where the rule takes another
    index or length cell than the operator does.
    """
    constant: int | float | None = None
    """What stands where an element comes from no input; None for the operator's constant, or 0 where that has none."""


class Misreading(Struct, Generic[D], frozen=True, kw_only=True):
    """One wrong rule about an operator. What it says nothing about is None: there its holder answers rightly."""

    id: str
    """As in the design of teaching: "R3". Of all operators, those alone have it that share the rule."""
    name: str
    """What its holder believes, in a few words: "the length is an index"."""
    feedback: str
    """One sentence on what holds instead. `{L}` stands for one of `numbers`."""
    look: str
    """Where to look, in a few words: "SequenceLengthsTensor's cell"."""
    lights: tuple[str, ...] = ()
    """What lights up with it: paths of fields (`Axis`, `OutputTensor.Sizes[2]`, `SequenceLengthsTensor`), and
    `formula`, `memory`, `rules`, `levels`, `ruler` for panels."""
    differs: Callable[[D, Reader], bool]
    """Tells whether this rule's answers about a desc are wrong: True where they differ from the truth.

    It is computed from the desc's numbers and values, and never by comparing outputs. A rule about outputs is asked
    about valid descs alone. False where the rule has no meaning, or where only values beyond the first `SCAN_LIMIT`
    would show a difference."""
    outputs: Callable[[D, Reader], WrongOutputs | None] | None = None
    """The outputs by this rule; None where it has no meaning for them. The desc is valid, unless `accepts` it."""
    accepts: Callable[[D, Reader], bool | None] | None = None
    """Whether a desc would be valid by this rule, which may be broken; None where the rule has nothing to say.

    It says nothing of a desc that breaks other rules too: its holder sees those.
    """
    lowest_level: Callable[[D], FeatureLevel | None] | None = None
    """The lowest feature level by this rule, of a desc that may be broken."""
    reads: Callable[[D, Reader, int, tuple[int, ...]], int] | None = None
    """How often an input's element is read by this rule, where that doesn't follow from `outputs`."""
    input_sizes: Callable[[D, int], Sizes | None] | None = None
    """The sizes that input tensor `k`, which steers others, has to have by this rule; None for what it doesn't say."""
    axis: Callable[[D], int] | None = None
    """What its holder writes into Axis, who means the axis that the desc means; below 0 where nothing says it."""
    order: Callable[[D, int, Indices], tuple[Indices, ...]] | None = None
    """Where an output's elements lie that have flat positions (N,) in its memory by this rule: one array an axis.

    Its holder, asked for memory, reads the true picture in this order. None: the order is `outputs`' own, row by row.
    `differs` is about `outputs`; an order differs where the output has two axes longer than 1.
    """
    numbers: Callable[[D, Reader, Place, tuple[int, ...]], Mapping[str, Any]] | None = None
    """What stands in `feedback`'s braces, for an element's place and index: one that was asked about, or differs."""

    def says(
        self,
        desc: D,
        read: Reader,
        place: Place | None = None,
        index: Sequence[int] = (),
    ) -> str:
        """`feedback` with the desc's own numbers; `place` and `index` are those of an element, if one was asked for."""
        if self.numbers is None:
            return self.feedback
        where = place or Place(True, 0)
        at = tuple(index) or (0,) * len(desc.outputs[0].tensor.sizes if desc.outputs else ())
        return self.feedback.format_map(self.numbers(desc, read, where, at))


def wrong_verdict(verdict: bool, accepts: Callable[[Any, Reader], bool | None]) -> dict[str, Any]:
    """`accepts` and `differs` of a rule whose holder is wrong wherever this is the verdict."""
    return {"accepts": accepts, "differs": lambda desc, read: accepts(desc, read) is verdict}


def moved(sizes: Sizes, at: Callable[[tuple[Indices, ...]], tuple[Indices, ...]]) -> WrongOutputs:
    """One output of these sizes, whose elements come from elsewhere in the first input: (N,) arrays, an axis each."""
    return WrongOutputs((sizes,), lambda output, index: Sources(np.zeros_like(index[0]), at(index)))


def nowhere(sources: Sources, where: NDArray[np.bool_]) -> Sources:
    """`sources`, where the elements that `where` marks come from nowhere."""
    index = tuple(np.where(where, 0, axis) for axis in sources.index)
    return Sources(np.where(where, NOWHERE, sources.tensor), index)


def some_value(read: Reader, name: str, holds: Callable[[Array], NDArray[np.bool_]]) -> bool:
    """True if `holds` is true of an index or length value, among the first `SCAN_LIMIT`.

    It is asked of (N,) raw values at a time, up to the first hit; the reader keeps the answer by `name`.
    """

    def look() -> bool:
        values = read.values[1]
        first = np.arange(min(values.tensor.element_count, FIRST_READ), dtype=np.int64)
        chunks = takewhile(lambda chunk: chunk[0] < SCAN_LIMIT, values.chunks())
        return bool(holds(values.read(first)).any()) or any(bool(holds(chunk).any()) for _, chunk in chunks)

    return read.kept(f"some value: {name}", look)
