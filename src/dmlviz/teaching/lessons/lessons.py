"""Lessons: sessions whose experiments have tasks, read tolerantly; the ones that come with dmlviz, and the levels."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Annotated

from msgspec import Meta, Struct
from msgspec.structs import asdict, replace

from ...errors import TaskError
from ...session.experiments import Experiment, Session
from ...session.reading import load
from ..levels.level import Level
from ..progress.hand_ins import MOST_NAME, HandIn
from ..progress.progress import AGAIN, EXIT, LESSONS, LEVELS, TEST, Answered, is_of
from ..tasks.changed_descs import read
from ..tasks.tasks import Task, task_of

CONTENT = Path(__file__).parent / "content"
NUMBERS: Mapping[str, tuple[int, int]] = MappingProxyType(
    {"minutes": (10, 999), "exit": (3, 20), "seed": (0, 2**31 - 1)}
)
"""(what stands for it, the most) of a lesson's numbers."""


class About(Struct, frozen=True, kw_only=True):
    """What a file says of a lesson; other keys are kept, and have no meaning."""

    id: str = ""
    """What its steps' ids begin with."""
    goal: str = ""
    title: str = ""
    minutes: Annotated[int, Meta(ge=0, le=NUMBERS["minutes"][1])] = NUMBERS["minutes"][0]
    exit: Annotated[int, Meta(ge=0, le=NUMBERS["exit"][1])] = NUMBERS["exit"][0]
    """How many questions end it, chosen for whoever answers."""
    seed: Annotated[int, Meta(ge=0, le=NUMBERS["seed"][1])] = NUMBERS["seed"][0]


class Step(Struct, frozen=True):
    """One experiment of a lesson, with its task."""

    number: int
    experiment: Experiment
    task: Task | None
    """None where there is only something to look at, or the task can't be read."""
    problem: str
    """Why the step is left out, in one sentence; "" for a good one."""


class Lesson(About, frozen=True, kw_only=True):
    """A row of steps; its title is the file's, else the one that is said of it, else its id."""

    name: str
    """What progress calls it: its `id`, else its title; "" where it has neither."""
    steps: tuple[Step, ...]
    problems: tuple[str, ...] = ()
    """What is not as it should be of the lesson itself: something else stands for that."""


def lesson_of(session: Session, id: str = "") -> Lesson | None:  # noqa: A002 (what it is called everywhere)
    """The lesson that a session is; None where it neither says so nor has a task.

    `id` is what it is called where its file doesn't say. A task that can't be read leaves its step out; `Step.problem`
    says why. Ids of tasks that have none are made from the lesson's and the step's number.
    """
    if "lesson" not in session.extra and not any("task" in experiment.extra for experiment in session.experiments):
        return None
    about, problems = About(), tuple[str, ...]()
    try:
        about = read(session.extra.get("lesson", {}), About, "lesson")
    except TaskError as error:
        problems = (str(error),)
    key, title = about.id or id or session.title or "lesson", session.title or about.title
    known = asdict(about) | {"id": key, "title": title or key, "name": (about.id or id or title)[:MOST_NAME]}
    return Lesson(**known, steps=steps_of(session, key), problems=problems)


def steps_of(session: Session, name: str = "lesson") -> tuple[Step, ...]:
    """A step for each experiment of a session, lesson or not; `name` begins the ids of tasks that have none."""
    steps = []
    for number, experiment in enumerate(session.experiments, 1):
        task, problem = None, ""
        try:
            task = task_of(experiment)
        except TaskError as error:
            problem = str(error)
        if task is not None and not task.id:
            task = replace(task, id=f"{name}.{number}")
        steps.append(Step(number, experiment, task, problem))
    return tuple(steps)


@cache
def shipped_lessons() -> tuple[Lesson, ...]:
    """The lessons that come with dmlviz, in the order in which they are taken."""
    lessons = (lesson_of(load(CONTENT / f"lesson-{name}.json"), name) for name in LESSONS)
    return tuple(lesson for lesson in lessons if lesson is not None)


@cache
def taught_types() -> tuple[str, ...]:
    """The operators that the shipped lessons are about, in the order of these: their neighbours have a level alone."""
    steps = (step for lesson in shipped_lessons() for step in lesson.steps)
    return tuple(dict.fromkeys(step.experiment.desc.TYPE for step in steps))


@cache
def shipped_levels() -> tuple[Level, ...]:
    """The levels that come with dmlviz, easiest first."""
    experiments = load(CONTENT / "levels.json").experiments
    tasks = ((experiment, task_of(experiment)) for experiment in experiments)
    return tuple(Level(experiment, task, LEVELS) for experiment, task in tasks if task is not None)


def hand_in_of(lesson: Lesson, answers: Iterable[Answered], name: str) -> HandIn:
    """The answers to a lesson's tasks and to the questions at its end, under a name."""
    ids = {f"{lesson.id}{EXIT}", f"{lesson.id}{TEST}"}
    for step in lesson.steps:
        ids |= {step.task.id, f"{step.task.id}{AGAIN}"} if step.task is not None else set()
    own = tuple(answer for answer in answers if answer.task in ids and is_of(answer, lesson.name))
    return HandIn(name=name, lesson=lesson.name, answers=own)
