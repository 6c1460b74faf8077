"""Wrong rules about GATHER, each held against NumPy's own functions that do what its holder believes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.effort import tried
from support.misreadings import (
    Array,
    Arrays,
    all_hold,
    distinct,
    perhaps_broken_values,
    picture,
    prove_outputs,
    prove_verdict,
    rules_of,
    source_at,
    told,
)
from support.strategies import INDEX_TYPES, generators

import dmlviz as dml
from dmlviz.desc.values import Cycle, Filled, Iota
from dmlviz.operators.checking import check
from dmlviz.operators.maps import Place, Reader
from dmlviz.tracing import Trace

RULES = rules_of(dml.Gather)
Sizes = tuple[int, ...]
SIGNED, UNSIGNED = dml.DataType.INT32, dml.DataType.UINT32


def traced(sizes: Sizes, axis: int, index_sizes: Sizes, wanted: int, indices: Any, kind: Any = SIGNED) -> Trace:
    desc = dml.Gather(dml.TensorDesc("FLOAT32", sizes), dml.TensorDesc(kind, index_sizes), axis, wanted)
    return dml.trace(desc, [distinct(desc.input_tensor), np.array(indices, kind.dtype).reshape(index_sizes)])


@st.composite
def gathers(draw: st.DrawFn, outside: bool = False) -> Trace:
    """1 to 4 axes of 1 to 4, any IndexDimensions that fits; small indices, so that rules often have a meaning."""
    own = draw(st.lists(st.integers(1, 4), min_size=1, max_size=4))
    axis, ones = draw(st.integers(0, len(own) - 1)), 0
    if draw(st.booleans()):
        own = [n if d == axis else 1 for d, n in enumerate(own)]
    while ones < axis and draw(st.booleans()):
        own[ones] = 1
        ones += 1
    wanted = draw(st.integers(0, 1 + next((d for d in range(axis) if own[d] != 1), axis)))
    counted = draw(st.lists(st.integers(1, 3), min_size=wanted, max_size=wanted))
    if draw(st.booleans()):
        counted = [1] * (wanted - 1) + counted[-1:]
    n, kind = own[axis], draw(st.sampled_from(INDEX_TYPES))
    m, dice = int(np.prod(counted)), draw(generators())
    if m <= n and draw(st.booleans()):
        indices = dice.permutation(draw(st.sampled_from([m, n])))[:m]
    else:
        indices = dice.integers(0, n, m)
    if kind.is_signed and draw(st.booleans()):
        indices = np.where(dice.random(m) < 0.5, indices - n, indices)
    if outside:
        low = -n - 2 if kind.is_signed else 0
        other = kind.dtype.type(draw(st.sampled_from([n, n + 1, low, kind.integer_range[1]])))
        indices = np.where(dice.random(m) < 0.3, other, indices.astype(kind.dtype))
    return traced(tuple(own), axis, (1,) * (len(own) - wanted) + tuple(counted), wanted, indices, kind)


def taken(x: Array, picked: Array, desc: Any) -> Array:
    """np.take, and DirectML's number of sizes."""
    made = np.take(x, picked, desc.axis)
    return made.reshape(made.shape[picked.ndim - 1 :] if picked.ndim else (1, *made.shape))


def counted(indices: Array, desc: Any) -> Array:
    """The indices with the sizes that IndexDimensions counts, as Python's own integers."""
    return indices.astype(np.int64).reshape(indices.shape[indices.ndim - desc.index_dimensions :])


def each_cell(x: Array, indices: Array, desc: Any) -> Array | None:
    """torch.gather: it takes no index where the input is shorter, but along the axis."""
    if any(m > n for d, (m, n) in enumerate(zip(indices.shape, x.shape, strict=True)) if d != desc.axis):
        return None
    part = x[tuple(slice(None) if d == desc.axis else slice(m) for d, m in enumerate(indices.shape))]
    return np.take_along_axis(part, indices.astype(np.int64), desc.axis)


def scattered(x: Array, indices: Array, desc: Any) -> Array:
    slices, own = np.moveaxis(x, desc.axis, 0), counted(indices, desc)
    made = np.zeros((own.size, *slices.shape[1:]), x.dtype)
    for j, i in enumerate(own.reshape(-1).tolist()):
        i += len(slices) if i < 0 else 0
        if j < len(slices) and i < len(made):
            made[i] = slices[j]
    places = np.arange(own.size).reshape(own.shape)
    return taken(np.moveaxis(made, 0, desc.axis), places, desc)


def index_first(x: Array, indices: Array, desc: Any) -> Array | None:
    own = counted(indices, desc)
    if not own.ndim:
        return None
    made = taken(x, own, desc)
    first = desc.axis - own.ndim + 1
    return np.moveaxis(made, range(first, first + own.ndim), range(own.ndim))


def from_the_front(x: Array, indices: Array, desc: Any) -> Array:
    rest = indices.ndim - desc.index_dimensions
    return taken(x, indices.astype(np.int64)[(..., *(0,) * rest)], desc)


def selection(x: Array, indices: Array, desc: Any) -> Array | None:
    own = counted(indices, desc)
    kept = np.array(sorted({i % x.shape[desc.axis] for i in own.reshape(-1).tolist()}))
    if len(kept) == own.size:
        return taken(x, kept.reshape(own.shape), desc)
    return taken(x, kept, desc) if own.ndim == 1 else None


ORACLES: dict[str, Any] = {
    "G1": each_cell,
    "G2": lambda x, indices, desc: x.reshape(-1)[indices.astype(np.int64)],
    "G3": scattered,
    "G4": lambda x, indices, desc: taken(x, np.where((own := counted(indices, desc)) > 0, own - 1, own), desc),
    "G5": lambda x, indices, desc: taken(x, np.maximum(counted(indices, desc), 0), desc),
    "G7": index_first,
    "G8": from_the_front,
    "G9": lambda x, indices, desc: (
        np.take(x, counted(indices, desc).reshape(1), desc.axis) if desc.index_dimensions == 0 else None
    ),
    "G11": selection,
}


def pictures_are_numpys(trace: Trace) -> None:
    for name in ORACLES:

        def oracle(desc: Any, arrays: Arrays, name: str = name) -> Arrays | None:
            made = ORACLES[name](*arrays, desc)
            return None if made is None else [made]

        prove_outputs(RULES[name], trace, oracle)


@tried(600)
@given(gathers())
def test_a_rule_differs_just_where_its_outputs_do(trace: Trace) -> None:
    all_hold(RULES, trace)
    pictures_are_numpys(trace)
    stay = told(RULES["G10"], trace)
    assert stay is not None
    assert stay.sizes == (trace.inputs[0].tensor.sizes,)


@tried(300)
@given(gathers(outside=True))
def test_indices_outside_are_clamped_by_wrong_rules_too(trace: Trace) -> None:
    """Nothing is promised of what they pick, and no question asks for it; yet no rule leaves a tensor."""
    all_hold(RULES, trace)


@tried(400)
@given(perhaps_broken_values(gathers(outside=True), ("Axis", "IndexDimensions"), "IndicesTensor", ["FLOAT32"]))
def test_indices_outside_alone_make_the_verdict_differ(case: tuple[dml.Gather, Reader]) -> None:
    desc, read = case
    verdict = prove_verdict(RULES["G6"], desc, read)
    if check(desc, read.values).ok:
        n = desc.input_tensor.sizes[desc.axis]
        indices = [int(i) for i in read.values[1].array().reshape(-1)]
        assert verdict == all(-n <= i < n for i in indices)


def sizes_by(name: str, trace: Trace) -> tuple[Sizes, ...]:
    found = told(RULES[name], trace)
    assert found is not None
    return found.sizes


def cells(name: str, trace: Trace) -> Any:
    return picture(RULES[name], trace).tolist()


def test_levels_look_won_to_who_holds_a_rule() -> None:
    pick_again = traced((4,), 0, (3,), 1, [3, 1, 3]).reference(0).tolist()
    assert cells("G4", traced((4,), 0, (3,), 1, [4, 2, 4])) == pick_again
    goal = traced((3, 2), 0, (1, 3), 1, [2, 0, 1]).reference(0).tolist()
    assert cells("G3", traced((3, 2), 0, (1, 3), 1, [1, 2, 0])) == goal


@pytest.mark.parametrize(
    ("indices", "differing"),
    [
        ([0, 1, 2], {"G4"}),
        ([1, 0, 2], {"G4", "G11"}),  # undoes itself
        ([1, 2, 0], {"G3", "G4", "G11"}),
        ([0, 0], {"G3", "G11", "G10"}),
        ([1, 0], {"G4", "G11", "G10"}),  # two of three slices, and undoes itself
        ([-3, -2, -1], {"G5"}),
        ([-3], {"G10"}),  # counts from the end, and is 0
    ],
)
def test_rules_of_indices_along_one_axis(indices: list[int], differing: set[str]) -> None:
    trace = traced((3,), 0, (len(indices),), 1, indices)
    own = {name: rule for name, rule in RULES.items() if name.startswith("G")}
    assert {name for name, rule in own.items() if rule.differs(trace.desc, trace.read)} == differing


def test_indices_before_the_last_axis_may_stand_elsewhere_though_nothing_else_is_longer_than_1() -> None:
    """{3, 1} by two indices is {2, 1}; who takes each cell, or an element of all, has the indices' {1, 2}."""
    trace = traced((3, 1), 0, (1, 2), 1, [2, 0])
    assert sizes_by("G2", trace) == ((1, 2),)
    assert RULES["G2"].differs(trace.desc, trace.read)
    assert told(RULES["G1"], trace) is None  # there is no second column to take
    assert not RULES["G1"].differs(trace.desc, trace.read)
    middle = traced((1, 3, 1), 1, (1, 2, 1), 2, [2, 0])
    assert (sizes_by("G1", middle), middle.outputs[0].tensor.sizes) == (((1, 2, 1),), (2, 1, 1))


@pytest.mark.parametrize(("i", "nth"), [(0, "1st"), (1, "2nd"), (2, "3rd"), (3, "4th"), (10, "11th"), (21, "22nd")])
def test_feedback_counts_slices_as_english_does(i: int, nth: str) -> None:
    trace = traced((30,), 0, (1,), 1, [i])
    said = RULES["G4"].says(trace.desc, trace.read)
    assert said == f"Indices count from 0, as in Python: index {i} is the {nth} of 30 slices."


def test_feedback_names_the_index_of_the_element() -> None:
    trace = traced((3, 2), 0, (1, 3), 1, [1, 2, 0])
    said = [RULES["G3"].says(trace.desc, trace.read, Place(True, 0), (k, 1)) for k in range(3)]
    named = [each.partition(": ")[2][:30] for each in said]
    assert named == [f"index {i} at IndicesTensor[0,{k}] " for k, i in enumerate([1, 2, 0])]


def test_a_huge_gather_costs_what_is_asked() -> None:
    desc = dml.Gather(dml.TensorDesc("INT8", (65535, 65535)), dml.TensorDesc("UINT32", (1, 65535)), 0, 1)
    read = Reader([Filled(desc.input_tensor, Iota(1, 1)), Filled(desc.indices_tensor, Cycle(60000))])
    want = {"G3": (-1, 0, 0), "G4": (0, 6, 11), "G5": (0, 7, 11), "G7": (0, 7, 11), "G11": (0, 59999, 11)}
    assert {name: source_at(RULES[name], desc, read, (60007, 11)) for name in want} == want


def test_all_of_too_many_indices_are_never_looked_at() -> None:
    """Rules that take all indices together have no meaning then; the others go by the first ones."""
    count = 2**24 + 1
    desc = dml.Gather(dml.TensorDesc("INT8", (4,)), dml.TensorDesc("INT32", (count,)), 0, 1)
    read = Reader([Filled(desc.input_tensor, Iota(1, 1)), Filled(desc.indices_tensor, Cycle(4))])
    for name in ("G3", "G11"):
        outputs = RULES[name].outputs
        assert outputs is not None
        assert outputs(desc, read) is None
        assert not RULES[name].differs(desc, read)
    assert RULES["G6"].accepts is not None
    assert RULES["G6"].accepts(desc, read) is None
    assert RULES["G4"].differs(desc, read)
