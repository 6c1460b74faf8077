"""`dmlviz serve` as a program, and its visitors without a browser."""

from __future__ import annotations

import asyncio
import contextlib
import os
import re
import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from typing import Any

import aiohttp
import pyte


@contextlib.contextmanager
def served(*words: str, folder: Path | None = None, **variables: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """`dmlviz serve` on a free port in a `folder`, with `variables` in its environment, and its address."""
    # As the installed program does, which has no current folder among its modules' either.
    line = [sys.executable, "-P", "-m", "dmlviz", "serve", *words, "--port", "0"]
    paths = [os.path.abspath(part) for part in os.environ.get("PYTHONPATH", "").split(os.pathsep) if part]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(paths), **variables}
    with subprocess.Popen(
        line, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, cwd=folder, env=environment
    ) as process:
        try:
            assert process.stdout is not None
            said = process.stdout.readline()
            assert said.startswith("dmlviz is at http://127.0.0.1:"), said
            yield process, said.split()[3]
        finally:
            process.kill()


def says_nothing(process: subprocess.Popen[str]) -> bool:
    """True if a server that is ended has printed nothing but its addresses."""
    process.terminate()
    assert process.stdout is not None
    return process.stdout.read() == ""


async def soon(holds: Callable[[], Any], what: Callable[[], str] | str) -> Any:
    """What is found, once it is something."""
    for _ in range(1200):
        if found := holds():
            return found
        await asyncio.sleep(0.05)
    raise AssertionError(f"still waiting for {what if isinstance(what, str) else what()}")


def origin_of(address: str) -> str:
    """The address without its secret."""
    return address.partition("/?")[0]


def socket_of(address: str, width: object = 120, height: object = 36) -> str:
    """The path of the WebSocket, as the page of an address opens it."""
    return f"/ws/{address.partition('?secret=')[2]}?width={width}&height={height}"


@contextlib.asynccontextmanager
async def visitor(address: str) -> AsyncIterator[aiohttp.ClientSession]:
    """A client that has opened the address."""
    async with aiohttp.ClientSession(origin_of(address), headers={"Origin": origin_of(address)}) as client:
        async with client.get(f"/?{address.partition('?')[2]}") as answer:
            assert answer.status == 200
        yield client


async def shown(socket: aiohttp.ClientWebSocketResponse, wanted: bytes) -> bytes:
    """What a tab paints until `wanted` is among it."""
    found = b""
    async with asyncio.timeout(60):
        while wanted not in found:
            message = await socket.receive()
            assert message.type in (aiohttp.WSMsgType.BINARY, aiohttp.WSMsgType.TEXT), (message, found)
            found += message.data if isinstance(message.data, bytes) else b""
    return found


FRAMES = str.maketrans("│┃▊▎", "    ")


class Emulated:
    """A terminal emulator, which reads what an explorer paints in a tab."""

    def __init__(self, width: int, height: int) -> None:
        self.screen = pyte.Screen(width, height)
        self._stream = pyte.ByteStream(self.screen)

    def feed(self, data: bytes) -> None:
        """Reads what is painted, without private sequences that pyte takes for text."""
        self._stream.feed(re.sub(rb"\x1b\[[<>=][^@-~]*[@-~]", b"", data))

    def text(self) -> str:
        return "\n".join(self.screen.display)

    async def until(self, wanted: str | Callable[[str], bool]) -> str:
        """Waits until the explorer shows something, in however many lines."""

        def seen() -> str:
            text = " ".join(self.text().translate(FRAMES).split())
            return text if (wanted in text if isinstance(wanted, str) else wanted(text)) else ""

        text: str = await soon(seen, lambda: f"{wanted!r}; the tab shows:\n{self.text()}")
        return text


class Page(Emulated):
    """A tab's page: sends what it is told to, and has a terminal emulator read what comes."""

    def __init__(self, client: aiohttp.ClientSession, socket: aiohttp.ClientWebSocketResponse) -> None:
        super().__init__(120, 40)
        self._client, self._socket = client, socket
        self.said: list[Any] = []
        """Messages that came, but for what is painted."""
        self._reader = asyncio.create_task(self._read())

    async def _read(self) -> None:
        async for message in self._socket:
            if message.type is aiohttp.WSMsgType.BINARY:
                self.feed(message.data)
            elif message.type is aiohttp.WSMsgType.TEXT:
                self.said.append(message.json())

    async def send(self, *message: object) -> None:
        await self._socket.send_json(list(message))

    async def press(self, *keys: str) -> None:
        """Sends keys as the bytes of a terminal, one by one."""
        for key in keys:
            await self.send("stdin", key)
            await asyncio.sleep(0.01)

    async def paste(self, text: str) -> None:
        await self.send("stdin", f"\x1b[200~{text}\x1b[201~")

    async def ended(self) -> None:
        """Waits until the explorer's end has closed the connection."""
        await asyncio.wait_for(self._reader, 60)

    async def downloaded(self) -> tuple[str, bytes]:
        """The name and the bytes of the file that the explorer sends, taken as a browser takes it."""
        of_file = "deliver_file_start"
        key = await soon(lambda: next((each[1] for each in self.said if each[0] == of_file), ""), of_file)
        self.said.clear()
        async with self._client.get(f"/download/{key}") as answer:
            assert answer.status == 200
            kind, _, name = answer.headers["Content-Disposition"].partition("; filename=")
            assert kind == "attachment"
            return name, await answer.read()


@contextlib.asynccontextmanager
async def page(address: str) -> AsyncIterator[Page]:
    """A tab of a visitor who has the address, once its explorer is there."""
    async with visitor(address) as client, client.ws_connect(socket_of(address, height=40), max_msg_size=0) as socket:
        opened = Page(client, socket)
        await opened.until("? keys")
        await opened.send("focus")  # as a browser does once the tab takes keys
        await opened.until(lambda text: "esc picture" not in text)
        yield opened
