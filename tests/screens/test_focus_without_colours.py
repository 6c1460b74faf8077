"""With NO_COLOR, and in 16 colours: what has the focus stands out, and marks and letters remain."""

from __future__ import annotations

import pytest
from support.driver import Driver, explore
from support.lesson_play import open_map, place_on_map
from support.scenes import out
from textual.widget import Widget
from textual.widgets import Button

from dmlviz.themes import DARK_16, LIGHT_16
from dmlviz.widgets.lib.painted import BAR

MODES = ["NO_COLOR", DARK_16.name, pytest.param(LIGHT_16.name, marks=pytest.mark.slow)]
KEYS = {"explorer": "", "gallery": "ctrl+o", "experiments": "ctrl+e", "notes": "n", "import": "i"}
KEYS |= {"export": "x", "levels": "v", "go to": "ctrl+g", "operators": "ctrl+n", "save": "f12"}


def marks(driver: Driver, widget: Widget) -> int:
    """How much of a widget, and of a bar at its left, stands out without colours."""
    region, made = widget.region, 0
    for strip in list(driver.app.screen._compositor.render_strips())[region.y : region.bottom]:
        x = 0
        for text, style, _ in strip:
            for char in text:
                if region.x - 1 <= x < region.right:
                    strong = style is not None and (bool(style.bold) + bool(style.underline) + 3 * bool(style.reverse))
                    made += bool(strong) * int(strong) + 3 * (char == BAR)
                x += 1
    return made


@pytest.mark.parametrize("name", KEYS)
@pytest.mark.parametrize("mode", MODES)
def test_what_has_the_focus_stands_out_without_colours(monkeypatch: pytest.MonkeyPatch, mode: str, name: str) -> None:
    if mode == "NO_COLOR":
        monkeypatch.setenv("NO_COLOR", "1")

    async def script(driver: Driver) -> None:
        if mode != "NO_COLOR":
            driver.app.theme = mode
            await driver.settle()
        if KEYS[name]:
            await driver.press(KEYS[name])
        if name == "export":
            await driver.at_rest()
        screen = driver.app.screen
        found = [node for node in screen.focus_chain if node.region.area]
        assert found
        for node in found if len(found) > 1 else []:
            others = [other for other in found if other is not node]
            screen.set_focus(others[0])
            await driver.settle()
            without, place = marks(driver, node), node.content_region
            screen.set_focus(node)
            await driver.settle()
            assert marks(driver, node) > without, (node, without)
            assert node.content_region == place, node  # the bar has a column of its own
            for other in others:
                assert not isinstance(other, Button) or marks(driver, other) == 0, (other, node)

    explore(script)


@pytest.mark.usefixtures("no_colours")
async def test_no_color_respected(driver: Driver) -> None:
    """`NO_COLOR` and terminals of 16 colours are respected: marks, letters and brackets remain.

    With `TEXTUAL_ANIMATIONS=none` each press of space shows one step.
    """

    x, y = driver.cell(out(0, 0))
    line = driver.side(True).render_line(y).text
    assert line[x - 1] == "▐"
    assert line[x + driver.side(True).stack.figures[0].cell] == "▌"  # type: ignore[union-attr]
    assert driver.segment(out(0, 0)).style.bold  # type: ignore[union-attr]
    assert "A" in line.split()[:2]  # behind the end of the wire
    assert "×2" in driver.text("#inputs")
    for strip in driver.app.screen._compositor.render_strips():
        for style in (segment.style for segment in strip if segment.style is not None):
            for colour in (style.color, style.bgcolor):
                assert colour is None or colour.is_default or len(set(colour.get_truecolor())) == 1
    for step in (1, 2):
        await driver.press("space")
        assert (driver.screen._clock, driver.screen.state.picture.step) == (None, step)


@pytest.mark.usefixtures("no_colours")
@pytest.mark.parametrize("session", ["join-1"])
async def test_the_chosen_lesson_is_an_inverse_bar_in_which_nothing_is_lost(driver: Driver) -> None:
    screen = await open_map(driver)
    place = place_on_map(driver, screen, 0)
    assert place is not None
    region, top = place[0].region, place[2]
    strips = [*screen._compositor.render_strips()][region.y + top : region.y + top + 2]
    parts = [part for strip in strips for part in strip.crop(region.x, region.right) if part.text.strip()]
    assert len(parts) >= 3
    for _, style, _ in parts:
        assert style is not None
        assert style.color is not None
        assert style.bgcolor is not None
        assert style.bgcolor.get_truecolor()[0] > style.color.get_truecolor()[0] + 100
