"""Going to a coordinate: what the words mean, and that the cursor gets there on tensors of any size."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.cursors import into, out
from support.driver import Driver, is_top
from support.effort import tried
from support.one_session import one
from support.strategies import Case, cases

import dmlviz as dml
from dmlviz.errors import DmlvizError
from dmlviz.operators.maps import Place
from dmlviz.scene.elements.cursor import Cursor
from dmlviz.scene.words.go_to import find
from dmlviz.screens.dialogs.asking import AskLine
from dmlviz.session.experiments import Experiment
from dmlviz.tracing import Trace

QUICK = tried(60)
JOIN = Experiment("one", dml.Join((dml.TensorDesc("INT8", (2, 3)), dml.TensorDesc("INT8", (2, 4))), 1)).trace()


def trace_of(case: Case) -> Trace:
    return Experiment("one", case.desc).trace()


# ---- what the words mean


@QUICK
@given(cases(), st.data())
def test_every_element_is_found_by_each_of_its_names(case: Case, data: st.DataObject) -> None:
    trace = trace_of(case)
    is_output = data.draw(st.booleans())
    parts = trace.outputs if is_output else trace.inputs
    number = data.draw(st.integers(0, len(parts) - 1))
    sizes = parts[number].tensor.sizes
    index = tuple(data.draw(st.integers(0, size - 1)) for size in sizes)
    want = Cursor(Place(is_output, number), index)
    here = Cursor(Place(is_output, number), (0,) * len(sizes))
    path, numbers = parts[number].path, ",".join(map(str, index))
    named = [f"{path}[{numbers}]", f"{path} [ {numbers.replace(',', ' , ')} ]", f"{path.lower()}[{numbers}]"]
    for text in named:
        assert find(text, trace, None, 5) == want, text
    for text in (numbers, f"[{numbers}]", numbers.replace(",", " ")):
        assert find(text, trace, here, 5) == want, text


@pytest.mark.parametrize(
    "text", ["0,-1", "InputTensors[1][0,4]", "1,2,3", "#3", "step 15", "InputTensors[0,1]", "1.5,2", "9" * 5000]
)
def test_what_cant_be_gone_to_is_said_in_a_sentence(text: str) -> None:
    with pytest.raises(DmlvizError, match=r"expected|outside"):
        find(text, JOIN, None, 14)


# ---- on the screen


async def go(driver: Driver, text: str) -> None:
    await driver.press("ctrl+g")
    assert is_top(driver, AskLine)
    await driver.enter(text)


@pytest.mark.parametrize("size", [(80, 24)])
@pytest.mark.parametrize("session", [one(dml.Tile(dml.TensorDesc("INT8", (65535, 65535)), (1, 1)))])
async def test_the_cursor_goes_there_and_is_in_sight(driver: Driver) -> None:
    for text, want in (
        ("OutputTensor[65534, 65534]", out(65534, 65534)),
        ("InputTensor[3, 60000]", into(3, 60000)),
        ("OutputTensor[1 0]", out(1, 0)),
    ):
        await go(driver, text)
        assert driver.screen.state.picture.cursor == want
        x, y = driver.cell(want)
        side = driver.side(want.place.is_output)
        assert 0 <= x < side.size.width
        assert 0 <= y < side.size.height
    await go(driver, "0,65535")
    assert "65535 is outside axis 1 of OutputTensor" in driver.words(".trouble")
    await driver.press("escape")
    assert driver.screen.state.picture.cursor == out(1, 0)
