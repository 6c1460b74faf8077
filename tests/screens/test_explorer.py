"""The explorer as it opens: examples, a huge desc, values that take long, and what an edit marks."""

from __future__ import annotations

import asyncio

import pytest
from support.driver import Driver, explore, header
from support.one_session import one
from support.quiet_pilot import piloted
from support.scenes import out

import dmlviz as dml
from dmlviz.app import DmlvizApp
from dmlviz.screens.explorer import explorer
from dmlviz.session import examples
from dmlviz.session.document import Document
from dmlviz.session.experiments import Session
from dmlviz.widgets.picture.transport import Transport
from dmlviz.workspace.explorer.workspace import Workspace


@pytest.mark.parametrize("data_type", ["INT8", "UINT64"])
def test_a_huge_desc_opens_moves_and_steps(data_type: str) -> None:
    tensor = dml.TensorDesc(data_type, (32767, 65535))

    async def script(driver: Driver) -> None:
        screen = driver.screen
        assert screen.state.picture.steps is not None
        assert screen.state.picture.steps.count == 2 * 32767 * 65535
        assert screen.state.view.live
        await driver.press("down", "right", "pagedown")
        assert screen.state.picture.cursor is not None
        assert screen.state.picture.cursor.index[1] == 1
        await driver.press("comma")
        assert screen.state.picture.step == screen.state.picture.steps.count - 1
        assert screen.state.picture.cursor == out(65533, 65533)
        assert "OutputTensor[65533,65533]" in driver.text("#formula")
        await driver.press("end")
        assert screen.state.picture.cursor == out(65533, 65534)
        assert driver.drawn(screen.state.picture.cursor) != "·"
        _, y = driver.find("▶|", "#transport")
        await driver.click("#transport", screen.query_one(Transport).laid.bar[0] + 4, y)
        assert screen.state.picture.step is not None
        assert 0 < screen.state.picture.step < screen.state.picture.steps.count
        assert driver.drawn(screen.state.picture.cursor) != "·"
        if data_type == "UINT64":
            await driver.press("r")
            await driver.until(lambda: not screen.state.run.running.busy)
            assert "memory" in driver.words("#kernel")
            assert screen.state.run.running.comparison is None

    explore(script, one(dml.Join((tensor, tensor), 0)))


@pytest.mark.parametrize(
    "session", [one(dml.Gather(dml.TensorDesc("INT8", (9, 2)), dml.TensorDesc("UINT32", (1, 4_000_000)), 0, 1))]
)
async def test_values_that_take_long_to_look_at_are_scanned_behind_the_screen(driver: Driver, session: Session) -> None:
    assert Workspace(Document(session)).view.waits
    for key in ("", "ctrl+z"):
        if key:
            await driver.press(key)
        await driver.until(lambda: not driver.screen.state.view.waits)
        assert "✔ valid" in header(driver)
        await driver.focus("Axis")
        await driver.type("1")


def test_a_program_that_is_used_compares_by_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(explorer, "COMPARE_AFTER", 0.01)
    monkeypatch.setattr(explorer, "MARKED_FOR", 0.01)
    app = DmlvizApp(examples.example("gather-2").session(), compares=True)

    async def run() -> None:
        async with piloted(app, (120, 36)) as pilot:
            driver = Driver(app, pilot)
            await driver.focus("IndicesTensor.values")
            await driver.press(*"2,1,1,0")
            await driver.until(lambda: driver.screen.state.counts is not None)
            await driver.until(lambda: driver.screen.state.picture.look.changes is None)

    asyncio.run(run())
