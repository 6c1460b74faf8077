"""Tasks: what an author asks about an experiment, as its session file holds it, and the question that comes of it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Annotated, Any

import numpy as np
from msgspec import UNSET, Meta, Struct
from msgspec.structs import asdict, replace

from ...desc.tensors import braces
from ...desc.value_sources import Listed, convert, parse_source
from ...errors import TaskError, quote
from ...operators.registry import operator_of
from ...retired import told
from ...session.experiments import Experiment
from ...session.notes import asked_first
from ...session.notes import question_of as notes_question_of
from ...session.reading import meant_by
from ..kinds.lib.asking import kinds
from ..kinds.lib.chain_rules import CHAIN_RULES
from ..kinds.whole_descs import LEVEL, MISPRINT
from ..misconceptions import misconceptions
from ..questions.question import At, Picture, Question, Reply, Wish
from ..questions.subject import Answer, Subject, values_of
from .changed_descs import Change, changed, desc_answer, errors_naming, read, refused

OTHER = "other"
MOST_HINTS = 4
ELEMENTS = frozenset({"values", "links", "reads", "memory"})
"""What else tells elements that are hidden."""
PANELS = frozenset({"memory", "rules", "fixes", "levels", "reads", "links", "values", "feature_level"})
"""What may be hidden besides fields, tensors and their sizes."""
TOLD_BY: Mapping[str, frozenset[str]] = {
    "rules": frozenset({"fixes", "levels"}),
    "levels": frozenset({"rules", "fixes", "feature_level"}),
    "Sizes": ELEMENTS | {"rules", "fixes"},
    "field": frozenset({"rules", "fixes", "links", "memory"}),
}
"""What else tells what an author hides: a panel, a tensor's sizes, a field."""
Count = Annotated[int, Meta(ge=0)]
Index = tuple[Count, ...]


class Wanted(Struct, frozen=True, kw_only=True):
    Sizes: Annotated[tuple[Annotated[int, Meta(ge=1)], ...], Meta(min_length=1)]
    values: Any


class Ask(Struct, frozen=True, kw_only=True):
    """What is asked about; the kind chooses what is None or empty."""

    kind: str = ""
    at: Index | None = None
    output: Count | None = None
    tensor: Count | None = None
    first: Count | None = None
    row: Index | None = None
    field: str | None = None
    rules: tuple[str, ...] | dict[str, Any] = ()
    """Wrong rules whose answers are among the choices; of a misprint with the choice of each."""
    choices: tuple[str, ...] = ()
    change: Change | None = None


class Task(Struct, frozen=True, kw_only=True):
    """One step of a lesson, or a level, as its file has it; other keys are kept there, and have no meaning."""

    id: str = ""
    kind: str = ""
    phase: Annotated[str, Meta(pattern="^(predict|run|investigate|modify|make)?$")] = ""
    title: str | None = None
    say: str = ""
    """What is asked; empty where the kind's own words will do."""
    hide: tuple[str, ...] | None = None
    """What must not be seen while the question is open; None for what its kind hides, () where all may be looked up."""
    ask: Ask = Ask()
    want: Any = UNSET
    wrong: dict[str, Any] = {}
    """What is said to an answer that a wrong rule gives, by the rule's id; `other` for one that no rule gives."""
    hints: Annotated[tuple[str, ...], Meta(max_length=MOST_HINTS)] = ()
    look: str | None = None
    then: str | None = None
    speaker: tuple[str, ...] = ()
    goal: tuple[Wanted, ...] = ()
    may_change: tuple[str, ...] = ()
    """Fields that may be changed: `Axis`, `InputTensors.Sizes`, `IndicesTensor` with its values, `Operator`."""
    par: Count = 0
    """The least number of numbers that make the goal of the start."""
    solutions: tuple[Change, ...] = ()
    learn: str = ""

    def afterwards(self) -> tuple[str, ...]:
        return tuple(text for text in (self.then, self.learn) if text)

    def __hash__(self) -> int:
        return hash((self.id, self.kind, self.phase, self.say))


class AuthoredQuestion(Question, frozen=True, kw_only=True):
    """A question with an author's words: for wrong answers, as hints, and where to look."""

    task: Task
    own_prompt: str = ""
    """What the kind itself asks, which names the element that an author's words may only point at."""

    def verdict_on(self, answer: Answer) -> Reply:
        if (verdict := super().verdict_on(answer)).right:
            return verdict
        wrong = self.task.wrong
        rules = tuple(sorted(verdict.rules, key=lambda rule: rule not in wrong))
        is_other = not rules and answer not in self.kind.counted_from_one(self)
        told = [rule for rule in (*rules, *[OTHER] * is_other) if rule in wrong]
        says = wrong[told[0]] if told else verdict.says
        return replace(verdict, says=says, rules=rules, look=self.task.look or verdict.look)

    def hint(self, number: int) -> str:
        own = super().hint(number)
        return self.task.hints[number - 1] if number <= len(self.task.hints) else own


def task_of(experiment: Experiment) -> Task | None:
    """The task of an experiment, or None. Raises TaskError for the first thing amiss.

    A task without words of its own that asks about something changed asks what the notes do.
    """
    if "task" not in experiment.extra:
        return None
    members = experiment.extra["task"]
    if isinstance(members, dict) and isinstance(members.get("speaker"), str):
        members = {**members, "speaker": [members["speaker"]]}
    task = read(members, Task, "task")
    if "cells" in members.get("ask", {}):
        raise TaskError(f"task.ask: {told('cells')}")
    kind = task.ask.kind or task.kind
    operator = operator_of(experiment.desc)
    if kind not in kinds():
        if sentence := told(kind):
            raise TaskError(f"task.ask.kind: {sentence}")
        near = meant_by(kind, kinds())
        raise TaskError(f"task.ask.kind is {quote(kind)}, {near}expected one of {', '.join(kinds())}.")
    of_chains = CHAIN_RULES if experiment.is_wired else ()
    rules = [rule.id for rule in (*operator.misreadings(), *of_chains)]
    every = (*rules, *(misconceptions() if kind == LEVEL.name else ()), OTHER)
    for path, named, known in (("ask.rules", task.ask.rules, rules), ("wrong", task.wrong, every)):
        for rule in named:
            if rule not in known:
                expected = f"misconceptions about {operator.name}: {', '.join(rules)}; dmlviz rule ID explains one"
                raise TaskError(f"task.{path} has {quote(rule)}, expected {expected}.")
    for rule, text in task.wrong.items():
        if not isinstance(text, str):
            raise refused(f"task.wrong.{rule}", text, "text")
    if kind == LEVEL.name:
        wanted_picture(experiment, task)
    said = said_in_notes(experiment) if task.ask.change is not None else ""
    return replace(task, kind=kind, say=task.say or said)


def wanted_picture(experiment: Experiment, task: Task) -> Picture:
    """The outputs that a level wants, of the type of its start's elements. Raises TaskError."""
    if not task.goal or not experiment.desc.inputs:
        raise TaskError("task.goal is empty, expected the outputs that a puzzle wants.")
    outputs = []
    data_type = experiment.desc.inputs[0].tensor.data_type
    for k, wanted in enumerate(task.goal):
        name = f"task.goal[{k}]"
        count = math.prod(wanted.Sizes)
        with errors_naming(name):
            source = parse_source(wanted.values, "values")
            if not isinstance(source, Listed) or source.shape not in (wanted.Sizes, (count,)):
                raise refused(f"{name}.values", wanted.values, f"a list, nested as {braces(wanted.Sizes)}")
            elements = [convert(item, data_type, "values") for item in source.items]
        outputs.append((wanted.Sizes, tuple(values_of(np.array(elements, data_type.dtype)))))
    return Picture(tuple(outputs))


def said_in_notes(experiment: Experiment) -> str:
    """What an experiment's notes ask first, as plain text; "" where they ask nothing."""
    return asked_first(notes_question_of(experiment.notes))


def question_of(experiment: Experiment, task: Task, seed: int = 0) -> AuthoredQuestion:
    """The question that a task asks about its experiment, with the author's words; it follows from the seed.

    Raises TaskError, with one sentence, where that can't be asked.
    """
    if task.ask.change is not None:
        experiment = changed(experiment, task.ask.change, "task.ask.change", flows=False)
    subject = Subject(experiment)
    with errors_naming("task"):
        own = _question_of_kind(subject, task, seed)
    if own is None or own.subject is not subject:  # what is asked of a small one like it isn't the author's
        raise TaskError(_why_unasked(subject, task))
    fields = asdict(own) | {"prompt": task.say or own.prompt}
    if task.hide is not None:
        fields["hidden"] = hidden_by(task.hide, own)
    return AuthoredQuestion(**fields, task=task, own_prompt=own.prompt)


def _question_of_kind(subject: Subject, task: Task, seed: int) -> Question | None:
    ask, wrong = task.ask, dict[str, str]()
    goal: Picture | None = None
    truth: Answer = None
    if task.kind == LEVEL.name:
        if not task.solutions:
            raise TaskError("task.solutions is empty, expected at least one desc that makes the goal.")
        end = changed(subject.experiment, task.solutions[0], "task.solutions[0]")
        goal = wanted_picture(subject.experiment, task)
        truth = desc_answer(end)
    elif task.kind == MISPRINT.name:
        truth = task.want
        wrong = ask.rules if isinstance(ask.rules, dict) else {}
        for field, text in {"want": truth, **{f"ask.rules.{rule}": text for rule, text in wrong.items()}}.items():
            if text not in ask.choices:
                raise refused(f"task.{field}", None if text is UNSET else text, "one of task.ask.choices")
    wish = Wish(at=_asked_at(subject, task), first=ask.first, rules=(*ask.rules,), field=ask.field)
    own = replace(wish, choices=ask.choices, wrong=wrong, goal=goal, truth=truth)
    return kinds()[task.kind].make(subject, seed, own)


def _asked_at(subject: Subject, task: Task) -> At | None:
    ask, outputs = task.ask, subject.desc.outputs
    index = ask.at if ask.at is not None else ask.row
    if kinds()[task.kind].of_inputs or (task.kind == "dead" and ask.tensor is not None):
        if index is None and task.kind != "dead":
            return None
        return At.input(ask.tensor or 0, index or ())
    if index is None and ask.output is None:
        return None
    if (number := ask.output or 0) >= len(outputs):
        raise refused("task.ask.output", number, f"0 to {len(outputs) - 1}")
    return At.output(number, index or ())


def _why_unasked(subject: Subject, task: Task) -> str:
    kind = kinds()[task.kind]
    at = _asked_at(subject, task)
    if at is not None and at.index and not kind.of_chains:
        for part in (subject.desc.outputs if at.place.is_output else subject.desc.inputs)[at.place.number :][:1]:
            sizes = part.tensor.sizes
            if len(at.index) > len(sizes) or any(i >= n for i, n in zip(at.index, sizes, strict=False)):
                return str(refused("task.ask.at", at.index, f"an index in {part.path} {braces(sizes)}"))
    return str(refused("task.ask.kind", task.kind, f"{quote(subject.experiment.name)} to have {kind.lacks(subject)}"))


def hidden_by(hide: Sequence[str], question: Question) -> frozenset[str]:
    """What a question hides: the names in `hide`, and everything that would tell them."""
    desc = question.subject.desc
    many = [part for part in desc.parts if part.field.many]  # `OutputTensors` stands for each of them
    spread = [(part, name.removeprefix(part.field.name)) for part in many for name in hide]
    hidden = {*hide, *(f"{part.path}{rest}" for part, rest in spread if rest in ("", ".Sizes"))}
    outputs = {name for part in desc.outputs for name in (part.path, part.field.name)}
    tensors = {name for part in desc.parts for name in (part.path, part.field.name)}
    for name in hide:
        root, mark, _ = name.partition(".Sizes")
        hidden |= TOLD_BY.get(name, frozenset())
        if mark:
            hidden |= {root} | TOLD_BY["Sizes"]
        elif name in outputs:
            hidden |= ELEMENTS
        elif name not in tensors and name not in PANELS:
            hidden |= TOLD_BY["field"]
    return frozenset(hidden)
