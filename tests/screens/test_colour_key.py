"""The colour key stands whole on a projector's screen."""

from __future__ import annotations

import pytest
from support.driver import Driver

from dmlviz.screens.dialogs.colour_key import ColourKey


@pytest.mark.parametrize("size", [(80, 24), (120, 36), (200, 50)])
@pytest.mark.parametrize("session", ["gather-2"])
async def test_all_of_it_is_in_sight(driver: Driver, size: tuple[int, int]) -> None:
    await driver.press("p")
    key = driver.app.screen
    assert isinstance(key, ColourKey)
    shown = [widget.region for widget in key.query("Label")]
    assert all(region.y >= 0 and region.bottom <= size[1] and region.height for region in shown)
    assert driver.text(".tones").split() == [*"ABCDEFGH"]


@pytest.mark.usefixtures("no_colours")
@pytest.mark.parametrize("session", ["gather-2"])
async def test_without_colours_the_key_has_greys(driver: Driver) -> None:
    await driver.press("p")
    assert driver.text(".tones").split()[:3] == [*"ABC"]
    await driver.press("escape")
    assert not isinstance(driver.app.screen, ColourKey)
