"""Clicks as a terminal sends them: Textual's own test driver fills in what a real event doesn't have."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from support.real_terminal import HOVER, LEFT, Terminal

F2, UNDO, DELETE, OPEN, EXPERIMENTS = "\x1bOQ", "\x1a", "\x1b[3~", "\x0f", "\x05"


@pytest.fixture
def shown(start: Callable[..., Terminal]) -> Terminal:
    """JOIN as its example has it."""
    terminal = start("join-1", size=(80, 24))
    terminal.until("14 of 14")
    return terminal


def places(terminal: Terminal, text: str) -> list[tuple[int, int]]:
    """The places where a text begins, from the top: (column, line), counted from 0."""
    lines = terminal.text().split("\n")
    return [(found.start(), y) for y, line in enumerate(lines) for found in re.finditer(re.escape(text), line)]


def click_at(terminal: Terminal, x: int, y: int) -> None:
    terminal.mouse(HOVER, x, y)
    terminal.mouse(LEFT, x, y)
    terminal.wait()
    terminal.mouse(LEFT, x, y, pressed=False)


def without(text: str) -> Callable[[str], bool]:
    return lambda shown: text not in shown


def test_clicks_alone_add_a_step_of_the_course_press_a_dialogs_buttons_and_lead_to_a_field(shown: Terminal) -> None:
    shown.send(OPEN)
    shown.until("Start here", "dmlviz join-1")
    shown.click_text("Columns of three tensors")
    shown.until("dmlviz join-2-axis-3")
    shown.click_text("Add to")
    shown.until("JOIN · colu", "2 of 2", "● unsaved")
    shown.send(UNDO)
    shown.until("JOIN · two", without("● unsaved"))
    shown.send(EXPERIMENTS)
    shown.until("Experiments")
    shown.click_text("Copy (^d)")
    shown.until("side by side 2")
    shown.click_text("Delete")
    shown.until(without("side by side 2"))
    shown.click_text("Close (esc)")
    shown.until(without("Experiments:"))
    shown.send(F2)
    shown.until("DataType")
    shown.wait()
    y = next(y for y, line in enumerate(shown.text().split("\n")) if re.match(r"[ ▎] Axis ", line))
    click_at(shown, shown.text().split("\n")[y].index("3", 5), y)
    shown.wait()
    shown.send(f"{DELETE}1")
    shown.until("E_INVALIDARG")


def test_cells_the_bar_of_steps_its_buttons_and_words_of_the_footer_are_clicked(shown: Terminal) -> None:
    shown.until(lambda text: any(line.count(" 13 ") == 2 for line in text.split("\n")))
    cells = places(shown, " 13 ")[:2]  # in an input, and right of that in the output; memory is below
    click_at(shown, cells[1][0] + 1, cells[1][1])
    shown.until("OutputTensor[0,0,1,5] = InputTensors[1]")
    click_at(shown, cells[0][0] + 1, cells[0][1])
    shown.until("InputTensors[1][0,0,1,2]", without("OutputTensor[0,0,1,5] = InputTensors[1]"))
    for step, mark, end in ((0, "━", 0), (14, "─", -1), (0, "━", 0)):  # words of other lengths move the bar's ends
        click_at(shown, *places(shown, mark)[end])
        shown.until(f"step {step} of 14")
    for button, step in (("▶▶", 1), ("▶▶", 2), ("◀◀", 1), ("▶|", 14), ("|◀", 0)):
        shown.click_text(button)
        shown.until(f"step {step} of 14")
    shown.click_text("? keys")
    shown.until("Go to a coordinate")
    shown.click_text("Go to a coordinate")
    shown.until(without("Go to a coordinate"))
    shown.click_text("F2 form")
    shown.until("DataType")
    shown.click_text("esc picture")
    shown.until("0 of 14")
