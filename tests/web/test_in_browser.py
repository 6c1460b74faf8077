"""Visitors of `dmlviz serve` in a headless Chromium: what the page itself takes, gives and refuses."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

import pytest
from support.browser import find_chromium, tab
from support.served import children, origin_of, served

from dmlviz.session import examples
from dmlviz.session.reading import load
from dmlviz.session.writing import dump, save

CHROMIUM = find_chromium() or ""
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(os.name != "posix", reason="the tests end processes as POSIX does"),
    pytest.mark.skipif(not CHROMIUM, reason="no Chromium on this machine; set CHROMIUM to its path"),
]


def test_a_browser_without_the_secret_and_a_frame_with_it_show_nothing(tmp_path: Path) -> None:
    frame = tmp_path / "frame.html"

    async def script(address: str, pid: int) -> None:
        async with tab(CHROMIUM, origin_of(address)) as page:
            said = await _until(page, "document.body.innerText", "whoever opens the address")
            assert "GATHER" not in said
        frame.write_text(f'<body><iframe src="{address}"></iframe></body>')
        async with tab(CHROMIUM, frame.as_uri()) as page:
            await _until(page, "document.querySelectorAll('iframe').length", "1")
            await asyncio.sleep(2)
        assert not children(pid), "no explorer was started"

    with served() as (process, address):
        asyncio.run(script(address, process.pid))


def test_a_session_is_uploaded_and_downloaded_and_the_secret_leaves_the_address(tmp_path: Path) -> None:
    save(examples.example("tile-1").session(), tmp_path / "sent.json")
    (tmp_path / "taken").mkdir()

    async def script(address: str) -> None:
        async with tab(CHROMIUM, address) as page:
            await page.until("✔ valid")
            await page.call("Page.setDownloadBehavior", behavior="allow", downloadPath=str(tmp_path / "taken"))
            assert await _until(page, "location.href", "/") == f"{origin_of(address)}/"
            root = (await page.call("DOM.getDocument"))["root"]["nodeId"]
            node = (await page.call("DOM.querySelector", nodeId=root, selector="#chooser"))["nodeId"]
            await page.call("DOM.setFileInputFiles", nodeId=node, files=[str(tmp_path / "sent.json")])
            await page.until("1 experiment")
            await asyncio.sleep(0.5)
            await page.press("o")
            await page.until(lambda text: "TILE ·" in text and "Import" not in text)
            await page.call(
                "Input.dispatchKeyEvent", type="rawKeyDown", key="s", code="KeyS", windowsVirtualKeyCode=83, modifiers=2
            )
            await page.until("your browser has session.json")
            for _ in range(100):
                if (tmp_path / "taken" / "session.json").exists():
                    return
                await asyncio.sleep(0.05)
            raise AssertionError("there is no download")

    with served() as (_, address):
        asyncio.run(script(address))
    found = load(tmp_path / "taken" / "session.json")
    assert dump(found).count("DML_OPERATOR_TILE") == 1


async def _until(page: object, script: str, wanted: str) -> str:
    for _ in range(200):
        found = await page.call("Runtime.evaluate", expression=f"String({script})")  # type: ignore[attr-defined]
        if wanted in str(found["result"].get("value", "")):
            return str(found["result"]["value"])
        await asyncio.sleep(0.05)
    raise AssertionError(f"still waiting for {wanted!r}, found {found}")
