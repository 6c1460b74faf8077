"""A headless Chromium: opens a page, presses keys, and reads what an explorer in it shows."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import itertools
import json
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import aiohttp

from support.served import Emulated, soon

KEYS = {"ArrowDown": 40, "ArrowRight": 39, "Tab": 9, "End": 35, "Home": 36, "Enter": 13, "Escape": 27, "F3": 114}
"""Named keys, with the codes that a browser reports for them."""


def find_chromium() -> str | None:
    """The browser's program; None where there is none."""
    names = (os.environ.get("CHROMIUM", ""), "chromium", "chromium-browser", "google-chrome", "chrome")
    return next((found for name in names if name and (found := shutil.which(name))), None)


class Tab(Emulated):
    """One tab. What the page's WebSocket brings is read by a terminal emulator, as the page itself does."""

    def __init__(self, socket: aiohttp.ClientWebSocketResponse) -> None:
        super().__init__(80, 24)
        self._socket = socket
        self._numbers = itertools.count(1)
        self._answers: dict[int, asyncio.Future[Any]] = {}
        self._downloads: asyncio.Queue[Any] = asyncio.Queue()
        self._reader = asyncio.create_task(self._read())

    async def _read(self) -> None:
        async for message in self._socket:
            found = message.json()
            if "id" in found:
                self._answers.pop(found["id"]).set_result(found)
            elif found["method"] == "Browser.downloadProgress" and found["params"]["state"] == "completed":
                self._downloads.put_nowait(found)
            elif found["method"] == "Network.webSocketCreated":
                width, height = (int(n) for n in re.findall(r"(?:width|height)=(\d+)", found["params"]["url"]))
                self.screen.resize(height, width)
            elif found["method"] == "Network.webSocketFrameSent":
                sent = json.loads(found["params"]["response"]["payloadData"])
                if sent[0] == "resize":
                    self.screen.resize(sent[1]["height"], sent[1]["width"])
            elif found["method"] == "Network.webSocketFrameReceived":
                frame = found["params"]["response"]
                if frame["opcode"] == 2:  # binary: what the terminal is to show
                    self.feed(base64.b64decode(frame["payloadData"]))

    async def call(self, method: str, **parameters: Any) -> Any:
        """One command of the DevTools protocol."""
        number = next(self._numbers)
        self._answers[number] = answer = asyncio.get_running_loop().create_future()
        await self._socket.send_json({"id": number, "method": method, "params": parameters})
        try:
            found = await asyncio.wait_for(answer, 60)
        except TimeoutError:
            raise AssertionError(f"still waiting for the answer to {method}") from None
        assert "error" not in found, found
        return found["result"]

    async def downloads_go_to(self, folder: Path) -> None:
        await self.call("Browser.setDownloadBehavior", behavior="allow", downloadPath=str(folder), eventsEnabled=True)

    async def downloaded(self) -> None:
        """Waits for the end of a download: its name may be there before all that is in it is."""
        await asyncio.wait_for(self._downloads.get(), 60)

    async def press(self, *keys: str) -> None:
        for key in keys:
            down: dict[str, Any] = {"windowsVirtualKeyCode": KEYS[key]} if key in KEYS else {"text": key}
            down |= {"text": "\r"} if key == "Enter" else {}  # by which it submits a form
            await self.call(
                "Input.dispatchKeyEvent", type="keyDown" if "text" in down else "rawKeyDown", key=key, **down
            )
            await self.call("Input.dispatchKeyEvent", type="keyUp", key=key)

    async def click(self, x: float, y: float) -> None:
        """A click at a place of the window, in pixels."""
        for kind in ("mousePressed", "mouseReleased"):
            await self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)


@contextlib.asynccontextmanager
async def tab(chromium: str, address: str, size: tuple[int, int] = (1400, 800)) -> AsyncIterator[Tab]:
    """A browser with one tab on `address`."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        arguments = [
            "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
            "--enable-unsafe-swiftshader", "--remote-debugging-port=0", f"--user-data-dir={profile}",
            f"--window-size={size[0]},{size[1]}", "about:blank",
        ]  # fmt: skip
        process = subprocess.Popen([chromium, *arguments], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            port = await _port(Path(profile, "DevToolsActivePort"), process)
            async with aiohttp.ClientSession() as client:
                async with client.get(f"http://127.0.0.1:{port}/json") as answer:
                    found = next(each for each in await answer.json() if each["type"] == "page")
                async with client.ws_connect(found["webSocketDebuggerUrl"], max_msg_size=0) as socket:
                    opened = Tab(socket)
                    for domain in ("Network", "Page"):
                        await opened.call(f"{domain}.enable")
                    await opened.call("Emulation.setFocusEmulationEnabled", enabled=True)
                    await opened.call("Page.navigate", url=address)
                    yield opened
        finally:
            process.kill()
            process.wait()


async def _port(file: Path, process: subprocess.Popen[bytes]) -> int:
    def told() -> str:
        assert process.poll() is None, "the browser ended before it could be reached"
        return file.read_text() if file.exists() else ""

    await soon(lambda: "\n" in told(), "the browser's port")
    return int(told().split("\n")[0])
