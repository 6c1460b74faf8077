"""The course map's screen: lessons and levels in one list; enter or a click opens, escape leaves."""

from __future__ import annotations

import time
from functools import partial
from typing import TYPE_CHECKING, ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.screen import Screen
from textual.widgets import Static

from ...errors import DmlvizError
from ...scene.elements.cursor import Cursor
from ...session.experiments import Experiment
from ...teaching.levels.level import Level
from ...teaching.progress.progress import Progress
from ...teaching.words.catalogue import sentence
from ...widgets.boards.course_board import ROOMY, CourseBoard, CourseFooter
from ...workspace.asking.following import LessonDesk
from ...workspace.lessons.course_map import CourseMap, CourseState, LessonItem
from ...workspace.lessons.lesson import RunningLesson, missed_again
from ..smallest import TOO_SMALL, mark_tiny
from .lesson import LessonScreen

if TYPE_CHECKING:
    from ...workspace.lessons.lesson_end import LessonEnd

Explored = tuple[Experiment, Cursor]
"""What somebody wants to explore: the desc of a step, and the element that is looked at."""


class Waiting:
    """What was left to be explored, and waits."""

    def __init__(self) -> None:
        self.desk: LessonDesk | None = None


class CourseMapScreen(Screen[Explored | None]):
    """Shows a course map, and opens what is on it."""

    CSS_PATH = "course_map.tcss"
    AUTO_FOCUS = ""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "open", "open", key_display="enter", id="course.open"),
        Binding("down", "move(1)", "move", key_display="arrows", id="course.move"),
        Binding("up", "move(-1)", "move", show=False),
        Binding("left", "beside(-1)", "move", show=False),
        Binding("right", "beside(1)", "move", show=False),
        Binding("tab", "group", "lessons, levels", key_display="tab", id="course.group"),
        Binding("t", "test", "skip by questions", id="course.test"),
        Binding("h", "hand_in", "hand in", id="course.hand-in"),
        Binding("home", "first", "first", show=False),
        Binding("end", "last", "last", show=False),
        Binding("pagedown", "move(8)", "down", show=False),
        Binding("pageup", "move(-8)", "up", show=False),
        Binding("question_mark,f1", "help", "help", key_display="?", id="app.keys", priority=True),
        Binding("escape", "leave", "leave", key_display="esc", id="course.leave"),
    ]

    def __init__(self, course: CourseMap, progress: Progress, waiting: Waiting, *, begins: str = "") -> None:
        """`begins` is the id of the lesson or level that is opened at once; "" for none."""
        super().__init__()
        self.course = course
        self._progress, self._waiting, self._begins = progress, waiting, begins
        self._board = CourseBoard(id="course-board")
        self._footer = CourseFooter(id="course-footer")
        self._typed = ""

    def compose(self) -> ComposeResult:
        head = sentence("map.head")
        yield Static(f"dmlviz  {head}", id="course-head", markup=False)
        with Vertical(id="course-body"):
            yield self._board
        yield Static(TOO_SMALL, id="course-small")
        yield self._footer

    def on_mount(self) -> None:
        self.app.theme_changed_signal.subscribe(self, lambda _: self._board.redraw())
        self.on_resize()
        waiting = self._waiting
        if waiting.desk is not None:
            desk, waiting.desk = waiting.desk, None
            self._show_lesson(desk)
        elif self._begins:
            self._open_id(self._begins)

    def on_resize(self) -> None:
        mark_tiny(self)
        self.set_class(self.app.size.height >= 30, "airy")
        self.set_class(bool(self.course.state.lessons) and self.app.size.height < ROOMY, "low")
        self._board.present(self.course.state)

    # ---- what a user does

    def on_key(self, event: events.Key) -> None:
        """Opens the lesson whose number is typed, or the level whose id is: `3`, `L09`."""
        if event.character is None or not event.character.isalnum():
            self._typed = ""
            return
        number = None
        for text in (self._typed + event.character, event.character):
            number, more = self.course.typed(text)
            self._typed = text if more else ""
            if more or number is not None:
                break
        if number is not None or self._typed:
            event.stop()  # else the screen that opens takes it too
        if number is not None:
            self._typed = ""
            self._show(self.course.go(number))
            self.action_open()

    def _show(self, state: CourseState) -> None:
        self._board.present(state)
        self.refresh_bindings()

    def action_move(self, by: int) -> None:
        self._show(self.course.move(by))

    def action_beside(self, by: int) -> None:
        """Goes to what stands beside the cursor, left or right; stays where nothing does."""
        n = self._board.beside(by)
        if n is not None:
            self._show(self.course.go(n))

    def action_group(self) -> None:
        """Goes to the first level, or from the levels to the first lesson."""
        state = self.course.state
        levels = len(state.items) - len(state.levels)
        self._show(self.course.go(0 if state.at >= levels else levels))

    def action_first(self) -> None:
        self._show(self.course.go(0))

    def action_last(self) -> None:
        self._show(self.course.go(len(self.course.state.items) - 1))

    def action_help(self) -> None:
        """Tells what is done here, and what each sign means."""
        from ..dialogs.learn_help import LearnHelp

        self.app.push_screen(LearnHelp(self, self._footer, "map"))

    def action_leave(self) -> None:
        if self.app.screen_stack[-1] is self:
            self.dismiss(None)

    @on(CourseBoard.Pressed)
    def _on_pressed(self, event: CourseBoard.Pressed) -> None:
        self._show(self.course.go(event.at))
        self.action_open()

    @on(CourseBoard.Wheeled)
    def _on_wheeled(self, event: CourseBoard.Wheeled) -> None:
        self.action_move(event.by)

    def action_open(self) -> None:
        """Opens what the cursor is on; a lesson that is gone through opens at its last page."""
        item = self.course.state.item
        if isinstance(item, LessonItem) and item.is_at_end:
            self._show_end(item)
        elif isinstance(item, LessonItem):
            self._begin_lesson(item)
        else:
            self._open_level(item.level)

    def _open_id(self, id_: str) -> None:
        """Opens the lesson or level of an id; does nothing for an unknown one."""
        n = self.course.find(id_)
        if n is not None:
            self._show(self.course.go(n))
            self.action_open()

    # ---- lessons and levels

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        item = self.course.state.item
        if action == "test":
            return isinstance(item, LessonItem) and item.lesson.exit > 0 and not item.is_done
        if action == "hand_in":
            return isinstance(item, LessonItem)
        return super().check_action(action, parameters)

    def action_test(self) -> None:
        """Asks the questions that let the lesson under the cursor be skipped."""
        item = self.course.state.item
        if isinstance(item, LessonItem):
            self._begin_lesson(item, test=True)

    def action_hand_in(self) -> None:
        """Hands in what was answered of the lesson under the cursor."""
        item = self.course.state.item
        if isinstance(item, LessonItem):
            self._hand_in(item)

    def _hand_in(self, item: LessonItem) -> None:
        from ..dialogs.hand_in import HandInDialog

        def told(done: str | None) -> None:
            if done is not None:
                self.notify(done, markup=False)

        self.app.push_screen(HandInDialog(item.lesson, self._progress), told)

    def _begin_lesson(self, item: LessonItem, *, test: bool = False) -> None:
        self._begin(RunningLesson(item.lesson, self._progress.answers, number=item.number, test=test), item)

    def _try_again(self, item: LessonItem, end: LessonEnd) -> None:
        """Asks again about what was missed of a lesson."""
        lesson = missed_again(item.lesson, end.firsts)
        self._begin(RunningLesson(lesson, self._progress.answers, number=item.number, again=True), item)

    def _begin(self, running: RunningLesson, item: LessonItem) -> None:
        try:
            if not item.lesson.steps:
                raise DmlvizError(sentence("lesson.no_steps", title=item.title))
            desk = LessonDesk(running, self._progress, time.time)
        except DmlvizError as error:
            for told in (*running.notices(), str(error)):
                self.notify(told, severity="warning", markup=False)
            return
        self._show_lesson(desk)

    def _show_lesson(self, desk: LessonDesk) -> None:
        def closed(cursor: Cursor | None) -> None:
            self._refresh_board()
            if cursor is not None:
                self._waiting.desk = desk
                self.dismiss((desk.experiment, cursor))
            elif desk.ended:
                lesson, items = desk.lesson.lesson, (*self.course.state.own, *self.course.state.lessons)
                item = next(each for each in items if each.id == lesson.id)
                self._show_end(item, tested_out=desk.lesson.tested_out)

        self.app.push_screen(LessonScreen(desk, self._progress), closed)

    def _show_end(self, item: LessonItem, *, tested_out: bool = False) -> None:
        """Shows the last page of a lesson, and does what is chosen there."""
        from ...workspace.lessons.lesson_end import lesson_end
        from .lesson_end import AGAIN, ANEW, NEXT, LessonEndScreen

        following = self.course.following(item.id)
        whole = item.lesson
        title = following.title if following is not None else ""
        end = lesson_end(whole, self._progress.answers, following=title, tested_out=tested_out)

        def chosen(name: str | None) -> None:
            if name == AGAIN:
                self._try_again(item, end)
            elif name == ANEW:
                self._begin_lesson(item)
            elif name == NEXT and following is not None:
                self._open_id(following.id)
            else:
                self._show(self.course.to_next())

        self.app.push_screen(LessonEndScreen(end, partial(self._hand_in, item)), chosen)

    def _open_level(self, level: Level) -> None:
        from .level import LevelScreen

        def closed(_: bool | None) -> None:
            self._refresh_board()
            if screen.goes_on and (following := self.course.following(level.id)) is not None:
                self._open_id(following.id)

        screen = LevelScreen(level, self._progress)
        screen.leads_on = self.course.following(level.id) is not None
        self.app.push_screen(screen, closed)

    def _refresh_board(self) -> None:
        self._show(self.course.refresh(self._progress.answers))
