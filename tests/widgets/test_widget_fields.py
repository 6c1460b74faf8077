"""The fields of a desc in a small app: what a row draws, and what keys and clicks do to it."""

from __future__ import annotations

from typing import Any

from support.one_session import one
from support.quiet_pilot import QuietPilot, Shown, show

import dmlviz as dml
from dmlviz.session import examples
from dmlviz.session.document import Document
from dmlviz.session.experiments import Session
from dmlviz.widgets.fields.field import Entry, Field
from dmlviz.widgets.fields.form import NEAR, Form
from dmlviz.workspace.explorer.workspace import Workspace

MANY = one(dml.Join((dml.TensorDesc("FLOAT32", (1, 2)),) * 20, 0))


class Fields(Shown):
    """A form, or with `strip` the line above the picture; what is typed is the workspace's."""

    def __init__(self, session: Session | str, **more: Any) -> None:
        found = examples.example(session).session() if isinstance(session, str) else session
        self.workspace = Workspace(Document(found, None))
        self.grown: list[tuple[str, int]] = []
        self.form = Form(self.typed, self.grow, id="form", **more)
        super().__init__(self.form)

    def typed(self, key: str, text: str) -> None:
        self.heard.append((key, text))
        self.workspace.type_in_field(key, text)
        self.form.present(self.workspace.state)

    def grow(self, key: str, more: int) -> None:
        self.grown.append((key, more))
        self.workspace.grow(key, more)
        self.form.present(self.workspace.state)

    async def begin(self, pilot: QuietPilot) -> None:
        self.form.present(self.workspace.state)
        await pilot.pause()

    async def focus_row(self, key: str, pilot: QuietPilot) -> None:
        assert self.form.focus_row(key)
        for _ in range(20):  # its field is made first
            await pilot.pause()
            if self.form.focused_key == key:
                break
        assert self.form.focused_key == key

    def text(self) -> list[str]:
        strips = self.screen._compositor.render_strips()
        return [text for strip in strips if (text := strip.text.rstrip())]

    def here(self) -> Entry:
        found = self.focused
        assert isinstance(found, Entry)
        return found


def field(app: Fields, key: str) -> Field:
    return app.form._fields[key]


def test_numbers_are_stepped_added_and_taken_at_the_cursor() -> None:
    app = Fields("tile-1")

    async def script(pilot: QuietPilot) -> None:
        await app.begin(pilot)
        assert app.form.focus_row("Repeats")
        await pilot.pause()
        entry = app.here()
        told = []
        for at, act, by in (
            (0, entry.step, 1),
            (99, entry.step, -1),
            (4, entry.step, 8),
            (5, entry.step, 1),
            (0, entry.resize, 1),
            (99, entry.resize, -1),
            (3, entry.resize, -1),
        ):
            entry.cursor_position = min(at, len(entry.value))
            act(by)
            told.append((entry.value, entry.cursor_position, entry.number))
        assert told == [
            ("2, 1, 3, 3", 0, 0),
            ("2, 1, 3, 2", 10, 3),
            ("2, 9, 3, 2", 4, 1),
            ("2, 9, 4, 2", 5, 2),
            ("2,2,9,4,2", 3, 1),
            ("2,2,9,4", 7, 3),
            ("2,9,4", 3, 1),
        ]
        for kept in ("x", "1" * 20, "1.5"):
            entry.value = kept
            entry.step(1)
            entry.resize(-1)
            assert entry.value == kept, "the last number stays"
        entry.value = "-1"
        entry.step(1)
        assert entry.value == "0"
        for key, taken in (("a", True), ("plus", True), ("comma", True), ("up", False), ("f3", False)):
            assert entry.check_consume_key(key, {"plus": "+", "comma": ",", "a": "a"}.get(key)) is taken

    show(app, script, (60, 30))


FORM = """
Desc
Operator        JOIN                      ▼
Feature level   1_0                       ▼
DataType        FLOAT32                   ▼
InputTensors[0] 1, 1, 2, 3
  values        1,2,3,4…              auto
InputTensors[1] 1, 1, 3, 3                 ◀
  values        1,2,3,4…              auto
+ add
OutputTensor    1, 1, 2, 6           given ◁
Axis            3
InputCount      2                     auto
"""


def test_a_form_draws_a_line_a_row_and_the_marks_of_the_one_with_the_focus() -> None:
    app = Fields("rule-sizes-match")

    async def script(pilot: QuietPilot) -> None:
        await app.begin(pilot)
        assert app.text()[: len(FORM.strip().split("\n"))] == FORM.strip().split("\n")
        for key, row, hint in (
            ("OutputTensor", "OutputTensor    1, 1, 2, 6           ‹›    ◁", "empty, it follows the inputs"),
            ("InputTensors[1]", "InputTensors[1] 1, 1, 3, 3             ‹›× ◀", "↑ ↓ step the number"),
            ("Operator", "Operator        JOIN                      ▼", "enter opens the list"),
            ("Axis", "Axis            3                       ‹›", ""),
        ):
            assert app.form.focus_row(key)
            await pilot.pause()
            assert row in app.text(), "\n".join(app.text())
            assert app.form.focused_key == app.form.here == key
            assert hint in app.text()[-1]

    show(app, script, (44, 24))


def test_a_strip_draws_its_fields_in_a_line_and_a_level_has_marks_for_its_lists() -> None:
    strip = Fields("rule-sizes-match", classes="-strip")
    level = Fields("tile-1", in_level=True)

    async def line(pilot: QuietPilot) -> None:
        await strip.begin(pilot)
        told = "Axis 3    Output 1, 1, 2, 6 ◁   Inputs[0] 1, 1, 2, 3    Inputs[1] 1, 1, 3, 3 ◀"
        assert strip.text() == [told]
        strip.form.focus_row("OutputTensor")
        await pilot.pause()
        assert strip.text() == [told.replace("6 ◁  ", "6 ‹›◁")]
        await pilot.press("tab")
        assert strip.form.focused_key == "InputTensors[0]"
        await pilot.press("shift+tab", "shift+tab", "shift+tab")
        assert strip.form.focused_key == "InputTensors[1]"
        for key, begin, end in (("Axis", "Axis 3", "…"), ("InputTensors[1]", "", "1, 1, 3, 3 ‹›◀")):
            await pilot.resize_terminal(60, 24)
            strip.form.focus_row(key)
            await pilot.pause()
            (text,) = strip.text()
            assert text.startswith(begin)
            assert text.endswith(end), "what is behind the edge is told, and scrolled to"

    async def marks(pilot: QuietPilot) -> None:
        await level.begin(pilot)
        level.form.focus_row("Repeats")
        await pilot.pause()
        (row,) = (row for row in level.text() if row.startswith("Repeats "))
        assert row.endswith("‹›+×")
        box = field(level, "Repeats")
        for mark, wanted in (("+", "1,1,1,3,3"), ("×", "1,1,3,3"), ("›", "2,1,3,3")):
            level.here().cursor_position = 0
            level.heard.clear()
            await pilot.click(box, offset=(row.index(mark) - box.region.x, 0))
            assert level.heard == [("Repeats", wanted)]
        await pilot.press("1", "f", "2", "enter")
        await pilot.pause()
        assert level.heard[-1] == ("Repeats", level.here().value)
        assert "f" not in level.here().value
        await pilot.press("tab")
        assert level.form.focused_key == "RepeatsCount"
        await pilot.press("shift+tab")
        assert level.form.focused_key == "Repeats"

    show(strip, line, (90, 3))
    show(level, marks, (60, 24))


def test_tensors_are_added_and_taken_where_the_focus_is_and_those_near_it_have_fields() -> None:
    app = Fields(MANY)

    def shown() -> list[int]:
        return [int(key[13:-1]) for key in app.form._fields if key.endswith("]")]

    async def script(pilot: QuietPilot) -> None:
        await app.begin(pilot)
        assert shown() == [*range(NEAR + 1)]
        await app.focus_row("InputTensors[0]", pilot)
        walked = []
        for _ in range(30):
            walked.append(app.form.focused_key)
            assert len(shown()) <= 2 * NEAR + 1
            await pilot.press("tab")
            await pilot.pause()
        tensors = [key for key in walked if key.endswith("]")]
        assert tensors == [f"InputTensors[{n}]" for n in range(15)], "more than have fields at once"
        await app.focus_row("InputTensors[13]", pilot)
        assert shown() == [*range(13 - NEAR, 13 + NEAR + 1)]
        await pilot.press("plus")
        await pilot.pause()
        assert (app.grown, app.form.focused_key) == ([("InputTensors[13]", 1)], "InputTensors[14]")
        await app.focus_row("InputTensors[20]", pilot)
        await pilot.press("minus")
        await pilot.pause()
        assert (app.grown[1:], app.form.focused_key) == ([("InputTensors[20]", -1)], "InputTensors[19]")
        await app.focus_row("InputTensors.add", pilot)
        await pilot.press("enter")
        assert app.grown[2:] == [("InputTensors[19]", 1)]

    show(app, script, (40, 40))
