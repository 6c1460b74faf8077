"""The server of a class, in the wall's own event loop: a page, the state that phones ask for, and their answers."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import hashlib
import hmac
import json
import logging
import re
import secrets
import socket
import time
from functools import cache
from pathlib import Path

import msgspec
from aiohttp import web
from msgspec import Struct

from ..errors import SessionError, plain
from ..session.class_status import ClassStatus
from ..session.experiments import Session
from ..session.presentation_state import StateFile
from ..teaching.progress.hand_ins import IN_CLASS, MOST_BYTES, HandIn
from ..teaching.words.catalogue import sentence
from ..workspace.wall.wall_desk import WallDesk
from .access import EVERYWHERE, HEADERS, LOOPBACK, Handler, is_ours, listener
from .phones import Key, Phones, is_asked

PORT = 8765
TICK = 0.25
"""Seconds after which the wall hears what was answered."""
PATIENCE = 5.0
"""Seconds in which a request's body has to arrive."""
IDLE = 15.0
"""Seconds in which a connection has to want something."""
MOST_BODY, MOST_CONNECTIONS = 2048, 1000
ALPHABET = "23456789ABCDEFGHJKMNPQRSTVWXYZ"  # no two look alike
OTHERS = ("192.0.2.1", "10.42.0.2", "192.168.137.2", "192.168.2.2")
"""Addresses beyond this machine's router, and in the networks of hotspots that lead nowhere else."""
WORDS = ("send", "lost", "type_code", "join")


class Sent(Struct, frozen=True):
    key: Key
    answer: str


class Hall:
    """Where a class is held. It listens from the beginning on, so that what is wrong is said before there is a wall."""

    def __init__(self, session: Session, name: str, bind: str, port: int | None, saves: str = "") -> None:
        """`name` names the presentation's state file; `port` None is that of before, else PORT. Raises SessionError."""
        made = WallDesk(session, time.time)
        if not any(is_asked(made.item_at(n)) for n in range(made.count)):
            raise SessionError(f"{plain(name)} asks nothing that a phone can answer, expected a task such as pictures.")
        kept = StateFile(name).read()
        self._bind, self._saves = bind, Path(saves) if saves else None
        self._code = kept.code if kept is not None and kept.code else "".join(map(secrets.choice, [ALPHABET] * 7))
        if self._saves is not None:
            self._check_saves(self._saves)
        self._listener = listener(bind, port if port is not None else (kept.port if kept is not None else 0) or PORT)
        self._port = int(self._listener.getsockname()[1])
        self._cookie = f"dmlviz-class-{self._port}"
        self._phones: Phones | None = None

    @staticmethod
    def _check_saves(file: Path) -> None:
        """Raises SessionError where answers can't be appended."""
        try:
            with file.open("a+b") as there:
                there.seek(0)
                first = there.readline(MOST_BYTES)
        except OSError as error:
            raise SessionError(f"--save is {plain(str(file))}, which can't be written: {error.strerror}.") from None
        if first and not first.rstrip().endswith(IN_CLASS):
            raise SessionError(f"--save is {plain(str(file))}, which is no class's, expected another name.")

    # ---- the class

    async def attend(self, presenting: WallDesk) -> None:
        """Holds the class on what is presented, until it is cancelled."""
        logging.getLogger("aiohttp").setLevel(logging.CRITICAL + 1)  # which would write over the wall
        phones = self._phones = Phones(presenting, time.time, self._keep)
        presenting.hear(self._status, joining=True, code=self._code, port=self._port)
        runner = web.AppRunner(
            self._app(), access_log=None, keepalive_timeout=IDLE, auto_decompress=False, shutdown_timeout=0.5
        )
        try:
            await runner.setup()
            await web.SockSite(runner, self._listener, backlog=512).start()
            while True:
                phones.tell(self._status)
                for each in (runner.server.connections if runner.server is not None else [])[MOST_CONNECTIONS:]:
                    each.force_close()
                await asyncio.sleep(TICK)
        finally:
            presenting.hear(None, joining=False)
            await runner.cleanup()

    @property
    def _status(self) -> ClassStatus:
        host = self._host
        address = f"http://{host}:{self._port}"
        trouble = sentence("present.room_no_network") if host in LOOPBACK else ""
        keeps = plain(self._saves.name, 40) if self._saves is not None else ""
        return ClassStatus(code=self._code, address=address, keeps=keeps, trouble=trouble)

    @property
    def _host(self) -> str:
        if self._bind not in EVERYWHERE:
            return f"[{self._bind}]" if ":" in self._bind else self._bind
        for other in OTHERS:
            with contextlib.suppress(OSError), socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
                probe.connect((other, 9))  # which sends nothing
                return str(probe.getsockname()[0])
        return "127.0.0.1"

    def _keep(self, hand_in: HandIn) -> None:
        """Appends an answer to the file. Raises OSError."""
        if self._saves is not None:
            with self._saves.open("ab") as file:
                file.write(f"{hand_in.line}\n".encode())

    # ---- requests

    def _app(self) -> web.Application:
        app = web.Application(middlewares=[self._guarded], client_max_size=MOST_BODY)
        app.add_routes([web.get("/", self._enter), web.get("/state", self._get_state)])
        app.add_routes([web.get("/{code}", self._enter), web.put("/answer", self._put_answer)])
        return app

    @web.middleware
    async def _guarded(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        """Refuses what is foreign, and says every fault in one line."""
        try:
            origin = request.headers.get("Origin")
            if not is_ours(request.host, origin, self._bind) or (request.method != "GET" and origin is None):
                raise web.HTTPForbidden(text=sentence("class.foreign"))
            if "Content-Encoding" in request.headers or (request.content_length or 0) > MOST_BODY:
                raise web.HTTPRequestEntityTooLarge(MOST_BODY, 0, text=sentence("class.too_large"))
            reply = await handler(request)
        except web.HTTPException as error:
            reply = web.Response(status=error.status, text=error.text)
        except OSError:
            reply = web.Response(status=503, text=sentence("class.not_kept"))
        reply.headers.update({**HEADERS, "Content-Security-Policy": "default-src 'none'", **reply.headers})
        return reply

    async def _enter(self, request: web.Request) -> web.StreamResponse:
        """The page, which asks for the code where the address has none; a browser that comes with it is let in."""
        given = re.sub(r"[\s-]", "", request.match_info.get("code", "")).upper()
        is_right = hmac.compare_digest(given.encode(errors="replace"), self._code.encode())
        if given and not is_right:
            return web.Response(status=303, headers={"Location": "/"})
        text, policy = _page()
        reply = web.Response(text=text, content_type="text/html", headers={"Content-Security-Policy": policy})
        if given and not self._is_known(request):
            cookie = f"{self._code}{secrets.token_urlsafe(16)}"
            reply.set_cookie(self._cookie, cookie, httponly=True, samesite="Lax", max_age=86400)
        return reply

    def _is_known(self, request: web.Request) -> bool:
        """True for a cookie that came with this class's code, before it was begun again too."""
        cookie = request.cookies.get(self._cookie, "")
        return hmac.compare_digest(cookie[:7].encode(errors="replace"), self._code.encode()) and len(cookie) == 29

    def _joined(self, request: web.Request) -> tuple[Phones, str]:
        """(the class, the cookie of the phone that asks, which is of it)."""
        assert self._phones is not None
        if not self._is_known(request):
            raise web.HTTPUnauthorized(text=sentence("class.cookies"))
        cookie = request.cookies[self._cookie]
        self._phones.join(cookie)
        return self._phones, cookie

    async def _get_state(self, request: web.Request) -> web.StreamResponse:
        phones, cookie = self._joined(request)
        state = phones.state(cookie)
        is_shown = request.query.get("at") == state["at"]
        return web.Response(status=204) if is_shown else web.json_response(state)

    async def _put_answer(self, request: web.Request) -> web.StreamResponse:
        phones, cookie = self._joined(request)
        try:
            async with asyncio.timeout(PATIENCE):
                sent = msgspec.json.decode(await request.read(), type=Sent)
        except (TimeoutError, ValueError, msgspec.DecodeError, RecursionError, web.RequestPayloadError):
            raise web.HTTPBadRequest(text=sentence("page.answer_first")) from None
        phones.answer(cookie, sent.key, sent.answer)
        return web.Response()


# ---- the page


@cache
def _page() -> tuple[str, str]:
    """(the page, its policy: what a browser may do for it is what stands in it, and ask this server)."""
    text = (Path(__file__).parent / "class.html").read_text("utf-8")
    text = text.replace("WORDS", json.dumps({word: sentence(f"class.{word}") for word in WORDS}))
    policy = "default-src 'none'; img-src data:; connect-src 'self'; form-action 'self'; base-uri 'none'"
    for tag in ("style", "script"):
        held = text.partition(f"<{tag}>")[2].partition(f"</{tag}>")[0]
        digest = base64.b64encode(hashlib.sha256(held.encode()).digest()).decode()
        policy += f"; {tag}-src 'sha256-{digest}'"
    return text, f"{policy}; frame-ancestors 'none'"
