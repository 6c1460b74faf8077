"""`dmlviz class` in a terminal of its own, as an instructor begins it."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

from support.presentations import CLASSROOM
from support.real_terminal import Terminal


def waits(until: Callable[[], Any], seconds: float = 60) -> Any:
    """What `until` gives, once that is something."""
    ends = time.monotonic() + seconds
    while time.monotonic() < ends:
        try:
            if found := until():
                return found
        except (OSError, ValueError, KeyError, StopIteration):
            pass
        time.sleep(0.02)
    raise AssertionError("nothing came of it")


class Hall:
    """`dmlviz class` in a terminal of its own."""

    def __init__(self, folder: Path, *words: str, width: int = 80, height: int = 24) -> None:
        self.folder = folder
        self.states = folder / ".home" / "xdg_state_home" / "dmlviz" / "presenting"
        line = [sys.executable, "-m", "dmlviz", "class", str(CLASSROOM), "--host", "127.0.0.1", *words]
        self.began = time.time()
        self.terminal = Terminal(line, width, height, folder)
        self.status = waits(self.read, 60)

    def is_other_than(self, server: int) -> bool:
        """True once the server is another process."""
        return self.server != server

    def read(self) -> Any:
        """The status, written since this began."""
        self.terminal.read(0.01)
        status = json.loads(next(self.states.glob("*.class")).read_bytes())
        return status if status["beat"] > self.began else None

    @property
    def server(self) -> int:
        """The server's process."""
        threads = Path(f"/proc/{self.terminal.process.pid}/task").iterdir()
        children = [child for thread in threads for child in (thread / "children").read_text().split()]
        return next(int(n) for n in children if b"class_program" in Path(f"/proc/{n}/cmdline").read_bytes())

    def has_ended(self) -> bool:
        """True once the program is gone."""
        self.terminal.read(0.01)
        return not self.terminal.process.isalive()

    def ask(self, method: str, path: str, cookie: str = "", body: Any = None) -> tuple[Any, str]:
        """(what the server gives, a cookie that it sets)."""
        url = self.status["address"]
        data = json.dumps(body).encode() if body is not None else None
        request = Request(url + path, data, {"Origin": url, "Cookie": cookie}, method=method)
        with urlopen(request, timeout=20) as response:
            text = response.read().decode()
            given = (response.headers.get("Set-Cookie") or "").partition(";")[0]
        return (json.loads(text) if text.startswith("{") else text), given

    def close(self) -> None:
        """Ends the terminal, and the server that would wait for another one."""
        server = None
        with contextlib.suppress(OSError, StopIteration):
            server = self.server
        self.terminal.process.close(force=True)
        if server is not None:
            with contextlib.suppress(ProcessLookupError):  # it may have ended with its terminal
                os.kill(server, signal.SIGKILL)

    def student(self) -> str:
        """The cookie of somebody who joins."""
        _, cookie = self.ask("GET", f"/{self.status['code']}")
        self.ask("GET", "/state", cookie)
        return cookie
