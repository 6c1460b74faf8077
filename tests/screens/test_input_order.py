"""Keys that come faster than the screen is drawn: each has its effect before the next, in a pseudo-terminal."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from support.real_terminal import HOVER, Terminal

from dmlviz.session import examples
from dmlviz.session.reading import load
from dmlviz.session.writing import save

NEXT, BEFORE, QUIT, SAVE, PALETTE = b"\x1b[1;5C", b"\x1b[1;5D", b"\x11", b"\x13", b"\x10"
DISCARD = b"\x04"  # ctrl+d


@pytest.fixture
def terminal(start: Callable[..., Terminal], size: tuple[int, int], tmp_path: Path) -> Terminal:
    """The explorer on two experiments of the same sizes."""
    session = examples.example("gather-2").session()
    first = session.experiments[0]
    save(replace(session, experiments=(first, replace(first, name="other"))), tmp_path / "two.json")
    terminal = start("two.json", size=size)
    terminal.until("✔ valid")
    return terminal


def ends(terminal: Terminal) -> None:
    assert terminal.ends() == 0
    assert b"Traceback" not in terminal.raw
    assert b"a fault of dmlviz's own" not in terminal.raw


def test_keys_are_heard_after_the_mouse_has_moved_and_words_in_the_palette_and_before_leaving(
    terminal: Terminal, tmp_path: Path
) -> None:
    terminal.mouse(HOVER, 60, 12)
    terminal.wait()
    terminal.send(b",")
    terminal.until("7 of 8")
    terminal.send(PALETTE + b"step unit\r\r" + PALETTE + b"zoom\r\r\r")
    terminal.until(lambda text: "Search" not in text)
    terminal.send(NEXT + b"e41\r" + BEFORE + b"e42\r" + NEXT + SAVE)
    terminal.until("saved to")
    one, other = load(tmp_path / "two.json").experiments
    assert [str(each.values["InputTensor"]).count("41") for each in (one, other)] == [0, 1]
    assert [str(each.values["InputTensor"]).count("42") for each in (one, other)] == [1, 0]
    terminal.send(b"e77\r" + QUIT)
    terminal.until("unsaved changes")
    terminal.send(DISCARD)
    ends(terminal)
