"""The map of a chain as tables: for each output element the input that it comes from, and where along each axis.

A table is an array that broadcasts over what it depends on: `65535` cells say where 65535 x 65535 elements lie along an
axis. Elements that come from different inputs are in different pieces. A piece is a product of factors, each of them
positions along one axis of the output, or along several where a cut depends on these together.

For all index values, an index is a variable: what its cell of an input holds, clamped to 0 .. n - 1. It is one more
factor, and where that cell lies is a table too, over the output and the variables before it. So whatever follows an
index follows each of its values, and an index of an index is a variable whose cell depends on another.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import accumulate
from typing import Any, TypeAlias

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from ..desc.values import Constant, Filled, Indices
from ..errors import DmlvizError
from ..operators.maps import NOWHERE
from ..operators.picking import resolve
from ..session.chains import Chain
from ..stopping import checkpoint

MOST_CELLS = 1 << 22
"""Cells of one table: 32 MB, of which a few are there at a time."""
MOST_WORK = 1 << 24
"""Cells of all tables on the way, each table counted for `LEAST_WORK` at least: half a second or less.

Half of that for all index values, since what is too large so may do for these."""
LEAST_WORK = 1 << 10
MOST_PIECES = 1 << 12
Table: TypeAlias = NDArray[np.int64]
"""Axis -1 - j is factor j's, of its length or 1; leading axes of size 1 may be left out."""


class NotDecided(DmlvizError):  # noqa: N818  # an answer, not a fault
    """A map that is too large for tables, or that no table says: one sentence with the figure."""


class Cut(Exception):  # noqa: N818  # nothing went wrong
    """A piece has to be cut where `labels` differ."""

    def __init__(self, labels: Table) -> None:
        super().__init__()
        self.labels = labels


class Variable(Struct, frozen=True, eq=False):
    """An index or length that may have any value: the element `cells` of input `root`, clamped to 0 .. size - 1."""

    root: int
    size: int
    cells: tuple[Table, ...]
    """Where it lies along each axis of that input."""


class Leaf(Struct, frozen=True, eq=False):
    """Where a piece's elements come from."""

    root: int
    """The number of the input; NOWHERE (-1) for a constant."""
    tables: tuple[Table, ...]
    """Where along each of its axes; () for a constant."""
    constant: np.generic | None = None

    def equals(self, other: Leaf) -> bool:
        """True for the same elements, and for the same constants, bit for bit."""
        mine, its = (b"" if leaf.constant is None else leaf.constant.tobytes() for leaf in (self, other))
        return (self.root, mine) == (other.root, its) and alike(self.tables, other.tables)


class Piece:
    """Some elements of an output, a product of factors, and the variables that their sources depend on.

    Of the factors the output's last axis is the first; variables are behind its axes.
    """

    def __init__(self, factors: list[dict[int, Indices]], variables: list[Variable]) -> None:
        self.factors = factors
        """By axis of the output, or by -1 - number of a variable, the factor's positions along it; all (N,)."""
        self.variables = variables

    @classmethod
    def whole(cls, sizes: Sequence[int]) -> Piece:
        """All elements of an output. Raises NotDecided for an axis that is too long."""
        for size in sizes:
            _fits(size)
        return cls([{d: np.arange(sizes[d], dtype=np.int64)} for d in range(len(sizes) - 1, -1, -1)], [])

    @property
    def lengths(self) -> list[int]:
        """The factors' lengths; 1 of one that another has taken in."""
        return [len(next(iter(factor.values()))) if factor else 1 for factor in self.factors]

    def column(self, key: int) -> Table:
        """The positions along an axis of the output, or the values of a variable, as a table."""
        j = next(j for j, factor in enumerate(self.factors) if key in factor)
        return self.factors[j][key].reshape(-1, *(1,) * j)

    def weights(self, sizes: Sequence[int]) -> list[Indices]:
        """What each position of each factor adds to an element's flat number in an output of these sizes."""
        strides = [math.prod(sizes[d + 1 :]) for d in range(len(sizes))]
        return [
            sum((at * strides[key] for key, at in factor.items() if key >= 0), np.zeros(n, np.int64))
            for factor, n in zip(self.factors, self.lengths, strict=True)
        ]

    def _taken(self, j: int, where: Indices) -> Piece:
        """The piece with some positions of one factor alone."""
        factors = [dict(factor) for factor in self.factors]
        factors[j] = {key: at[where] for key, at in factors[j].items()}

        def take(table: Table) -> Table:
            return tight(np.take(table, where, -1 - j)) if table.ndim > j and table.shape[-1 - j] > 1 else table

        return Piece(factors, [Variable(v.root, v.size, tuple(map(take, v.cells))) for v in self.variables])

    def _merged(self, a: int, b: int, labels: Table) -> tuple[Piece, Table]:
        """The piece with factor b > a taken into a, so that both together may be cut; the labels likewise."""
        lengths = self.lengths
        _fits(lengths[a] * lengths[b])

        def merge(table: Table) -> Table:
            table = table.reshape((1,) * (len(lengths) - table.ndim) + table.shape)
            shape = list(table.shape)
            if shape[-1 - a] == shape[-1 - b] == 1:
                return table
            shape[-1 - a], shape[-1 - b] = lengths[a], lengths[b]
            _fits(math.prod(shape))
            table = np.moveaxis(np.broadcast_to(table, shape), -1 - b, -2 - a)
            shape[-1 - a], shape[-1 - b] = lengths[a] * lengths[b], 1
            return table.reshape(shape)

        inner = {key: np.tile(at, lengths[b]) for key, at in self.factors[a].items()}
        outer = {key: np.repeat(at, lengths[a]) for key, at in self.factors[b].items()}
        factors = [dict(factor) for factor in self.factors]
        factors[a], factors[b] = inner | outer, {}
        variables = [Variable(v.root, v.size, tuple(tight(merge(t)) for t in v.cells)) for v in self.variables]
        return Piece(factors, variables), merge(labels)

    def cut(self, labels: Table) -> tuple[tuple[int, ...], list[tuple[Piece, Indices]]]:
        """The factors that `labels` depend on, and the pieces within which these are equal, with their positions.

        Where they depend on several factors these become one, the first of them.
        """
        piece: Piece = self
        along = tuple(j for j in range(labels.ndim) if labels.shape[-1 - j] > 1)
        for other in along[1:]:
            piece, labels = piece._merged(along[0], other, labels)
        flat = labels.reshape(-1)
        parts = [np.flatnonzero(flat == label) for label in np.unique(flat)]
        return along, [(piece._taken(along[0], where), where) for where in parts]


def _fits(cells: int) -> int:
    if cells > MOST_CELLS:
        raise NotDecided(f"a table of {cells:,} cells, at most {MOST_CELLS:,} are made.")
    return cells


def tight(table: Table) -> Table:
    """The same table without axes along which it doesn't change: equal maps have equal ones."""
    for d in range(table.ndim):
        if table.shape[d] > 1:
            first = table.take([0], d)
            if (first == table.take([-1], d)).all() and (table == first).all():
                table = first
    return table.reshape(table.shape[next((d for d, n in enumerate(table.shape) if n > 1), table.ndim) :])


def alike(left: Sequence[Table], right: Sequence[Table]) -> bool:
    """True if tight tables are equal, one by one."""
    return len(left) == len(right) and all(
        a.shape == b.shape and bool((a == b).all()) for a, b in zip(left, right, strict=True)
    )


class Follower:
    """Follows the elements of pieces through a chain to its inputs."""

    def __init__(self, chain: Chain, numbers: Mapping[tuple[int, int], int], *, for_all_values: bool) -> None:
        """`numbers` are the inputs' numbers by (stage, input), which two chains may have in common."""
        self.chain, self.numbers, self.for_all = chain, numbers, for_all_values
        self.work, self.most = 0, MOST_WORK >> for_all_values
        self.piece = Piece([], [])
        self._starts: dict[int, Table] = {}
        self._root = 0, 0
        """The input that was come to last."""

    def follow(self, piece: Piece, output: int) -> Leaf:
        """Where all elements of a piece come from; variables that it depends on are put to it.

        Raises Cut where they come from several inputs, and NotDecided where a table gets too large.
        """
        self.piece = piece
        rank = self.chain.outputs[output].tensor.dimension_count
        return self._follow(len(self.chain.stages) - 1, output, [piece.column(d) for d in range(rank)])

    def _follow(self, stage: int, output: int, at: list[Table]) -> Leaf:
        while True:
            checkpoint()
            trace = self.chain.traces[stage]
            step = STEPS.get(trace.operator.name)
            if step is None:
                raise NotDecided(f"the map of {trace.operator.name} is not known as tables.")
            tensor, there = step(self, stage, trace.desc, output, at)
            if tensor == NOWHERE:
                return Leaf(NOWHERE, (), trace.constant(output))
            led = self.chain.wire(stage, tensor)
            if led is None:
                self._root = stage, tensor
                return Leaf(self.numbers[self._root], tuple(tight(table) for table in there))
            stage, output = led
            at = self.reshaped(there, trace.input_sizes[tensor], self.chain.traces[stage].outputs[output].tensor.sizes)

    # ---- what maps are made of

    def starts(self, stage: int, parts: Sequence[Any], axis: int) -> Table:
        """Where a stage's parts begin along the axis."""
        if stage not in self._starts:
            sizes = (part.sizes[axis] for part in parts[:-1])
            self._starts[stage] = np.array([0, *accumulate(sizes)], np.int64)
        return self._starts[stage]

    def joint(self, *tables: Table) -> None:
        """Holds what is to be made of tables against the limits. Raises NotDecided."""
        self.work += max(LEAST_WORK, _fits(math.prod(np.broadcast_shapes(*(table.shape for table in tables)))))
        if self.work > self.most:
            raise NotDecided(f"tables of more than {self.most:,} cells together.")

    def one(self, labels: Table) -> int:
        """What labels all are. Raises Cut where they differ."""
        labels = tight(labels)
        if labels.size > 1:
            raise Cut(labels)
        return int(labels.reshape(-1)[0])

    def flat(self, at: Sequence[Table], sizes: Sequence[int]) -> Table:
        """The flat numbers of elements."""
        self.joint(*at)
        flat: Table = np.zeros((), np.int64)
        for table, size in zip(at, sizes, strict=True):
            flat = flat * size + table
        return tight(flat)

    def reshaped(self, at: list[Table], sizes: Sequence[int], others: Sequence[int]) -> list[Table]:
        """Where elements lie in the same memory with other sizes; axes that stay as they are stay as they are."""
        if tuple(sizes) == tuple(others):
            return at
        made: list[Table] = []
        i = j = 0
        while i < len(sizes) or j < len(others):
            a, b = i + 1, j + 1  # the smallest groups of axes with as many elements
            mine, its = math.prod(sizes[i:a]), math.prod(others[j:b])
            while mine != its:
                if mine < its:
                    mine, a = mine * sizes[a], a + 1
                else:
                    its, b = its * others[b], b + 1
            rest = self.flat(at[i:a], sizes[i:a])
            group: list[Table] = []
            for size in reversed(others[j + 1 : b]):
                group.append(tight(rest % size))
                rest = rest // size
            made += [*[tight(rest)] * (j < len(others)), *reversed(group)]
            i, j = a, b
        return made

    def index(self, stage: int, tensor: int, at: list[Table], size: int) -> Table:
        """The values of an index or length tensor's elements, clamped to 0 .. size - 1."""
        root, there = (stage, tensor), at
        sizes = self.chain.traces[stage].input_sizes[tensor]
        if (led := self.chain.wire(stage, tensor)) is not None:
            found = self._follow(*led, self.reshaped(at, sizes, self.chain.traces[led[0]].outputs[led[1]].tensor.sizes))
            if found.constant is not None:
                return resolve(found.constant.reshape(1), size)[0].reshape(())
            root, there = self._root, list(found.tables)
        if self.for_all:
            return self._variable(self.numbers[root], tuple(tight(table) for table in there), size)
        values = self.chain.traces[root[0]].values[root[1]]
        is_one = isinstance(values, Filled) and isinstance(values.fill, Constant)
        cells = np.zeros((), np.int64) if is_one else self.flat(there, values.tensor.sizes)
        self.joint(cells)
        return tight(resolve(values.read(cells.reshape(-1)), size)[0].reshape(cells.shape))

    def _variable(self, root: int, cells: tuple[Table, ...], size: int) -> Table:
        variables = self.piece.variables
        for number, known in enumerate(variables):
            if (known.root, known.size) == (root, size) and alike(known.cells, cells):
                return self.piece.column(-1 - number)
        if len(self.piece.factors) == 32:
            raise NotDecided("more than 24 indices of indices.")
        self.piece.factors.append({-1 - len(variables): np.arange(_fits(size), dtype=np.int64)})
        variables.append(Variable(root, size, cells))
        return self.piece.column(-len(variables))


# ---- the operators, each by its page: which input, and where along its axes

Step = Callable[[Follower, int, Any, int, list[Table]], tuple[int, list[Table]]]


def _put(at: Sequence[Table], axis: int, table: Table) -> list[Table]:
    return [*at[:axis], table, *at[axis + 1 :]]


def _join(own: Follower, stage: int, desc: Any, output: int, at: list[Table]) -> tuple[int, list[Table]]:
    starts, along = own.starts(stage, desc.input_tensors, desc.axis), at[desc.axis]
    own.joint(along)
    k = own.one(np.searchsorted(starts, along, "right") - 1) if len(starts) > 1 else 0
    return k, _put(at, desc.axis, along - starts[k])


def _split(own: Follower, stage: int, desc: Any, output: int, at: list[Table]) -> tuple[int, list[Table]]:
    return 0, _put(at, desc.axis, at[desc.axis] + own.starts(stage, desc.output_tensors, desc.axis)[output])


def _tile(own: Follower, stage: int, desc: Any, output: int, at: list[Table]) -> tuple[int, list[Table]]:
    own.joint(*at[:0])
    rows = zip(at, desc.input_tensor.sizes, desc.repeats, strict=True)
    return 0, [tight(table % size) if times > 1 else table for table, size, times in rows]


def _reverse(own: Follower, stage: int, desc: Any, output: int, at: list[Table]) -> tuple[int, list[Table]]:
    axis, k = desc.axis, at[desc.axis]
    length = own.index(stage, 1, _put(at, axis, np.zeros((), np.int64)), desc.input_tensor.sizes[axis] + 1)
    own.joint(k, length)
    return 0, _put(at, axis, tight(np.where(k < length, length - 1 - k, k)))


def _gather(own: Follower, stage: int, desc: Any, output: int, at: list[Table]) -> tuple[int, list[Table]]:
    zero, axis, wanted = np.zeros((), np.int64), desc.axis, desc.index_dimensions
    full = at[1:] if wanted == 0 else [zero] * desc.drop + at
    cell = [zero] * (desc.indices_tensor.dimension_count - wanted) + full[axis : axis + wanted]
    picked = own.index(stage, 1, cell, desc.input_tensor.sizes[axis])
    return 0, [*full[:axis], picked, *full[axis + wanted :]]


def _gather_elements(own: Follower, stage: int, desc: Any, output: int, at: list[Table]) -> tuple[int, list[Table]]:
    return 0, _put(at, desc.axis, own.index(stage, 1, at, desc.input_tensor.sizes[desc.axis]))


def _slice(own: Follower, stage: int, desc: Any, output: int, at: list[Table]) -> tuple[int, list[Table]]:
    return 0, [s + i * stride for i, s, stride in zip(at, desc.starts, desc.input_window_strides, strict=True)]


def _pad(own: Follower, stage: int, desc: Any, output: int, at: list[Table]) -> tuple[int, list[Table]]:
    there = []
    for axis, i in zip(desc.axes, at, strict=True):
        own.joint(i)
        place = axis.folded(desc.mode, i - axis.start) if axis.is_padded else i
        if (
            desc.mode == "CONSTANT"
            and axis.is_padded
            and own.one(((place < 0) | (place >= axis.size)).astype(np.int64))
        ):
            return NOWHERE, []
        there.append(tight(np.asarray(place)))
    return 0, there


STEPS: Mapping[str, Step] = {
    "JOIN": _join,
    "SPLIT": _split,
    "TILE": _tile,
    "REVERSE_SUBSEQUENCES": _reverse,
    "GATHER": _gather,
    "GATHER_ELEMENTS": _gather_elements,
    "SLICE1": _slice,
    "PADDING": _pad,
}


# ---- maps


class Node(Struct):
    """How following went on at a piece: its new variables, then a cut, or where its elements come from."""

    piece: Piece
    new: list[Variable] = []
    cut: tuple[int, ...] = ()
    """The factors that were cut together; where of their positions each part has."""
    parts: list[Indices] = []
    then: list[Node] = []
    leaf: Leaf | None = None
    """Of several chains the first one's."""


def followed(root: Node, followers: Sequence[Follower], outputs: Sequence[int]) -> Iterator[tuple[Piece, list[Leaf]]]:
    """Each piece of `root`, cut until all of it comes from one input in each chain, and where from. Raises NotDecided.

    Every element is in one of them, for each value of that one's variables.
    """
    stack, count = [root], 1
    while stack:
        node = stack.pop()
        known = len(node.piece.variables)
        try:
            leaves = [follower.follow(node.piece, k) for follower, k in zip(followers, outputs, strict=True)]
        except Cut as cut:
            node.cut, parts = node.piece.cut(cut.labels)
            node.then, node.parts = [Node(piece) for piece, _ in parts], [where for _, where in parts]
            stack += reversed(node.then)
            count += len(parts) - 1
            if count > MOST_PIECES:
                raise NotDecided(f"more than {MOST_PIECES:,} pieces.") from None
        else:
            node.leaf = leaves[0]
            yield node.piece, leaves
        node.new = node.piece.variables[known:]


def map_of(chain: Chain, output: int = 0, *, for_all_values: bool) -> list[tuple[Piece, Leaf]]:
    """The pieces of a chain's output, and where they come from; inputs have their numbers among `chain.inputs`.

    With `for_all_values` indices and lengths are variables, else what they are filled with. Raises NotDecided where
    tables would be too large, with the figure, and for an operator whose map is not known as tables.
    """
    follower = Follower(chain, chain.root_numbers, for_all_values=for_all_values)
    whole = Node(Piece.whole(chain.outputs[output].tensor.sizes))
    return [(piece, leaf) for piece, (leaf,) in followed(whole, [follower], [output])]
