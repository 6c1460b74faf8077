"""What a colour stands for is said beside cells of those colours."""

from __future__ import annotations

import pytest
from support.driver import Driver

from dmlviz.scene.colour.palette import fill


@pytest.mark.parametrize(("session", "said"), [("reverse-1", "the sequence"), ("tile-1", "the copy")])
@pytest.mark.parametrize("size", [(200, 50)])
async def test_the_legend_has_the_first_colours_with_their_letters(driver: Driver, said: str) -> None:
    _, y = driver.find(f" A  B  C   {said}", "#rules")
    region = driver.screen.query_one("#rules").region
    strip = driver.app.screen._compositor.render_strips()[region.y + y].crop(region.x, region.right)
    grounds = {
        text.strip(): tuple(style.bgcolor.get_truecolor())
        for text, style, _ in strip
        if style is not None and style.bgcolor is not None
    }
    assert [grounds[letter] for letter in "ABC"] == [fill(k) for k in range(3)]
