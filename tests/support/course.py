"""The course map as a student uses it: opened, and something on it opened by keys or by a click."""

from __future__ import annotations

from typing import Any, TypeVar

from textual.screen import Screen

from dmlviz.screens.learn.course_map import CourseMapScreen
from dmlviz.widgets.boards.course_board import CourseList
from support.driver import Driver

AnyScreen = TypeVar("AnyScreen", bound=Screen[Any])


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
