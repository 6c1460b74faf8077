"""What wrong rules make of valid descs, element by element as the design of teaching has it, and where that differs."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from operator_kit.finding import cases_of
from support.effort import tried
from support.misreadings import Arrays, prove_outputs, rule
from support.pages import Sizes
from support.small_descs import small_gathers, small_joins, small_reversals, small_splits, small_tiles
from support.strategies import Case

import dmlviz as dml
from dmlviz.desc.fields import Role
from dmlviz.desc.indexing import flat_in, put
from dmlviz.desc.values import Cycle, Filled, Iota
from dmlviz.operators.maps import Reader
from dmlviz.operators.registry import operator_of
from dmlviz.operators.wrong_rules import LOOKED_AT

CASES: dict[str, Callable[[], st.SearchStrategy[Case]]] = {
    "JOIN": small_joins,
    "SPLIT": small_splits,
    "REVERSE": small_reversals,
    "GATHER": small_gathers,
    "TILE": small_tiles,
}
Index = tuple[int, ...]


def made(shape: Sequence[int], at: Callable[[Index], Any]) -> Any:
    """An array of these sizes by its elements; 0 where there is none."""
    array = np.zeros(tuple(shape), np.int64)
    for index in np.ndindex(*shape):
        array[index] = at(index) or 0
    return array


def joined(desc: Any, at: Callable[[int, int, Index], Any]) -> Arrays:
    """An output of the true sizes by (tensor, place in it along Axis, index)."""
    own = [(k, i) for k, t in enumerate(desc.input_tensors) for i in range(t.sizes[desc.axis])]
    sizes = put(desc.input_tensors[0].sizes, desc.axis, len(own))
    return [made(sizes, lambda o: at(own[o[desc.axis]][0], own[o[desc.axis]][1], o))]


def stacked(desc: Any, *xs: Any) -> Arrays | None:
    if len({x.shape for x in xs}) > 1:
        return None
    a, sizes = desc.axis, xs[0].shape
    return [made((*sizes[:a], len(xs), *sizes[a:]), lambda o: xs[o[a]][(*o[:a], *o[a + 1 :])])]


def dealt(desc: Any, *xs: Any) -> Arrays | None:
    a, count = desc.axis, len(xs)
    total = sum(x.shape[a] for x in xs)
    if any(j // count >= xs[j % count].shape[a] for j in range(total)):
        return None
    return joined(desc, lambda k, i, o: xs[o[a] % count][put(o, a, o[a] // count)])


def on_diagonal(desc: Any, *xs: Any) -> Arrays:
    grows = [d for d, n in enumerate(xs[0].shape) if d == desc.axis or n > 1]
    sizes = [sum(x.shape[d] for x in xs) if d in grows else 1 for d in range(xs[0].ndim)]

    def at(o: Index) -> Any:
        for x in xs:
            if all(0 <= i < n for i, n in zip(o, x.shape, strict=True)):
                return x[o]
            o = tuple(i - x.shape[d] if d in grows else i for d, i in enumerate(o))
        return None

    return [made(sizes, at)]


def appended(desc: Any, *xs: Any) -> Arrays:
    numbers = [number for x in xs for number in x.ravel().tolist()]
    (true,) = joined(desc, lambda k, i, o: 0)
    return [np.array(numbers).reshape(true.shape)]


def parts(desc: Any) -> list[int]:
    return [tensor.sizes[desc.axis] for tensor in desc.output_tensors]


def cut(along: Callable[[Any, int, int], int]) -> Callable[..., Arrays]:
    """Parts of the true sizes, by (desc, part, place along Axis) to the input's place along Axis."""
    return lambda desc, x: [
        made(t.sizes, lambda o, k=k: x[put(o, desc.axis, along(desc, k, o[desc.axis]))])  # type: ignore[misc]
        for k, t in enumerate(desc.output_tensors)
    ]


def equal_parts(desc: Any, x: Any) -> Arrays:
    n, size = x.shape[desc.axis], math.ceil(x.shape[desc.axis] / len(parts(desc)))
    starts = range(0, n, size)
    return [x.take(range(start, min(n, start + size)), desc.axis) for start in starts]


def dealt_to_parts(desc: Any, x: Any) -> Arrays | None:
    count, n = len(parts(desc)), x.shape[desc.axis]
    if any((size - 1) * count + k >= n for k, size in enumerate(parts(desc))):
        return None
    return cut(lambda desc, k, i: i * count + k)(desc, x)


def cut_memory(desc: Any, x: Any) -> Arrays:
    numbers = iter(x.ravel().tolist())
    return [made(t.sizes, lambda o: next(numbers)) for t in desc.output_tensors]


def tiled(along: Callable[[int, int, int], int]) -> Callable[..., Arrays]:
    """The true sizes, by (place, size, repeat) of an axis to the input's place."""

    def oracle(desc: Any, x: Any) -> Arrays:
        rows = list(zip(x.shape, desc.repeats, strict=True))
        sizes = [n * r for n, r in rows]
        return [made(sizes, lambda o: x[tuple(along(i, *row) for i, row in zip(o, rows, strict=True))])]

    return oracle


def end_to_end(desc: Any, x: Any) -> Arrays:
    sizes = [n * r for n, r in zip(x.shape, desc.repeats, strict=True)]
    return [made(sizes, lambda o: x.flat[flat_in(o, sizes) % x.size])]


def sized(size: Callable[[int, int], int]) -> Callable[..., Arrays]:
    return lambda desc, x: [np.zeros([size(n, r) if r > 1 else n for n, r in zip(x.shape, desc.repeats, strict=True)])]


def turned(along: Callable[[int, int, int], int | None]) -> Callable[..., Arrays]:
    """By (place along Axis, acting length, the size of Axis) to the input's place along Axis; None for no source."""

    def oracle(desc: Any, x: Any, lengths: Any) -> Arrays:
        a, n = desc.axis, x.shape[desc.axis]

        def at(o: Index) -> Any:
            place = along(o[a], min(n, int(lengths[put(o, a, 0)])), n)
            return None if place is None else x[put(o, a, place)]

        return [made(x.shape, at)]

    return oracle


def across(desc: Any, x: Any, lengths: Any) -> Arrays | None:
    a, others = desc.axis, [d for d, n in enumerate(x.shape) if d != desc.axis and n > 1]
    if not others or x.shape[a] == 1:
        return None
    b, count = others[-1], x.shape[others[-1]]

    def at(o: Index) -> Any:
        length = min(count, int(lengths[put(put(o, a, 0), b, min(o[a], count - 1))]))
        return x[put(o, b, length - 1 - o[b] if o[b] < length else o[b])]

    return [made(x.shape, at)]


def acting(i: int, n: int) -> int:
    return min(max(i + n if i < 0 else i, 0), n - 1)


def counted(desc: Any, indices: Any) -> Any:
    return indices.astype(object).reshape(desc.index_sizes)


def gathered(desc: Any, x: Any, slices: Any) -> Any:
    """An output whose indices pick these slices, None for no slice, with DirectML's number of sizes."""
    a, count = desc.axis, slices.ndim
    full = (*x.shape[:a], *slices.shape, *x.shape[a + 1 :])

    def at(o: Index) -> Any:
        picked = slices[o[a : a + count]]
        return None if picked is None else x[*o[:a], picked, *o[a + count :]]

    array = made(full, at)
    return array.reshape(full[count - 1 :] if count else (1, *full))


def picking(rule: Callable[[int, int], int]) -> Callable[..., Arrays]:
    """By (a raw index, the size of Axis) to the slice."""
    return lambda desc, x, indices: [
        gathered(desc, x, np.vectorize(lambda i: rule(i, x.shape[desc.axis]), otypes=[object])(counted(desc, indices)))
    ]


def scattered(desc: Any, x: Any, indices: Any) -> Arrays:
    n, senders = x.shape[desc.axis], np.full(indices.size, None, object)
    for j, i in enumerate(int(i) for i in indices.flat):
        if j < n and acting(i, n) < len(senders):
            senders[acting(i, n)] = j
    return [gathered(desc, x, senders.reshape(desc.index_sizes))]


def selected(desc: Any, x: Any, indices: Any) -> Arrays | None:
    slices = np.array(sorted({acting(int(i), x.shape[desc.axis]) for i in indices.flat}), object)
    if len(slices) < indices.size and desc.index_dimensions != 1:
        return None
    return [gathered(desc, x, slices.reshape(desc.index_sizes if len(slices) == indices.size else -1))]


def each_cell(desc: Any, x: Any, indices: Any) -> Arrays | None:
    a = desc.axis
    if any(m > n for d, (m, n) in enumerate(zip(indices.shape, x.shape, strict=True)) if d != a):
        return None
    return [made(indices.shape, lambda o: x[put(o, a, acting(int(indices[o]), x.shape[a]))])]


def index_first(desc: Any, x: Any, indices: Any) -> Arrays | None:
    own, before = desc.index_dimensions, desc.axis - desc.drop
    (true,) = picking(acting)(desc, x, indices)
    sizes = (*desc.index_sizes, *true.shape[:before], *true.shape[before + own :])
    return [made(sizes, lambda o: true[*o[own : own + before], *o[:own], *o[own + before :]])] if own else None


def from_the_front(desc: Any, x: Any, indices: Any) -> Arrays:
    front = indices.shape[: desc.index_dimensions]
    cells = made(front, lambda o: indices[*o, *(0,) * (indices.ndim - len(o))])
    slices = [acting(int(i), x.shape[desc.axis]) for i in cells.flat]
    return [gathered(desc, x, np.array(slices, object).reshape(front))]


def axis_stays(desc: Any, x: Any, indices: Any) -> Arrays | None:
    picked = acting(int(indices.flat[0]), x.shape[desc.axis])
    return None if desc.index_dimensions else [x.take([picked], desc.axis)]


ORACLES: dict[str, dict[str, Callable[..., Arrays | None]]] = {
    "JOIN": {
        "J1": stacked,
        "J2": dealt,
        "J3": on_diagonal,
        "J4": lambda desc, *xs: [np.zeros(put(xs[0].shape, desc.axis, len(xs) * xs[0].shape[desc.axis]))],
        "J5": appended,
        "J6": lambda desc, *xs: joined(
            desc, lambda k, i, o: xs[k][put(o, desc.axis, o[desc.axis] % xs[k].shape[desc.axis])]
        ),
    },
    "SPLIT": {
        "S1": cut(lambda desc, k, i: i + (parts(desc)[k - 1] if k else 0)),
        "S2": equal_parts,
        "S3": cut(lambda desc, k, i: i),
        "S4": dealt_to_parts,
        "S5": lambda desc, x: [
            np.zeros([n for d, n in enumerate(t.sizes) if d != desc.axis or n > 1]) for t in desc.output_tensors
        ],
        "S8": cut_memory,
    },
    "TILE": {
        "C1": lambda desc, x: [np.tile(x, desc.repeats[::-1])],
        "T1": tiled(lambda i, n, r: i // r),
        "T2": sized(lambda n, r: n + n * r),
        "T4": sized(lambda n, r: r),
        "T5": tiled(lambda i, n, r: i % n if i // n % 2 == 0 else n - 1 - i % n),
        "T6": end_to_end,
    },
    "REVERSE": {
        "R1": turned(lambda k, length, n: n - 1 - k),
        "R2": turned(lambda k, length, n: 2 * n - length - 1 - k if k >= n - length else k),
        "R3": turned(lambda k, length, n: min(length, n - 1) - k if k <= length else k),
        "R4": across,
        "R5": turned(lambda k, length, n: (k + length) % n),
        "R6": turned(lambda k, length, n: (length or n) - 1 - k if k < (length or n) else k),
        "R8": turned(lambda k, length, n: length - 1 - k if k < length else None),
        "R9": turned(
            lambda k, length, n: k // length * length + min(n, (k // length + 1) * length) - 1 - k if length else k
        ),
    },
    "GATHER": {
        "G1": each_cell,
        "G2": lambda desc, x, indices: [made(indices.shape, lambda o: x.flat[acting(int(indices[o]), x.size)])],
        "G3": scattered,
        "G4": picking(lambda i, n: i - 1 if 1 <= i < n else acting(i, n)),
        "G5": picking(lambda i, n: acting(max(i, 0), n)),
        "G7": index_first,
        "G8": from_the_front,
        "G9": axis_stays,
        "G10": lambda desc, x, indices: [x],
        "G11": selected,
    },
}

# ---- rules that operators share: the true outputs of another reading


def true_of(desc: Any, arrays: Arrays) -> Arrays | None:
    """The operator's own outputs by its oracle; None of a broken desc."""
    return cases_of(desc.TYPE).oracle(desc, arrays) if dml.check(desc).ok else None


def along(axis_of: Callable[[Any], int]) -> Callable[..., Arrays | None]:
    """Parts and lengths are read by the sizes of the input, with as many as there are along the other axis."""

    def oracle(desc: Any, *arrays: Any) -> Arrays | None:
        axis, sizes, read = axis_of(desc), arrays[0].shape, list(arrays)
        if not 0 <= axis < len(sizes):
            return None
        changes: dict[str, Any] = {"Axis": axis, **desc.inferable}
        if isinstance(desc, dml.Split):
            whole = [t.resized(put(sizes, axis, t.sizes[desc.axis])) for t in desc.output_tensors]
            changes["OutputTensors"] = whole
        if isinstance(desc, dml.ReverseSubsequences):
            if math.prod(put(sizes, axis, 1)) != arrays[1].size:
                return None
            changes["SequenceLengthsTensor"] = desc.sequence_lengths_tensor.resized(put(sizes, axis, 1))
            read[1] = arrays[1].reshape(put(sizes, axis, 1))
        return true_of(desc.replace(changes), read)

    return oracle


def leading_ones(sizes: Sizes) -> int:
    return next((d for d, n in enumerate(sizes) if n > 1), len(sizes))


def down_the_columns(desc: Any, *arrays: Any) -> Arrays | None:
    laid = [
        a.ravel().reshape(a.shape, order="F") if part.field.role is Role.DATA else a
        for part, a in zip(desc.inputs, arrays, strict=True)
    ]
    return true_of(desc, laid)


def transposed(desc: Any, *arrays: Any) -> Arrays | None:
    true = true_of(desc, list(arrays)) or []
    return [a.swapaxes(-1, -2) for a in true] if true[0].ndim > 1 else None


OF_AXIS = {
    "C1": along(lambda desc: len(desc.inputs[0].tensor.sizes) - 1 - desc.axis),
    "C2": along(lambda desc: desc.axis - 1),
    "C3": along(lambda desc: desc.axis + leading_ones(desc.inputs[0].tensor.sizes)),
}
OF_ANY = {"C4": down_the_columns, "C5": transposed}
ALL = {kind: {**(OF_AXIS if kind != "TILE" else {}), **OF_ANY, **own} for kind, own in ORACLES.items()}


@pytest.mark.drawn(3)
@pytest.mark.parametrize(("kind", "id_"), [(kind, id_) for kind, rules in ALL.items() for id_ in rules])
@tried(300)
@given(data=st.data())
def test_outputs_are_as_the_design_has_them(kind: str, id_: str, data: st.DataObject) -> None:
    case = data.draw(CASES[kind]())
    assume(all(part.tensor.element_count <= LOOKED_AT for part in case.desc.outputs))
    prove_outputs(rule(case.desc, id_), dml.trace(case.desc, case.arrays), ALL[kind][id_])


@tried(100)
@given(st.one_of(*(cases() for cases in CASES.values())))
def test_memory_is_read_down_the_columns(case: Case) -> None:
    order = rule(case.desc, "C4").order
    assert order is not None
    trace = dml.trace(case.desc, case.arrays)
    for k in range(len(trace.outputs)):
        truth = trace.reference(k)
        assert np.array_equal(trace.window(k, order(case.desc, k, np.arange(truth.size))), truth.ravel(order="F"))


@tried(100)
@given(small_tiles())
def test_reads_are_added_where_they_multiply(case: Case) -> None:
    each, trace = rule(case.desc, "T7"), dml.trace(case.desc, case.arrays)
    factors = [r for r in case.desc.repeats if r > 1]
    assert each.reads is not None
    assert each.reads(case.desc, trace.read, 0, (0,) * case.arrays[0].ndim) == (sum(factors) or 1)
    assert each.differs(case.desc, trace.read) is (len(factors) > 1 and factors != [2, 2])


@tried(100)
@given(small_reversals())
def test_lengths_by_position_have_other_sizes(case: Case) -> None:
    each, sizes = rule(case.desc, "R10"), case.arrays[0].shape
    assert each.input_sizes is not None
    found = [each.input_sizes(case.desc, k) for k in range(2)]
    assert found == [None, tuple(n if d == case.desc.axis else 1 for d, n in enumerate(sizes))]
    assert each.differs(case.desc, Reader(())) is (max(sizes) > 1)


def test_cells_that_a_rule_takes_are_those_whose_numbers_it_uses() -> None:
    """G8 takes another index, R4 another length; C1 reads lengths in their order."""
    x, indices = dml.TensorDesc("INT32", (1, 3)), dml.TensorDesc("INT32", (2, 1))
    gather = dml.Gather(x.resized((1, 1, 3)), indices.resized((1, 2, 1)), 2, 2)
    reverse = dml.ReverseSubsequences(x.resized((2, 3)), dml.TensorDesc("UINT32", (2, 1)), 1)
    square = dml.ReverseSubsequences(x.resized((3, 3)), dml.TensorDesc("UINT32", (3, 1)), 1)
    for desc, id_, at, cell in [
        (gather, "G8", (0, 0, 0), (0, 0, 0)),
        (reverse, "R4", (0, 2), (1, 0)),
        (square, "C1", (0, 2), (2, 0)),
    ]:
        read = dml.trace(desc).read
        outputs = rule(desc, id_).outputs
        wrong = outputs(desc, read) if outputs else None
        assert wrong is not None
        assert wrong.source is not None
        sources = wrong.source(0, tuple(np.array([i]) for i in at))
        assert sources.via is not None
        assert (sources.via_tensor, tuple(int(i[0]) for i in sources.via)) == (1, cell), id_


HUGE = 65535
WHOLE = dml.TensorDesc("INT8", (HUGE, HUGE))
HALVES = [dml.TensorDesc("INT8", (HUGE, n)) for n in (HUGE // 2, HUGE - HUGE // 2)]


@pytest.mark.parametrize(
    "desc",
    [
        dml.Join(HALVES, 1),
        dml.Split(WHOLE, HALVES, 1),
        dml.ReverseSubsequences(WHOLE, dml.TensorDesc("UINT32", (HUGE, 1)), 1),
        dml.Gather(WHOLE, dml.TensorDesc("UINT32", (1, HUGE)), 1, 1),
        dml.Tile(dml.TensorDesc("INT8", (HUGE // 5, HUGE // 3)), (5, 3)),
    ],
    ids=lambda desc: type(desc).__name__,
)
def test_of_a_huge_tensor_few_elements_are_compared(desc: Any) -> None:
    values = [Filled(part.tensor, Cycle(4) if k else Iota(1, 1)) for k, part in enumerate(desc.inputs)]
    differing = {each.id for each in operator_of(desc).misreadings() if each.differs(desc, Reader(values))}
    assert {"C4", "C5"} <= differing
    assert not differing & {"J5", "S8", "G3", "G6", "R1", "R7", "T1"}


def test_indices_of_a_large_input_are_told_apart() -> None:
    desc = dml.Gather(dml.TensorDesc("INT8", (2, 5000)), dml.TensorDesc("INT32", (1, 3)), 1, 1)
    read = Reader([Filled(desc.input_tensor, Iota(1, 1)), Filled(desc.indices_tensor, Iota(4000, -1))])
    assert {each.id for each in operator_of(desc).misreadings() if each.differs(desc, read)} >= {"G3", "G4", "G11"}
