"""Wrong rules that operators share: each is what NumPy or the operator's oracle makes of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from operator_kit.cases.reverse_subsequences import reverse_subsequences
from operator_kit.finding import cases_of
from support.effort import tried
from support.misreadings import (
    Arrays,
    accepts,
    drawn,
    equal,
    prove_lowest_level,
    prove_outputs,
    prove_verdict,
    reader,
    rule,
    traced,
)
from support.small_descs import (
    distinct,
    int32,
    perhaps_broken,
    small_cases,
    small_gathers,
    small_joins,
    small_reversals,
    small_splits,
    small_tiles,
)
from support.strategies import Case

import dmlviz as dml
from dmlviz.desc.fields import Role
from dmlviz.operators.maps import Reader
from dmlviz.operators.registry import operator_of
from dmlviz.operators.wrong_rules import Misreading
from dmlviz.session.examples import example

CASES: dict[Any, Callable[[], st.SearchStrategy[Case]]] = {
    dml.Join: small_joins,
    dml.Split: small_splits,
    dml.ReverseSubsequences: small_reversals,
    dml.Gather: small_gathers,
    dml.Tile: small_tiles,
}
OF = {kind: [each for each in operator_of(kind.TYPE).misreadings() if each.id.startswith("C")] for kind in CASES}

# ---- an operator along any axis, by NumPy; None where it has no meaning


def join_along(desc: dml.Join, arrays: Arrays, axis: int) -> Arrays | None:
    try:
        return [np.concatenate(arrays, axis)]
    except ValueError:
        return None


def split_along(desc: dml.Split, arrays: Arrays, axis: int) -> Arrays | None:
    ends = np.cumsum([t.sizes[desc.axis] for t in desc.output_tensors])
    return np.split(arrays[0], ends[:-1], axis) if ends[-1] == arrays[0].shape[axis] else None


def reverse_along(desc: dml.ReverseSubsequences, arrays: Arrays, axis: int) -> Arrays | None:
    data, lengths = arrays
    cells = (*data.shape[:axis], 1, *data.shape[axis + 1 :])
    if lengths.size != np.prod(cells):
        return None
    return [reverse_subsequences(data, lengths.reshape(cells), axis)]


def gather_along(desc: dml.Gather, arrays: Arrays, axis: int) -> Arrays | None:
    data, indices = arrays
    n, drop = data.shape[axis], desc.index_dimensions - 1
    if drop > axis or any(size != 1 for size in data.shape[: max(drop, 0)]):
        return None
    counted = indices.reshape(indices.shape[indices.ndim - desc.index_dimensions :]).astype(object)
    picked = np.vectorize(lambda i: min(max(i + n if i < 0 else i, 0), n - 1), otypes=[int])(counted)
    made = np.take(data, picked, axis)
    return [made.reshape((1, *made.shape) if drop < 0 else made.shape[drop:])]


ALONG: dict[Any, Callable[[Any, Arrays, int], Arrays | None]] = {
    dml.Join: join_along,
    dml.Split: split_along,
    dml.ReverseSubsequences: reverse_along,
    dml.Gather: gather_along,
}


def leading_ones(sizes: Sequence[int]) -> int:
    return len(sizes) - len("".join("1" if n == 1 else "x" for n in sizes).lstrip("1"))


OTHER_AXIS: dict[str, Callable[[Any], int]] = {
    "C1": lambda desc: len(desc.inputs[0].tensor.sizes) - 1 - desc.axis,
    "C2": lambda desc: desc.axis - 1,
    "C3": lambda desc: desc.axis + leading_ones(desc.inputs[0].tensor.sizes),
}


def of_axis(id_: str) -> Any:
    def oracle(desc: Any, arrays: Arrays) -> Arrays | None:
        axis = OTHER_AXIS[id_](desc)
        return ALONG[type(desc)](desc, arrays, axis) if axis in range(arrays[0].ndim) else None

    return oracle


@pytest.mark.drawn(4)
@pytest.mark.parametrize("kind", ALONG, ids=lambda kind: kind.__name__)
@pytest.mark.parametrize("id_", OTHER_AXIS)
def test_another_axis(id_: str, kind: Any) -> None:
    @tried(400)
    @given(CASES[kind]())
    def run(case: Case) -> None:
        prove_outputs(rule(OF[kind], id_), traced(case), of_axis(id_))

    run()


@tried(200)
@given(small_tiles())
def test_repeats_from_the_other_end(case: Case) -> None:
    prove_outputs(rule(OF[dml.Tile], "C1"), traced(case), lambda desc, arrays: [np.tile(arrays[0], desc.repeats[::-1])])


# ---- memory and coordinates


def columns_first(desc: Any, arrays: Arrays) -> Arrays:
    """The operator's own outputs, of inputs whose numbers run down the columns."""
    laid = [
        np.ascontiguousarray(a.ravel().reshape(a.shape, order="F")) if part.field.role is Role.DATA else a
        for part, a in zip(desc.inputs, arrays, strict=True)
    ]
    return [*cases_of(desc.TYPE).oracle(desc, laid)]


def transposed(desc: Any, arrays: Arrays) -> Arrays | None:
    made = cases_of(desc.TYPE).oracle(desc, arrays)
    return [np.swapaxes(each, -1, -2) for each in made] if made[0].ndim > 1 else None


@tried(400)
@given(small_cases())
def test_numbers_run_down_the_columns(case: Case) -> None:
    prove_outputs(rule(OF[type(case.desc)], "C4"), traced(case), columns_first)


@tried(100)
@given(small_cases())
def test_memory_is_read_down_the_columns(case: Case) -> None:
    order = rule(OF[type(case.desc)], "C4").order
    assert order is not None
    trace = dml.trace(case.desc, case.arrays)
    for k, part in enumerate(trace.outputs):
        truth = trace.reference(k)
        read = trace.window(k, order(case.desc, k, np.arange(truth.size)))
        assert np.array_equal(read, truth.ravel(order="F"))
        moved = not np.array_equal(np.arange(truth.size), np.arange(truth.size).reshape(truth.shape).ravel(order="F"))
        assert moved is (sum(n > 1 for n in part.tensor.sizes) > 1)


@pytest.mark.drawn(2)
@pytest.mark.parametrize("kind", OF, ids=lambda kind: kind.__name__)
@tried(400)
@given(data=st.data())
def test_column_before_row(kind: Any, data: st.DataObject) -> None:
    prove_outputs(rule(OF[kind], "C5"), traced(data.draw(CASES[kind]())), transposed)


@pytest.mark.parametrize("indices", [[[0, 1], [1, 2]], [[0, 1], [2, 1]], [[0, -1], [2, 2]], [[2, 5], [3, 2]]])
def test_a_square_of_indices_transposed(indices: list[list[int]]) -> None:
    """Where the last two axes are the indices' own, it shows in them alone."""
    desc = dml.Gather(int32((1, 3)), dml.TensorDesc("INT32", (2, 2)), 1, 2)
    case = Case(desc, [*distinct((1, 3)), np.array(indices, np.int32)])
    prove_outputs(rule(OF[dml.Gather], "C5"), traced(case), transposed)


@pytest.mark.parametrize("sizes", [(1, 1), (2, 1), (1, 2), (2, 2)])
def test_a_square_of_copies_transposed(sizes: tuple[int, int]) -> None:
    desc = dml.Tile(int32(sizes), [2 // size for size in sizes])
    prove_outputs(rule(OF[dml.Tile], "C5"), traced(Case(desc, distinct(sizes))), transposed)


# ---- verdicts and levels


@pytest.mark.parametrize("kind", OF, ids=lambda kind: kind.__name__)
@tried(100)
@given(data=st.data())
def test_verdicts(kind: Any, data: st.DataObject) -> None:
    desc = data.draw(perhaps_broken(CASES[kind]()))
    for each in OF[kind]:
        if each.accepts is not None:
            prove_verdict(each, desc)
        if each.lowest_level is not None:
            prove_lowest_level(each, desc)


def retyped(desc: Any, kind: str) -> Any:
    """Every data and output tensor of another type, so that levels differ."""
    changes: dict[str, Any] = {}
    for part in desc.parts:
        if part.field.role in (Role.DATA, Role.OUTPUT) and part.field.name not in desc.inferred:
            tensor = part.tensor.retyped(kind)
            changes[part.field.name] = [*changes.get(part.field.name, []), tensor] if part.field.many else tensor
    return desc.replace(changes)


@tried(100)
@given(small_cases(), st.sampled_from(["FLOAT64", "INT8", "FLOAT16", "INT64"]))
def test_lowest_levels(case: Case, kind: str) -> None:
    desc = retyped(case.desc, kind)
    for id_ in ("C9", "C10"):
        prove_lowest_level(rule(OF[type(desc)], id_), desc)
    lowest_level = rule(OF[type(desc)], "C9").lowest_level
    assert lowest_level is not None
    assert lowest_level(desc) == "1_0"


@tried(100)
@given(small_joins(), st.integers(-6, 5))
def test_a_negative_axis(case: Case, axis: int) -> None:
    """C6 takes it from the end, and draws what lies along that axis."""
    desc, count = case.desc.replace({"Axis": axis}), case.arrays[0].ndim
    each, read = rule(OF[dml.Join], "C6"), reader(case.desc, case.arrays)
    want = join_along(desc, case.arrays, axis) if -count <= axis < 0 else None
    assert each.accepts is not None
    assert each.outputs is not None
    assert each.accepts(desc, read) is (True if want is not None else None)
    assert each.differs(desc, read) is (want is not None)
    made = each.outputs(desc, read)
    assert (made is None) is (want is None)
    if made is not None and want is not None:
        assert equal(drawn(made, desc, read), want)


def test_leading_ones() -> None:
    """C7 takes what is the same but for leading 1s, and says nothing where DimensionCounts are equal."""

    def says(desc: Any) -> bool | None:
        return accepts(OF[type(desc)], "C7", desc)

    one, two, three = int32((1, 1, 2, 3)), int32((2, 4)), int32((3, 4))
    assert says(dml.Join([one, two], 3, int32((1, 1, 2, 7)))) is True
    assert says(dml.Join([one, two], 3)) is True
    assert says(dml.Join([one, three], 3)) is None
    assert says(dml.Join([one, two], -1)) is None
    assert says(dml.Join([two, int32((1, 1, 2, 4))], -1)) is None
    assert says(dml.Join([one, one], 3)) is None
    assert says(dml.Gather(int32((3, 2)), dml.TensorDesc("UINT32", (4,)), 0, 1, int32((4, 2)))) is True
    assert says(dml.ReverseSubsequences(int32((2, 4)), dml.TensorDesc("UINT32", (2,)), 1)) is None
    assert says(dml.ReverseSubsequences(int32((2, 4)), dml.TensorDesc("UINT32", (4,)), 0)) is True
    assert says(dml.Tile(int32((2, 3)), [2, 2], int32((1, 4, 6)))) is True
    assert says(dml.Split(int32((1, 4, 2)), [int32((1, 2, 2)), int32((2, 2))], 1)) is True


@pytest.mark.parametrize(
    ("id_", "name", "number", "truth"),
    [
        ("C6", "rule-axis-range", 3, "axis.range"),
        ("C7", "rule-dimension-count-equal", 0, "dimension_count.equal"),
        ("C8", "rule-dtype-equal", 0, "dtype.equal"),
    ],
)
def test_verdicts_in_the_lesson(id_: str, name: str, number: int, truth: str) -> None:
    desc: Any = example(name).session().experiments[number].desc
    assert {c.id for c in dml.check(desc).errors} == {truth}
    assert accepts(OF[type(desc)], id_, desc) is True
    assert rule(OF[type(desc)], id_).differs(desc, Reader(()))


@pytest.mark.parametrize(("name", "truth"), [("rule-dimension-count-supported", "4_1"), ("note-tile-float64", None)])
def test_levels_in_the_lesson(name: str, truth: str | None) -> None:
    desc: Any = example(name).session().experiments[0].desc
    each, read = rule(OF[type(desc)], "C9"), Reader(())
    assert dml.check(desc).lowest_level == truth
    assert each.lowest_level is not None
    assert each.lowest_level(desc) == "1_0"
    assert each.differs(desc, read)
    assert each.says(desc, read).endswith(f"at {truth}." if truth else "none for this one.")


# ---- all of them


HUGE = 65535


def huge() -> list[Any]:
    whole = dml.TensorDesc("INT8", (HUGE, HUGE))
    halves = [dml.TensorDesc("INT8", (HUGE, n)) for n in (HUGE // 2, HUGE - HUGE // 2)]
    return [
        dml.Join(halves, 1),
        dml.Join([dml.TensorDesc("INT8", (HUGE // 3, HUGE))] * 3, 0),
        dml.Split(whole, halves, 1),
        dml.ReverseSubsequences(whole, dml.TensorDesc("UINT32", (HUGE, 1)), 1),
        dml.Gather(whole, dml.TensorDesc("UINT32", (1, HUGE)), 1, 1),
        dml.Tile(dml.TensorDesc("INT8", (HUGE // 5, HUGE // 3)), (5, 3)),
    ]


@pytest.mark.parametrize("desc", huge(), ids=lambda desc: type(desc).__name__)
def test_a_huge_tensor_is_asked_for_a_window(desc: Any) -> None:
    """Whatever a rule answers about a few elements, nothing is read or made but these and all that steers."""
    trace = dml.trace(desc)
    misreadings: Sequence[Misreading[Any]] = trace.operator.misreadings()
    for each in {m.id: m for m in (*OF[type(desc)], *misreadings)}.values():
        assert each.differs(desc, trace.read) in (True, False)
        wrong = each.outputs(desc, trace.read) if each.outputs else None
        if wrong is None or wrong.source is None:
            continue
        for output, sizes in enumerate(wrong.sizes):
            at = tuple(np.array([0, size // 2, size - 1], np.int64) for size in sizes)
            found = wrong.source(output, at)
            assert found.tensor.shape == (3,)
            assert all(axis.shape == (3,) for axis in found.index)
