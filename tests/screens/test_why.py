"""Why a desc is refused: reasons, fixes and lights as facts, then on the running screen."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from support.cursors import into, out
from support.desks import done
from support.driver import Driver, explore, header
from support.one_session import one
from support.toy import Toy

import dmlviz as dml
from dmlviz.desc.levels import FeatureLevel
from dmlviz.operators.registry import operator_of
from dmlviz.operators.report import Change, Severity
from dmlviz.operators.sentences import SHARED_SENTENCES
from dmlviz.scene.drawing.stack_lines import stack_lines
from dmlviz.scene.lights import Lights, lights
from dmlviz.scene.look import BrokenCells
from dmlviz.scene.view_state import view_state_of
from dmlviz.scene.words.diffs import diff, words_after_fix
from dmlviz.scene.words.reasons import Reason, row_of, why
from dmlviz.session import examples
from dmlviz.session.experiments import Experiment, Session
from dmlviz.session.rules_told import about
from dmlviz.widgets.bars.header_line import HeaderLine
from dmlviz.widgets.lib.text_view import TextView


def experiments(*prefixes: str) -> list[Any]:
    """Every experiment of the examples whose names begin so."""
    return [
        pytest.param(each, id=f"{shelved.name}-{i}")
        for shelved in examples.all_examples()
        if shelved.name.startswith(prefixes)
        for i, each in enumerate(shelved.session().experiments)
    ]


def reasons_of(desc: Any, level: str = "5_0") -> tuple[Reason, ...]:
    return why(desc, dml.check(desc, feature_level=level)).reasons


def tensor(*sizes: int, kind: str = "FLOAT32") -> dml.TensorDesc:
    return dml.TensorDesc(kind, sizes)


# ---- the rules in words


def test_an_operator_from_outside_needs_no_sentences(toy: Toy) -> None:
    desc = toy.desc(tensor(1, 1, 2, 3), 7, tensor(1, 1, 2, 2))
    said = {reason.first.id: dict(about(desc, reason.first)) for reason in reasons_of(desc, "5_1")}
    assert said["axis.range"]["rule"] == SHARED_SENTENCES["axis.range"]
    assert "rule" not in said["sizes.equal"]
    assert "" not in said["sizes.equal"], "an address that nobody has promised"


# ---- reasons and fixes


@pytest.mark.parametrize("experiment", experiments("rule-", "erratum-", "gather-3", "note-", "warning-"))
def test_every_example_says_field_found_expected_rule_and_page(experiment: Experiment) -> None:
    shown = view_state_of(experiment)
    told = [check for reason in shown.why.reasons for check in reason.checks]
    failing = [check for check in shown.report.failures if check.severity is not Severity.NOTE]
    assert Counter(map(id, told)) == Counter(map(id, failing))
    for reason in shown.why.reasons:
        told_of = dict(about(experiment.desc, reason.first))
        assert told_of["rule"]
        own = reason.first.is_own
        pages = ("dmlviz",) if own else ("DML_BUFFER_TENSOR_DESC", f"{operator_of(experiment.desc).name} page, ")
        assert told_of["page"].startswith(pages)
        assert len({(check.id, check.severity) for check in reason.checks}) == 1
        for row, check in zip(reason.rows, reason.checks, strict=True):
            assert row.field == check.field
            assert row.found
            assert row.expected
            assert row.found != row.expected
            assert "[" not in row.found  # nothing is printed as Python would


@pytest.mark.parametrize("experiment", experiments("rule-", "erratum-", "gather-3", "note-"))
def test_every_fix_is_listed_once_and_does_what_it_says(experiment: Experiment) -> None:
    shown = view_state_of(experiment)
    fixes = shown.why.fixes
    assert len({(fix.desc, fix.feature_level) for fix in fixes}) == len(fixes)
    assert [fix.mends_all for fix in fixes] == sorted((fix.mends_all for fix in fixes), reverse=True)
    offered = {(fix.desc, fix.feature_level) for check in shown.report.errors for fix in check.fixes}
    assert offered == {(fix.desc, fix.feature_level) for fix in fixes}
    for fix in fixes:
        after = dml.check(fix.desc, feature_level=fix.feature_level)
        assert len(after.errors) == fix.left
        assert (fix.left == 0) == fix.mends_all
        assert ", ".join(map(str, fix.changes)) == fix.label
        assert ("every rule holds" in words_after_fix(experiment.desc, fix)) == (after.ok is not False)
    for reason in shown.why.errors:
        for number in reason.fixes:
            after = dml.check(fixes[number].desc, feature_level=fixes[number].feature_level)
            broken = {(check.id, check.field.split(".")[0]) for check in after.errors}
            mended = [c for c in reason.checks if (c.id, c.field.split(".")[0]) not in broken]
            assert mended


def test_tensors_that_one_edit_mends_are_one_reason() -> None:
    (reason,) = view_state_of(examples.example("note-join-dimensions").session().experiments[0]).why.reasons
    assert [row.field for row in reason.rows] == [
        "InputTensors[0].DimensionCount",
        "InputTensors[1].DimensionCount",
        "OutputTensor.DimensionCount",
    ]
    assert {(row.found, row.expected) for row in reason.rows} == {("6", "4 to 5")}
    assert reason.fixes == (0, 1)


def test_one_cause_is_one_on_the_screen_and_its_fixes_say_what_they_lose() -> None:
    doubles = dml.Join([tensor(1, 1, 2, 2, kind="FLOAT64")] * 64, 3)

    async def script(driver: Driver) -> None:
        assert "1 broken" in header(driver)
        assert driver.words("#why").startswith("✘ DataType is FLOAT64 in 65 tensors, expected FLOAT32, ")
        assert "or losing values that FLOAT32 can't hold: DataType FLOAT64 → FLOAT32" in driver.words("#why")
        assert "the same bits, then every rule holds" in driver.words("#why")

    for size in ((80, 24), (120, 36)):
        explore(script, Session((Experiment("many", doubles, FeatureLevel.of("4_0")),)), size)


def test_what_mends_everything_comes_first_and_counts_for_every_reason() -> None:
    desc = dml.Gather(tensor(3, 2), tensor(1, 0, kind="UINT32"), 0, 1, tensor(0, 2))
    found = why(desc, dml.check(desc))
    assert found.fixes[0].mends_all
    assert len(found.errors) == 2
    assert all(0 in reason.fixes for reason in found.errors)
    assert words_after_fix(desc, found.fixes[1]) == "2 checks stay broken"


def test_an_output_that_follows_is_named_with_the_fix() -> None:
    desc = dml.Tile(tensor(2, 3), (0, 2))
    (fix,) = why(desc, dml.check(desc)).fixes
    assert words_after_fix(desc, fix) == "then every rule holds; OutputTensor {2, 6}"


@pytest.mark.parametrize(
    ("before", "after", "new"),
    [
        ("{5, 2}", "{1, 5, 2}", ["1"]),
        ("{1, 1, 3, 2}", "{1, 1, 3, 7}", ["7"]),
        ("{3, 1}", "{1, 3}", ["1", "3"]),
        ("-1", "3", ["3"]),
        ("FLOAT32", "INT8", ["INT8"]),
        ("{1, 4}", "{4}", []),
        ("3_0", "4_1", ["4_1"]),
    ],
)
def test_a_diff_marks_what_changes(before: str, after: str, new: list[str]) -> None:
    old, now = diff(Change("X", before, after))
    assert "".join(piece.text for piece in old) == before
    assert "".join(piece.text for piece in now) == after
    marked = [word for piece in now if piece.new for word in re.findall(r"-?\w+", piece.text)]
    assert marked == new


def test_found_and_expected_are_those_of_the_size_that_is_named() -> None:
    desc = dml.Tile(tensor(1, 1, 2, 3), (1, 1, 2, 2), tensor(1, 1, 4, 3))
    (check,) = dml.check(desc).errors
    assert row_of(check) == ("OutputTensor.Sizes[3]", "3", "6")
    many = dml.Tile(tensor(1, 1, 2, 3), (1, 1, 2, 2), tensor(1, 1, 2, 3))
    (check,) = dml.check(many).errors
    assert row_of(check) == ("OutputTensor.Sizes", "{1, 1, 2, 3}", "{1, 1, 4, 6}")
    (reason,) = reasons_of(dml.Join((tensor(1, 2), tensor(1, 2, kind="INT8")), 1))
    assert reason.rows[0][1:] == ("INT8", "FLOAT32")


def test_a_preview_follows_the_fix_that_is_first_now() -> None:
    experiment = examples.example("gather-3-as-printed").session().experiments[0]
    shown = view_state_of(experiment)
    assert shown.mark == "preview with fix 1"
    edited = replace(experiment, desc=experiment.desc.replace({"IndexDimensions": 5}))
    again = view_state_of(edited, shown)
    assert again.mark == "preview with fix 1"
    assert again.caption == f"preview with fix 1: {again.why.fixes[0].label}"
    valid = view_state_of(replace(experiment, desc=again.why.fixes[0].desc), again)
    assert valid.mark == ""
    stale = view_state_of(edited, valid)
    assert (stale.mark, stale.caption, stale.trace) == ("stale", "the last valid picture", valid.trace)


# ---- lights


def test_a_size_lights_its_axis_and_the_slices_that_are_too_many() -> None:
    def lit(desc: Any) -> Lights:
        (reason,) = reasons_of(desc)
        return lights(reason, desc)

    found = lit(dml.Join((tensor(1, 1, 2, 3), tensor(1, 1, 3, 3)), 3, tensor(1, 1, 2, 6)))
    assert found.axes == {("InputTensors[1]", 2), ("OutputTensor", 2)}
    assert found.cells == {BrokenCells("InputTensors[1]", 2, 2, 3)}
    found = lit(dml.Join((tensor(1, 3), tensor(1, 4)), 1, tensor(1, 9)))
    assert found.cells == {BrokenCells("OutputTensor", 1, 7, 9)}
    assert ("InputTensors[0]", 1) in found.axes
    assert lit(dml.Tile(tensor(2, 3), (1, -2))).axes == {("OutputTensor", 1)}
    doubles = dml.Tile(tensor(2, 3, kind="FLOAT64"), (1, 2))
    assert lit(doubles).axes == {("InputTensor", -1), ("OutputTensor", -1)}
    assert lights(None, doubles) == Lights()


def marked_cells(driver: Driver, number: int) -> set[tuple[int, ...]]:
    """The cells of an input that are lit on the screen: a mark, underlined; clamped ones have another one."""
    part = driver.screen.state.view.trace.inputs[number]  # type: ignore[union-attr]
    lit = set()
    for index in np.ndindex(*part.tensor.sizes):
        cursor = into(*index, number=number)
        style = driver.segment(cursor).style
        assert style is not None
        if style.underline:
            assert driver.drawn(cursor).endswith("!" if driver.screen.state.view.report.ok else "✘")
            lit.add(tuple(index))
    return lit


def broken_spans(driver: Driver, is_output: bool) -> list[str]:
    """The texts of a side that are styled as broken."""
    side = driver.side(is_output)
    assert side.stack is not None
    lines = stack_lines(side.stack, 0, side.stack.height, 0, 80, side.look, side.partners)
    return [span.text.strip() for line in lines for span in line if span.style.kind == "broken"]


@pytest.mark.parametrize("session", ["rule-sizes-match"])
async def test_field_axis_and_cells_light_up_together(driver: Driver) -> None:
    screen = driver.screen
    driver.side(True).focus()
    assert marked_cells(driver, 1) == set(), "in a preview nothing is broken"
    await driver.press("f", "ctrl+z")  # now it is the last valid picture
    assert screen.state.chosen == 0
    # The first fix keeps the third row, which is too much as the desc stands.
    assert marked_cells(driver, 1) == {(0, 0, 2, j) for j in range(3)}
    assert marked_cells(driver, 0) == set()
    for is_output in (False, True):  # "axis" gives way where room is short
        assert any(re.fullmatch(r"↓ ?(axis )?2( = Axis)?", text) for text in broken_spans(driver, is_output))
    await driver.press("f3")
    assert driver.form.focused_key == "InputTensors[1]"
    driver.side(True).focus()
    await driver.press("1")
    assert screen.state.view.report.ok
    assert screen.state.chosen is None
    assert marked_cells(driver, 1) == set()
    assert broken_spans(driver, False) == broken_spans(driver, True) == []


@pytest.mark.parametrize("session", ["warning-index-range"])
@pytest.mark.parametrize("size", [(200, 50)])
async def test_a_warning_lights_the_indices_outside_when_it_is_asked_for(driver: Driver) -> None:
    screen = driver.screen
    assert screen.state.view.report.ok
    assert marked_cells(driver, 1) == set()
    await driver.press("f3")
    assert screen.state.chosen == 0
    assert marked_cells(driver, 1) == {(0, 1), (0, 3)}
    assert driver.form.focused_key == "IndicesTensor.values"
    assert "▸ !" in driver.text("#rules")


def test_f3_goes_over_every_reason_and_begins_anew() -> None:
    desc = dml.Gather(tensor(3, 2), tensor(2, 4, kind="UINT32"), 5, 1, tensor(4, 2, kind="INT8"))

    async def script(driver: Driver) -> None:
        screen = driver.screen
        count = len(screen.state.view.why.reasons)
        assert count == 3
        for turn in (*range(count), 0):
            await driver.press("f3")
            assert screen.state.chosen == turn
            reason = screen.state.view.why.reasons[turn]
            row = driver.form.focused_key
            assert row.split(".")[0] in (reason.first.field.split(".")[0].split("[")[0], "DataType")
            assert driver.words("#why").startswith(sentence(driver, reason))
            assert f"{count - 1} more:   {turn + 1} of {count} is shown, F3 next" in whole(driver, "#why")
            others = [r for r in screen.state.view.why.reasons if r is not reason]
            assert all(f"▸ ✘ {other.first.field}" in whole(driver, "#why") for other in others)

    explore(script, one(desc, feature_level=dml.FeatureLevel.of("5_0")), (120, 50))


def test_f_mends_the_reason_that_is_looked_at() -> None:
    desc = dml.Join((tensor(1, 3), tensor(1, 4, kind="INT8")), 1, tensor(1, 7), 5)

    async def script(driver: Driver) -> None:
        screen = driver.screen
        first, second = (reason.first.id for reason in screen.state.view.why.errors)
        await driver.press("f3", "f3")
        driver.side(True).focus()
        await driver.press("f")
        assert [check.id for check in screen.state.view.report.errors] == [first]
        await driver.press("u", "f")
        assert second in [check.id for check in screen.state.view.report.errors]
        assert first not in [check.id for check in screen.state.view.report.errors]

    explore(script, one(desc))


def sentence(driver: Driver, reason: Reason) -> str:
    """What the panel begins with for a reason."""
    field, message = reason.first.field, reason.cause.message
    is_named = field in message or len(reason.checks) > 1
    return " ".join((f"✘ {message}" if is_named else f"✘ {field}: {message}").split())


def whole(driver: Driver, selector: str) -> str:
    """All that a panel says, what is scrolled out of sight too."""
    return "\n".join(strip.text for strip in driver.screen.query_one(selector, TextView)._strips)


# ---- the panels


@pytest.mark.parametrize("size", [(80, 24), (120, 36), (200, 50)])
async def test_every_broken_example_says_one_sentence_and_one_fix_and_the_rest_when_asked(driver: Driver) -> None:
    screen = driver.screen
    for shelved in examples.all_examples():
        session = shelved.session()
        if not shelved.name.startswith(("rule-", "erratum-")) or session.experiments[0].check().ok:
            continue
        driver.open(session)
        await driver.settle()
        await driver.settle()
        reason, fixes = screen.state.view.why.errors[0], screen.state.view.why.fixes
        seen = driver.text("#why")
        assert driver.words("#why").startswith(sentence(driver, reason)), (shelved.name, seen)
        assert ("E_INVALIDARG 0x80070057" in whole(driver, "#why")) is screen.state.view.report.refuses(reason.first)
        assert reason.first.id in whole(driver, "#why")
        for number in reason.fixes[:1]:
            change = fixes[number].changes[0].what
            assert re.search(rf"^ +f +.*{re.escape(change)}", seen, re.M), (shelved.name, seen)
        assert len(re.findall(r"^ +f  ", seen, re.M)) == bool(reason.fixes)
        # What else there is takes a line for each other rule and for two other fixes, until it is asked for.
        lines = [line for line in whole(driver, "#why").split("\n") if line.strip()]
        said = -(-len(sentence(driver, reason)) // (screen.query_one("#why").size.width - 12)) + 1
        mends = 2 + 2 * len(fixes[reason.fixes[0]].changes) if reason.fixes else 1
        assert len(lines) <= said + mends + 3 + len(screen.state.view.why.errors) + 2, (shelved.name, lines)
        told_of = about(screen.state.view.experiment.desc, reason.first)
        assert told_of[0][1] not in " ".join(whole(driver, "#why").split())
        await driver.press("escape", "o")
        all_of_it = "".join(whole(driver, "#why").split())
        assert driver.words("#why").startswith(sentence(driver, reason)), "the sentence stays where it is"
        for piece in ("found", "expected", reason.rows[0].found, *(text for _, text in told_of)):
            assert "".join(piece.split()) in all_of_it, (shelved.name, piece)
        await driver.press("o")


@pytest.mark.parametrize("session", ["gather-3-as-printed"])
async def test_the_sentence_is_bold_and_its_field_stands_out(driver: Driver) -> None:
    panel = driver.screen.query_one("#why", TextView)
    spans = [(segment.text, segment.style) for segment in panel._strips[0]]
    field = next(style for text, style in spans if text == "IndexDimensions")
    rest = next(style for text, style in spans if "makes a result" in text)
    assert field is not None
    assert rest is not None
    assert field.bold
    assert rest.bold
    assert field.underline
    assert not rest.underline
    assert field.color != rest.color
    assert driver.screen.state.form.broken["IndexDimensions"] == "error"


@pytest.mark.parametrize("session", ["rule-axis-range"])
async def test_the_level_from_which_a_desc_is_accepted_stands_in_the_title(driver: Driver) -> None:
    assert "no feature level accepts this desc" in driver.text("#why")
    driver.open(examples.example("rule-level-operator").session())
    await driver.settle()
    assert "accepted from feature level 2_1 on" in driver.text("#why")


def test_twenty_broken_rules_are_one_in_full_and_a_line_for_each_other() -> None:
    parts = tuple(tensor(1, 1, 2, 3, kind=k) for k in ("INT8", "FLOAT32", "INT8", "FLOAT32"))
    desc = dml.Join((*parts, tensor(0, 1, 2, -3), tensor(2, 3)), 9, tensor(1, 1, 2, 2**40), 17)

    async def script(driver: Driver) -> None:
        screen = driver.screen
        count = len(screen.state.view.why.errors)
        assert count >= 5
        text = whole(driver, "#why")
        assert len(re.findall("^ *▸ ✘", text, re.M)) == count - 1
        assert f"{count - 1} more:" in text
        x, y = driver.find("▸ ✘", "#why")
        picked = driver.text("#why").split("\n")[y].split()[2]
        await driver.click("#why", x + 4, y)
        reason = screen.state.view.why.reasons[screen.state.chosen or 0]
        assert reason.first.field == picked
        assert driver.words("#why").startswith(sentence(driver, reason))
        for number, reason in enumerate(screen.state.view.why.errors):  # the fix that is shown is the one that f makes
            state = done(screen.workspace, screen.workspace.look_at_reason, number)
            assert state.fix(-1) == (state.view.why.fixes[reason.fixes[0]] if reason.fixes else None)

    explore(script, one(desc), (200, 50))


def test_f_makes_the_fix_that_stands_beside_a_warning() -> None:
    """Where a warning is looked at, the panel goes on showing a broken rule with its fix."""
    warned = examples.example("warning-index-range").session().experiments[0]
    broken = replace(warned, desc=warned.desc.replace({"IndexDimensions": 9}))

    async def script(driver: Driver) -> None:
        view = driver.screen.state.view
        for _ in view.why.reasons:
            shown = view.why.errors[min(driver.screen.state.chosen or 0, len(view.why.errors) - 1)]
            assert driver.words("#why").startswith(sentence(driver, shown))
            assert driver.screen.state.fix(-1) == (view.why.fixes[shown.fixes[0]] if shown.fixes else None)
            await driver.press("f3")
            driver.side(True).focus()
        await driver.press("f")
        assert driver.screen.state.view.experiment.desc != broken.desc

    explore(script, Session((broken,)))


@pytest.mark.parametrize("session", ["rule-dtype-supported"])
@pytest.mark.parametrize("size", [(80, 24)])
async def test_the_form_view_of_a_small_terminal_opens_all_fixes(driver: Driver) -> None:
    await driver.press("f2")
    (reason,) = driver.screen.state.view.why.errors
    assert len(reason.fixes) > 3
    assert "1 more: F8 o opens" in " ".join(whole(driver, "#rules").split())
    driver.screen.query_one("#rules").focus()
    await driver.press("o")
    assert "o opens" not in whole(driver, "#rules")
    for each in reason.fixes[1:]:
        assert re.search(rf"^ *{each + 1}  ", whole(driver, "#rules"), re.M), each


def test_found_and_expected_open_when_they_are_asked_for() -> None:
    async def script(driver: Driver) -> None:
        why_panel = driver.screen.query_one("#why")
        rule = "All sizes but the one along Axis are the same in every tensor."
        assert rule not in driver.words("#why")
        driver.side(True).focus()
        await driver.press("o")
        assert rule in " ".join(whole(driver, "#why").split())
        why_panel.focus()
        await driver.press("enter")
        assert rule not in " ".join(whole(driver, "#why").split())
        await driver.click_text("found and expected", "#why", 3)
        assert rule in " ".join(whole(driver, "#why").split())

    for size in ((120, 36), (200, 50)):
        explore(script, "rule-sizes-match", size)


@pytest.mark.parametrize("session", ["gather-2"])
async def test_what_the_values_do_is_said_where_all_is_well(driver: Driver) -> None:
    assert driver.words("#rules").startswith("✔ 22 rules hold")
    assert driver.screen.query_one("#rules").region.height == 1
    await driver.press("o")
    assert "At the chosen values" in driver.text("#rules")
    assert "All indices lie in [0, 3)." in driver.text("#rules")
    await driver.focus("Axis")
    await driver.type("7")
    assert "At the chosen values" not in driver.text("#rules")
    assert "gather.fits, gather.sizes, values.index_range wait for axis.range" in driver.words("#rules")


@pytest.mark.parametrize("session", ["rule-gather-fits"])
@pytest.mark.parametrize("size", [(80, 24)])
async def test_the_form_view_of_a_small_terminal_has_reason_and_fixes(driver: Driver) -> None:
    screen = driver.screen
    await driver.press("f2")
    assert "is 2, which makes a result of 3 sizes" in driver.words("#rules")
    await driver.click_text(" InputTensor {5, 2} →", "#rules", 6)
    assert screen.state.view.report.ok
    await driver.press("ctrl+z")
    assert not screen.state.view.report.ok
    while screen.focused is not screen.query_one("#rules"):
        await driver.press("f6")
    await driver.press("f")
    assert screen.state.view.report.ok


@pytest.mark.parametrize("session", ["gather-2"])
async def test_a_stale_picture_says_so_and_is_dim(driver: Driver) -> None:
    assert not driver.screen.query_one("#caption").display
    await driver.focus("Axis")
    await driver.type("9")
    assert driver.text("#caption").split()[0] == "stale"
    style = driver.segment(out(1, 1)).style
    assert style is not None
    assert style.italic
    assert driver.drawn(out(1, 1)) == "4"


@pytest.mark.parametrize("size", [(80, 24), (100, 30), (120, 36), (200, 50)])
@pytest.mark.parametrize("session", ["rule-gather-fits", "rule-sizes-match"])
async def test_a_caption_has_one_line_and_the_picture_begins_below(driver: Driver, size: tuple[int, int]) -> None:
    assert driver.words("#caption").startswith("preview with fix 1 ")
    region = driver.screen.query_one("#caption").region
    assert region.height == driver.screen._caption.rows == 1
    assert driver.screen.pane.region.y == region.bottom
    assert driver.screen.state.picture.scene is not None
    await driver.press("f")
    assert not driver.screen.query_one("#caption").display
    assert driver.screen.pane.region.y == region.y


# ---- the header


@pytest.mark.parametrize("width", [80, 100, 120, 200])
def test_the_header_is_never_clipped(width: int) -> None:
    async def script(driver: Driver) -> None:
        for name in ("x" * 300, "\x1b[31m[bold]evil[/]\n" * 9, "a"):
            for dirty in (False, True):
                screen = driver.screen
                shown = view_state_of(replace(screen.workspace.experiment, name=name))
                screen.query_one(HeaderLine).show(shown, 98, 120, 0, dirty)
                await driver.settle()
                line = header(driver)
                assert len(line) == width
                assert "REVERSE_SUBSEQUENCES" in line
                assert ("dmlviz" in line) or width <= 100
                assert "99 of 120" in line
                assert "✔ valid" in line
                assert "1 warning" in line
                assert ("● unsaved" in line) == dirty
                assert "\x1b" not in line
                assert line.endswith(" ")  # the padding: nothing runs into the edge
                assert "2_1 " in line

    explore(script, "warning-length-clamped", (width, 30))


@pytest.mark.parametrize("size", [(80, 24)])
async def test_every_shipped_name_is_whole_on_a_small_screen(driver: Driver) -> None:
    """What nobody looks for there gives way: how many rules hold, that all is saved, words before the level."""

    line = driver.screen.query_one(HeaderLine)
    for session in examples.examples().values():
        for number, experiment in enumerate(session.experiments):
            count = len(session.experiments)
            line.show(view_state_of(experiment), number, count, 0, False)
            await driver.settle()
            said = header(driver)
            assert experiment.name in said or experiment.name == operator_of(experiment.desc).name
            assert f"{number + 1} of {count}" in said or count == 1
            assert "rule" not in said.replace(experiment.name, "")
            if "saved" in said:  # beside the name, where it is looked for
                assert said.index(experiment.name) < said.index("● saved") < said.index("level")


# ---- cost


@pytest.mark.parametrize("session", [Session((examples.example("rule-axis-range").session().experiments[0],))])
async def test_what_is_said_again_is_not_drawn_again(driver: Driver) -> None:
    screen = driver.screen
    for name in ("#why", "#rules"):
        panel = screen.query_one(name, TextView)
        before = panel._strips
        screen.present(screen.state)
        await driver.settle()
        assert panel._strips is before
    height = screen.query_one("#why").size.height
    await driver.focus("Axis")
    await driver.type("9")
    assert screen.query_one("#why", TextView)._strips is not before
    assert screen.query_one("#why").size.height == height


@pytest.mark.parametrize(
    "session", ["rule-dtype-supported", "rule-lengths-sizes", "rule-sizes-element-count", "rule-tensor-total-size"]
)
@pytest.mark.parametrize("size", [(100, 30)])
async def test_no_name_is_broken_in_two_where_room_is_short(driver: Driver) -> None:
    driver.side(True).focus()
    await driver.press("o")
    for reason in driver.screen.state.view.why.errors[:1]:
        for row in reason.rows:
            assert f"✘ {row.field}" in whole(driver, "#why")
            assert row.found in " ".join(whole(driver, "#why").split())
