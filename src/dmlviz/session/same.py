"""Are two outputs the same map? Where each element comes from is compared, for the index values that are there; then
for all settings of these where there are few, else for some that are drawn.
"""

from __future__ import annotations

import hashlib
import itertools
import math
from collections.abc import Hashable, Iterator
from enum import Enum
from typing import Any, TypeAlias

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from ..desc.fields import Role
from ..desc.indexing import index_in, unravel
from ..desc.tensors import TensorDesc, braces
from ..desc.value_sources import Npy
from ..desc.values import Array, Indices
from ..errors import plain
from ..operators.maps import NOWHERE
from ..stopping import checkpoint

MOST = 1 << 22
"""Elements of an output up to which all are compared, and index values up to which others are tried."""
MOST_SETTINGS, DRAWN = 4096, 64
MOST_WORK = 1 << 25
"""Elements that are compared for all settings together."""
PIECE = 1 << 16
MOST_TOLD = 8
"""Index values of an input that a sentence lists."""
Chain: TypeAlias = Any
Path: TypeAlias = Any
"""Those of `chains`, which imports this module."""
Chains = tuple[Chain, Chain]


class Answer(Enum):
    """What is known of two outputs."""

    FOR_ALL = "the same map"
    FOR_THESE = "the same for these index values"
    """For others it differs, or not all of them were tried."""
    DIFFERENT = "different"
    NOT_DECIDED = "not decided"


class Verdict(Struct, frozen=True):
    """An answer, and what it rests on."""

    answer: Answer
    reason: str
    """What was compared, or what differs; a clause."""
    first: int | None = None
    """The flat number of the first element, row-major, that comes from elsewhere; None where none does."""
    left: Path | None = None
    """Where that comes from in the one chain, and in the other; None without it."""
    right: Path | None = None

    @property
    def same(self) -> bool | None:
        """True for the same map, False for a different one; None where it is the same for some index values alone."""
        return {Answer.FOR_ALL: True, Answer.DIFFERENT: False}.get(self.answer)

    @property
    def sentence(self) -> str:
        """The verdict in one line."""
        return f"{self.answer.value.capitalize()}: {self.reason}."

    def __bool__(self) -> bool:
        """True for the same map."""
        return self.answer is Answer.FOR_ALL


def same(left: Chain, right: Chain, left_output: int = 0, right_output: int = 0) -> Verdict:
    """Whether each element of an output comes from the same one as in an output of another chain.

    Inputs of both are the same tensor where they are one experiment's, else in their order where type, sizes and values
    are the same.
    """
    for stage in (*left.stages, *right.stages):  # these are filled by default, which says nothing of the file
        if unfit := stage.sources_or_defaults()[1]:
            return Verdict(Answer.NOT_DECIDED, f"in {plain(stage.name, 40)} {unfit[0].removesuffix('.')}")
    one, other = left.outputs[left_output].tensor, right.outputs[right_output].tensor
    if one.data_type is not other.data_type:
        return Verdict(Answer.DIFFERENT, f"DataType is {one.data_type.name} here and {other.data_type.name} there")
    if one.sizes != other.sizes:
        return Verdict(Answer.DIFFERENT, f"Sizes is {braces(one.sizes)} here and {braces(other.sizes)} there")
    return _Pair((left, right), (left_output, right_output), one).verdict()


class _Pair:
    """Two outputs of one type and sizes, those of `tensor`."""

    def __init__(self, chains: Chains, outputs: tuple[int, int], tensor: TensorDesc) -> None:
        self.chains, self.outputs, self.tensor = chains, outputs, tensor
        self.numbers, taken = _matched(*chains)
        more = f", and {len(taken) - 1} more likewise" if len(taken) > 1 else ""
        self.taking = f", taking {taken[0]} for one input, as they hold the same values{more}" if taken else ""

    def verdict(self) -> Verdict:
        count = self.tensor.element_count
        if count > MOST:
            return Verdict(Answer.NOT_DECIDED, f"the outputs have {count:,} elements, expected at most {MOST:,}")
        flat = np.arange(count, dtype=np.int64)
        told = f"all {count:,} elements"
        if (first := self.first(self.chains, flat)) is not None:
            return self.about(Answer.DIFFERENT, f"of {told}", first, self.chains)
        steering = self.steering()
        if not steering:
            return Verdict(Answer.FOR_ALL, f"{told} were compared{self.taking}")
        spans = ((one.below - one.low, min(one.tensor.element_count, MOST_SETTINGS.bit_length())) for one in steering)
        settings = math.prod(span**cells for span, cells in spans)
        is_all = settings <= MOST_SETTINGS and settings * count <= MOST_WORK
        if not is_all and (cells := sum(one.tensor.element_count for one in steering)) > MOST:
            reason = f"{told} were compared, and no others of {cells:,} index values were tried"
            return Verdict(Answer.FOR_THESE, reason + self.taking)
        drawn = min(DRAWN, MOST_WORK // count)
        for setting in _every(steering) if is_all else _drawn(steering, drawn):
            one, other = (
                chain.with_values({n: setting[k] for n, k in enumerate(own) if k in setting})
                for chain, own in zip(self.chains, self.numbers, strict=True)
            )
            if (first := self.first((one, other), flat)) is not None:
                given = " and ".join(f"{each.name} {_listed(setting[each.number])}" for each in steering)
                return self.about(Answer.FOR_THESE, f"with {given}, of {told}", first, (one, other))
        how = f"all {settings:,} settings" if is_all else f"{drawn} drawn settings"
        answer = Answer.FOR_ALL if is_all else Answer.FOR_THESE
        return Verdict(answer, f"{told} were compared for {how} of the index values{self.taking}")

    def first(self, chains: Chains, flat: Indices) -> int | None:
        """The first of elements `flat` (N,) that comes from elsewhere in the other chain; None for none."""
        for start in range(0, len(flat), PIECE):
            checkpoint()
            piece = flat[start : start + PIECE]
            here, there = (self._sources(chain, k, piece) for k, chain in enumerate(chains))
            differ = np.flatnonzero(np.any([a != b for a, b in zip(here, there, strict=True)], axis=0))
            if len(differ):
                return int(piece[differ[0]])
        return None

    def _sources(self, chain: Chain, k: int, flat: Indices) -> tuple[Indices, Indices, NDArray[np.uint64]]:
        """Where elements (N,) of one output come from: inputs' numbers, elements of these, bits of constants."""
        roots, flats, _ = chain.addresses(len(chain.stages) - 1, self.outputs[k], flat)
        bits = np.zeros(len(flat), np.uint64)
        if (nowhere := roots == NOWHERE).any():
            held = chain.traces[-1].window(self.outputs[k], unravel(flat[nowhere], self.tensor.sizes))
            bits[nowhere] = held.view(f"u{held.itemsize}")
        return np.array([*self.numbers[k], NOWHERE])[roots], flats, bits

    def about(self, answer: Answer, which: str, first: int, chains: Chains) -> Verdict:
        """The verdict that element `first` comes from elsewhere."""
        at = index_in(first, self.tensor.sizes)
        paths = [chain.source(output, at) for chain, output in zip(chains, self.outputs, strict=True)]
        here, there = (chain.end_text(path) for chain, path in zip(chains, paths, strict=True))
        name = chains[0].element_text(len(chains[0].stages) - 1, self.outputs[0], at)
        reason = f"{which} the first that differs is {name}, which reads {here} here and {there} there"
        return Verdict(answer, reason + self.taking, first=first, left=paths[0], right=paths[1])

    def steering(self) -> list[_Steering]:
        """The inputs that index and length values come from, also through other stages."""
        found: dict[int, _Steering] = {}
        for chain, own in zip(self.chains, self.numbers, strict=True):
            for s, trace in enumerate(chain.traces):
                for k, part in enumerate(trace.inputs):
                    bound = trace.operator.bound(trace.desc, k) if part.field.role is not Role.DATA else None
                    for root in chain.filling(s, k) if bound is not None else ():
                        known = found.get(own[root])
                        below = min(bound, known.below) if known is not None and bound is not None else bound
                        tensor = chain.inputs[root].part.tensor
                        found[own[root]] = _Steering(own[root], chain.root_text(root), tensor, below or 1)
        return [*found.values()]


class _Steering(Struct, frozen=True):
    """An input that holds indices or lengths."""

    number: int
    name: str
    tensor: TensorDesc
    below: int
    """What they stay below, wherever they are read."""

    @property
    def low(self) -> int:
        """The least of them: indices that are signed may count from the end."""
        return -self.below if self.tensor.data_type.is_signed else 0

    def filled(self, values: object) -> Array:
        """The tensor with these values, or with one value."""
        filled = np.empty(self.tensor.element_count, self.tensor.data_type.dtype)
        filled[:] = values
        return filled.reshape(self.tensor.sizes)


def _every(steering: list[_Steering]) -> Iterator[dict[int, Array]]:
    """All settings, by the inputs' numbers."""
    ranges = (range(one.low, one.below) for one in steering for _ in range(one.tensor.element_count))
    for values in itertools.product(*ranges):
        left = iter(values)
        yield {one.number: one.filled([*itertools.islice(left, one.tensor.element_count)]) for one in steering}


def _drawn(steering: list[_Steering], count: int) -> Iterator[dict[int, Array]]:
    """Some settings: all values at one edge, 0, n - 1, -1 or -n, then drawn, one in four at an edge."""
    random = np.random.default_rng(0)
    for n in range(count):
        setting = {}
        for one in steering:
            edges = (0, one.below - 1, -1, one.low) if one.low else (0, one.below - 1)
            values = random.integers(one.low, one.below, one.tensor.element_count)
            at_edge = random.random(len(values)) < 0.25
            values[at_edge] = random.choice(edges, at_edge.sum())
            setting[one.number] = one.filled(edges[n % len(edges)] if n < 4 else values)
        yield setting


def _matched(left: Chain, right: Chain) -> tuple[tuple[list[int], list[int]], list[str]]:
    """Numbers of either chain's inputs, equal for the same tensor; and which are taken for one by what they hold."""
    own = {(id(left.stages[root.stage]), root.part.path): n for n, root in enumerate(left.inputs)}
    fresh = len(left.inputs)
    mine = [*range(fresh)]
    its = [own.get((id(right.stages[root.stage]), root.part.path), fresh + n) for n, root in enumerate(right.inputs)]
    ours: dict[Hashable, list[int]] = {}
    theirs: dict[Hashable, list[int]] = {}
    for n in mine:
        if n not in its:
            ours.setdefault(_kind(left, n), []).append(n)
    for n, number in enumerate(its):
        if number >= fresh:
            theirs.setdefault(_kind(right, n), []).append(n)
    taken: list[str] = []
    for kind, here in ours.items():
        there = theirs.get(kind, [])
        if len(here) == len(there):
            for n, k in zip(here, there, strict=True):
                its[k] = n
                taken.append(f"{left.root_text(n)} and {right.root_text(k)}")
        elif there:  # a tensor that one of both reads more often
            for numbers, which in ((mine, here), (its, there)):
                for n in which:
                    numbers[n] = here[0]
            taken.append(f"{left.root_text(here[0])} and the inputs with its type, sizes and values")
    return (mine, its), taken


def _kind(chain: Chain, number: int) -> Hashable:
    """What inputs have in common that are the same tensor as far as their descs and values say."""
    root = chain.inputs[number]
    stage = chain.stages[root.stage]
    values = chain.traces[root.stage].values[root.tensor]
    entry = stage.values.get(root.part.path)
    held = values.key
    if isinstance(entry, Npy):
        held = entry, stage.folder
    elif held is None:
        held = hashlib.sha256(np.ascontiguousarray(values.array()).data).digest()
    ends = values.read(np.array([0, values.tensor.element_count - 1])).tobytes()  # -0.0 equals 0.0 as a fill does
    return root.part.tensor.data_type, root.part.tensor.sizes, held, ends


def _listed(array: Array) -> str:
    """The values of an index or length tensor, or the first of many."""
    values = array.reshape(-1)[: MOST_TOLD + 1].tolist()
    return braces(values) if len(values) <= MOST_TOLD else f"{braces(values[:MOST_TOLD])[:-1]}, …}}"
