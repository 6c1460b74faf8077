"""Clicks as a terminal sends them: Textual's own test driver fills in what a real event doesn't have."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from support.real_terminal import HOVER, LEFT, MOVED, Terminal

from dmlviz.session import examples

F2, UNDO, DELETE, OPEN, EXPERIMENTS = "\x1bOQ", "\x1a", "\x1b[3~", "\x0f", "\x05"


class Clicked(Terminal):
    """JOIN as its example has it, and where things stand on its screen."""

    def __init__(self, folder: Path) -> None:
        path = folder / "join.json"
        path.write_bytes(examples.example("join-1").path.read_bytes())
        super().__init__([sys.executable, "-m", "dmlviz", str(path)], 80, 24, folder)
        self.until("14 of 14")

    def places(self, text: str, after: str = "") -> list[tuple[int, int]]:
        """The places where a text begins to the right of `after`, from the top: (column, line), counted from 0."""
        pattern = f"{re.escape(after)}.*?({re.escape(text)})"
        lines = self.text().split("\n")
        return [(found.start(1), y) for y, line in enumerate(lines) for found in re.finditer(pattern, line)]

    def place(self, text: str, after: str = "") -> tuple[int, int]:
        """Waits for a text to the right of `after`, and returns the first place where it begins."""
        self.until(lambda _: bool(self.places(text, after)))
        return self.places(text, after)[0]

    def click_at(self, x: int, y: int) -> None:
        self.mouse(HOVER, x, y)
        self.mouse(LEFT, x, y)
        self.wait()
        self.mouse(LEFT, x, y, pressed=False)

    def click(self, text: str, after: str = "", by: int = 0) -> None:
        """A click on a text, `by` columns behind its first."""
        self.wait()
        x, y = self.place(text, after)
        self.click_at(x + by, y)


@pytest.fixture
def shown(tmp_path: Path) -> Iterator[Clicked]:
    terminal = Clicked(tmp_path)
    yield terminal
    terminal.process.close(force=True)


def test_clicks_alone_add_a_step_of_the_course_and_undo_takes_it_back(shown: Clicked) -> None:
    shown.send(OPEN)
    shown.until("Start here", "What would Axis 2 have to say")
    shown.click("Columns of three tensors")
    shown.until("dmlviz join-2-axis-3")
    shown.click(" Add to", by=2)
    shown.until("JOIN · colu", "2 of 2", "● unsaved")
    shown.send(UNDO)
    shown.until("● saved", "JOIN · two")


def test_a_click_on_a_field_takes_the_focus_there(shown: Clicked) -> None:
    shown.send(F2)
    shown.until("DataType")
    shown.wait()
    y = next(y for y, line in enumerate(shown.text().split("\n")) if re.match(r"[ ▎] Axis ", line))
    shown.click_at(shown.text().split("\n")[y].index("3", 5), y)
    shown.wait()
    shown.send(f"{DELETE}1")
    shown.until("E_INVALIDARG")


def test_a_cell_takes_the_cursor_and_the_formula_follows(shown: Clicked) -> None:
    shown.until(lambda text: any(line.count(" 13 ") == 2 for line in text.split("\n")))
    cells = shown.places(" 13 ")[:2]  # in an input, and right of that in the output; memory is below
    shown.click_at(cells[1][0] + 1, cells[1][1])
    shown.until("OutputTensor[0,0,1,5] = InputTensors[1]")
    shown.click_at(cells[0][0] + 1, cells[0][1])
    shown.until("InputTensors[1][0,0,1,2]", lambda text: "OutputTensor[0,0,1,5] = InputTensors[1]" not in text)


def test_the_bar_of_steps_is_clicked_and_dragged(shown: Clicked) -> None:
    first, y = shown.place("━")
    last = max(x for x, line in shown.places("━") if line == y)
    shown.click_at(first, y)
    shown.until("step 0 of 14")
    x, y = shown.place("─", after="step 0 of 14")  # the text before it has become shorter
    shown.click_at((x + last) // 2, y)
    shown.until("step 7 of 14")
    shown.mouse(LEFT, last - 2, y)
    shown.mouse(MOVED, last, y)
    shown.until("step 14 of 14")
    shown.mouse(MOVED, 0, 0)
    shown.until("step 0 of 14")
    shown.mouse(LEFT, 0, 0, pressed=False)
    shown.mouse(HOVER, last, y)
    shown.click("▶▶")
    shown.until("step 1 of 14")


def test_the_transport_is_worked_by_its_buttons(shown: Clicked) -> None:
    for button, step in (("|◀", 0), ("▶▶", 1), ("▶▶", 2), ("◀◀", 1), ("▶|", 14)):
        shown.click(button)
        shown.until(f"step {step} of 14")
    shown.click("by ", after="of ")
    shown.until("by run")


def test_words_of_the_footer_do_what_their_keys_do(shown: Clicked) -> None:
    shown.click("? keys")
    shown.until("Step forward")
    shown.click("Step forward")
    shown.until(lambda text: "Step forward" not in text)
    shown.click(",", after="space play")
    shown.until("step 13 of 14")
    shown.click("F2 form")
    shown.until("DataType")
    shown.click("esc picture")
    shown.until("step 13 of 14")


def test_buttons_of_a_dialog(shown: Clicked) -> None:
    shown.send(EXPERIMENTS)
    shown.until("Experiments")
    shown.click("Copy (^d)")
    shown.until("side by side 2")
    shown.click("Undo")
    shown.until(lambda text: "side by side 2" not in text)
    shown.click("Show it")
    shown.until(lambda text: "Experiments " not in text)
