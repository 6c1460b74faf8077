"""Levels worked on as a student does: by the edits that lead to a desc, and on a screen of their own."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from dmlviz.screens.learn.level import LevelScreen
from dmlviz.session.experiments import Experiment
from dmlviz.teaching.lessons.lessons import shipped_levels
from dmlviz.teaching.levels.level import Level
from dmlviz.teaching.progress.progress import Progress
from dmlviz.teaching.questions.goals import with_lists
from dmlviz.workspace.form.form_rows import form_rows
from dmlviz.workspace.levels.level_desk import LevelDesk, LevelState
from dmlviz.workspace.shown.picture import Room
from support.answering import Clock
from support.driver import Driver, explore

Script = Callable[[Driver, LevelScreen], Awaitable[None]]


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


def play(
    script: Script, played: str | Level, size: tuple[int, int] = (80, 24), progress: Progress | None = None
) -> list[object]:
    """Runs `script` on the screen of a level, shipped where it is named; what it was dismissed with, if it was."""
    played = played if isinstance(played, Level) else level(played)
    results: list[object] = []

    async def run(driver: Driver) -> None:
        screen = LevelScreen(played, progress if progress is not None else Progress())
        driver.app.push_screen(screen, results.append)
        await driver.until(lambda: driver.app.screen is screen and screen.is_mounted)
        await driver.settle()
        await script(driver, screen)

    explore(run, "join-1", size)
    return results
