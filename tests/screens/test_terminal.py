"""The program itself in a real pseudo-terminal, read by a terminal emulator."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable
from pathlib import Path

from support.real_terminal import Terminal

from dmlviz.session import examples

Start = Callable[..., Terminal]


def test_a_first_launch_opens_on_an_example_and_keys_work(start: Start) -> None:
    terminal = start(size=(80, 24), first=True)
    terminal.until("How do you want to begin?")
    terminal.send("\x1b")
    terminal.until("8 of 8", "GATHER · row gather", "✔ valid", "OutputTensor[0,0]")
    terminal.send("\x1b[B")  # down
    terminal.until("OutputTensor[1,0]")
    terminal.send("\x1b[H")  # home
    assert terminal.until("0 of 8").count("·") >= 8
    terminal.send("..")
    terminal.until("2 of 8")
    terminal.send(" ")  # without animations a key press is a step
    terminal.until("3 of 8")
    terminal.quits()


def test_a_file_is_given_or_piped_in(start: Start, tmp_path: Path) -> None:
    path = examples.example("join-1").path
    terminal = start(str(path), size=(80, 24))
    terminal.until("JOIN")
    terminal.quits()
    line = f"cat {shlex.quote(str(path))} | {shlex.quote(sys.executable)} -m dmlviz -"
    terminal = Terminal(["/bin/sh", "-c", line], 80, 24, tmp_path)
    terminal.until("JOIN")
    terminal.send("\x1b[B")
    terminal.send("\x1b[H")
    terminal.until("step 0 of")
    terminal.quits()


def test_a_resize_is_followed(terminal: Terminal) -> None:
    for width, height, shown in ((50, 15, "nothing is lost"), (80, 24, "step 8 of 8")):
        terminal.screen.resize(height, width)
        terminal.process.setwinsize(height, width)
        terminal.until(shown)
    terminal.quits()
