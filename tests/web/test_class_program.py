"""`dmlviz class` as a program: its words, its processes, and what a kill of each leaves."""

from __future__ import annotations

import json
import os
import signal
import socket
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

import pytest
from support.commands import call
from support.presentations import CLASSROOM
from support.real_terminal import Terminal


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["-"], "class reads no session from standard input, expected a file, which wall and phones share."),
        (["gather-2", "--port", "70000"], "--port is 70000, expected 0 to 65535."),
        (["gather-2", "--public-url", "class.example.edu"], '--public-url is "class.example.edu", expected a scheme'),
        (
            ["gather-2", "--public-url", "https://a.example/b"],
            '--public-url is "https://a.example/b", expected a scheme',
        ),
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


def test_what_is_there_is_not_written_over(tmp_path: Path) -> None:
    file = tmp_path / "mine.txt"
    file.write_text("mine")
    result = call("class", "gather-2", "--save", file)
    assert (result.code, "is there already" in result.said[0], file.read_text()) == (2, True, "mine")


# ---- the real program


def waits(until: Callable[[], Any], seconds: float = 60) -> Any:
    """What `until` gives, once that is something."""
    ends = time.monotonic() + seconds
    while time.monotonic() < ends:
        try:
            if found := until():
                return found
        except (OSError, ValueError, KeyError, StopIteration):
            pass
        time.sleep(0.02)
    raise AssertionError("nothing came of it")


class Hall:
    """`dmlviz class` in a terminal of its own."""

    def __init__(self, folder: Path, *words: str, width: int = 80, height: int = 24) -> None:
        self.folder = folder
        self.states = folder / ".home" / "xdg_state_home" / "dmlviz" / "presenting"
        line = [sys.executable, "-m", "dmlviz", "class", str(CLASSROOM), "--host", "127.0.0.1", *words]
        self.began = time.time()
        self.terminal = Terminal(line, width, height, folder)
        self.status = waits(self.read, 60)

    def is_other_than(self, server: int) -> bool:
        """True once the server is another process."""
        return self.server != server

    def read(self) -> Any:
        """The status, written since this began."""
        self.terminal.read(0.01)
        status = json.loads(next(self.states.glob("*.class")).read_bytes())
        return status if status["beat"] > self.began else None

    @property
    def server(self) -> int:
        """The server's process."""
        threads = Path(f"/proc/{self.terminal.process.pid}/task").iterdir()
        children = [child for thread in threads for child in (thread / "children").read_text().split()]
        return next(int(n) for n in children if b"class_program" in Path(f"/proc/{n}/cmdline").read_bytes())

    def has_ended(self) -> bool:
        """True once the program is gone."""
        self.terminal.read(0.01)
        return not self.terminal.process.isalive()

    def ask(self, method: str, path: str, cookie: str = "", body: Any = None) -> tuple[Any, str]:
        """(what the server gives, a cookie that it sets)."""
        url = self.status["address"]
        data = json.dumps(body).encode() if body is not None else None
        request = Request(url + path, data, {"Origin": url, "Cookie": cookie}, method=method)
        with urlopen(request, timeout=20) as response:
            text = response.read().decode()
            given = (response.headers.get("Set-Cookie") or "").partition(";")[0]
        return (json.loads(text) if text.startswith("{") else text), given

    def student(self) -> str:
        """The cookie of somebody who joins."""
        _, cookie = self.ask("GET", f"/{self.status['code']}")
        self.ask("GET", "/state", cookie)
        return cookie


@pytest.fixture
def port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


@pytest.fixture
def hall(tmp_path: Path, port: int) -> Iterator[Hall]:
    held = Hall(tmp_path, "--port", str(port), "--save", str(tmp_path / "kept.jsonl"))
    yield held
    held.terminal.process.close(force=True)


linux = pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="processes are looked up in /proc")


@linux
@pytest.mark.integration
def test_a_killed_server_comes_back_with_its_code_and_counts_and_the_end_forgets(hall: Hall) -> None:
    cookie = hall.student()
    shown = waits(lambda: hall.ask("GET", "/state", cookie)[0]["question"])
    hall.ask("PUT", "/answer", cookie, {"question": shown["id"], "vote": 0, "answer": "b"})
    for _ in range(3):
        before = hall.server
        os.kill(before, signal.SIGKILL)
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
        again.terminal.process.close(force=True)
