"""The course map, lessons and levels in two lists, and the last page of a lesson."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from functools import partial
from typing import ClassVar

from textual import events, on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.widgets import OptionList, Static

from ...errors import DmlvizError, plain
from ...scene.elements.cursor import Cursor
from ...teaching.lessons.lessons import Lesson, hand_in_of, shipped_lessons, shipped_levels
from ...teaching.levels.level import Level
from ...teaching.progress.hand_ins import HandIn, name_of
from ...teaching.progress.progress import Progress
from ...teaching.words.catalogue import sentence
from ...widgets.bars.footer_line import StateFooter
from ...widgets.boards.course_board import CourseList
from ...widgets.boards.end_board import EndBoard
from ...workspace.asking.asking import LessonDesk
from ...workspace.lessons.lesson import Course, Item, LessonEnd, RunningLesson, course_of, lesson_end, missed_again
from ..dialogs.asking import AskLine
from ..dialogs.file_opening import path_of
from ..downloads import downloads_of
from ..page import TOO_SMALL, CoursePage
from .question import LessonScreen

Explored = tuple[LessonDesk, Cursor]
"""A step whose desc somebody wants to explore, and the element that is looked at."""
NEXT, AGAIN, ANEW, MAP, HAND_IN = "next", "again", "anew", "map", "hand-in"
"""What may come after a lesson."""


class CourseMapScreen(CoursePage[Explored | None]):
    CSS_PATH = "learn.tcss"
    TOPIC = "map"
    VERTICAL_BREAKPOINTS = [(0, "-low"), (36, "-airy")]

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave", "leave", key_display="esc", id="course.leave"),
        Binding("tab,left,right", "group", "lists", key_display="tab", id="course.group"),
        Binding("t", "test", "skip by questions", id="course.test"),
        Binding("h", "hand_in", "hand in", id="course.hand-in"),
    ]

    def __init__(
        self, progress: Progress, own: Lesson | None = None, left: LessonDesk | None = None, begins: str = ""
    ) -> None:
        """`own` is the lesson of the session that is open, `left` a step that was left to be explored.

        `begins` is the id of the lesson or level that is opened at once; "" for none.
        """
        super().__init__()
        self._progress, self._own, self._left, self._begins = progress, own, left, begins
        self._lessons = CourseList(sentence("map.lessons"), id="course-lessons")
        self._levels = CourseList(sentence("map.levels"), sentence("map.legend"), id="course-levels")
        self._about, self.footer = Static(id="course-about", markup=False), StateFooter(id="course-footer")

    @property
    def course(self) -> Course:
        return course_of(shipped_lessons(), shipped_levels(), self._progress.answers, self._own)

    @property
    def item(self) -> Item:
        item = (self._levels if self.focused is self._levels else self._lessons).item
        assert item is not None
        return item

    def compose(self) -> ComposeResult:
        yield Static(f"dmlviz  {sentence('map.head')}", id="course-head", classes="head", markup=False)
        yield Horizontal(Vertical(self._lessons, self._about), self._levels, id="course-body")
        yield Static(TOO_SMALL, classes="too-small")
        yield self.footer

    def on_mount(self) -> None:
        self.app.theme_changed_signal.subscribe(self, lambda _: self._show())
        self._show()
        self._go(self.course.next)
        if self._left is not None:
            self._show_lesson(self._left)
        elif (begins := self.course.find(self._begins)) is not None:
            self._open_item(begins)

    def on_resize(self) -> None:
        self._show()

    # ---- what a user does

    def on_key(self, event: events.Key) -> None:
        item = next((item for item in self.course.lessons if str(item.number) == event.character), None)
        if item is not None:
            event.stop()  # else the screen that opens takes it too
            self._open_item(item)

    def _show(self) -> None:
        course = self.course
        self._lessons.show(course.lessons)
        self._levels.show(course.levels)

    def _go(self, item: Item) -> None:
        for each in (self._lessons, self._levels):
            ids = [other.id for other in each.items]
            if item.id in ids:
                each.highlighted = ids.index(item.id)
                each.focus()

    @on(OptionList.OptionHighlighted)
    def on_descendant_focus(self) -> None:
        self._about.update(Content.assemble((self.item.title, "bold"), "  ", self.item.about))
        self.refresh_bindings()

    def action_group(self) -> None:
        (self._lessons if self.focused is self._levels else self._levels).focus()

    def action_leave(self) -> None:
        self.close(None)

    @on(OptionList.OptionSelected)
    def _open_chosen(self, event: OptionList.OptionSelected) -> None:
        event.option_list.focus()
        assert isinstance(event.option_list, CourseList)
        self._open_item(event.option_list.items[event.option_index])

    def _open_item(self, item: Item) -> None:
        """Opens a lesson or level; a lesson that is gone through opens at its last page."""
        self._go(item)
        if isinstance(item.what, Level):
            self._open_level(item.what)
        elif item.is_at_end:
            self._show_end(item, item.what)
        else:
            self._begin(item.what, item.number)

    # ---- lessons and levels

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action not in ("test", "hand_in") or not self._lessons.items:
            return True
        lesson, is_done = self.item.what, self.item.is_done
        return isinstance(lesson, Lesson) and (action == "hand_in" or (lesson.exit > 0 and not is_done))

    def action_test(self) -> None:
        if isinstance(self.item.what, Lesson):
            self._begin(self.item.what, self.item.number, test=True)

    def action_hand_in(self) -> None:
        if isinstance(self.item.what, Lesson):
            self._hand_in(self.item.what)

    @work
    async def _hand_in(self, lesson: Lesson) -> None:
        """Asks until the file is written, or somebody cancels; it lies where dmlviz was started, called after both."""
        downloads = downloads_of(self.app)

        def written(name: str) -> tuple[HandIn, str]:
            made = hand_in_of(lesson, self._progress.answers, name_of(name, sentence("handin.name")))
            words = (re.sub(r"\W+", "-", part).strip("-")[:60] for part in (lesson.name, name))
            file = f"{'-'.join(filter(None, words))}.json"
            if downloads is None:
                made.write(path_of(file))
            return made, file

        ask = AskLine(sentence("handin.ask", title=plain(lesson.title, 40)), written)
        if (taken := await self.app.push_screen_wait(ask)) is None:
            return
        made, file = taken
        if downloads is not None:
            file = await downloads.send(file, made.text.encode(), {})
        if file:
            self.notify(sentence("handin.done", count=len(made.answers), file=plain(file)), markup=False)

    def _begin(self, lesson: Lesson, number: int, *, test: bool = False) -> None:
        running = RunningLesson(lesson, self._progress.answers, number=number, test=test)
        try:
            desk = LessonDesk(running, self._progress, time.time)
        except DmlvizError as error:
            for told in (*running.problems, str(error)):
                self.notify(told, severity="warning", markup=False)
            return
        self._show_lesson(desk)

    def _show_lesson(self, desk: LessonDesk) -> None:
        def closed(cursor: Cursor | None) -> None:
            self._show()
            item = self.course.find(desk.lesson.lesson.id)
            if cursor is not None:
                self.dismiss((desk, cursor))
            elif desk.ended and item is not None and isinstance(item.what, Lesson):
                self._show_end(item, item.what)

        self.app.push_screen(LessonScreen(desk, self._progress), closed)

    def _show_end(self, item: Item, lesson: Lesson) -> None:
        following = self.course.following(item.id)
        end = lesson_end(lesson, self._progress.answers, following=following.title if following is not None else "")

        def chosen(name: str | None) -> None:
            if name == AGAIN:
                self._begin(missed_again(lesson, end.firsts), item.number)
            elif name == ANEW:
                self._begin(lesson, item.number)
            elif name == NEXT and following is not None:
                self._open_item(following)
            else:
                self._go(self.course.next)

        self.app.push_screen(LessonEndScreen(end, partial(self._hand_in, lesson)), chosen)

    def _open_level(self, level: Level) -> None:
        from .level import LevelScreen

        def closed(_: bool | None) -> None:
            self._show()
            if screen.goes_on and (following := self.course.following(level.id)) is not None:
                self._open_item(following)

        screen = LevelScreen(level, self._progress)
        self.app.push_screen(screen, closed)


class LessonEndScreen(CoursePage[str]):
    """Shows a lesson's end; it is dismissed with what is to come: `NEXT`, `AGAIN`, `ANEW` or `MAP`."""

    CSS_PATH = "learn.tcss"
    AUTO_FOCUS = "#end-board"
    TOPIC = "end"

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "choose('next')", "next lesson", key_display="enter", id="ending.next"),
        Binding("m", "choose('again')", "the missed again", id="ending.again"),
        Binding("escape", "choose('map')", "map", key_display="esc", id="ending.leave"),
        Binding("a", "choose('anew')", "all of it again", id="ending.anew"),
        Binding("h", "choose('hand-in')", "hand in", id="ending.hand-in"),
    ]

    def __init__(self, end: LessonEnd, hands_in: Callable[[], object]) -> None:
        """`hands_in` asks for a name and a file, and writes what was answered."""
        super().__init__()
        self.end, self._hands_in = end, hands_in
        self._board, self.footer = EndBoard(end, id="end-board"), StateFooter(id="end-footer")

    def compose(self) -> ComposeResult:
        yield Static(f"dmlviz  {sentence('end.head')}", id="end-head", classes="head", markup=False)
        yield self._board
        yield Static(TOO_SMALL, classes="too-small")
        yield self.footer

    def on_mount(self) -> None:
        self.app.theme_changed_signal.subscribe(self, lambda _: self._board.refresh(recompose=True))

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        return parameters != (AGAIN,) or self.end.missed > 0

    def action_choose(self, name: str) -> None:
        """Closes with what is to come; without a next lesson enter leads to the map."""
        if name == HAND_IN:
            self._hands_in()
        else:
            self.close(MAP if name == NEXT and not self.end.following else name)
