"""Are two outputs equivalent? By where each element comes from, for the index values there are and for others."""

from __future__ import annotations

import hashlib
import itertools
import math
from collections.abc import Hashable, Iterable, Iterator, Sequence
from enum import Enum
from typing import Any, TypeAlias

import numpy as np
from msgspec import Struct

from ..desc.fields import Role
from ..desc.indexing import index_in, unravel
from ..desc.tensors import TensorDesc, braces, brackets
from ..desc.values import Stored
from ..errors import cut, plain
from ..operators.maps import NOWHERE
from ..stopping import checkpoint

Chain: TypeAlias = Any
Path: TypeAlias = Any
"""Those of `chains`, which imports this module."""
MOST = 1 << 22
"""Elements of an output up to which all are compared, and index values up to which others are tried."""
MOST_SETTINGS, DRAWN = 4096, 64
MOST_WORK, PIECE = 1 << 25, 1 << 16
"""Elements that are compared for all settings together, and at once."""
Steering = list[tuple[int, str, TensorDesc, range]]
"""The inputs that index and length values come from: the number of each, its name, and what its elements may be."""


class Answer(Enum):
    """What is known of two outputs."""

    FOR_ALL = "equivalent"
    FOR_THESE = "equivalent for these index values"
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
    def sentence(self) -> str:
        return f"{self.answer.value.capitalize()}: {self.reason}."

    def __bool__(self) -> bool:
        return self.answer is Answer.FOR_ALL


def same(left: Chain, right: Chain, left_output: int = 0, right_output: int = 0) -> Verdict:
    """Whether each element of an output comes from the same one as in an output of another chain.

    Inputs of both are the same tensor where they are one experiment's, else in their order where type, sizes and values
    are the same.
    """
    for stage in (*left.stages, *right.stages):  # these are filled by default, which says nothing of the file
        if unfit := stage.sources_or_defaults()[1]:
            return Verdict(Answer.NOT_DECIDED, f"in {plain(stage.name, 40)} {unfit[0].removesuffix('.')}")
    one = left.outputs[left_output].tensor
    other = right.outputs[right_output].tensor
    if one.data_type is not other.data_type:
        return Verdict(Answer.DIFFERENT, f"DataType is {one.data_type.name} here and {other.data_type.name} there")
    if one.sizes != other.sizes:
        sizes = f"{braces(one.sizes)} here and {braces(other.sizes)} there"
        return Verdict(Answer.DIFFERENT, f"Sizes is {sizes}")
    if (count := one.element_count) > MOST:
        return Verdict(Answer.NOT_DECIDED, f"the outputs have {count:,} elements, expected at most {MOST:,}")
    chains = (left, right)
    outputs = (left_output, right_output)
    told = f"all {count:,} elements"
    numbers, taking = _matched(left, right)
    steering = _steering(chains, numbers)
    most = MOST_WORK // count
    settings = math.prod(len(span) ** min(tensor.element_count, 13) for _, _, tensor, span in steering)
    is_all = settings <= min(MOST_SETTINGS, most)
    drawn = 0 if sum(tensor.element_count for _, _, tensor, _ in steering) > MOST else min(DRAWN, most)
    tried = _settings(steering, None if is_all else drawn) if steering else ()
    for setting in itertools.chain([{}], tried):
        given = [{n: setting[key] for n, key in enumerate(own) if key in setting} for own in numbers]
        pair = [chain.with_values(own) if own else chain for chain, own in zip(chains, given, strict=True)]
        if (first := _first(pair, outputs, numbers)) is not None:
            at = index_in(first, one.sizes)
            here, there = (chain.source(output, at) for chain, output in zip(pair, outputs, strict=True))
            values = {n: cut(braces(given.array().reshape(-1).tolist()), 40) for n, given in setting.items()}
            with_ = " and ".join(f"{name} {values[n]}" for n, name, _, _ in steering if setting)
            with_ = f"with {with_}, " if with_ else ""
            reason = f"{with_}of {told}, the first that differs is {brackets(at)}: here it reads "
            reason += f"{left.end_text(here)}, and there {right.end_text(there)}{taking}"
            answer = Answer.FOR_THESE if setting else Answer.DIFFERENT
            return Verdict(answer, reason, first=first, left=here, right=there)
    how = ""
    if steering:
        how = f"all {settings:,}" if is_all else f"{drawn} drawn"
        how = f" for {how} settings of the index values"
    return Verdict(Answer.FOR_ALL if is_all else Answer.FOR_THESE, f"{told} were compared{how}{taking}")


def _first(chains: Sequence[Chain], outputs: Sequence[int], numbers: Sequence[list[int]]) -> int | None:
    """The first element that comes from elsewhere in the other chain; None for none."""
    tensor = chains[0].outputs[outputs[0]].tensor
    for start in range(0, tensor.element_count, PIECE):
        checkpoint()
        flat = np.arange(start, min(start + PIECE, tensor.element_count), dtype=np.int64)
        found = []
        for chain, output, own in zip(chains, outputs, numbers, strict=True):
            roots, flats, _ = chain.addresses(len(chain.stages) - 1, output, flat)
            bits = np.zeros(len(flat), np.uint64)  # of constants
            if (nowhere := roots == NOWHERE).any():
                held = chain.traces[-1].window(output, unravel(flat[nowhere], tensor.sizes))
                bits[nowhere] = held.view(f"u{held.itemsize}")
            found.append(np.array([np.array([*own, NOWHERE])[roots], flats, bits.view(np.int64)]))
        if len(differ := np.flatnonzero((found[0] != found[1]).any(axis=0))):
            return int(flat[differ[0]])
    return None


def _steering(chains: Sequence[Chain], numbers: Sequence[list[int]]) -> Steering:
    """The inputs that index and length values come from, also through other stages."""
    found: dict[int, tuple[str, TensorDesc, int]] = {}
    for chain, own in zip(chains, numbers, strict=True):
        below: dict[int, int] = {}  # by stages of which others read indices or lengths
        for (s, k), (stage, number) in sorted(chain.fed.items(), reverse=True):
            trace = chain.traces[s]
            part = chain.traces[s].inputs[k]
            bound = below.get(s) if part.field.role is Role.DATA else trace.operator.bound(trace.desc, k)
            if bound is not None and stage != NOWHERE:
                below[stage] = min(bound, below.get(stage, bound))
            elif bound is not None:
                known = found.get(own[number], ("", part.tensor, bound))[2]
                found[own[number]] = chain.root_text(number), part.tensor, max(1, min(bound, known))
    return [  # signed ones may count from the end
        (number, name, tensor, range(-below if tensor.data_type.is_signed else 0, below))
        for number, (name, tensor, below) in sorted(found.items())
    ]


def _settings(steering: Steering, drawn: int | None) -> Iterator[dict[int, Stored]]:
    """All settings of these inputs; or some: each all at one edge, 0, n - 1, -1 or -n, then one in four at an edge."""
    counts = [tensor.element_count for _, _, tensor, _ in steering]
    random = np.random.default_rng(0)
    low = np.repeat([span.start for *_, span in steering], counts)
    stop = np.repeat([span.stop for *_, span in steering], counts)
    edges = np.array([np.zeros_like(low), stop - 1, np.where(low, -1, 0), low])
    rows: Iterable[Any] = range(drawn or 0)
    if drawn is None:
        rows = itertools.product(*map(range, low.tolist(), stop.tolist()))
    for n, row in enumerate(rows):
        which = random.integers(0, 16, len(low)) if n >= 4 else np.full(len(low), n)
        values = np.where(which < 4, edges[which % 4, np.arange(len(low))], random.integers(low, stop))
        parts = np.split(np.array(row) if drawn is None else values, np.cumsum(counts)[:-1])
        setting = dict[int, Stored]()
        for (number, _, tensor, _), part in zip(steering, parts, strict=True):
            setting[number] = Stored(tensor, part.astype(tensor.data_type.dtype))
        yield setting


def _matched(left: Chain, right: Chain) -> tuple[tuple[list[int], list[int]], str]:
    """Numbers of either chain's inputs, equal for the same tensor; and words where values alone say which are so."""
    own = [[(id(one.stages[root.stage]), root.part.path) for root in one.inputs] for one in (left, right)]
    keys: dict[Hashable, int] = {}
    numbers = list[int](), list[int]()
    for one, paths, numbered in zip((left, right), own, numbers, strict=True):
        kinds = list[Hashable]()
        for n, path in enumerate(paths):
            is_shared = path in own[0] and path in own[1]
            kind = path if is_shared else _kind(one, n)
            numbered.append(keys.setdefault((kind, kinds.count(kind)), len(keys)))
            kinds.append(kind)
    by_values = len({*numbers[0]} & {*numbers[1]}) > len({*own[0]} & {*own[1]})
    return numbers, "; inputs with equal values count as one" * by_values


def _kind(chain: Chain, number: int) -> Hashable:
    """What inputs have in common that are the same tensor as far as their descs and values say."""
    root = chain.inputs[number]
    values = chain.traces[root.stage].values[root.tensor]
    held = values.key or hashlib.sha256(np.ascontiguousarray(values.array()).data).digest()
    ends = values.read(np.array([0, values.tensor.element_count - 1])).tobytes()  # -0.0 equals 0.0 as a fill does
    return root.part.tensor.data_type, root.part.tensor.sizes, held, ends
