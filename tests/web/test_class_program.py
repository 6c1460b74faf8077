"""`dmlviz class` as a program: its words, its processes, and what a kill of each leaves."""

from __future__ import annotations

import json
import os
import signal
import socket
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

import pytest
from support.class_hall import Hall, waits
from support.commands import call
from support.presentations import CLASSROOM

from dmlviz.cli import class_
from dmlviz.session.class_status import StatusFile
from dmlviz.session.presentation_state import StateFile
from dmlviz.web.class_server import Hall as ClassHall


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["-"], "class reads no session from standard input, expected a file, which wall and phones share."),
        (["gather-2", "--port", "70000"], '--port is "70000", expected an integer of 0 to 65,535.'),
        (["gather-2", "--public-url", "class.example.edu"], '--public-url is "class.example.edu", expected a scheme'),
        (
            ["gather-2", "--public-url", "https://a.example/b"],
            '--public-url is "https://a.example/b", expected a scheme',
        ),
        (["gather-2", "--public-url", "https://[::1"], '--public-url is "https://[::1", expected a scheme'),
        (["gather-2", "--public-url", "https://a.example:99999"], "expected a scheme and a host"),
        (["gather-2", "--public-url", "https://me@a.example"], "expected a scheme and a host"),
        (["gather-2", "--no-wall", "--host", ".."], "--host is .., expected a name or an address of this machine."),
        (["gather-2", "--save", "."], '--save is ".", expected a file in a folder that there is.'),
        (["gather-2", "--save", "no/f.jsonl"], '--save is "no/f.jsonl", expected a file in a folder that there is.'),
        (
            ["gather-2", "--no-wall", "--host", "203.0.113.9", "--port", "0"],
            "--port is 0 on 203.0.113.9, and that is no",
        ),
        (["no-such-file"], "no-such-file"),
        (["gather-2", "--pace", "mine"], "--pace"),
    ],
)
def test_wrong_words_are_one_sentence(words: list[str], sentence: str) -> None:
    result = call("class", *words)
    assert result.code == 2
    assert len(result.said) == 1
    assert sentence in result.said[0]


@pytest.mark.parametrize(
    ("url", "origin"),
    [
        ("HTTPS://Class.Example.EDU:443/", "https://class.example.edu"),
        ("http://a.example:80", "http://a.example"),
        ("https://a.example:8443", "https://a.example:8443"),
        ("https://m\u00fcller.example", "https://xn--mller-kva.example"),
        ("http://[::1]:8080", "http://[::1]:8080"),
    ],
)
def test_a_public_address_is_what_browsers_say_they_come_from(url: str, origin: str) -> None:
    assert class_._public_url(url) == origin


def test_what_is_there_is_not_written_over(tmp_path: Path) -> None:
    file = tmp_path / "mine.txt"
    file.write_text("mine")
    result = call("class", "gather-2", "--save", file)
    assert (result.code, "is there already" in result.said[0], file.read_text()) == (2, True, "mine")


# ---- the real program


@pytest.fixture
def port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


@pytest.fixture
def hall(tmp_path: Path, port: int) -> Iterator[Hall]:
    held = Hall(tmp_path, "--port", str(port), "--save", str(tmp_path / "kept.jsonl"))
    yield held
    held.close()


linux = pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="processes are looked up in /proc")


@linux
@pytest.mark.integration
def test_a_killed_server_comes_back_with_its_code_and_counts_and_the_end_forgets(hall: Hall) -> None:
    cookie = hall.student()
    shown = waits(lambda: hall.ask("GET", "/state", cookie)[0]["question"])
    hall.ask("PUT", "/answer", cookie, {"question": shown["id"], "vote": 0, "answer": "b"})
    for name in (signal.SIGKILL, signal.SIGTERM, signal.SIGKILL):
        before = hall.server
        os.kill(before, name)
        waits(partial(hall.is_other_than, before))
        state = waits(lambda: hall.ask("GET", "/state", cookie)[0])
        assert (state["mine"], state["answered"], state["question"]) == ("b", 1, shown)
        assert waits(hall.read)["code"] == hall.status["code"]
    hall.terminal.until("pgdn to the questions")
    hall.terminal.send("q")
    hall.terminal.until("1 of 1 answered")
    hall.terminal.send("q")
    hall.terminal.until("q again ends the class")
    hall.terminal.send("q")
    waits(hall.has_ended)
    assert [path.suffix for path in hall.states.iterdir()] == [".json"]
    kept = json.loads((hall.folder / "kept.jsonl").read_text())
    assert [answer["answer"] for answer in kept["answers"]] == ["b"]


@linux
@pytest.mark.integration
def test_a_killed_wall_leaves_phones_waiting_until_it_comes_back(hall: Hall, port: int) -> None:
    cookie = hall.student()
    shown = hall.ask("GET", "/state", cookie)[0]["question"]
    hall.ask("PUT", "/answer", cookie, {"question": shown["id"], "vote": 0, "answer": "c"})
    os.kill(hall.terminal.process.pid, signal.SIGKILL)
    hall.terminal.process.close(force=True)
    assert waits(lambda: hall.ask("GET", "/state", cookie)[0]["away"])
    again = Hall(hall.folder)  # on the port of before
    try:
        assert (again.status["code"], again.status["address"]) == (hall.status["code"], hall.status["address"])
        state = waits(lambda: (s := again.ask("GET", "/state", cookie)[0]) and not s["away"] and s)
        assert (state["mine"], state["answered"]) == ("c", 1)
    finally:
        again.close()


@pytest.mark.integration
def test_a_class_whose_server_is_killed_as_it_ends_is_saved_and_forgotten(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(class_, "QUICK", 1e9)
    monkeypatch.setattr(class_, "PAUSE", 1.0)  # it isn't started again before the end
    saved = tmp_path / "kept.jsonl"
    hall = ClassHall(name=str(CLASSROOM), bind="127.0.0.1", port=0, saves=str(saved))
    served = class_._Served(str(CLASSROOM), hall)
    status = StatusFile(StateFile(hall.name)).read()
    assert status is not None

    def ask(method: str, path: str, cookie: str = "", body: object = None) -> Any:
        data = json.dumps(body).encode() if body is not None else None
        head = {"Origin": status.address, "Cookie": cookie}
        return urlopen(Request(status.address + path, data, head, method=method), timeout=20)

    cookie = ask("GET", f"/{status.code}").headers["Set-Cookie"].partition(";")[0]
    shown = json.loads(ask("GET", "/state", cookie).read())["question"]["id"]
    ask("PUT", "/answer", cookie, {"question": shown, "vote": 0, "answer": "b"})
    served._process.kill()
    served._process.wait()
    assert served.end() == ""
    assert [answer["answer"] for answer in json.loads(saved.read_text())["answers"]] == ["b"]
    assert [path.suffix for path in StateFile(hall.name).file.parent.iterdir()] == [".json"]
