"""A class's server, as a network reaches it: who is let in, what is refused in a line, and what nobody gets."""

from __future__ import annotations

import asyncio
import contextlib
import json
import socket
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import aiohttp
import pytest
from support.presentations import CLASSROOM

import dmlviz as dml
from dmlviz.errors import SessionError
from dmlviz.session.class_status import status_file
from dmlviz.session.presentation_state import StateFile
from dmlviz.web import access, class_server, connections
from dmlviz.web.class_room import MOST_STUDENTS, MOST_WRONG_CODES
from dmlviz.web.class_server import ClassServer, Hall
from dmlviz.workspace.wall.presenting import Presenting

pytestmark = pytest.mark.integration


class Phone:
    """A browser: its cookies, and what it sends with everything."""

    def __init__(self, server: ClassServer, session: aiohttp.ClientSession) -> None:
        self.server, self._session = server, session
        self.url = f"http://127.0.0.1:{server.port}"

    async def ask(self, method: str, path: str, **how: Any) -> tuple[int, str]:
        headers = {"Origin": self.url} | how.pop("headers", {})
        async with self._session.request(method, self.url + path, headers=headers, **how) as response:
            return response.status, await response.text()

    async def joins(self) -> Any:
        assert (await self.ask("GET", f"/{self.server.code}"))[0] == 200
        return await self.state()

    async def state(self) -> Any:
        status, text = await self.ask("GET", "/state")
        assert status == 200, text
        return json.loads(text)

    async def answers(self, text: str, **other: Any) -> tuple[int, str]:
        shown = (await self.state())["question"]
        body = {"question": shown["id"], "vote": 0, "answer": text} | other
        return await self.ask("PUT", "/answer", json=body)


@contextlib.asynccontextmanager
async def phone_of(server: ClassServer) -> AsyncIterator[Phone]:
    async with aiohttp.ClientSession(cookie_jar=aiohttp.CookieJar(unsafe=True)) as session:
        yield Phone(server, session)


def held(act: Callable[[ClassServer, Phone], Awaitable[None]], **hall: Any) -> None:
    """Holds a class in this process, and lets one phone act."""

    async def hold() -> None:
        ready = asyncio.Event()
        how: dict[str, Any] = {"name": "/a/lesson.json", "bind": "127.0.0.1", "port": 0} | hall
        server = ClassServer(Hall(**how), dml.load(CLASSROOM))
        runs = asyncio.create_task(server.run(ready.set))
        try:
            await asyncio.wait({runs, asyncio.create_task(ready.wait())}, return_when=asyncio.FIRST_COMPLETED)
            async with phone_of(server) as phone, asyncio.timeout(60):
                await act(server, phone)
        finally:
            server.end()
            await runs

    asyncio.run(hold())


def states() -> Path:
    return StateFile("/a/lesson.json").file.parent


def test_a_phone_joins_answers_and_is_told() -> None:
    async def act(server: ClassServer, phone: Phone) -> None:
        state = await phone.joins()
        assert (state["joined"], state["question"]["number"], state["reveal"]) == (1, 1, None)
        status, fragment = await phone.ask("GET", f"/question/{state['question']['id']}")
        assert status == 200
        assert "Which picture is the output?" in fragment
        assert await phone.answers("b") == (200, '{"kept": "b", "words": "b"}')
        secret = server.host_address.rpartition("/")[2]
        assert (await phone.ask("POST", f"/host/{secret}/reveal"))[0] == 200
        told = (await phone.state())["reveal"]
        assert (told["right"], told["answer"]) == (False, "a")
        assert (await phone.ask("GET", f"/shown/{told['shown']}"))[0] == 200
        assert (await phone.answers("a"))[0] == 409
        assert (await phone.ask("POST", "/leave"))[0] == 200
        assert (await phone.ask("GET", "/state"))[0] == 401

    held(act)
    assert [path.suffix for path in states().iterdir()] == [".json"]  # room and status are forgotten


def test_what_is_no_answers_to_a_page_is_refused_in_a_line() -> None:
    async def act(server: ClassServer, phone: Phone) -> None:
        await phone.joins()
        for method, path in (("HEAD", "/events"), ("HEAD", "/"), ("OPTIONS", "/state"), ("TRACE", "/")):
            assert (await asyncio.wait_for(phone.ask(method, path), 5))[0] == 405
        status, text = await phone.ask("PUT", "/answer", data=b"\x1f\x8bno", headers={"Content-Encoding": "gzip"})
        assert (status, "problem" in text, server._fault) == (422, True, "")

    held(act)


def test_a_disk_that_is_full_for_a_while_ends_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    async def act(server: ClassServer, phone: Phone) -> None:
        await phone.joins()
        follow, seen = server._class.follow, asyncio.Event()

        def full() -> bool:
            seen.set()
            raise OSError(28, "No space left on device")

        server._class.follow = full  # type: ignore[method-assign]
        await asyncio.wait_for(seen.wait(), 5)
        assert (await phone.ask("GET", "/state"))[0] == 503
        status = status_file(StateFile("/a/lesson.json"))
        server._class.follow = follow  # type: ignore[method-assign]
        while not (told := status.read()) or "No space left" not in told.trouble:
            await asyncio.sleep(0.01)
        assert (await phone.answers("b"))[0] == 200
        while not (told := status.read()) or "No space left" in told.trouble:
            await asyncio.sleep(0.01)

    held(act)


def test_a_fault_of_the_servers_own_forgets_nothing() -> None:
    async def act(server: ClassServer, phone: Phone) -> None:
        await phone.joins()
        await phone.answers("b")

        def fails() -> bool:
            raise ZeroDivisionError

        server._class.follow = fails  # type: ignore[method-assign]
        while server._file._handle.closed is False:
            await asyncio.sleep(0.01)

    with pytest.raises(ZeroDivisionError):
        held(act)
    assert _opened_again()["hands"] == [0, 1, 0, 0]


def test_a_network_that_comes_later_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    addresses = iter(["127.0.0.1"])
    monkeypatch.setattr(class_server, "LOOKS", 0.01)
    monkeypatch.setattr(class_server, "lan_address", lambda: next(addresses, "10.0.0.7"))

    async def act(server: ClassServer, phone: Phone) -> None:
        status = status_file(StateFile("/a/lesson.json"))
        while not (told := status.read()) or told.address != f"http://10.0.0.7:{server.port}":
            await asyncio.sleep(0.01)
        assert told.trouble == ""
        assert "10.0.0.7" in (await phone.ask("GET", f"/{server.code}"))[1]

    held(act, bind="0.0.0.0")


def test_a_hotspot_that_leads_nowhere_else_is_a_network(monkeypatch: pytest.MonkeyPatch) -> None:
    class Alone(socket.socket):
        def connect(self, address: Any) -> None:
            if not address[0].startswith("10.42.0."):
                raise OSError(101, "Network is unreachable")

        def getsockname(self) -> Any:
            return "10.42.0.1", 1

    monkeypatch.setattr(socket, "socket", Alone)
    assert class_server.lan_address() == "10.42.0.1"


def test_no_name_is_looked_up_for_a_phone_that_asks_an_address(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(access, "_own_names", lambda: 1 / 0)
    assert access.is_ours("192.168.178.20:8765", "http://192.168.178.20:8765", "0.0.0.0")


@pytest.mark.skipif(not hasattr(socket, "TCP_USER_TIMEOUT"), reason="the system doesn't tell")
def test_a_phone_that_is_gone_without_a_word_is_noticed() -> None:
    async def act(server: ClassServer, phone: Phone) -> None:
        await phone.joins()
        async with phone._session.get(f"{phone.url}/events"):
            assert server._connections is not None
            (stream,) = server._connections._busy
            assert stream is not None
            end = stream.get_extra_info("socket")
            assert end.getsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT) == connections.GONE

    held(act)


def test_what_is_foreign_is_refused_and_counts_nothing() -> None:
    async def act(server: ClassServer, phone: Phone) -> None:
        shown = (await phone.joins())["question"]["id"]
        body = {"question": shown, "vote": 0, "answer": "a"}
        for headers in ({"Origin": "http://evil.example"}, {"Host": "evil.example"}, {"Origin": "null"}):
            assert (await phone.ask("PUT", "/answer", json=body, headers=headers))[0] == 403
        assert (await phone.ask("GET", "/state", headers={"Origin": "https://evil.example"}))[0] == 403
        async with phone_of(server) as other:
            for cookie in ("", "x", "a.b", f"{'0' * 22}.{'0' * 32}", "é.é"):
                headers = {"Cookie": f"dmlviz-class-{server.port}={cookie}"}
                status, text = await other.ask("PUT", "/answer", json=body, headers=headers)
                assert (status, "cookie" in text) == (401, True)
            assert (await other.ask("GET", f"/question/{shown}"))[0] == 401
        for path in ("/host/x", "/host/x/state", "/shown/x", "/question/x", "/../etc/passwd", "/a/b/c", "/state/x"):
            assert (await phone.ask("GET", path))[0] == 404
        assert (await phone.ask("POST", "/host/x/reveal"))[0] == 404
        state = await phone.state()
        assert (state["answered"], state["joined"], state["open"]) == (0, 1, True)

    held(act)


def test_wrong_codes_wait_after_some_and_the_right_one_is_read_as_it_is_typed() -> None:
    async def act(server: ClassServer, phone: Phone) -> None:
        wrong = [(await phone.ask("GET", "/ZZZZZZZ"))[0] for _ in range(MOST_WRONG_CODES + 5)]
        assert wrong[:MOST_WRONG_CODES] == [404] * MOST_WRONG_CODES
        assert 429 in wrong
        assert (await phone.ask("GET", f"/{server.code[:3].lower()}-{server.code[3:]}"))[0] == 200
        assert (await phone.ask("GET", "/"))[0] == 200

    held(act)


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (b"{", 422),
        (b"[]", 422),
        (b"{}", 409),
        (b'{"question": 1, "vote": [], "answer": {}}', 409),
        (b"[" * 2000, 422),
        (b"x" * 3000, 413),
        (b"\xff\xfe", 422),
        (b'{"answer": "\\ud800"}', 409),
    ],
)
def test_a_body_that_is_no_answer_is_refused_in_a_line(body: bytes, status: int) -> None:
    async def act(server: ClassServer, phone: Phone) -> None:
        await phone.joins()
        found, text = await phone.ask("PUT", "/answer", data=body)
        assert found == status
        assert json.loads(text)["problem"].strip()
        assert (await phone.answers("\ud83d"))[0] == 422
        assert (await phone.answers(["a"]))[0] == 422  # type: ignore[arg-type]
        assert (await phone.state())["answered"] == 0

    held(act)


def test_a_student_too_many_is_told_so() -> None:
    async def act(server: ClassServer, phone: Phone) -> None:
        for n in range(MOST_STUDENTS):
            server.room.follow(("join", f"s{n}", n + 1))
        assert (await phone.ask("GET", f"/{server.code}"))[0] == 200
        status, text = await phone.ask("GET", "/state")
        assert (status, "full" in text) == (503, True)

    held(act)


def test_slow_heads_and_bodies_are_let_go(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "PATIENCE", 0.3)
    monkeypatch.setattr(class_server, "PATIENCE", 0.3)

    async def act(server: ClassServer, phone: Phone) -> None:
        async def raw(text: str) -> bytes:
            reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
            writer.write(text.encode())
            try:
                return await asyncio.wait_for(reader.read(), 20)
            except ConnectionError:
                return b""
            finally:
                writer.close()

        assert await raw("") == b""
        assert await raw(f"GET / HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\n") == b""
        assert (await raw("nonsense\r\n\r\n")).split()[1:2] == [b"400"]
        cookie = server.room.new_cookie()
        head = f"PUT /answer HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\nOrigin: {phone.url}\r\nContent-Length: 99\r\n"
        slow = await raw(f"{head}Cookie: dmlviz-class-{server.port}={cookie}\r\n\r\n{{")
        assert slow.startswith(b"HTTP/1.1 408")
        stream = asyncio.create_task(phone.joins())
        assert (await stream)["joined"] == 2

    held(act)


def test_phones_that_read_nothing_keep_nobody_from_ending() -> None:
    ends, began = contextlib.ExitStack(), 0.0

    async def act(server: ClassServer, phone: Phone) -> None:
        nonlocal began
        await phone.joins()
        for _ in range(5):
            end = ends.enter_context(socket.create_connection(("127.0.0.1", server.port)))
            end.sendall(f"GET /{server.code} HTTP/1.1\r\nHost: {phone.url[7:]}\r\n\r\n".encode() * 400)
        while not any(transport.get_write_buffer_size() for transport in _transports(server)):
            await asyncio.sleep(0.01)
        began = time.monotonic()

    with ends:
        held(act)
    assert time.monotonic() - began < 8


def _transports(server: ClassServer) -> list[Any]:
    assert server._connections is not None
    return [each.transport for each in server._connections._server.connections if each.transport is not None]


def test_so_many_connections_and_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "MOST", 3)

    async def act(server: ClassServer, phone: Phone) -> None:
        ends = [await asyncio.open_connection("127.0.0.1", server.port) for _ in range(4)]
        with contextlib.suppress(ConnectionError):
            assert await asyncio.wait_for(ends[3][0].read(), 5) == b""
        assert len(_transports(server)) == 3
        for _, writer in ends:
            writer.close()

    held(act)


def test_events_tell_that_there_is_something_new_and_nothing_else() -> None:
    async def act(server: ClassServer, phone: Phone) -> None:
        await phone.joins()
        async with phone._session.get(f"{phone.url}/events") as events, phone_of(server) as other:

            async def until(wanted: Callable[[Any], bool]) -> Any:
                async for line in events.content:
                    if line.startswith(b"data: ") and wanted(found := json.loads(line[6:])):
                        return found
                raise AssertionError("the stream has ended")

            first = await asyncio.wait_for(until(lambda _: True), 20)
            assert first == {"rev": 0, "answered": 0, "joined": 1}
            await other.joins()
            await other.answers("a")
            await asyncio.wait_for(until(lambda ping: ping["answered"] == 1 and ping["joined"] == 2), 20)
            server._class.act("forward")
            await asyncio.wait_for(until(lambda ping: ping["rev"] == 1), 20)

    held(act)


def test_the_same_state_is_not_sent_twice() -> None:
    async def act(server: ClassServer, phone: Phone) -> None:
        await phone.joins()
        async with phone._session.get(f"{phone.url}/state") as response:
            tag = response.headers["ETag"]
        assert (await phone.ask("GET", "/state", headers={"If-None-Match": tag}))[0] == 304
        await phone.answers("a")
        assert (await phone.ask("GET", "/state", headers={"If-None-Match": tag}))[0] == 200

    held(act)


def test_behind_a_proxy_the_public_address_is_ours(tmp_path: Path) -> None:
    async def act(server: ClassServer, phone: Phone) -> None:
        public = {"Host": "class.example.edu", "Origin": "https://class.example.edu"}
        assert server.address == "https://class.example.edu"
        async with phone._session.get(f"{phone.url}/{server.code}", headers=public) as response:
            assert (response.status, "Secure" in response.headers["Set-Cookie"]) == (200, True)
        assert (await phone.ask("GET", "/", headers={"Host": "127.0.0.1", "Origin": public["Origin"]}))[0] == 200
        assert (await phone.ask("GET", "/", headers=public | {"Origin": "https://other.example"}))[0] == 403

    held(act, public_url="https://class.example.edu")


def test_a_server_that_lost_its_wall_says_so_and_leaves_when_the_next_comes() -> None:
    async def act(server: ClassServer, phone: Phone) -> None:
        await phone.joins()
        await phone.answers("b")
        code = server.code
        server.lose_wall()
        assert (await phone.state())["away"] is True
        again = await asyncio.to_thread(_opened_again)
        assert (again["code"], again["hands"]) == (code, [0, 1, 0, 0])

    held(act)


def _opened_again() -> dict[str, Any]:
    """What another server finds that begins now."""

    async def opened() -> dict[str, Any]:
        server = ClassServer(Hall(name="/a/lesson.json", bind="127.0.0.1"), dml.load(CLASSROOM))
        shared = StateFile("/a/lesson.json").read()
        server._file.close(forgets=False)
        assert shared is not None
        return {"code": server.code, "hands": [*next(iter(shared.hands.values()))[0]]}

    return asyncio.run(opened())


@pytest.mark.parametrize("wall", [True, False])
def test_a_class_begins_without_what_another_left_and_leaves_no_counts(wall: bool) -> None:
    kept = StateFile("/a/lesson.json")
    before = Presenting(dml.load(CLASSROOM), time.time, kept=kept)
    before.count_room(0, 0, (5, 0, 0, 0))
    before.go_to(2)

    def stands() -> tuple[int, bool]:
        shared = kept.read()
        assert shared is not None
        return shared.experiment, bool(shared.hands)

    async def act(server: ClassServer, phone: Phone) -> None:
        assert stands() == ((0, False) if wall else (1, True)), "a wall of its own is open already, and goes on"
        await phone.joins()
        await phone.answers("a")

    held(act, wall=wall)
    assert stands() == (0, False)


def test_a_second_class_on_the_same_file_and_a_taken_port_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dmlviz.web.class_journal.WAIT", 0.1)

    async def act(server: ClassServer, phone: Phone) -> None:
        with pytest.raises(SessionError, match=r"held on /a/lesson\.json already"):
            ClassServer(Hall(name="/a/lesson.json", port=0), dml.load(CLASSROOM))
        with pytest.raises(SessionError, match=f"--port is {server.port} .* another program has it"):
            ClassServer(Hall(name="/a/other.json", bind="127.0.0.1", port=server.port), dml.load(CLASSROOM))
        status = status_file(StateFile("/a/lesson.json")).read()
        assert status is not None
        assert (status.code, status.tasks) == (server.code, 3)

    held(act)


def test_where_answers_cannot_be_saved_the_class_is_kept(tmp_path: Path) -> None:
    async def act(server: ClassServer, phone: Phone) -> None:
        await phone.joins()
        await phone.answers("b")

    with pytest.raises(SessionError, match=r"can't be written: .*goes on with it"):
        held(act, saves=str(tmp_path / "no" / "folder.jsonl"))
    assert any(path.suffix == ".room" for path in states().iterdir())


def test_what_another_class_saved_meanwhile_is_left_as_it_is(tmp_path: Path) -> None:
    file = tmp_path / "kept.jsonl"

    async def act(server: ClassServer, phone: Phone) -> None:
        await phone.joins()
        await phone.answers("b")
        file.write_text("another's")

    with pytest.raises(SessionError, match=r"can't be written: something stands there by now"):
        held(act, saves=str(file))
    assert file.read_text() == "another's"
