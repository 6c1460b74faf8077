"""Levels on the screen solved as a student does, by keys alone or by mouse alone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from textual.widgets import Input

from dmlviz.screens.learn.level import LevelScreen
from dmlviz.teaching.questions.goals import with_lists
from dmlviz.workspace.form.form_rows import form_rows
from support.driver import Driver


def wanted_numbers(screen: LevelScreen) -> dict[str, list[str]]:
    """What each row is to hold, by the level's solution."""
    rows = form_rows(with_lists(screen.desk.level.solution()))
    return {row.key: (row.text or row.inferred).replace(",", " ").split() for row in rows}


async def solve_by_keys(driver: Driver, screen: LevelScreen) -> None:
    """Types the solution, field by field."""
    await _type(driver, screen, wanted_numbers(screen))


async def solve_by_mouse(driver: Driver, screen: LevelScreen) -> None:
    """Clicks at the marks beside the numbers until they are the solution's."""
    await _click(driver, screen, wanted_numbers(screen))


async def _type(driver: Driver, screen: LevelScreen, wanted: Mapping[str, list[str]]) -> None:
    await driver.press(*["shift+tab"] * len(screen.state.form.strip))
    for key in _keys(screen):
        while screen.strip.focused_key != key:
            await driver.press("tab")
        if _numbers(screen, key) == wanted[key]:
            continue
        if screen.strip._fields[key].row.choices:
            await driver.press("enter", *wanted[key][0], "enter")
        else:
            await driver.press(*",".join(wanted[key]))


def _numbers(screen: LevelScreen, key: str) -> list[str]:
    row = screen.strip._fields[key].row
    return (row.text or row.inferred).replace(",", " ").split()


def _keys(screen: LevelScreen) -> Iterator[str]:
    """The rows' keys as they follow each other, which a number may change."""
    at = 0
    while at < len(keys := screen.state.form.strip):
        yield keys[at]
        at += 1


async def _click(driver: Driver, screen: LevelScreen, wanted: Mapping[str, list[str]]) -> None:
    async def click(key: str, number: int, mark: str = "") -> None:
        field = screen.strip._fields[key]
        text = field.editor.value if isinstance(field.editor, Input) else ""
        starts = [0, *(at + 1 for at, char in enumerate(text) if char == ",")]
        assert field.editor is not None
        if field.editor.content_region.x + starts[number] >= driver.screen.size.width:
            await driver.click(field, 1)  # a label that is still in the window brings its field there
        at = field.editor.content_region.x - field.region.x + starts[number]
        line = "".join(span.text for span in field.lines(*field.size)[0])
        await driver.click(field, line.rindex(mark) if mark else at)

    for key in _keys(screen):
        if _numbers(screen, key) == wanted[key]:
            continue
        while (many := len(_numbers(screen, key))) != len(wanted[key]):
            await click(key, many - 1)
            await click(key, many - 1, "+" if many < len(wanted[key]) else "×")
        if screen.strip._fields[key].row.choices:
            await click(key, 0)
            y = next(y for y, line in enumerate(driver.text().split("\n")) if y > 1 and wanted[key][0] in line)
            await driver.click(driver.app.screen, driver.text().split("\n")[y].index(wanted[key][0]), y)
            continue
        for number, text in enumerate(wanted[key]):
            await click(key, number)
            while (now := int(_numbers(screen, key)[number])) != int(text):
                await click(key, number, "›" if now < int(text) else "‹")
