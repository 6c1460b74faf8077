"""A number is what its digits say, wherever text becomes one: `3_0` is no 30."""

from __future__ import annotations

import pytest
from support.cursors import into
from support.driver import Driver, explore

from dmlviz.desc.tensors import DataType
from dmlviz.errors import DmlvizError
from dmlviz.session import examples
from dmlviz.widgets.fields.form import Form
from dmlviz.workspace.form.value_text import parse_values


@pytest.mark.parametrize("size", [(80, 24), (120, 36)])
@pytest.mark.parametrize(
    ("key", "text", "sentence"),
    [
        ("InputTensor", "3_0, 2", 'InputTensor has "3_0", expected integers such as 1, 1, 6, 2.'),
        ("Axis", "1_0", 'Axis has "1_0", expected an integer.'),
    ],
)
def test_a_field_of_form_and_strip_is_left_unread(size: tuple[int, int], key: str, text: str, sentence: str) -> None:
    async def script(driver: Driver) -> None:
        (driver.form if size[0] > 99 else driver.screen.query_one("#strip", Form)).focus_row(key)
        await driver.settle()
        await driver.type(text)
        assert driver.screen.state.form.errors == {key: sentence}
        assert not any(number in str(driver.screen.state.view.experiment.desc) for number in ("10", "30"))

    explore(script, "gather-2", size)


def test_a_cell_keeps_its_value() -> None:
    async def script(driver: Driver) -> None:
        driver.point(into(0, 0, 0))
        await driver.settle()
        await driver.press("e")
        await driver.type("1_0")
        await driver.press("enter")
        assert "1_0" in driver.text()
        assert (
            driver.screen.state.view.experiment.values == examples.example("gather-2").session().experiments[0].values
        )

    explore(script, "gather-2")


@pytest.mark.parametrize("text", ["1_0", "1_0, 2", "iota 1_0", "constant 1_0", "random 1_0", "constant 1_0.5", "1_0.5"])
@pytest.mark.parametrize("kind", [DataType.FLOAT32, DataType.INT32])
def test_values_are_refused(text: str, kind: DataType) -> None:
    with pytest.raises(DmlvizError, match=r'has "1_0(\.5)?", expected'):
        parse_values(text, "InputTensor", kind)
