"""Levels on the screen solved as a student does, by keys alone or by mouse alone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from textual.widgets import OptionList

from dmlviz.screens.dialogs.choose_operator import ChooseOperator
from dmlviz.screens.learn.level import LevelScreen
from dmlviz.screens.learn.stages import StagesScreen
from dmlviz.teaching.levels.stages import stages_in
from dmlviz.teaching.questions.goals import with_lists
from dmlviz.workspace.form.form_rows import form_rows
from support.driver import Driver


def wanted_numbers(screen: LevelScreen) -> dict[str, list[str]]:
    """What each row is to hold, by the level's solution."""
    rows = form_rows(with_lists(screen.work.level.solution()))
    return {row.key: (row.text or row.inferred).replace(",", " ").split() for row in rows}


async def solve_by_keys(driver: Driver, screen: LevelScreen) -> None:
    """Types the solution, number by number."""
    if isinstance(screen, StagesScreen):
        await _solve_stages(driver, screen, by_mouse=False)
    else:
        await _type(driver, screen, wanted_numbers(screen))


async def solve_by_mouse(driver: Driver, screen: LevelScreen) -> None:
    """Clicks at the marks beside the numbers until they are the solution's."""
    if isinstance(screen, StagesScreen):
        await _solve_stages(driver, screen, by_mouse=True)
    else:
        await _click(driver, screen, wanted_numbers(screen))


async def _solve_stages(driver: Driver, screen: StagesScreen, *, by_mouse: bool) -> None:
    """Has the solution's operators, one after the other, and their numbers."""
    for number, rows in enumerate(stages_in(screen.work.level.solution())):
        operator = rows["Operator"][0]
        adds = number == len(screen.work.stages)
        if adds or screen.work.stages[number]["Operator"][0] != operator:
            await _choose(driver, screen, operator, adds=adds, by_mouse=by_mouse)
        reads = [[name for name, read in screen.work._sources().items() if read == one] for one in rows["reads"]]
        paths = [f"InputTensors[{k}]" for k in range(len(reads))] if operator == "JOIN" else ["InputTensor"]
        wanted = {key: [str(item) for item in items] for key, items in rows.items()}
        wanted |= {"InputCount": [str(len(reads))], **dict(zip(paths, reads, strict=True))}
        await (_click if by_mouse else _type)(driver, screen, wanted)


async def _choose(driver: Driver, screen: StagesScreen, operator: str, *, adds: bool, by_mouse: bool) -> None:
    """Adds an operator, or has it instead of the one that is looked at."""
    key, word = ("a", "a add") if adds else ("o", " operators ▾ ")
    if by_mouse:
        selector = "#level-footer" if adds else "#level-head"
        await driver.click(selector, *driver.find(word, selector))
    else:
        await driver.press(key)
    await driver.until(lambda: isinstance(driver.app.screen, ChooseOperator) and driver.app.screen.is_mounted)
    await driver.settle()
    options = driver.app.screen.query_one(OptionList)
    at = options.get_option_index(f"DML_OPERATOR_{operator}")
    if by_mouse:
        x, y = driver.find(operator, "#operators")
        await driver.click("#operators", x, y)
    else:
        by = at - (options.highlighted or 0)
        await driver.press(*["down" if by > 0 else "up"] * abs(by), "enter")
    await driver.until(lambda: driver.app.screen is screen)
    await driver.settle()


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
