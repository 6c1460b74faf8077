"""Clicks as a terminal sends them: Textual's own test driver fills in what a real event doesn't have.

One program for each size is clicked by all of the tests; each finds JOIN as its example has it, nothing edited.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from support.real_terminal import HOVER, LEFT, MOVED, Terminal

from dmlviz.session import examples

SIZES = [(80, 24), (120, 36)]
WHEEL_UP, WHEEL_DOWN = 64, 65
F2, UNDO, HOME, END, ESCAPE, DELETE, OPEN = "\x1bOQ", "\x1a", "\x1b[H", "\x1b[F", "\x1b", "\x1b[3~", "\x0f"


class Clicked(Terminal):
    """The program in a terminal of one size, and where things stand on its screen."""

    def __init__(self, size: tuple[int, int], folder: Path) -> None:
        path = folder / "join.json"
        path.write_bytes(examples.example("join-1").path.read_bytes())
        super().__init__([sys.executable, "-m", "dmlviz", str(path)], *size, folder)
        self.process.delaybeforesend = None
        self.narrow = size[0] < 100
        self._read = 0, ""
        self.until("14 of 14")

    def text(self) -> str:
        if self._read[0] != len(self.raw):
            self._read = len(self.raw), super().text()
        return self._read[1]

    def shows(self, *texts: str | Callable[[str], bool]) -> None:
        """Waits until all of the texts are on the screen at once, and all conditions hold."""
        self.until(*texts)

    def loses(self, *texts: str) -> None:
        """Waits until none of the texts stands on the screen."""
        self.until(lambda shown: not any(text in shown for text in texts))

    def places(self, text: str, after: str = "") -> list[tuple[int, int]]:
        """The places where a text begins to the right of `after`, from the top: (column, line), counted from 0."""
        pattern = f"{re.escape(after)}.*?({re.escape(text)})"
        lines = self.text().split("\n")
        return [(found.start(1), y) for y, line in enumerate(lines) for found in re.finditer(pattern, line)]

    def place(self, text: str, after: str = "") -> tuple[int, int]:
        """Wait for a text to the right of `after`, and return the first place where it begins."""
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

    def click_field(self, label: str, text: str = "") -> None:
        """A click on the form's label, or on the text in its field; pictures may say the same word."""
        self.wait()
        field = re.compile(rf"[ ▎] {re.escape(label)} .*?({re.escape(text)})")
        lines = self.until(lambda shown: any(map(field.match, shown.split("\n")))).split("\n")
        found, y = next((found, y) for y, line in enumerate(lines) if (found := field.match(line)))
        self.click_at(found.start(1) if text else 3, y)

    def listed(self, text: str) -> str:
        """A list as the form has room for it: where it stands beside the picture, without spaces."""
        return text if self.narrow else text.replace(", ", ",")

    def show_form(self) -> None:
        if self.narrow:
            self.send(F2)
        self.shows("DataType")  # which the line above the picture hasn't
        self.wait()

    def title(self, text: str) -> str:
        """The output's title above its picture; the line above the picture has more behind its sizes."""
        found = re.search(r"Output(?:Tensor)? (?:FLOAT32 )?{1,1,2,7} *(?=  |\n)", text)
        return found[0] if found else ""

    def shows_title(self) -> None:
        self.shows(lambda text: bool(self.title(text)))

    def show_picture(self) -> None:
        if self.narrow:
            self.send(F2)
            self.loses("DataType")
        self.shows_title()
        self.wait()

    def rest(self) -> None:
        """Puts everything back: no edit, the picture, and the focus on its output."""
        self.wait()
        if "● saved" not in self.text():
            self.send(UNDO * 8)
            self.shows("● saved")
        if self.narrow and "DataType" in self.text():  # whatever in the form has the focus
            self.show_picture()
        if "e value" not in self.text() or "step 14 of 14" not in self.text():
            self.click(self.title(self.text()))
            self.shows("e value")
            self.send(HOME)  # at the last step already, its key would leave the cursor
            self.loses("14 of 14", "14 done")
            self.send(END)
            counted = "have other values"  # by the last edit, until the next one
            self.shows(lambda text: "step 14 of 14" in text or counted in text)
            assert counted not in self.text()


@pytest.fixture(
    scope="module",
    params=[pytest.param(SIZES[0], id="80x24"), pytest.param(SIZES[1], id="120x36", marks=pytest.mark.slow)],
)
def programs(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[Clicked]]:
    """The one program of a size; another takes its place where a test left it in a state that nothing undoes."""
    made = [Clicked(request.param, tmp_path_factory.mktemp("clicked"))]
    yield made
    for each in made:
        each.process.close(force=True)


@pytest.fixture
def shown(programs: list[Clicked], tmp_path: Path) -> Clicked:
    try:
        programs[-1].rest()
    except AssertionError:
        programs.append(Clicked(SIZES[0] if programs[-1].narrow else SIZES[1], tmp_path))
        programs[-1].rest()
    return programs[-1]


# ---- the gallery


@pytest.mark.slow
def test_clicks_alone_add_a_step_of_the_course_and_undo_takes_it_back(shown: Clicked) -> None:
    shown.send(OPEN)
    shown.shows("Start here", "What would Axis 2 have to say")
    shown.click("Columns of three tensors")
    shown.shows("dmlviz join-2-axis-3")
    shown.click(" Add ", by=2)
    shown.shows("JOIN · colu", "2 of 2", "● unsaved")
    shown.send(UNDO)
    shown.shows("● saved", "JOIN · two")


# ---- the form


def holds(label: str, text: str) -> Callable[[str], bool]:
    """True of a screen on which the form's field of that label begins with the text."""
    return lambda shown: re.search(rf"^[ ▎] {re.escape(label)} +{re.escape(text)}\b", shown, re.MULTILINE) is not None


def test_a_click_on_a_field_takes_the_focus_there_and_puts_the_cursor_at_the_character(shown: Clicked) -> None:
    shown.show_form()
    shown.click_field("Axis", "3")
    shown.shows("step the number")
    shown.send(f"{DELETE}1")
    shown.shows("E_INVALIDARG", holds("Axis", "1"))
    shown.click(shown.listed("1, 1, 2, 3"), after="InputTensors[0]  ", by=len(shown.listed("1, 1, ")))
    shown.shows("axis 2,")
    shown.send("4")
    shown.shows(shown.listed("1, 1, 42, 3"))
    shown.click("values")  # a label is its field's
    shown.shows("iota 1 1")


def test_a_click_on_the_field_that_is_typed_in_stays_in_it(shown: Clicked) -> None:
    shown.show_form()
    shown.click(shown.listed("1, 1, 2, 3"), after="InputTensors[0]  ")
    shown.shows("axis 0,")
    shown.click(shown.listed("1, 1, 2, 3"), after="InputTensors[0]  ", by=len(shown.listed("1, 1, 2, ")))
    shown.shows("axis 3 =")
    shown.send("0")
    shown.shows(shown.listed("1, 1, 2, 03")[1:])  # as much of it as there is room for


def test_a_click_on_the_question_mark_explains_the_field(shown: Clicked) -> None:
    shown.show_form()
    shown.click_field("Axis", "3")
    shown.shows("step the number")
    shown.click("?", after="step the number")
    shown.shows("Rules that speak of it", "axis.range", "JOIN page: Axis")
    shown.send(ESCAPE)
    shown.loses("Rules that speak of it")
    shown.shows("step the number")


def test_a_choice_opens_and_a_click_takes_an_option(shown: Clicked) -> None:
    shown.show_form()
    shown.click("▾", after="Operator")
    shown.shows("REVERSE_SUBSEQUENCES")
    shown.click("TILE")
    shown.shows(" TILE ", "Repeats", lambda text: "REVERSE_SUBSEQUENCES" not in text)
    shown.click("FLOAT32", after="DataType")
    shown.shows("UINT64")
    shown.click("FLOAT16")
    shown.shows(holds("DataType", "FLOAT16"), lambda text: "UINT64" not in text, "● unsaved")


def test_a_click_elsewhere_closes_the_choices(shown: Clicked) -> None:
    shown.show_form()
    shown.click("▾", after="Feature level")
    shown.shows("6_1")
    shown.click("InputCount")
    shown.loses("6_1")
    shown.shows("● saved")


def test_a_tensor_is_added_and_removed_by_clicks_alone(shown: Clicked) -> None:
    shown.show_form()
    shown.click("+ add")
    shown.shows("InputTensors[2]")
    shown.click("InputTensors[1]  ")
    shown.shows("↑ ↓ ×")
    shown.click("×")
    shown.loses("InputTensors[2]")
    shown.click("InputTensors[0]  ")
    shown.shows("↑ ↓ ×")
    shown.click("↓", after="↑ ")
    one, other = shown.listed("1, 1, 2, 3"), shown.listed("1, 1, 2, 4")
    shown.shows(lambda text: -1 < text.find(f" {other} ") < text.find(f" {one} "))


def test_what_is_given_is_inferred_by_a_click_and_given_by_another(shown: Clicked) -> None:
    shown.show_form()
    shown.click("given", after="OutputTensor  ")
    shown.shows(lambda text: text.count("auto") == 1 and text.count("given") == 1, "● unsaved")
    shown.click("auto")
    shown.shows(lambda text: text.count("given") == 2)


def test_marks_step_a_number_and_show_under_the_mouse(shown: Clicked) -> None:
    shown.show_form()
    x, y = shown.place("InputTensors[1]  ")
    shown.mouse(HOVER, x, y)
    shown.shows(lambda text: "↑ ↓ ×" in text.split("\n")[y])
    shown.click_field("Axis")
    shown.shows(" ◂ ▸", lambda text: "↑ ↓ ×" not in text)
    shown.click("▸", after="◂")
    shown.shows(holds("Axis", "4"))
    shown.click("◂")
    shown.shows(holds("Axis", "3"))


# ---- the desc above the picture


def test_the_line_above_the_picture_is_edited_by_clicks_and_the_wheel(shown: Clicked) -> None:
    if not shown.narrow:
        pytest.skip("the form stands beside the picture there")
    shown.click("›", after="Axis ‹3")
    shown.shows("Axis ‹4›◀", "E_INVALIDARG", "Axis is 4, expected 0 to 3")  # the field and what it does, at once
    shown.click("‹", after="Axis ")
    shown.shows("Axis ‹3›", "✔ valid", "● saved")
    x, y = shown.place("3›", after="Axis ‹")
    shown.wait()
    shown.mouse(WHEEL_DOWN, x, y)
    shown.shows("Axis ‹2›", "E_INVALIDARG")
    shown.mouse(WHEEL_UP, x, y)
    shown.shows("Axis ‹3›", "✔ valid")
    shown.click("7}", after="Output ")
    shown.shows("Output {1,1,2‹7› given")
    shown.click("given")
    shown.shows("auto")
    shown.click("1 more", after="auto")  # what is out of sight comes with a click on how much that is
    shown.shows("+1  Output", "InputCount ‹2›")
    shown.click("1,1,2,4}", after="[1] {")
    shown.shows("[1] ‹1›1,2,4}")
    shown.send("q")
    shown.shows("not read: esc leaves it as it was")
    shown.send(ESCAPE)
    shown.shows("e value", "Axis ‹3›", "{1,1,2,7} auto", "✔ valid")


# ---- picture and steps


def test_a_cell_takes_the_cursor_and_the_formula_follows(shown: Clicked) -> None:
    shown.shows(lambda text: any(line.count(" 13 ") == 2 for line in text.split("\n")))
    cells = shown.places(" 13 ")[:2]  # in an input, and right of that in the output; memory is below
    shown.click_at(cells[1][0] + 1, cells[1][1])
    shown.shows("OutputTensor[0,0,1,5] = InputTensors[1]")
    shown.click_at(cells[0][0] + 1, cells[0][1])
    shown.shows("InputTensors[1][0,0,1,2]", lambda text: "OutputTensor[0,0,1,5] = InputTensors[1]" not in text)


def test_the_bar_of_steps_is_clicked_and_dragged(shown: Clicked) -> None:
    first, y = shown.place("━")
    last = max(x for x, line in shown.places("━") if line == y)
    shown.click_at(first, y)
    shown.shows("step 0 of 14")
    x, y = shown.place("─", after="step 0 of 14")  # the text before it has become shorter
    shown.click_at((x + last) // 2, y)
    shown.shows("step 7 of 14")
    shown.mouse(LEFT, last - 2, y)
    shown.mouse(MOVED, last, y)
    shown.shows("step 14 of 14")
    shown.mouse(MOVED, 0, 0)
    shown.shows("step 0 of 14")
    shown.mouse(LEFT, 0, 0, pressed=False)
    shown.mouse(HOVER, last, y)
    shown.click("▶▶")
    shown.shows("step 1 of 14")


def test_the_transport_is_worked_by_its_buttons(shown: Clicked) -> None:
    for button, step in (("|◀", 0), ("▶▶", 1), ("▶▶", 2), ("◀◀", 1), ("▶|", 14)):
        shown.click(button)
        shown.shows(f"step {step} of 14")
    shown.click("|◀")
    shown.shows("step 0 of 14")
    shown.click(" ▶ ", by=1)  # without animations a pass is one step
    shown.shows("step 1 of 14")
    for unit in ("run", "slice", "whole", "element"):
        shown.click("by ", after="of ")
        shown.shows(f"by {unit}")


# ---- lines of words


def test_words_of_the_footer_do_what_their_keys_do(shown: Clicked) -> None:
    shown.click("? keys")
    shown.shows("The cell cursor")
    shown.click("The cell cursor")
    shown.loses("The cell cursor")
    shown.click("step", after=", . ")
    shown.shows("step 14 of 14")
    shown.click(",", after="space play")
    shown.shows("step 13 of 14")
    if shown.narrow:
        shown.click("F2 form")
        shown.shows("DataType")
        shown.click("esc picture")
        shown.shows_title()


def test_a_level_is_chosen_by_a_click(shown: Clicked) -> None:
    if shown.narrow:
        shown.send("v")  # there is no room for the strip
        shown.shows("DimensionCount")
        shown.wait()
        x, y = shown.place("3_0")[0] + 1, shown.place("FLOAT32 ▸✔◂")[1]
        shown.click_at(x, y)
        shown.shows("Enter sets feature level 3_0")
        shown.click_at(x, y)
        shown.shows("JOIN · 3_0")
        shown.send(ESCAPE)
        shown.shows("step 14 of 14")
    else:
        shown.click("3_0", after="Levels")
    shown.shows(" level 3_0", "● unsaved")
    if not shown.narrow:
        shown.click("Levels")
        shown.shows("enter or 2nd click sets")
        shown.send(ESCAPE)
        shown.shows("step 14 of 14")


def test_rules_open_and_a_fix_is_applied_by_a_click(shown: Clicked) -> None:
    shown.show_form()
    shown.click("o opens")
    shown.shows("o closes")
    shown.click("o closes")
    shown.shows("o opens")
    shown.click_field("Axis", "3")
    shown.shows("step the number")
    shown.send(f"{DELETE}2")
    shown.shows("E_INVALIDARG")
    shown.show_picture()
    shown.shows("Axis 2 → 3")
    shown.click("Axis 2 → 3")
    shown.shows("✔ valid")


# ---- dialogs


def test_buttons_of_a_dialog(shown: Clicked) -> None:
    shown.send("\x05")  # ctrl+e
    shown.shows("Experiments")
    shown.click("Duplicate")
    shown.shows("side by side 2")
    shown.click("Undo")
    shown.loses("side by side 2")
    shown.send(ESCAPE)
    shown.loses("Experiments ")


def test_a_question_is_answered_by_its_buttons(shown: Clicked) -> None:
    shown.show_form()
    shown.click("given", after="OutputTensor  ")
    shown.shows("● unsaved")
    shown.send("\x11")  # ctrl+q
    shown.shows("unsaved changes")
    shown.click("Cancel (esc)")
    shown.loses("unsaved changes")
    shown.shows("● unsaved")


def test_the_colour_key_is_closed_by_a_click_beside_it(shown: Clicked) -> None:
    shown.send("p")
    shown.shows("Colour key")
    if shown.narrow:
        shown.send(ESCAPE)
    else:
        shown.click_at(0, 0)
    shown.shows("step 14 of 14")


def test_what_has_more_lines_is_turned_by_the_wheel_and_by_a_click_on_its_mark(shown: Clicked) -> None:
    shown.show_form()
    shown.shows("o opens")
    shown.click("o opens")
    shown.shows("o closes")
    shown.wait()
    x, y = shown.place("o closes")
    bottom = next(line for _, line in shown.places("more lines") if line > y)
    shown.mouse(WHEEL_DOWN, x, y)
    shown.shows(lambda text: "above  ▾" in text.split("\n")[bottom])
    shown.mouse(WHEEL_UP, x, y)
    shown.shows("o closes", lambda text: "above" not in text.split("\n")[bottom])
    shown.wait()
    shown.click_at(x, bottom)
    shown.shows(lambda text: "above" in text.split("\n")[bottom])
    shown.loses("o closes")
    for _ in range(30):  # to the end, and from there to the beginning again
        shown.wait()
        if "o closes" in shown.text():
            break
        before = shown.text().split("\n")[bottom]
        shown.click_at(x, bottom)
        shown.shows(lambda text, before=before: text.split("\n")[bottom] != before)  # type: ignore[misc]
    shown.click("o closes")
    shown.shows("o opens")


def test_the_kernel_run_by_a_click_covers_neither_steps_nor_formula(shown: Clicked) -> None:
    """The last test: nothing takes the kernel's panel away again."""
    shown.send(HOME + END)  # a key, after which the footer has the picture's keys
    shown.click("r run", by=1)
    shown.shows("  Kernel ", "step 14 of 14", " = Input")
