"""A class's server: who is let in, what is bounded, and what goes on where a class is begun again."""

from __future__ import annotations

import asyncio
import contextlib
import gzip
import socket
import time
import zlib
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import aiohttp
import pytest
from support.commands import call
from support.driver import Driver, explore
from support.presentations import CLASSROOM

from dmlviz.errors import SessionError
from dmlviz.screens.present.wall import WallPage
from dmlviz.session.presentation_state import Build, StateFile
from dmlviz.session.reading import load
from dmlviz.teaching.progress.hand_ins import read_hand_ins
from dmlviz.teaching.words.catalogue import sentence
from dmlviz.web import class_server
from dmlviz.web.class_server import MOST_BODY, Hall
from dmlviz.workspace.wall.wall_desk import WallDesk

LESSON = load(CLASSROOM)


@pytest.fixture(autouse=True)
def _own_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setattr(class_server, "TICK", 0.02)


def hall_of(port: int | None = 0, **more: Any) -> Hall:
    return Hall(LESSON, "/a/lesson.json", "127.0.0.1", port, **more)


class Phone:
    """A browser that has opened the page of a class."""

    def __init__(self, client: aiohttp.ClientSession, url: str) -> None:
        self.client, self.url = client, url

    async def get(self, path: str, **headers: str) -> tuple[int, Any]:
        """(status, JSON or text) that are answered."""
        async with self.client.get(self.url + path, headers=headers) as found:
            is_json = found.content_type == "application/json"
            return found.status, await (found.json() if is_json else found.text())

    async def state(self) -> Any:
        """What a phone is sent after the next tick."""
        await asyncio.sleep(0.1)
        return (await self.get("/state"))[1]

    async def give(self, answer: str, key: object = None, **more: Any) -> tuple[int, str]:
        body = {"key": key or (await self.state())["key"], "answer": answer}
        return await self.put(**{"json": body, **more})

    async def put(self, **more: Any) -> tuple[int, str]:
        async with self.client.put(f"{self.url}/answer", **{"headers": {"Origin": self.url}, **more}) as found:
            return found.status, await found.text()


@contextlib.asynccontextmanager
async def held(hall: Hall, *, opens: bool = True) -> AsyncIterator[tuple[WallDesk, str]]:
    """(the wall, the server's address) of a class that is held; with `opens` its first question is open."""
    wall = WallDesk(LESSON, time.time, kept=StateFile("/a/lesson.json"))
    task = asyncio.create_task(hall.attend(wall))
    while wall.live is None:
        await asyncio.sleep(0.01)
    if opens and wall.shared.joining:
        wall.forward()
    try:
        yield wall, wall.live.address
    finally:
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task


@contextlib.asynccontextmanager
async def joined(wall: WallDesk, cookies: aiohttp.CookieJar | None = None) -> AsyncIterator[Phone]:
    """A phone that has opened the class's page."""
    assert wall.live is not None
    cookies = cookies if cookies is not None else aiohttp.CookieJar(unsafe=True)
    async with aiohttp.ClientSession(cookie_jar=cookies) as client:
        phone = Phone(client, wall.live.address)
        assert (await phone.get(f"/{wall.live.code}"))[0] == 200
        yield phone


async def until(is_so: Any) -> None:
    async with asyncio.timeout(20):
        while not is_so():
            await asyncio.sleep(0.02)


async def test_a_phone_answers_and_hears_and_the_wall_counts(tmp_path: Path) -> None:
    saved = tmp_path / "answers.jsonl"
    async with held(hall_of(saves=str(saved)), opens=False) as (wall, _), joined(wall) as phone, joined(wall) as other:
        assert (await phone.state())["told"] == sentence("class.waiting")
        assert (await phone.give("a"))[0] == 409, "nothing is open while the code is shown"
        wall.forward()
        state = await phone.state()
        assert state["open"]
        assert (await phone.get(f"/state?at={state['at']}"))[0] == 204
        assert (await phone.give("b"), await other.give("b"), await other.give("c")) == ((200, ""),) * 3
        await until(lambda: wall.votes()[0] == (0, 1, 1, 0))
        assert wall.live is not None
        assert (wall.live.answered, wall.live.keeps) == (2, "answers.jsonl")
        wall.reveal()
        assert (await phone.state())["verdict"] == "wrong"
        assert len(read_hand_ins(saved)) == 3, "each answer, as it comes"
    assert wall.live is None
    assert "1 of 2" not in call("progress", "--merge", str(saved)).out
    assert call("progress", "--merge", str(saved)).code == 0


async def test_the_same_file_keeps_code_and_port_and_phones_go_on(tmp_path: Path) -> None:
    saved, cookies = str(tmp_path / "answers.jsonl"), aiohttp.CookieJar(unsafe=True)
    async with held(hall_of(saves=saved)) as (wall, url), joined(wall, cookies) as phone:
        await phone.give("b")
        await until(lambda: wall.votes()[0] == (0, 1, 0, 0))
        assert wall.live is not None
        code = wall.live.code
    async with held(hall_of(None, saves=saved)) as (wall, again):
        assert wall.live is not None
        assert (again, wall.live.code) == (url, code)
        assert wall.votes()[0] == (0, 1, 0, 0)
        async with aiohttp.ClientSession(cookie_jar=cookies) as client:
            phone = Phone(client, url)
            assert (await phone.state())["mine"] is None
            await phone.give("c")
    assert len({each.name for each in read_hand_ins(Path(saved))}) == 1, "the same student"


async def test_where_a_presentation_stood_no_class_begins() -> None:
    presented = WallDesk(LESSON, time.time, kept=StateFile("/a/lesson.json"))
    presented.reveal()
    presented.count_room(0, 0, (1, 2, 3, 4))
    async with held(hall_of(), opens=False) as (wall, _):
        assert (wall.shared.experiment, wall.shared.build, wall.votes()[0]) == (0, Build.QUESTION, (None,) * 4)
        wall.reveal()
    async with held(hall_of(), opens=False) as (wall, _):
        assert wall.shared.build is Build.REVEAL, "a class goes on where it was"


async def test_the_code_is_asked_for() -> None:
    async with (
        held(hall_of()) as (wall, url),
        aiohttp.ClientSession(cookie_jar=aiohttp.CookieJar(unsafe=True)) as client,
    ):
        phone = Phone(client, url)
        assert wall.live is not None
        code = wall.live.code
        for path, status in (("/", 200), ("/0000000", 200), ("/%ff", 200), ("/a/b", 404)):
            assert (await phone.get(path))[0] == status
            assert not [*client.cookie_jar], "no wrong code lets anybody in"
        status, page = await phone.get(f"/{code[:3].lower()}-{code[3:]}")
        assert (status, "/answer" in page, len(client.cookie_jar)) == (200, True, 1)


@pytest.mark.parametrize("method", ["GET", "PUT"])
async def test_only_the_page_that_was_served_is_answered(method: str) -> None:
    async with held(hall_of()) as (wall, url), joined(wall) as phone:

        async def asked(**headers: str) -> int:
            path = "/state" if method == "GET" else "/answer"
            how: dict[str, Any] = {} if method == "GET" else {"json": {"key": [1.5, 0, 0], "answer": "a"}}
            async with phone.client.request(method, url + path, headers=headers, **how) as found:
                assert found.headers["Server"] == "dmlviz"
                assert "default-src 'none'" in found.headers["Content-Security-Policy"]
                return found.status

        assert await asked(Origin=url) == (200 if method == "GET" else 409)
        assert await asked() == (200 if method == "GET" else 403), "a browser says where a PUT comes from"
        for origin in ("http://evil.example", "null", "http://127.0.0.1:1", f"{url}.evil.example"):
            assert await asked(Origin=origin) == 403
        for host in ("evil.example", "evil.example:80", "192.168.1.5"):
            assert await asked(Host=host, Origin=f"http://{host}") == 403
        phone.client.cookie_jar.clear()
        for cookie in ("", "x", "0" * 29, "é", f"{'A' * 7}{'b' * 22}"):
            assert await asked(Origin=url, Cookie=f"{class_server_cookie(url)}={cookie}") == 401


def class_server_cookie(url: str) -> str:
    return f"dmlviz-class-{url.rpartition(':')[2]}"


async def test_junk_large_and_compressed_bodies_are_refused_and_stall_nobody() -> None:
    bomb = gzip.compress(b'{"key": [1.5, 0, 0], "answer": "' + b"a" * 100_000_000 + b'"}', 1)
    async with held(hall_of()) as (wall, url), joined(wall) as phone:
        began = time.monotonic()
        for coding, data in (("gzip", bomb), ("deflate", zlib.compress(b"{}")), ("br", b"x"), ("identity", b"{}")):
            status, _ = await phone.put(data=data[:90_000], headers={"Origin": url, "Content-Encoding": coding})
            assert status == 413
        assert (await phone.put(data=b"x" * (MOST_BODY + 1)))[0] == 413

        async def chunks() -> AsyncIterator[bytes]:
            for _ in range(100):
                yield b"x" * 1000

        with contextlib.suppress(aiohttp.ClientError):  # what is sent on is not read
            assert (await phone.put(data=chunks()))[0] == 413
        tree = b'{"key": [1.5, 0, 0], "answer": "a"}'
        worse = (
            b"",
            tree[:-1],
            b"null",
            b"[" * 2000,
            b"\xff\xfe",
            tree.replace(b'"a"', b"1"),
            tree.replace(b"1.5", b'"a"'),
        )
        for data in worse:
            assert (await phone.put(data=data))[0] == 400
        assert (await phone.give("e"))[0] == 422
        for key in ([0, 1, 0], [0, 0, 1], [0, -1, 0], [10**400, 0, 0]):
            assert (await phone.give("a", key=key))[0] in (400, 409)
        assert (await phone.give("a"))[0] == 200
        assert time.monotonic() - began < 5


async def test_whoever_is_slow_is_ended_and_many_connections_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(class_server, "IDLE", 0.5)
    monkeypatch.setattr(class_server, "PATIENCE", 0.3)
    monkeypatch.setattr(class_server, "MOST_CONNECTIONS", 20)
    async with held(hall_of()) as (wall, url), joined(wall) as phone:
        port = int(url.rpartition(":")[2])
        await phone.state()
        slow = [await asyncio.open_connection("127.0.0.1", port) for _ in range(30)]
        for _, writer in slow[:10]:
            writer.write(b"GET /state HTTP/1.1\r\nHost: ")
        async with asyncio.timeout(10):
            for reader, writer in slow:
                await reader.read()
                writer.close()
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        cookie = next(iter(phone.client.cookie_jar)).value
        head = f"PUT /answer HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nOrigin: {url}\r\nContent-Length: 100\r\n"
        writer.write(f"{head}Cookie: {class_server_cookie(url)}={cookie}\r\n\r\n".encode())
        async with asyncio.timeout(10):
            assert b" 400 " in await reader.readline()
        writer.close()
        assert (await phone.give("a"))[0] == 200


async def test_an_answer_that_cannot_be_kept_is_refused(tmp_path: Path) -> None:
    saved = tmp_path / "answers.jsonl"
    async with held(hall_of(saves=str(saved))) as (wall, _), joined(wall) as phone:
        saved.unlink()
        saved.mkdir()
        assert await phone.give("a") == (503, "The class's machine can't keep answers now.")
        assert (await phone.state())["mine"] is None
        saved.rmdir()
        assert (await phone.give("a"))[0] == 200


def test_what_is_wrong_is_said_before_there_is_a_wall(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("notes.txt").write_text("mine")
    wrong = [
        (["--save", "none/a"], "--save is {folder}/none/a, which can't be written: No such file or directory."),
        (["--save", "notes.txt"], "--save is {folder}/notes.txt, which is no class's, expected another name."),
        (["--host", "no.such.host.invalid"], "--host is no.such.host.invalid, expected a name or an address of"),
        (
            ["--port", "{taken}"],
            "--port is {taken} on 0.0.0.0, which can't be had: Address already in use; expected a free one",
        ),
        (["--pace", "own"], "`--pace` was taken out; `dmlviz record` makes a page for one's own pace."),
    ]
    with socket.socket() as taken:
        taken.bind(("0.0.0.0", 0))
        taken.listen()
        names = {"folder": tmp_path, "taken": taken.getsockname()[1]}
        for words, said in wrong:
            found = call("class", str(CLASSROOM), *(word.format(**names) for word in words))
            assert (found.code, found.said[0][: len(said.format(**names))]) == (2, said.format(**names))
    assert Path("notes.txt").read_text() == "mine"


def test_a_session_that_asks_nothing_is_refused() -> None:
    from dataclasses import replace

    level = replace(LESSON, experiments=LESSON.experiments[3:4])
    with pytest.raises(SessionError, match="asks nothing that a phone can answer"):
        Hall(level, "/a/b", "127.0.0.1", 0)


def test_the_wall_holds_the_class_in_its_own_loop() -> None:
    hall = hall_of()

    async def script(driver: Driver) -> None:
        wall = WallDesk(LESSON, time.time, kept=StateFile("/a/lesson.json"))
        driver.app.push_screen(WallPage(wall, attend=hall.attend))
        await driver.until(lambda: wall.state.at.joining)
        async with joined(wall) as phone:
            assert not (await phone.state())["open"]
            await driver.press("pagedown")
            await driver.until(lambda: isinstance(driver.app.screen, WallPage))
            assert (await phone.give("b"))[0] == 200
            await driver.until(lambda: "1/1" in driver.text("#wall-footer"))
            await driver.press("r")
            assert (await phone.state())["verdict"] == "wrong"
            await driver.press("v")
            assert (await phone.give("a"))[0] == 200
            await driver.press("q", "q")
            await driver.until(lambda: not isinstance(driver.app.screen, WallPage))
            await driver.until(lambda: wall.live is None)
            with pytest.raises(aiohttp.ClientConnectionError):
                await phone.state()
        assert not wall.shared.hands

    explore(script, LESSON, (100, 30))
