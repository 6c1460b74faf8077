"""The explorer in a browser tab: a real server, its processes, and what it doesn't let in."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import aiohttp
import pytest
from support.processes import children
from support.served import Page, origin_of, served, shown, socket_of, soon, visitor
from yarl import URL

from dmlviz.errors import SessionError
from dmlviz.session import examples
from dmlviz.session.writing import save
from dmlviz.web.access import is_ours, listener
from dmlviz.web.server import MOST_MESSAGE, REFUSED, serve
from dmlviz.worker import child_process

pytestmark = pytest.mark.skipif(os.name != "posix", reason="the tests end processes as POSIX does")


def test_a_visitor_without_it_gets_nothing_over_http_a_websocket() -> None:

    async def script(address: str) -> None:
        origin, secret = origin_of(address), address.partition("?secret=")[2]
        wrong = f"{secret[:-1]}{'A' if secret[-1] != 'A' else 'B'}"
        others = [{"Host": "elsewhere.example"}, {"Origin": "http://elsewhere.example"}, {"Origin": "null"}]
        others += [{"Host": f"127.0.0.2:{origin.rpartition(':')[2]}"}, {"Origin": "http://127.0.0.1:1"}]
        async with aiohttp.ClientSession(origin) as client:
            for path in ("/", "/?secret=", f"/?secret={wrong}", "/?secret", "/ws", f"/ws/{wrong}", "/upload", "/no"):
                for method in ("GET", "HEAD", "POST", "PUT", "OPTIONS"):
                    for headers in ({}, {"Origin": origin}, *others):
                        async with client.request(method, URL(path, encoded=True), headers=headers) as answer:
                            assert answer.status == 403, (method, path, headers)
                            assert await answer.text() == (REFUSED if method != "HEAD" else "")
                for headers in ({}, {"Origin": origin}, *others):
                    with pytest.raises(aiohttp.WSServerHandshakeError) as refused:
                        await client.ws_connect(URL(path, encoded=True), headers=headers)
                    assert refused.value.status == 403, (path, headers)
            for headers in others:
                for path in (f"/?secret={secret}", f"/ws/{secret}", "/static/js/textual.js"):
                    async with client.get(path, headers=headers) as answer:
                        assert (answer.status, await answer.text()) == (403, REFUSED), headers
            with pytest.raises(aiohttp.WSServerHandshakeError):
                await client.ws_connect(socket_of(address))  # a browser says where it comes from
            for path in ("/download/0", "/static/none", "/static/..%2fserver.py"):
                async with client.get(URL(path, encoded=True)) as answer:
                    assert answer.status in (403, 404), path
            async with client.get(f"/?secret={secret}") as answer:
                assert answer.status == 200
                assert "frame-ancestors 'none'" in answer.headers["Content-Security-Policy"]
                assert answer.headers["Referrer-Policy"] == "no-referrer"
                assert answer.headers["Server"] == "dmlviz"
                assert "Set-Cookie" not in answer.headers

    with served() as (process, address):
        asyncio.run(script(address))
        assert not children(process.pid), "nothing was started for anybody"


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGKILL])
def test_none_of_their_processes_outlives_the_server_even_a_kill_9(how: signal.Signals) -> None:

    async def script(process: subprocess.Popen[str], address: str) -> list[int]:
        async with visitor(address) as client:
            sockets = [await client.ws_connect(socket_of(address)) for _ in range(2)]
            for each in sockets:
                await shown(each, b"runs and times it")
                await each.send_json(["stdin", "r"])
            tabs = children(process.pid)
            assert len(tabs) == 2, "no shell stands between"
            await soon(lambda: all(children(tab) for tab in tabs), "the workers that compile")
            workers = [worker for tab in tabs for worker in children(tab)]
            process.send_signal(how)
            if how is signal.SIGTERM:
                assert await asyncio.to_thread(process.wait, 60) == 0
            return tabs + workers

    with served() as (process, address):
        for pid in asyncio.run(script(process, address)):
            assert _ends(pid, 60), "it has outlived its server"


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


def test_a_tab_gives_the_focus_to_the_picture_by_the_browser_s() -> None:
    """A tab begins without the focus, before its explorer has given it to anything."""

    async def script(address: str) -> None:
        async with visitor(address) as client, client.ws_connect(socket_of(address), max_msg_size=0) as socket:
            opened = Page(client, socket)
            await opened.until("by element")  # a picture was laid out meanwhile, and can be stepped
            await opened.send("focus")
            await opened.until(lambda text: "? keys" in text and "e value" in text and "esc picture" not in text)

    with served("gather-2") as (_, address):
        asyncio.run(script(address))


def test_a_page_that_sends_no_messages_ends_its_tab_alone() -> None:
    junk = ("{", '["resize", {}]', "x" * (MOST_MESSAGE + 1))

    async def script(process: subprocess.Popen[str], address: str) -> None:
        async with visitor(address) as client:
            other = await client.ws_connect(socket_of(address, "1e9", "x"), max_msg_size=0)
            await shown(other, b"GATHER")
            for text in junk:
                async with client.ws_connect(socket_of(address), max_msg_size=0) as page:
                    await page.send_str(text)
                    async with asyncio.timeout(60):
                        while (await page.receive()).type not in (aiohttp.WSMsgType.CLOSE, aiohttp.WSMsgType.CLOSED):
                            pass
            await soon(lambda: len(children(process.pid)) == 1, "their ends")
            await other.send_json(["resize", {"width": 10**9, "height": -1}])
            await other.send_json(["stdin", "?"])
            await shown(other, b"keys")

    with served("gather-2") as (process, address):
        asyncio.run(script(process, address))


def _ends(pid: int, seconds: float) -> bool:
    """True if a process ends in so many seconds."""
    ends = time.monotonic() + seconds
    while time.monotonic() < ends:
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
    save(examples.example("gather-2").session(), tmp_path / "a lesson; rm -rf $HOME 'x'.json")

    async def script(address: str) -> None:
        async with visitor(address) as client, client.ws_connect(socket_of(address)) as socket:
            await shown(socket, b"GATHER")

    with served("a lesson; rm -rf $HOME 'x'.json", folder=tmp_path) as (_, address):
        asyncio.run(script(address))
    assert not (tmp_path / "ran").exists()


def test_a_request_is_ours_by_its_host_and_origin() -> None:
    for host, origin, served_on, ours in (
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
        (f"{socket.gethostname()}:8000", None, "0.0.0.0", False),
    ):
        assert is_ours(host, origin, served_on) == ours, (host, origin, served_on)


def test_what_cannot_be_served_is_said_in_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(
            SessionError, match=f"--port is {port} on 127.0.0.1, which can't be had: Address already in use; expected"
        ):
            listener("127.0.0.1", port)
    monkeypatch.setitem(sys.modules, "textual_serve.server", None)
    with pytest.raises(SessionError, match=r"`.venv/bin/pip install '.\[web\]'` in"):
        serve([], "127.0.0.1", 0)
