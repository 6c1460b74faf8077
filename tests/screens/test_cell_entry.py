"""Values typed into cells: what the document holds then, and the field on the screen."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.cursors import into, out
from support.driver import Driver, explore
from support.effort import tried
from support.strategies import Case, cases

from dmlviz.desc.tensors import DataType
from dmlviz.desc.value_sources import Listed, ValueSource
from dmlviz.desc.values import Constant, Iota, Random
from dmlviz.session.cell_edits import listed, with_value
from dmlviz.session.experiments import Experiment, Session
from dmlviz.session.reading import parse
from dmlviz.session.writing import dump

QUICK = tried(60)
NO_TYPE = st.sampled_from([Iota(3, 2), Iota(0.1, 0.3), Constant(1), Constant("nan"), Random(5), None])


def held(experiment: Experiment, number: int) -> np.ndarray[Any, Any]:
    return experiment.sources()[number].array().reshape(-1)


def texts_for(kind: DataType) -> st.SearchStrategy[str]:
    if kind.is_float:
        top = float(np.finfo(kind.dtype).max)
        finite = st.floats(-top, top, width=kind.item_size * 8)  # type: ignore[arg-type]
        return st.one_of(finite.map(repr), st.integers(-100, 100).map(str), st.sampled_from(["nan", "INF", "-inf"]))
    return st.integers(*kind.integer_range).map(str)


# ---- what the document holds


@QUICK
@given(cases(), NO_TYPE, st.data())
def test_only_the_element_that_was_typed_changes(case: Case, fill: ValueSource | None, data: st.DataObject) -> None:
    number = data.draw(st.integers(0, len(case.arrays) - 1))
    part = case.desc.inputs[number]
    kind = part.tensor.data_type
    values: dict[str, ValueSource] = {}
    if fill is None:
        array = case.arrays[number]
        values[part.path] = Listed(tuple(listed(array.reshape(-1))), array.shape)
    elif not (isinstance(fill, Iota) and isinstance(fill.start, float) and not kind.is_float) and (
        kind.is_float or fill != Constant("nan")
    ):
        values[part.path] = fill
    experiment = Experiment("one", case.desc, values=values)
    before = held(experiment, number)
    flat = data.draw(st.integers(0, len(before) - 1))
    text = data.draw(texts_for(kind))
    after = with_value(experiment, part.path, flat, text)
    found = held(after, number)
    want = before.copy()
    want[flat] = float(text) if kind.is_float else int(text)
    np.testing.assert_array_equal(found, want)
    assert np.signbit(found).tolist() == np.signbit(want).tolist() or np.isnan(want).any()
    for other in range(len(case.arrays)):
        if other != number:
            assert after.values.get(case.desc.inputs[other].path) == experiment.values.get(case.desc.inputs[other].path)
    # It can be saved, and read back.
    session, errors = parse(dump(Session((after,))).encode(), "it", None)
    assert not errors
    np.testing.assert_array_equal(held(session.experiments[0], number), want)


# ---- on the screen


def values_of(driver: Driver, number: int) -> list[float]:
    found: list[float] = driver.screen.workspace.experiment.sources()[number].array().reshape(-1).tolist()
    return found


@pytest.mark.parametrize("size", [(80, 24), (120, 36)])
def test_a_value_is_asked_for_and_what_cant_be_held_stays_with_a_sentence(size: tuple[int, int]) -> None:
    async def script(driver: Driver) -> None:
        before = driver.screen.workspace.experiment
        driver.point(out(2, 0))
        await driver.press("e", "7", "enter")
        assert values_of(driver, 0) == [1, 2, 7, 4, 5, 6]
        assert driver.drawn(out(2, 0)) == "7"
        await driver.press("u")
        assert driver.screen.workspace.experiment == before
        driver.point(into(0, 3, number=1))
        await driver.press("f4", "-", "1", "enter")
        assert "is -1, expected an integer from 0 to 4294967295" in " ".join(driver.text().split())
        await driver.press("escape", "e", "enter")
        assert driver.screen.workspace.experiment == before, "a fill stays a fill where nothing else was typed"
        await driver.press("e", "1", "enter")
        assert values_of(driver, 1) == [0, 1, 1, 1]

    explore(script, size=size)
