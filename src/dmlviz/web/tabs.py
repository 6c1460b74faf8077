"""One tab: its explorer's process, the messages that its page sends, and what bounds them."""

from __future__ import annotations

import asyncio
import base64
import binascii
import contextlib
import json
import os
from asyncio.subprocess import Process
from collections.abc import Sequence
from typing import Any

from textual_serve.app_service import AppService

from .tab_program import PARENT

MOST_TABS = 16
MOST_COLUMNS, MOST_LINES = 500, 200
"""Of a terminal; a page that says more gets these."""
MOST_UPLOADED = 8 << 20
"""Bytes of a file that is uploaded."""
MOST_MESSAGE = 12 << 20
"""Bytes of a message: a file that is uploaded grows by a third on its way."""
PATIENCE = 3.0
"""Seconds that an explorer has to end before it is ended."""
FAULT = 70
"""What `dmlviz` exits with after a fault of its own."""
CLOSED_BY_FAULT = 4000 + FAULT
"""The code by which the page's connection is closed then; those from 4000 on are a program's own."""
FILES = "DMLVIZ_FILES"
"""The variable that says, by "1", that a tab may open and save the server's files."""


def clamped(columns: object, lines: object) -> tuple[int, int] | None:
    """A terminal's size, cut to what a tab may have; None for what is no size."""
    if type(columns) is not int or type(lines) is not int:
        return None
    return min(max(columns, 1), MOST_COLUMNS), min(max(lines, 1), MOST_LINES)


def number(text: str, default: int) -> int:
    """The number that a text in an address is; `default` where it is none, or a long one."""
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 10 else default


class Tab(AppService):  # type: ignore[misc, unused-ignore]
    """An explorer's process, started without a shell. It never outlives `stop`.

    What it says of its end, as of a fault or a file that has gone, is for the server's terminal, which it shares.
    """

    def __init__(self, line: Sequence[str], files: bool, **how: Any) -> None:
        super().__init__("", **how)
        self._line, self._files = line, files
        self._task: asyncio.Task[None] | None = None

    def _build_environment(self, width: int = 80, height: int = 24) -> dict[str, str]:
        environment: dict[str, str] = super()._build_environment(width, height)
        environment["TEXTUAL_DRIVER"] = "dmlviz.screens.tab_driver:TabDriver"
        environment[PARENT] = str(os.getpid())
        environment[FILES] = "1" if self._files else ""
        return environment

    async def _open_app_process(self, width: int = 80, height: int = 24) -> Process:
        pipe = asyncio.subprocess.PIPE
        self._process = process = await asyncio.create_subprocess_exec(
            *self._line, stdin=pipe, stdout=pipe, env=self._build_environment(width, height)
        )
        self._stdin = process.stdin
        return process

    async def run(self) -> None:
        """Hands on what the explorer paints until it ends, and then closes the page's connection."""
        process = self._process
        assert process is not None
        process.stderr = asyncio.StreamReader()  # whose text would be printed twice, or cut off
        process.stderr.feed_eof()
        try:
            await super().run()
        finally:
            process.stderr = None
            with contextlib.suppress(asyncio.TimeoutError):
                await asyncio.wait_for(process.wait(), PATIENCE)
            code = {"code": CLOSED_BY_FAULT} if process.returncode == FAULT else {}
            with contextlib.suppress(Exception):
                await self.remote_close(**code)

    async def on_meta(self, data: bytes) -> None:
        """Does what the explorer says, but for that it ends: its exit code tells how, so `run` waits for that."""
        if json.loads(data)["type"] != "exit":
            await super().on_meta(data)

    async def stop(self) -> None:
        """Ends the explorer: it is asked, and after `PATIENCE` killed."""
        task, self._task = self._task, None
        process = self._process
        if task is None or process is None:
            return
        with contextlib.suppress(Exception):
            await self._download_manager.cancel_app_downloads(app_service_id=self.app_service_id)

        async def ask() -> None:
            await self.send_meta({"type": "quit"})
            await process.wait()

        try:
            with contextlib.suppress(asyncio.TimeoutError):
                await asyncio.wait_for(ask(), PATIENCE)
        finally:
            if process.returncode is None:
                with contextlib.suppress(ProcessLookupError):
                    process.kill()
            task.cancel()
            await asyncio.wait([task], timeout=PATIENCE)
            with contextlib.suppress(asyncio.TimeoutError):  # its pipes close while there is a loop to close them
                await asyncio.wait_for(process.communicate(), PATIENCE)

    # ---- what the page says

    async def hear(self, text: str) -> str | None:
        """Does what a page's message says, and gives its answer, or None; passes over what is no message."""
        try:
            message = json.loads(text)
        except (ValueError, RecursionError):
            return None
        match message:
            case ["stdin", str(data)]:
                await self.send_bytes(data.encode(errors="replace"))
            case ["resize", {"width": columns, "height": lines}]:
                if (size := clamped(columns, lines)) is not None:
                    await self.set_terminal_size(*size)
            case ["ping", str(data)] if len(data) <= 100:
                return json.dumps(["pong", data])
            case ["blur"]:
                await self.blur()
            case ["focus"]:
                await self.focus()
            case ["upload", {"name": str(name), "data": str(data)}]:
                await self._upload(name, data)
        return None

    async def _upload(self, name: str, data: str) -> None:
        """Hands a file's base64 text to the explorer; passes over one that is no base64 or too large."""
        try:
            size = len(base64.b64decode(data, validate=True))
        except (binascii.Error, ValueError):
            return
        if size <= MOST_UPLOADED and len(name) <= 1000:
            await self.send_meta({"type": "upload", "name": name, "data": data})
