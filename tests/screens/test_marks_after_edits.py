"""What an edit moved, on the screen: marks that go by themselves, and words that stay."""

from __future__ import annotations

import asyncio

import pytest
from support.driver import Driver
from support.quiet_pilot import piloted

from dmlviz.app import DmlvizApp
from dmlviz.screens.explorer import explorer
from dmlviz.session import examples

INDICES = "IndicesTensor.values"


@pytest.fixture(autouse=True)
def no_time_passes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing comes or goes by itself while a test looks."""
    monkeypatch.setattr(explorer, "MARKED_FOR", 3600)
    monkeypatch.setattr(explorer, "COMPARE_AFTER", 3600)


async def edit(driver: Driver, text: str = "0, 1, 2, 2", key: str = INDICES) -> None:
    """Types that into a row of the form, as far as the document is concerned."""
    driver.screen.act(driver.screen.workspace.type_in_field, key, text)
    await driver.settle()


def test_a_program_that_is_used_compares_by_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(explorer, "COMPARE_AFTER", 0.01)
    monkeypatch.setattr(explorer, "MARKED_FOR", 0.01)
    app = DmlvizApp(examples.example("gather-2").session(), compares=True)

    async def run() -> None:
        async with piloted(app, (120, 36)) as pilot:
            driver = Driver(app, pilot)
            await driver.focus(INDICES)
            await driver.press(*"2,1,1,0")
            await driver.until(lambda: driver.screen.state.counts is not None)
            await driver.until(lambda: driver.screen.state.picture.look.changes is None)

    asyncio.run(run())
