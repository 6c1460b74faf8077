"""What only an author asks: `fixes` and `level`, whose answers are a desc, and `misprint`."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

from msgspec import Struct, structs

from ...desc.base import Desc
from ...desc.fields import Role
from ...desc.tensors import braces
from ...desc.value_sources import Listed, parse_source
from ...errors import DmlvizError, quote
from ...formats.json_text import parse_json
from ...operators.fixes.differences import edits_between
from ...operators.registry import operator_of
from ...operators.report import Fix
from ...operators.wrong_rules import Misreading
from ...session.reading import parse_desc
from ...session.writing import dump_desc
from ..questions.goals import MOST_ELEMENTS, Outcome, first_error
from ..questions.question import ANYTHING, Choice, Form, Kind, Picture, Question, Reply, Wish
from ..questions.subject import LETTERS, Answer, Subject
from ..words.catalogue import sentence
from .rules import is_accepted_by

MOST_TEXTS = 8
"""Of which one is a misprint."""
MOST_EDITS = 3
"""Numbers and types that an answer may change, unless every known fix changes more."""


class DescAnswer(Struct, frozen=True):
    """A desc, and the values of its index and length tensors by path, where they are given."""

    desc: Desc
    steering: tuple[tuple[str, tuple[Any, ...]], ...] = ()


def read_desc(given: object, kind: str, *, any_operator: bool) -> DescAnswer:
    """An answer from its JSON: a desc, or an object with `desc` and, where they differ, `type` and `values`.

    `kind` is the type of the question's desc. Raises DmlvizError with a sentence.
    """
    if not isinstance(given, dict):
        raise DmlvizError(f"answer is {quote(given)}, expected a desc, as session files write it.")
    members: dict[str, Any] = given if "desc" in given else {"desc": given}
    for key in members:
        if key not in ("type", "desc", "values", "name", "feature_level"):
            raise DmlvizError(f"answer has {quote(key)}, expected only type, desc and values.")
    named, values = members.get("type", kind), members.get("values", {})
    if named != kind and not (any_operator and isinstance(named, str)):
        raise DmlvizError(f"answer.type is {quote(named)}, expected {quote(kind)}.")
    desc = parse_desc(named, members["desc"])
    if not isinstance(values, dict):
        raise DmlvizError(f"answer.values is {quote(values)}, expected an object with index or length values.")
    paths = [part.path for part in desc.inputs if part.field.role is not Role.DATA]
    steering: dict[str, tuple[Any, ...]] = {}
    for path, entry in values.items():
        if any(part.field.name == path for part in desc.inputs if part.field.role is Role.DATA):
            continue  # data is given: what is said of it has no part
        source = parse_source(entry, f"answer.values.{path}")
        if path not in paths or not isinstance(source, Listed) or {*map(type, source.items)} - {int}:
            expected = f"integers, of index or length tensors only: {', '.join(paths) or 'none'}"
            raise DmlvizError(f"answer.values.{path} is {quote(entry)}, expected {expected}.")
        steering[path] = source.items
    return DescAnswer(desc, tuple(sorted(steering.items())))


class DescForm(Form):
    """A desc: of the question's operator, or of `any_operator`."""

    name, how = "desc", "edit"

    def __init__(self, *, any_operator: bool = False) -> None:
        self._any_operator = any_operator

    def read(self, question: Question, given: object) -> DescAnswer:
        return read_desc(given, question.subject.desc.TYPE, any_operator=self._any_operator)

    def json(self, answer: DescAnswer) -> dict[str, Any]:
        members: dict[str, Any] = {"type": answer.desc.TYPE, "desc": dump_desc(answer.desc)}
        if answer.steering:
            members["values"] = {path: list(items) for path, items in answer.steering}
        return members

    def text(self, question: Question, answer: DescAnswer) -> str:
        return json.dumps(self.json(answer))

    def typed(self, question: Question, text: str) -> Any:
        return parse_json(text)


class FixesKind(Kind):
    """Asks to mend a desc; the answer is a desc."""

    name, form = "fixes", DescForm()
    authored, of_any_desc = True, True
    stage = 2

    def make(self, subject: Subject, seed: int, wish: Wish = ANYTHING) -> Question | None:
        if subject.valid or not _mending_fixes(subject):
            return None
        level, most = subject.experiment.feature_level, _most_edits(subject)
        prompt = sentence("fixes.prompt", level=level, count=most)  # there are always several
        return self.pose(subject, seed, prompt, {"fixes"})

    def answer(self, question: Question, rule: Misreading[Any] | None) -> Answer | None:
        subject = question.subject
        if rule is not None and is_accepted_by(subject, rule):
            return DescAnswer(subject.desc)  # there is nothing to mend
        return DescAnswer(_mending_fixes(subject)[0].desc)

    def is_right(self, question: Question, answer: DescAnswer) -> bool:
        subject = question.subject
        near = edits_between(subject.desc, answer.desc) <= _most_edits(subject)
        return near and first_error(answer.desc, subject.experiment.feature_level) is None

    def rules(self, question: Question, answer: DescAnswer) -> tuple[str, ...]:
        tried = Subject(replace(question.subject.experiment, desc=answer.desc))
        if first_error(answer.desc, tried.experiment.feature_level) is None:
            return ()  # it passes, but it is too far away
        return tuple(rule.id for rule in tried.rules if is_accepted_by(tried, rule))

    def hints(self, question: Question) -> tuple[str, str, str, str]:
        broken, nearest = question.subject.report.errors[0], _mending_fixes(question.subject)[0]
        change = sentence("fixes.change", what=", ".join(change.what for change in nearest.changes))
        return sentence("valid.look", field=broken.field), broken.message, change, self.says(question)

    def says(self, question: Question) -> str:
        return sentence("fixes.says", fix=", ".join(map(str, _mending_fixes(question.subject)[0].changes)))


def _mending_fixes(subject: Subject) -> list[Fix]:
    """Fixes after which no error is left, and operator and level are as before; those that change the least first."""
    level = subject.experiment.feature_level
    fixes = [fix for broken in subject.report.errors for fix in broken.fixes]
    mending = [fix for fix in fixes if fix.mends_all and fix.feature_level is level and not fix.turned]
    return sorted(mending, key=lambda fix: edits_between(subject.desc, fix.desc))


def _most_edits(subject: Subject) -> int:
    return max(MOST_EDITS, edits_between(subject.desc, _mending_fixes(subject)[0].desc))


class LevelKind(Kind):
    """Asks for a desc, of any operator, whose outputs are those of a level's goal."""

    name, form = "level", DescForm(any_operator=True)
    authored, of_any_desc = True, True
    stage = 2

    def make(self, subject: Subject, seed: int, wish: Wish = ANYTHING) -> Question | None:
        if wish.goal is None:
            return None
        for part in subject.desc.inputs:
            if part.tensor.can_exist and part.tensor.element_count > MOST_ELEMENTS:
                expected = f"at most {MOST_ELEMENTS}: a level shows all of them"
                raise DmlvizError(f"{part.path} has {part.tensor.element_count:,} elements, expected {expected}.")
        level, sizes = subject.experiment.feature_level, _goal_sizes(wish.goal)
        prompt = sentence("level.prompt", sizes=sizes, level=level)
        return self.pose(subject, seed, prompt, {"fixes"}, wish.truth, goal=wish.goal)

    def answer(self, question: Question, rule: Misreading[Any] | None) -> Answer | None:
        return question.truth

    def reply(self, question: Question, answer: DescAnswer) -> Reply:
        assert question.goal is not None
        tried = Outcome(question.subject.experiment, question.goal, answer.desc, dict(answer.steering))
        look, lights = self.hints(question)[0], tuple[str, ...]()
        for rule in tried.explaining[:1]:
            look, lights = rule.look, rule.lights
        return Reply(tried.won, tried.sentence, look, tried.rules, lights=lights)

    def hints(self, question: Question) -> tuple[str, str, str, str]:
        assert question.goal is not None
        look, operator = sentence("level.look", sizes=_goal_sizes(question.goal)), operator_of(question.truth.desc)
        return look, operator.title, sentence("level.formula", operator=operator.name), self.says(question)

    def says(self, question: Question) -> str:
        desc = question.truth.desc
        sizes = {part.path: part.tensor.sizes for part in desc.parts if part.field.many}
        fields = [f"{path} {braces(numbers)}" for path, numbers in (*sizes.items(), *question.truth.steering)]
        numbers = [f"{field.name} {field.shown(desc.get(field.name))}" for field in desc.ATTRIBUTES]
        name = operator_of(desc).name
        return sentence("level.says", operator=name, fields=", ".join([*numbers, *fields]))


def _goal_sizes(goal: Picture) -> str:
    return sentence("words.joint").join(braces(sizes) for sizes, _ in goal.outputs)


class MisprintKind(Kind):
    """Asks which of an author's lines is a misprint; the answer is the letter of a choice."""

    name = "misprint"
    stage = 2
    authored, of_any_desc, told_by_rules = True, True, True

    def make(self, subject: Subject, seed: int, wish: Wish = ANYTHING) -> Question | None:
        texts = [*wish.choices]
        if not texts:
            return None  # no desc knows what was printed about it
        if not 2 <= len(texts) <= MOST_TEXTS or len(set(texts)) < len(texts):
            raise DmlvizError(f"a misprint is one of {len(texts)} texts, expected 2 to {MOST_TEXTS} that differ.")
        self.dice(subject, seed).shuffle(texts)
        letters = dict(zip(texts, LETTERS, strict=False))
        choices = tuple(Choice(letter, text) for text, letter in letters.items())
        prompt, truth = sentence("misprint.prompt"), letters[wish.truth]
        answers = {rule: letters[text] for rule, text in wish.wrong.items() if text != wish.truth}
        return structs.replace(self.pose(subject, seed, prompt, truth=truth, choices=choices), answers=answers)

    def answer(self, question: Question, rule: Misreading[Any] | None) -> Answer | None:
        return question.truth

    def hints(self, question: Question) -> tuple[str, str, str, str]:
        look, formula = sentence("misprint.look"), sentence("misprint.formula")
        return look, question.subject.title, formula, self.says(question)

    def says(self, question: Question) -> str:
        text = next(choice.text for choice in question.choices if choice.id == question.truth)
        return sentence("misprint.says", letter=question.truth, text=text)


FIXES, LEVEL, MISPRINT = FixesKind(), LevelKind(), MisprintKind()
KINDS = FIXES, LEVEL, MISPRINT
