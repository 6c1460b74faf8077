"""What the operator means stands under its name where there is room, and is one key away where there is none."""

from __future__ import annotations

import pytest
from support.driver import Driver

SENTENCE = "Picks slices of a tensor along one axis, by index."


def second_line(driver: Driver) -> str:
    return driver.text().split("\n")[1].rstrip()


@pytest.mark.parametrize("size", [(120, 36), pytest.param((200, 50), marks=pytest.mark.slow)])
async def test_the_line_under_the_name_has_the_numbers_of_the_desc(driver: Driver) -> None:
    assert second_line(driver) == f" {SENTENCE}   OutputTensor[i,j] = InputTensor[IndicesTensor[0,i],j]"
    await driver.focus("OutputTensor")
    await driver.press("delete")  # it follows
    await driver.focus("Axis")
    await driver.type("1")
    assert second_line(driver) == f" {SENTENCE}   OutputTensor[i,j] = InputTensor[i,IndicesTensor[0,j]]"
    await driver.type("9")
    assert second_line(driver) == f" {SENTENCE}", "a broken desc has no map"
    await driver.press("ctrl+z")
    await driver.choose("Operator", "TILE")
    assert "Lays copies of a tensor side by side" in second_line(driver)
    assert " % " in second_line(driver)
