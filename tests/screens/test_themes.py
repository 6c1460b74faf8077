"""Identity colours are the same in each theme; without colours, marks and letters remain."""

from __future__ import annotations

import pytest
from support.cursors import into, out
from support.driver import Driver

from dmlviz.scene.colour.palette import fill, ink
from dmlviz.themes import LIGHT


@pytest.mark.usefixtures("no_colours")
async def test_no_color_respected(driver: Driver) -> None:
    """`NO_COLOR` and terminals of 16 colours are respected; `TEXTUAL_ANIMATIONS=none` makes playing a step a press.

    Marks, letters and brackets remain.
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


async def test_the_light_theme_keeps_identity_colours(driver: Driver) -> None:
    def colours() -> list[tuple[int, ...]]:
        styles = [driver.segment(cursor).style for cursor in (out(1, 0), into(1, 0), out(3, 1))]
        return [(*s.bgcolor.get_truecolor(), *s.color.get_truecolor()) for s in styles]  # type: ignore[union-attr]

    dark = colours()
    driver.app.action_toggle_light()
    await driver.settle()
    assert driver.app.theme == LIGHT.name
    assert colours() == dark
    assert dark[0] == (*fill(1), *ink(fill(1)))
    assert dark[0] == dark[1] != dark[2]
