"""Lessons: sessions whose experiments have tasks, read tolerantly; the ones that come with dmlviz, and the levels."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from ...errors import TaskError, quote
from ...session.experiments import Experiment, Session
from ...session.reading import load
from ..kinds.level import LEVEL
from ..levels.level import Level, best
from ..progress.progress import LESSONS, LEVELS, SHIPPED, Answered, counted_as
from ..tasks.tasks import Task, task_of, with_notes
from ..words.texts import read_text

__all__ = ["LESSONS", "Lesson", "Step", "best", "lesson_of", "level", "shipped_lessons", "shipped_levels"]

CONTENT = Path(__file__).parent / "content"
MINUTES, EXIT = 10, 3
"""What a lesson takes, and how many questions end it, where its author doesn't say."""
MOST_MINUTES, MOST_EXIT = 999, 20
MOST_NAME = 200
"""Characters of what progress calls it: each answer has it."""
OF_A_FILE = " (file)"
"""What follows the name of a lesson that is called as a shipped one is, and isn't that: they are never added up."""
KEYS = ("id", "goal", "title", "minutes", "exit", "seed", "version")
"""What a lesson may hold; other keys are kept, and have no meaning."""
NUMBERS: Mapping[str, tuple[int, int]] = MappingProxyType(
    {"minutes": (MINUTES, MOST_MINUTES), "exit": (EXIT, MOST_EXIT), "seed": (0, 2**31 - 1)}
)
"""(what stands for it, the most) of a lesson's numbers."""


class Step(Struct, frozen=True):
    """One experiment of a lesson, with its task."""

    number: int
    """From 1."""
    experiment: Experiment
    task: Task | None
    """None where there is only something to look at, or the task can't be read."""
    problem: str
    """Why the step is left out, in one sentence; "" for a good one."""


class Lesson(Struct, frozen=True, kw_only=True):
    """A row of steps."""

    id: str
    """What its steps' ids begin with."""
    name: str
    """What progress calls it: its `id`, else its title; "" where it has neither."""
    title: str
    """The file's title, else the lesson's, else its id."""
    goal: str
    minutes: int
    exit: int
    """How many questions end it, chosen for whoever answers."""
    seed: int
    steps: tuple[Step, ...]
    problems: tuple[str, ...] = ()
    """What is not as it should be of the lesson itself: something else stands for that."""


def lesson_of(session: Session, id: str = "") -> Lesson | None:  # noqa: A002 (what it is called everywhere)
    """The lesson that a session is; None where it neither says so nor has a task.

    `id` is what it is called where its file doesn't say. A task that can't be read leaves its step out; `Step.problem`
    says why. Ids of tasks that have none are made from the lesson's and the step's number. A task about something
    changed that says nothing has the words of the notes.
    """
    members = session.extra.get("lesson")
    if members is None and not any("task" in experiment.extra for experiment in session.experiments):
        return None
    problems: list[str] = []
    if members is not None and not isinstance(members, dict):
        problems.append(f"lesson is {quote(members)}, expected an object with goal, minutes, seed and exit.")
    about: Mapping[str, Any] = members if isinstance(members, dict) else {}
    named = about.get("id", id)
    if not isinstance(named, str):
        problems.append(f"lesson.id is {quote(named)}, expected text.")
        named = id
    texts = dict.fromkeys(("goal", "title"), "")
    for key in texts:
        try:
            texts[key] = read_text(about.get(key, ""), f"lesson.{key}")
        except TaskError as error:
            problems.append(str(error))
    numbers = {}
    for key, (usual, most) in NUMBERS.items():
        numbers[key] = about.get(key, usual)
        if type(numbers[key]) is not int or not 0 <= numbers[key] <= most:
            problems.append(f"lesson.{key} is {quote(numbers[key])}, expected an integer from 0 to {most:,}.")
            numbers[key] = usual
    title = session.title or texts["title"]
    name = named or id
    key = name or session.title or "lesson"
    called = (name or title)[:MOST_NAME]
    if called in SHIPPED and not id and _tasks(session.experiments) != _shipped_tasks(called):
        if name:
            problems.append(f"lesson.id is {quote(name)}, as a lesson of dmlviz is called, expected one of its own.")
        called += OF_A_FILE
    return Lesson(
        id=key,
        name=called,
        title=title or key,
        goal=texts["goal"],
        minutes=numbers["minutes"],
        exit=numbers["exit"],
        seed=numbers["seed"],
        steps=_named_steps(session.experiments, key),
        problems=tuple(problems),
    )


def steps_of(session: Session) -> tuple[Step, ...]:
    """The steps of a session, which may be no lesson: none of them has a task then."""
    return _named_steps(session.experiments, "lesson")


def _named_steps(experiments: Sequence[Experiment], name: str) -> tuple[Step, ...]:
    """A step for each experiment; `name` begins the ids of tasks that have none."""
    steps = []
    taken: dict[str, int] = {}
    for number, experiment in enumerate(experiments, 1):
        task, problem = None, ""
        try:
            task = task_of(experiment)
        except TaskError as error:
            problem = str(error)
        if task is not None:
            task = with_notes(task, experiment)
            task = task if task.id else replace(task, id=f"{name}.{number}")
            if task.id in taken:
                problem = f"task.id is {quote(task.id)}, which step {taken[task.id]} has, expected one of its own."
                task = None
            else:
                taken[task.id] = number
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


def _tasks(experiments: Iterable[Experiment]) -> list[tuple[object, object]]:
    """(desc, task) of experiments, which tell a lesson from others: NaN among values is never like itself."""
    return [(experiment.desc, experiment.extra.get("task")) for experiment in experiments]


def _shipped_tasks(name: str) -> list[tuple[object, object]]:
    """(desc, task) of the steps of a shipped lesson by its name; [] for the levels."""
    return _tasks(step.experiment for lesson in shipped_lessons() if lesson.id == name for step in lesson.steps)


@cache
def shipped_levels() -> tuple[Level, ...]:
    """The levels that come with dmlviz, easiest first."""
    experiments = load(CONTENT / "levels.json").experiments
    tasks = ((experiment, task_of(experiment)) for experiment in experiments)
    return tuple(Level(experiment, task, LEVELS) for experiment, task in tasks if task is not None)


def named_anew(answered: Answered) -> Answered:
    """An answer of any version under its lesson's present name; earlier ones named none for shipped levels."""
    if answered.kind != LEVEL.name or answered.lesson not in ("", *SHIPPED):
        return answered
    shipped = any(level.id == answered.task for level in shipped_levels())
    return replace(answered, lesson=counted_as(answered.lesson or LEVELS, answered.kind)) if shipped else answered


def level(id: str) -> Level:  # noqa: A002 (what it is called everywhere)
    """The shipped level of an id such as "L05". Raises TaskError where there is none."""
    for shipped in shipped_levels():
        if shipped.id == id:
            return shipped
    first, *_, last = shipped_levels()
    raise TaskError(f"level is {quote(id)}, expected one from {first.id} to {last.id}.")
