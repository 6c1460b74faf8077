"""`dmlviz class` as a program: its words, its processes, and what a kill of each leaves."""

from __future__ import annotations

import os
import signal
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest
from support.class_hall import Hall, waits
from support.commands import call

from dmlviz.cli import class_


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["-"], "argument FILE: standard input can't be read again, expected a file's name; `dmlviz class --help`"),
        (["gather-2", "--port", "70000"], '--port is "70000", expected an integer of 0 to 65,535.'),
        (["gather-2", "--public-url", "class.example.edu"], '--public-url is "class.example.edu", expected a scheme'),
        (
            ["gather-2", "--public-url", "https://a.example/b"],
            '--public-url is "https://a.example/b", expected a scheme',
        ),
        (["gather-2", "--public-url", "https://[::1"], '--public-url is "https://[::1", expected a scheme'),
        (["gather-2", "--public-url", "https://me@a.example"], "expected a scheme and a host"),
        (["gather-2", "--no-wall", "--host", ".."], "--host is .., expected a name or an address of this machine."),
        (["gather-2", "--save", "."], '--save is ".", which is there already, expected another name.'),
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
        ("HTTPS://Class.Example.EDU/", "https://class.example.edu"),
        ("https://a.example:8443", "https://a.example:8443"),
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
