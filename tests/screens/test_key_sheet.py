"""The sheet of all keys opens, scrolls and closes."""

from __future__ import annotations

import asyncio

import pytest
from support.driver import Driver, is_top

from dmlviz.screens.dialogs.key_sheet import KeySheet
from dmlviz.screens.explorer.explorer import Explorer


@pytest.mark.parametrize("size", [(80, 24)])
async def test_the_key_sheet_scrolls_where_room_is_short(driver: Driver) -> None:
    await driver.press("question_mark")
    assert is_top(driver, KeySheet)
    assert "Copy" not in driver.text()
    for _ in range(20):
        if "Copy" in driver.text():
            break
        await driver.press("pagedown")
    assert "Copy" in driver.text()
    await driver.press("end")
    await asyncio.sleep(0.5)  # it glides
    assert "esc closes" in driver.text()
    await driver.press("escape")
    assert is_top(driver, Explorer)
