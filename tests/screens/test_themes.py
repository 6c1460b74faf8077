"""Identity colours are the same in each theme; without colours, marks and letters remain."""

from __future__ import annotations

import pytest
from support.cursors import out
from support.driver import Driver


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
