"""A tab's process by itself, told what its server tells it: it ends when it is told to, whenever that is."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from textual import events
from textual.message import Message

from dmlviz.screens.input_parser import Parser
from dmlviz.screens.tab_driver import MOST_TYPED, read_message

pytestmark = pytest.mark.skipif(os.name != "posix", reason="the tests end processes as POSIX does")


def packet(kind: bytes, payload: bytes) -> bytes:
    return kind + len(payload).to_bytes(4, "big") + payload


@pytest.mark.parametrize(
    "told",
    [b"", packet(b"M", b'{"type": "quit"}'), packet(b"D", b"\x11"), packet(b"M", b'{"type": "exit"}')],
    ids=["its input is at its end", "quit", "ctrl+q", "exit"],
)
def test_a_tab_that_ends_at_once_prints_nothing(tmp_path: Path, told: bytes) -> None:
    environment = {**os.environ, "TEXTUAL_DRIVER": "dmlviz.screens.tab_driver:TabDriver", "HOME": str(tmp_path)}
    line = [sys.executable, "-P", "-m", "dmlviz"]
    ran = subprocess.run(line, input=told, env=environment, capture_output=True, timeout=60, check=False)
    assert (ran.returncode, ran.stderr) == (0, b"")


def read(*texts: str) -> list[Message]:
    parser = Parser()
    return [message for text in texts for message in read_message(parser, text)]


def keys(*texts: str) -> list[str]:
    return [each.key for each in read(*texts) if isinstance(each, events.Key)]


def test_an_escape_at_the_end_of_a_message_is_the_key_whatever_comes_next() -> None:
    assert keys("hello\x1b", "q", "\x1b", "\x1b", "[", "A") == [
        *"hello",
        "escape",
        "q",
        "escape",
        "escape",
        "left_square_bracket",
        "A",
    ]
    assert keys("\x1bq", "\x1b[A") == ["alt+q", "up"]


def test_a_message_of_no_text_takes_nothing_from_the_next() -> None:
    assert keys("a", "", "b", "\x1b", "", "c") == ["a", "b", "escape", "c"]


def test_all_characters_of_a_message_are_keys() -> None:
    found = [each.character for each in read("漢字 é", "😀x") if isinstance(each, events.Key)]
    assert found == [*"漢字 é", "😀", "x"]


@pytest.mark.parametrize("sequence", ["\x1b[1114112u", "\x1b[55296u", "\x1b[97;1;55296u", f"\x1b[{'9' * 25}u"])
def test_a_key_that_cant_exist_takes_nothing_with_it(sequence: str) -> None:
    assert [each for each in keys(f"a{sequence}b", "c") if each in "abc"] == ["a", "b", "c"]


@pytest.mark.parametrize("brackets", [("", ""), ("\x1b[200~", "\x1b[201~"), ("\x1b[200~", "")])
def test_what_nobody_types_at_once_is_a_paste(brackets: tuple[str, str]) -> None:
    text = "np.take(x, [0, 2], axis=0)\r" * 100
    assert len(text) > MOST_TYPED
    (found,) = read(f"{brackets[0]}\x1b[31m{text}\x00\x1b{brackets[1]}")
    assert isinstance(found, events.Paste)
    assert found.text == text
    assert keys("a") == ["a"]
