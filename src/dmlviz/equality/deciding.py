"""Are two chains the same map? Decided by tables, never by trying; where they differ, the first element that does."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Hashable, Iterator, Sequence
from enum import Enum

import numpy as np
from msgspec import Struct
from msgspec.structs import replace
from numpy.typing import NDArray

from ..desc.fields import Role
from ..desc.indexing import index_in, sample_indices, unravel
from ..desc.tensors import braces, brackets
from ..desc.value_sources import Npy
from ..desc.values import Array, Indices
from ..errors import plain
from ..operators.maps import NOWHERE, tensors_among
from ..session.chains import Chain, Path
from ..stopping import checkpoint
from .tables import MOST_CELLS, Follower, Leaf, Node, NotDecided, Piece, Table, alike, followed, tight

MOST_COMPARED = 1 << 18
"""Elements of outputs whose values are compared where maps differ."""
MOST_TRIED = 1 << 12
"""Elements that are looked at, some more than so many, where tables would be too large."""
PIECE = 1 << 14


class Answer(Enum):
    """What is known of two chains' outputs."""

    FOR_ALL = "the same map, for all index values"
    FOR_THESE = "the same map, for these index values"
    DIFFERENT = "different"
    ON_THIS_DATA = "equal on this data alone"
    NOT_DECIDED = "not decided"

    @property
    def same(self) -> bool | None:
        """True for the same map, None where that isn't decided."""
        return None if self is Answer.NOT_DECIDED else self in (Answer.FOR_ALL, Answer.FOR_THESE)


class Verdict(Struct, frozen=True):
    """An answer, and what shows it."""

    answer: Answer
    first: int | None = None
    """The flat number of the first element, row-major, that comes from elsewhere; None where none does.

    Where not all could be looked at, the first that is known, and the reason says so."""
    left: Path | None = None
    """Where that comes from in the one chain, and in the other; None without it."""
    right: Path | None = None
    reason: str = ""
    """Why it isn't decided, why there is no first element, or what the answer rests on; a clause."""
    matched: str = ""
    """Which inputs are taken for the same though no wire says so, or which one nothing there is taken for; a clause."""
    texts: tuple[str, str, str] = ("", "", "")
    """The first element's index, and what it reads in either chain, as sentences say them."""

    @property
    def same(self) -> bool | None:
        """True for the same map, False for a different one, None where that isn't decided."""
        return self.answer.same

    @property
    def sentence(self) -> str:
        """The verdict in one line."""
        at, left, right = self.texts
        reasons = "; ".join(filter(None, [self.matched, self.reason]))
        because = f": {reasons}" if reasons else ""
        if self.first is None:
            return f"{self.answer.value[0].upper()}{self.answer.value[1:]}{because}."
        reads = f"{at} reads {left} here and {right} there"
        if self.answer is Answer.ON_THIS_DATA:
            return f"Equal on this data alone: {reads}, and holds the same{because}."
        return f"Different: {reads}{because}."

    def __bool__(self) -> bool:
        """True for the same map."""
        return self.same is True


def same(left: Chain, right: Chain, left_output: int = 0, right_output: int = 0) -> Verdict:
    """Whether an output of each of two chains is the same map: whether each element comes from the same one.

    Inputs of both are the same tensor where they are one experiment's, or else in their order where type, sizes and
    values are the same.
    """
    for stage in (*left.stages, *right.stages):  # these are filled by default, which says nothing of the file
        if unfit := stage.sources_or_defaults()[1]:
            return Verdict(Answer.NOT_DECIDED, reason=f"in {plain(stage.name, 40)} {unfit[0].removesuffix('.')}")
    (mine, its), outputs = (chain.traces[-1] for chain in (left, right)), (left_output, right_output)
    ends = [trace.outputs[k].tensor for trace, k in zip((mine, its), outputs, strict=True)]
    for name, one, other in (
        ("DataType", *(tensor.data_type.name for tensor in ends)),
        ("Sizes", *(braces(tensor.sizes) for tensor in ends)),
    ):
        if one != other:
            return Verdict(Answer.DIFFERENT, reason=f"{name} is {one} here and {other} there")
    inputs = Inputs(left, right)
    compared = Compared(left, right, outputs, inputs)
    reason = inputs.taken
    steered = any(part.field.role is not Role.DATA for c in (left, right) for t in c.traces for part in t.inputs)
    try:
        if compared.equal(for_all_values=True):
            return Verdict(Answer.FOR_ALL, reason=reason, matched=inputs.matched())
        why = ""
    except NotDecided as error:
        why = str(error).removesuffix(".")
        reason = "; ".join(filter(None, [reason, f"for all values not decided, {why}"]))
    try:
        if steered and compared.equal(for_all_values=False):
            return Verdict(Answer.FOR_THESE, reason=reason, matched=inputs.matched())
        if steered or not why:
            return _different(left, right, outputs, compared.first_difference(), inputs)
    except NotDecided as error:
        why = str(error).removesuffix(".")
    first, count = compared.tried()
    if first is None:
        return Verdict(Answer.NOT_DECIDED, reason=f"{why}; {count:,} elements of all were looked at, and are the same")
    return _different(left, right, outputs, first, inputs, f"before it not all were looked at, {why}")


def _different(
    left: Chain, right: Chain, outputs: tuple[int, int], first: int, inputs: Inputs, why: str = ""
) -> Verdict:
    """The verdict about two maps of which an element is known that differs; `why` that may not be the first."""
    equal = _equal_values(left, right, outputs, first)
    answer = Answer.ON_THIS_DATA if equal else Answer.DIFFERENT
    return about(Verdict(answer, reason=why), (left, right), outputs, first, inputs)


def about(
    verdict: Verdict, chains: tuple[Chain, Chain], outputs: tuple[int, int], first: int, inputs: Inputs
) -> Verdict:
    """A verdict that says so with another element, by its flat number: what that reads in either chain."""
    left, right = chains
    sizes = left.outputs[outputs[0]].tensor.sizes
    at = index_in(first, sizes)
    paths = left.source(outputs[0], at), right.source(outputs[1], at)
    ends = [
        f"the constant {path.hops[-1].source.constant}"
        if path.root == NOWHERE
        else chain.root_text(path.root, path.index)
        for chain, path in zip(chains, paths, strict=True)
    ]
    number = f"[{outputs[0]}]" if len(left.outputs) > 1 else ""
    name = f"{plain(left.stages[-1].name, 40)}{number}{brackets(at)}"
    return replace(
        verdict,
        first=first,
        left=paths[0],
        right=paths[1],
        matched=inputs.matched((paths[0].root, paths[1].root)),
        texts=(name, ends[0], ends[1]),
    )


def _equal_values(left: Chain, right: Chain, outputs: tuple[int, int], first: int) -> bool:
    """True if both outputs hold the same, bit for bit; False too where there are too many elements to look at."""
    tensor, ends = left.outputs[outputs[0]].tensor, ((left, outputs[0]), (right, outputs[1]))

    def agree(flat: Indices) -> bool:
        one, other = (_held(c, k, flat, *c.addresses(len(c.stages) - 1, k, flat)[:2]) for c, k in ends)
        return one.tobytes() == other.tobytes()

    if not agree(np.array([first], np.int64)) or tensor.element_count > MOST_COMPARED:
        return False
    for start in range(0, tensor.element_count, PIECE):
        checkpoint()
        if not agree(np.arange(start, min(start + PIECE, tensor.element_count), dtype=np.int64)):
            return False
    return True


def _held(chain: Chain, output: int, flat: Indices, roots: Indices, flats: Indices) -> Array:
    """(N,) what elements of an output hold, by the elements of inputs that they come from.

    Windows would be read through each wire anew, and there may be very many ways along these.
    """
    tensor = chain.outputs[output].tensor
    held = np.empty(len(flat), tensor.data_type.dtype)
    for number in tensors_among(roots):
        root, here = chain.inputs[number], roots == number
        held[here] = chain.traces[root.stage].values[root.tensor].read(flats[here])
    if (nowhere := roots == NOWHERE).any():
        held[nowhere] = chain.traces[-1].window(output, unravel(flat[nowhere], tensor.sizes))
    return held


# ---- inputs


class Inputs:
    """Which inputs of two chains are the same tensors: each has a number in either, the same for the same."""

    def __init__(self, left: Chain, right: Chain) -> None:
        self.numbers: list[dict[tuple[int, int], int]] = [{}, {}]
        """By chain, the number of the input of (stage, input)."""
        self.taken = ""
        """What was taken for the same though it needn't be; a clause."""
        self._chains, self._pairs = (left, right), list[tuple[int, int]]()
        """The inputs that are the same by what they are, not by being one experiment's: the left's and the right's."""
        own = {self._own(left, n): n for n in range(len(left.inputs))}
        mine: dict[Hashable, list[int]] = {}
        its: dict[Hashable, list[int]] = {}
        shared = {self._own(right, n) for n in range(len(right.inputs))} & own.keys()
        for chain, kinds in ((left, mine), (right, its)):
            for n in range(len(chain.inputs)):
                if self._own(chain, n) not in shared:
                    kinds.setdefault(_kind(chain, n), []).append(n)
        to: list[dict[int, int]] = [{n: n for n in range(len(left.inputs))}, {}]
        to[1] = {n: own[key] for n in range(len(right.inputs)) if (key := self._own(right, n)) in shared}
        fresh = len(left.inputs)
        for kind, theirs in its.items():
            ours = mine.pop(kind, [])
            if ours and len(ours) != len(theirs):
                to[0] |= dict.fromkeys(ours, ours[0])
                to[1] |= dict.fromkeys(theirs, ours[0])
                self.taken = f"{left.root_text(ours[0])} and the inputs with its type, sizes and values taken for one"
            elif ours:
                self._pairs += zip(ours, theirs, strict=True)
                to[1] |= zip(theirs, ours, strict=True)
            else:
                to[1] |= {n: fresh + n for n in theirs}
        for chain, numbers, made in zip((left, right), self.numbers, to, strict=True):
            numbers |= {(root.stage, root.tensor): made[n] for n, root in enumerate(chain.inputs)}

    def number(self, side: int, root: int) -> int:
        """The number that both have in common of the left (0) or right (1) chain's own, or NOWHERE."""
        return root if root == NOWHERE else list(self.numbers[side].values())[root]

    def matched(self, roots: tuple[int, int] | None = None) -> str:
        """How inputs are matched where no wire says it, all of them or those that two elements come from; a clause."""
        for side, root in enumerate(roots or ()):
            there = self.numbers[1 - side].values()
            if root != NOWHERE and self.number(side, root) not in there:
                text, word = self._chains[side].root_text(root), ("there", "here")[side]
                return f"{text} is read {word} by nothing, as inputs match where type, sizes and values agree"
        pairs = [pair for pair in self._pairs if roots is None or pair[0] == roots[0] or pair[1] == roots[1]]
        if not pairs:
            return ""
        one, other = (chain.root_text(root) for chain, root in zip(self._chains, pairs[0], strict=True))
        more = f", and {len(pairs) - 1} more likewise" if len(pairs) > 1 else ""
        return f"taking {one} and {other} for one input, as they hold the same values{more}"

    @staticmethod
    def _own(chain: Chain, number: int) -> tuple[int, str]:
        root = chain.inputs[number]
        return id(chain.stages[root.stage]), root.part.path


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


# ---- both at once


class Compared:
    """Two outputs of one type and sizes, followed piece by piece, each piece through both chains."""

    def __init__(self, left: Chain, right: Chain, outputs: tuple[int, int], inputs: Inputs) -> None:
        self._chains, self._outputs, self._inputs = (left, right), outputs, inputs
        self.sizes = left.outputs[outputs[0]].tensor.sizes
        self.root = Node(Piece([], []))

    def _pieces(self, *, for_all_values: bool) -> Iterator[tuple[Piece, list[Leaf]]]:
        """Each piece of both maps, and where it comes from in either."""
        followers = [
            Follower(chain, numbers, for_all_values=for_all_values)
            for chain, numbers in zip(self._chains, self._inputs.numbers, strict=True)
        ]
        self.root = Node(Piece.whole(self.sizes))
        return followed(self.root, followers, self._outputs)

    def equal(self, *, for_all_values: bool) -> bool:
        """True if both are the same map; `root` has how that was found. Raises NotDecided."""
        return all(one.equals(other) for _, (one, other) in self._pieces(for_all_values=for_all_values))

    def first_difference(self) -> int:
        """The flat number of the first element that comes from elsewhere for these values. Raises NotDecided."""
        found = [
            _first(piece.weights(self.sizes), one, other)
            for piece, (one, other) in self._pieces(for_all_values=False)
            if not one.equals(other)
        ]
        return min(found)

    def tried(self) -> tuple[int | None, int]:
        """The first of some elements that comes from elsewhere for these values, and how many were looked at."""
        tensor = self._chains[0].outputs[self._outputs[0]].tensor
        head = np.arange(min(tensor.element_count, MOST_TRIED // 4), dtype=np.int64)
        flat = np.union1d(head, sample_indices(tensor.element_count, MOST_TRIED))
        differ = np.flatnonzero(differing(self._chains, self._outputs, self._inputs, flat))
        return (int(flat[differ[0]]) if len(differ) else None), len(flat)


def differing(
    chains: tuple[Chain, Chain], outputs: tuple[int, int], inputs: Inputs, flat: Indices
) -> NDArray[np.bool_]:
    """(N,) True for elements `flat` of two outputs that come from elsewhere in the other, for these index values."""
    found = []
    for chain, numbers, output in zip(chains, inputs.numbers, outputs, strict=True):
        roots, flats, _ = chain.addresses(len(chain.stages) - 1, output, flat)
        known = np.array([*(numbers[root.stage, root.tensor] for root in chain.inputs), NOWHERE])
        held = _held(chain, output, flat, roots, flats).view(np.uint8).reshape(len(flat), -1)
        found.append((known[roots], flats, held))
    (one, mine, own), (other, its, there) = found
    nowhere = (one == NOWHERE) & (other == NOWHERE)
    differ: NDArray[np.bool_] = (one != other) | (mine != its) | (nowhere & (own != there).any(1))
    return differ


def _first(weights: Sequence[Indices], one: Leaf, other: Leaf) -> int:
    """The smallest flat number in a piece at which two leaves differ; of each factor `weights` has what it adds."""
    if one.root != other.root or one.root == NOWHERE:
        return sum(int(weight.min()) for weight in weights)
    return min(_first_of(weights, a, b) for a, b in zip(one.tables, other.tables, strict=True) if not alike([a], [b]))


def _first_of(weights: Sequence[Indices], a: Table, b: Table) -> int:
    """The same of two tight tables that differ; halves are looked at where both together would be too large."""
    rank, best = max(a.ndim, b.ndim), -1
    free = sum(int(weight.min()) for weight in weights[rank:])
    a, b = (table.reshape((1,) * (rank - table.ndim) + table.shape) for table in (a, b))
    stack = [(a, b, list(reversed(weights[:rank])))]
    while stack:
        checkpoint()
        a, b, along = stack.pop()
        shape = np.broadcast_shapes(a.shape, b.shape)
        along = [weight if n > 1 else weight.min(keepdims=True) for weight, n in zip(along, shape, strict=True)]
        low = free + sum(int(weight.min()) for weight in along)
        if (0 <= best <= low) or alike([tight(a)], [tight(b)]):
            continue
        if math.prod(shape) <= MOST_CELLS // 4:
            flat = np.full((1,) * rank, free, np.int64)
            for d, weight in enumerate(along):
                flat = flat + weight.reshape(-1, *(1,) * (rank - 1 - d))
            found = int(flat[a != b].min())
            best = found if best < 0 else min(best, found)
            continue
        d = next(d for d, n in enumerate(shape) if n > 1)
        half = shape[d] // 2
        for part in (slice(half, None), slice(0, half)):
            cut = (slice(None),) * d + (part,)
            mine, its = (table[cut] if table.shape[d] > 1 else table for table in (a, b))
            stack.append((mine, its, [w[part] if k == d else w for k, w in enumerate(along)]))
    return best
