"""Why a desc is refused: reasons, fixes and lights on the running screen."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest
from support.driver import Driver, explore
from support.one_session import one
from support.scenes import into

import dmlviz as dml
from dmlviz.scene.names import tight
from dmlviz.session import examples
from dmlviz.session.experiments import Experiment
from dmlviz.session.rules_told import about
from dmlviz.widgets.fields.form import Form
from dmlviz.widgets.lib.commands import NO_KEY
from dmlviz.widgets.panels.reasons_panel import ReasonsPanel


def tensor(*sizes: int, kind: str = "FLOAT32") -> dml.TensorDesc:
    return dml.TensorDesc(kind, sizes)


def marked_cells(driver: Driver, number: int) -> set[tuple[int, ...]]:
    """The cells of an input that are lit on the screen: a mark, underlined; clamped ones have another one."""
    part = driver.screen.state.view.trace.inputs[number]  # type: ignore[union-attr]
    lit = set()
    for index in np.ndindex(*part.tensor.sizes):
        style = driver.segment(into(*index, number=number)).style
        assert style is not None
        if style.underline:
            assert driver.drawn(into(*index, number=number)).endswith(
                "!" if driver.screen.state.view.report.ok else "✘"
            )
            lit.add(tuple(index))
    return lit


@pytest.mark.parametrize("session", ["rule-sizes-match"])
async def test_field_and_cells_light_up_together(driver: Driver) -> None:
    screen = driver.screen
    assert marked_cells(driver, 1) == set(), "in a preview nothing is broken"
    await driver.press("f", "ctrl+z")  # now it is the last valid picture
    # The first fix keeps the third row, which is too much as the desc stands.
    assert marked_cells(driver, 1) == {(0, 0, 2, j) for j in range(3)}
    assert marked_cells(driver, 0) == set()
    await driver.press("r")
    assert "Run needs a valid desc" in driver.notice
    await driver.press("f3")
    assert driver.form.focused_key == "InputTensors[1]"
    driver.side(True).focus()
    await driver.press("1")
    assert screen.state.view.report.ok
    assert screen.state.chosen is None
    assert marked_cells(driver, 1) == set()


@pytest.mark.parametrize("session", ["rule-axis-range"])
@pytest.mark.parametrize("size", [(80, 24)])
async def test_a_taller_window_sets_the_fixes_apart(driver: Driver) -> None:
    for size, is_apart in (((200, 50), True), ((80, 24), False)):
        await driver.resize(size)
        lines = driver.text("#rules").split("\n")
        fix = next(y for y, line in enumerate(lines) if "Axis 4 → 3" in line)
        assert (not lines[fix - 1].strip()) == is_apart


@pytest.mark.parametrize(
    ("size", "every"),
    [((80, 24), 4), *(pytest.param(size, 1, marks=pytest.mark.slow) for size in ((80, 24), (120, 36)))],
)
async def test_every_broken_example_says_its_sentence_and_a_fix_without_scrolling(driver: Driver, every: int) -> None:
    for shelved in examples.all_examples()[::every]:
        session = shelved.session()
        if not shelved.name.startswith(("rule-", "erratum-")) or session.experiments[0].check().ok:
            continue
        driver.open(session)
        await driver.settle()
        await driver.settle()
        view, seen = driver.screen.state.view, driver.words("#rules")
        reason = view.why.errors[0]
        assert " ".join(tight(reason.cause.message).split()[:8]) in seen, (shelved.name, seen)
        if reason.fixes:
            assert re.search(
                rf"^ +f .*{re.escape(view.why.fixes[reason.fixes[0]].changes[0].what)}", driver.text("#rules"), re.M
            )
        assert driver.screen.pane.region.height >= 6


def test_every_reason_is_gone_to_by_f3_and_by_a_click_and_f_mends_the_one_that_is_shown() -> None:
    parts = tuple(tensor(1, 1, 2, 3, kind=k) for k in ("INT8", "FLOAT32", "INT8", "FLOAT32"))
    desc = dml.Join((*parts, tensor(0, 1, 2, -3), tensor(2, 3)), 9, tensor(1, 1, 2, 2**40), 17)

    async def script(driver: Driver) -> None:
        screen = driver.screen
        reasons = screen.state.view.why.errors
        assert len(reasons) >= 5
        for turn in (*range(len(reasons)), 0):
            await driver.press("f3")
            assert screen.state.chosen == turn
            shown, fixes = reasons[turn], screen.state.view.why.fixes
            assert shown.cause.message.split(",")[0] in driver.words("#rules")
            listed = [*map(fixes.__getitem__, shown.fixes), None]
            assert [screen.state.fix(-1), *map(screen.state.fix, range(len(listed)))] == [listed[0], *listed]
            driver.side(True).focus()
            await driver.settle()
            keys = re.findall(r"^ *(\d) .* → ", driver.text("#rules"), re.MULTILINE)
            assert keys == [str(n) for n in range(2, len(keys) + 2)], "what a number applies is on the screen"
        await driver.press("escape")
        x, y = driver.find(f"✘ {reasons[2].first.field}", "#rules")
        await driver.click("#rules", x + 3, y)
        assert screen.state.chosen == 2

    explore(script, one(desc), (200, 50))


@pytest.mark.parametrize("session", ["rule-gather-sizes"])
@pytest.mark.parametrize(("size", "form"), [((80, 24), "#strip"), ((120, 36), "#form")])
async def test_the_keys_that_a_fix_names_work_from_every_field(driver: Driver, form: str) -> None:
    screen, editor = driver.screen, driver.screen.query_one(form, Form)
    broken = screen.workspace.experiment
    for key in [*editor._fields][::3]:
        for number in range(2):
            editor.focus_row(key)
            await driver.settle()
            named = re.findall(r"^\s*(F8 [f\d])  ?\S", driver.text("#rules"), re.M)[number]
            await driver.press(*named.lower().split())
            fix = screen.state.view
            assert fix.report.ok is not False, (key, named)
            assert editor.focused_key == key  # it has the focus again
            await driver.press("ctrl+z")
            assert screen.workspace.experiment.desc == broken.desc
    await driver.press("escape", "2")
    assert screen.state.view.report.ok


@pytest.mark.parametrize("session", ["rule-sizes-match", "gather-2"])
async def test_the_rules_open_by_key_and_by_click_and_say_what_was_found(driver: Driver) -> None:
    panel = driver.screen.query_one("#rules", ReasonsPanel)
    await driver.press("o")
    assert panel.has_class("open")
    await driver.settle()
    text = "\n".join(words.plain + mark.plain for table in panel.tables for mark, words in table)
    reasons = driver.screen.state.view.why.errors
    for word, said in about(driver.screen.workspace.experiment.desc, reasons[0].first) if reasons else ():
        assert word in text
        assert "".join(said.split()) in "".join(text.split())
    assert text.count("✔") == len({c.id for c in driver.screen.state.view.report.checks if c.ok})
    await driver.press("f8", "o")
    assert not panel.has_class("open")
    x, y = driver.find("▶", "#rules")
    await driver.click("#rules", x + 3, y)
    assert panel.has_class("open")


async def test_what_an_import_said_goes_by_the_key_that_is_told_and_by_a_click_and_comes_back(driver: Driver) -> None:
    left = dml.TensorDesc("FLOAT32", (1, 1, 2, 3), strides=(6, 6, 1, 2), total_tensor_size_in_bytes=24)
    one = Experiment("a", dml.Tile(left, (1, 1, 2, 1)))
    for said, hint in ((("one.",), "delete drops it"), (("one.", "two."), "delete drops these 2")):
        driver.edit(told := replace(one, not_checked=said))
        await driver.settle()
        assert driver.text("#rules").count(hint) == 1
        assert "o opens" in driver.text("#rules")
        for word in ("packed", "one")[: len(said)]:
            await driver.click_text(word, "#rules")
            assert driver.screen.workspace.experiment == told
        await driver.press("delete")
        assert driver.screen.workspace.experiment == one
        await driver.press("u")
        assert driver.screen.workspace.experiment == told
    driver.screen.keymap |= {"rules.drop": "f7", "rules.all": NO_KEY}
    driver.edit(replace(one, not_checked=("one.", "two!")))
    await driver.settle()
    assert [key in driver.text("#rules") for key in ("f7 drops these 2", "opens")] == [True, False]
    await driver.click_text("two", "#rules")
    assert driver.screen.workspace.experiment == one
