"""The fields of a desc: their rows without a screen, then typed, chosen, stepped, clicked and undone."""

from __future__ import annotations

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from support.driver import Driver, header, is_top
from support.effort import tried
from support.one_session import experiment_of
from support.scenes import out

import dmlviz as dml
from dmlviz.desc.values import Iota
from dmlviz.errors import DmlvizError
from dmlviz.scene.layout.arrange import arrange
from dmlviz.scene.view_state import view_state_of
from dmlviz.screens.explorer.explorer import Explorer
from dmlviz.session import examples
from dmlviz.session.experiments import Experiment
from dmlviz.widgets.fields import field as fields
from dmlviz.widgets.fields.form import Form
from dmlviz.workspace.form.form_rows import edited, form_rows, grown
from dmlviz.workspace.shown.state import FormRow

QUICK = tried(60)


def numbers(text: str) -> list[int]:
    return [int(word) for word in re.findall(r"-?\d+", text)]


def row_of(experiment: Experiment, key: str) -> FormRow:
    return next(row for row in form_rows(experiment) if row.key == key)


def test_a_tensor_is_added_behind_another_and_any_is_removed() -> None:
    join = experiment_of("join-1")
    one, two = join.desc.get("InputTensors")
    more = grown(join, "InputTensors[0]", 1)
    assert more.desc.get("InputTensors") == (one, one, two)
    assert dict(more.values) == {
        "InputTensors[0]": join.values["InputTensors[0]"],
        "InputTensors[1]": Iota(7, 1),  # behind those of the tensor before
        "InputTensors[2]": join.values["InputTensors[1]"],
    }
    assert grown(more, "InputTensors[1]", -1) == join
    assert more.desc.get("InputCount") == 3  # a count that is given counts what there is
    rest = grown(join, "InputTensors[0]", -1)
    assert rest.desc.get("InputTensors") == (two,)
    assert dict(rest.values) == {"InputTensors[0]": join.values["InputTensors[1]"]}
    none = grown(rest, "InputTensors[0]", -1)
    assert none.desc.get("InputTensors") == ()
    assert [c.id for c in view_state_of(none).report.errors][:1] == ["count.positive"]
    assert row_of(none, "InputTensors[0]").inferred == "none"
    assert len(grown(none, "InputTensors[0]", 1).desc.get("InputTensors")) == 1
    assert grown(none, "InputTensors[0]", -1) == none  # nothing to remove is no mistake
    assert len(edited(none, "InputTensors[0]", "2, 2").desc.get("InputTensors")) == 1


def sentence(refused: DmlvizError) -> None:
    text = str(refused)
    assert text.endswith(".")
    assert len(text) < 300
    assert "\n" not in text


def typed(experiment: Experiment, key: str, text: str) -> None:
    """Types `text` letter by letter; every state is checked, pictured and listed."""
    shown = view_state_of(experiment)
    for end in range(len(text) + 1):
        try:
            experiment = edited(experiment, key, text[:end])
        except DmlvizError as refused:
            sentence(refused)
            continue
        shown = view_state_of(experiment, shown)
        assert form_rows(experiment)
        assert (shown.report.ok is False) == bool(shown.report.errors)
        assert bool(shown.caption) == (shown.report.ok is False)
        if shown.trace is not None:
            arrange(shown.trace, 60, 18)


KEYS = {
    name: [row.key for row in form_rows(experiment_of(name)) if row.is_typed]
    for name in ("join-1", "split-1", "tile-1", "gather-2", "reverse-1")
}


@QUICK
@given(
    st.sampled_from([(name, key) for name, keys in KEYS.items() for key in keys]),
    st.one_of(
        st.text(max_size=12),
        st.text("0123456789, -", max_size=14),
        st.lists(st.integers(-3, 2**33), max_size=9).map(lambda numbers: ", ".join(map(str, numbers))),
    ),
)
@example(("join-1", "InputTensors[0]"), "65535, 65535, 1, 1")
@example(("gather-2", "Axis"), "9" * 40)
@example(("gather-2", "IndicesTensor.values"), ", [1, 2]")
@example(("reverse-1", "SequenceLengthsTensor.values"), "random 3")
@example(("gather-2", "InputTensor"), "0, -1, ٣, ²")
@example(("tile-1", "Repeats"), "4294967295, 1, 1, 1")
def test_typing_never_fails(where: tuple[str, str], text: str) -> None:
    name, key = where
    typed(experiment_of(name), key, text)


BOTH = [((120, 36), "#form"), ((80, 24), "#strip")]
"""Where fields stand: a window, and the form that has them there."""


def held(driver: Driver, name: str) -> object:
    found = driver.screen.workspace.experiment.desc.get(name)
    return found.sizes if isinstance(found, dml.TensorDesc) else found


def focused_key(driver: Driver) -> str:
    return next((form.focused_key for form in driver.screen.query(Form) if form.focused_key), "")


@pytest.mark.parametrize(("size", "form"), BOTH)
async def test_every_keystroke_is_checked_and_the_field_that_is_wrong_is_pointed_at(driver: Driver, form: str) -> None:
    screen = driver.screen
    before = screen.state.view.trace
    field = await driver.focus("Axis", form)
    await driver.press("delete")
    assert "✘ 1 field unreadable" in header(driver)
    assert set(screen.state.form.errors) == {"Axis"}
    await driver.press("9")
    assert screen.state.view.report.errors[0].id == "axis.range"
    assert not screen.state.form.errors
    assert "◀" in driver.text(form)
    assert not re.search(r"[◀◁‹›]\w", driver.text(form)), "no mark touches the next label"
    assert screen.state.view.trace is before
    assert driver.drawn(out(1, 1)) == "4"
    await driver.press("backspace", "0")
    assert field.value == "0"
    assert screen.state.view.live
    assert "◀" not in driver.text(form)
    await driver.focus("OutputTensor", form)
    await driver.press("delete")
    assert "OutputTensor" in screen.workspace.experiment.desc.inferred


async def test_what_is_typed_waits_for_a_pause_but_not_where_it_is_read(
    driver: Driver, monkeypatch: pytest.MonkeyPatch
) -> None:
    axis = await driver.focus("Axis")
    monkeypatch.setattr(fields, "PAUSE", 1e6)
    for n, key in enumerate(("f8", "tab", "ctrl+y", "ctrl+p")):
        driver.screen.set_focus(axis)
        axis.select_all()
        await driver.pilot.press(*f"1{n}")
        assert axis.value == f"1{n}"
        assert held(driver, "Axis") != 10 + n
        await driver.pilot.press(key)
        assert held(driver, "Axis") == 10 + n
    await driver.pilot.press("escape", "7")
    driver.app.end_by_signal()
    assert held(driver, "Axis") == 137


@pytest.mark.parametrize(("size", "form"), BOTH)
async def test_letters_are_text_and_what_cannot_be_read_goes_with_the_focus(
    driver: Driver, size: tuple[int, int], form: str
) -> None:
    screen, before = driver.screen, driver.screen.workspace.experiment
    field = await driver.focus("IndexDimensions", form)
    await driver.press("f", "u", "r", "q", "1", "question_mark", "space", "full_stop")
    assert field.value == "furq1? ."
    assert is_top(driver, Explorer)
    assert screen.workspace.experiment is before
    assert "IndexDimensions" in screen.state.form.errors
    for other in ((3, 3), size):  # there is no room for what is said of the field
        await driver.resize(other)
    assert field.value == "furq1? ."
    await driver.press("escape")
    assert screen.focused is driver.side(True)
    assert field.value == "1"
    assert not screen.state.form.errors


@pytest.mark.parametrize("size", [(120, 36), (80, 24)])
async def test_types_levels_and_operators_are_chosen_by_keys_and_by_mouse(
    driver: Driver, size: tuple[int, int]
) -> None:
    if size[0] < 100:
        await driver.press("f2")
    above, below = (driver.form._fields[key].region.y for key in ("OutputTensor", "Axis"))
    assert below - above == 1 + (size[1] >= 32), "groups are apart where there is room"
    await driver.choose("DataType", "FLOAT16")
    assert driver.screen.workspace.experiment.desc.get("OutputTensor").data_type.name == "FLOAT16"
    await driver.choose("IndicesTensor.DataType", "INT64")
    assert driver.screen.workspace.experiment.desc.get("IndicesTensor").data_type.name == "INT64"
    await driver.choose("FeatureLevel", "1_0")
    assert not driver.screen.state.view.report.ok
    await driver.press("ctrl+z")
    await driver.click_row("Operator")
    y = next(y for y, line in enumerate(driver.text().split("\n")) if "REVERSE_SUBSEQUENCES" in line)
    await driver.pilot.click(offset=(driver.text().split("\n")[y].index("REVERSE"), y))
    await driver.settle()
    assert driver.screen.workspace.experiment.desc.TYPE == "DML_OPERATOR_REVERSE_SUBSEQUENCES"
    assert "SequenceLengthsTensor" in {row.key for row in driver.screen.state.form.rows}
    await driver.press("ctrl+z")
    assert driver.screen.workspace.experiment.desc.TYPE == "DML_OPERATOR_GATHER"
    assert driver.form.focused_key == "Operator"


@pytest.mark.parametrize(("size", "form"), BOTH)
async def test_a_click_steps_the_number_that_was_clicked(driver: Driver, form: str) -> None:
    driver.open(examples.example("tile-1").session())
    await driver.settle()
    before = list(driver.screen.workspace.experiment.desc.get("Repeats"))
    for number in (0, len(before) - 1):
        field = driver.screen.query_one(form, Form)._fields["Repeats"]
        assert field.editor is not None
        at = field.editor.content_region.x - field.region.x + 3 * number
        await driver.click(field, at)
        x, _ = driver.find("›", form)
        await driver.click(field, x + driver.screen.query_one(form).region.x - field.region.x)
        before[number] += 1
        assert list(driver.screen.workspace.experiment.desc.get("Repeats")) == before
    await driver.press("ctrl+z")  # what was done in one field is one edit, and the field shows what is there again
    assert "1, 1, 3, 3" in driver.text(form)


@pytest.mark.parametrize("session", ["join-1"])
@pytest.mark.parametrize("by", ["keys", "mouse"])
@pytest.mark.parametrize("size", [(120, 50)])
async def test_a_joins_tensors_are_added_and_removed(driver: Driver, by: str) -> None:
    screen = driver.screen
    first = screen.workspace.experiment

    def sizes() -> list[int]:
        return [tensor.sizes[3] for tensor in screen.workspace.experiment.desc.get("InputTensors")]

    async def do(key: str, keys: str, mark: str) -> None:
        driver.form.focus_row(key)
        await driver.settle()
        await (driver.press(keys) if by == "keys" else driver.click_row(key, mark))

    assert sizes() == [3, 4]
    await do("InputTensors.add", "enter", "+ add")
    assert sizes() == [3, 4, 4]
    for left in ([4, 4], [4], []):
        await do("InputTensors[0]", "minus", "×")
        assert sizes() == left
    assert not screen.state.view.report.ok
    await do("InputTensors.add", "space", "+ add")
    assert len(sizes()) == 1
    for _ in range(5):
        await driver.press("ctrl+z")
    assert screen.workspace.experiment == first
    await driver.focus("InputTensors[0]")
    await driver.type("+1,1,2,9")  # a new tensor is typed in at once
    assert sizes() == [3, 9, 4]
