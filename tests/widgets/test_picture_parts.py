"""The lane between both sides, the transport, formula and memory: their lines, made without an app."""

from __future__ import annotations

from typing import Any

from support.golden import Golden, marked
from support.one_session import experiment_of, one
from support.quiet_pilot import QuietPilot, Shown, show
from support.scenes import into, out
from textual import on

import dmlviz as dml
from dmlviz.scene.elements.cursor import Cursor
from dmlviz.scene.spans import Line, length
from dmlviz.scene.steps.player import WAYS, Player
from dmlviz.session.document import Document
from dmlviz.session.experiments import Session
from dmlviz.widgets.picture.flow_lane import Chip, Flow, lane_lines
from dmlviz.widgets.picture.formula_line import FormulaLine
from dmlviz.widgets.picture.memory_strip import MemoryStrip
from dmlviz.widgets.picture.picture_pane import PicturePane
from dmlviz.widgets.picture.tensor_stack import TensorStack
from dmlviz.widgets.picture.transport import Transport, lay, share_done, wordings
from dmlviz.workspace.explorer.workspace import Workspace
from dmlviz.workspace.shown.picture import Room

GOLDEN = Golden(__file__)


def opened(session: Session | str) -> Workspace:
    found = Session((experiment_of(session),)) if isinstance(session, str) else session
    workspace = Workspace(Document(found, None))
    workspace.fit(Room(74, 20))
    return workspace


def flow(start: int, stop: int, *values: str, **more: Any) -> Flow:
    return Flow(tuple(Chip(text, k) for k, text in enumerate(values)), start, stop, **more)


def text(lines: list[Line]) -> list[str]:
    return ["".join(span.text for span in line) for line in lines]


def test_golden_picture_parts() -> None:
    lanes = {
        "straight": (flow(1, 1, "7"), 14, 3),
        "down, half way": (flow(0, 3, "7", way=6), 14, 4),
        "up, several, and more": (flow(4, 0, "7", "12", way=9, more=1200), 14, 5),
        "from above what is seen": (flow(-1, 2, "7"), 12, 3),
        "to below what is seen": (flow(0, 3, "7"), 12, 3),
        "too long for its lane": (flow(0, 0, "123456789", more=20), 9, 2),
        "an arrow that goes on": (flow(1, 0, goes_on=True), 9, 2),
    }
    told = [f"- {name}\n{marked(lane_lines(*given))}" for name, given in lanes.items()]
    workspace, lines = opened("gather-2"), []
    workspace.step(1)
    workspace.step(1)
    for width, unit, is_at in ((76, 0, True), (60, 1, True), (44, 0, False), (40, 0, True), (20, 0, True)):
        workspace.turn_unit(unit)
        if not is_at:
            workspace.point(out(3, 1))
        picture = workspace.state.picture
        said = wordings(picture, "stage 2 of 3" * (width == 76))
        lines.append(lay(said, width, share_done(picture), playing=width == 60).spans)
    lines += [lay(wordings(picture, covered=True), 60, None).spans, lay(wordings(picture), 44, 1.0).spans]
    GOLDEN.check({"lanes and the transport": "\n".join((*told, marked(lines)))})


def test_a_chip_goes_from_the_source_along_the_wire_to_the_head() -> None:
    for start, stop in ((0, 4), (4, 0), (2, 2), (-1, 3), (1, 9)):
        places = []
        for way in range(WAYS + 1):
            told = text(lane_lines(flow(start, stop, "7", way=way), 16, 5))
            (y,) = [y for y, line in enumerate(told) if "A 7" in line]
            places.append((told[y].index("A 7"), y))
        assert places[0][1] == max(0, start)
        assert places[-1] == (9, min(4, stop))
        assert [y for _, y in places] == sorted((y for _, y in places), reverse=stop < start)
        assert [x for x, _ in places] == sorted(x for x, _ in places)
        assert len({*places}) > 4
    assert [lane_lines(flow(*ends, "7"), 16, 3) for ends in ((-1, -2), (3, 5))] == [[[]] * 3] * 2
    assert lane_lines(flow(0, 2, "7"), 5, 3) == lane_lines(None, 9, 3) == [[]] * 3


def test_the_bar_is_empty_before_the_first_step_and_full_after_the_last() -> None:
    workspace = opened("gather-2")
    for step in range(9):
        workspace.picture.player = Player(step=step)
        share = share_done(workspace.state.picture)
        laid = lay(wordings(workspace.state.picture), 60, share)
        left, bar = laid.bar
        drawn = text([laid.spans])[0][left : left + bar]
        assert drawn == "━" * drawn.count("━") + "─" * drawn.count("─")
        full = 0 if not step else round(step / 8 * (bar - 1)) + 1
        assert (len(drawn), drawn.count("━")) == (bar, full)
        assert length(laid.spans) == 60


class Pane(Shown):
    """A pane with all that moves with it."""

    CSS = "#picture { height: 12; } TensorStack { width: 1fr; } #steps { height: 1; } #memory { height: 6; }"

    def __init__(self, workspace: Workspace) -> None:
        self.workspace = workspace
        self.pane = PicturePane(TensorStack, id="picture")
        self.parts = Transport(id="steps"), FormulaLine(id="formula"), MemoryStrip(id="memory")
        super().__init__(self.pane, *self.parts)

    @on(TensorStack.Pointed)
    @on(Transport.Pressed)
    def hear(self, message: TensorStack.Pointed | Transport.Pressed) -> None:
        self.heard.append(message)

    def present(self) -> None:
        state = self.workspace.state
        for each in (self.pane, *self.parts):
            each.present(state)

    def seen(self, cursor: Cursor) -> bool:
        """True if an element is drawn where it is found again."""
        side = self.pane.sides[cursor.place.is_output]
        assert side.stack is not None
        x, y = side.stack.locate(cursor)
        left, top = side.scroll_offset
        width, height = side.scrollable_content_region.size
        return 0 <= x - left < width - 1 and 0 <= y - top < height and not side.stack.covers(y - top, top)


def test_a_pane_shows_what_is_looked_at_and_says_what_is_pointed_at() -> None:
    workspace = opened(one(dml.Tile(dml.TensorDesc("FLOAT32", (1, 2, 40, 30)), (1, 1, 2, 1))))
    app = Pane(workspace)

    async def script(pilot: QuietPilot) -> None:
        async def settle() -> None:
            app.present()
            await pilot.pause()

        inputs, outputs = app.pane.sides
        workspace.fit(Room(app.pane.columns, 12, lane=app.pane.spare))
        await settle()
        for at in ((0, 0, 0, 0), (0, 0, 79, 29), (0, 1, 41, 15), (0, 0, 3, 0)):
            workspace.point(out(*at))
            await settle()
            assert app.seen(out(*at))
            assert app.seen(into(0, at[1], at[2] % 40, at[3]))
            flow, source = app.pane.lane.flow, into(0, at[1], at[2] % 40, at[3])
            assert flow is not None
            assert (inputs.line_of(source), outputs.line_of(out(*at))) == (flow.start, flow.stop)
        assert outputs.line_of(out(0, 0, 79, 0)) == outputs.scrollable_content_region.height
        outputs.scroll_to(y=30, animate=False, immediate=True)
        await settle()
        assert outputs.line_of(out(0, 0, 0, 0)) == -1
        outputs.focus()
        for act, given, wanted in (
            (outputs.action_move, (1, 0), out(0, 0, 4, 0)),
            (outputs.action_move, (0, 1), out(0, 0, 3, 1)),
            (outputs.action_page, (1,), out(0, 1, 3, 0)),
            (inputs.action_move, (1, 1), into(0, 0, 0, 0)),
        ):
            app.heard.clear()
            act(*given)
            await pilot.pause()
            assert [(each.cursor, each.clicked) for each in app.heard] == [(wanted, False)]
        workspace.point(out(0, 0, 3, 2))
        await settle()
        assert outputs.stack is not None
        x, y = outputs.stack.locate(out(0, 0, 4, 2))
        left, top = outputs.scroll_offset
        app.heard.clear()
        await pilot.click(outputs, offset=(x - left + outputs.stack.figures[0].margin, y - top))
        assert [(each.cursor, each.clicked) for each in app.heard] == [(out(0, 0, 4, 2), True)]

    show(app, script, (80, 24))
