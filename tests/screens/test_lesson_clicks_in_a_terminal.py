"""Clicks of a lesson as a terminal sends them: copies are stepped through, answers handed in, a task is edited."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from support.real_terminal import HOVER, LEFT, Terminal

from dmlviz.session import examples
from dmlviz.teaching.progress.hand_ins import read_hand_in

ENTER, PAGE_DOWN = "\r", "\x1b[6~"


@pytest.fixture
def lesson(tmp_path: Path) -> Path:
    """A session of one task: how many copies write the output of JOIN along its last axis? They are six."""
    session = json.loads(examples.example("join-2-axis-3").path.read_bytes())
    experiment = session["experiments"][0] | {"task": {"kind": "runs"}}
    session |= {"title": "Copies", "experiments": [experiment], "lesson": {"version": 1}}
    file = tmp_path / "copies.json"
    file.write_text(json.dumps(session))
    return file


@contextmanager
def program(*arguments: str, folder: Path) -> Iterator[Terminal]:
    terminal = Terminal([sys.executable, "-m", "dmlviz", *arguments], 100, 32, folder)
    yield terminal
    terminal.process.close(force=True)


def test_copies_are_stepped_through_and_answers_handed_in_by_clicks(lesson: Path) -> None:
    with program("learn", str(lesson), folder=lesson.parent) as shown:
        shown.until("Lessons")
        shown.click_text("Copies", below="The lesson of this session")
        shown.click_text(" 6 ", below="Answer")
        shown.click_text("↵")
        shown.until("Right. 6 copies")
        shown.click_text("▶▶")
        shown.until("copy 1 of 6")
        shown.click_text("▶|")
        lines = shown.until("copy 6 of 6").split("\n")
        y = next(y for y, line in enumerate(lines) if "copy 6 of 6" in line)
        for x in range(95, 100):  # behind the bar is nothing to be clicked
            shown.mouse(HOVER, x, y)
            shown.mouse(LEFT, x, y)
            shown.mouse(LEFT, x, y, pressed=False)
        shown.click_text("esc leave")
        shown.until("The lesson of this session")
        shown.click_text("h hand in")
        shown.click_text("Name or number")
        shown.send("Ada")
        shown.until("Copies-Ada.json")
        shown.click_text("Write it")
        shown.until(lambda text: "Write it" not in text)
    hand_in = read_hand_in(lesson.parent / "Copies-Ada.json")
    assert hand_in.name == "Ada"
    assert [(answer.kind, answer.answer, answer.right) for answer in hand_in.answers] == [("runs", 6, True)]


def test_copies_are_stepped_through_on_the_wall_by_clicks(lesson: Path) -> None:
    with program("present", str(lesson), folder=lesson.parent) as wall:
        wall.until("How many memcpys")
        wall.send(PAGE_DOWN)
        wall.until("copy 0 of 6")
        wall.click_text("▶▶")
        wall.until("copy 1 of 6")


def test_the_sign_of_a_task_opens_its_dialog_by_a_click(lesson: Path) -> None:
    with program(str(lesson), folder=lesson.parent) as explorer:
        explorer.until("InputCount")
        explorer.click_text("? runs", below="● saved")
        explorer.click_text("Afterwards")
        explorer.send("Six pieces." + ENTER)
        explorer.until("Six pieces.")
        explorer.click_text("Make it")
        explorer.until(lambda text: "InputCount" in text and "saved" in text and "● saved" not in text)
