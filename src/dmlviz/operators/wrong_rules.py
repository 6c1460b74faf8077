"""Wrong rules that people hold about an operator, each a second map beside the operator's own.

From them come the wrong answers that a question offers, the element that is worth asking about, and the name of what a
student believes. A misreading answers what the operator answers: outputs, a verdict, a level; only otherwise. Where it
does is found by comparing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any, Generic, TypeVar

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from ..desc.base import Desc
from ..desc.fields import Role
from ..desc.indexing import sample_indices, unravel
from ..desc.levels import NEWEST, FeatureLevel
from ..desc.tensors import braces
from ..desc.values import Array, Index, Indices
from .general_rules import evaluate
from .level_rules import lowest_level
from .maps import NOWHERE, Reader, Sources, nowhere
from .registry import operator_of
from .report import Severity

D = TypeVar("D", bound=Desc)
Sizes = tuple[int, ...]

LOOKED_AT = 4096
"""Elements of a tensor that is looked at whole."""
SOME = 128
"""Elements of a larger one that are compared."""
MOST_MADE = 2**18
"""Elements of a data input, and of an output by a rule that makes more of them than the operator does."""


CHECK = re.compile(r"[a-z_]+\.[a-z_]+")
"""The id of a check, such as `axis.range`."""
PLACES = {
    "formula": "the formula line",
    "memory": "memory, which has the elements in row-major order",
    "levels": "the table of feature levels",
    "ruler": "the axes' names",
}
"""Panels, as somebody is sent there."""


class WrongOutputs(Struct, frozen=True):
    """What a desc's outputs would be by a wrong rule: their sizes, and where each element would come from."""

    sizes: tuple[Sizes, ...]
    """The sizes of each output; their number and DimensionCounts may differ from the desc's."""
    source: Callable[[int, Index], Sources] | None = None
    """(output, one (N,) array an axis of its wrong sizes) to sources; None where the rule is about sizes alone.

    `tensor` is `maps.NOWHERE` where an element comes from no input. `via` is there only where the rule takes another
    index or length cell than the operator does.
    """


class Misreading(Struct, Generic[D], frozen=True, kw_only=True):
    """One wrong rule about an operator. What it says nothing about is None: there its holder answers rightly."""

    id: str
    """As in the design of teaching: "R3". Of all operators, those alone have it that share the rule."""
    name: str
    """What its holder believes, in a few words: "the length is an index"."""
    feedback: str
    """One sentence on what holds instead, with what the desc has in braces: `{Axis}`, or any field that is no tensor;
    `{InputTensor}`, the sizes of a tensor, by its path; of the first tensor `{D}`, its DimensionCount, and `{n}`, its
    size along Axis; or of the desc, `{desc.copies}`."""
    lights: tuple[str, ...]
    """What lights up with it, first where to look: paths of fields (`Axis`, `OutputTensor.Sizes`), ids of checks, and
    `formula`, `memory`, `levels`, `ruler` for panels."""
    outputs: Callable[[D, Reader], WrongOutputs | None] | None = None
    """The outputs by this rule, of a valid desc; None where it has no meaning. With `accepts`, of a broken one that it
    accepts."""
    also: tuple[Callable[[D, Reader], WrongOutputs | None], ...] = ()
    """Outputs that its holder may mean as well: a diagnosis knows them, no choice shows them and no verdict."""
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
    order: Callable[[D, int, Indices], Index] | None = None
    """Where an output's elements lie that have flat positions (N,) in its memory by this rule: one array an axis.

    Its holder, asked for memory, reads the true picture in this order. None: the order is `outputs`' own, row by row.
    An order differs from the truth where the output has two axes longer than 1.
    """

    @property
    def look(self) -> str:
        """Where to look, in a few words: "rule sizes.sum"."""
        first = self.lights[0]
        return f"rule {first}" if CHECK.fullmatch(first) else PLACES.get(first, first)

    @property
    def meanings(self) -> list[Misreading[D]]:
        return [replace(self, id=f"{self.id}.{k}", outputs=own, also=()) for k, own in enumerate(self.also)]

    def says(self, desc: D) -> str:
        """`feedback` with the desc's own numbers: of one that is valid, or about which the rule is wrong."""
        told = {field.name: field.shown(desc.get(field.name)) for field in desc.ATTRIBUTES}
        told |= {part.path: braces(part.tensor.sizes) for part in desc.parts}
        sizes = next((part.tensor.sizes for part in desc.parts), ())
        axis = next(iter(desc.named_axes), 0)
        return self.feedback.format_map({**told, "desc": desc, "D": len(sizes), "n": dict(enumerate(sizes)).get(axis)})

    def differs(self, desc: D, read: Reader) -> bool:
        """True where this rule's answers about a desc are wrong. Of a rule without a verdict the desc has to be valid.

        Of more than `LOOKED_AT` elements of an output `SOME` are compared.
        """
        if self.accepts is not None:
            return self.accepts(desc, read) not in (None, is_valid(desc))
        op = operator_of(desc)
        if self.lowest_level is not None:
            return self.lowest_level(desc) is not lowest_level(op, desc, evaluate(op, desc, NEWEST))
        if self.input_sizes is not None:
            wanted = [self.input_sizes(desc, k) for k in range(len(desc.inputs))]
            return any(w not in (None, part.tensor.sizes) for w, part in zip(wanted, desc.inputs, strict=True))
        if self.reads is not None:
            first = (0,) * desc.inputs[0].tensor.dimension_count
            true = op.counts(desc, 0, tuple(np.zeros(1, np.int64) for _ in first), read)
            return self.reads(desc, read, 0, first) != int(true[0])
        return self._outputs_differ(desc, read)

    def _outputs_differ(self, desc: D, read: Reader) -> bool:
        wrong = self.outputs(desc, read) if self.outputs is not None else None
        if wrong is None or wrong.sizes != tuple(part.tensor.sizes for part in desc.outputs):
            return wrong is not None
        if wrong.source is None:
            return False
        for k, part in enumerate(desc.outputs):
            count = part.tensor.element_count
            index = unravel(sample_indices(count, LOOKED_AT if count <= LOOKED_AT else SOME), part.tensor.sizes)
            own = wrong.source(k, index)
            true = operator_of(desc).source(desc, k, index, read)
            pairs = zip((own.tensor, *own.index), (true.tensor, *true.index), strict=True)
            if not all(np.array_equal(a, b) for a, b in pairs):
                return True
        return False


def by_arrays(rule: Callable[..., Any]) -> Callable[[Any, Reader], WrongOutputs | None]:
    """Outputs by a rule of (desc, an array for each input), which makes arrays of them as NumPy would.

    A data input holds the numbers of its elements, counted on through all inputs; others hold their values. What comes
    from no input is NOWHERE in an output. The rule makes one array, or a list of them for so many outputs, or None. Or
    a tuple: an array, and by the same places the numbers of the index or length cells that it takes. Large tensors have
    no meaning by it.
    """

    def outputs(desc: Desc, read: Reader) -> WrongOutputs | None:
        most = {Role.DATA: MOST_MADE}
        if any(part.tensor.element_count > most.get(part.field.role, LOOKED_AT) for part in desc.parts):
            return None
        arrays, ends = [], [0]
        for k, part in enumerate(desc.inputs):
            numbers = part.tensor.flat
            values = numbers + ends[k] if part.is_data else read(k, numbers)
            arrays.append(values.reshape(part.tensor.sizes))
            ends.append(ends[k] + len(numbers))
        made = rule(desc, *arrays)
        if made is None:
            return None
        made, cells = made if isinstance(made, tuple) else (made, None)
        pictures = made if isinstance(made, list) else [made]
        shapes = np.array([part.tensor.sizes for part in desc.inputs], np.int64)

        def source(output: int, index: Index) -> Sources:
            number = pictures[output][index]
            tensor = np.searchsorted(ends, number, side="right").astype(np.int64) - 1
            own = unravel(number - np.array(ends)[tensor], list(shapes[tensor].T))
            if cells is not None:
                return Sources(tensor, own, unravel(cells[index], desc.inputs[1].tensor.sizes), 1)
            return nowhere(Sources(tensor, own), tensor == NOWHERE)

        return WrongOutputs(tuple(picture.shape for picture in pictures), source)

    return outputs


def by_sizes(rule: Callable[[Any], Sequence[Sizes]]) -> Callable[[Any, Reader], WrongOutputs]:
    return lambda desc, read: WrongOutputs(tuple(rule(desc)))


def true_outputs(desc: Desc, read: Reader) -> WrongOutputs:
    """What the operator itself makes of `desc`, which is another reading of the desc in question."""
    op = operator_of(desc)
    sizes = tuple(part.tensor.sizes for part in desc.outputs)
    return WrongOutputs(sizes, lambda output, index: op.source(desc, output, index, read))


def steering_values(desc: Desc, read: Reader) -> Array | None:
    """All raw values of the indices or lengths, row-major; None of a broken desc, and of too many."""
    count = desc.inputs[1].tensor.element_count
    return read(1, np.arange(count, dtype=np.int64)) if count <= LOOKED_AT and is_valid(desc) else None


def broken_rules(desc: Desc) -> frozenset[str]:
    """The ids of the errors that `desc` has at the newest level; values break none."""
    record = evaluate(operator_of(desc), desc, NEWEST)
    return frozenset(check.id for check in record.checks if not check.ok and check.severity is Severity.ERROR)


def is_valid(desc: Desc) -> bool:
    """True if no rule of severity error is broken at the newest level; values break none."""
    return not broken_rules(desc)


def lets_pass(desc: Desc, *rules: str) -> bool | None:
    """True, the verdict of a rule's holder who overlooks these ids; None where others are broken, which are seen."""
    return True if broken_rules(desc) <= {*rules} else None
