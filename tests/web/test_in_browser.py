"""`dmlviz serve` and a class in a headless Chromium: what their pages take, give and refuse."""

from __future__ import annotations

import asyncio
import os
import time
from pathlib import Path
from typing import Any

import pytest
from support.browser import Tab, find_chromium, tab
from support.presentations import CLASSROOM
from support.served import served

from dmlviz.session import examples
from dmlviz.session.presentation_state import StateFile
from dmlviz.session.reading import load
from dmlviz.session.writing import dump, save
from dmlviz.teaching.words.catalogue import sentence
from dmlviz.web.class_server import Hall
from dmlviz.workspace.wall.wall_desk import WallDesk

CHROMIUM = find_chromium() or ""
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(os.name != "posix", reason="the tests end processes as POSIX does"),
    pytest.mark.skipif(not CHROMIUM, reason="no Chromium on this machine; set CHROMIUM to its path"),
]


async def value(page: Tab, script: str) -> Any:
    found = await page.call("Runtime.evaluate", expression=script)
    return found["result"].get("value")


async def until(page: Tab, script: str, wanted: Any = True) -> None:
    for _ in range(600):
        found = await value(page, script)
        if found == wanted:
            return
        await asyncio.sleep(0.05)
    raise AssertionError(f"{script} is {found!r}, still waiting for {wanted!r}")


def test_an_explorer_in_a_browser_tab_takes_keys_and_text_and_is_painted_and_downloaded(tmp_path: Path) -> None:
    save(examples.example("gather-2").session(), tmp_path / "lesson.json")
    (tmp_path / "taken").mkdir()

    async def script(address: str) -> None:
        async with tab(CHROMIUM, address) as page:
            await page.until("✔ valid")
            await page.downloads_go_to(tmp_path / "taken")
            await page.press("Home", ".", ".", ".")
            await page.until("3 of 8")
            await page.press("n")
            await page.until("Markdown")
            await page.call("Input.insertText", text="漢字 é")  # as an input method hands it over
            await page.until(lambda text: "漢字é" in "".join(text.split()))
            await page.press("Escape")
            await page.call(
                "Input.dispatchKeyEvent", type="rawKeyDown", key="s", code="KeyS", windowsVirtualKeyCode=83, modifiers=2
            )
            await page.until("your browser has lesson.json")
            await page.downloaded()
            await page.press("q")
            await until(page, 'getComputedStyle(document.getElementById("ended")).display !== "none"')
            page.screen.reset()
            await page.call("Page.reload")
            await page.until("✔ valid")

    with served(str(tmp_path / "lesson.json")) as (_, address):
        asyncio.run(script(address))
    assert "漢字 é" in dump(load(tmp_path / "taken" / "lesson.json"))


def test_a_phone_plays_a_class_and_goes_on_when_it_is_begun_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    lesson = load(CLASSROOM)

    def begun(port: int | None) -> tuple[WallDesk, asyncio.Task[None]]:
        wall = WallDesk(lesson, time.time, kept=StateFile("/a/lesson.json"))
        hall = Hall(lesson, "/a/lesson.json", "127.0.0.1", port)
        return wall, asyncio.create_task(hall.attend(wall))

    async def end(task: asyncio.Task[None]) -> None:
        task.cancel()
        await asyncio.wait([task])

    async def script() -> None:
        wall, task = begun(0)
        await asyncio.sleep(0.3)
        assert wall.live is not None
        async with tab(CHROMIUM, wall.live.address, (390, 800)) as page:
            await page.call("Runtime.enable")
            await until(page, "document.getElementById('door').hidden", False)
            assert not await value(page, "document.getElementById('line').textContent")
            code = wall.live.code.lower()
            await value(
                page, f"const door = document.getElementById('door'); door.code.value = '{code}'; door.requestSubmit()"
            )
            await until(page, "document.getElementById('told')?.textContent", sentence("class.waiting"))
            wall.forward()
            await until(page, "document.querySelectorAll('#options button:enabled table').length", 4)
            await value(page, "document.querySelectorAll('#options button')[1].click()")
            await until(page, "document.getElementById('says').innerText", "sent ✔ b · you can change it")
            assert await value(page, "document.documentElement.scrollWidth <= innerWidth")
            while not wall.shared.hands:  # so that it goes on in the middle
                await asyncio.sleep(0.05)
            await end(task)
            await until(page, "document.getElementById('line').textContent", "not connected, trying")
            again, task = begun(None)
            await until(page, "document.getElementById('told')?.textContent", sentence("class.waiting"))
            again.forward()
            await until(page, "document.querySelectorAll('#options button:enabled').length", 4)
            await until(page, "document.getElementById('line').textContent", "")
            await value(page, "document.querySelectorAll('#options button')[1].click()")
            await until(page, "document.getElementById('says').innerText", "sent ✔ b · you can change it")
            assert again.live is not None
            again.reveal()
            await value(page, "document.querySelectorAll('#options button')[0].click()")  # just too late
            await until(page, "document.getElementById('says').firstChild.textContent", "b: not right.")
            assert await value(page, "document.getElementById('says').getBoundingClientRect().bottom <= innerHeight")
            assert await value(page, "document.querySelectorAll('.right').length") == 1
            await end(task)

    asyncio.run(script())
