"""The explorer in a browser tab: a real browser, a real server, and what neither may let in."""

from __future__ import annotations

import asyncio
import contextlib
import os
import select
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import aiohttp
import pytest
from aiohttp.test_utils import TestServer
from support.browser import find_chromium, tab
from support.served import (
    FAULTY,
    Page,
    origin_of,
    says_nothing,
    served,
    served_program,
    shown,
    socket_of,
    soon,
    visitor,
)
from support.worker_processes import children
from yarl import URL

from dmlviz.cli import shared
from dmlviz.errors import SessionError
from dmlviz.scene.colour.palette import fill
from dmlviz.session import examples
from dmlviz.session.writing import save
from dmlviz.web import tabs
from dmlviz.web.access import REFUSED, is_ours
from dmlviz.web.server import FULL, _make_server, command, free_port, safe_path_variables, serve
from dmlviz.web.tabs import CLOSED_BY_FAULT, MOST_MESSAGE, MOST_TABS, clamped
from dmlviz.worker import child_process

pytestmark = pytest.mark.skipif(os.name != "posix", reason="the tests end processes as POSIX does")
CHROMIUM = find_chromium()


@pytest.mark.slow
@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on this machine; set CHROMIUM to its path")
def test_an_explorer_in_a_browser_tab_takes_keys_and_clicks_and_is_painted(tmp_path: Path) -> None:
    save(examples.example("gather-2").session(), tmp_path / "lesson.json")

    async def script(address: str) -> None:
        assert CHROMIUM is not None
        async with tab(CHROMIUM, address) as page:
            await page.until("✔ valid")
            await page.press("Home", ".", ".", ".")
            await page.until("3 of 8")
            lines = page.text().split("\n")
            assert any("B" in line and "·" in line for line in lines), "what isn't written yet is a dot"
            for identity in range(3):
                for _ in range(1200):  # frames reach the page a little later than the socket
                    if await page.pixels(fill(identity)) > 300:
                        break
                    await asyncio.sleep(0.05)
                else:
                    raise AssertionError(f"the colour of identity {identity} isn't on the page")
            await page.press("End")
            await page.until("8 of 8")
            await page.press("q")
            for _ in range(1200):
                if await page.seen("ended"):
                    break
                await asyncio.sleep(0.05)
            else:
                raise AssertionError("the page doesn't say that the explorer has ended")
            page.screen.reset()
            await page.call("Page.reload")  # what the address held is the page's by now
            await page.until("✔ valid")

    with served(str(tmp_path / "lesson.json")) as (process, address):
        asyncio.run(script(address))
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == 0
        assert process.stdout is not None
        assert process.stdout.read() == ""


@pytest.mark.slow
def test_present_keeps_where_the_presentation_stands_and_nothing_else(tmp_path: Path) -> None:
    """`--present` keeps where the presentation stands, as `dmlviz present` does, and nothing else."""
    state, config, data = (str(tmp_path / "home" / name) for name in ("state", "config", "data"))
    save(examples.example("gather-2").session(), tmp_path / "lesson.json")

    async def script(address: str, notes: str) -> None:
        async with visitor(address) as client, visitor(notes) as behind:
            for guest, path, told in ((client, "/", '""'), (behind, "/?notes", '"?notes"')):
                async with guest.get(path) as answer:
                    assert f"const NOTES = {told};" in await answer.text()
            first = client.ws_connect(socket_of(address, height=40))
            async with first as one, behind.ws_connect(socket_of(notes, height=40)) as other:
                wall, speaker = Page(client, one), Page(behind, other)
                await wall.until("1 of 1")
                await speaker.until("SPEAKER")
                await speaker.press("a", "7", "\r")
                await wall.until("hands counted: a")
                assert "Next:" not in wall.text()
                await wall.press("\x1b[6~", "\x1b[6~")
                await speaker.until(lambda text: "reveal" in text)
                await wall.until("100 %")
                await speaker.send("upload", {"name": "a.json", "data": ""})
                await speaker.until("a presentation takes none")

    words = str(tmp_path / "lesson.json"), "--present"
    with served(*words, XDG_STATE_HOME=state, XDG_CONFIG_HOME=config, XDG_DATA_HOME=data) as (process, address):
        asyncio.run(script(address, speaker_s(process)))
        (kept,) = (path for path in (tmp_path / "home").rglob("*") if path.is_file())
        assert kept.parent == tmp_path / "home" / "state" / "dmlviz" / "presenting"
        assert '"build": "reveal"' in kept.read_text()
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == 0
        assert process.stdout is not None
        assert process.stdout.read() == ""


def test_the_room_s_tab_shows_no_notes_and_can_t_end_the_presentation(tmp_path: Path) -> None:
    """The wall's tab of `--present`; in a terminal, with one screen alone, it does both."""
    save(examples.example("gather-2").session(), tmp_path / "lesson.json")

    async def script(address: str) -> None:
        async with visitor(address) as client, client.ws_connect(socket_of(address, height=40)) as socket:
            wall = Page(client, socket)
            assert "speaker" not in await wall.until("T timer")
            await wall.send("upload", {"name": "a.json", "data": ""})
            for key in ("\x03", "s", "q", "\x11", "\x1b"):
                await wall.press(key, "?")
                listed = await wall.until("In front of a class")
                assert "speaker" not in listed
                assert "leave" not in listed
                assert "to quit" not in listed, "what it doesn't do is not offered"
                assert "came from the browser" not in listed
                await wall.press("\x1b")
                assert "Next:" not in await wall.until(lambda text: "In front of a class" not in text)
            await wall.press("a", "7", "\x1b", "\x1b[6~")  # escape still gives up what is typed
            assert "hands counted" not in await wall.until("p play")

    with served(str(tmp_path / "lesson.json"), "--present", XDG_STATE_HOME=str(tmp_path / "state")) as (_, address):
        asyncio.run(script(address))


def speaker_s(process: subprocess.Popen[str]) -> str:
    """The second address that it prints."""
    assert process.stdout is not None
    said = process.stdout.readline()
    assert said.startswith("The speaker's screen is at http://127.0.0.1:"), said
    assert said.endswith("&notes\n"), said
    return said.split()[-1]


def test_the_wall_s_address_doesn_t_lead_to_the_speaker_s_screen(tmp_path: Path) -> None:
    save(examples.example("gather-2").session(), tmp_path / "lesson.json")

    async def script(address: str, notes: str) -> None:
        own = "?" + notes.partition("?")[2].removesuffix("&notes")
        async with visitor(address) as client:
            for path in ("/?notes", f"/?{address.partition('?')[2]}&notes", "/?notes="):
                async with client.get(path) as answer:
                    assert (answer.status, await answer.text()) == (403, REFUSED), path
            with pytest.raises(aiohttp.WSServerHandshakeError) as refused:
                await client.ws_connect(f"{socket_of(address)}&notes")
            assert refused.value.status == 403
            async with client.get(f"/{own[:-1]}x&notes") as answer:
                assert answer.status == 403
        async with visitor(notes) as behind:
            for path in ("/?notes", "/static/js/textual.js"):
                async with behind.get(path) as answer:
                    assert answer.status == 200, path

    with served(str(tmp_path / "lesson.json"), "--present") as (process, address):
        notes = speaker_s(process)
        assert address.partition("?")[2] not in notes
        asyncio.run(script(address, notes))
        assert not children(process.pid)


@pytest.mark.slow
@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on this machine; set CHROMIUM to its path")
def test_the_speaker_s_screen_is_in_a_browser_tab_of_its_own(tmp_path: Path) -> None:
    save(examples.example("gather-2").session(), tmp_path / "lesson.json")

    async def script(address: str, notes: str) -> None:
        assert CHROMIUM is not None
        async with tab(CHROMIUM, address) as wall, tab(CHROMIUM, notes) as speaker:
            await wall.until("1 of 1")
            await speaker.until("SPEAKER")
            await speaker.press("n")
            await speaker.press("n")
            await wall.until("✓")
            assert "SPEAKER" not in wall.text()

    with served(str(tmp_path / "lesson.json"), "--present") as (process, address):
        asyncio.run(script(address, speaker_s(process)))


def test_a_visitor_without_it_gets_nothing_over_http_a_websocket() -> None:
    """The address that it prints holds a secret: a visitor without it gets nothing, over HTTP, a WebSocket or in a
    frame."""
    static = "/static/js/textual.js"
    paths = ["/", "/?secret=", "/?secret=no", "/?secret", "/ws", static, "/static/", "/download/0", "/upload", "/no"]

    async def script(address: str) -> None:
        origin, secret = origin_of(address), address.partition("?")[2]
        port = origin.rpartition(":")[2]
        wrong = f"{address[:-1]}{'A' if address[-1] != 'A' else 'B'}".removeprefix(origin)
        elsewhere = {"Host": "elsewhere.example"}
        strangers: list[dict[str, str]] = [{}, {"Origin": origin}, {"Cookie": f"dmlviz-{port}=no"}, elsewhere]
        strangers += [{"Origin": "http://elsewhere.example"}, {"Origin": "null"}, {"Host": f"127.0.0.2:{port}"}]
        async with aiohttp.ClientSession(origin) as client:
            told = set()
            for path in (*paths, wrong, f"/ws?{secret}", f"{static}?{secret}"):
                for method in ("GET", "HEAD", "POST", "PUT", "OPTIONS"):
                    for headers in strangers if method == "GET" else [{}]:
                        async with client.request(method, URL(path, encoded=True), headers=headers) as answer:
                            assert answer.status == 403, (method, path, headers)
                            assert "Set-Cookie" not in answer.headers
                            assert await answer.text() == (REFUSED if method != "HEAD" else "")
                            headers_told = {**answer.headers, "Date": "", "Content-Length": ""}
                            told.add(str(sorted(headers_told.items())))
                for headers in strangers:
                    with pytest.raises(aiohttp.WSServerHandshakeError) as refused:
                        await client.ws_connect(URL(path, encoded=True), headers=headers)
                    assert refused.value.status == 403, (path, headers)
            for headers in (elsewhere, {"Origin": "http://elsewhere.example"}, {"Origin": "null"}):
                async with client.get(f"/?{secret}", headers=headers) as answer:
                    assert (answer.status, await answer.text()) == (403, REFUSED), headers
            assert len(told) == 1, "one refusal for all"

    with served() as (process, address):
        asyncio.run(script(address))
        assert not children(process.pid), "nothing was started for anybody"


def test_what_is_no_http_gets_nothing_and_prints_nothing() -> None:
    no_http = [
        b"GARBAGE\r\n\r\n",
        b"GET / HTTP/1.1\r\n\r\n",
        b"GET / HTTP/9.9\r\nHost: x\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\xff\xff",
        b"GET /" + 20_000 * b"a" + b" HTTP/1.1\r\nHost: a\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
        b"POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: -5\r\n\r\n",
        b"POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        b"GET / HTTP/1.0\r\n\r\n",
        b"CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nExpect: nonsense\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: [::1\r\nCookie: \xff\xfe=\x80\r\nOrigin: \xff\r\n\r\n",
    ]
    with served() as (process, address):
        port = int(origin_of(address).rpartition(":")[2])
        for said in no_http:
            with socket.create_connection(("127.0.0.1", port), 20) as visitor:
                visitor.sendall(said)
                answer = visitor.recv(65536)
            assert answer.split()[1] in (b"400", b"403", b"417"), answer
            assert b"Set-Cookie" not in answer
            assert b"<" not in answer, "no page"
        assert not children(process.pid)
        assert says_nothing(process)


def test_the_secret_becomes_a_cookie_and_no_frame_or_other_page_gets_in() -> None:
    async def script(address: str) -> None:
        origin = origin_of(address)
        async with visitor(address) as client:
            (cookie,) = client.cookie_jar
            assert (cookie["httponly"], cookie["samesite"], cookie["path"]) == (True, "Strict", "/")
            assert cookie.value not in address
            async with client.get("/") as answer:
                assert answer.status == 200
                assert "frame-ancestors 'none'" in answer.headers["Content-Security-Policy"]
                assert answer.headers["X-Frame-Options"] == "DENY"
                assert answer.headers["Referrer-Policy"] == "no-referrer"
            for headers in ({"Origin": "http://elsewhere.example"}, {"Host": "elsewhere.example"}, {"Origin": "null"}):
                async with client.get("/", headers=headers) as answer:
                    assert answer.status == 403, headers
                with pytest.raises(aiohttp.WSServerHandshakeError) as refused:
                    await client.ws_connect(socket_of(address), headers=headers)
                assert refused.value.status == 403
        async with aiohttp.ClientSession(origin, cookies={cookie.key: cookie.value}) as other:
            with pytest.raises(aiohttp.WSServerHandshakeError):
                await other.ws_connect(socket_of(address))  # no browser sends none

    with served() as (_, address):
        asyncio.run(script(address))


def test_the_cookie_alone_opens_no_explorer() -> None:
    """The cookie alone, which a browser sends to every port of this machine, opens no explorer."""

    async def script(process: subprocess.Popen[str], address: str) -> None:
        origin, size = origin_of(address), "/ws?width=80&height=24"
        async with visitor(address) as client:
            (cookie,) = client.cookie_jar
        thief = {"Origin": origin, "Cookie": f"{cookie.key}={cookie.value}"}
        async with aiohttp.ClientSession(origin, headers=thief) as other:
            async with other.get("/") as answer:
                assert address.partition("secret=")[2] not in await answer.text(), "nor does the page tell it"
            for path in (size, f"{size}&secret=", f"{size}&secret={cookie.value}"):
                with pytest.raises(aiohttp.WSServerHandshakeError) as refused:
                    await other.ws_connect(path)
                assert refused.value.status == 403
            assert not children(process.pid)

    with served() as (process, address):
        asyncio.run(script(process, address))


def test_a_wrong_secret_is_refused_whatever_comes_with_it() -> None:
    """The page keeps the secret that it was opened by: it must be none of yesterday's."""

    async def script(address: str) -> None:
        async with visitor(address) as client:
            for path in ("/?secret=old", "/?secret=", "/?secret", f"{address.removeprefix(origin_of(address))}x"):
                async with client.get(URL(path, encoded=True)) as answer:
                    assert (answer.status, await answer.text()) == (403, REFUSED), path
            for path in ("/", address.removeprefix(origin_of(address))):
                async with client.get(path) as answer:
                    assert answer.status == 200, path

    with served() as (_, address):
        asyncio.run(script(address))


def test_the_address_is_printed_once_something_listens_there(monkeypatch: pytest.MonkeyPatch) -> None:
    port, heard = free_port("127.0.0.1", 0), []

    def told(*words: object, **_: object) -> None:
        with socket.create_connection(("127.0.0.1", port), 60):
            heard.append(str(words[0]))
        raise KeyboardInterrupt

    server = _make_server(["sleep", "60"], "127.0.0.1", port, False)
    monkeypatch.setattr(type(server), "initialize_logging", lambda _: None)
    monkeypatch.setattr("builtins.print", told)
    server.serve()
    (said,) = heard
    assert said.startswith(f"dmlviz is at http://127.0.0.1:{port}/?secret=")


def test_two_servers_on_one_host_keep_their_cookies_apart() -> None:
    async def script(one: str, other: str) -> None:
        jar = aiohttp.CookieJar(unsafe=True)  # as a browser's: for all ports of a host
        async with aiohttp.ClientSession(cookie_jar=jar) as client:
            for address in (one, other):
                async with client.get(address) as answer:
                    assert answer.status == 200
            assert len({cookie.key for cookie in jar}) == 2
            for address in (one, other, one):
                async with client.get(origin_of(address)) as answer:
                    assert answer.status == 200, "neither has overwritten the other's"
            mine, theirs = sorted(jar, key=lambda cookie: not one.partition("/?")[0].endswith(cookie.key[7:]))
        for cookies in ({theirs.key: theirs.value}, {mine.key: theirs.value}, {theirs.key: mine.value}):
            async with aiohttp.ClientSession(cookies=cookies) as client, client.get(origin_of(one)) as answer:
                assert (answer.status, await answer.text()) == (403, REFUSED)
        wrong = f"{origin_of(one)}/?{other.partition('?')[2]}"
        async with aiohttp.ClientSession() as client, client.get(wrong) as answer:
            assert answer.status == 403

    with served() as (_, one), served() as (_, other):
        asyncio.run(script(one, other))


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGKILL])
def test_none_of_their_processes_outlives_the_server_even_a_kill_9(how: signal.Signals) -> None:
    """No tab runs Python from the current folder, there are 16 at most, and none of their processes outlives the
    server, even a `kill -9`."""

    async def script(process: subprocess.Popen[str], address: str) -> list[int]:
        async with visitor(address) as client:
            sockets = [await client.ws_connect(socket_of(address)) for _ in range(2)]
            for each in sockets:
                await shown(each, b"GATHER")
            tabs = children(process.pid)
            assert len(tabs) == 2, "no shell stands between"
            await soon(lambda: all(children(tab) for tab in tabs), "the workers that compile ahead")
            workers = [worker for tab in tabs for worker in children(tab)]
            assert len(workers) == 2
            process.send_signal(how)
            if how is signal.SIGTERM:
                assert await asyncio.to_thread(process.wait, 60) == 0
            return tabs + workers

    with served() as (process, address):
        for pid in asyncio.run(script(process, address)):
            assert _ends(pid, 60), "it has outlived its server"


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
@pytest.mark.parametrize("late", [False, True], ids=["as it starts", "before it starts"])
def test_a_process_that_is_starting_ends_with_its_server(tmp_path: Path, late: bool) -> None:
    """What it imports first waits for ever here, as on a machine that is too busy."""
    (tmp_path / "dmlviz.py").write_text("import sys, time\nprint('starting', flush=True)\ntime.sleep(3600)\n")
    program = """
import os, subprocess, sys
line, late = sys.argv[2:], sys.argv[1] == "True"
parent = subprocess.Popen(["true"]) if late else None
if late:
    parent.wait()
told = {**os.environ, "DMLVIZ_PARENT": str(parent.pid if late else os.getpid())}
tab = subprocess.Popen(line, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=told)
if not late:
    tab.stdout.readline()
print(tab.pid, flush=True)
sys.stdin.read()
"""
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    line = [sys.executable, "-c", program, str(late), *command([])]
    pipe = subprocess.PIPE
    with subprocess.Popen(line, stdin=pipe, stdout=pipe, text=True, env=environment) as server:
        assert server.stdout is not None
        pid = int(server.stdout.readline())
        if not late:
            assert not _ends(pid, 0.1)
            server.kill()
        ended = _ends(pid, 60)
        server.kill()
    assert ended, "it has outlived its server"


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
def test_a_worker_that_is_starting_ends_with_its_input(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "numpy.py").write_text("import time\ntime.sleep(3600)\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    child = child_process.Child("dmlviz.worker")
    assert not _ends(child._process.pid, 0.1)
    assert child._process.stdin is not None
    child._process.stdin.close()
    ended = _ends(child._process.pid, 60)
    child.bury()
    assert ended, "it has outlived its explorer"


def test_an_explorer_ends_with_its_input_where_no_signal_tells_it(tmp_path: Path) -> None:
    environment = {**os.environ, "TEXTUAL_DRIVER": "dmlviz.screens.tab_driver:TabDriver", "HOME": str(tmp_path)}
    with subprocess.Popen(
        [sys.executable, "-m", "dmlviz"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment
    ) as tab:
        assert tab.stdin is not None
        assert tab.stdout is not None
        shown = b""
        while b"GATHER" not in shown:
            shown += (more := os.read(tab.stdout.fileno(), 4096))
            assert more
        tab.stdin.close()
        tab.stdout.read()  # to its end
        assert tab.wait(60) == 0


@pytest.mark.parametrize("by", [["focus"], ["stdin", "\x1b[B"]], ids=["the browser's focus", "a key"])
def test_a_tab_gives_the_focus_to_the_picture_by(by: list[str]) -> None:
    """A tab begins without the focus, before its explorer has given it to anything."""

    async def script(address: str) -> None:
        async with visitor(address) as client, client.ws_connect(socket_of(address), max_msg_size=0) as socket:
            opened = Page(client, socket)
            await opened.until("? keys")
            await opened.until("z zoom")  # what can be done with a picture that was laid out meanwhile
            await opened.send(*by)
            await opened.until(lambda text: "? keys" in text and "e value" in text and "esc picture" not in text)

    with served("gather-2") as (_, address):
        asyncio.run(script(address))


@pytest.mark.slow
def test_a_page_that_says_absurd_sizes_and_no_messages_gets_a_terminal_as_ever() -> None:
    absurd: list[object] = [
        ["resize", {"width": 99_999_999, "height": 99_999_999}],
        ["resize", {"width": 0, "height": -5}],
        ["resize", {"width": 1e300, "height": "9"}],
        ["resize", {"width": True}],
        ["resize", []],
        ["resize"],
        ["stdin", 5],
        ["stdin", {"a": []}],
        ["stdin", "\x1b[1114112u"],  # a key that no Unicode has
        ["stdin", "\x1b[55296u\x1b[97;1;56320u\x1b[97;2;1114112u"],
        ["stdin", "\x1b[48;99999999;99999999;1;1t\x1b[48;0;0;0;0t\x1b[<0;5;5M\x1b[<0;99999;99999m\x1b[?2026;9$y"],
        ["stdin", "\x1b[I\x1b[O\x1b[200~"],
        ["stdin", "\x1b[201~"],
        ["stdin", ""],
        ["stdin", "a", "b"],
        ["blur"],
        ["focus"],
        ["blur", {"x": 1}],
        ["resize", {"width": -1, "height": -1, "pixels": 5}],
        ["resize", {"width": 80.0, "height": 24.0}],
        ["ping", "x" * 1000],
        ["ping", {}],
        ["open_url", {"url": "file:///etc/passwd", "new_tab": True}],
        ["deliver", {"path": "/etc/passwd"}],
        ["deliver_file_start", {"key": "0", "path": "/etc/passwd"}],
        ["exit"],
        ["meta", {"type": "quit"}],
        ["stdin", "\ud800"],
        ["quit"],
        ["deliver_chunk_request", {"key": "0", "size": 5}],
        ["upload", {"name": "x", "data": "no base64"}],
        ["upload", {"name": 5, "data": ""}],
        [],
        {},
        5,
        "stdin",
        None,
    ]

    async def script(process: subprocess.Popen[str], address: str) -> None:
        async with (
            visitor(address) as client,
            client.ws_connect(socket_of(address, 99999999, "9" * 5000)) as socket,
        ):
            await shown(socket, b"GATHER")
            (tab,) = children(process.pid)
            for message in absurd:
                await socket.send_json(message)
            for text in ("no JSON", "[" * 100_000, "NaN", '["resize", {"width": 1e999, "height": -1e999}]', "9" * 9999):
                await socket.send_str(text)
            for data in (b"\xff", b"", b'M\x00\x00\x00\x0f{"type":"quit"}', 1_000_000 * b"\x00"):
                await socket.send_bytes(data)
            await socket.send_json(["ping", "1"])
            while (message := await socket.receive(30)).type is not aiohttp.WSMsgType.TEXT:
                assert message.type is aiohttp.WSMsgType.BINARY
            assert message.json() == ["pong", "1"]
            await socket.send_json(["resize", {"width": 100, "height": 40}])
            await socket.send_json(["stdin", "?"])
            await shown(socket, b"The cell cursor")
            if sys.platform == "linux":
                most = next(line for line in Path(f"/proc/{tab}/status").read_text().split("\n") if "VmHWM" in line)
                assert int(most.split()[1]) < 500_000, most

    with served() as (process, address):
        asyncio.run(script(process, address))
        assert process.poll() is None
        assert says_nothing(process)


@pytest.mark.parametrize(("key", "code"), [("?", CLOSED_BY_FAULT), ("q", 1000)])
def test_a_tabs_connection_is_closed_by_what_has_ended_its_explorer(key: str, code: int) -> None:
    async def script() -> None:
        async with (
            served_program(FAULTY) as address,
            visitor(address) as client,
            client.ws_connect(socket_of(address), max_msg_size=0) as socket,
        ):
            opened = Page(client, socket)
            await opened.until("? keys")
            await opened.press(key)
            await opened.ended()
            assert socket.close_code == code

    assert tabs.FAULT == shared.FAULT
    asyncio.run(script())


def test_a_tab_that_can_t_start_says_why_once_in_the_server_s_terminal(tmp_path: Path) -> None:
    lesson = tmp_path / "lesson.json"
    save(examples.example("gather-2").session(), lesson)

    async def script(address: str) -> None:
        async with visitor(address) as client, client.ws_connect(socket_of(address)) as socket:
            assert (await socket.receive(60)).type is aiohttp.WSMsgType.CLOSE

    with served(str(lesson)) as (process, address):
        lesson.unlink()
        asyncio.run(script(address))
        assert process.stdout is not None
        assert select.select([process.stdout], [], [], 60)[0], "the tab's sentence never came to the server's terminal"
        process.send_signal(signal.SIGTERM)
        assert process.stdout.read() == f"dmlviz: {lesson}: no such file, expected a file to open.\n"


def test_a_message_that_is_too_long_ends_its_tab_alone() -> None:
    async def script(process: subprocess.Popen[str], address: str) -> None:
        async with visitor(address) as client, client.ws_connect(socket_of(address)) as socket:
            await shown(socket, b"GATHER")
            (tab,) = children(process.pid)
            with contextlib.suppress(ConnectionError):  # nobody reads it to its end
                await socket.send_str("x" * (MOST_MESSAGE + 1))
            assert await asyncio.to_thread(_ends, tab, 10)
            async with client.get("/") as answer:
                assert answer.status == 200

    with served() as (process, address):
        asyncio.run(script(process, address))


def test_one_tab_too_many_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    assert MOST_TABS == 16
    monkeypatch.setattr("dmlviz.web.tabs.MOST_TABS", 2)

    async def script() -> None:
        port = free_port("127.0.0.1", 0)
        server = _make_server(["sleep", "60"], "127.0.0.1", port, False)
        said: list[str] = []
        monkeypatch.setattr("builtins.print", lambda *words, **_: said.append(str(words[0])))
        async with TestServer(await server._make_app(), port=port):
            server.tell()
            address = said[0].split()[3]
            async with visitor(address) as client:
                sockets = [await client.ws_connect(socket_of(address)) for _ in range(2)]
                with pytest.raises(aiohttp.WSServerHandshakeError) as refused:
                    await client.ws_connect(socket_of(address))
                assert refused.value.status == 503
                async with client.get("/") as answer:
                    assert (answer.status, await answer.text()) == (503, FULL)
                await sockets[0].close()
                for _ in range(1200):
                    async with client.get("/") as answer:
                        if answer.status == 200:
                            break
                    await asyncio.sleep(0.05)
                await client.ws_connect(socket_of(address))

    asyncio.run(script())


@pytest.mark.parametrize(
    ("columns", "lines", "size"),
    [(80, 24, (80, 24)), (10**9, 10**9, (500, 200)), (0, -1, (1, 1)), (True, 5, None), (5.0, 5, None), ("5", 5, None)],
)
def test_a_terminals_size_is_bounded(columns: object, lines: object, size: tuple[int, int] | None) -> None:
    assert clamped(columns, lines) == size


def _ends(pid: int, seconds: float) -> bool:
    for _ in range(int(seconds / 0.05)):
        try:
            if Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z":
                return True  # nobody here waits for it
        except OSError:
            return True
        time.sleep(0.05)
    return False


def test_no_tab_runs_python_from_the_current_folder(tmp_path: Path) -> None:
    for name in ("random", "json", "numpy", "platformdirs", "onnx", "sitecustomize", "usercustomize"):
        (tmp_path / f"{name}.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'w').close()\n")
    save(examples.example("gather-2").session(), tmp_path / "lesson.json")

    async def script(address: str) -> None:
        async with visitor(address) as client, client.ws_connect(socket_of(address)) as socket:
            await shown(socket, b"GATHER")

    with served("lesson.json", folder=tmp_path) as (_, address):
        asyncio.run(script(address))
    assert not (tmp_path / "ran").exists()


def test_an_empty_part_of_pythonpath_is_not_the_current_folder_in_a_tab(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "random.py").write_text("raise SystemExit('it ran')\n")
    (tmp_path / "beside").mkdir()
    monkeypatch.chdir(tmp_path)
    for said in ("", os.pathsep, ".", f"{os.pathsep}beside", f"beside{os.pathsep}{tmp_path}", "beside/.."):
        monkeypatch.setenv("PYTHONPATH", said)
        found = safe_path_variables()
        assert found["PYTHONSAFEPATH"] == "1"
        assert found["PYTHONPATH"] == (str(tmp_path / "beside") if said.count("beside") and ".." not in said else "")
        line = [sys.executable, "-c", "import random"]
        ran = subprocess.run(line, env={**os.environ, **found}, capture_output=True, text=True, check=False)
        assert (ran.returncode, ran.stderr) == (0, ""), said


@pytest.mark.parametrize(
    ("host", "origin", "served_on", "ours"),
    [
        ("127.0.0.1:8000", None, "127.0.0.1", True),
        ("127.0.0.1:8000", "http://127.0.0.1:8000", "127.0.0.1", True),
        ("localhost:8000", "http://localhost:8000", "127.0.0.1", True),
        ("[::1]:8000", "http://[::1]:8000", "::1", True),
        ("127.0.0.1:8000", "http://127.0.0.1:9000", "127.0.0.1", False),  # another program's page
        ("127.0.0.1:8000", "null", "127.0.0.1", False),
        ("evil.example:8000", "http://evil.example:8000", "127.0.0.1", False),  # a name that leads here
        ("classroom.example:8000", "http://classroom.example:8000", "classroom.example", True),
        ("classroom.example:8000", "http://evil.example", "classroom.example", False),
        ("evil.example:8000", "http://evil.example:8000", "classroom.example", False),
        ("evil.example:8000", "http://evil.example:8000", "0.0.0.0", False),
        ("192.168.1.5:8000", "http://192.168.1.5:8000", "0.0.0.0", True),
        ("[fe80::1]:8000", "http://[fe80::1]:8000", "::", True),
        ("192.168.1.5:8000", "http://192.168.1.5:8000", "127.0.0.1", False),
        (f"{socket.gethostname()}:8000", None, "0.0.0.0", True),
    ],
)
def test_a_request_is_ours_by_its_host_and_origin(host: str, origin: str | None, served_on: str, ours: bool) -> None:
    assert is_ours(host, origin, served_on) == ours


def test_a_file_name_reaches_the_explorer_as_one_word() -> None:
    name = "a lesson; rm -rf $HOME 'x'.json"
    assert command([name])[-1] == name


def test_what_cannot_be_served_is_said_in_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(SessionError, match=f"--port is {port} on 127.0.0.1, and another program has it; expected"):
            free_port("127.0.0.1", port)
    monkeypatch.setitem(sys.modules, "textual_serve.server", None)
    with pytest.raises(SessionError, match=r"expected `pip install 'dmlviz\[web\]'` to have been run"):
        serve([], "127.0.0.1", 0)
