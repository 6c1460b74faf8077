"""What is wrong with authored tasks: one sentence a fault, as `dmlviz check` tells them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import islice
from typing import Any

from msgspec import Struct

from ...desc.tensors import braces, brackets
from ...errors import DmlvizError, TaskError, quote
from ...operators.maps import Place
from ...operators.registry import operators
from ...session.experiments import Experiment, Session
from ...session.reading import EXPERIMENT_KEYS, SESSION_KEYS, meant_by
from ...session.views import View
from ..kinds.level import LEVEL
from ..kinds.misprint import MISPRINT
from ..kinds.pictures import draw
from ..levels.level import OPERATOR, Level
from ..levels.nearer_descs import nearer
from ..questions.answers import FROM_NOWHERE, shown
from ..questions.question import Quantity, Question, part_at
from ..questions.telling import asked_of, told_by_reveal
from ..tasks.changed_descs import steering_of
from ..tasks.tasks import ABSENT, ASK_KEYS, KEYS, OTHER, PANELS, PART_KEYS, AuthoredQuestion, Task, question_of
from .lessons import KEYS as LESSON_KEYS
from .lessons import Lesson, Step, lesson_of

MUST_HIDE = {"valid": "rules", "lowest": "levels", "fixes": "fixes"}
"""What tells the answer of a kind, whatever the phase."""
LOOKED_UP = ("cell", "fill", "source", "via", "dest", "count", "unread", "promised", "order")
"""Kinds whose answer the picture shows; that is no fault once the prediction is over."""

QUANTITIES = {"via": "what sends {}", "dest": "where {} goes", "source": "where {} comes from"}
QUANTITIES |= {"count": "how often {} is read", "sizes": "{}.Sizes", "value": "{}", "field": "{}"}
"""What a step asks for, in words, by `Quantity.what`; others are kinds about the whole desc."""


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
    every = [Fault(None, sentence) for sentence in lesson.problems]
    for k, step in enumerate(lesson.steps):
        if step.problem:
            every.append(Fault(k, step.problem))
        if step.task is None:
            continue
        every += [Fault(k, sentence) for sentence in _hide_faults(step.experiment, step.task)]
        try:
            question = question_of(step.experiment, step.task, lesson.seed)
        except TaskError as error:
            if not _waits(step.experiment):
                every.append(Fault(k, str(error)))
            continue
        every += [Fault(k, sentence) for sentence in _task_faults(question, step)]
    return every


def _waits(experiment: Experiment) -> bool:
    """True for an experiment that reads a broken one: what can be asked of it is seen once that is mended."""
    return experiment.is_wired and bool(experiment.check().waits_for)


def notes(session: Session) -> list[Fault]:
    """Notes on a session, its lesson and tasks: keys that mean nothing, and steps that ask what was just told."""
    slips = [Fault(None, sentence) for sentence in _unknown_keys("the file", session.extra, SESSION_KEYS, slips=True)]
    slips += [Fault(None, sentence) for sentence in _unknown_keys("lesson", session.extra.get("lesson"), LESSON_KEYS)]
    for k, experiment in enumerate(session.experiments):
        slips += [Fault(k, sentence) for sentence in _slips_of(experiment)]
    lesson = lesson_of(session)
    if lesson is None:
        return slips
    return [*slips, *_told_notes(lesson)]


def _slips_of(experiment: Experiment) -> Iterator[str]:
    """A sentence for every key of an experiment, its view, names of roots and task that means nothing."""
    extra, task = experiment.extra, experiment.extra.get("task")
    yield from _unknown_keys("the experiment", extra, EXPERIMENT_KEYS, slips=True)
    yield from _unknown_keys("view", experiment.view.written, View.__struct_fields__, slips=True)
    yield from _unknown_keys("roots", extra.get("roots"), [part.path for part in experiment.desc.inputs], slips=True)
    if not isinstance(task, dict):
        return
    yield from _unknown_keys("task", task, KEYS)
    yield from _unknown_keys("task.ask", task.get("ask"), ASK_KEYS)
    for key, known in PART_KEYS.items():
        parts = task.get(key)
        for i, part in enumerate(parts if isinstance(parts, list) else ()):
            yield from _unknown_keys(f"task.{key}[{i}]", part, known)


def _unknown_keys(name: str, members: object, known: Sequence[str], *, slips: bool = False) -> Iterator[str]:
    """A sentence for every key of an object that means nothing; of `slips` for those that are near one that does."""
    others = (key for key in members if key not in known) if isinstance(members, dict) else ()
    for key in islice(others, 100):
        meant = meant_by(key, known)
        if meant or not slips:
            yield f"{name} has {quote(key)}, {meant}expected only {', '.join(known)}; it is kept."


def _task_faults(question: AuthoredQuestion, step: Step) -> Iterator[str]:
    """A sentence for every fault of what a task asks."""
    task = question.task
    if task.kind == LEVEL.name:
        yield from _level_faults(Level(step.experiment, task))
    else:
        yield from _want_faults(question, task)
        yield from _rule_faults(question, task)
        yield from _unhidden_faults(question, task)
    yield from _giveaway_faults(question, task)


def _told_notes(lesson: Lesson) -> Iterator[Fault]:
    """A note on each step that asks for what the answer to the one before showed, or what stands beside it."""
    before: tuple[int, Question] | None = None  # what was answered on the screen before
    for step in lesson.steps:
        if step.task is None or step.task.kind == LEVEL.name:
            before = before if step.task is None else None  # a level has a screen of its own
            continue
        with suppress(TaskError):  # which is a fault
            question = question_of(step.experiment, step.task, lesson.seed)
            sentences = (*_told_sentences(before, question), *_seen_sentences(question))
            yield from (Fault(step.number - 1, sentence) for sentence in sentences)
            before = step.number, question


def _told_sentences(before: tuple[int, Question] | None, question: Question) -> Iterator[str]:
    """A sentence where a question asks for what the answer to the one before, (its number, its question), showed."""
    if before is None or any(
        subject.valid and not subject.is_small for subject in (before[1].subject, question.subject)
    ):
        return
    told = told_by_reveal(before[1], question)
    if told:
        what = _said(min(told, key=lambda quantity: (quantity.what, quantity.path, quantity.index)))
        wanted = "other numbers, sizes or another axis"
        yield f"task.ask asks {what}, which the answer to step {before[0]} showed, expected {wanted}."


def _seen_sentences(question: Question) -> Iterator[str]:
    """A sentence for everything that tells a misprint, and is not hidden."""
    for quantity in sorted(asked_of(question), key=str) if question.kind is MISPRINT else ():
        path = f"{quantity.path}.Sizes" if quantity.what == "sizes" else quantity.path or "the tensors' names"
        if path not in question.hidden:
            yield f"task.want is told by {path} on the screen, expected that in task.hide, or another misprint."


def _said(quantity: Quantity) -> str:
    """What is asked for, in words."""
    place = quantity.path + (brackets(quantity.index) if quantity.index else "")
    return QUANTITIES.get(quantity.what, quantity.what).format(place)


def _hide_faults(experiment: Experiment, task: Task) -> Iterator[str]:
    """A sentence for every name in `hide` that nothing is called by."""
    fields = [field.name for field in experiment.desc.FIELDS]
    tensors = {part.path for part in experiment.desc.parts} | {part.field.name for part in experiment.desc.parts}
    for name in task.hide:
        root = name.partition(".Sizes")[0]
        known = root in tensors or re.sub(r"\[\d+\]$", "", name) in fields or name in PANELS
        if not known:
            yield f"task.hide has {quote(name)}, expected only {', '.join((*fields, *sorted(PANELS)))}."


# ---- answers


def _want_faults(question: Question, task: Task) -> Iterator[str]:
    """A sentence where the author's answer can't be read, or isn't right."""
    if task.want is ABSENT or task.kind in (MISPRINT.name, "fixes", "pictures"):
        return
    try:
        wanted = question.kind.read(question, task.want)
    except DmlvizError as error:
        yield str(error).replace("answer", "task.want", 1)
        return
    if question.kind.score(question, wanted) < 1:
        right = quote(question.kind.json(question.truth))
        yield f"task.want is {quote(task.want)}, expected {right}: so says the desc."


def _rule_faults(question: Question, task: Task) -> Iterator[str]:
    """A sentence for every wrong rule of a task whose holder doesn't answer otherwise."""
    if task.kind == MISPRINT.name:
        return
    if task.kind == "pictures":
        yield from _picture_faults(question, task.ask.get("rules", ()))
    for rule in task.wrong:
        if rule != OTHER and rule not in question.answers:
            given = question.kind.answer(question, question.rule(rule))
            if given is not None and given == question.truth and question.subject.may_differ(question.rule(rule)):
                yield f"task.wrong.{rule} is never said, expected a rule whose holder answers otherwise than rightly."


def _picture_faults(question: Question, rules: Sequence[str]) -> Iterator[str]:
    """A sentence for every rule that makes no picture of its own."""
    subject, at = question.subject, question.at
    seen = {draw(subject, subject.truth, at): "the truth"}
    for rule in rules:
        reading = subject.element_readings.get(rule)
        picture = None if reading is None else draw(subject, reading, at)
        if picture is None:
            yield f"task.ask.rules has {quote(rule)}, expected a rule that makes a picture of these sizes."
        elif picture in seen:
            same = f"whose picture is that of {seen[picture]}"
            yield f"task.ask.rules has {quote(rule)}, {same}, expected one that differs."
        else:
            seen[picture] = rule


# ---- what gives an answer away


def _unhidden_faults(question: Question, task: Task) -> Iterator[str]:
    """A sentence where the task shows what tells its answer."""
    kind, subject = task.kind, question.subject
    wanted = MUST_HIDE.get(kind)
    if kind == "sizes":
        wanted = f"{subject.desc.outputs[0].path}.Sizes"
    elif kind in ("blank", "insizes"):
        wanted = question.blank
    elif kind == "pictures":
        number = question.at.place.number if question.at is not None else 0
        wanted = part_at(subject, Place(True, number)).path
    if wanted is not None and wanted not in question.hidden:
        yield f"task.hide leaves {wanted} to be seen, which tells the answer, expected it to be hidden."
    elif kind in LOOKED_UP and task.phase == "predict" and task.shows_all:
        yield "task.hide is empty, so that the picture tells the answer, expected what a prediction is about."


def _giveaway_faults(question: AuthoredQuestion, task: Task) -> Iterator[str]:
    """A sentence for every text that says the answer itself."""
    patterns = _answer_patterns(question)
    texts = [("say", task.say), *((f"hints[{k}]", text) for k, text in enumerate(task.hints[:3]))]
    for name, text in texts:
        words = text
        if patterns and all(
            re.search(pattern, _without_lists(words, question) if bare else words) for pattern, bare in patterns
        ):
            yield f"task.{name} says the answer itself, {quote(words)}, expected a text that leaves it open."


def _without_lists(text: str, question: Question) -> str:
    """A text without lists in brackets and without fields' own numbers: what is left are numbers by themselves."""
    names = "|".join(re.escape(field.name) for field in question.subject.desc.FIELDS)
    return re.sub(rf"\b({names})s? -?\d+", " ", re.sub(r"[\[{(][^\]})]*[\]})]", " ", text))


def _answer_patterns(question: Question) -> list[tuple[str, bool]]:
    """(pattern, whether in prose alone) that all match a text that gives the answer away; [] where none can be told."""
    truth, kind, subject = question.truth, question.kind.name, question.subject
    if kind == "level":
        return _solution_patterns(question)
    if kind == "valid":
        return [(rf"(?<![\w.]){re.escape(id_)}(?![\w.]*\w)", False) for id_ in truth]
    if kind == "lowest":
        return [(truth.replace("_", "[._]"), False)] if truth != "none" else []
    if kind == "misprint":
        others = (choice.text for choice in question.choices if choice.id != truth)
        right = next(choice.text for choice in question.choices if choice.id == truth)
        return [(rf"^(?!.*(?:{'|'.join(map(re.escape, others))})).*{re.escape(right)}", False)]
    if truth == FROM_NOWHERE:
        return [(r"\bnowhere\b", False)]
    if kind in ("source", "via"):
        return [(re.escape(f"{part_at(subject, Place(False, truth[0])).path}{brackets(truth[1])}"), False)]
    if kind in ("dest", "unread"):
        side = kind == "dest"
        return [(re.escape(f"{part_at(subject, Place(side, k)).path}{brackets(index)}"), False) for k, index in truth]
    if kind == "sizes":
        return [_row_pattern(truth[0])]
    if isinstance(truth, tuple) and len(truth) > 1 and all(isinstance(number, (int, float)) for number in truth):
        return [_row_pattern(truth)]
    if isinstance(truth, (int, float)) and not isinstance(truth, bool):
        return [_number_pattern(truth)]
    return []


def _row_pattern(numbers: Sequence[Any]) -> tuple[str, bool]:
    """The pattern of numbers in a row, in any text."""
    return r"(?<![\d.-])" + r"[\s,×x]+".join(re.escape(shown(number)) for number in numbers) + r"(?![\d.]*\d)", False


def _number_pattern(number: Any) -> tuple[str, bool]:
    """The pattern of a number by itself, in prose."""
    return rf"(?<![\w.-]){re.escape(shown(number))}(?![\w.]*\w)", True


def _solution_patterns(question: Question) -> list[tuple[str, bool]]:
    """Patterns of what the first solution holds otherwise than the start; [] for another operator."""
    before, after = question.subject.desc, question.truth.desc
    if before.TYPE != after.TYPE:
        return []
    patterns: list[tuple[str, bool]] = []
    for field in after.FIELDS:
        one, other = before.get(field.name), after.get(field.name)
        if one == other or field.name in after.inferred:
            continue
        if field in after.TENSORS:
            tensors = other if field.many else (other,)
            patterns += [_row_pattern(tensor.sizes) for tensor in tensors if len(tensor.sizes) > 1]
        elif field.is_list:
            patterns.append(_row_pattern(other))
        else:
            patterns.append((rf"{field.name}\D{{0,12}}{re.escape(field.shown(other))}\b", False))
    sources = question.subject.experiment.sources_or_defaults()[0]
    own = {
        part.path: tuple(values.array().reshape(-1).tolist())
        for part, values in zip(before.inputs, sources, strict=True)
    }
    patterns += [
        _row_pattern(items)
        for path, items in question.truth.steering
        if own.get(path) != tuple(items) and len(items) > 1
    ]
    return patterns


# ---- levels


def _change_texts(start: Experiment, end: Experiment) -> Iterator[str]:
    """What differs between two experiments, as `Axis 1` or `IndicesTensor {2, 0}`."""
    for name, member in end.desc.given().items():
        if member != start.desc.get(name):
            numbers = isinstance(member, tuple) and all(isinstance(number, int) for number in member)
            shown_ = (
                braces(member) if numbers else " ".join(map(str, member)) if isinstance(member, tuple) else str(member)
            )
            yield f"{name} {shown_}"
    before = steering_of(start)
    yield from (f"{path} {braces(items)}" for path, items in steering_of(end).items() if items != before.get(path))


def _may_change_faults(level: Level) -> Iterator[str]:
    """A sentence for every name in `may_change` that nothing is called by."""
    descs = [operator.desc for operator in operators().values()] if OPERATOR in level.may_change else [level.start.desc]
    fields = dict.fromkeys(field.name for desc in descs for field in desc.FIELDS)
    tensors = dict.fromkeys(field.name for desc in descs for field in desc.TENSORS)
    known = [OPERATOR, *fields, *(f"{name}.Sizes" for name in tensors)]
    for entry in level.may_change:
        if entry not in known:
            yield f"task.may_change has {quote(entry)}, {meant_by(entry, known)}expected only {', '.join(known)}."


def _level_faults(level: Level) -> Iterator[str]:
    """A sentence for every fault of a level: of what may change, its goal, solutions, par and traps."""
    yield from _may_change_faults(level)
    if level.wins(level.start):
        yield "task.goal is what the start makes already, expected outputs that it doesn't make."
    least = None
    for k in range(len(level.level_task.solutions)):
        try:
            tried = level.solution(k)
        except TaskError as error:
            yield str(error)
            continue
        for path in level.locked(tried):
            allowed = ", ".join(level.may_change) or "nothing"
            yield f"task.solutions[{k}] needs {path}, expected only what task.may_change has: {allowed}."
        verdict = level.judge(tried)
        if not verdict.won:
            yield f"task.solutions[{k}] doesn't make the goal: {verdict.sentence}"
            continue
        least = verdict.changed if least is None else min(least, verdict.changed)
    if least is None:
        yield "task.goal is made by no solution that is given, expected one that makes it."
    elif least != level.par:
        yield f"task.par is {level.par}, expected {least}: so many numbers does the nearest solution change."
    elif (near := nearer(level)) is not None:
        changes = "; ".join(_change_texts(level.start, near))
        count = level.numbers_changed(near)
        yield f"task.par is {level.par}, expected at most {count}: {changes} makes the goal."
    for k in range(len(level.level_task.traps)):
        try:
            rule, tried = level.trap(k)
        except TaskError as error:
            yield str(error)
            continue
        verdict = level.judge(tried)
        if verdict.won:
            yield f"task.traps[{k}] makes the goal, expected a desc that only {rule} takes for it."
        elif rule not in verdict.rules:
            yield f"task.traps[{k}].rule is {quote(rule)}, expected a rule by which that desc makes the goal."
