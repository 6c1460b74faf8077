"""The colour key stands whole on a projector's screen, and colour visions are clicked where they stand."""

from __future__ import annotations

import pytest
from support.driver import Driver

from dmlviz.scene.colour.vision import Vision
from dmlviz.screens.dialogs.colour_key import ColourKey, VisionTable


@pytest.mark.parametrize("size", [(80, 24), (120, 36), (200, 50)])
@pytest.mark.parametrize("session", ["gather-2"])
async def test_all_of_it_is_in_sight_and_clicked_where_it_stands(driver: Driver, size: tuple[int, int]) -> None:
    await driver.press("p")
    key = driver.app.screen
    assert isinstance(key, ColourKey)
    shown = [widget.region for widget in key.query("Label, VisionTable")]
    assert all(region.y >= 0 and region.bottom <= size[1] and region.height for region in shown)
    table = key.query_one(VisionTable)
    lines = driver.text("VisionTable").split("\n")
    for vision in (Vision.DEUTAN, Vision.NORMAL):
        y = next(y for y, line in enumerate(lines) if vision.value in line)
        await driver.click(table, 5, y)
        await driver.until(lambda vision=vision: f"● {[*Vision].index(vision) + 1}" in driver.text("VisionTable"))  # type: ignore[misc]


@pytest.mark.parametrize("size", [(80, 24), (120, 36)])
@pytest.mark.usefixtures("no_colours")
@pytest.mark.parametrize("session", ["gather-2"])
async def test_without_colours_no_two_rows_are_alike(driver: Driver) -> None:
    """NO_COLOR: everybody sees the same greys, so the key has them once and nothing to choose."""

    await driver.press("p")
    lines = [line.strip() for line in driver.text("VisionTable").split("\n")]
    assert [line.split()[1] for line in lines if line] == [Vision.MONOCHROME.value]
    assert lines[0].split()[4:7] == ["A", "B", "C"]
    assert "NO_COLOR: everybody" in driver.text()
    assert "1 to 5" not in driver.text()
    before = driver.text()
    await driver.press("3")
    assert driver.text() == before
    await driver.click("VisionTable", 5, 0)
    assert driver.app.vision is Vision.NORMAL
    await driver.press("escape")
    assert not isinstance(driver.app.screen, ColourKey)
