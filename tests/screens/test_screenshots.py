"""The palette's Screenshot: a file, in a folder that is made, and a sentence that says where, or why not."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest
from support import real_terminal
from support.monkey import session_of
from support.quiet_pilot import piloted
from support.real_terminal import Terminal

from dmlviz.app import DmlvizApp


@pytest.mark.parametrize("blocked", [False, True])
def test_a_screenshot_says_where_it_is_or_why_there_is_none(
    monkeypatch: pytest.MonkeyPatch, start: Callable[..., Terminal], tmp_path: Path, blocked: bool
) -> None:
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.setitem(real_terminal.ENVIRONMENT, "HOME", str(home))
    monkeypatch.setitem(real_terminal.ENVIRONMENT, "XDG_DOWNLOAD_DIR", str(home / "kept" / "here"))
    if blocked:
        (home / "kept").write_text("a file where the folder would be")
    terminal = start()
    terminal.until("8 of 8")
    terminal.send("\x10")
    terminal.until("Search")
    terminal.send("screenshot")
    terminal.until(lambda text: "SVG" in text and "All rules" not in text)  # nothing else is found
    terminal.send("\r")
    if blocked:
        terminal.until("directory.")  # the end of "can't be written: Not a directory.", however it is wrapped
    else:
        terminal.until("a picture of the screen is in")
        (made,) = (home / "kept" / "here").glob("dmlviz *.svg")
        assert "OutputTensor" in made.read_text("utf-8")
    terminal.quits()


def test_a_picture_that_is_due_when_the_program_is_left_is_none() -> None:
    async def run() -> str | None:
        app = DmlvizApp(session_of("DML_OPERATOR_JOIN"))
        async with piloted(app, (80, 24)):
            pass
        return app.deliver_screenshot()

    assert asyncio.run(run()) is None
