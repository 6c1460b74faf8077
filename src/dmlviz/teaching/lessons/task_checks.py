"""What is wrong with authored tasks: one sentence a fault, which begins with the member's path."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from msgspec import UNSET, Struct
from msgspec.structs import replace

from ...desc.tensors import braces, brackets
from ...errors import DmlvizError, TaskError, quote
from ...session.experiments import Experiment, Session
from ...session.reading import meant_by
from ..kinds.level import LEVEL, MISPRINT
from ..levels.level import Level, nearer
from ..questions.subject import shown
from ..tasks.changed_descs import differing, written_numbers
from ..tasks.tasks import ELEMENTS, PANELS, AuthoredQuestion, question_of
from .lessons import Step, lesson_of

LISTED = re.compile(r"\b[A-Z]\w* -?\d+|[\[{(][^\]})]*[\]})]")
"""Numbers that are no answer by themselves: `Axis 1`, `{2, 3}`."""


class Fault(Struct, frozen=True):
    """Something that an author has to mend."""

    number: int | None
    """The experiment, counted from 0; None for the lesson itself."""
    sentence: str


def faults(session: Session) -> list[Fault]:
    """Every fault of a lesson and of its tasks, in their order."""
    lesson = lesson_of(session)
    if lesson is None:
        return []
    own = (Fault(k, sentence) for k, step in enumerate(lesson.steps) for sentence in _faults_of(step, lesson.seed))
    return [*(Fault(None, sentence) for sentence in lesson.problems), *own]


def _faults_of(step: Step, seed: int) -> Iterator[str]:
    """A sentence for every fault of a step that doesn't follow from one before."""
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
    is_level, names = question.kind is LEVEL, [field.name for field in experiment.desc.FIELDS]
    known = dict.fromkeys((*names, *(part.path for part in experiment.desc.parts), *sorted(PANELS)))
    misnamed = [name for name in task.hide or () if name.partition(".Sizes")[0] not in known]
    for name in misnamed:
        yield f"task.hide has {quote(name)}, {meant_by(name, known)}expected only {', '.join(known)}."
    yield from islice(_level_faults(Level(experiment, task)), 1) if is_level else _want_faults(question)
    looks_up = question.kind.pictured and question.kind.draws_outputs and (task.hide or task.phase != "predict")
    if task.hide is not None and not (misnamed or looks_up or is_level):
        left = question_of(experiment, replace(task, hide=None), seed).hidden - question.hidden - ELEMENTS
        for told in sorted(left, key=lambda name: (name == "fixes", name))[:1]:
            yield f"task.hide leaves {told} to be seen, which tells the answer, expected it to be hidden."
    answer = _answer_texts(question)
    for name, text in [("say", task.say), *((f"hints[{k}]", text) for k, text in enumerate(task.hints[:3]))]:
        words = LISTED.sub(" ", text) if isinstance(question.truth, (int, float)) else text
        told_by = (re.search(rf"(?<![\w.-]){re.escape(_plain(part))}(?![\w.]*\w)", _plain(words)) for part in answer)
        if answer and all(told_by):
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
    desc, truth = question.subject.desc, question.kind.form.json(question.truth)
    entries = truth if isinstance(truth, list) else [truth]
    entries = entries[0] if len(entries) == 1 and isinstance(entries[0], list) else entries  # the only sizes
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
    """A text in which levels, lists and sizes are written in one way."""
    return re.sub(r"[\s,×x]+", " ", text.replace("_", "."))


def _change_texts(start: Experiment, end: Experiment) -> Iterator[str]:
    """What differs between two experiments of an operator, as `Axis 1` or `IndicesTensor {2, 0}`."""
    after = written_numbers(end)
    for path in differing(start, end) if start.desc.TYPE == end.desc.TYPE else ():
        numbers = after.get(path, ())
        yield f"{path} {braces(numbers) if '.' in path or len(numbers) != 1 else numbers[0]}"


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
    elif (near := nearer(level)) is not None:
        changes, count = "; ".join(_change_texts(level.start, near)), level.numbers_changed(near)
        yield f"task.par is {level.par}, expected at most {count}: {changes} makes the goal."
