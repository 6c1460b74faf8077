"""The wall: the picture as large as fits, the question below it, and nothing to edit."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial
from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.widgets import Static

from ...scene.spans import Line
from ...session.presentation_state import Build
from ...widgets.boards.presented_lines import answers_fit, has_votes, notes_lines, wall_footer, wall_head, wall_lines
from ...widgets.lib.painted import DrawnLines, PanelLines
from ...widgets.picture.memory_part import MemoryPart
from ...widgets.picture.memory_strip import MemoryStrip
from ...widgets.picture.picture_pane import LEAST, PicturePane
from ...widgets.picture.tensor_stack import ShownStack, TensorStack
from ...workspace.shown.picture import LEAST_PICTURE, Room
from ...workspace.wall.presenting import Presenting
from ...workspace.wall.wall_state import WallState
from ..picture_screen import LOW, place
from ..smallest import TOO_SMALL
from .presenting_screen import PresentingScreen

if TYPE_CHECKING:
    from .join import JoinScreen

Attend = Callable[[Presenting], Awaitable[None]]
"""Holds a class on phones, until it is cancelled."""
LEAST_ANSWERS = 6
"""Lines that the question has at least beside what is played or revealed."""


class WallScreen(PresentingScreen):
    """Shows what `Presenting` yields. A `room`'s own never shows what the speaker sees, and isn't left."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(
            "space",
            "act('spotlight')",
            "spotlight: all but the cursor's row and its partners is dim",
            id="present.spotlight",
        ),
        Binding("tab", "act('other_side')", "the cursor to the next tensor", id="present.other-side"),
        Binding("f", "act('flip')", "the next picture, where one is shown at a time", id="present.flip"),
        Binding("J", "act('show_code')", "the code: how phones join the class", id="present.join"),
        Binding("s", "act('show_both')", "the speaker's screen below the wall, or the wall alone", id="present.both"),
        *(
            Binding(key, f"move{by}", "move the cursor", id=f"present.{key}")
            for key, by in (("left", (0, -1)), ("right", (0, 1)), ("up", (-1, 0)), ("down", (1, 0)))
        ),
    ]

    def __init__(self, presenting: Presenting, *, room: bool = False, attend: Attend | None = None) -> None:
        """`attend` has a class on phones follow the presentation while it is on."""
        super().__init__(presenting)
        self._is_room, self._attend = room, attend
        self.state: WallState = presenting.state
        self.pane, self._memory = PicturePane(id="wall-picture"), MemoryPart(id="wall-memory")
        self._short = False
        """The answers' letters stand for them, where the picture has no room otherwise."""
        self._head, self._footer = PanelLines(id="wall-head"), PanelLines(id="wall-footer")
        self._heads = 1  # lines of the head
        self._lines = self._wanted = 0
        """Lines of the picture and the question, of which the picture may leave some that stand below that."""
        self._board, self._notes = DrawnLines(id="wall-board"), DrawnLines(id="wall-notes")
        self._join: JoinScreen | None = None

    def compose(self) -> ComposeResult:
        yield self._head
        with Vertical(id="wall-body"):
            yield self.pane
            yield self._memory
            yield self._board
            yield self._notes
        yield Static(TOO_SMALL, id="wall-small")
        yield Static("", id="wall-black")
        yield self._footer

    def on_mount(self) -> None:
        super().on_mount()
        if self._attend is not None:
            self.run_worker(self._attend(self.presenting))

    def show_now(self) -> None:
        self.present(self.presenting.state)

    def present(self, state: WallState) -> None:
        """Hands a state to every panel."""
        before, self.state = self.state, state
        self._show_code(state)
        self.set_class(state.black, "black")
        self._head.show(lambda width, _: wall_head(state, width))
        self._footer.show(lambda width, _: wall_footer(state, width, room=self._is_room))
        moves = self._share(state)
        if moves or _basis(before) != _basis(state):
            self.call_after_refresh(self._fit)  # the room for the picture is known then
        else:
            self._show_laid_out(state)

    def _show_code(self, state: WallState) -> None:
        """Shows how to join, or the question again."""
        from .join import JoinScreen

        if self._join is not None:
            self._join.present(state)
        elif state.joining and self.is_mounted and self.app.screen_stack[-1] is self:
            self._join = JoinScreen(state)
            self.app.push_screen(self._join, self._left_code)

    def _left_code(self, _: None) -> None:
        self._join = None
        if self.presenting.shared.joining:
            self.present(self.presenting.show_code())

    def _show_laid_out(self, state: WallState) -> None:
        if state.desc.pictured:
            self.pane.present(state)
            self._memory.present(state, state.item.say, steps=state.build is not Build.QUESTION)
            for stack in self.pane.sides:
                assert isinstance(stack, ShownStack)
                stack.shine(state.spot)
        else:
            self._memory.display = False
        self._board.show(partial(_question_lines, state, self._wanted, short=self._short, airy=self._is_airy))
        if state.notes is not None:
            self._notes.show(partial(notes_lines, state.notes, below_wall=True))

    @property
    def _is_airy(self) -> bool:
        return self.app.size.height >= LOW

    def _share(self, state: WallState) -> bool:
        """Shares the lines between the picture, the question and the notes; True where that moves anything."""
        heads, width = len(wall_head(state, self.app.size.width - 2)), max(20, self.app.size.width - 3)
        left, notes = self.app.size.height - 1 - heads, 0
        if state.notes is not None:
            notes = min(left * 2 // 5, len(notes_lines(state.notes, width, left, below_wall=True)))
            left -= notes
        most, wanted, self._short = max(1, left - LEAST_PICTURE), left, False
        if left > 20:
            most = max(left * 6 // 10, left - 24)
        if state.desc.pictured:
            few, airy = most, self._is_airy
            if state.build is not Build.QUESTION and state.item.answers:
                counted = state.room is not None and has_votes(state)  # bars are what a class talks about
                few = min(most, max(LEAST_ANSWERS, left // 2 if counted else left * 2 // 5))
            named = bool(state.item.answers) and all(answer.text for answer in state.item.answers)
            tight = few
            if not airy:  # the picture has what the question can do without
                tight = next((lines for lines in range(1, few) if answers_fit(state, width, lines)), few)
            lines = wall_lines(state, width, most, short=True, airy=airy)
            whole, short = len(wall_lines(state, width, tight, airy=airy)), len(lines) - (not airy and [] in lines)
            stands = [self.presenting.wall.stands_in(self._room(width, left - lines)) for lines in (whole, short)]
            gives_way = not stands[0] and (stands[1] or state.build is not Build.QUESTION)
            self._short = (named or few < most) and (gives_way or not answers_fit(state, width, few))
            wanted = short if self._short else whole
        if heads != self._heads:
            self._heads = heads
            self._head.styles.height = heads
        moves = (self._lines, self._wanted) != (left - wanted, wanted)
        self._lines, self._wanted = left - wanted, wanted
        spare = self.presenting.wall.spare if state.desc.pictured else 0
        parts = (
            (self.pane, state.desc.pictured, "1fr", None),
            (self._board, True, wanted + min(spare, self._lines), None),
            (self._notes, bool(notes), notes, None),
        )
        return place(parts) or moves

    def _fit(self) -> None:
        """Has the picture laid out for the room that it has now."""
        if not self.is_mounted:
            return
        size = self.pane.size
        if self.state.desc.pictured and size.height:
            alone = not self.presenting.picture.answers.outputs
            self.state = self.presenting.fit(self._room(size.width, self._lines, alone=alone))
            self._share(self.state)
        self._show_laid_out(self.state)

    def _room(self, width: int, height: int, *, alone: bool = False) -> Room:
        """The picture's room in a pane; without a lane where the inputs are `alone`."""
        lane, columns = (0, width) if alone else (self.pane.spare, width - LEAST)
        steps = self.state.build is not Build.QUESTION
        anchor = (self.app.size, height)
        return Room(columns, height, self.app.size.height < LOW, lane, anchor=anchor, below=int(steps))

    @on(TensorStack.Resized)
    def _on_stack_resized(self) -> None:
        self._fit()

    def on_resize(self) -> None:
        super().on_resize()
        self.call_after_refresh(self._fit)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """False for what the room's own screen doesn't do; escape gives up there what is typed."""
        if parameters == ("show_code",):
            return self.state.room is not None
        leaves = action == "leave" and not (parameters == (True,) and self.presenting.is_typing)
        return not (self._is_room and (leaves or parameters == ("show_both",)))

    def action_leave(self, gives_up: bool) -> None:
        """Leaves; where a class ends with the wall, only once that is asked for twice."""
        if (gives_up and self.presenting.is_typing) or self.may_quit():
            super().action_leave(gives_up)

    def may_quit(self) -> bool:
        """True unless a class would end, and nobody was told: then the wall tells it."""
        may = self.presenting.may_leave()
        if not may and self._join is not None:
            self._join.action_leave()
        if not may:
            self.show_now()
        return may

    def action_move(self, rows: int, columns: int) -> None:
        self.present(self.presenting.move(rows, columns))

    @on(MemoryPart.Stepped)
    def _on_stepped(self, event: MemoryPart.Stepped) -> None:
        self.present(self.presenting.go_to_step(event.step))

    @on(MemoryPart.Played)
    def _on_played(self) -> None:
        self.action_act("play")

    @on(TensorStack.Pointed)
    @on(MemoryStrip.Pointed)
    def _on_pointed(self, event: TensorStack.Pointed | MemoryStrip.Pointed) -> None:
        self.present(self.presenting.point(event.cursor))


def _basis(state: WallState) -> tuple[object, ...]:
    """What decides how the picture is laid out, besides its room."""
    return state.heading.number, state.build, state.black, state.picture.shows_memory


def _question_lines(state: WallState, most: int, width: int, height: int, *, short: bool, airy: bool) -> list[Line]:
    lines = wall_lines(state, width, min(most, height), short=short, airy=airy)
    return lines if state.desc.pictured else [*([] for _ in range((height - len(lines)) // 3)), *lines]
