"""The server: one explorer for each tab, in a process of its own, on this machine alone."""

from __future__ import annotations

import asyncio
import errno
import logging
import os
import shlex
import socket
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar

from ..errors import SessionError, plain
from .access import LOOPBACK, SECRET, Access, add_headers


def serve(words: Sequence[str], host: str, port: int) -> None:
    """Serves `dmlviz` with `words` on its command line until ctrl+c. Raises SessionError where it can't."""
    try:
        import textual_serve.server  # noqa: F401
    except ModuleNotFoundError as error:
        raise SessionError(
            f"serve needs the package textual-serve, found no {plain(error.name or 'module')}, "
            "expected `pip install 'dmlviz[web]'` to have been run."
        ) from None
    port = free_port(host, port)
    os.environ.update(safe_path())  # which every tab inherits
    _server(command(words), host, port).serve()


def command(words: Sequence[str]) -> str:
    """The shell's command for one tab's explorer."""
    line = [sys.executable, "-P", "-m", "dmlviz", *words]
    return subprocess.list2cmdline(line) if os.name == "nt" else shlex.join(line)


def safe_path() -> dict[str, str]:
    """The variables by which a tab, and what it starts, look for no module in the current folder.

    A lesson's folder holds what others have written. An empty part of PYTHONPATH means that folder, too.
    """
    here, home = Path.cwd().resolve(), Path(__file__).resolve().parents[2]
    found = [Path(part).resolve() for part in os.environ.get("PYTHONPATH", "").split(os.pathsep) if part]
    kept = [str(each) for each in found if each != here or each == home]
    if here == home and str(home) not in kept:
        kept.append(str(home))  # dmlviz itself comes from there
    return {"PYTHONSAFEPATH": "1", "PYTHONPATH": os.pathsep.join(kept)}


def free_port(host: str, port: int) -> int:
    """`port`, or any free one for 0. Raises SessionError where it can't be had."""
    try:
        family, kind, number, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        with socket.socket(family, kind, number) as found:
            if os.name == "posix":
                found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # as the server itself does
            found.bind(address)
            return int(found.getsockname()[1])
    except socket.gaierror:
        raise SessionError(f"--host is {plain(host)}, expected a name or an address of this machine.") from None
    except OSError as error:
        why = {
            errno.EADDRINUSE: "another program has it",
            errno.EACCES: "this user may not open it",
            errno.EADDRNOTAVAIL: "that is no address of this machine",
        }.get(error.errno or 0, error.strerror or "it can't be opened")
        raise SessionError(f"--port is {port} on {plain(host)}, and {why}; expected a free one, such as 0.") from None


def _server(line: str, host: str, port: int) -> Any:
    from aiohttp import web
    from textual_serve.server import Server

    address = f"http://{f'[{host}]' if ':' in host else host}:{port}"
    access = Access(host, port)

    class Explorers(Server):  # type: ignore[misc, unused-ignore]
        """Starts an explorer for each tab, and ends them all when it ends."""

        tabs: ClassVar[set[asyncio.Task[Any]]] = set()

        async def handle_websocket(self, request: web.Request) -> web.WebSocketResponse:
            task = asyncio.current_task()
            assert task is not None
            self.tabs.add(task)
            try:
                found: web.WebSocketResponse = await super().handle_websocket(request)
                return found
            finally:
                self.tabs.discard(task)

        async def on_shutdown(self, app: web.Application) -> None:
            for _ in range(3):  # the first ends what a tab does, the next the wait for one that doesn't answer
                if tabs := set(self.tabs):
                    for task in tabs:
                        task.cancel()
                    await asyncio.wait(tabs, timeout=1)
            await asyncio.sleep(0.2)  # in which the loop learns that the explorers have ended

        def initialize_logging(self) -> None:
            logging.basicConfig(level=logging.WARNING, format="dmlviz: %(message)s")  # not a line for each request

        async def _make_app(self) -> web.Application:
            app: web.Application = await super()._make_app()
            app.middlewares.append(access.middleware())
            app.on_response_prepare.append(add_headers)
            return app

        async def on_startup(self, app: web.Application) -> None:
            print(f"dmlviz is at {address}/?{SECRET}={access.secret}   (ctrl+c ends it)", flush=True)
            if host not in LOOPBACK:
                print("dmlviz: whoever is given this address can use this machine through it.", file=sys.stderr)

    return Explorers(line, host, port, title="dmlviz", public_url=address, templates_path=Path(__file__).parent)
