"""The server: one explorer for each tab, in a process of its own, on this machine alone."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import logging
import os
import socket
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar, cast

from ..errors import SessionError, plain
from . import tab_program
from .access import LOOPBACK, SECRET, Access, add_headers, guard

FULL = "dmlviz has as many tabs open as it serves at once; close one, and load this page again.\n"
GONE = "There is no such file to download; each is handed out once.\n"
NOTES = "notes"
"""The address's parameter for the speaker's screen."""
STANDARD = {"width": 80, "height": 24}
"""Columns and lines of a tab that says none."""


def serve(words: Sequence[str], host: str, port: int, *, files: bool = False, presents: bool = False) -> None:
    """Serves `dmlviz` with `words` on its command line until ctrl+c. Raises SessionError where it can't.

    With `files`, tabs open and save the files of this machine. If it `presents`, a tab whose address says so has the
    speaker's screen.
    """
    try:
        import textual_serve.server  # noqa: F401
    except ModuleNotFoundError as error:
        raise SessionError(
            f"serve needs the package textual-serve, found no {plain(error.name or 'module')}, "
            "expected `pip install 'dmlviz[web]'` to have been run."
        ) from None
    port = free_port(host, port)
    os.environ.update(safe_path_variables())  # which every tab inherits
    _make_server(command(words), host, port, files, presents=presents).serve()


def command(words: Sequence[str]) -> list[str]:
    """The program and its words for one tab's explorer."""
    return [sys.executable, "-P", tab_program.__file__, *words]


def safe_path_variables() -> dict[str, str]:
    """The variables by which a tab, and what it starts, look for no module in the current folder.

    A lesson's folder holds what others have written. An empty part of PYTHONPATH means that folder, too.
    """
    here, home = Path.cwd().resolve(), Path(__file__).resolve().parents[2]
    folders = [Path(part).resolve() for part in os.environ.get("PYTHONPATH", "").split(os.pathsep) if part]
    kept = [str(folder) for folder in folders if folder != here or folder == home]
    if here == home and str(home) not in kept:
        kept.append(str(home))  # dmlviz itself comes from there
    return {"PYTHONSAFEPATH": "1", "PYTHONPATH": os.pathsep.join(kept)}


def free_port(host: str, port: int) -> int:
    """`port`, or any free one for 0. Raises SessionError where it can't be had."""
    try:
        family, kind, number, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        with socket.socket(family, kind, number) as listener:
            if os.name == "posix":
                listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # as the server itself does
            listener.bind(address)
            return int(listener.getsockname()[1])
    except (socket.gaierror, UnicodeError):
        raise SessionError(f"--host is {plain(host)}, expected a name or an address of this machine.") from None
    except OSError as error:
        why = {
            errno.EADDRINUSE: "another program has it",
            errno.EACCES: "this user may not open it",
            errno.EADDRNOTAVAIL: "that is no address of this machine",
        }.get(error.errno or 0, error.strerror or "it can't be opened")
        raise SessionError(f"--port is {port} on {plain(host)}, and {why}; expected a free one, such as 0.") from None


def told_in_one_line(record: logging.LogRecord) -> bool:
    """A log's filter: drops what anybody can cause who isn't let in, and cuts other errors to one line."""
    from aiohttp.http_exceptions import HttpProcessingError
    from aiohttp.web import RequestPayloadError

    error = record.exc_info[1] if record.exc_info else None
    if isinstance(error, (HttpProcessingError, RequestPayloadError)):
        return False  # no HTTP; it was told so
    if record.msg == "Application failed to start":
        return False  # a tab says itself why, unless its page has gone first
    if error is not None:
        record.msg, record.args = f"{record.getMessage()}: {type(error).__name__}: {plain(str(error))}", ()
        record.exc_info = record.exc_text = None
    return True


def _make_server(line: Sequence[str], host: str, port: int, files: bool, *, presents: bool = False) -> Any:
    """A server of textual-serve, not yet started, of which each tab runs `line`."""
    import aiohttp_jinja2
    from aiohttp import WSMsgType, web
    from textual_serve.server import Server

    from .tabs import CLOSED_BY_FAULT, MOST_MESSAGE, MOST_TABS, MOST_UPLOADED, PATIENCE, Tab, clamped, number

    address = f"http://{f'[{host}]' if ':' in host else host}:{port}"
    access = Access(host, port)
    speakers = Access(host, port, f"-{NOTES}")
    """The room's address doesn't lead to what the room must not see."""

    def has_notes(request: web.Request) -> bool:
        """True for a tab with the speaker's screen."""
        return presents and NOTES in request.query

    def accesses_for(request: web.Request) -> tuple[Access, ...]:
        """The accesses of which one must admit a request: both tabs load the page's parts."""
        return (speakers,) if has_notes(request) else (access, speakers) if presents else (access,)

    class Explorers(Server):  # type: ignore[misc, unused-ignore]
        """Starts an explorer for each tab, and ends them all when it ends."""

        tabs: ClassVar[set[asyncio.Task[Any]]] = set()
        handed_out: ClassVar[set[str]] = set()

        async def handle_index(self, request: web.Request) -> Any:
            if len(self.tabs) >= MOST_TABS:
                raise web.HTTPServiceUnavailable(text=FULL)
            size = number(request.query.get("fontsize", ""), 16)
            told = {"font_size": size, "most_uploaded": MOST_UPLOADED, "notes": has_notes(request)}
            told["closed_by_fault"] = CLOSED_BY_FAULT
            return aiohttp_jinja2.render_template("app_index.html", request, told)

        async def handle_download(self, request: web.Request) -> web.StreamResponse:
            """Hands out a file, once: two who take it at the same time would get a part each."""
            key = request.match_info["key"]
            if key in self.handed_out:
                raise web.HTTPNotFound(text=GONE)
            self.handed_out.add(key)
            if (download := self.download_manager._active_downloads.get(key)) is not None:
                download.open_method = "download"  # a picture of the screen would be a page of this origin
            try:
                return cast(web.StreamResponse, await super().handle_download(request))
            except web.HTTPNotFound:
                raise web.HTTPNotFound(text=GONE) from None
            finally:
                self.handed_out.discard(key)
                self.download_manager._active_downloads.pop(key, None)

        async def handle_websocket(self, request: web.Request) -> web.WebSocketResponse:
            if len(self.tabs) >= MOST_TABS:
                raise web.HTTPServiceUnavailable(text=FULL)
            task = asyncio.current_task()
            assert task is not None
            self.tabs.add(task)
            try:
                return await self._serve_tab(request)
            finally:
                self.tabs.discard(task)

        async def _serve_tab(self, request: web.Request) -> web.WebSocketResponse:
            page = web.WebSocketResponse(heartbeat=15, timeout=2, max_msg_size=MOST_MESSAGE)
            await page.prepare(request)
            how = {"write_bytes": page.send_bytes, "write_str": page.send_str, "close": page.close}
            own = [*line, "--notes"] if has_notes(request) else line
            tab = Tab(own, files, download_manager=self.download_manager, **how)
            try:
                columns, lines = (number(request.query.get(name, ""), default) for name, default in STANDARD.items())
                await tab.start(*clamped(columns, lines) or STANDARD.values())
                async for message in page:
                    if message.type is WSMsgType.TEXT and (answer := await tab.hear(message.data)) is not None:
                        await page.send_str(answer)
            except (asyncio.CancelledError, ConnectionError):
                pass
            except OSError as error:
                print(f"dmlviz: a tab can't be started: {error.strerror or error}.", file=sys.stderr)
            finally:
                await tab.stop()
                with contextlib.suppress(ConnectionError):
                    await page.close()
            return page

        async def on_shutdown(self, app: web.Application) -> None:
            for _ in range(2):
                if tabs := set(self.tabs):
                    for task in tabs:
                        task.cancel()
                    await asyncio.wait(tabs, timeout=2 * PATIENCE)

        def initialize_logging(self) -> None:
            logging.basicConfig(level=logging.WARNING, format="dmlviz: %(message)s")  # not a line for each request
            for handler in logging.getLogger().handlers:
                handler.addFilter(told_in_one_line)

        async def _make_app(self) -> web.Application:
            app: web.Application = await super()._make_app()
            app.middlewares.append(guard(accesses_for))
            app.on_response_prepare.append(add_headers)
            return app

        async def on_startup(self, app: web.Application) -> None:
            """Does nothing: textual-serve's own would print an address before it listens."""

        def serve(self, debug: bool = False) -> None:
            self.initialize_logging()
            web.run_app(self._make_app(), host=host, port=port, print=lambda *_: self.tell())

        def tell(self) -> None:
            """Prints the addresses, once the server listens there."""
            print(f"dmlviz is at {address}/?{SECRET}={access.secret}   (ctrl+c ends it)", flush=True)
            if presents:
                print(f"The speaker's screen is at {address}/?{SECRET}={speakers.secret}&{NOTES}", flush=True)
            if host not in LOOPBACK:
                print("dmlviz: whoever is given this address can use this machine through it.", file=sys.stderr)

    return Explorers("dmlviz", host, port, title="dmlviz", public_url=address, templates_path=Path(__file__).parent)
