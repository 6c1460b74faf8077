"""A class on phones: `dmlviz class` as a process, one who presents, and phones that do what the page does."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import random
import signal
import socket
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Any
from weakref import WeakSet

import aiohttp

import dmlviz as dml
from dmlviz.recording.tasks import FORMS, key_of
from dmlviz.session import examples
from dmlviz.session.class_status import ClassStatus, StatusFile
from dmlviz.session.experiments import Session
from dmlviz.session.presentation_state import StateFile
from dmlviz.session.reading import load
from dmlviz.web.server import free_port
from dmlviz.workspace.shown.picture import Room
from dmlviz.workspace.wall.presented_item import Item
from dmlviz.workspace.wall.presenting import Presenting

NETWORK = (aiohttp.ClientError, OSError, TimeoutError, ValueError)
"""What a broken connection raises; the last where half a text came."""
LESSON = (
    "gather-2",
    "join-2-axis-2",
    "gather-elements-1",
    "tile-1",
    "slice-1",
    "reverse-1",
    "split-2",
    "join-2-axis-3",
)
"""Examples of which each asks otherwise: by letters, by marked cells, and not on phones at all."""
UNASKED = ("fixes", "level", "blank", "parsons")
"""Kinds for which one looks at the wall."""
POLL, SILENT = 3.0, 20.0
"""Seconds between two looks of a phone without events, and after which one that hears nothing looks."""


def write_lesson(file: Path, names: Sequence[str] = LESSON) -> Path:
    """A session of the first experiment of some examples, in a file."""
    dml.save(Session(tuple(examples.example(name).session().experiments[0] for name in names)), file)
    return file


def answers_by_rule(item: Item, rule: str, *, letters: bool = True) -> str | None:
    """What a phone sends for who believes a wrong rule, "" for none; None where that has no answer of its own."""
    question = item.question
    if question is None or question.kind.name in UNASKED or (rule and rule not in question.answers):
        return None
    answer = question.answers[rule] if rule else question.truth
    if letters and item.answers:
        return next((each.id for each in item.answers if each.given == answer), None)
    return key_of(question, answer) if question.kind.name in FORMS else None


def known_answers(item: Item, *, letters: bool = True) -> list[str]:
    """The right answer to what is asked, and those of wrong rules; [] for what isn't asked on phones."""
    rules = ("", *(item.question.answers if item.question is not None else ()))
    found = (answers_by_rule(item, rule, letters=letters) for rule in rules)
    return list(dict.fromkeys(each for each in found if each is not None))


class Class:
    """`dmlviz class FILE` as a process with a home of its own, and the presentation that it is held with."""

    def __init__(self, file: Path, home: Path, *words: str) -> None:
        self.file, self.home, self.said = file, home, home / "said.txt"
        port = free_port("0.0.0.0", 0)  # whoever begins it again has the same one
        self.line = [sys.executable, "-P", "-m", "dmlviz", "class", str(file), "--port", str(port), *words]
        folders = {name: str(home / name.lower()) for name in ("XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME")}
        self.environment = {**os.environ, "HOME": str(home), **folders}
        where = home / "xdg_state_home" / "dmlviz" / "presenting"
        self.presenting = Presenting(load(file), time.time, kept=StateFile(os.path.abspath(file), where))
        self.presenting.fit(Room(100, 24))
        self._status = StatusFile(StateFile(os.path.abspath(file), where))
        self.process: subprocess.Popen[bytes] | None = None

    def start(self, seconds: float = 30) -> ClassStatus:
        """Starts the process and waits until it is there."""
        began, ends = time.time(), time.monotonic() + seconds
        with self.said.open("ab") as said:
            self.process = subprocess.Popen(
                [*self.line, "--no-wall"], stdout=said, stderr=said, cwd=self.home, env=self.environment
            )
        while time.monotonic() < ends and self.process.poll() is None:
            status = self.status
            if status is not None and status.beat >= began:
                return status
            time.sleep(0.02)
        raise AssertionError(f"the class doesn't begin: {self.said.read_text()}")

    @property
    def status(self) -> ClassStatus | None:
        return self._status.read()

    @property
    def pid(self) -> int:
        """The process of the server itself."""
        assert self.process is not None
        return self.process.pid

    def stop(self) -> str:
        """Ends the process as ctrl+c does; all that it has said."""
        assert self.process is not None
        self.process.send_signal(signal.SIGINT)
        assert self.process.wait(30) == 0, self.said.read_text()
        return self.said.read_text()

    def kill(self) -> None:
        if self.process is not None:
            self.process.kill()
            self.process.wait()

    def cost(self) -> tuple[float, float]:
        """(seconds of a processor that it has had, MB of memory that it had at most), as Linux has them."""
        assert self.process is not None
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        peak = Path(f"/proc/{self.process.pid}/status").read_text().partition("VmHWM:")[2].split()[0]
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK"), int(peak) / 1024


Asked = tuple[str, int]
"""A question's id, and which vote."""


class Phone:
    """One student's phone, as the page behaves: it looks when it is told to, and sends an answer until it is taken."""

    def __init__(self, address: str, code: str, chance: random.Random, *, unlucky: float = 0.0) -> None:
        """Of its requests a share `unlucky` is cut off in the middle."""
        self.address, self.code, self.chance, self.unlucky = address, code, chance, unlucky
        self.state: dict[str, Any] = {}
        self.connected = False
        self.looked = 0.0
        """When it had the present state from the server last."""
        self.woke = 0.0
        self.seen: dict[tuple[int, int], tuple[float, float]] = {}
        """When it showed a question, and when it woke last before that, by number and vote."""
        self.took: list[float] = []
        """Seconds in which answers were taken, from the press on."""
        self.sent: dict[Asked, str] = {}
        """Answers that it shows as sent."""
        self.pressed: dict[Asked, list[str]] = {}
        """What the server may have of it: what was taken last, and what was sent since."""
        self.closed: dict[Asked, str | None] = {}
        """What the server had of it once no more was taken."""
        self.numbers: dict[str, int] = {}
        self.faults: list[str] = []
        self._awake, self._looks = asyncio.Event(), asyncio.Event()
        self._awake.set()
        self._etag = ""
        self._resending: set[asyncio.Task[Any]] = set()
        self._sockets: WeakSet[socket.socket] = WeakSet()
        connector = aiohttp.TCPConnector(limit=6, socket_factory=self._socket)
        self.http = aiohttp.ClientSession(
            address, connector=connector, cookie_jar=aiohttp.CookieJar(unsafe=True), timeout=aiohttp.ClientTimeout(10)
        )

    def _socket(self, info: Any) -> socket.socket:
        made = socket.socket(*info[:3])
        made.setblocking(False)
        self._sockets.add(made)
        return made

    # ---- what may happen to it

    def cut(self) -> None:
        """Its connections break, in the middle of whatever they are at."""
        for each in list(self._sockets):
            with contextlib.suppress(OSError):
                each.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\x01\0\0\0\0\0\0\0")
                each.shutdown(socket.SHUT_RDWR)

    async def sleep(self, seconds: float) -> None:
        """It is in somebody's pocket."""
        self._awake.clear()
        self.cut()
        try:
            await asyncio.sleep(seconds)
        finally:
            self.woke = time.monotonic()
            self._awake.set()
            self._looks.set()

    # ---- what it does by itself

    @contextlib.asynccontextmanager
    async def on(self) -> AsyncIterator[Phone]:
        """While the context lasts it is switched on; it has joined."""
        async with self.http:
            await self.join()
            tasks = [asyncio.create_task(each) for each in (self._listen(), self._look_again())]
            try:
                yield self
            finally:
                for task in (*tasks, *self._resending):
                    task.cancel()
                await asyncio.gather(*tasks, *self._resending, return_exceptions=True)

    async def _asked(self, method: str, path: str, **how: Any) -> tuple[int, str, str]:
        """(status, text, ETag) of an answer. Raises one of NETWORK."""
        await self._awake.wait()
        if self.chance.random() < self.unlucky:
            asyncio.get_running_loop().call_later(self.chance.random() * 0.02, self.cut)
        async with self.http.request(method, path, **how) as answer:
            return answer.status, await answer.text(), answer.headers.get("ETag", "")

    async def join(self) -> None:
        """Opens the page until it is there."""
        while True:
            with contextlib.suppress(*NETWORK):
                status, text, _ = await self._asked("GET", f"/{self.code}")
                if status == 200:
                    await self.look()
                    if self.state:
                        return
                elif status not in (429, 503):
                    raise AssertionError(f"the page is answered by {status} {text[:200]}")
            await asyncio.sleep(0.1 + self.chance.random() * 0.4)

    async def look(self) -> None:
        """Fetches the state, and the question that is in it. Raises one of NETWORK."""
        began = time.monotonic()
        status, text, etag = await self._asked(
            "GET", "/state", headers={"If-None-Match": self._etag} if self._etag else {}
        )
        if status == 304:
            self.looked = began
            return
        if status != 200:
            if status not in (429, 503):
                self.faults.append(f"/state is answered by {status} {text}")
            raise ValueError(text)
        state = json.loads(text)
        question = state["question"]
        if question is not None and question["id"] not in self.numbers:
            status, text, _ = await self._asked("GET", f"/question/{question['id']}")
            if status != 200:
                raise ValueError(text)  # it is another meanwhile
            self.numbers[question["id"]] = question["number"]
        self._etag, self.state, self.looked = etag, state, began
        if question is None:
            return
        asked = question["id"], state["vote"]
        self.seen.setdefault((question["number"], state["vote"]), (time.monotonic(), self.woke))
        if not state["open"]:
            self.closed.setdefault(asked, state["mine"])
        elif state["mine"] is None and asked in self.sent and not self._resending:  # a server that has forgotten it
            task = asyncio.create_task(self.give(self.sent[asked]))
            self._resending.add(task)
            task.add_done_callback(self._resending.discard)

    async def _look_again(self) -> None:
        while True:
            patience = SILENT if self.connected else POLL * (0.75 + self.chance.random() / 2)
            with contextlib.suppress(TimeoutError):  # wait_for of Python 3.11 may swallow that it is cancelled
                async with asyncio.timeout(patience):
                    await self._looks.wait()
            self._looks.clear()
            try:
                await self.look()
            except NETWORK:
                await asyncio.sleep(0.2 + self.chance.random() * 0.5)
                self._looks.set()

    async def _listen(self) -> None:
        retry = 3.0
        while True:
            await self._awake.wait()
            try:
                async with self.http.get("/events", timeout=aiohttp.ClientTimeout(sock_read=40)) as events:
                    self.connected = events.status == 200
                    self._looks.set()
                    async for line in events.content:
                        if line.startswith(b"retry:"):
                            retry = int(line[6:]) / 1000
                        if line.startswith(b"data:") and json.loads(line[5:])["rev"] != self.state.get("rev"):
                            self._looks.set()
            except NETWORK:
                pass
            self.connected = False
            self._looks.set()
            await asyncio.sleep(retry)

    # ---- what its owner does

    @property
    def asked(self) -> Asked | None:
        """What it asks now; None where it takes no answer."""
        question = self.state.get("question")
        return (question["id"], self.state["vote"]) if question is not None and self.state["open"] else None

    @property
    def place(self) -> tuple[int, int] | None:
        """The number of the question that it asks now, and the vote."""
        return (self.numbers[self.asked[0]], self.asked[1]) if self.asked is not None else None

    async def give(self, text: str) -> bool:
        """Sends an answer to what it asks until it is taken; False once that is too late."""
        asked = self.asked
        if asked is None:
            return False
        began = time.monotonic()
        self.pressed.setdefault(asked, []).append(text)
        body = {"question": asked[0], "vote": asked[1], "answer": text}
        wait = 0.2
        while True:
            with contextlib.suppress(*NETWORK):
                status, said, _ = await self._asked("PUT", "/answer", json=body, headers={"Origin": self.address})
                if status == 200:
                    if json.loads(said)["kept"] != text:
                        self.faults.append(f"{text!r} is kept as {said}")
                    self.sent[asked], self.pressed[asked] = text, [text]
                    self.took.append(time.monotonic() - began)
                    return True
                if status == 409:
                    self._looks.set()
                    return False
                if status not in (429, 503):
                    self.faults.append(f"{body} is answered by {status} {said}")
                    return False
            await asyncio.sleep(wait * (0.75 + self.chance.random() / 2))
            wait = min(2 * wait, 3.0)

    def told_wrong(self) -> list[str]:
        """What contradicts what it shows as sent."""
        lost = [
            f"{asked} was sent as {text!r}, and the server had {self.closed[asked]!r}"
            for asked, text in self.sent.items()
            if asked in self.closed and self.closed[asked] not in self.pressed[asked]
        ]
        return [*self.faults, *lost]


async def until(holds: Any, what: str, seconds: float = 30) -> float:
    """Waits until something holds; the seconds that it took."""
    began = time.monotonic()
    while not holds():
        if time.monotonic() - began > seconds:
            raise AssertionError(f"still waiting for {what}")
        await asyncio.sleep(0.01)
    return time.monotonic() - began
