"""The form's lists of tensors: added, removed and moved, and the values of the one that is worked on."""

from __future__ import annotations

import pytest
from support.driver import Driver, explore, header
from support.one_session import one

import dmlviz as dml
from dmlviz.desc.value_sources import Listed
from dmlviz.desc.values import Iota


@pytest.mark.parametrize("by", ["keys", "mouse"])
def test_a_joins_tensors_are_added_removed_and_moved(by: str) -> None:
    async def script(driver: Driver) -> None:
        screen = driver.screen
        first = screen.workspace.experiment

        def sizes() -> list[int]:
            return [tensor.sizes[3] for tensor in screen.workspace.experiment.desc.get("InputTensors")]

        async def do(key: str, keys: str, mark: str) -> None:
            if by == "keys":
                driver.form.focus_row(key)
                await driver.settle()
                await driver.press(keys)
            else:
                if key != "InputTensors.add":
                    await driver.click_row(key)
                await driver.click_row(key, mark)

        values = dict(first.values)
        assert sizes() == [3, 4]
        await do("InputTensors[0]", "ctrl+down", "↓")
        assert sizes() == [4, 3]
        assert driver.form.focused_key == "InputTensors[1]"
        assert screen.workspace.experiment.values == {
            "InputTensors[0]": values["InputTensors[1]"],
            "InputTensors[1]": values["InputTensors[0]"],
        }
        assert screen.state.view.live
        await driver.press("ctrl+z")
        assert screen.workspace.experiment == first  # a move is one edit
        await do("InputTensors[1]", "ctrl+down", "↓")  # the last has nowhere to go
        assert screen.workspace.experiment == first
        await do("InputTensors.add", "enter", "+ add")
        assert sizes() == [3, 4, 4]
        assert driver.form.focused_key == "InputTensors.add"
        await do("InputTensors[0]", "minus", "×")
        assert sizes() == [4, 4]
        assert screen.workspace.experiment.values["InputTensors[0]"] == values["InputTensors[1]"]
        assert screen.workspace.experiment.values["InputTensors[1]"] == Iota(9, 1)  # behind the tensor before
        await do("InputTensors[0]", "minus", "×")
        await do("InputTensors[0]", "minus", "×")
        assert sizes() == []
        assert "✘ E_INVALIDARG" in header(driver)
        await do("InputTensors.add", "space", "+ add")
        assert len(sizes()) == 1
        for _ in range(5):
            await driver.press("ctrl+z")
        assert screen.workspace.experiment == first

    explore(script, "join-1", (120, 50))


def test_a_new_tensor_is_typed_in_at_once() -> None:
    async def script(driver: Driver) -> None:
        await driver.focus("InputTensors[0]")
        await driver.type("+1,1,2,9")
        assert [t.sizes[3] for t in driver.screen.workspace.experiment.desc.get("InputTensors")] == [3, 9, 4]
        assert driver.form.focused_key == "InputTensors[1]"
        await driver.press("ctrl+z", "ctrl+z")
        assert [t.sizes[3] for t in driver.screen.workspace.experiment.desc.get("InputTensors")] == [3, 4]

    explore(script, "join-1", (120, 50))


def test_many_tensors_show_the_values_of_the_one_that_is_worked_on() -> None:
    tensor = dml.TensorDesc("FLOAT32", (1, 2))

    async def script(driver: Driver) -> None:
        form = driver.form
        tall = form.size.height
        assert driver.text("#form").count("values") <= 1
        for number in (0, 7, 19):
            await driver.focus(f"InputTensors[{number}]")
            driver.row(f"InputTensors[{number}]")
            assert driver.text("#form").count("values") == 1
            assert form.size.height == tall
            await driver.press("tab")
            assert form.focused_key == f"InputTensors[{number}].values"
            assert "values" in driver.row(f"InputTensors[{number}].values")[1]
            await driver.type("5, 6")
            assert driver.screen.workspace.experiment.values[f"InputTensors[{number}]"] == Listed((5, 6), (2,))
        await driver.press("shift+tab", "shift+tab")
        assert form.focused_key == "InputTensors[18].values"

    explore(script, one(dml.Join((tensor,) * 20, 0)))
