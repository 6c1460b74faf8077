"""The screen of a level: the desc that a student changes, its picture, and beside it the output that it is to make."""

from __future__ import annotations

import time
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Container, Vertical, VerticalScroll
from textual.widgets import Static

from ...teaching.levels.level import OPERATOR, Level
from ...teaching.progress.progress import Progress
from ...teaching.words.catalogue import sentence
from ...widgets.bars.footer_line import StateFooter
from ...widgets.bars.meaning_line import MeaningLine
from ...widgets.boards.level_board import GivenLine, LevelHead, board_text, drawn_tables
from ...widgets.fields.form import Form
from ...widgets.lib.inks import inks_of
from ...widgets.picture.formula_line import FormulaLine
from ...widgets.picture.memory_strip import MemoryStrip
from ...widgets.picture.picture_pane import PicturePane
from ...workspace.levels.level_desk import LevelDesk, LevelState
from ...workspace.shown.picture import Room
from ..page import TOO_SMALL, CoursePage, PicturePage, arrows


class LevelScreen(CoursePage[bool], PicturePage[bool]):
    """Shows a level's desk; dismissed with True if the level was won and its solution not shown."""

    CSS_PATH = "learn.tcss"
    TOPIC = "level"
    desk: LevelDesk
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (120, "-wide")]
    VERTICAL_BREAKPOINTS = [(0, "-short"), (28, "-tall")]

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "try", "why?", key_display="enter", id="level.try"),
        Binding("enter", "go_on", "go on", key_display="enter", id="level.on"),
        Binding("h", "do('hint')", "hint", id="level.hint"),
        Binding("s", "do('show_solution')", "solution", id="level.solution"),
        Binding("escape", "leave", "leave", key_display="esc", id="level.leave"),
        Binding("u,ctrl+z", "do('undo')", "undo", key_display="u", id="level.undo"),
        Binding("r,ctrl+y", "do('redo')", "redo", key_display="r", id="level.redo"),
        Binding("a", "do('start_again')", "again", key_display="a", id="level.again"),
        Binding("m", "do('picture.turn_memory')", "memory", id="level.memory"),
        Binding("v", "levels", "feature levels", id="level.levels"),
        Binding("tab", "other_pane", "picture", key_display="tab", id="level.pane"),
        Binding("o", "operator", "operator", id="level.operator"),
        *arrows("level.move", "picture.move"),
        Binding("n", "do('picture.to_next_tensor')", "next tensor", id="level.next"),
    ]

    def __init__(self, level: Level, progress: Progress) -> None:
        super().__init__(LevelDesk(level, progress, time.time))
        self.goes_on = False
        """Somebody has solved it and asked for what comes next."""
        self.pane = PicturePane(id="level-picture")
        self._head, self._meaning = LevelHead(id="level-head"), MeaningLine(id="level-meaning")
        self.strip = Form(self.doing(self.desk.type_in_field), id="level-fields", classes="-strip", in_level=True)
        self._given = GivenLine(id="level-given")
        self._tables, self._goal = Static(id="level-tables"), Static(id="level-goal")
        self._memory, self._formula = MemoryStrip(id="level-memory"), FormulaLine(id="level-formula")
        self._said, self.footer = Static(id="level-said"), StateFooter(id="level-footer")
        self._board = VerticalScroll(self._said, id="level-board", can_focus=False)
        self._body = Vertical(self.pane, self._tables, self._memory, self._formula, id="level-body")
        self._fitted: Room | None = None

    def compose(self) -> ComposeResult:
        yield self._head
        yield self._meaning
        yield self.strip
        yield self._given
        yield Container(self._body, self._goal, self._board, id="level-middle")
        yield Static(TOO_SMALL, classes="too-small")
        yield self.footer

    def on_mount(self) -> None:
        self._focus_strip()

    # ---- what is shown

    def present(self, state: LevelState) -> None:
        for panel in (self._head, self._meaning, self.strip, self._given):
            panel.present(state)
        inks, size = inks_of(self.app.theme_variables), self.app.size
        self._goal.update(drawn_tables(state.goal, inks, *size))
        self._said.update(board_text(state))
        self.set_class(state.won, "won")
        if state.won:
            self._board.scroll_home(animate=False)
        else:
            self._board.scroll_end(animate=False)  # a hint is said last
        self.pane.display, self._tables.display = state.in_picture, not state.in_picture
        self._formula.appear(state.in_picture)
        if state.in_picture:
            self.pane.present(state)
            self._memory.present(state)
            self._formula.show(state.picture)
        else:
            self._memory.display = False
            self._tables.update(drawn_tables(state.tables, inks, *size))
        self.call_after_refresh(self._fit)

    def _fit(self) -> None:
        if not self.is_mounted or self.state.view.trace is None or not self.pane.size.height:
            return
        room = self.room(self.pane.size.height + (self._memory.outer_size.height if self._memory.display else 0))
        if room != self._fitted:
            self._fitted = room
            self.action_do("fit", (room,))

    # ---- what a student does

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        state: LevelState = self.state
        past, future = self.desk.document.past, self.desk.document.future
        in_picture = self.focused is None and state.in_picture
        can = {
            "operator": state.level.allows(OPERATOR),
            "try": not state.won,
            "go_on": state.won,
            "hint": not state.won and state.hints < len(state.level.task.hints),
            "show_solution": state.may_show,
            "undo": bool(past),
            "redo": bool(future),
            "start_again": bool(past),
            "picture.turn_memory": state.in_picture,
            "picture.move": in_picture,
            "picture.to_next_tensor": in_picture,
        }
        return can.get(str(parameters[0]) if action == "do" else action, True)

    def on_descendant_blur(self) -> None:
        self.action_do("leave_fields")

    def on_descendant_focus(self) -> None:
        self.refresh_bindings()

    def _focus_strip(self) -> None:
        keys = self.state.form.strip
        if keys:
            self.strip.present(self.state)
            self.strip.focus_row(self.strip.here if self.strip.here in keys else keys[0])

    def action_try(self) -> None:
        self.action_do("ask_why")
        self.strip.renew()

    def action_go_on(self) -> None:
        self.goes_on = True
        self.action_leave()

    def action_operator(self) -> None:
        from ..dialogs.choose import ChooseOperator

        def closed(kind: str | None) -> None:
            if kind is not None:
                self.action_do("type_in_field", (OPERATOR, kind))
            self._focus_strip()

        chosen = self.desk.experiment.desc.TYPE
        self.app.push_screen(ChooseOperator(sentence("level.which_operator"), chosen), closed)

    def action_levels(self) -> None:
        from ..dialogs.levels import LevelsScreen

        self.app.push_screen(LevelsScreen(self.desk.experiment, None))

    def action_other_pane(self) -> None:
        if self.focused is None:
            self._focus_strip()
        else:
            self.set_focus(None)
        self.refresh_bindings()

    def action_leave(self) -> None:
        """Takes back fields that can't be read; where there are none, leaves the level."""
        if self.state.form.errors:
            self.action_do("leave_fields")
        else:
            self.close(self.state.solved)
