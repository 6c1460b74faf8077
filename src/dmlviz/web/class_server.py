"""The server of a class: one static page, the state by server-sent events and polling, answers by PUT.

It runs in a process of its own, has no way to an explorer, starts nothing, and opens no file that a request names.
"""

from __future__ import annotations

import asyncio
import contextlib
import errno
import gzip
import hashlib
import hmac
import json
import logging
import os
import signal
import socket
import sys
import time
from collections.abc import Callable, Mapping
from functools import lru_cache, partial
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from aiohttp import web
from msgspec import Struct

from ..errors import DmlvizError, SessionError, plain
from ..session.class_status import BEAT, status_file
from ..session.experiments import Session
from ..session.presentation_state import StateFile
from ..session.whole_files import write_whole
from . import class_page
from .access import EVERYWHERE, HEADERS, LOOPBACK, Handler, is_ours
from .class_journal import leave_request, open_room
from .class_room import RoomFullError, Student, TooFastError, tidy_code
from .class_session import ACTS, ClassSession, RefusedError
from .connections import Connections, end_when_gone
from .server import free_port, told_in_one_line

TICK, WRITES, PINGS = 0.05, 0.25, 0.5
"""Seconds after which the wall is looked at, counts are written, and phones hear of them, at the earliest."""
LOOKS = 5.0
"""Seconds after which it is looked whether this machine is in another network."""
OTHERS = ("192.0.2.1", "10.42.0.2", "192.168.137.2", "192.168.2.2")
"""Addresses beyond this machine's router, and in the networks of hotspots that lead nowhere else."""
SILENCE = 15.0
"""Seconds after which an event stream says that it is still there."""
MOST_STREAMS = 3
"""Of one cookie; the newest win."""
MOST_BODY = 2048
PATIENCE = 20.0
"""Seconds in which a request's body has to arrive."""
ALONE = 600.0
"""Seconds that a server without its wall waits for another."""
NO_NETWORK = "only this machine reaches 127.0.0.1: no phone can join"
NOTHING = "There is nothing here.\n"
FOREIGN = "dmlviz answers the page that it has served itself.\n"
STATIC = HEADERS | {"Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'; base-uri 'none'"}
KEPT = "private, max-age=86400, immutable"
_page_of = lru_cache(maxsize=4)(class_page.page)


class Hall(Struct, frozen=True, kw_only=True):
    """How a class is held."""

    name: str
    """What the presentation's state file is named after."""
    bind: str = "0.0.0.0"
    """The address that is listened on; all of this machine."""
    port: int | None = None
    """0 for any free one; None for the one of before, else PORT."""
    public_url: str = ""
    saves: str = ""
    """The file to save answers in; "" for none."""
    own_pace: bool = False
    wall: bool = True
    """The class ends with its wall."""


PORT = 8765


class ClassServer:
    """The routes of one class, and what goes on between requests."""

    def __init__(self, hall: Hall, session: Session) -> None:
        """Raises SessionError where no class can be held."""
        self.hall = hall
        self._state = StateFile(hall.name)
        wanted = hall.port
        self._file, self.notice = open_room(self._state.file.with_suffix(".room"), hall.name)
        self.room, self._lan = self._file.room, lan_address()
        try:
            self.port = free_port(hall.bind, wanted if wanted is not None else self._file.head.port or PORT)
            anew = hall.wall and not self._file.head.port  # a new room: where another ended isn't where it begins
            self._file.set_port(self.port)
            self._class = ClassSession(session, self.room, time.time, self._state, own_pace=hall.own_pace, anew=anew)
        except OSError as error:
            self._file.close(forgets=False)
            raise SessionError(f"{plain(str(self._file.path))} can't be written: {error.strerror}.") from None
        except DmlvizError:
            self._file.close(forgets=False)
            raise
        self._status = status_file(self._state)
        self._streams: dict[str, list[asyncio.Event]] = {}
        self._fault = ""
        """What the last request failed by that was this machine's; an answer that is kept ends it."""
        self._told: object = None
        self._pinged: tuple[int, int] = (0, 0)
        self._written = self._beaten = self._sent = 0.0
        self._ends = asyncio.Event()
        self._forgets = self._is_over = False
        """What ends by a fault, or is killed, goes on later."""
        self._alone_since: float | None = None
        self._cookie = f"dmlviz-class-{self.port}"
        self._connections: Connections | None = None
        self.loop = asyncio.get_running_loop()

    # ---- addresses

    @property
    def address(self) -> str:
        """Where phones find it, without a slash at its end."""
        if self.hall.public_url:
            return self.hall.public_url
        host = self._lan if self.hall.bind in EVERYWHERE else self.hall.bind
        return f"http://{f'[{host}]' if ':' in host else host}:{self.port}"

    @property
    def code(self) -> str:
        return self._file.head.code

    @property
    def host_address(self) -> str:
        """The address of the instructor's own phone."""
        return f"{self.address}/host/{self._file.head.secret}"

    def _is_ours(self, request: web.Request) -> bool:
        """True if a request is for this server, and from a page of it if from any."""
        origin, bind = request.headers.get("Origin"), self.hall.bind
        if request.method != "GET" and origin is None:
            return False
        if self.hall.public_url:
            here = request.host == urlsplit(self.hall.public_url).netloc or is_ours(request.host, None, bind)
            return here and origin in (None, self.hall.public_url)
        return is_ours(request.host, origin, bind)

    # ---- requests

    def app(self) -> web.Application:
        """The routes."""
        app = web.Application(middlewares=[self._guarded], client_max_size=MOST_BODY)
        for path, handler in (
            ("/", self._door),
            ("/state", self._get_state),
            ("/events", self._get_events),
            ("/question/{id}", self._get_question),
            ("/shown/{id}", self._get_shown),
            ("/host/{secret}", self._host_page),
            ("/host/{secret}/state", self._host_state),
            ("/{code}", self._enter),
        ):
            app.router.add_get(path, handler, allow_head=False)
        app.router.add_put("/answer", self._put_answer)
        app.router.add_post("/next", self._post_next)
        app.router.add_post("/leave", self._post_leave)
        app.router.add_post("/host/{secret}/{act}", self._host_act)
        return app

    @web.middleware
    async def _guarded(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        """Refuses what is foreign, and says every fault in one line."""
        assert self._connections is not None
        response: web.StreamResponse = web.Response(status=403, text=FOREIGN)
        try:
            with self._connections.answering(request.transport):
                if self._is_ours(request):
                    response = await handler(request)
        except RefusedError as error:
            response = web.json_response({"problem": error.problem}, status=error.status)
        except TooFastError:
            response = self._problem(429, "class.too_fast")
        except RoomFullError:
            response = self._problem(503, "class.full")
        except TimeoutError:
            response = web.Response(status=408, text="The request took too long.\n")
        except ConnectionError:
            raise
        except OSError as error:
            self._fault = f"answers can't be kept: {error.strerror or error}"
            response = self._problem(503, "class.not_kept")
        except web.HTTPException as error:
            response = web.Response(status=error.status, text=NOTHING)
        except Exception as error:
            self._fault = f"a phone's request failed: {type(error).__name__}: {plain(str(error), 200)}"
            logging.getLogger("aiohttp.server").error("%s", self._fault)
            response = self._problem(500, "class.fault")
        if not response.prepared:
            for name, value in STATIC.items():
                response.headers.setdefault(name, value)
            response.headers["Server"] = "dmlviz"
        return response

    def _problem(self, status: int, key: str) -> web.Response:
        return web.json_response({"problem": self._class.say(key)}, status=status)

    def _html(self, request: web.Request, page: tuple[str, str], status: int = 200) -> web.Response:
        text, policy = page
        return _html_of(request, text, status, {"Content-Security-Policy": policy})

    def _page(self, code: str = "") -> tuple[str, str]:
        """The page of a class, or the one that asks for a code."""
        told = self.address.partition("://")[2]
        return _page_of(address=f"{told}/{code}" if code else told, asks=not code)

    async def _door(self, request: web.Request) -> web.StreamResponse:
        return self._html(request, self._page())

    async def _enter(self, request: web.Request) -> web.StreamResponse:
        given = tidy_code(request.match_info["code"])
        if not hmac.compare_digest(given.encode(errors="replace"), self.code.encode()):
            self.room.wrong_code()
            return self._html(request, self._page(), 404)
        response = self._html(request, self._page(self.code))
        if self._id(request) is None:
            is_secure = self.hall.public_url.startswith("https:")
            how: dict[str, Any] = {"httponly": True, "samesite": "Lax", "max_age": 86400, "secure": is_secure}
            response.set_cookie(self._cookie, self.room.new_cookie(), path="/", **how)
        return response

    def _id(self, request: web.Request) -> str | None:
        return self.room.id_of(request.cookies.get(self._cookie, ""))

    def _student(self, request: web.Request) -> Student:
        """Who asks. Raises RefusedError without a cookie of this class, RoomFullError, TooFastError, OSError."""
        self._goes_on()
        id_ = self._id(request)
        if id_ is None:
            raise RefusedError(401, self._class.say("class.no_cookie"))
        return self.room.student(id_)

    def _goes_on(self) -> None:
        """Raises RefusedError once answers are saved: what came later would be lost."""
        if self._is_over:
            raise RefusedError(410, self._class.say("class.over"))

    async def _get_state(self, request: web.Request) -> web.StreamResponse:
        student = self._student(request)
        self._follow()
        body = json.dumps(self._class.state(student, keeps=bool(self.hall.saves))).encode()
        tag = f'"{hashlib.sha256(body).hexdigest()[:20]}"'
        if request.headers.get("If-None-Match") == tag:
            return web.Response(status=304, headers={"ETag": tag})
        return web.Response(body=body, content_type="application/json", headers={"ETag": tag})

    async def _get_events(self, request: web.Request) -> web.StreamResponse:
        student = self._student(request)
        response = web.StreamResponse(headers=STATIC | {"Content-Type": "text/event-stream", "X-Accel-Buffering": "no"})
        wakes = asyncio.Event()
        mine = self._streams.setdefault(student.id, [])
        mine.append(wakes)
        for older in mine[:-MOST_STREAMS]:
            older.set()  # which ends it
        student.streams = len(mine)
        try:
            end_when_gone(request.transport)
            await response.prepare(request)
            await response.write(b"retry: 500\n\n")
            while wakes in mine[-MOST_STREAMS:] and not self._ends.is_set():
                answered, joined = self._class.counts
                rev = self._class.rev_of(self.room.students.get(student.id, student))
                ping = {"rev": rev, "answered": answered, "joined": joined}
                await response.write(f"id: {rev}\ndata: {json.dumps(ping)}\n\n".encode())
                wakes.clear()
                while not wakes.is_set():
                    try:
                        await asyncio.wait_for(wakes.wait(), SILENCE)
                    except TimeoutError:
                        break  # the same once more: a page asks for the state where it hears nothing
            if self._is_over:
                await response.write(b"event: over\ndata: {}\n\n")
        except ConnectionError:
            pass
        finally:
            mine.remove(wakes)
            student.streams, student.seen = len(mine), time.time()
            if not mine:
                self._streams.pop(student.id, None)
        return response

    async def _get_question(self, request: web.Request) -> web.StreamResponse:
        return self._fragment(request, self._class.fragment(self._student(request), request.match_info["id"]))

    async def _get_shown(self, request: web.Request) -> web.StreamResponse:
        student = self._student(request)
        self._follow()
        return self._fragment(request, self._class.shown(student, request.match_info["id"]))

    def _fragment(self, request: web.Request, fragment: str | None) -> web.Response:
        if fragment is None:
            raise web.HTTPNotFound
        return _html_of(request, fragment, 200, {"Cache-Control": KEPT})

    async def _put_answer(self, request: web.Request) -> web.StreamResponse:
        student, body = self._student(request), await self._body(request)
        given = self._class.put(student, body.get("question"), body.get("vote"), body.get("answer"))
        self._fault = ""
        if self.hall.own_pace:
            self._wake(student)
        return web.json_response({"kept": given.text, "words": given.words})

    async def _post_next(self, request: web.Request) -> web.StreamResponse:
        student, body = self._student(request), await self._body(request)
        self._class.go_on(student, body.get("question"))
        self._wake(student)
        return web.json_response({})

    async def _post_leave(self, request: web.Request) -> web.StreamResponse:
        id_ = self._id(request)
        if id_ is not None and id_ in self.room.students:
            self._class.leave(self.room.students[id_])
        response = web.json_response({})
        response.del_cookie(self._cookie, path="/")
        return response

    async def _body(self, request: web.Request) -> dict[str, Any]:
        """The JSON object of a request. Raises RefusedError, TimeoutError."""
        try:
            async with asyncio.timeout(PATIENCE):
                body = json.loads(await request.read())
        except (ValueError, RecursionError, web.RequestPayloadError):
            body = None
        except web.HTTPRequestEntityTooLarge:
            raise RefusedError(
                413, f"the body has more than {MOST_BODY:,} bytes, expected what the page sends."
            ) from None
        self._goes_on()
        if not isinstance(body, dict):
            raise RefusedError(422, "the body is no JSON object, expected what the page sends.")
        return body

    # ---- the instructor's own phone

    def _check_host(self, request: web.Request) -> None:
        """Raises HTTPNotFound for who hasn't the secret, TooFastError."""
        given = request.match_info["secret"].encode(errors="replace")
        if not hmac.compare_digest(given, self._file.head.secret.encode()):
            self.room.wrong_code()
            raise web.HTTPNotFound

    async def _host_page(self, request: web.Request) -> web.StreamResponse:
        self._check_host(request)
        return self._html(request, class_page.host_page())

    async def _host_state(self, request: web.Request) -> web.StreamResponse:
        self._check_host(request)
        self._follow()
        return web.json_response(self._class.host_state())

    async def _host_act(self, request: web.Request) -> web.StreamResponse:
        self._check_host(request)
        act, rev = request.match_info["act"], self._class.rev
        if act not in ACTS:
            raise web.HTTPNotFound
        self._class.act(act)
        if self._class.rev != rev:
            self._wake()
        return web.json_response({})

    # ---- between requests

    def _follow(self) -> None:
        if self._class.follow():
            self._wake()

    def _wake(self, student: Student | None = None) -> None:
        """Has the phones of a student, or of all, hear that there is something new."""
        for id_, streams in self._streams.items():
            for wakes in streams if student is None or id_ == student.id else ():
                wakes.set()

    def _tick(self) -> None:
        """What the time has come for."""
        now = time.monotonic()
        self._follow()
        if now - self._written >= WRITES:
            self._written = now
            self._class.write_counts()
            self._write_status(now)
        counts = self._class.counts
        if counts != self._pinged and now - self._sent >= PINGS:
            self._pinged, self._sent = counts, now
            self._wake()
        if self._alone_since is not None and (
            now - self._alone_since > ALONE or leave_request(self._file.path).exists()
        ):
            self.end(forgets=False)

    def _write_status(self, now: float, *, beats: bool = False) -> None:
        status = self._class.status(
            code=self.code,
            address=self.address,
            host=self.host_address,
            keeps=plain(os.path.basename(self.hall.saves), 40),
            trouble=self._fault or (NO_NETWORK if urlsplit(self.address).hostname in LOOPBACK else ""),
            wall=self.hall.wall,
        )
        told = (*(getattr(status, name) for name in status.__struct_fields__[:-1]),)
        if beats or told != self._told or now - self._beaten >= BEAT:
            self._told, self._beaten = told, now
            with contextlib.suppress(SessionError):  # the wall says that the server is gone
                self._status.write(status)

    def lose_wall(self) -> None:
        """Goes on without its wall, until another asks it to leave."""
        self._alone_since, self._class.away = time.monotonic(), True
        self._class.rev += 1
        self._wake()

    async def _look_around(self) -> None:
        """Notes when this machine is in another network; names are looked up meanwhile, which takes its time."""
        while True:
            await asyncio.sleep(LOOKS)
            self._lan = await asyncio.to_thread(lan_address)

    def end(self, *, forgets: bool = True) -> None:
        """Ends the class; it is forgotten, unless it is to go on later."""
        self._forgets = forgets
        self._ends.set()

    async def run(self, ready: Callable[[], None]) -> None:
        """Serves until it is ended. `ready` is called once it can be reached. Raises SessionError."""
        logging.getLogger("aiohttp.server").addFilter(told_in_one_line)
        runner = web.AppRunner(self.app(), access_log=None, keepalive_timeout=15.0, shutdown_timeout=1.0)
        await runner.setup()
        assert runner.server is not None
        connections = self._connections = Connections(runner.server)
        try:
            await web.TCPSite(runner, self.hall.bind, self.port, backlog=512).start()
        except OSError as error:
            self._file.close(forgets=False)
            raise SessionError(f"--port is {self.port}, and {error.strerror}; expected a free one.") from None
        looks = asyncio.create_task(self._look_around())
        try:
            self._write_status(time.monotonic(), beats=True)
            ready()
            while not self._ends.is_set():
                try:
                    self._tick()
                except OSError as error:
                    self._fault = f"answers can't be kept: {error.strerror or error}"
                connections.close_slow()
                with contextlib.suppress(TimeoutError):
                    await asyncio.wait_for(self._ends.wait(), TICK)
            self._class.write_counts()
        finally:
            looks.cancel()
            problem = self._save() if self._forgets else ""
            if self._forgets:
                self._status.remove()
            self._is_over = self._forgets and not problem
            self._wake()
            if self._is_over:
                self._class.begin_anew()
            self._file.close(forgets=self._is_over)
            await runner.cleanup()
            if problem:
                raise SessionError(problem)

    def _save(self) -> str:
        """Writes what is to be kept, where that is wanted; a sentence where it can't be, else ""."""
        if not self.hall.saves:
            return ""
        text = "".join(f"{hand_in.line}\n" for hand_in in self._class.hand_ins())
        try:
            if text and os.path.exists(self.hall.saves):
                raise FileExistsError(errno.EEXIST, "something stands there by now")
            if text:
                write_whole(Path(self.hall.saves), text.encode())
        except OSError as error:
            return (
                f"--save is {plain(self.hall.saves)}, which can't be written: {error.strerror or error}; "
                "the class is kept, and `dmlviz class` with the same FILE goes on with it."
            )
        return ""


@lru_cache(64)
def _packed(text: str) -> bytes:
    """A text as gzip has it: packed anew for each of 200 phones that join at once it took 70 MB."""
    return gzip.compress(text.encode())


def _html_of(request: web.Request, text: str, status: int, headers: Mapping[str, str]) -> web.Response:
    """A text as an answer, packed where the browser takes that."""
    packs = "gzip" in request.headers.get("Accept-Encoding", "")
    more = {"Content-Encoding": "gzip"} if packs else {}
    body = _packed(text) if packs else text.encode()
    told = {**headers, **more, "Vary": "Accept-Encoding"}
    return web.Response(body=body, content_type="text/html", charset="utf-8", status=status, headers=told)


def lan_address() -> str:
    """This machine's address as others in its network see it; 127.0.0.1 where it is in none."""
    for other in OTHERS:
        with contextlib.suppress(OSError), socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
            probe.connect((other, 9))  # which sends nothing
            return str(probe.getsockname()[0])
    with contextlib.suppress(OSError):
        found = sorted(str(info[4][0]) for info in socket.getaddrinfo(socket.gethostname(), None, socket.AF_INET))
        return next((address for address in found if not address.startswith("127.")), "127.0.0.1")
    return "127.0.0.1"


def serve_class(hall: Hall, session: Session, ready: Callable[[ClassServer], None]) -> None:
    """Holds a class until ctrl+c or SIGTERM; with a wall, these forget nothing. Raises SessionError where it can't."""
    _allow_connections()

    async def held() -> None:
        server = ClassServer(hall, session)
        for name in (signal.SIGINT, signal.SIGTERM):
            with contextlib.suppress(NotImplementedError):
                server.loop.add_signal_handler(name, partial(server.end, forgets=not hall.wall))
        await server.run(lambda: ready(server))

    asyncio.run(held())


def _allow_connections() -> None:
    """Allows as many open connections as a full room needs, where the system lets it."""
    if sys.platform != "win32":
        import resource

        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        if 0 <= soft < 4096:  # less than 0 is no limit
            with contextlib.suppress(OSError, ValueError):
                resource.setrlimit(resource.RLIMIT_NOFILE, (min(4096, hard) if hard >= 0 else 4096, hard))
