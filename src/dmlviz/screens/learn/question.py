"""The screens of a question and of a lesson's steps: the picture that is asked about, and below it what is answered."""

from __future__ import annotations

from typing import Any, ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.reactive import reactive
from textual.widgets import Static

from ...operators.maps import Place
from ...scene.elements.cursor import Cursor
from ...teaching.levels.level import Level
from ...teaching.progress.progress import Progress
from ...widgets.boards.answer_board import AnswerBoard, AnswerFooter, AnswerHead
from ...widgets.picture.formula_line import FormulaLine
from ...widgets.picture.memory_strip import MemoryStrip
from ...widgets.picture.picture_pane import PicturePane
from ...widgets.picture.tensor_stack import TensorStack
from ...workspace.asking.asked_desc import KEYS, NONE
from ...workspace.asking.asking import MOST_HINTS, AskDesk, AskState, LessonDesk
from ...workspace.shown.picture import LEAST_PICTURE, Room
from ..page import TOO_SMALL, CoursePage, PicturePage, arrows

LEAST_LIFTED = 3
"""Empty lines below a picture, or more, for which a question stands higher, and how many of them stay."""
LOW = 20
"""Lines for picture and question below which the picture has as few as it may."""
STEP_KEYS = (",", ".", " ")


class QuestionScreen(CoursePage[Cursor | None], PicturePage[Cursor | None]):
    """Shows what an `AskDesk` asks."""

    CSS_PATH = "learn.tcss"
    TOPIC = "question"
    state: reactive[AskState]
    desk: AskDesk

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "do('answer')", "answer", key_display="enter", id="ask.answer"),
        Binding("a,1", "do('answering.choose', ('a',))", "choose", key_display="a–d", id="ask.choose"),
        Binding("b,2", "do('answering.choose', ('b',))", show=False),
        Binding("c,3", "do('answering.choose', ('c',))", show=False),
        Binding("d,4", "do('answering.choose', ('d',))", show=False),
        Binding("full_stop", "do('step', (1,))", "step", id="ask.step", key_display=", ."),
        Binding("comma", "do('step', (-1,))", "step back", show=False, id="ask.back"),
        Binding("space", "do('mark')", "mark", key_display="space", id="ask.mark"),
        Binding("space", "do('play')", "play", key_display="space", id="ask.play"),
        Binding("n", f"do('answering.choose', ('{NONE}',))", "none", id="ask.none"),
        Binding("h", "do('hint')", "hint", id="ask.hint"),
        Binding("s", "do('skip')", "skip", id="ask.skip"),
        Binding("m", "do('picture.turn_memory')", "memory", id="ask.memory"),
        Binding("escape", "leave", "leave", key_display="esc", id="ask.leave"),
        *arrows("ask.move", "move"),
        Binding("e", "explore", "explore", id="ask.explore"),
        Binding("r", "do('another')", "another like it", id="ask.another"),
        Binding("tab", "do('other_side')", "next cell", key_display="tab", id="ask.next"),
        Binding("backspace", "do('answering.erase')", "erase", show=False, id="ask.erase"),
        Binding("pagedown", "page(1)", "on", show=False, id="ask.page-down"),
        Binding("pageup", "page(-1)", "back", show=False, id="ask.page-up"),
    ]

    def __init__(self, desk: AskDesk) -> None:
        super().__init__(desk)
        self.pane = PicturePane(id="ask-picture")
        self._fitted: Room | None = None
        self._memory = MemoryStrip(id="ask-memory")
        self._head, self._formula = AnswerHead(id="ask-head"), FormulaLine(id="ask-formula")
        self._board, self.footer = AnswerBoard(id="ask-board"), AnswerFooter(id="ask-footer")
        self._body = Vertical(self.pane, self._memory, self._formula, self._board, id="ask-body")

    def compose(self) -> ComposeResult:
        yield self._head
        yield self._body
        yield Static(TOO_SMALL, classes="too-small")
        yield self.footer

    # ---- what is shown

    def present(self, state: AskState) -> None:
        picture, verdict = state.picture, state.verdict
        self.pane.display = state.in_picture
        self._head.present(state)
        self.footer.present(state)
        self._board.present(state)
        self._memory.present(state)
        self._formula.display = state.in_picture and not state.open
        if self._formula.display:
            lit = verdict is not None and not verdict.right and "formula" in verdict.lights
            self._formula.show(picture, lit=lit)
        if state.in_picture:
            self.pane.present(state)
            self.pane.styles.max_height = self._most_lines()
        self.call_after_refresh(self._fit)

    def _most_lines(self) -> int | None:
        """How many lines the picture needs, if it leaves many of its room free: the question stands higher then."""
        scene = self.state.picture.scene
        stacks = [stack for stack in (scene.inputs, scene.outputs) if stack.figures] if scene is not None else []
        free = min((stack.below for stack in stacks), default=0)
        if self._fitted is None or free < LEAST_LIFTED:
            return None
        return self._fitted.height - self.desk.picture.memory_lines - free + LEAST_LIFTED - 1

    @on(FormulaLine.Resized)  # it has just come, and its lines only now
    def _fit(self) -> None:
        """Shares the lines among picture and question: the larger part is the question's while it is open."""
        state, body = self.state, self._body.size.height
        lines = body - self._formula.outer_size.height * self._formula.display
        room = lines - LEAST_PICTURE if not state.open or body < LOW else body * 6 // 10
        self._board.give_room(max(1, room if state.in_picture else body))
        lines -= self._board.outer_size.height
        if self.is_mounted and state.in_picture and lines > 0:
            fitted = self.room(lines, alone=not self.desk.picture.answers.outputs)
            if fitted != self._fitted:
                self._fitted = fitted
                self.action_do("fit", (fitted,))

    # ---- what a user does

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        state, (name, given) = self.state, (*parameters, None, None)[:2]
        open_, form, asked = state.open, state.form, state.answer
        marks = open_ and form.takes_several
        can = {
            "answering.choose": open_
            and given in [*((option.id,) for option in asked.options), *[(NONE,)] * bool(asked.none)],
            "mark": marks,
            "play": state.steps and not marks and not asked.begun,
            "move": state.moves,
            "other_side": state.moves,
            "answering.erase": open_ and form.how == "type",
            "step": state.steps,
            "hint": open_ and state.hints < MOST_HINTS,
            "skip": open_,
            "picture.turn_memory": self.desk.is_pictured and self.desk.picture.tells_memory,
            "another": not open_ and form.how != "edit",
        }
        return action != "do" or can.get(str(name), True)

    def on_key(self, event: events.Key) -> None:
        if event.key != "space":
            self.stop()
        state, key = self.state, event.character
        # No number begins with one of them, so they step until one is begun.
        steps = state.steps and key in STEP_KEYS and not state.answer.begun
        if state.open and state.form.how == "type" and key is not None and key in KEYS and not steps:
            event.stop()
            event.prevent_default()
            self.action_do("answering.press", (key,))

    def action_page(self, way: int) -> None:
        """Shows more of what is asked, or where all of that is seen more of the picture."""
        if self._board.max_scroll_y:
            self._board.scroll_relative(y=way * max(1, self._board.size.height - 2), animate=False)
        elif self.state.in_picture:
            self.action_do("page", (way,))

    def action_explore(self) -> None:
        """Closes with the element that is looked at, for the explorer; practice goes there with its desc."""
        self.desk.look_up()
        self.close(self.state.picture.cursor or Cursor(Place(False, 0), ()))

    def action_help(self) -> None:
        self.stop()
        super().action_help()

    def action_leave(self) -> None:
        self.close(None)

    def point(self, event: TensorStack.Pointed) -> None:
        self.action_do("picture.point" if not event.clicked else "click", (event.cursor,))


class LessonScreen(QuestionScreen):
    """Asks what a lesson wants; closes by itself at its end."""

    TOPIC = "lesson"
    desk: LessonDesk

    def __init__(self, desk: LessonDesk, progress: Progress) -> None:
        super().__init__(desk)
        self._progress = progress

    def action_do(self, name: str, given: tuple[Any, ...] = ()) -> None:
        """Opens the level where that is what answers; leaves where the lesson has ended."""
        if name == "answer" and self.state.open and self.state.form.how == "edit":
            self._open_level()
            return
        super().action_do(name, given)
        if self.desk.ended:
            self.action_leave()

    def _open_level(self) -> None:
        from .level import LevelScreen

        lesson = self.desk.lesson
        assert lesson.step is not None
        assert lesson.step.task is not None
        level = Level(lesson.step.experiment, lesson.step.task, lesson.lesson.name)
        self.app.push_screen(
            LevelScreen(level, self._progress), lambda solved: self.action_do("returned", (bool(solved),))
        )
