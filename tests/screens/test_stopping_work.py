"""Exports and imports that take long: escape stops them, and nothing is half written."""

from __future__ import annotations

import asyncio
import threading
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from support.driver import Driver, is_top

from dmlviz.exporters.lib import exporting
from dmlviz.screens.background_job import BackgroundJob
from dmlviz.screens.dialogs import export_preview
from dmlviz.screens.explorer.explorer import Explorer
from dmlviz.stopping import StoppedError, checkpoint


class Endless:
    """A job that ends only when it is stopped."""

    def __init__(self) -> None:
        self.begun, self.ended = threading.Event(), threading.Event()

    def __call__(self, *_: Any, **__: Any) -> Any:
        self.begun.set()
        try:
            while True:
                checkpoint()
                time.sleep(0.001)
        except StoppedError:
            self.ended.set()
            raise


async def test_what_is_asked_for_twice_is_done_once_and_something_else_stops_it() -> None:
    told: asyncio.Queue[tuple[object, object]] = asyncio.Queue()
    owner = SimpleNamespace(post_message=lambda message: told.put_nowait((message.key, message.outcome)))
    first, again = Endless(), Endless()
    background = BackgroundJob(cast(Any, owner))
    background.ask("one", first)
    assert await asyncio.to_thread(first.begun.wait, 60)
    background.ask("one", again)
    background.ask("other", lambda: 5)
    assert await told.get() == ("other", 5)
    assert first.ended.is_set()
    assert not again.begun.is_set()
    background.ask("one", again)
    assert await asyncio.to_thread(again.begun.wait, 60)
    background.forget()
    assert await asyncio.to_thread(again.ended.wait, 60)


async def test_escape_stops_an_export_that_is_being_made(driver: Driver, monkeypatch: pytest.MonkeyPatch) -> None:
    endless = Endless()
    monkeypatch.setattr(exporting, "export", endless)
    await driver.press("x")
    await driver.until(endless.begun.is_set)
    assert "making numpy … esc stops it" in driver.text("#source")
    await driver.press("escape")
    assert is_top(driver, Explorer)
    await driver.until(endless.ended.is_set)


async def test_writing_that_takes_long_is_said_and_stopped(
    driver: Driver, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    endless = Endless()
    monkeypatch.setattr(export_preview, "write", endless)
    await driver.press("x")
    await driver.until(lambda: "making" not in driver.text("#source"))
    await driver.press("ctrl+s")
    await driver.enter(str(tmp_path / "a.py"))
    await driver.until(endless.begun.is_set)
    assert "writing the numpy export … esc stops it" in driver.words("#beside")
    await driver.press("escape")
    await driver.until(lambda: is_top(driver, Explorer) and endless.ended.is_set())
