"""Tasks: what an author asks about an experiment, as its session file holds it, and the question that comes of it."""

from __future__ import annotations

import enum
import math
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final

import numpy as np
from msgspec import Struct
from msgspec.structs import asdict, replace

from ...desc.tensors import braces
from ...desc.value_sources import Listed, convert, parse_source
from ...errors import DmlvizError, TaskError, plain, quote
from ...operators.registry import operator_of, operators
from ...operators.report import Severity
from ...retired import told
from ...session.experiments import Experiment
from ...session.notes import asked_first
from ...session.notes import question_of as notes_question_of
from ..kinds.fill import FILL
from ..kinds.level import LEVEL
from ..kinds.lib.asking import kinds
from ..kinds.misprint import MISPRINT
from ..questions.answers import Answer, values_of
from ..questions.goals import MOST_ELEMENTS
from ..questions.question import At, Kind, Picture, Question, Verdict, Wish
from ..questions.subject import Subject
from ..words.chain_rules import CHAIN_RULES
from ..words.texts import read_text, read_texts
from .changed_descs import changed, steering_of, what_if
from .refusing import errors_naming, refused

PHASES = ("", "predict", "run", "investigate", "modify", "make")
"""PRIMM's; "" where none is said."""
OTHER = "other"
"""Among wrong answers: any that no rule gives."""
KEYS = (
    "id", "kind", "phase", "title", "say", "hide", "ask", "want", "wrong", "hints", "look", "then", "speaker",
    "goal", "may_change", "par", "solutions", "traps", "learn", "concept", "checked",
)  # fmt: skip
"""What a task may hold; other keys are kept, and have no meaning."""
ASK_KEYS = ("kind", "at", "output", "tensor", "first", "row", "cells", "field", "rules", "choices", "change")
"""The same of its `ask`."""
PART_KEYS = {
    "goal": ("Sizes", "values"),
    "solutions": ("type", "start", "desc", "values"),
    "traps": ("rule", "type", "start", "desc", "values"),
}
"""The same of each entry of a level's lists."""
MOST_HINTS = 4
OF_INPUTS = ("dest", "count", "reach")
"""Kinds that ask about an element of an input, or of a chain's; others ask about one of an output."""
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
    learn: str
    concept: str

    def __hash__(self) -> int:
        return hash((self.goal, self.may_change, self.par, self.concept))


class Task(Struct, frozen=True, kw_only=True):
    """One step of a lesson, or a level."""

    id: str
    kind: str
    """A kind of questions: "cell"."""
    phase: str
    title: str | None
    say: str
    """What is asked; empty where the kind's own words will do."""
    hide: tuple[str, ...]
    """What must not be seen while the question is open, as `Question.hidden` has it."""
    ask: Mapping[str, Any]
    want: Any
    """The answer's JSON; ABSENT where the author doesn't say it."""
    wrong: Mapping[str, str]
    """What is said to an answer that a wrong rule gives, by the rule's id; `other` for one that no rule gives."""
    hints: tuple[str, ...]
    look: str | None
    """Where to look after a wrong answer."""
    then: str | None
    """What is said once it is answered."""
    speaker: tuple[str, ...]
    level: LevelTask | None
    shows_all: bool = False
    """True where the author hides nothing: the answer can be looked up. Else the kind hides what tells it."""

    def afterwards(self) -> tuple[str, ...]:
        """What is said once it is answered, and of a level what is learnt by it."""
        texts = self.then, self.level.learn if self.level is not None else None
        return tuple(text for text in texts if text)

    def __hash__(self) -> int:
        return hash((self.id, self.kind, self.phase, self.say))


class AuthoredQuestion(Question, frozen=True, kw_only=True):
    """A question with an author's words: for wrong answers, as hints, and where to look."""

    task: Task
    own_prompt: str = ""
    """What the kind itself asks, which names the element that an author's words may only point at."""

    def verdict_on(self, answer: Answer) -> Verdict:
        """The verdict on an answer that was read, with the author's words where the task has some for it."""
        verdict = super().verdict_on(answer)
        if verdict.right:
            return verdict
        words = self.words_on(answer, verdict.rules)
        if words is not None:
            first = [rule for rule in verdict.rules if self.task.wrong.get(rule) is words]
            others = [rule for rule in verdict.rules if rule not in first]
            verdict = replace(verdict, feedback=words, rules=(*first, *others))
        return replace(verdict, look=self.task.look) if self.task.look else verdict

    def words_on(self, answer: Answer, rules: Sequence[str]) -> str | None:
        """The author's words for a wrong answer, which these wrong rules give; None where the task has none."""
        words = next((self.task.wrong[rule] for rule in rules if rule in self.task.wrong), None)
        if words is None and not rules and answer not in self.kind.counted_from_one(self):
            words = self.task.wrong.get(OTHER)
        return words

    def hint(self, number: int) -> str:
        """The author's hint of a number; the kind's where the author has none."""
        own = super().hint(number)
        return self.task.hints[number - 1] if number <= len(self.task.hints) else own


def task_of(experiment: Experiment) -> Task | None:
    """The task of an experiment, or None. Raises TaskError for the first thing amiss."""
    members = experiment.extra.get("task", ABSENT)
    if members is ABSENT:
        return None
    if not isinstance(members, dict):
        raise refused("task", members, "an object with ask and say")
    return _TaskReader(experiment, members).task()


def said_in_notes(experiment: Experiment) -> str:
    """What an experiment's notes ask first, as plain text; "" where they ask nothing."""
    return asked_first(notes_question_of(experiment.notes))


def with_notes(task: Task, experiment: Experiment) -> Task:
    """A task without words of its own that asks about something changed: the notes' question says what."""
    own = said_in_notes(experiment) if "change" in task.ask and not task.say else ""
    return replace(task, say=own) if own else task


class _TaskReader:
    """Reads the members of one task: a missing one is empty or None, a wrong one raises TaskError."""

    def __init__(self, experiment: Experiment, members: Mapping[str, Any]) -> None:
        self._experiment, self._members = experiment, members

    def task(self) -> Task:
        ask = self._members.get("ask", {})
        if not isinstance(ask, dict):
            raise refused("task.ask", ask, 'an object such as {"kind": "sizes"}')
        kind = self._kind(ask)
        is_level = kind == LEVEL.name
        phase = self._string("phase")
        if phase not in PHASES:
            raise refused("task.phase", phase, f"one of {', '.join(PHASES[1:])}")
        hide = self._strings("hide")
        self._check_ask(kind, ask)
        hints = self._texts("hints")
        if len(hints) > MOST_HINTS:
            raise TaskError(f"task.hints has {len(hints)} texts, expected at most {MOST_HINTS}.")
        wrong = self._wrong_texts(any_operator=is_level)
        return Task(
            id=self._string("id"),
            kind=kind,
            phase=phase,
            title=self._text("title"),
            say=self._text("say") or "",
            hide=hide,
            ask=MappingProxyType(dict(ask)),
            want=self._members.get("want", ABSENT),
            wrong=MappingProxyType(wrong),
            hints=hints,
            look=self._text("look"),
            then=self._text("then"),
            speaker=self._speaker_texts(),
            level=self._level_task() if is_level else None,
            shows_all=self._members.get("hide") == [],
        )

    def _kind(self, ask: Mapping[str, Any]) -> str:
        named = [name for name in (self._members.get("kind"), ask.get("kind")) if name is not None]
        if not named:
            raise TaskError(f"task.ask.kind is missing, expected one of {', '.join(kinds())}.")
        for name in named:
            if isinstance(name, str) and (sentence := told(name)):
                raise TaskError(f"task.ask.kind: {sentence}")
            if not isinstance(name, str) or name not in kinds():
                raise refused("task.ask.kind", name, f"one of {', '.join(kinds())}")
        if len(set(named)) > 1:
            raise refused("task.kind", named[0], f"{quote(named[1])} as task.ask.kind says")
        return str(named[0])

    def _string(self, key: str) -> str:
        text = self._members.get(key, "")
        if not isinstance(text, str):
            raise refused(f"task.{key}", text, "text")
        return text

    def _strings(self, key: str) -> tuple[str, ...]:
        names = self._members.get(key, [])
        if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
            raise refused(f"task.{key}", names, 'a list of names such as ["Axis"]')
        return tuple(names)

    def _text(self, key: str) -> str | None:
        text = self._members.get(key)
        return None if text is None else read_text(text, f"task.{key}")

    def _texts(self, key: str) -> tuple[str, ...]:
        return read_texts(self._members.get(key, []), f"task.{key}")

    def _speaker_texts(self) -> tuple[str, ...]:
        several = isinstance(self._members.get("speaker", []), list)
        return self._texts("speaker") if several else (read_text(self._members["speaker"], "task.speaker"),)

    def _wrong_texts(self, *, any_operator: bool) -> dict[str, str]:
        texts = self._members.get("wrong", {})
        if not isinstance(texts, dict):
            raise refused("task.wrong", texts, "an object with a text for each wrong rule")
        rules = self._rule_ids(any_operator=any_operator)
        for rule in texts:
            if rule not in rules and rule != OTHER:
                raise TaskError(f"task.wrong has {quote(rule)}, expected {self._known_rules_text}, {OTHER}.")
        return {rule: read_text(text, f"task.wrong.{rule}") for rule, text in texts.items()}

    @property
    def _known_rules_text(self) -> str:
        listed = ", ".join(sorted(self._rule_ids(), key=lambda rule: (rule[0], len(rule), rule)))
        return f"rules of {operator_of(self._experiment.desc).name}: {listed}"

    def _rule_ids(self, *, any_operator: bool = False) -> set[str]:
        """Ids of the wrong rules of the operator, or of all operators."""
        some = operators().values() if any_operator else [operator_of(self._experiment.desc)]
        of_chains = CHAIN_RULES if self._experiment.is_wired else ()
        return {rule.id for operator in some for rule in operator.misreadings()} | {rule.id for rule in of_chains}

    def _check_ask(self, kind: str, ask: Mapping[str, Any]) -> None:
        """Raises TaskError for the first member of `ask` that is not as it should be."""
        for key in ("at", "row"):
            if key in ask and not _is_index(ask[key]):
                raise refused(f"task.ask.{key}", ask[key], "an index such as [0, 2]")
        for key in ("output", "tensor", "first"):
            if key in ask and (type(ask[key]) is not int or ask[key] < 0):
                raise refused(f"task.ask.{key}", ask[key], "an integer of 0 or more")
        if "cells" in ask:
            cells = ask["cells"]
            if not isinstance(cells, list) or not cells or not all(map(_is_index, cells)):
                raise refused("task.ask.cells", cells, "indices such as [[0, 2], [1, 0]]")
            if kind != FILL.name:
                raise TaskError(f"task.ask.cells stands with kind {quote(kind)}, expected {quote(FILL.name)}.")
        is_misprint = kind == MISPRINT.name
        if is_misprint:
            choices_of(ask)
            if "want" not in self._members:
                raise TaskError("task.want is missing, expected the choice that is the misprint.")
        rules: Any = ask.get("rules", {} if is_misprint else [])
        if not isinstance(rules, dict if is_misprint else list) or not all(isinstance(rule, str) for rule in rules):
            shape = "an object with the choice of each wrong rule" if is_misprint else 'a list of wrong rules: ["C1"]'
            raise refused("task.ask.rules", rules, shape)
        for rule in rules:
            if rule not in self._rule_ids():
                raise TaskError(f"task.ask.rules has {quote(rule)}, expected {self._known_rules_text}.")
        if "change" in ask and not isinstance(ask["change"], dict):
            raise refused("task.ask.change", ask["change"], 'what is changed, as {"desc": {"Axis": 1}}')
        for key in ask.get("change", {}):
            if key not in ("desc", "values"):
                raise TaskError(f"task.ask.change has {quote(key)}, expected only desc, values.")
        if "change" in ask and kind == LEVEL.name:
            raise TaskError("task.ask.change stands in a level, expected it in a question: a level has its start.")
        if "field" in ask and not isinstance(ask["field"], str):
            raise refused("task.ask.field", ask["field"], "a field such as Axis")

    def _level_task(self) -> LevelTask:
        if "stages" in self._members:
            raise TaskError("task.stages makes a level of several operators, which were taken out.")
        for part in self._experiment.desc.parts:
            if part.tensor.can_exist and part.tensor.element_count > MOST_ELEMENTS:
                count = f"{part.tensor.element_count:,} elements"
                raise TaskError(f"{part.path} has {count}, expected at most {MOST_ELEMENTS} in the start of a level.")
        par = self._members.get("par", 0)
        if type(par) is not int or par < 0:
            raise refused("task.par", par, "how many numbers have to be changed")
        return LevelTask(
            goal=self._goal_picture(),
            may_change=self._strings("may_change"),
            par=par,
            solutions=self._list_of_objects("solutions"),
            traps=self._traps(),
            learn=self._text("learn") or "",
            concept=self._string("concept"),
        )

    def _list_of_objects(self, key: str) -> tuple[Mapping[str, Any], ...]:
        objects = self._members.get(key, [])
        if not isinstance(objects, list) or not all(isinstance(entry, dict) for entry in objects):
            raise refused(f"task.{key}", objects, 'a list of objects such as {"desc": {"Axis": 1}}')
        return tuple(objects)

    def _traps(self) -> tuple[Mapping[str, Any], ...]:
        traps = self._list_of_objects("traps")
        for k, trap in enumerate(traps):
            if trap.get("rule") not in self._rule_ids(any_operator=True):
                raise refused(f"task.traps[{k}].rule", trap.get("rule"), self._known_rules_text)
        return traps

    def _goal_picture(self) -> Picture:
        goal = self._members.get("goal")
        if not isinstance(goal, list) or not goal:
            shape = '[{"Sizes": [2], "values": [1, 2]}]'
            raise refused("task.goal", goal, f"the outputs that a level wants, as {shape}")
        return Picture(tuple(self._goal_output(output, f"task.goal[{k}]") for k, output in enumerate(goal)))

    def _goal_output(self, output: Any, name: str) -> tuple[tuple[int, ...], tuple[Any, ...]]:
        if not isinstance(output, dict) or not self._experiment.desc.inputs:
            raise refused(name, output, "an object with Sizes and values")
        data_type = self._experiment.desc.inputs[0].tensor.data_type
        sizes = output.get("Sizes")
        if not _is_index(sizes) or not sizes or 0 in sizes or math.prod(sizes) > MOST_ELEMENTS:
            raise refused(f"{name}.Sizes", sizes, f"sizes of at most {MOST_ELEMENTS} elements")
        try:
            source = parse_source(output.get("values"), f"{name}.values")
            if not isinstance(source, Listed):
                raise refused(f"{name}.values", output.get("values"), "a list")
            if source.shape not in (tuple(sizes), (math.prod(sizes),)):
                raise TaskError(f"{name}.values is nested as {braces(source.shape)}, expected {braces(sizes)}.")
            elements = [convert(item, data_type, f"{name}.values") for item in source.items]
        except DmlvizError as error:
            raise TaskError(str(error)) from None
        return tuple(sizes), tuple(values_of(np.array(elements, data_type.dtype)))


def _is_index(numbers: object) -> bool:
    """True for a list of integers of 0 or more."""
    return isinstance(numbers, list) and all(type(n) is int and n >= 0 for n in numbers)


def choices_of(ask: Mapping[str, Any]) -> tuple[str, ...]:
    """The texts that a misprint is one of. Raises TaskError for fewer than two, and for equal ones."""
    choices = read_texts(ask.get("choices"), "task.ask.choices")
    if len(choices) < 2 or len({*choices}) < len(choices):
        raise refused("task.ask.choices", ask.get("choices"), "two texts or more that differ")
    return choices


# ---- questions


def question_of(experiment: Experiment, task: Task, seed: int = 0) -> AuthoredQuestion:
    """The question that a task asks about its experiment, with the author's words; it follows from the seed.

    Raises TaskError, with one sentence, where that can't be asked.
    """
    subject = Subject(asked_about(experiment, task))
    with errors_naming("task"):
        own = _question_of_kind(subject, task, seed)
    if own is None or own.subject is not subject:  # what is asked of a small one like it isn't the author's
        raise TaskError(_why_unasked(subject, task))
    fields = asdict(own) | {"prompt": task.say or own.prompt}
    if task.hide or task.shows_all:
        fields["hidden"] = hidden_by(task.hide, own)
    return AuthoredQuestion(**fields, task=task, own_prompt=own.prompt)


def asked_about(experiment: Experiment, task: Task) -> Experiment:
    """The experiment that a task asks about: its own, or with what `ask.change` changes. Raises TaskError."""
    changes = task.ask.get("change")
    return experiment if changes is None else what_if(experiment, changes, "task.ask.change")


def _question_of_kind(subject: Subject, task: Task, seed: int) -> Question | None:
    """The question as its kind makes it, without the author's words; None where it can't be asked."""
    kind: Kind = kinds()[task.kind]
    ask = task.ask
    if task.level is not None:
        if not task.level.solutions:
            raise TaskError("task.solutions is empty, expected at least one desc that makes the goal.")
        end = changed(subject.experiment, task.level.solutions[0], "task.solutions[0]")
        return LEVEL.of_goal(subject, task.level.goal, end.desc, steering_of(end), task.say, seed)
    if kind is MISPRINT:
        return _misprint_question(subject, task, seed)
    cells = tuple(map(tuple, ask.get("cells", ())))
    at = At.output(ask.get("output", 0)) if cells else _asked_at(subject, task)
    rules, field = ask.get("rules", ()), ask.get("field")
    return kind.make(subject, seed, Wish(at=at, first=ask.get("first"), rules=rules, field=field, cells=cells))


def _asked_at(subject: Subject, task: Task) -> At | None:
    """The element, row or output that a task says it asks about; None where the kind chooses."""
    ask = task.ask
    if task.kind == "blank" and "field" in ask:
        return None
    if task.kind == "dead" and "tensor" in ask:
        return At.input(ask["tensor"])
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


def _misprint_question(subject: Subject, task: Task, seed: int) -> Question:
    """The misprint question of a task, with its choices."""
    choices = choices_of(task.ask)
    right = _choice_number(task.want, choices, "task.want")
    named = task.ask.get("rules", {})
    rules = {rule: _choice_number(text, choices, f"task.ask.rules.{rule}") for rule, text in named.items()}
    prompt = task.say or subject.sentence("misprint.prompt")
    return MISPRINT.of_task(subject, seed, prompt, choices, right, rules)


def _choice_number(text: object, choices: Sequence[str], field: str) -> int:
    """The number of the choice that has a text. Raises TaskError for none."""
    for k, choice in enumerate(choices):
        if text == choice:
            return k
    raise refused(field, text, "one of task.ask.choices")


def _why_unasked(subject: Subject, task: Task) -> str:
    """The sentence on why a task's question can't be asked."""
    broken = [c.id for c in subject.evaluated if not c.ok and c.severity is Severity.ERROR]
    if broken and not kinds()[task.kind].of_any_desc:
        return str(refused("task.ask.kind", task.kind, f"a kind that asks of invalid descs: {broken[0]} is broken"))
    if not broken and task.kind == "fixes":
        return str(refused("task.ask.kind", task.kind, "a desc that breaks a rule; this one is valid"))
    wish = {key: value for key, value in task.ask.items() if key != "kind"}
    what = f" with {quote(wish)}" if wish else ""
    return (
        f"task.ask: {task.kind} can't be asked{what} of {plain(subject.experiment.name)}, "
        f"expected elements or fields that it has, and values that DirectML promises."
    )


def hidden_by(hide: Sequence[str], question: Question) -> frozenset[str]:
    """What a question hides: the names in `hide`, and everything that would tell them."""
    desc = question.subject.desc
    outputs = {part.path for part in desc.outputs} | {part.field.name for part in desc.outputs}
    tensors = {part.path for part in desc.parts} | {part.field.name for part in desc.parts}
    hidden: set[str] = set()
    for name in hide:
        hidden |= {name, *TOLD_BY.get(name, ())}
        root, mark, _ = name.partition(".Sizes")
        if mark:
            hidden |= {root} | TOLD_BY["Sizes"]
        elif name in outputs:
            hidden |= ELEMENTS
        elif name not in tensors and name not in PANELS:
            hidden |= TOLD_BY["field"]
    for part in desc.parts:  # `OutputTensors` stands for each of them
        if part.field.many:
            own = part.field.name
            hidden |= {f"{part.path}{name.removeprefix(own)}" for name in hide if _is_at_or_under(name, own)}
    return frozenset(hidden)


def _is_at_or_under(path: str, name: str) -> bool:
    """True for the path `name`, and for paths of its members."""
    return path == name or path.startswith(f"{name}.")
