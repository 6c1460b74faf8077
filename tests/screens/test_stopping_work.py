"""Exports and imports that take long: escape stops them, and nothing is half written."""

from __future__ import annotations

import threading
import time
from pathlib import Path
from typing import Any

import pytest
from support.driver import Driver, is_top

from dmlviz.exporters.lib import exporting
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


async def test_another_choice_and_escape_stop_an_export_that_is_being_made(
    driver: Driver, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = Endless(), Endless()
    monkeypatch.setattr(exporting, "export", first)
    await driver.press("x")
    await driver.until(first.begun.is_set)
    assert "making numpy … esc stops it" in driver.text("#source")
    monkeypatch.setattr(exporting, "export", second)
    await driver.press("down")
    await driver.until(lambda: first.ended.is_set() and second.begun.is_set())
    await driver.press("escape")
    assert is_top(driver, Explorer)
    await driver.until(second.ended.is_set)


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
