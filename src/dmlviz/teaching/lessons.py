"""Lessons: sessions whose experiments have tasks, read tolerantly; the ones that come with dmlviz, and the levels."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any

from ..errors import DmlvizError, TaskError, quote
from ..session.experiments import Experiment, Session
from ..session.reading import load
from .catalogue import known_language, languages
from .level import Level, best
from .progress import Answered
from .tasks import Task, task_of, with_notes
from .texts import ENGLISH, Text, read_text

__all__ = ["Lesson", "Step", "best", "lesson_of", "level", "reached", "shipped_lessons", "shipped_levels"]

CONTENT = Path(__file__).parent / "content"
LESSONS = ("join", "split", "reverse", "gather", "tile", "invalid")
"""The shipped lessons, in the order in which they are taken."""
MINUTES, EXIT = 10, 3
"""What a lesson takes, and how many questions end it, where its author doesn't say."""
MOST_MINUTES, MOST_EXIT = 999, 20
ANSWERS = 2
"""Wrong answers after which a step counts as answered: its picture is shown."""
NUMBERS: Mapping[str, tuple[int, int]] = MappingProxyType(
    {"minutes": (MINUTES, MOST_MINUTES), "exit": (EXIT, MOST_EXIT), "seed": (0, 2**31 - 1)}
)
"""(what stands for it, the most) of a lesson's numbers."""


@dataclass(frozen=True)
class Step:
    """One experiment of a lesson, with its task."""

    number: int
    """From 1."""
    experiment: Experiment
    task: Task | None
    """None where there is only something to look at, or the task can't be read."""
    problem: str
    """Why the step is left out, in one sentence; "" for a good one."""


@dataclass(frozen=True)
class Lesson:
    """A row of steps."""

    id: str
    title: str
    goal: Text
    minutes: int
    exit: int
    """How many questions end it, chosen for whoever answers."""
    seed: int
    lang: str
    steps: tuple[Step, ...]
    problems: tuple[str, ...] = ()
    """What is not as it should be of the lesson itself: something else stands for that."""


def language_of(session: Session) -> str:
    """The language of a session's plain texts; English where it says none."""
    lang = session.extra.get("lang", ENGLISH)
    return lang if isinstance(lang, str) and lang else ENGLISH


def languages_of(session: Session) -> tuple[str, ...]:
    """The languages that a session's texts are in: its own, if it says one, and those of texts by language."""
    own = session.extra.get("lang")
    found = [own] if isinstance(own, str) and own else []
    lesson = lesson_of(session)
    if lesson is not None:
        tasks = [step.task for step in lesson.steps if step.task is not None]
        texts = [lesson.goal, *(text for task in tasks for text in (task.say, task.then, task.look, *task.hints))]
        texts += [text for task in tasks for text in task.wrong.values()]
        found += sorted({lang for text in texts if text is not None for lang in text.words})
    return tuple(dict.fromkeys(found))


def chosen_language(session: Session, lang: str, name: str = "lang") -> str:
    """The language that somebody chooses for a session: one of its own texts, or of dmlviz; `name` says where.

    `de-AT` and `de_DE.UTF-8` are `de` where that is there alone. Raises DmlvizError for one that neither has.
    """
    own = languages_of(session)
    held = {each.lower(): each for each in own}
    asked = lang.replace("_", "-").partition(".")[0].lower() if isinstance(lang, str) else ""
    found = held.get(asked) or held.get(asked.partition("-")[0]) or known_language(asked)
    if not found:
        raise DmlvizError(f"{name} is {quote(lang)}, expected one of {', '.join(dict.fromkeys((*languages(), *own)))}.")
    return found


def lesson_of(session: Session, id: str = "") -> Lesson | None:  # noqa: A002 (what it is called everywhere)
    """The lesson that a session is; None where it neither says so nor has a task.

    A task that can't be read leaves its step out; `Step.problem` says why. Ids of tasks that have none are made from
    the lesson's and the step's number. A task about something changed that says nothing has the words of the notes.
    """
    found = session.extra.get("lesson")
    if found is None and not any("task" in each.extra for each in session.experiments):
        return None
    problems: list[str] = []
    lang = language_of(session)
    if session.extra.get("lang", lang) != lang:
        problems.append(f'lang is {quote(session.extra["lang"])}, expected a language such as "en".')
    if found is not None and not isinstance(found, dict):
        problems.append(f"lesson is {quote(found)}, expected an object with goal, minutes, seed and exit.")
    about: Mapping[str, Any] = found if isinstance(found, dict) else {}
    named = about.get("id", id)
    if not isinstance(named, str):
        problems.append(f"lesson.id is {quote(named)}, expected text.")
        named = id
    texts: dict[str, Text] = {}
    for key in ("goal", "title"):
        try:
            texts[key] = read_text(about[key], f"lesson.{key}", lang) if key in about else Text(home=lang)
        except TaskError as error:
            problems.append(str(error))
            texts[key] = Text(home=lang)
    numbers = {}
    for key, (usual, most) in NUMBERS.items():
        numbers[key] = about.get(key, usual)
        if type(numbers[key]) is not int or not 0 <= numbers[key] <= most:
            problems.append(f"lesson.{key} is {quote(numbers[key])}, expected an integer from 0 to {most:,}.")
            numbers[key] = usual
    name = named or id
    return Lesson(
        name,
        texts["title"].said(lang) or session.title or name,
        texts["goal"],
        numbers["minutes"],
        numbers["exit"],
        numbers["seed"],
        lang,
        _steps(session.experiments, name, lang),
        tuple(problems),
    )


def steps_of(session: Session) -> tuple[Step, ...]:
    """The steps of a session, which may be no lesson: none of them has a task then."""
    return _steps(session.experiments, "", language_of(session))


def _steps(experiments: Sequence[Experiment], name: str, lang: str) -> tuple[Step, ...]:
    steps = []
    taken: dict[str, int] = {}
    for number, experiment in enumerate(experiments, 1):
        task, problem = None, ""
        try:
            task = task_of(experiment, lang)
        except TaskError as error:
            problem = str(error)
        if task is not None:
            task = with_notes(task, experiment, lang)
            task = task if task.id else replace(task, id=f"{name or 'lesson'}.{number}")
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
    found = (lesson_of(load(CONTENT / f"lesson-{each}.json"), each) for each in LESSONS)
    return tuple(each for each in found if each is not None)


@cache
def shipped_levels() -> tuple[Level, ...]:
    """The levels that come with dmlviz, easiest first."""
    made = []
    for each in load(CONTENT / "levels.json").experiments:
        task = task_of(each)
        assert task is not None
        made.append(Level(each, task))
    return tuple(made)


def level(id: str) -> Level:  # noqa: A002 (what it is called everywhere)
    """The shipped level of an id such as "L05". Raises TaskError where there is none."""
    for each in shipped_levels():
        if each.id == id:
            return each
    first, last = shipped_levels()[0].id, shipped_levels()[-1].id
    raise TaskError(f"level is {quote(id)}, expected one from {first} to {last}.")


def reached(lesson: Lesson, answers: Iterable[Answered]) -> int:
    """The first step, counted from 0, that is still to be answered; the number of steps where none is.

    A step is done once it was answered rightly, skipped, or answered wrongly twice. One without a task is passed by.
    """
    right: set[str] = set()
    wrong: dict[str, int] = {}
    for each in answers:
        if each.right or each.skipped:
            right.add(each.task)
        else:
            wrong[each.task] = wrong.get(each.task, 0) + 1
    for k, step in enumerate(lesson.steps):
        if step.task is not None and step.task.id not in right and wrong.get(step.task.id, 0) < ANSWERS:
            return k
    return len(lesson.steps)
