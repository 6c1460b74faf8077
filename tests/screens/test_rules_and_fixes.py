"""Rules that are broken, and their fixes, by key and by click; rules that hold."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from support.driver import SIZES, Driver, header
from support.real_terminal import Terminal

import dmlviz as dml
from dmlviz.session import examples
from dmlviz.session.experiments import Experiment, Session
from dmlviz.widgets.fields.field_editor import FieldEditor

Start = Callable[..., Terminal]


@pytest.mark.parametrize("session", ["gather-3-as-printed"])
async def test_gather_3_as_printed_is_mended_by_a_key_and_prints_its_page(driver: Driver) -> None:
    screen = driver.screen
    assert "✘ E_INVALIDARG" in header(driver)
    assert "gather.fits" in driver.text("#why")
    assert "preview with fix 1" in driver.text("#caption")
    await driver.press("f")
    assert "✔ valid" in header(driver)
    assert screen.state.view.trace is not None
    page = examples.example("gather-3-corrected").session().experiments[0].trace()
    assert screen.state.view.trace.reference(0).reshape(-1).tolist() == page.reference(0).reshape(-1).tolist()
    await driver.press("ctrl+z")
    assert "gather.fits" in driver.text("#why")


@pytest.mark.parametrize("session", ["padding-1"])
async def test_a_note_is_read_whole_without_scrolling(driver: Driver) -> None:
    (row,) = driver.screen.workspace.experiment.desc.inputs
    lone = {"InputTensor": row.tensor.resized((1, 1, 1, 4)), "PaddingMode": "REFLECTION", "OutputTensor": None}
    driver.edit(Experiment("lone", driver.screen.workspace.experiment.desc.replace(lone)))
    await driver.settle()
    assert "Sizes[2] is 1: no page says" in driver.words("#rules")
    assert "as in np.pad." in driver.words("#rules")


@pytest.mark.parametrize("size", SIZES)
async def test_a_desc_that_is_not_checked_whole_is_said_to_be_so_everywhere(
    driver: Driver, size: tuple[int, int]
) -> None:
    desc = dml.Tile(dml.TensorDesc("FLOAT32", (2, 3), flags="DML_TENSOR_FLAG_OWNED_BY_DML"), (1, 2))
    driver.open(Session((Experiment("flagged", desc),)))
    await driver.settle()
    assert "? not checked" in header(driver)
    if size[0] < 100:
        await driver.press("f2")
    said = driver.text("#rules")
    assert "? InputTensor.Flags is DML_TENSOR_FLAG_OWNED_BY_DML" in " ".join(said.split())
    assert "Rules  1 not checked" in said
    assert "all hold" not in said
    assert f"✔ {len(driver.screen.state.view.report.checks)} others hold" in said
    assert driver.screen.state.view.live  # nothing is refused


@pytest.mark.parametrize("session", ["rule-dtype-supported"])
@pytest.mark.parametrize("size", [(80, 24)])
async def test_f3_goes_into_the_form_where_the_line_above_the_picture_has_no_such_field(driver: Driver) -> None:
    screen = driver.screen
    assert not screen.query_one("#form").display or not screen.has_class("form")
    await driver.press("f3")
    assert screen.has_class("form")
    assert driver.form.focused_key == "DataType"
    await driver.press("f2")
    assert not screen.has_class("form")


async def test_rules_that_hold_open_by_key_and_by_click(driver: Driver) -> None:
    rules = driver.screen.query_one("#rules")
    assert "o opens" in driver.text("#rules")
    rules.focus()
    await driver.press("enter")
    assert "o closes" in driver.text("#rules")
    await driver.click("#rules", 3, 2)
    assert "o opens" in driver.text("#rules")


OFFERED = re.compile(r"^\s*(F8 [f\d]|[f\d])  +\S", re.MULTILINE)
"""A fix on the screen, and the keys that it names."""


def fix_keys(driver: Driver) -> list[str]:
    """The keys that fixes name on the screen, in their order."""
    panel = next(name for name in ("#why", "#rules") if driver.screen.query_one(name).is_on_screen)
    return OFFERED.findall(driver.text(panel))


@pytest.mark.parametrize("session", ["rule-gather-sizes"])
@pytest.mark.parametrize(("size", "editor"), [((80, 24), "#strip"), ((80, 24), "#form"), ((120, 36), "#form")])
async def test_the_keys_that_a_fix_names_work_from_every_field(
    driver: Driver, size: tuple[int, int], editor: str
) -> None:
    screen = driver.screen
    for row in screen.state.form.rows:
        if editor == "#strip" and row.key not in screen.state.form.strip:
            continue
        if editor == "#form":
            screen.set_class(screen.has_class("narrow"), "form")
        for number in range(2):
            screen.query_one(editor, FieldEditor).focus_row(row.key)
            await driver.settle()
            key, fix = fix_keys(driver)[number], screen.state.view.why.fixes[number]
            whole_numbers = row.is_typed and not row.key.endswith(".values")
            assert key == ("f" if whole_numbers and not number else f"F8 {'f2'[number]}"), row.key
            broken = screen.workspace.experiment
            await driver.press(*key.lower().split())
            assert screen.workspace.experiment.desc == broken.mended(fix).desc, (row.key, key)
            assert screen.query_one(editor, FieldEditor).focused_key == row.key  # it has the focus again
            await driver.press("u" if whole_numbers else "ctrl+z")
            assert screen.workspace.experiment.desc == broken.desc, row.key
    await driver.press("escape")
    assert fix_keys(driver) == ["f", "2"]
    await driver.press("2")
    assert screen.state.view.report.ok


@pytest.mark.parametrize("session", ["rule-gather-sizes"])
@pytest.mark.parametrize("size", [(120, 36)])
async def test_fields_keep_the_letters_and_digits_that_they_take(driver: Driver) -> None:
    field = await driver.focus("InputTensor.values")
    await driver.type("fu2o")
    assert field.value == "fu2o"
    field = await driver.focus("Axis")
    await driver.type("2x")
    assert field.value == "2x"
    await driver.press("u", "o")
    assert (field.value, "gather.sizes found expected" in driver.words("#why")) == ("0", True)


@pytest.mark.parametrize("session", ["rule-gather-sizes"])
@pytest.mark.parametrize("size", [(80, 24), (120, 36)])
async def test_fixes_and_the_way_to_them_are_called_by_the_keys_that_a_user_gave(driver: Driver) -> None:
    """In the footer the way stands where a field takes the fixes' own keys as text."""
    assert "F8" not in driver.text("#footer")
    await driver.focus("InputTensor.values")
    assert "F8 fixes" in driver.text("#footer")
    keys = {"fix.first": "p", "fix.2": "f7", "rules.go": "f6"}
    driver.screen.keymap = keys
    driver.app.set_keymap(keys)
    await driver.settle()
    await driver.focus("Axis")
    assert re.findall(r"(F6 p|F6 F7|F8|\bf\b)  ", driver.text("#why")) == ["F6 p", "F6 F7"]
    assert "F6 fixes" in driver.text("#footer")
    broken, fix = driver.screen.workspace.experiment, driver.screen.state.view.why.fixes[1]
    await driver.press("f6", "f7")
    assert driver.screen.workspace.experiment.desc == broken.mended(fix).desc


@pytest.mark.integration
@pytest.mark.parametrize(("size", "keys"), [((80, 24), "\x1bOQ"), ((120, 36), "\x1bOQ"), ((80, 24), "")])
def test_a_terminal_sends_the_keys_that_fixes_name_in_a_field(start: Start, size: tuple[int, int], keys: str) -> None:
    """In the form, which F2 opens, and in the line of fields."""
    terminal = start("gather-2", size=size)
    terminal.until("rules hold" if size[1] > 24 else "done")
    terminal.send(keys + "\t" * 9) if keys else terminal.click_text("‹0›")
    terminal.wait()
    terminal.send("7")
    terminal.until("Axis 7 → 0", "F8 2")
    terminal.send("\x1b[19~2")  # F8 and its digit at once
    terminal.until(lambda text: "E_INVALIDARG" not in text and ("Axis             1" in text or "Axis ‹1›" in text))
    terminal.send("7f")
    terminal.until(lambda text: "E_INVALIDARG" not in text and "valid" in text)
    terminal.send("u")
    terminal.until("Axis 7 → 1")
    terminal.send("\x11")  # ctrl+q
    terminal.until("unsaved changes")
    terminal.send("\x04")  # ctrl+d
    assert terminal.ends() == 0
