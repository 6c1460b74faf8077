"""Levels on the screen solved as a student does, by keys alone or by mouse alone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from dmlviz.screens.learn.level import LevelScreen
from dmlviz.teaching.questions.goals import with_lists
from dmlviz.workspace.form.form_rows import form_rows
from support.driver import Driver


def wanted_numbers(screen: LevelScreen) -> dict[str, list[str]]:
    """What each row is to hold, by the level's solution."""
    rows = form_rows(with_lists(screen.desk.level.solution()))
    return {row.key: (row.text or row.inferred).replace(",", " ").split() for row in rows}


async def solve_by_keys(driver: Driver, screen: LevelScreen) -> None:
    """Types the solution, number by number."""
    await _type(driver, screen, wanted_numbers(screen))


async def solve_by_mouse(driver: Driver, screen: LevelScreen) -> None:
    """Clicks at the marks beside the numbers until they are the solution's."""
    await _click(driver, screen, wanted_numbers(screen))


async def _type(driver: Driver, screen: LevelScreen, wanted: Mapping[str, list[str]]) -> None:
    fields = screen.strip
    await driver.press("home")
    for key in _keys(screen):
        while fields.here != key:
            await driver.press("right")
        if fields._numbers == wanted[key]:
            continue
        if choices := fields._rows[key].choices:
            by = choices.index(wanted[key][0]) - choices.index(fields._numbers[0])
            await driver.press(*["down" if by > 0 else "up"] * abs(by))
            continue
        for k, number in enumerate(wanted[key]):
            if k:
                await driver.press("right" if k < len(fields._numbers) else "comma")
            if fields._numbers[k] != number:
                await driver.press(*number)
        while len(fields._numbers) > len(wanted[key]):
            await driver.press("right", "delete", "delete")


def _keys(screen: LevelScreen) -> Iterator[str]:
    """The rows' keys as they follow each other, which a number may change."""
    at = 0
    while at < len(keys := screen.state.form.strip):
        yield keys[at]
        at += 1


async def _click(driver: Driver, screen: LevelScreen, wanted: Mapping[str, list[str]]) -> None:
    fields = screen.strip

    async def click(key: str, number: int, act: str = "") -> None:
        place = next(
            (x for x, _, piece in fields._places if (piece.key, piece.number, piece.act) == (key, number, act)), None
        )
        assert place is not None, (key, number, act)
        await driver.click(fields, place)

    for key in _keys(screen):
        held = fields._rows[key].text.replace(",", " ").split()
        if held == wanted[key]:
            continue
        at = 0
        while (many := len(fields._rows[key].text.split(","))) != len(wanted[key]):
            at = many - 1
            await click(key, at)
            await click(key, at, "add" if many < len(wanted[key]) else "remove")
        worth = fields._rows[key].choices.index if fields._rows[key].choices else int
        for k, number in enumerate(wanted[key]):
            await click(key, k)
            while (now := worth(fields._numbers[k])) != worth(number):
                await click(key, k, "more" if now < worth(number) else "less")
