"""What is chosen in the form: operators, types and levels, by keys and by mouse."""

from __future__ import annotations

import pytest
from support.driver import Driver, explore, header
from textual.widgets import OptionList

from dmlviz.desc.levels import LEVELS

SIZES = [(80, 24), (120, 36), pytest.param((200, 50), marks=pytest.mark.slow)]


def test_types_levels_and_operators_are_chosen() -> None:
    async def script(driver: Driver) -> None:
        screen = driver.screen
        await driver.choose("DataType", "FLOAT16")
        await driver.settle()
        assert screen.workspace.experiment.desc.get("OutputTensor").data_type.name == "FLOAT16"
        await driver.choose("IndicesTensor.DataType", "INT64")
        await driver.settle()
        assert screen.workspace.experiment.desc.get("IndicesTensor").data_type.name == "INT64"
        await driver.choose("FeatureLevel", "1_0")
        await driver.settle()
        assert "feature level 1_0" in header(driver)
        assert "✘ E_INVALIDARG" in header(driver)
        await driver.choose("FeatureLevel", LEVELS[-1].value)
        await driver.settle()
        assert "✔ valid" in header(driver)
        for name in ("JOIN", "SPLIT", "TILE", "REVERSE_SUBSEQUENCES", "GATHER"):
            await driver.choose("Operator", name)
            await driver.settle()
            assert f"DML_OPERATOR_{name}" == screen.workspace.experiment.desc.TYPE
            assert name in header(driver)
            assert screen.state.view.live
            names = {f.name for f in screen.workspace.experiment.desc.FIELDS}
            shown = set()
            for row in [row.key for row in screen.state.form.rows]:  # what is shortened is told where the focus is
                driver.form.focus_row(row)
                await driver.settle()
                shown |= {word.split("[")[0] for word in driver.words("#form").split()}
            assert shown >= names
        for _ in range(5):
            await driver.press("ctrl+z")

    explore(script)


def test_the_operator_is_chosen_by_keys() -> None:
    async def script(driver: Driver) -> None:
        driver.form.focus_row("Operator")
        await driver.press("enter")
        await driver.press("home", "enter")
        assert driver.screen.workspace.experiment.desc.TYPE == "DML_OPERATOR_JOIN"
        assert driver.screen.state.view.live

    explore(script)


@pytest.mark.parametrize("by", ["keys", "mouse"])
@pytest.mark.parametrize("size", SIZES)
def test_choices_open_over_the_screen_and_leave_the_labels_free(by: str, size: tuple[int, int]) -> None:
    async def script(driver: Driver) -> None:
        screen, form = driver.screen, driver.form
        await driver.press("f6")
        labels = [line[:18] for line in driver.text("#form").split("\n")]
        for key, text in (("FeatureLevel", "6_0"), ("IndicesTensor.DataType", "INT64"), ("Operator", "SPLIT")):
            before = screen.workspace.experiment
            for take in (False, True):
                if by == "keys":
                    form.focus_row(key)
                    await driver.settle()
                    await driver.press("alt+down")
                elif key.endswith(".DataType"):
                    await driver.click_row("IndicesTensor", "U32 ▾")
                else:
                    await driver.click_row(key)
                choices = screen.query_one("#choices", OptionList)
                assert choices.display
                assert screen.focused is choices
                assert choices.region.right <= size[0]
                assert choices.region.bottom <= size[1]
                if key != "Operator":
                    assert [line[:18] for line in driver.text("#form").split("\n")] == labels
                if not take:
                    await driver.press("escape")
                    assert not choices.display
                    assert form.focused_key == key
                    assert screen.workspace.experiment == before
                elif by == "keys":
                    await driver.type(text.lower())
                    await driver.press("enter")
                else:
                    choices.scroll_end(animate=False)
                    choices.highlighted = [str(o.prompt).strip() for o in choices.options].index(text)
                    await driver.settle()
                    y = next(y for y, line in enumerate(driver.text("#choices").split("\n")) if text in line)
                    await driver.click(choices, 2, y)
                    assert not choices.display
            assert screen.workspace.experiment != before
        assert screen.workspace.experiment.desc.TYPE == "DML_OPERATOR_SPLIT"

    explore(script, size=size)


def test_up_and_down_choose_where_there_are_choices() -> None:
    async def script(driver: Driver) -> None:
        driver.form.focus_row("DataType")
        await driver.press("down", "down", "up")
        assert driver.screen.workspace.experiment.desc.get("InputTensor").data_type.name == "FLOAT16"
        await driver.press("ctrl+z")
        assert driver.screen.workspace.experiment.desc.get("InputTensor").data_type.name == "FLOAT32"

    explore(script)


def test_undo_in_quick_succession_across_operators() -> None:
    """A picture that is on its way is never drawn with the cursor of another desc."""

    async def script(driver: Driver) -> None:
        screen = driver.screen
        for name in ("JOIN", "TILE", "SPLIT"):
            screen.act(screen.workspace.type_in_field, "Operator", name)
            await driver.press("f6")
        for _ in range(4):
            screen.action_do("undo", ())
            screen.pane._draw_lane()
            screen.act(screen.workspace.picture.stop)
            screen.pane._reveal()
        await driver.press("f6")
        assert screen.workspace.experiment.desc.TYPE == "DML_OPERATOR_GATHER"
        assert screen.state.view.live

    explore(script)


def test_another_operator_keeps_the_level_and_the_sizes_but_for_leading_ones() -> None:
    async def script(driver: Driver) -> None:
        screen = driver.screen
        before = screen.workspace.experiment
        screen.act(screen.workspace.type_in_field, "Operator", "JOIN")
        await driver.press("f6")
        after = screen.workspace.experiment
        assert after.desc.TYPE == "DML_OPERATOR_JOIN"
        assert after.feature_level is before.feature_level
        assert after.desc.inputs[0].tensor.sizes == (1, 1, 3, 2)  # 3_0 takes no others

    explore(script)
