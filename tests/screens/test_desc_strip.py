"""The desc in one line above the picture, where there is no room for the form: the same fields, checks and undo."""

from __future__ import annotations

import re
from itertools import pairwise

import pytest
from support.cursors import out
from support.driver import Driver, explore, header, is_top
from support.toy import Toy
from textual import events

import dmlviz as dml
from dmlviz.desc.fields import NumberField, NumbersField
from dmlviz.operators.maps import Place
from dmlviz.scene.elements.cursor import Cursor
from dmlviz.scene.names import short_name
from dmlviz.screens.explorer.explorer import Explorer
from dmlviz.session import examples
from dmlviz.session.experiments import Experiment, Session
from dmlviz.widgets.fields.desc_strip import DescStrip
from dmlviz.widgets.fields.number_input import NumberInput
from dmlviz.widgets.lib.painted import BAR

SMALL = (80, 24)
HIDDEN = re.compile(r"\+\d|\d+ more")
OPERATORS = ("gather-2", "join-1", "reverse-1", "split-1", "tile-1")
EIGHT = Session(
    (
        Experiment(
            "eight",
            dml.Join([dml.TensorDesc("FLOAT32", (1, 1, 2, 1 + k % 4)) for k in range(8)], 3),
        ),
    )
)
LONG = Session(
    (
        Experiment(
            "long",
            dml.Tile(dml.TensorDesc("FLOAT32", (1,) * 8), [4294967295] * 8),
        ),
    )
)


def strip(driver: Driver) -> DescStrip:
    return driver.screen.query_one(DescStrip)


def said(driver: Driver) -> str:
    return driver.text("#strip").strip("\n").rstrip()


def place(driver: Driver) -> str | None:
    """The id of what has the focus."""
    focused = driver.screen.focused
    return focused.id if focused is not None else None


async def enter(driver: Driver, key: str = "", number: int = 0) -> None:
    """Puts the focus on a number of the strip."""
    strip(driver).focus_row(key or driver.screen.state.form.strip[0], number)
    await driver.settle()
    assert driver.screen.focused is strip(driver)


# ---- what stands in it


@pytest.mark.parametrize("name", OPERATORS)
def test_it_begins_with_the_numbers_that_the_operator_declares(name: str) -> None:
    async def script(driver: Driver) -> None:
        desc = driver.screen.workspace.experiment.desc
        numbers = [field for field in desc.FIELDS if isinstance(field, NumberField | NumbersField)]
        text = said(driver)
        places = []
        for field in numbers:
            held = desc.get(field.name)
            shown = f"‹{held}›" if isinstance(field, NumberField) else "{" + ",".join(map(str, held)) + "}"
            places.append(text.index(f"{field.name} {shown}"))
        first = desc.outputs[0]
        sizes = "{" + ",".join(map(str, first.tensor.sizes)) + "}"
        called = next(name for name in (first.path, short_name(first.path)) if f" {name} " in text)
        places.append(text.index(f"{called} {sizes}"))
        assert all(one < other for one, other in pairwise(places))
        # It is one line, right above the picture.
        assert strip(driver).region.height == 1
        assert strip(driver).region.bottom == driver.screen.pane.region.y

    explore(script, name, SMALL)


@pytest.mark.parametrize("name", ["gather-3-as-printed", "gather-2", "reverse-1", "warning-length-clamped"])
def test_every_tensor_is_in_the_strip_and_in_the_picture(name: str) -> None:
    """At 80x24, valid or not: indices and lengths, too, with their cells."""

    async def script(driver: Driver) -> None:
        parts = driver.screen.workspace.experiment.desc.parts
        for part in parts:
            called = {part.path, short_name(part.path)}
            assert any(f" {word} " in f"{said(driver)} " for word in called), part.path
            assert any(f"{word} " in f"{driver.text('#picture')} " for word in called), part.path
        trace = driver.screen.state.view.trace
        assert trace is not None
        for number, part in enumerate(trace.inputs):
            assert driver.drawn(Cursor(Place(False, number), (0,) * part.tensor.dimension_count))

    explore(script, name, SMALL)


def test_a_sixth_operator_brings_its_own(toy: Toy) -> None:
    session = Session((Experiment("flip", toy.desc(dml.TensorDesc("FLOAT32", (2, 3)), 1)),))

    async def script(driver: Driver) -> None:
        assert "Axis ‹1›  OutputTensor {2,3} auto  InputTensor {2,3}" in said(driver)
        await enter(driver)
        await driver.press("down")
        assert driver.screen.workspace.experiment.desc.get("Axis") == 0

    explore(script, session, SMALL)


@pytest.mark.parametrize("size", [(60, 18), (80, 24), (99, 30), (100, 30), (120, 36), (200, 50)])
def test_it_is_there_where_the_form_is_not(size: tuple[int, int]) -> None:
    async def script(driver: Driver) -> None:
        assert strip(driver).display is (size[0] < 100)
        assert driver.screen.query_one("#left").display is (size[0] >= 100)
        if size[0] < 100:
            await driver.press("f2")
            assert "Feature level" in driver.text("#form")
            assert driver.screen.query_one("#right").display is False

    explore(script, size=size)


@pytest.mark.parametrize("session", [EIGHT, LONG], ids=["eight tensors", "long numbers"])
@pytest.mark.parametrize("width", [60, 80, 99])
def test_what_has_no_room_is_counted_and_comes_with_the_focus(session: Session, width: int) -> None:
    async def script(driver: Driver) -> None:
        keys = driver.screen.state.form.strip
        await enter(driver)
        stops = 0
        for _ in range(100):
            widget, text = strip(driver), said(driver)
            assert len(driver.text("#strip")) == widget.region.width
            number = widget._numbers[widget._at]
            assert f"‹{number}›" in text  # the number with the focus is always in sight
            hidden = sum(int(a or b) for a, b in re.findall(r"(?:^|[ ▎])(?:\+(\d+)|(\d+) more)", text))
            shown = {piece.key for _, _, piece in widget._places if piece.key and not HIDDEN.match(piece.text)}
            assert len(shown) + hidden == len(keys)
            before = widget._key, widget._at
            await driver.press("right")
            stops += 1
            if (widget._key, widget._at) == before:
                break
        assert widget._key == keys[-1]
        assert stops == sum(len(strip_numbers(driver, key)) for key in keys)
        await driver.press("home")
        assert (widget._key, widget._at) == (keys[0], 0)

    explore(script, session, (width, 24))


def strip_numbers(driver: Driver, key: str) -> list[str]:
    row = next(row for row in driver.screen.state.form.rows if row.key == key)
    return (row.text or row.inferred).replace(",", " ").split()


@pytest.mark.parametrize("name", OPERATORS)
def test_nothing_moves_when_another_number_gets_the_keys(name: str) -> None:
    async def script(driver: Driver) -> None:
        def bare() -> str:
            return re.sub(f"[{BAR}{{,}}‹›]", " ", driver.text("#strip"))

        before = bare()
        await enter(driver)
        for _ in range(12):
            assert bare() == before
            await driver.press("right")

    explore(script, name, SMALL)


# ---- editing in place


def test_a_number_and_its_effect_are_seen_together_and_one_undo_takes_it_back() -> None:
    async def script(driver: Driver) -> None:
        before = driver.screen.workspace.experiment
        assert driver.drawn(out(1, 0)) == "3"
        await enter(driver, "OutputTensor", 1)
        await driver.press("backspace", "backspace", "backspace")
        assert "Output ‹4›2} auto" in said(driver)
        await enter(driver, "Axis")
        await driver.press("up")
        assert driver.screen.workspace.experiment.desc.get("Axis") == 1
        assert "Axis ‹1›" in said(driver)
        assert driver.drawn(out(1, 0)) == "3"  # OutputTensor follows: {3,4}
        assert "Output {3,4} auto" in said(driver)
        assert "✔ valid" in header(driver)
        await driver.press("up", "up")
        assert "Axis ‹3›◀" in said(driver)
        assert "✘" in header(driver)
        await driver.press("ctrl+z")  # the steps in one field are one edit
        assert driver.screen.workspace.experiment.desc.get("Axis") == 0
        assert "Axis ‹0›" in said(driver)
        await driver.press("ctrl+z")
        assert driver.screen.workspace.experiment == before
        assert "Output {4,2} given" in said(driver)
        await driver.press("ctrl+y", "ctrl+y")
        assert "Axis ‹3›◀" in said(driver)

    explore(script, size=SMALL)


def test_digits_replace_a_number_and_go_on_with_it() -> None:
    async def script(driver: Driver) -> None:
        def repeats() -> list[int]:
            return list(driver.screen.workspace.experiment.desc.get("Repeats"))

        before = repeats()
        await enter(driver, "Repeats", 2)
        await driver.press("4")
        assert repeats() == [*before[:2], 4, *before[3:]]
        await driver.press("2")
        assert repeats()[2] == 42
        await driver.press("backspace")
        assert repeats()[2] == 4
        await driver.press("right", "5", "left", "7")
        assert repeats() == [*before[:2], 7, 5]
        await driver.press("end", "home", "minus", "3")  # a sign belongs to the number
        assert repeats()[0] == -3
        assert "◀" in said(driver)
        await driver.press("backspace", "backspace", "1", "right", "up")
        assert repeats() == [1, before[1] + 1, 7, 5]

    explore(script, "tile-1", SMALL)


def test_sizes_get_longer_and_shorter() -> None:
    async def script(driver: Driver) -> None:
        def sizes() -> tuple[int, ...]:
            tensor: dml.TensorDesc = driver.screen.workspace.experiment.desc.get("InputTensor")
            return tensor.sizes

        await enter(driver, "InputTensor", 1)
        await driver.press("comma", "5")
        assert sizes() == (3, 2, 5)
        await driver.press("backspace", "backspace")
        assert sizes() == (3, 2)
        strip(driver).post_message(events.Paste("{4, 3, 2}"))
        await driver.settle()
        assert sizes() == (4, 3, 2)

    explore(script, size=SMALL)


def test_letters_are_text_here_and_escape_leads_out() -> None:
    async def script(driver: Driver) -> None:
        screen, before = driver.screen, driver.screen.workspace.experiment
        for key in ("q", "r", "z", "T", "space", "question_mark", "full_stop", "left_square_bracket", "n"):
            await enter(driver, "IndexDimensions")
            await driver.press(key)
            assert is_top(driver, Explorer)
            assert screen.focused is strip(driver)
            assert screen.workspace.experiment == before
            assert not screen.state.run.running.busy
            if key != "space":
                assert "not read: esc leaves it as it was" in said(driver)
                assert "✘ 1 field unreadable" in header(driver)
                assert "◀" in said(driver)
            await driver.press("escape")
            assert place(driver) == "outputs"
            assert "IndexDimensions ‹1›" in said(driver)
            assert "✔ valid" in header(driver)
        await driver.press("comma")
        assert "step 7 of 8" in driver.text()

    explore(script, size=SMALL)


# ---- ways there


def test_it_stands_before_the_picture_in_the_order_of_tab() -> None:
    async def script(driver: Driver) -> None:
        driver.side(False).focus()
        await driver.press("shift+tab")
        assert place(driver) == "strip"
        assert said(driver).startswith(BAR)
        await driver.press("right", "tab")
        assert place(driver) == "inputs"
        assert BAR not in said(driver)
        await driver.press("shift+tab")
        assert strip(driver).focused_key == "IndexDimensions"  # where it was left
        await driver.press("enter")
        assert strip(driver).focused_key == "OutputTensor"
        await driver.press("f2")
        assert driver.form.focused_key == "OutputTensor"

    explore(script, size=SMALL)


def test_f3_leads_to_it_with_the_reason_in_sight() -> None:
    async def script(driver: Driver) -> None:
        assert "IndexDimensions ‹2›◀" in said(driver)
        await driver.press("f3")
        assert strip(driver).focused_key == "IndexDimensions"
        assert "E_INVALIDARG" in driver.text("#why")
        await driver.press("down")
        assert "✔ valid" in header(driver)

    explore(script, "gather-3-as-printed", SMALL)


# ---- resizing


def test_a_field_keeps_the_focus_where_the_form_takes_the_strips_place() -> None:
    async def script(driver: Driver) -> None:
        await enter(driver, "Axis")
        await driver.type("1")
        for size in ((99, 30), (120, 36), (200, 50), (80, 24)):
            await driver.pilot.resize_terminal(*size)
            await driver.settle()
            assert driver.form.focused_key == "Axis" or size[0] == 99  # once there, the form has the room
            assert driver.screen.workspace.experiment.desc.get("Axis") == 1
        assert driver.screen.query_one(NumberInput).value == "1"
        await driver.press("escape")
        assert "Axis ‹1›" in said(driver)

    explore(script, size=SMALL)


def test_it_follows_another_experiment_and_operator() -> None:
    async def script(driver: Driver) -> None:
        await enter(driver, "IndexDimensions")
        driver.open(examples.example("split-1").session())
        await driver.settle()
        assert strip(driver)._key in driver.screen.state.form.strip
        assert "Outputs[0]" in said(driver)
        driver.open(Session((Experiment("none", dml.Join([], 0)),)))
        await driver.settle()
        assert "none" in said(driver)

    explore(script, size=SMALL)
