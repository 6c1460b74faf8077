"""A number is what its digits say, wherever text becomes one: `3_0` is no 30."""

from __future__ import annotations

import pytest
from support.cursors import into
from support.driver import Driver, explore

from dmlviz.desc.tensors import DataType
from dmlviz.errors import DmlvizError
from dmlviz.session import examples
from dmlviz.workspace.form.value_text import parse_values


def test_a_field_is_left_unread_and_a_cell_keeps_its_value() -> None:
    async def script(driver: Driver) -> None:
        for key, text, found in (("InputTensor", "3_0, 2", "3_0"), ("Axis", "1_0", "1_0")):
            driver.form.focus_row(key)
            await driver.settle()
            await driver.type(text)
            assert f'{key} has "{found}", expected' in driver.screen.state.form.errors[key]
            assert not any(number in str(driver.screen.state.view.experiment.desc) for number in ("10", "30"))
            driver.open(examples.example("gather-2").session())
            await driver.settle()
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
