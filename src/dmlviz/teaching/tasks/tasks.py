"""Tasks: what an author asks about an experiment, as its session file holds it, and the question that comes of it."""

from __future__ import annotations

import enum
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from ...desc.tensors import braces
from ...desc.value_sources import Listed, convert, parse_source
from ...errors import DmlvizError, TaskError, plain, quote
from ...operators.registry import operator_of, operators
from ...operators.report import Severity
from ...session.experiments import Experiment
from ...session.notes import asked_first
from ...session.notes import question_of as notes_question_of
from ..kinds.fill import KIND as FILL
from ..kinds.level import KIND as LEVEL
from ..kinds.lib.asking import kinds
from ..kinds.misprint import KIND as MISPRINT
from ..questions.answers import values_of
from ..questions.goals import MOST_ELEMENTS
from ..questions.question import Answer, At, Kind, Picture, Question, Verdict, Wish
from ..questions.subject import Subject
from ..words.catalogue import user_language
from ..words.texts import ENGLISH, Text, read_text, read_texts
from .changed_descs import changed, steering_of, what_if

PHASES = ("", "predict", "run", "investigate", "modify", "make")
"""PRIMM's; "" where none is said."""
OTHER = "other"
"""Among wrong answers: any that no rule gives."""
KEYS = (
    "id", "kind", "phase", "title", "say", "hide", "ask", "want", "wrong", "hints", "look", "then", "speaker", "vary",
    "goal", "may_change", "par", "solutions", "traps", "learn", "concept", "checked",
)  # fmt: skip
"""What a task may hold; other keys are kept, and have no meaning."""
ASK_KEYS = ("kind", "at", "output", "tensor", "first", "row", "cells", "field", "rules", "choices", "change")
"""The same of its `ask`."""
MOST_HINTS = 4
OF_INPUTS = ("dest", "count")
"""Kinds that ask about an element of an input; others ask about one of an output."""
OF_ANY_DESC = ("valid", "waits", "lowest", "fixes", "level", "misprint")
"""Kinds that ask about descs that break rules, too."""
ELEMENTS = frozenset({"values", "links", "reads", "memory"})
"""What else tells elements that are hidden."""
PANELS = frozenset({"memory", "rules", "fixes", "levels", "reads", "links", "values", "feature_level"})
"""What may be hidden besides fields, tensors and their sizes."""
TOLD_BY: Mapping[str, frozenset[str]] = MappingProxyType(
    {
        "rules": frozenset({"fixes", "levels"}),
        "levels": frozenset({"rules", "fixes", "feature_level"}),
        "Sizes": ELEMENTS | {"rules", "fixes"},
        "field": frozenset({"rules", "fixes", "links", "memory"}),
    }
)
"""What else tells what an author hides: a panel, a tensor's sizes, a field."""


class Absent(enum.Enum):
    """The type of ABSENT."""

    ABSENT = "absent"


ABSENT: Final = Absent.ABSENT
"""Stands for an answer that an author doesn't say: the program knows it."""


class LevelTask(Struct, frozen=True, kw_only=True):
    """What a level wants, and what its author knows of it."""

    goal: Picture
    may_change: tuple[str, ...]
    """Fields that may be changed: `Axis`, `InputTensors.Sizes`, `IndicesTensor` with its values, `Operator`."""
    par: int
    """The least number of numbers that make the goal of the start."""
    solutions: tuple[Mapping[str, Any], ...]
    """What differs from the start: `{"desc": {…}, "values": {…}}`; of another operator with `type` and `start`."""
    traps: tuple[Mapping[str, Any], ...]
    """The same with a `rule` by which that would make the goal, though it doesn't."""
    learn: Text
    concept: str

    def __hash__(self) -> int:
        return hash((self.goal, self.may_change, self.par, self.concept))


class Task(Struct, frozen=True, kw_only=True):
    """One step of a lesson, or a level."""

    id: str
    kind: str
    """A kind of questions: "cell"."""
    phase: str
    title: Text | None
    say: Text
    """What is asked; empty where the kind's own words will do."""
    hide: tuple[str, ...]
    """What must not be seen while the question is open, as `Question.hidden` has it."""
    ask: Mapping[str, Any]
    want: Any
    """The answer's JSON; ABSENT where the author doesn't say it."""
    wrong: Mapping[str, Text]
    """What is said to an answer that a wrong rule gives, by the rule's id; `other` for one that no rule gives."""
    hints: tuple[Text, ...]
    look: Text | None
    """Where to look after a wrong answer."""
    then: Text | None
    """What is said once it is answered."""
    speaker: tuple[Text, ...]
    level: LevelTask | None
    shows_all: bool = False
    """True where the author hides nothing: the answer can be looked up. Else the kind hides what tells it."""

    def __hash__(self) -> int:
        return hash((self.id, self.kind, self.phase, self.say))


class AuthoredQuestion(Question, frozen=True, kw_only=True):
    """A question with an author's words: for wrong answers, as hints, and where to look."""

    task: Task
    lang: str = ENGLISH
    own_prompt: str = ""
    """What the kind itself asks, which names the element that an author's words may only point at."""

    def verdict_on(self, answer: Answer) -> Verdict:
        verdict = super().verdict_on(answer)
        if verdict.right:
            return verdict
        said = next((self.task.wrong[each] for each in verdict.rules if each in self.task.wrong), None)
        if said is None and not verdict.rules:
            said = self.task.wrong.get(OTHER)
        if said is not None:
            first = [each for each in verdict.rules if self.task.wrong.get(each) is said]
            others = [each for each in verdict.rules if each not in first]
            verdict = replace(verdict, feedback=said.in_language(self.lang), rules=(*first, *others))
        return replace(verdict, look=self.task.look.in_language(self.lang)) if self.task.look else verdict

    def hint(self, number: int) -> str:
        own = super().hint(number)
        return self.task.hints[number - 1].in_language(self.lang) if number <= len(self.task.hints) else own


def task_of(experiment: Experiment, lang: str = ENGLISH) -> Task | None:
    """The task of an experiment, None where it has none; `lang` is the language of its plain texts.

    Raises TaskError, one sentence, for the first thing that is not as it should be.
    """
    found = experiment.extra.get("task", ABSENT)
    if found is ABSENT:
        return None
    if not isinstance(found, dict):
        raise TaskError(f"task is {quote(found)}, expected an object with ask and say.")
    return _Reader(experiment, found, lang).task()


def said_in_notes(experiment: Experiment) -> str:
    """What an experiment's notes ask first, as plain text; "" where they ask nothing."""
    return asked_first(notes_question_of(experiment.notes))


def with_notes(task: Task, experiment: Experiment, lang: str = ENGLISH) -> Task:
    """A task without words of its own that asks about something changed: the notes' question says what.

    `lang` is the language of the notes.
    """
    own = said_in_notes(experiment) if "change" in task.ask and not task.say else ""
    return replace(task, say=Text({lang: own}, lang)) if own else task


class _Reader:
    """Reads one task; every method raises TaskError."""

    def __init__(self, experiment: Experiment, found: Mapping[str, Any], lang: str) -> None:
        self._experiment, self._found, self._lang = experiment, found, lang

    def task(self) -> Task:
        found = self._found
        ask = found.get("ask", {})
        if not isinstance(ask, dict):
            raise TaskError(f'task.ask is {quote(ask)}, expected an object such as {{"kind": "sizes"}}.')
        kind = self._kind(ask)
        is_level = kind == LEVEL.name
        phase = self._string("phase")
        if phase not in PHASES:
            raise TaskError(f"task.phase is {quote(phase)}, expected one of {', '.join(PHASES[1:])}.")
        hide = self._strings("hide")
        self._check_ask(kind, ask)
        hints = self._texts("hints")
        if len(hints) > MOST_HINTS:
            raise TaskError(f"task.hints has {len(hints)} texts, expected at most {MOST_HINTS}.")
        wrong = self._wrong(any_operator=is_level)
        speaker = found.get("speaker", [])
        return Task(
            id=self._string("id"),
            kind=kind,
            phase=phase,
            title=self._text("title"),
            say=self._text("say") or Text(home=self._lang),
            hide=hide,
            ask=MappingProxyType(dict(ask)),
            want=found.get("want", ABSENT),
            wrong=MappingProxyType(wrong),
            hints=hints,
            look=self._text("look"),
            then=self._text("then"),
            speaker=self._texts("speaker")
            if isinstance(speaker, list)
            else (read_text(speaker, "task.speaker", self._lang),),
            level=self._level() if is_level else None,
            shows_all=found.get("hide") == [],
        )

    def _kind(self, ask: Mapping[str, Any]) -> str:
        named = [each for each in (self._found.get("kind"), ask.get("kind")) if each is not None]
        if not named:
            raise TaskError(f"task.ask.kind is missing, expected one of {', '.join(kinds())}.")
        for each in named:
            if not isinstance(each, str) or each not in kinds():
                raise TaskError(f"task.ask.kind is {quote(each)}, expected one of {', '.join(kinds())}.")
        if len(set(named)) > 1:
            raise TaskError(f"task.kind is {quote(named[0])}, expected {quote(named[1])} as task.ask.kind says.")
        return str(named[0])

    def _string(self, key: str) -> str:
        held = self._found.get(key, "")
        if not isinstance(held, str):
            raise TaskError(f"task.{key} is {quote(held)}, expected text.")
        return held

    def _strings(self, key: str) -> tuple[str, ...]:
        held = self._found.get(key, [])
        if not isinstance(held, list) or not all(isinstance(each, str) for each in held):
            raise TaskError(f'task.{key} is {quote(held)}, expected a list of names such as ["Axis"].')
        return tuple(held)

    def _text(self, key: str) -> Text | None:
        held = self._found.get(key)
        return None if held is None else read_text(held, f"task.{key}", self._lang)

    def _texts(self, key: str) -> tuple[Text, ...]:
        return read_texts(self._found.get(key, []), f"task.{key}", self._lang)

    def _wrong(self, *, any_operator: bool) -> dict[str, Text]:
        held = self._found.get("wrong", {})
        if not isinstance(held, dict):
            raise TaskError(f"task.wrong is {quote(held)}, expected an object with a text for each wrong rule.")
        known = self._rules(any_operator=any_operator)
        for each in held:
            if each not in known and each != OTHER:
                raise TaskError(f"task.wrong has {quote(each)}, expected rules of {self._operator}: {self._listed}.")
        return {rule: read_text(said, f"task.wrong.{rule}", self._lang) for rule, said in held.items()}

    @property
    def _operator(self) -> str:
        return operator_of(self._experiment.desc).name

    @property
    def _listed(self) -> str:
        return ", ".join((*sorted(self._rules(), key=lambda each: (each[0], len(each), each)), OTHER))

    def _rules(self, *, any_operator: bool = False) -> set[str]:
        some = operators().values() if any_operator else [operator_of(self._experiment.desc)]
        return {rule.id for operator in some for rule in operator.misreadings()}

    def _check_ask(self, kind: str, ask: Mapping[str, Any]) -> None:
        for key in ("at", "row"):
            if key in ask and not _is_index(ask[key]):
                raise TaskError(f"task.ask.{key} is {quote(ask[key])}, expected an index such as [0, 2].")
        for key in ("output", "tensor", "first"):
            if key in ask and (type(ask[key]) is not int or ask[key] < 0):
                raise TaskError(f"task.ask.{key} is {quote(ask[key])}, expected an integer of 0 or more.")
        if "cells" in ask:
            cells = ask["cells"]
            if not isinstance(cells, list) or not cells or not all(map(_is_index, cells)):
                raise TaskError(f"task.ask.cells is {quote(cells)}, expected indices such as [[0, 2], [1, 0]].")
            if kind != FILL.name:
                raise TaskError(f"task.ask.cells stands with kind {quote(kind)}, expected {quote(FILL.name)}.")
        if kind == MISPRINT.name:
            choices_of(ask, self._lang)
            if "want" not in self._found:
                raise TaskError("task.want is missing, expected the choice that is the misprint.")
        is_misprint = kind == MISPRINT.name
        named: Any = ask.get("rules", {} if is_misprint else [])
        if not isinstance(named, dict if is_misprint else list) or not all(isinstance(each, str) for each in named):
            shape = "an object with the choice of each wrong rule" if is_misprint else 'a list of wrong rules: ["C1"]'
            raise TaskError(f"task.ask.rules is {quote(named)}, expected {shape}.")
        for each in named:
            if each not in self._rules():
                raise TaskError(
                    f"task.ask.rules has {quote(each)}, expected rules of {self._operator}: "
                    f"{self._listed.removesuffix(f', {OTHER}')}."
                )
        if "change" in ask and not isinstance(ask["change"], dict):
            shape = '{"desc": {"Axis": 1}}'
            raise TaskError(f"task.ask.change is {quote(ask['change'])}, expected what is changed, as {shape}.")
        for key in ask.get("change", {}):
            if key not in ("desc", "values"):
                raise TaskError(f"task.ask.change has {quote(key)}, expected only desc, values.")
        if "change" in ask and kind == LEVEL.name:
            raise TaskError("task.ask.change stands in a level, expected it in a question: a level has its start.")
        if "field" in ask and not isinstance(ask["field"], str):
            raise TaskError(f"task.ask.field is {quote(ask['field'])}, expected a field such as Axis.")

    def _level(self) -> LevelTask:
        for part in self._experiment.desc.parts:
            if part.tensor.can_exist and part.tensor.element_count > MOST_ELEMENTS:
                count = f"{part.tensor.element_count:,} elements"
                raise TaskError(f"{part.path} has {count}, expected at most {MOST_ELEMENTS} in the start of a level.")
        par = self._found.get("par", 0)
        if type(par) is not int or par < 0:
            raise TaskError(f"task.par is {quote(par)}, expected how many numbers have to be changed.")
        return LevelTask(
            goal=self._goal(),
            may_change=self._strings("may_change"),
            par=par,
            solutions=self._objects("solutions"),
            traps=self._traps(),
            learn=self._text("learn") or Text(home=self._lang),
            concept=self._string("concept"),
        )

    def _objects(self, key: str) -> tuple[Mapping[str, Any], ...]:
        held = self._found.get(key, [])
        if not isinstance(held, list) or not all(isinstance(each, dict) for each in held):
            raise TaskError(
                f'task.{key} is {quote(held)}, expected a list of objects such as {{"desc": {{"Axis": 1}}}}.'
            )
        return tuple(held)

    def _traps(self) -> tuple[Mapping[str, Any], ...]:
        held = self._objects("traps")
        for k, each in enumerate(held):
            if each.get("rule") not in self._rules(any_operator=True):
                raise TaskError(
                    f"task.traps[{k}].rule is {quote(each.get('rule'))}, expected rules of {self._operator}: "
                    f"{self._listed.removesuffix(f', {OTHER}')}."
                )
        return held

    def _goal(self) -> Picture:
        held = self._found.get("goal")
        if not isinstance(held, list) or not held:
            shape = '[{"Sizes": [2], "values": [1, 2]}]'
            raise TaskError(f"task.goal is {quote(held)}, expected the outputs that a level wants, as {shape}.")
        data_type = self._experiment.desc.inputs[0].tensor.data_type if self._experiment.desc.inputs else None
        outputs = []
        for k, each in enumerate(held):
            name = f"task.goal[{k}]"
            if not isinstance(each, dict) or data_type is None:
                raise TaskError(f"{name} is {quote(each)}, expected an object with Sizes and values.")
            sizes = each.get("Sizes")
            if not _is_index(sizes) or not sizes or 0 in sizes or int(np.prod(sizes, dtype=object)) > MOST_ELEMENTS:
                raise TaskError(f"{name}.Sizes is {quote(sizes)}, expected sizes of at most {MOST_ELEMENTS} elements.")
            try:
                source = parse_source(each.get("values"), f"{name}.values")
                if not isinstance(source, Listed):
                    raise TaskError(f"{name}.values is {quote(each.get('values'))}, expected a list.")
                count = int(np.prod(sizes, dtype=object))
                if source.shape not in (tuple(sizes), (count,)):
                    raise TaskError(f"{name}.values is nested as {braces(source.shape)}, expected {braces(sizes)}.")
                made = [convert(item, data_type, f"{name}.values") for item in source.items]
            except TaskError:
                raise
            except DmlvizError as error:
                raise TaskError(str(error)) from None
            outputs.append((tuple(sizes), tuple(values_of(np.array(made, data_type.dtype)))))
        return Picture(tuple(outputs))


def _is_index(found: object) -> bool:
    return isinstance(found, list) and all(type(each) is int and each >= 0 for each in found)


def choices_of(ask: Mapping[str, Any], lang: str = ENGLISH) -> tuple[Text, ...]:
    """What a misprint is among. Raises TaskError."""
    found = read_texts(ask.get("choices"), "task.ask.choices", lang)
    if len(found) < 2 or len({each.in_language(lang) for each in found}) < len(found):
        raise TaskError(f"task.ask.choices is {quote(ask.get('choices'))}, expected two texts or more that differ.")
    return found


# ---- questions


def question_of(
    experiment: Experiment, task: Task, seed: int = 0, lang: str = ENGLISH, *, spoken: str = ""
) -> AuthoredQuestion:
    """The question that a task asks about its experiment, with the author's words; it follows from the seed.

    It is in the user's language, else in `lang`; in `spoken` whatever the user's is. Raises TaskError, with one
    sentence, where that can't be asked.
    """
    lang = spoken or user_language() or lang
    subject = Subject(asked_about(experiment, task), lang)
    try:
        made = _made(subject, task, seed, lang)
    except TaskError:
        raise
    except DmlvizError as error:
        raise TaskError(f"task: {error}") from None
    if made is None:
        raise TaskError(_why_not(subject, task))
    held = {name: getattr(made, name) for name in Question.__struct_fields__}
    held["prompt"] = task.say.in_language(lang) or made.prompt
    if task.hide or task.shows_all:
        held["hidden"] = hidden_by(task.hide, made)
    return AuthoredQuestion(**held, task=task, lang=lang, own_prompt=made.prompt)


def asked_about(experiment: Experiment, task: Task) -> Experiment:
    """The experiment that a task asks about: its own, or with what `ask.change` changes. Raises TaskError."""
    changes = task.ask.get("change")
    return experiment if changes is None else what_if(experiment, changes, "task.ask.change")


def _made(subject: Subject, task: Task, seed: int, lang: str) -> Question | None:
    kind: Kind = kinds()[task.kind]
    ask = task.ask
    if task.level is not None:
        if not task.level.solutions:
            raise TaskError("task.solutions is empty, expected at least one desc that makes the goal.")
        end = changed(subject.experiment, task.level.solutions[0], "task.solutions[0]")
        return LEVEL.of_goal(subject, task.level.goal, end.desc, steering_of(end), task.say.in_language(lang), seed)
    if kind is MISPRINT:
        return _misprint(subject, task, seed, lang)
    cells = tuple(map(tuple, ask.get("cells", ())))
    at = At.output(ask.get("output", 0)) if cells else _at(subject, task)
    rules, field = ask.get("rules", ()), ask.get("field")
    return kind.make(subject, seed, Wish(at=at, first=ask.get("first"), rules=rules, field=field, cells=cells))


def _at(subject: Subject, task: Task) -> At | None:
    """What a question is about, as its task says it."""
    ask = task.ask
    if task.kind == "blank" and "field" in ask:
        return None
    if task.kind in OF_INPUTS:
        return At.input(ask.get("tensor", 0), tuple(ask["at"])) if "at" in ask else None
    output = ask.get("output", 0)
    if "at" in ask or "row" in ask:
        return At.output(output, tuple(ask.get("at", ask.get("row"))))
    if "output" not in ask:
        return None
    if output >= len(subject.desc.outputs):
        count = len(subject.desc.outputs)
        raise TaskError(f"task.ask.output is {output}, expected 0 to {count - 1}.")
    whole = (0,) * len(subject.desc.outputs[output].tensor.sizes)
    return At.output(output, whole if task.kind == "pictures" else ())


def _misprint(subject: Subject, task: Task, seed: int, lang: str) -> Question:
    choices = choices_of(task.ask, task.say.home)
    right = _number_of(task.want, choices, "task.want")
    named = task.ask.get("rules", {})
    rules = {rule: _number_of(text, choices, f"task.ask.rules.{rule}") for rule, text in named.items()}
    shown = [each.in_language(lang) for each in choices]
    prompt = task.say.in_language(lang) or subject.sentence("misprint.prompt")
    return MISPRINT.of_task(subject, seed, prompt, shown, right, rules)


def _number_of(text: object, choices: Sequence[Text], field: str) -> int:
    for k, each in enumerate(choices):
        if text in each.words.values():
            return k
    raise TaskError(f"{field} is {quote(text)}, expected one of task.ask.choices.")


def _why_not(subject: Subject, task: Task) -> str:
    broken = [c.id for c in subject.evaluated if not c.ok and c.severity is Severity.ERROR]
    if broken and task.kind not in OF_ANY_DESC:
        return (
            f"task.ask.kind is {quote(task.kind)}, expected a kind that asks of invalid descs: {broken[0]} is broken."
        )
    if not broken and task.kind in ("waits", "fixes"):
        return f"task.ask.kind is {quote(task.kind)}, expected a desc that breaks a rule; this one is valid."
    about = {key: held for key, held in task.ask.items() if key != "kind"}
    what = f" with {quote(about)}" if about else ""
    return (
        f"task.ask: {task.kind} can't be asked{what} of {plain(subject.experiment.name)}, "
        f"expected elements or fields that it has, and values that DirectML promises."
    )


def hidden_by(hide: Sequence[str], question: Question) -> frozenset[str]:
    """What an author hides, with everything that would tell it."""
    desc = question.subject.desc
    outputs = {part.path for part in desc.outputs} | {part.field.name for part in desc.outputs}
    tensors = {part.path for part in desc.parts} | {part.field.name for part in desc.parts}
    found: set[str] = set()
    for each in hide:
        found |= {each, *TOLD_BY.get(each, ())}
        root, mark, _ = each.partition(".Sizes")
        if mark:
            found |= {root} | TOLD_BY["Sizes"]
        elif each in outputs:
            found |= ELEMENTS
        elif each not in tensors and each not in PANELS:
            found |= TOLD_BY["field"]
    every = {part.field.name: part.path for part in desc.parts if part.field.many}
    for part in desc.parts:  # `OutputTensors` stands for each of them
        if part.field.name in every:
            found |= {
                f"{part.path}{each.removeprefix(part.field.name)}" for each in hide if _is_of(each, part.field.name)
            }
    return frozenset(found)


def _is_of(path: str, name: str) -> bool:
    return path == name or path.startswith(f"{name}.")
