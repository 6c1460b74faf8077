"""Presenting: the wall, with the picture as large as fits and the question below it, and the speaker's screen."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Awaitable, Callable, Iterable
from functools import partial
from typing import Any, ClassVar

from textual import events
from textual.actions import parse
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.reactive import reactive
from textual.screen import Screen
from textual.widgets import Static

from ...errors import DmlvizError
from ...scene.spans import Line
from ...session.experiments import Session
from ...session.presentation_state import Build, StateFile
from ...widgets.boards.join_lines import join_head, join_lines
from ...widgets.boards.presented_lines import keys_line, notes_head, notes_lines, wall_forms, wall_head
from ...widgets.lib.commands import keyboard_names
from ...widgets.lib.painted import DrawnLines, PanelLines
from ...widgets.lib.textual_private import bindings_of
from ...widgets.picture.memory_strip import MemoryStrip
from ...widgets.picture.picture_pane import LEAST, PicturePane
from ...workspace.shown.picture import LEAST_PICTURE, Room
from ...workspace.wall.presented_item import LETTERS
from ...workspace.wall.wall_desk import WallDesk, WallState
from ..dialogs.help import Help, rows_of
from ..page import LOW, TOO_SMALL, PicturePage, arrows

TICK = 0.05
"""Seconds after which the other screen is looked at: a hand is slower than that."""
Attend = Callable[[WallDesk], Awaitable[None]]
"""Holds a class on phones, until it is cancelled."""


class KeyList(Help):
    """Every key with what it does. A clicker closes it, too: whoever has nothing else is never held up."""

    CSS_PATH = "../dialogs/dialog.tcss"
    BINDINGS = [
        *Help.BINDINGS,  # whose button is its foot's
        Binding("pagedown,pageup", "dismiss", "Close", show=False, priority=True, id="present-keys.close"),
    ]

    def __init__(self, bindings: Iterable[Binding]) -> None:
        rows: dict[str, list[str]] = {}
        for binding in bindings:
            if binding.id:  # Textual's own have none
                shown = "← → ↑ ↓" if binding.key_display == "arrows" else keyboard_names(binding.key)
                rows.setdefault(binding.description, []).append(shown)
        told = [(" ".join(keys), description) for description, keys in rows.items()]
        super().__init__("In front of a class", lambda inks: [[rows_of(told, inks)]])


class PresentedPage(PicturePage[None]):
    """Each key goes to one method of `WallDesk`."""

    CSS_PATH = "present.tcss"
    has_palette = False
    """`?` lists the keys, and Textual's own commands aren't for a room."""
    desk: WallDesk
    state: reactive[WallState]

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("pagedown,n", "do('forward')", "on: question, steps, answer, next experiment", id="present.forward"),
        Binding("pageup,N", "do('back')", "back, the same way", id="present.back"),
        Binding("r", "do('reveal')", "reveal: the answer, and the hands", id="present.reveal"),
        *(
            Binding(k, f"do('type_number', ('{k}',))", "hands for an answer: type how many", id=f"present.hands-{k}")
            for k in LETTERS
        ),
        Binding("g", "do('type_number', ('g',))", "go to an experiment: its number, then enter", id="present.go-to"),
        Binding("v", "do('second_vote')", "count the second vote, or the first again", id="present.second-vote"),
        Binding("p,space", "do('play')", "play the steps, or stop", id="present.play"),
        Binding("full_stop", "do('step', (1,))", "one step forward", id="present.step"),
        Binding("comma", "do('step', (-1,))", "one step back", id="present.step-back"),
        Binding("k", "do('black')", "black, until any of page up, page down and k", id="present.black"),
        Binding("Z", "do('clean')", "twice: begin anew, without hands", id="present.clean"),
        Binding("enter", "do('enter')", "confirm the count", id="present.enter"),
        Binding("question_mark", "keys", "these keys", id="present.keys"),
        Binding("escape", "leave(True)", "type no more, or leave", id="present.escape"),
        Binding("q", "leave(False)", "leave; it goes on here the next time", id="present.leave"),
    ]

    def __init__(self, desk: WallDesk) -> None:
        super().__init__(desk)
        self.pane = PicturePane(id="wall-picture")
        self._head, self._footer = PanelLines(id="wall-head"), PanelLines(id="wall-footer")
        self._small = Static(TOO_SMALL, classes="too-small")

    def on_mount(self) -> None:
        super().on_mount()
        self.set_interval(TICK, self._tick)

    def _fit(self) -> None:
        """The wall is laid out as soon as it is shown: what it says decides which room the picture has."""

    def on_mouse_down(self) -> None:
        """What plays goes on: it is a talk's."""

    def on_key(self, event: events.Key) -> None:
        if self.desk.typed and event.character is not None and event.character in "0123456789":
            event.stop()
            event.prevent_default()
            self.action_do("type_number", (event.character,))

    def action_do(self, name: str, given: tuple[Any, ...] = ()) -> None:
        self.desk.follow()  # what the other screen did comes first
        super().action_do(name, given)

    def action_keys(self) -> None:
        self.app.push_screen(KeyList(one for one in bindings_of(self) if self.check_action(*parse(one.action)[1:])))

    def action_leave(self, gives_up: bool) -> None:
        """Leaves; with `gives_up`, where a number is being typed, gives up that alone."""
        if gives_up and self.desk.typed:
            self.action_do("cancel")
        else:
            self.close(None)


class SpeakerPage(PresentedPage):
    """Shows what the room must not see, and follows the wall."""

    def __init__(self, desk: WallDesk) -> None:
        desk.has_notes = True
        super().__init__(desk)
        self._notes = DrawnLines(id="wall-notes")

    def compose(self) -> ComposeResult:
        yield from (self._head, self._notes, self._small, self._footer)

    def present(self, state: WallState) -> None:
        self._head.show(lambda width, _: notes_head(state, width))
        self._notes.show(partial(notes_lines, state))
        self._footer.show(lambda width, _: keys_line(state, width, speaker=True))


class WallPage(PresentedPage):
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("tab", "do('picture.to_next_tensor')", "the cursor to the next tensor", id="present.other-side"),
        Binding("J", "do('show_code')", "the code: how phones join the class", id="present.join"),
        *arrows("present.move", "picture.move"),
    ]

    def __init__(self, desk: WallDesk, *, attend: Attend | None = None) -> None:
        """`attend` has a class on phones follow the presentation while it is on."""
        super().__init__(desk)
        self._attend = attend
        self._basis: object = None  # what the lines below the picture were made for
        self._lines: list[Line] = []
        self._memory, self._board = MemoryStrip(id="wall-memory"), DrawnLines(id="wall-board")

    def compose(self) -> ComposeResult:
        yield self._head
        with Vertical(id="wall-body"):
            yield self.pane
            yield self._memory
            yield self._board
        yield Static("", id="wall-black")
        yield self._small
        yield self._footer

    def on_mount(self) -> None:
        super().on_mount()
        if self._attend is not None:
            self.run_worker(self._attend(self.desk))

    # ---- what is shown

    def present(self, state: WallState) -> None:
        joining, columns = state.at.joining, self.app.size.width - 2
        self.set_class(state.at.black, "black")
        heads = (join_head if joining else wall_head)(state, columns)
        self._head.show(lambda width, _: heads)
        self._head.styles.height = len(heads)
        left, width = self.app.size.height - 1 - len(heads), max(20, columns - 1)
        said = state.at.build, state.told, state.counted, state.sentences, state.hands, state.typing, state.sentence
        basis = state.item, *said, state.at.vote, self.app.size, left
        if basis != self._basis:
            self._basis, self._lines = basis, self._board_lines(state, width, left)
        lines, pictured, height = self._lines, state.drawn and not joining, left
        if pictured:
            height = left - len(lines)
            self.desk.fit(self._room(width, height))
            state = self.desk.state
            self.set_reactive(WallPage.state, state)
            height -= self._spare(state, height)
            self._memory.present(state)
            self.pane.present(state)
        below = self._memory.display = pictured and self._memory.display
        self.pane.display = pictured
        self.pane.styles.height = height - (self.desk.picture.memory_lines if below else 0)
        if joining:
            self._board.show(partial(join_lines, state))
        else:
            above = [] if pictured else [Line()] * ((left - len(lines)) // 3)
            self._board.show(lambda width, height: [*above, *lines])
        self._footer.show(lambda width, _: keys_line(state, width))

    def _board_lines(self, state: WallState, width: int, left: int) -> list[Line]:
        """The largest form of the question beside which the picture stands whole; else as much as has room."""
        most, roomy = left - LEAST_PICTURE if state.drawn else left, self.app.size.height >= LOW
        forms = [form for form in wall_forms(state, width, roomy=roomy) if len(form[0]) <= most]
        answers = [lines for lines, whole in forms if whole or state.at.build is not Build.QUESTION]
        for lines in answers:
            if not state.drawn or self.desk.size_in(self._room(width, left - len(lines))) is not None:
                return lines
        if forms:
            return min(answers, key=len) if answers else forms[0][0]
        *_, (lines, _) = wall_forms(state, width)
        told = len(lines) - most if state.sentence else 0  # what was just asked for is answered
        return [*lines[: most - 1], lines[-1]] if told else lines[:most]

    def _room(self, width: int, height: int) -> Room:
        """The picture's room; without a lane where the inputs stand alone."""
        lane, columns = self.pane.spare, width - LEAST
        if not self.desk.picture.answers.outputs:
            lane, columns = 0, width
        return Room(columns, height, self.app.size.height < LOW, lane)

    def _spare(self, state: WallState, height: int) -> int:
        """Lines that the picture leaves to the question: so that stands near it."""
        scene = state.picture.scene
        if scene is None or not scene.layout.fits:
            return 0
        return max(0, min((side.below for side in (scene.inputs, scene.outputs) if side.figures), default=0) - 1)

    # ---- what a user does

    def action_do(self, name: str, given: tuple[Any, ...] = ()) -> None:
        """While the code is shown, whatever is pressed leads on to the question: a clicker has no other key."""
        joining = self.state.at.joining and not name.startswith(("show_", "black"))
        super().action_do(*(("show_code", ()) if joining else (name, given)))

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        return parameters != ("show_code",) or self.state.room is not None

    def action_leave(self, gives_up: bool) -> None:
        """Leaves; where a class ends with the wall, only once that is asked for twice."""
        if self.state.at.joining:
            self.action_do("show_code")
        elif (gives_up and self.desk.typed) or self.may_quit():
            super().action_leave(gives_up)

    def may_quit(self) -> bool:
        """True unless a class would end, and nobody was told: then the wall tells it."""
        may = self.desk.may_leave()
        if not may:
            self.state = self.desk.state
        return may

    def on_click(self) -> None:
        if self.state.at.joining:
            self.action_do("show_code")


def open_presentation(
    explorer: Screen[Any],
    session: Session,
    name: str | None,
    *,
    notes: bool = False,
    begins: int | None = None,
    closed: Callable[[], None] = lambda: None,
    attend: Attend | None = None,
) -> None:
    """Opens the wall, or with `notes` the speaker's screen; or says why it can't be.

    `name` is what the state file is named after; None where nothing is to be kept. `begins` is an experiment's number,
    from 0; None goes on where the presentation stands. `closed` is called once it is left, or can't be opened. `attend`
    has a class on phones follow it.
    """
    kept = None
    with contextlib.suppress(RuntimeError):  # nobody knows the user's own folder
        kept = StateFile(name) if name is not None else None
    try:
        desk = WallDesk(session, time.time, kept=kept, begins=begins)
    except DmlvizError as error:
        explorer.notify(str(error), severity="error", markup=False)
        closed()
        return
    if attend is None and not notes:  # a class that was held here before is over
        desk.hear(None, joining=False)
    screen = SpeakerPage(desk) if notes else WallPage(desk, attend=attend)
    explorer.app.push_screen(screen, lambda _: closed())
