"""Lessons: sessions whose experiments have tasks, read tolerantly; the ones that come with dmlviz, and the levels."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from ...errors import DmlvizError, TaskError, quote
from ...session.experiments import Experiment, Session
from ...session.reading import load
from ..kinds.level import KIND as LEVEL
from ..levels.level import Level, best
from ..progress.progress import LESSONS, LEVELS, SHIPPED, Answered, counted_as
from ..tasks.tasks import Task, task_of, with_notes
from ..words.catalogue import known_language, languages_told, user_language
from ..words.texts import ENGLISH, Text, read_text

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
    titles: Text
    """The file's title, and the lesson's in other languages."""
    goal: Text
    minutes: int
    exit: int
    """How many questions end it, chosen for whoever answers."""
    seed: int
    lang: str
    steps: tuple[Step, ...]
    problems: tuple[str, ...] = ()
    """What is not as it should be of the lesson itself: something else stands for that."""

    @property
    def title(self) -> str:
        """What it is called, in the user's language where it has a title in that."""
        return self.titles.in_language(user_language() or self.lang) or self.id


def language_of(session: Session) -> str:
    """The language of a session's plain texts; English where it says none."""
    lang = session.extra.get("lang", ENGLISH)
    return lang if isinstance(lang, str) and lang else ENGLISH


def languages_of(session: Session) -> tuple[str, ...]:
    """The languages that a session's texts are in: its own, if it says one, and those of texts by language."""
    own = session.extra.get("lang")
    tags = [own] if isinstance(own, str) and own else []
    lesson = lesson_of(session)
    if lesson is not None:
        tasks = [step.task for step in lesson.steps if step.task is not None]
        texts = [lesson.goal, *(text for task in tasks for text in (task.say, task.then, task.look, *task.hints))]
        texts += [text for task in tasks for text in task.wrong.values()]
        tags += sorted({lang for text in texts if text is not None for lang in text.words})
    return tuple(dict.fromkeys(tags))


def chosen_language(session: Session, lang: str, name: str = "lang") -> str:
    """The language that somebody chooses for a session: one of its own texts, or of dmlviz; `name` says where.

    `de-AT` and `de_DE.UTF-8` are `de` where that is there alone. Raises DmlvizError for one that neither has.
    """
    own = languages_of(session)
    tags = {tag.lower(): tag for tag in own}
    asked = lang.replace("_", "-").partition(".")[0].lower() if isinstance(lang, str) else ""
    chosen = tags.get(asked) or tags.get(asked.partition("-")[0]) or known_language(asked)
    if not chosen:
        raise DmlvizError(f"{name} is {quote(lang)}, expected one of {languages_told(own)}.")
    return chosen


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
    lang = language_of(session)
    if session.extra.get("lang", lang) != lang:
        problems.append(f'lang is {quote(session.extra["lang"])}, expected a language such as "en".')
    if members is not None and not isinstance(members, dict):
        problems.append(f"lesson is {quote(members)}, expected an object with goal, minutes, seed and exit.")
    about: Mapping[str, Any] = members if isinstance(members, dict) else {}
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
    titles = Text({**texts["title"].words, **({lang: session.title} if session.title else {})}, lang)
    name = named or id
    key = name or session.title or "lesson"
    called = (name or titles.in_language(lang))[:MOST_NAME]
    if called in SHIPPED and not id and _tasks(session.experiments) != _shipped_tasks(called):
        if name:
            problems.append(f"lesson.id is {quote(name)}, as a lesson of dmlviz is called, expected one of its own.")
        called += OF_A_FILE
    return Lesson(
        id=key,
        name=called,
        titles=titles,
        goal=texts["goal"],
        minutes=numbers["minutes"],
        exit=numbers["exit"],
        seed=numbers["seed"],
        lang=lang,
        steps=_named_steps(session.experiments, key, lang),
        problems=tuple(problems),
    )


def steps_of(session: Session) -> tuple[Step, ...]:
    """The steps of a session, which may be no lesson: none of them has a task then."""
    return _named_steps(session.experiments, "lesson", language_of(session))


def _named_steps(experiments: Sequence[Experiment], name: str, lang: str) -> tuple[Step, ...]:
    """A step for each experiment; `name` begins the ids of tasks that have none."""
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
