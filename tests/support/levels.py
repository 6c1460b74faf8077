"""Levels worked on as a student does: by edits that lead to a desc, and on the screen, by keys or by mouse alone."""

from __future__ import annotations

from textual.widgets import Input

from dmlviz.screens.learn.level import LevelScreen
from dmlviz.session.experiments import Experiment
from dmlviz.teaching.lessons.lessons import shipped_levels
from dmlviz.teaching.levels.level import Level
from dmlviz.teaching.progress.progress import Progress
from dmlviz.teaching.questions.goals import with_lists
from dmlviz.workspace.form.form_rows import form_rows
from dmlviz.workspace.levels.level_desk import LevelDesk, LevelState
from dmlviz.workspace.shown.picture import Room
from dmlviz.workspace.shown.state import FormRow
from support.answering import Clock
from support.driver import Driver


def level(name: str) -> Level:
    """The shipped level of an id such as "L05"."""
    return next(each for each in shipped_levels() if each.id == name)


def work_on(worked: str | Level, progress: Progress | None = None) -> LevelDesk:
    """A level, shipped where it is named, laid out; answers are kept in memory."""
    worked = worked if isinstance(worked, Level) else level(worked)
    made = LevelDesk(worked, progress if progress is not None else Progress(), Clock())
    made.fit(Room(70, 14))
    return made


def after(desk: LevelDesk, act: str, *given: object) -> LevelState:
    """What is shown once somebody has done something."""
    getattr(desk, act)(*given)
    return desk.state


def lead_to(work: LevelDesk, target: Experiment) -> LevelState:
    """Makes `target`'s desc by edits of what may change, a row after the other."""
    target = with_lists(target)
    if work.experiment.desc.TYPE != target.desc.TYPE:
        work.type_in_field("Operator", target.desc.TYPE)
    wanted = {row.key: row.text or row.inferred for row in form_rows(target)}
    for key in work.state.form.strip:
        held = {row.key: row.text for row in work.state.form.rows}
        if held[key] != wanted[key]:
            work.type_in_field(key, wanted[key].replace(" ", ""))
    return work.state


def wanted_numbers(screen: LevelScreen) -> dict[str, list[str]]:
    """What each row is to hold, by the level's solution."""
    return {row.key: numbers(row) for row in form_rows(with_lists(screen.desk.level.solution()))}


def numbers(row: FormRow) -> list[str]:
    return (row.text or row.inferred).replace(",", " ").split()


async def solve_by_keys(driver: Driver, screen: LevelScreen) -> None:
    """Types the solution, field by field; a number may change which ones there are."""
    wanted, at = wanted_numbers(screen), 0
    await driver.press(*["shift+tab"] * len(screen.state.form.strip))
    while at < len(keys := screen.state.form.strip):
        while screen.strip.focused_key != keys[at]:
            await driver.press("tab")
        row = screen.strip._fields[keys[at]].row
        if numbers(row) != wanted[row.key]:
            text = wanted[row.key]
            await driver.press(*(("enter", *text[0], "enter") if row.choices else ",".join(text)))
        at += 1


async def solve_by_mouse(driver: Driver, screen: LevelScreen) -> None:
    """Clicks at the marks beside the numbers until they are the solution's."""
    wanted, at = wanted_numbers(screen), 0

    async def click(number: int, mark: str = "") -> list[str]:
        """Clicks at a number, or at its mark; what the field holds then."""
        field = screen.strip._fields[key]
        text = field.editor.value if isinstance(field.editor, Input) else ""
        starts = [0, *(at + 1 for at, char in enumerate(text) if char == ",")]
        assert field.editor is not None
        if field.editor.content_region.x + starts[number] >= driver.screen.size.width:
            await driver.click(field, 1)  # a label that is still in the window brings its field there
        place = field.editor.content_region.x - field.region.x + starts[number]
        line = "".join(span.text for span in field.lines(*field.size)[0])
        await driver.click(field, line.rindex(mark) if mark else place)
        return numbers(screen.strip._fields[key].row)

    while at < len(screen.state.form.strip):
        key = screen.state.form.strip[at]
        held, text, at = numbers(screen.strip._fields[key].row), wanted[key], at + 1
        while len(held) != len(text):
            await click(len(held) - 1)
            held = await click(len(held) - 1, "+" if len(held) < len(text) else "×")
        for number in range(len(text)) if held != text else ():
            await click(number)
            if screen.strip._fields[key].row.choices:
                y = next(y for y, line in enumerate(driver.text().split("\n")) if y > 1 and text[0] in line)
                await driver.click(driver.app.screen, driver.text().split("\n")[y].index(text[0]), y)
                break
            while held[number] != text[number]:
                held = await click(number, "›" if int(held[number]) < int(text[number]) else "‹")
