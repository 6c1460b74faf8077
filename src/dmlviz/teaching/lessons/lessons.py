"""Lessons: sessions whose experiments have tasks; the ones that come with dmlviz, and what is wrong with one."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Annotated

from msgspec import UNSET, Meta, Struct
from msgspec.structs import asdict, replace

from ...desc.tensors import braces, brackets
from ...errors import DmlvizError, TaskError, quote
from ...session.experiments import Experiment, Session
from ...session.reading import load, meant_by
from ..kinds.whole_descs import LEVEL, MISPRINT
from ..levels.level import Level
from ..progress.hand_ins import MOST_NAME, HandIn
from ..progress.progress import AGAIN, EXIT, LESSONS, LEVELS, TEST, Answered, is_of
from ..questions.subject import shown
from ..tasks.changed_descs import Change, differing, read, written_numbers
from ..tasks.tasks import ELEMENTS, PANELS, Ask, AuthoredQuestion, Task, Wanted, question_of, task_of

CONTENT = Path(__file__).parent / "content"


class About(Struct, frozen=True, kw_only=True):
    """What a file says of a lesson; other keys are kept, and have no meaning: `faults` names them."""

    id: str = ""
    """What its steps' ids begin with."""
    title: str = ""
    goal: str = ""
    minutes: Annotated[int, Meta(ge=0, le=999)] = 10
    exit: Annotated[int, Meta(ge=0, le=20)] = 3
    """How many questions end it, chosen for whoever answers."""
    seed: Annotated[int, Meta(ge=0, le=2**31 - 1)] = 0


NOTES: Mapping[type[Struct], tuple[str, ...]] = {Task: ("concept", "checked", "traps"), About: ("version",)}


class Step(Struct, frozen=True):
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
    key = about.id or id or session.title or "lesson"
    title = session.title or about.title
    name = (about.id or id or title)[:MOST_NAME]
    known = asdict(about) | {"id": key, "title": title or key, "name": name}
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
    lessons = (lesson_of(load(CONTENT / f"lesson-{name}.json"), name) for name in LESSONS)
    return tuple(lesson for lesson in lessons if lesson is not None)


@cache
def taught_types() -> tuple[str, ...]:
    """The operators that the shipped lessons are about, in the order of these: their neighbours have a level alone."""
    steps = (step for lesson in shipped_lessons() for step in lesson.steps)
    return tuple(dict.fromkeys(step.experiment.desc.TYPE for step in steps))


@cache
def shipped_levels() -> tuple[Level, ...]:
    experiments = load(CONTENT / "levels.json").experiments
    tasks = ((experiment, task_of(experiment)) for experiment in experiments)
    return tuple(Level(experiment, task, LEVELS) for experiment, task in tasks if task is not None)


def hand_in_of(lesson: Lesson, answers: Iterable[Answered], name: str) -> HandIn:
    ids = {f"{lesson.id}{EXIT}", f"{lesson.id}{TEST}"}
    for step in lesson.steps:
        if step.task is not None:
            ids |= {step.task.id, f"{step.task.id}{AGAIN}"}
    own = tuple(answer for answer in answers if answer.task in ids and is_of(answer, lesson.name))
    return HandIn(name=name, lesson=lesson.name, answers=own)


LISTED = re.compile(r"\b[A-Z]\w* -?\d+|[\[{][^\]}]*[\]}]|\([^a-z)]*\)")
"""Numbers that are no answer by themselves: `Axis 1`, `{2, 3}`."""


class Fault(Struct, frozen=True):
    number: int | None
    """The experiment, counted from 0; None for the lesson itself."""
    sentence: str


def faults(session: Session) -> list[Fault]:
    if (lesson := lesson_of(session)) is None:
        return []
    found = [Fault(None, sentence) for sentence in lesson.problems]
    found += [Fault(None, sentence) for sentence in _unknown_keys("lesson", session.extra.get("lesson"), About)]
    first_with: dict[str, int] = {}
    for k, step in enumerate(lesson.steps):
        found += [Fault(k, sentence) for sentence in (*_unknown_keys_of(step), *_faults_of(step, lesson.seed))]
        if step.task is not None and (first := first_with.setdefault(step.task.id, step.number)) != step.number:
            sentence = f"task.id is {quote(step.task.id)}, as in experiment {first}, expected an id of its own."
            found.append(Fault(k, sentence))
    return found


def _unknown_keys_of(step: Step) -> Iterator[str]:
    members = step.experiment.extra.get("task")
    yield from _unknown_keys("task", members, Task)
    if step.task is None or not isinstance(members, dict):
        return
    ask = members.get("ask", {})
    yield from _unknown_keys("task.ask", ask, Ask)
    yield from _unknown_keys("task.ask.change", ask.get("change"), Change)
    for name, kind in (("goal", Wanted), ("solutions", Change)):
        for k, each in enumerate(members.get(name, ())):
            yield from _unknown_keys(f"task.{name}[{k}]", each, kind)


def _unknown_keys(name: str, members: object, kind: type[Struct]) -> Iterator[str]:
    """A sentence for each key that has no meaning in a record of this kind, and isn't an author's note."""
    known = (*kind.__struct_fields__, *NOTES.get(kind, ()))
    for key in members if isinstance(members, dict) else ():
        if key not in known:
            yield f"{name} has {quote(key)}, {meant_by(key, known)}expected only {', '.join(known)}."


def _faults_of(step: Step, seed: int) -> Iterator[str]:
    task, experiment = step.task, step.experiment
    if task is None:
        yield from [step.problem] if step.problem else ()
        return
    try:
        question = question_of(experiment, task, seed)
    except TaskError as error:
        if not (experiment.is_wired and experiment.check().waits_for):  # else it is seen once that is mended
            yield str(error)
        return
    is_level = question.kind is LEVEL
    names = [field.name for field in experiment.desc.FIELDS]
    known = dict.fromkeys((*names, *(part.path for part in experiment.desc.parts), *sorted(PANELS)))
    misnamed = [name for name in task.hide or () if name.partition(".Sizes")[0] not in known]
    for name in misnamed:
        yield f"task.hide has {quote(name)}, {meant_by(name, known)}expected only {', '.join(known)}."
    yield from islice(_level_faults(Level(experiment, task)), 1) if is_level else _want_faults(question)
    draws = question.kind.pictured and question.kind.draws_outputs
    looks_up = draws and (task.hide or task.phase != "predict")
    if task.hide is not None and not (misnamed or looks_up or is_level):
        usual = question_of(experiment, replace(task, hide=None), seed).hidden
        left = usual - question.hidden - ELEMENTS
        for told in sorted(left, key=lambda name: (name == "fixes", name))[:1]:
            yield f"task.hide leaves {told} to be seen, which gives the answer away, expected it to be hidden."
    answer = _answer_texts(question)
    patterns = [rf"(?<![\w.-]){re.escape(_plain(part))}(?![\w.]*\w)" for part in answer]
    hints = {f"hints[{k}]": text for k, text in enumerate(task.hints[:3])}
    for name, text in {"say": task.say, **hints}.items():
        words = LISTED.sub(" ", text) if isinstance(question.truth, (int, float)) else text
        if patterns and all(re.search(pattern, _plain(words)) for pattern in patterns):
            yield f"task.{name} says the answer itself, {quote(text)}, expected a text that leaves it open."


def _want_faults(question: AuthoredQuestion) -> Iterator[str]:
    """A sentence where the author's answer isn't right, or a rule that pictures are to show makes none."""
    task, kind = question.task, question.kind
    is_drawn = any(choice.picture for choice in question.choices)
    for rule in task.ask.rules if is_drawn else ():
        if rule not in question.answers:
            yield f"task.ask.rules has {quote(rule)}, expected a rule that makes another picture of these sizes."
    if task.want is UNSET or kind is MISPRINT or is_drawn:
        return
    form = kind.form
    try:
        if not kind.is_right(question, form.read(question, task.want)):
            yield f"task.want is {quote(task.want)}, expected {quote(form.json(question.truth))}: so says the desc."
    except DmlvizError as error:
        yield str(error).replace("answer", "task.want", 1)


def _answer_texts(question: AuthoredQuestion) -> list[str]:
    """What gives the answer away where all of it stands in a text; none where that can't be told."""
    desc = question.subject.desc
    truth = question.kind.form.json(question.truth)
    entries = truth if isinstance(truth, list) else [truth]
    if len(entries) == 1 and isinstance(entries[0], list):
        entries = entries[0]  # the only sizes
    if question.kind is LEVEL:
        level = Level(question.subject.experiment, question.task)
        return [*_change_texts(level.start, level.solution())]
    if all(isinstance(number, (int, float)) and not isinstance(number, bool) for number in entries):
        return [" ".join(map(shown, entries))] if entries else []
    texts = [entry for entry in entries if isinstance(entry, str) and len(entry) > 1 and entry != "none"]
    for entry in entries:
        if isinstance(entry, dict) and "index" in entry:
            parts, side = (desc.outputs, "output") if "output" in entry else (desc.inputs, "tensor")
            texts.append(f"{parts[entry[side]].path}{brackets(entry['index'])}")
    return texts


def _plain(text: str) -> str:
    return re.sub(r"[\s,×x]+", " ", text.replace("_", "."))


def _change_texts(start: Experiment, end: Experiment) -> Iterator[str]:
    """What differs between two experiments of an operator, as `Axis 1` or `IndicesTensor {2, 0}`."""
    after = written_numbers(end)
    for path in differing(start, end) if start.desc.TYPE == end.desc.TYPE else ():
        numbers = after.get(path, ())
        is_one = len(numbers) == 1 and "." not in path
        yield f"{path} {numbers[0] if is_one else braces(numbers)}"


def _level_faults(level: Level) -> Iterator[str]:
    """Sentences on what is wrong with a level; those behind the first may follow from it."""
    if level.judge(level.start).won:
        yield "task.goal is what the start makes already, expected outputs that it doesn't make."
    counts: list[int] = []
    for k in range(len(level.task.solutions)):
        try:
            tried = level.solution(k)
        except TaskError as error:
            yield str(error)
            continue
        if locked := ", ".join(level.locked(tried)):
            allowed = ", ".join(level.may_change) or "nothing"
            yield f"task.solutions[{k}] needs {locked}, expected only what task.may_change has: {allowed}."
        if not level.judge(tried).won:
            yield f"task.solutions[{k}] doesn't make the goal: {level.judge(tried).sentence}"
        counts.append(level.numbers_changed(tried))
    if min(counts) != level.par:
        yield f"task.par is {level.par}, expected {min(counts)}: so many numbers does the nearest solution change."
