"""What the grid times: cells, each a desc with its arrays.

A name says what its cell is: `gather/first/rows8/random/far/uint32` gathers along the first axis rows of 8 elements,
at random, from a table that does not fit in the nearest cache. A cell's id has the regime and the type before it:
`4Mi/float32/gather/first/rows8/random/far/uint32`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property, lru_cache

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from dmlviz.desc.base import Desc
from dmlviz.desc.tensors import DataType, TensorDesc
from dmlviz.desc.values import Array
from dmlviz.operators.gather import Gather
from dmlviz.operators.gather_elements import GatherElements
from dmlviz.operators.join import Join
from dmlviz.operators.padding import Padding
from dmlviz.operators.registry import operator_of
from dmlviz.operators.reverse_subsequences import ReverseSubsequences
from dmlviz.operators.slice1 import Slice1
from dmlviz.operators.split import Split
from dmlviz.operators.tile import Tile

KI, MI = 1 << 10, 1 << 20
NEAR = 16 * KI
"""Bytes of a table that fits in the nearest cache of any machine."""
LONG_RUN = 64
"""Bytes from which on a run is held against a plain copy."""
BEYOND_CACHES = 2 * MI
"""Bytes of a table that no core keeps near; random rows of it wait for memory."""


class Wanted(Struct, frozen=True):
    """What ratios of the best peer's time to ours a regime should reach."""

    worst: float
    mean: float
    """Geometric."""


class Regime(Struct, frozen=True):
    """A size, and how the call is made."""

    name: str
    elements: int
    """About as many in all outputs."""
    types: tuple[str, ...]
    allocates: bool = False
    """True: each call allocates its outputs (`dml.run`); False: they are there already (`dml.bind`)."""
    overhead: bool = False
    """True: what is timed is what `dml.run` costs over the bound call, in place of peers."""
    row: str = ""
    """The row of the table of wanted numbers that it belongs to, where several do."""
    wanted: Wanted | None = None


TYPES = ("float32", "int8", "float16", "float64")
REGIMES = (
    Regime("24", 24, TYPES[:1], wanted=Wanted(0.9, 1.5)),
    Regime("64Ki", 64 * KI, TYPES[:1], wanted=Wanted(0.95, 1.8)),
    Regime("4Mi", 4 * MI, TYPES, wanted=Wanted(1.0, 2.7)),
    Regime("64Mi", 64 * MI, TYPES[:1], wanted=Wanted(1.0, 2.5)),
    Regime("run-4Mi", 4 * MI, TYPES[:1], allocates=True, row="run", wanted=Wanted(0.9, 1.5)),
    Regime("run-64Mi", 64 * MI, TYPES[:1], allocates=True, row="run", wanted=Wanted(0.9, 1.5)),
    Regime("overhead", 24, TYPES[:1], overhead=True),
)
OVERHEAD_WANTED = 1.5e-6
"""Seconds that `dml.run` may cost over the bound call on a small desc."""
COPY_WANTED = 0.85
"""How fast a cell with long runs should be where a plain copy is 1."""

FINITE = {2: 0xBFFF_BFFF_BFFF_BFFF, 4: 0xBFFF_FFFF_BFFF_FFFF, 8: 0xBFFF_FFFF_FFFF_FFFF}
"""The bits of a word that make finite floats, by item size."""

Fill = Callable[[np.random.Generator], Array]
"""Makes the index or length tensor."""


class Cell(Struct, frozen=True, kw_only=True, dict=True):
    """One desc to time."""

    regime: Regime
    data_type: str
    name: str
    desc: Desc
    run_bytes: int
    """Bytes of the shortest contiguous run that one copy can move; 0 where that isn't known."""
    latency_bound: bool = False
    """True where latency bounds any way: random rows from beyond the caches, sequences reversed lane by lane."""
    fill: Fill | None = None

    @property
    def id(self) -> str:
        return f"{self.regime.name}/{self.data_type}/{self.name}"

    @property
    def operator(self) -> str:
        return operator_of(self.desc).name

    @property
    def held_to_copy(self) -> bool:
        """True if `COPY_WANTED` is wanted of it."""
        return self.run_bytes >= LONG_RUN and not self.latency_bound and self.elements > KI

    @cached_property
    def elements(self) -> int:
        return sum(part.tensor.element_count for part in self.desc.outputs)

    def arrays(self) -> list[Array]:
        """The inputs, the same in every process: random finite values; indices and lengths as the name says."""
        bits = np.random.default_rng(20)
        arrays = []
        for k, part in enumerate(self.desc.inputs):
            tensor = part.tensor
            array = aligned(tensor)
            arrays.append(array)
            if k == 1 and self.fill is not None:
                array[...] = self.fill(np.random.default_rng(4)).reshape(tensor.sizes)
                continue
            words = bits.integers(0, 1 << 64, -(-tensor.byte_count // 8), np.uint64)
            if tensor.data_type.is_float:
                # Libraries that convert FLOAT16 on the way change NaNs; with that bit of the exponent 0 there are none.
                words &= np.uint64(FINITE[tensor.data_type.item_size])
            array.reshape(-1).view(np.uint8)[:] = words.view(np.uint8)[: tensor.byte_count]
        return arrays


PAGE = 4096


def aligned(tensor: TensorDesc) -> Array:
    """An array of `tensor` that begins at a page.

    An allocator's choice depends on what it did before. A copy whose addresses differ by little more than a multiple of
    a page took 1.8 times as long, in one process and not in the next.
    """
    room = np.empty(tensor.byte_count + PAGE, np.uint8)
    start = -room.ctypes.data % PAGE
    return room[start : start + tensor.byte_count].view(tensor.data_type.dtype).reshape(tensor.sizes)


# ---- the grid ---------------------------------------------------------------------------------------------------


@lru_cache
def grid(most: int | None = None) -> dict[str, Cell]:
    """The cells by id, in order; `most` elements of each where that is said, for a test."""
    cells = {}
    for regime in REGIMES:
        for data_type in regime.types:
            smaller = replace(regime, elements=min(regime.elements, most or regime.elements))
            cells.update({cell.id: cell for cell in _cells(smaller, data_type) if _belongs(cell)})
    return cells


def small() -> list[str]:
    """The ids of some cells, which take a minute or two."""
    return [name for name, cell in grid().items() if cell.regime.overhead or _is_small(cell)]


HARD = {
    "join/last/1+1", "join/last/3+5", "join/last/1x8", "join/last/5x7", "join/middle/3+5/inner5",
    "join/middle/1x8/inner8", "join/middle/32+32/inner32", "join/first/halves/inner1024",
    "split/last/1+1", "split/last/3+5", "split/last/1x8", "split/last/5x7", "split/middle/3+5/inner5",
    "split/middle/1x8/inner8", "split/middle/32+32/inner32", "split/first/halves/inner1024",
    "gather/first/rows1/random/near/int64", "gather/first/rows1/random/far/uint32",
    "gather/first/rows3/random/far/uint64", "gather/first/rows8/random/near/int64",
    "gather/first/rows16/sequential/far/uint32", "gather/first/rows64/random/far/int64",
    "gather/middle/rows3/random/near/uint32", "gather/last/rows1/random/far/uint64",
    "reverse/last/seq8/random/uint32", "reverse/last/seq64/full/uint64", "reverse/last/seq1024/random/uint32",
    "reverse/last/seq64/zero/uint32", "reverse/middle/seq8/random/inner4/uint32",
    "reverse/middle/seq64/random/inner16/uint64", "reverse/middle/seq1024/uniform/inner16/uint32",
    "reverse/first/seq64/random/uint64",
    "tile/last/run3/x3", "tile/last/run1/x3", "tile/last/run2/x256", "tile/scalar", "tile/pattern7",
    "tile/last/run32/x4", "tile/middle/3x8/x5", "tile/8d/alternate",
    "slice/last/3of8", "slice/last/step2", "slice/last/step-1", "slice/last/4back", "slice/middle/step2/inner3",
    "slice/first/back/inner16", "slice/crop/32of64", "slice/8d",
    "elements/last/random/int64", "elements/middle8/random/uint32", "elements/first/random/int64",
    "padding/image64/constant", "padding/image64/reflection", "padding/last/rows8/edge", "padding/8d/symmetric",
}  # fmt: skip
"""The cells of other types, and of the largest size with `LARGE`."""
EASY = {
    "join/last/halves", "join/middle/1+1/inner1024", "split/last/halves", "split/middle/1+1/inner1024",
    "gather/first/rows1024/random/far/uint32", "gather/middle/rows64/sequential/far/uint64",
    "reverse/middle/seq1024/random/inner64/uint32", "reverse/last/seq4096/full/uint32",
    "tile/first/inner1024/x2", "tile/last/run1024/x2",
}  # fmt: skip
LARGE = HARD - {
    "join/middle/32+32/inner32", "join/last/1x8", "split/middle/32+32/inner32", "split/last/1x8",
    "gather/first/rows3/random/far/uint64", "gather/last/rows1/random/far/uint64",
    "gather/first/rows1/random/near/int64", "reverse/last/seq64/zero/uint32",
    "reverse/middle/seq8/random/inner4/uint32", "reverse/first/seq64/random/uint64",
    "tile/middle/3x8/x5", "tile/pattern7", "slice/last/4back", "slice/8d",
} | EASY  # fmt: skip
RUN = {
    "join/last/3+5", "join/middle/1x8/inner8", "join/first/halves/inner1024",
    "split/last/3+5", "split/middle/1x8/inner8", "split/first/halves/inner1024",
    "gather/first/rows1/random/near/int64", "gather/first/rows16/sequential/far/uint32",
    "gather/first/rows1024/random/far/uint32",
    "reverse/last/seq64/full/uint64", "reverse/last/seq1024/random/uint32",
    "reverse/middle/seq1024/uniform/inner16/uint32",
    "tile/last/run3/x3", "tile/scalar", "tile/first/inner1024/x2", "tile/8d/alternate",
    "slice/last/step2", "slice/last/step-1", "slice/crop/32of64",
}  # fmt: skip
SMALL = {
    "join/last/3+5", "join/first/halves/inner1024", "split/last/3+5", "split/middle/1x8/inner8",
    "gather/first/rows1/random/near/int64", "gather/first/rows16/sequential/far/uint32",
    "reverse/last/seq8/random/uint32", "reverse/middle/seq1024/uniform/inner16/uint32",
    "tile/last/run3/x3", "tile/scalar", "slice/last/step2", "slice/crop/32of64",
}  # fmt: skip


def _is_small(cell: Cell) -> bool:
    return cell.regime.name in ("24", "64Ki", "4Mi") and cell.data_type == "float32" and cell.name in SMALL


def _belongs(cell: Cell) -> bool:
    """True if the grid has the cell: each name in the types and sizes where it tells something."""
    regime, name = cell.regime, cell.name
    if regime.overhead:
        return name in TINY
    if regime.allocates:
        return name in RUN
    if regime.name == "64Mi":
        return name in LARGE
    return cell.data_type == "float32" or name in HARD


TINY = {
    "join/last/1+1", "split/last/1+1", "gather/first/rows3/random/near/int64", "reverse/last/seq8/random/uint32",
    "tile/last/run3/x3",
}  # fmt: skip


def _cells(regime: Regime, data_type: str) -> Iterator[Cell]:
    """Every cell whose smallest block is no larger than the regime has elements, or little larger."""
    for make in (_joins, _splits, _gathers, _reverses, _tiles, _elements, _slices, _paddings):
        yield from make(regime, data_type)


Shape = tuple[str, str, int]
"""Axis, parts, inner run."""
SHAPES: tuple[Shape, ...] = (
    ("last", "1+1", 1), ("last", "3+5", 1), ("last", "1x8", 1), ("last", "5x7", 1), ("last", "32+32", 1),
    ("last", "halves", 1), ("last", "4x16", 1),
    ("middle", "1+1", 2), ("middle", "3+5", 2), ("middle", "1x8", 3), ("middle", "1+1", 4), ("middle", "5x7", 4),
    ("middle", "3+5", 5), ("middle", "1x8", 6), ("middle", "1+1", 7), ("middle", "1x8", 8), ("middle", "3+5", 8),
    ("middle", "1+1", 16), ("middle", "halves", 16), ("middle", "32+32", 32), ("middle", "3+5", 32),
    ("middle", "4x16", 256), ("middle", "1x8", 256), ("middle", "1+1", 1024),
    ("first", "halves", 1024), ("first", "3+5", 32), ("first", "1x16", 256),
)  # fmt: skip
"""Shapes of JOIN and SPLIT: every axis, every inner run, every kind of parts."""
TINY_SHAPES: tuple[Shape, ...] = (
    ("last", "1+1", 1), ("last", "3+5", 1), ("last", "1x8", 1), ("last", "5x7", 1), ("last", "halves", 1),
    ("last", "1x16", 1), ("middle", "1+1", 2), ("middle", "3+5", 3), ("middle", "1x8", 3), ("middle", "1+1", 4),
    ("first", "halves", 4), ("first", "1x8", 3),
)  # fmt: skip
"""What of it 24 elements leave room for."""


def _sizes(parts: str) -> list[int]:
    """`3+5`: a part of 3 and one of 5; `5x7`: seven parts of 5; `halves`: two parts, as long as can be."""
    if "x" in parts:
        size, count = map(int, parts.split("x"))
        return [size] * count
    return [1, 1] if parts == "halves" else [int(size) for size in parts.split("+")]


def _whole_and_parts(elements: int, shape: Shape) -> tuple[tuple[int, ...], int, list[int]]:
    """Sizes of the whole, the axis, and the parts' sizes along it."""
    where, parts, inner = shape
    sizes = _sizes(parts)
    outer = max(1, elements // (sum(sizes) * inner))
    if where == "first" or parts == "halves":
        # What is there is spent along the axis, but for a few blocks where it isn't the first one.
        blocks = 1 if where == "first" else max(1, min(64, outer // 2))
        times = max(1, elements // (sum(sizes) * inner * blocks))
        sizes, outer = [size * times for size in sizes], blocks
    whole = ((outer,) if where != "first" else ()) + (sum(sizes),) + ((inner,) if where != "last" else ())
    return whole, int(where != "first"), sizes


def _shapes(regime: Regime) -> tuple[Shape, ...]:
    return TINY_SHAPES if regime.elements < 100 else SHAPES


def _divided(regime: Regime, data_type: str, verb: str) -> Iterator[tuple[str, TensorDesc, int, list[TensorDesc], int]]:
    for shape in _shapes(regime):
        where, parts, inner = shape
        whole, axis, sizes = _whole_and_parts(regime.elements, shape)
        name = f"{verb}/{where}/{parts}" + (f"/inner{inner}" if where != "last" else "")
        tensor = _tensor(data_type, whole)
        pieces = [tensor.resized((*whole[:axis], size, *whole[axis + 1 :])) for size in sizes]
        run = min(sizes) * math.prod(whole[axis + 1 :]) * tensor.data_type.item_size
        yield name, tensor, axis, pieces, run


def _joins(regime: Regime, data_type: str) -> Iterator[Cell]:
    for name, _, axis, pieces, run in _divided(regime, data_type, "join"):
        yield Cell(regime=regime, data_type=data_type, name=name, desc=Join(pieces, axis), run_bytes=run)


def _splits(regime: Regime, data_type: str) -> Iterator[Cell]:
    for name, whole, axis, pieces, run in _divided(regime, data_type, "split"):
        yield Cell(regime=regime, data_type=data_type, name=name, desc=Split(whole, pieces, axis), run_bytes=run)


GATHERS: tuple[tuple[str, int, str, str, str], ...] = (
    ("first", 1, "random", "near", "int64"), ("first", 1, "random", "far", "uint32"),
    ("first", 1, "sequential", "near", "int32"), ("first", 1, "sequential", "far", "uint64"),
    ("first", 3, "random", "near", "int64"), ("first", 3, "random", "far", "uint64"),
    ("first", 3, "sequential", "far", "int32"),
    ("first", 8, "random", "near", "int64"), ("first", 8, "random", "far", "uint32"),
    ("first", 8, "sequential", "near", "uint32"),
    ("first", 16, "random", "near", "uint64"), ("first", 16, "random", "far", "int32"),
    ("first", 16, "sequential", "far", "uint32"),
    ("first", 64, "random", "near", "int32"), ("first", 64, "random", "far", "int64"),
    ("first", 64, "sequential", "far", "int64"),
    ("first", 1024, "random", "far", "uint32"), ("first", 1024, "sequential", "near", "int64"),
    ("middle", 3, "random", "near", "uint32"), ("middle", 8, "random", "far", "int64"),
    ("middle", 64, "sequential", "far", "uint64"), ("middle", 1024, "random", "near", "int32"),
    ("last", 1, "random", "near", "int32"), ("last", 1, "random", "far", "uint64"),
    ("last", 1, "sequential", "far", "uint32"),
)  # fmt: skip
"""Axis, elements of a row, order, table, index type."""


def _gathers(regime: Regime, data_type: str) -> Iterator[Cell]:
    item = DataType.of(data_type.upper()).item_size
    tiny = regime.elements < 100
    for where, row, order, table, index_type in GATHERS:
        if tiny and (table == "far" or row > 8):
            continue
        outer = 1 if where == "first" else 2 if tiny else 16
        count = max(1, regime.elements // (outer * row))
        n = max(2, (8 if tiny else NEAR // (row * item)) if table == "near" else count)
        sizes = (*((outer,) if outer > 1 else ()), n, *((row,) if where != "last" and row > 1 else ()))
        indices = (1,) * (len(sizes) - 1) + (count,)
        desc = Gather(_tensor(data_type, sizes), _tensor(index_type, indices), int(outer > 1), 1)
        fill = _indices(n, count, order)
        slow = order == "random" and table == "far" and n * row * item * outer >= BEYOND_CACHES
        name = f"gather/{where}/rows{row}/{order}/{table}/{index_type}"
        yield Cell(
            regime=regime,
            data_type=data_type,
            name=name,
            desc=desc,
            run_bytes=row * item,
            latency_bound=slow,
            fill=fill,
        )


def _indices(n: int, count: int, order: str) -> Fill:
    if order == "sequential":
        return lambda _: np.arange(count) % n
    return lambda random: random.integers(0, n, count)


ELEMENTS: tuple[tuple[str, int, str, str], ...] = (
    ("last", 1, "random", "int64"), ("last", 1, "random", "uint32"), ("last", 1, "sequential", "int32"),
    ("middle", 3, "random", "int64"), ("middle", 8, "random", "uint32"), ("middle", 64, "random", "uint64"),
    ("first", 0, "random", "int64"), ("first", 0, "random", "int32"), ("first", 0, "sequential", "int64"),
)  # fmt: skip
"""Axis, lanes behind it (0: what remains), order of the indices along it, index type."""


def _elements(regime: Regime, data_type: str) -> Iterator[Cell]:
    item = DataType.of(data_type.upper()).item_size
    tiny = regime.elements < 100
    for where, lanes, order, index_type in ELEMENTS:
        if tiny and lanes > 3:
            continue
        n = 4 if tiny else 1024 if where == "last" else 64
        rest = max(1, regime.elements // (n * max(1, lanes)))
        sizes = {"last": (rest, n), "middle": (rest, n, lanes), "first": (n, rest)}[where]
        axis = int(where != "first")
        desc = GatherElements(_tensor(data_type, sizes), _tensor(index_type, sizes), axis)
        name = f"elements/{where}{lanes if where == 'middle' else ''}/{order}/{index_type}"
        fill = _indices(n, math.prod(sizes), order)
        yield Cell(regime=regime, data_type=data_type, name=name, desc=desc, run_bytes=item, fill=fill)


PADS: tuple[tuple[str, tuple[int, ...], tuple[int, ...], tuple[int, ...]], ...] = (
    ("image64", (0, 64, 64), (0, 1, 1), (0, 1, 1)), ("channels16", (0, 64, 64, 16), (0, 1, 1, 0), (0, 1, 1, 0)),
    ("last/rows3", (0, 3), (0, 1), (0, 1)), ("last/rows8", (0, 8), (0, 1), (0, 1)),
    ("last/rows1024", (0, 1024), (0, 1), (0, 1)), ("first/inner1024", (0, 1024), (2, 0), (2, 0)),
    ("line", (0,), (10,), (10,)), ("8d", (0, 2, 2, 2, 2, 2, 2, 2), (0, 1, 1, 1, 1, 1, 0, 0), (0, 0, 0, 0, 0, 0, 1, 1)),
)  # fmt: skip
"""Sizes, of which 0 is what remains, and paddings."""
TINY_PADS = (("both", (0, 3), (1, 1), (0, 1)), ("line", (0,), (2,), (2,)))


def _paddings(regime: Regime, data_type: str) -> Iterator[Cell]:
    item = DataType.of(data_type.upper()).item_size
    for where, shape, start, end in TINY_PADS if regime.elements < 100 else PADS:
        fulls = [sum(axis) for axis in zip(start, shape, end, strict=True)]
        rest = max(1 + start[0], regime.elements // math.prod(fulls[1:]) - fulls[0])
        sizes = (rest, *shape[1:])
        last = max(d for d, count in enumerate(map(sum, zip(start, end, strict=True))) if count)
        for mode in ("CONSTANT", "EDGE", "REFLECTION", "SYMMETRIC"):
            desc = Padding(_tensor(data_type, sizes), mode, 1, start, end)
            run = math.prod(sizes[last + 1 :]) * item
            name = f"padding/{where}/{mode.lower()}"
            yield Cell(regime=regime, data_type=data_type, name=name, desc=desc, run_bytes=run)


REVERSES: tuple[tuple[str, int, str, int, str], ...] = (
    ("last", 8, "random", 1, "uint32"), ("last", 8, "full", 1, "uint64"), ("last", 8, "uniform", 1, "uint32"),
    ("last", 64, "random", 1, "uint64"), ("last", 64, "full", 1, "uint64"), ("last", 64, "zero", 1, "uint32"),
    ("last", 1024, "random", 1, "uint32"), ("last", 1024, "full", 1, "uint64"), ("last", 1024, "uniform", 1, "uint32"),
    ("last", 4096, "random", 1, "uint64"), ("last", 4096, "full", 1, "uint32"), ("last", 4096, "zero", 1, "uint64"),
    ("middle", 8, "random", 4, "uint32"), ("middle", 8, "zero", 1024, "uint32"), ("middle", 64, "random", 16, "uint64"),
    ("middle", 64, "full", 3, "uint32"), ("middle", 1024, "random", 64, "uint32"),
    ("middle", 1024, "uniform", 16, "uint32"), ("middle", 4096, "full", 8, "uint64"),
    ("first", 64, "random", 0, "uint64"), ("first", 1024, "full", 0, "uint32"), ("first", 4096, "uniform", 0, "uint64"),
)  # fmt: skip
"""Axis, elements of a sequence, lengths, inner run (0: what remains), length type."""
TINY_REVERSES: tuple[tuple[str, int, str, int, str], ...] = (
    ("last", 8, "random", 1, "uint32"), ("last", 8, "full", 1, "uint64"), ("last", 8, "zero", 1, "uint32"),
    ("last", 8, "uniform", 1, "uint32"), ("middle", 4, "random", 3, "uint32"), ("middle", 8, "full", 3, "uint64"),
    ("first", 8, "random", 0, "uint64"),
)  # fmt: skip


def _reverses(regime: Regime, data_type: str) -> Iterator[Cell]:
    item = DataType.of(data_type.upper()).item_size
    for where, n, lengths, own_inner, length_type in TINY_REVERSES if regime.elements < 100 else REVERSES:
        inner = own_inner or max(1, regime.elements // n)
        outer = 1 if where == "first" else max(1, regime.elements // (n * inner))
        sizes = ((outer,) if where != "first" else ()) + (n,) + ((inner,) if where != "last" else ())
        axis = int(where != "first")
        length_sizes = (*sizes[:axis], 1, *sizes[axis + 1 :])
        desc = ReverseSubsequences(_tensor(data_type, sizes), _tensor(length_type, length_sizes), axis)
        fill = _lengths(n, math.prod(length_sizes), lengths)
        shown = f"/inner{inner}" if where == "middle" else ""
        name = f"reverse/{where}/seq{n}/{lengths}{shown}/{length_type}"
        yield Cell(
            regime=regime,
            data_type=data_type,
            name=name,
            desc=desc,
            run_bytes=inner * item,
            latency_bound=lengths == "random",
            fill=fill,
        )


def _lengths(n: int, count: int, kind: str) -> Fill:
    if kind == "random":
        return lambda random: random.integers(0, n + 1, count)
    length = {"full": n, "zero": 0, "uniform": n - n // 4}[kind]
    return lambda _: np.full(count, length)


def _tiles(regime: Regime, data_type: str) -> Iterator[Cell]:
    # DML_TILE_OPERATOR_DESC takes no FLOAT64; INT64 has the same bytes.
    kind = "int64" if data_type == "float64" else data_type
    item, n = DataType.of(kind.upper()).item_size, regime.elements
    for name, sizes, repeats, run in _tilings(n):
        desc = Tile(_tensor(kind, sizes), repeats)
        yield Cell(regime=regime, data_type=data_type, name=name, desc=desc, run_bytes=run * item)


Tiling = tuple[str, tuple[int, ...], tuple[int, ...], int]
"""Name, sizes, repeats, elements of a run."""


def _tilings(n: int) -> Iterator[Tiling]:
    tiny = n < 100

    def rest(block: int) -> int:
        return max(1, n // block)

    for run, times in ((3, 3), (1, 3), (2, 4)) if tiny else LAST_TILES:
        yield f"tile/last/run{run}/x{times}", (rest(run * times), run), (1, times), run
    for m, inner, times in ((2, 2, 3),) if tiny else MIDDLE_TILES:
        yield f"tile/middle/{m}x{inner}/x{times}", (rest(m * inner * times), m, inner), (1, times, 1), m * inner
    for inner, times in ((4, 2),) if tiny else ((1024, 2), (32, 16)):
        whole = rest(inner * times)
        yield f"tile/first/inner{inner}/x{times}", (whole, inner), (times, 1), whole * inner
    yield "tile/scalar", (1,), (n,), 1
    yield "tile/pattern7", (7,), (rest(7),), 7
    if tiny:
        yield "tile/both/run2/2x3", (2, 2), (2, 3), 2
        yield "tile/8d/mixed", (1, 1, 2, 1, 1, 2, 1, 1), (1, 3, 1, 1, 1, 1, 2, 1), 1
        return
    yield "tile/both/run8/2x3", (rest(48), 8), (2, 3), 8
    yield "tile/8d/mixed", (2, 1, 3, 2, 1, 2, rest(2 * 3 * 2 * 2 * 2 * 72), 2), (1, 2, 1, 2, 3, 1, 1, 6), 2
    yield "tile/8d/alternate", (rest(128 * 16), 2, 2, 2, 2, 2, 2, 2), (1, 2, 1, 2, 1, 2, 1, 2), 2


LAST_TILES = ((3, 3), (1, 3), (2, 256), (5, 4), (7, 16), (8, 2), (16, 4), (32, 4), (256, 4), (1024, 2))
"""Elements of the run, repeats: {N/9,3}×{1,3}, {N/3,1}×{1,3}, {N/512,2}×{1,256} and longer runs."""
MIDDLE_TILES = ((4, 1, 4), (3, 8, 5), (2, 32, 2), (1, 256, 8), (2, 1024, 4))
"""Sizes of the repeated axis and behind it, repeats."""


Slicing = tuple[str, tuple[int, ...], tuple[int, ...], tuple[int, ...], tuple[int, ...], int]
"""Name, sizes, and the window's offsets, sizes and strides; elements of a run."""


def _slicings(n: int) -> Iterator[Slicing]:
    tiny = n < 100

    def rest(block: int) -> int:
        return max(1, n // block)

    for step in (2, -1) if tiny else (2, 3, 16, -1, -2):
        yield f"slice/last/step{step}", (n * abs(step) + 2,), (1,), (n * abs(step),), (step,), 1
    yield "slice/last/4back", (rest(4), 4), (0, 0), (rest(4), 4), (1, -1), 1
    yield "slice/last/3of8", (rest(3), 8), (0, 4), (rest(3), 3), (1, 1), 3
    yield "slice/middle/step2/inner3", (rest(6), 4, 3), (0, 0, 0), (rest(6), 4, 3), (1, 2, 1), 3
    if tiny:
        yield (
            "slice/8d",
            (1, 3, 1, 4, 2, 1, 2, 3),
            (0, 1, 0, 0, 0, 0, 0, 0),
            (1, 2, 1, 4, 2, 1, 2, 3),
            (1,) * 3 + (2,) + (1,) * 3 + (-2,),
            1,
        )
        return
    yield "slice/last/64back", (rest(64), 64), (0, 0), (rest(64), 64), (1, -1), 1
    yield "slice/last/32of64", (rest(32), 64), (0, 16), (rest(32), 32), (1, 1), 32
    half = rest(1024)
    yield "slice/first/half/inner1024", (2 * half, 1024), (half // 2, 0), (half, 1024), (1, 1), n
    yield "slice/first/step2/inner256", (rest(128), 256), (0, 0), (rest(128), 256), (2, 1), 256
    yield "slice/first/back/inner16", (rest(16), 16), (0, 0), (rest(16), 16), (-1, 1), 16
    yield "slice/first/back/inner1024", (rest(1024), 1024), (0, 0), (rest(1024), 1024), (-1, 1), 1024
    yield "slice/crop/32of64", (rest(1024), 64, 64), (0, 16, 16), (rest(1024), 32, 32), (1, 1, 1), 32
    yield "slice/crop/step2", (rest(1024), 64, 64), (0, 0, 0), (rest(1024), 64, 64), (1, 2, 2), 1
    sizes = (rest(1 << 10), 3, 4, 2, 4, 4, 4, 8)
    window = (*sizes[:1], 2, 4, 2, 4, 4, 4, 8)
    yield "slice/8d", sizes, (0, 1, 0, 0, 0, 0, 0, 0), window, (1, 1, 2, 1, -2, 1, 1, 2), 1


def _slices(regime: Regime, data_type: str) -> Iterator[Cell]:
    item = DataType.of(data_type.upper()).item_size
    for name, sizes, offsets, window, strides, run in _slicings(regime.elements):
        desc = Slice1(_tensor(data_type, sizes), offsets, window, strides)
        yield Cell(regime=regime, data_type=data_type, name=name, desc=desc, run_bytes=run * item)


def _tensor(data_type: str, sizes: Sequence[int]) -> TensorDesc:
    return TensorDesc(data_type.upper(), tuple(sizes))
