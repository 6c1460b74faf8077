"""The explorer in browser tabs: one for each, in a process of its own, for whoever has the secret of the address."""

from __future__ import annotations

import asyncio
import contextlib
import hmac
import logging
import secrets
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import SessionError, plain
from .access import HEADERS, LOOPBACK, Handler, is_ours, listener

if TYPE_CHECKING:
    from aiohttp import web

MOST_MESSAGE = 1 << 20
"""Bytes of what a page sends at once."""
PATIENCE = 3.0
"""Seconds that an explorer has to end before it is ended."""
PAGE = Path(__file__).parent / "index.html"
REFUSED = "dmlviz answers those who open the address that `dmlviz serve` has printed.\n"


def serve(words: Sequence[str], host: str, port: int, *, files: bool = False) -> None:
    """Serves `dmlviz` with `words` on its command line until ctrl+c. Raises SessionError where it can't.

    With `files`, tabs open and save the files of this machine.
    """
    try:
        import textual_serve.server  # noqa: F401
    except ModuleNotFoundError as error:
        raise SessionError(
            f"serve needs the package textual-serve, found no {plain(error.name or 'module')}: "
            "`.venv/bin/pip install '.[web]'` in dmlviz's folder installs it."
        ) from None
    from aiohttp import web

    logging.basicConfig(level=logging.CRITICAL)  # a tab says itself why it ends
    bound, secret = listener(host, port), secrets.token_urlsafe(32)
    app = app_of([sys.executable, "-P", "-m", "dmlviz", *words], secret, host, files=files)
    address = f"http://{f'[{host}]' if ':' in host else host}:{bound.getsockname()[1]}/?secret={secret}"
    if host not in LOOPBACK:
        print("dmlviz: anyone with this address can use this machine through it.", file=sys.stderr)
    said = f"dmlviz is at {address}   (ctrl+c ends it)"
    web.run_app(app, sock=bound, print=lambda *_: print(said, flush=True), shutdown_timeout=2 * PATIENCE)


def app_of(line: list[str], secret: str, host: str, *, files: bool) -> web.Application:
    """The server: each tab of who has the secret runs a command line."""
    from aiohttp import web
    from textual_serve.app_service import AppService
    from textual_serve.server import Server, to_int

    served, pages = Server("dmlviz"), set[web.WebSocketResponse]()

    class Tab(AppService):  # type: ignore[misc, unused-ignore]
        """An explorer's process, started without a shell; it ends with its input, and so with this server."""

        async def _open_app_process(self, width: int = 80, height: int = 24) -> Process:
            environment = self._build_environment(width, height) | {"DMLVIZ_FILES": "1" if files else ""}
            environment |= {"TEXTUAL_DRIVER": "dmlviz.screens.tab_driver:TabDriver", "PYTHONSAFEPATH": "1"}
            self._process = process = await asyncio.create_subprocess_exec(
                *self.command, stdin=PIPE, stdout=PIPE, stderr=PIPE, env=environment
            )
            self._stdin = process.stdin
            return process

        async def run(self) -> None:
            await super().run()
            await self.remote_close()

        async def send_bytes(self, data: bytes) -> bool:
            """Hands on what is typed; an explorer takes nothing for the end of it."""
            return not data or await super().send_bytes(data)

        async def end(self) -> None:
            """Ends the explorer: it is asked, and after `PATIENCE` killed."""
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(asyncio.shield(self.stop()), PATIENCE)
            process = self._process
            if process is None:
                return
            with contextlib.suppress(ProcessLookupError):
                process.kill()
            if process.stdin is not None:
                process.stdin.close()
            await process.wait()  # or what it leaves open is told when the server has ended

    def is_let_in(request: web.Request) -> bool:
        if request.path.startswith(("/static/", "/download/")):  # a download's address is a secret of its own
            return True
        given = request.match_info.get("secret") or request.query.get("secret", "")
        return hmac.compare_digest(given.encode("utf-8", "replace"), secret.encode())

    @web.middleware
    async def guarded(request: web.Request, handler: Handler) -> web.StreamResponse:
        origin = request.headers.get("Origin")
        is_foreign = not is_ours(request.host, origin, host) or (origin is None and request.path.startswith("/ws/"))
        if is_foreign or not is_let_in(request):
            return web.Response(status=403, text=REFUSED)
        return await handler(request)

    async def index(request: web.Request) -> web.StreamResponse:
        return web.Response(text=PAGE.read_text("utf-8"), content_type="text/html")

    async def explorer(request: web.Request) -> web.StreamResponse:
        page = web.WebSocketResponse(heartbeat=15, timeout=2, max_msg_size=MOST_MESSAGE)
        how = {"write_bytes": page.send_bytes, "write_str": page.send_str, "close": page.close}
        pages.add(page)
        tab = Tab(line, download_manager=served.download_manager, **how)
        try:
            await page.prepare(request)
            await tab.start(to_int(request.query.get("width", ""), 80), to_int(request.query.get("height", ""), 24))
            await served._process_messages(page, tab)
        except (AssertionError, ValueError, TypeError, LookupError, AttributeError, RecursionError):
            pass  # what is no message ends its tab
        finally:
            await tab.end()
            pages.discard(page)
        return page

    async def add_headers(request: web.Request, response: web.StreamResponse) -> None:
        response.headers.update(HEADERS)
        if shown := response.headers.get("Content-Disposition"):  # a picture would be a page of this origin
            response.headers["Content-Disposition"] = shown.replace("inline;", "attachment;")

    async def close_pages(app: web.Application) -> None:
        await asyncio.gather(*(page.close() for page in pages))

    app = web.Application(middlewares=[guarded])
    app.add_routes([web.get("/", index), web.get("/ws/{secret}", explorer)])
    app.add_routes([web.get("/download/{key}", served.handle_download), web.static("/static", served.statics_path)])
    app.on_response_prepare.append(add_headers)
    app.on_shutdown.append(close_pages)
    return app
