"""The course as a student uses it, by keys alone or by mouse alone: its map, and questions answered rightly."""

from __future__ import annotations

from typing import Any, TypeVar

from textual.screen import Screen

from dmlviz.scene.elements.cursor import Cursor
from dmlviz.scene.spans import length
from dmlviz.screens.learn.course_map import CourseMapScreen
from dmlviz.screens.learn.question import QuestionScreen
from dmlviz.widgets.boards.answer_board import ANSWER, AnswerBoard, doing
from dmlviz.widgets.boards.course_board import CourseList
from dmlviz.widgets.lib.painted import StatePanel
from dmlviz.widgets.picture.tensor_stack import TensorStack
from dmlviz.workspace.asking.asked_desc import NONE
from dmlviz.workspace.asking.asking import AskDesk, LessonDesk
from dmlviz.workspace.lessons.lesson import RunningLesson
from support.answering import numbers, options, targets
from support.driver import Driver

AnyScreen = TypeVar("AnyScreen", bound=Screen[Any])
NAMES = {",": "comma", "-": "minus", ".": "full_stop"}
MOST_KEYS = 3
"""Keys of an answer of an easy kind, at most: a number, or sizes, count as one, since they are the answer itself."""
EASY = 1
"""The stage of easy kinds."""


async def reached(driver: Driver, kind: type[AnyScreen]) -> AnyScreen:
    """The screen of that kind, once it has the keys."""
    await driver.until(lambda: isinstance(driver.app.screen, kind) and driver.app.screen.is_mounted)
    await driver.settle()
    assert isinstance(driver.app.screen, kind)
    return driver.app.screen


async def open_map(driver: Driver) -> CourseMapScreen:
    """Opens the map from the explorer."""
    await driver.press("t")
    return await reached(driver, CourseMapScreen)


async def go_to(driver: Driver, screen: CourseMapScreen, at: int) -> None:
    """Moves the cursor to an item by keys."""
    count = len(screen.course.lessons)
    if screen.query_one("#course-levels").has_focus != (at >= count):
        await driver.press("tab")
    await driver.press("home", *["down"] * (at - count if at >= count else at))


def place_on_map(driver: Driver, screen: CourseMapScreen, at: int) -> tuple[CourseList, int, int] | None:
    """Where an item stands: (its list, x, y); None out of sight."""
    item = screen.course.items[at]
    name = "#course-lessons" if item in screen.course.lessons else "#course-levels"
    said = f"{item.sign} {item.title[:9]}"
    if said not in driver.text(name):
        return None
    return screen.query_one(name, CourseList), *driver.find(said, name)


def asked(driver: Driver) -> QuestionScreen:
    """The question that has the keys."""
    screen = driver.app.screen
    assert isinstance(screen, QuestionScreen)
    return screen


def running(driver: Driver) -> RunningLesson:
    """The lesson that is gone through."""
    desk = asked(driver).desk
    assert isinstance(desk, LessonDesk)
    return desk.lesson


async def move_to(driver: Driver, target: Cursor) -> None:
    """To an element by tab and arrows: to its tensor, to its row, and along it."""
    picture, before = asked(driver).desk.picture, None
    while (here := picture.cursor) != target:
        assert here not in (None, before), f"no way to {target}"
        key, before = "tab", here
        if here.place == target.place and picture.scene is not None:
            (x, y), (to_x, to_y) = map(picture.scene.stack(here.place.is_output).locate, (here, target))
            key = ("down" if y < to_y else "up") if y != to_y else ("right" if x < to_x else "left")
        await driver.press(key)


async def answer_by_keys(driver: Driver) -> None:
    """Gives the right answer by keys."""
    screen = asked(driver)
    asking, form, truth = screen.desk, screen.desk.form, screen.desk.question.truth
    if form.how == "type":
        for text in numbers(asking, truth):
            await driver.press(*(NAMES.get(each, each) for each in text), "enter")
    elif form.how == "mark":
        cells = targets(asking, truth)
        if form.name == "input" or not cells:
            await driver.press("n" if form.is_marked else "down")  # what an arrow goes to is chosen
        for target in cells:
            await move_to(driver, target)
            await driver.press(*["space"] * form.is_marked)
        await driver.press("enter")
    else:
        for id_ in options(asking, truth):
            if form.how == "choose" and id_ in "abcd":
                await driver.press(id_)
                continue
            ids, at = [each.id for each in screen.state.answer.options], asking.answering.at
            by = ids.index(id_) - (at if at is not None else -1)
            await driver.press(*["right" if form.in_row else "down"] * by)
            await driver.press(*["space"] * (form.how == "tick"))
        await driver.press("enter")


async def click_board(driver: Driver, *does: Any) -> None:
    """A click on an option or a key below the picture, which has the desk do that."""
    board, drawn = asked(driver).query_one(AnswerBoard), asked(driver).query_one("#ask-board-lines", StatePanel)
    action = ANSWER if does == ("answer",) else doing(*does)
    lines = [*enumerate(drawn.lines(*drawn.size))]
    y, line, k = next((y, line, k) for y, line in lines for k, span in enumerate(line) if span.action == action)
    if not 0 <= y - board.scroll_offset.y < board.size.height:  # the wheel's way is the scroll bar's
        await driver.scroll(board, y)
    await driver.click(board, length(line[:k]), y + board.gutter.top - round(board.scroll_offset.y))


async def click_footer(driver: Driver, words: str, footer: str = "#ask-footer") -> None:
    """A click on what the footer calls a key."""
    await driver.click(footer, *driver.find(words, footer))


async def click_cell(driver: Driver, cursor: Cursor) -> None:
    """A click on an element; the wheel's way to it, if it is out of sight, is the scrollbar's."""
    side = asked(driver).query_one("#outputs" if cursor.place.is_output else "#inputs", TensorStack)
    assert side.stack is not None
    x, y = side.stack.locate(cursor)
    if not 0 <= y - side.scroll_offset[1] < side.size.height:
        await driver.scroll(side, max(0, y - side.size.height // 2))
    left, top = side.scroll_offset
    await driver.click(side, x - left + side.stack.figure(cursor.place).margin + 1, y - top)


async def answer_by_mouse(driver: Driver) -> None:
    """Gives the right answer by clicks."""
    asking = asked(driver).desk
    truth = asking.question.truth
    if asking.form.how == "type":
        for text in numbers(asking, truth):
            for key in text:
                await click_board(driver, "press", key)
            await click_board(driver, "answer")
        return
    if asking.form.how == "mark":
        for target in (cells := targets(asking, truth)):
            await click_cell(driver, target)
        if not cells:
            await click_board(driver, "choose", NONE)
    else:
        for id_ in options(asking, truth):
            await click_board(driver, "choose", id_)
    await click_footer(driver, "enter answer")


def easy_keys(asking: AskDesk, keys: int) -> int:
    """Of the keys that an answer took, those that count for an easy kind, which has few; 0 for any other kind."""
    if asking.question.kind.stage != EASY:
        return 0
    typed = sum(map(len, numbers(asking, asking.question.truth))) - 1 if asking.form.how == "type" else 0
    assert keys - typed <= MOST_KEYS, (asking.question.prompt, keys)
    return keys - typed
