"""Kinds about whole descs: `valid`, `lowest`, and an author's: `fixes`, `level` (answered by a desc), `misprint`."""

from __future__ import annotations

import json
import random
from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Any

from msgspec import Struct, structs

from ...desc.base import Desc
from ...desc.levels import LEVELS, FeatureLevel
from ...desc.tensors import braces
from ...desc.value_sources import Listed, parse_source
from ...errors import DmlvizError, quote
from ...formats.json_text import parse_json
from ...operators.fixes.differences import edits_between
from ...operators.registry import operator_of
from ...operators.report import Fix, Severity, root_of
from ...operators.sentences import sentence_of
from ...session.reading import parse_desc
from ...session.writing import dump_desc
from ..questions.goals import MOST_ELEMENTS, Outcome, first_error
from ..questions.question import ANYTHING, Choice, Form, Hints, Kind, Picture, Question, Reply, Wish
from ..questions.subject import LETTERS, NOTHING, Answer, Rule, Subject
from ..questions.wording import listed
from ..words.catalogue import sentence
from .lib.forms import CHOICES

CANDIDATES = 5
"""Rules to choose among, at most; more where more of them are somebody's answer."""
MOST_WORDS = 44
NONE = "none"
"""The answer where no level takes the desc; null in JSON."""


class ValidKind(Kind):
    name = "valid"
    form = CHOICES
    about_rules = True
    told_by_rules = True
    of_any_desc = True
    confirms_elsewise = True
    alternatives = 10
    late = True

    def make(self, subject: Subject, seed: int, wish: Wish = ANYTHING) -> Question | None:
        report = subject.report
        ids = [check.id for check in report.checks if check.severity is not Severity.NOTE]
        ids += [waiting.id for waiting in report.waiting]
        choices = tuple(Choice(id_, sentence_of(subject.operator, id_) or id_) for id_ in dict.fromkeys(ids))
        if not choices:
            return None
        prompt = sentence("valid.prompt", level=report.feature_level)
        question = self.pose(subject, seed, prompt, {"rules", "fixes", "levels"}, choices=choices)
        kept = {*question.truth}.union(*question.answers.values())
        nearest = _nearest_choices(choices, kept, self.dice(subject, seed))
        return structs.replace(question, choices=nearest)

    def answer(self, question: Question, rule: Rule | None) -> Answer | None:
        subject = question.subject
        broken = tuple(sorted({c.id for c in subject.report.errors}))
        accepted = None if rule is None else is_accepted_by(subject, rule)
        if rule is None or accepted is None or accepted == (not broken):
            return broken
        if accepted:
            return ()
        if rule.lowest_level is not None:
            return ("dimension_count.supported",)
        warned = {c.id for c in subject.report.failures if c.severity is Severity.WARNING}
        named = {choice.id for choice in question.choices} & {*rule.lights}
        return tuple(sorted(warned or named)) or None

    def rules(self, question: Question, answer: Answer) -> tuple[str, ...]:
        rules = super().rules(question, answer)
        if rules or question.truth or not answer:
            return rules
        subject = question.subject  # whoever calls a valid desc broken names one of many rules
        unnamed = (rule for rule in subject.rules if self.answer(question, rule) is None)
        return tuple(rule.id for rule in unnamed if is_accepted_by(subject, rule) is False)

    def hints(self, question: Question) -> Hints:
        subject = question.subject
        errors = subject.report.errors
        look = sentence("valid.look_all")
        rule = sentence("valid.rule")
        if errors:
            look = sentence("valid.look", field=root_of(errors[0].field))
            rule = sentence_of(subject.operator, errors[0].id) or errors[0].id
        return look, rule, sentence("valid.formula"), self.says(question)

    def says(self, question: Question) -> str:
        errors = question.subject.report.errors
        return f"{errors[0].id}: {errors[0].message}" if errors else sentence("valid.says")


def is_accepted_by(subject: Subject, rule: Rule) -> bool | None:
    """Whether the desc would be valid by a wrong rule; None where the rule says nothing of it or never differs."""
    if rule.accepts is None and rule.lowest_level is None:
        return None  # of rules about outputs nothing may be asked here: the desc may be broken
    read = subject.trace.read
    if not rule.differs(subject.desc, read):
        return None
    if rule.accepts is not None:
        return rule.accepts(subject.desc, read)
    assert rule.lowest_level is not None
    lowest = rule.lowest_level(subject.desc)
    return lowest is not None and subject.experiment.feature_level >= lowest


def _nearest_choices(choices: Sequence[Choice], kept: Collection[str], dice: random.Random) -> tuple[Choice, ...]:
    """The choices with these ids, and a few others, in their order; first those that are about the same as they."""
    families = {id_.partition(".")[0] for id_ in kept}  # `sizes` of `sizes.sum`
    chosen = [choice for choice in choices if choice.id in kept]
    others = [choice for choice in choices if choice.id not in kept]
    dice.shuffle(others)
    others.sort(key=lambda choice: choice.id.partition(".")[0] not in families)
    for other in others:
        words = sum(len(choice.text.split()) for choice in (*chosen, other))
        has_room = len(chosen) < CANDIDATES and words <= MOST_WORDS
        if has_room or len(chosen) == len(kept):
            chosen.append(other)
    return tuple(choice for choice in choices if choice in chosen)


class LevelForm(Form):
    words = "level"
    in_row = True

    def read(self, question: Question, given: object) -> Answer:
        return super().read(question, NONE if given is None else given)

    def json(self, answer: Answer) -> Any:
        return None if answer == NONE else answer

    def typed(self, question: Question, text: str) -> Any:
        return None if text.strip().lower() in NOTHING else text.strip()


class LowestKind(Kind):
    name = "lowest"
    form = LevelForm()
    about_rules = True
    told_by_rules = True
    of_any_desc = True
    confirms_elsewise = True
    stage = 3
    late = True

    def make(self, subject: Subject, seed: int, wish: Wish = ANYTHING) -> Question | None:
        hidden = {"levels", "rules", "fixes", "feature_level"}
        return self.pose(subject, seed, sentence("lowest.prompt"), hidden, blank="feature_level")

    def answer(self, question: Question, rule: Rule | None) -> Answer | None:
        subject = question.subject
        if rule is None:
            return _level_text(subject.report.lowest_level)
        if rule.lowest_level is None or not rule.differs(subject.desc, subject.trace.read):
            return question.truth
        return _level_text(rule.lowest_level(subject.desc))

    def options(self, question: Question) -> tuple[Choice, ...]:
        levels = [Choice(level.value, level.value) for level in LEVELS]
        return (*levels, Choice(NONE, sentence("page.no_level")))

    def says(self, question: Question) -> str:
        none = int(question.truth == NONE)
        operator = question.subject.operator.name
        return sentence("lowest.says", none=none, level=question.truth, operator=operator)


def _level_text(level: FeatureLevel | None) -> str:
    return NONE if level is None else str(level.value)


MOST_TEXTS = 8
MOST_EDITS = 3
"""Numbers and types that an answer may change, unless every known fix changes more."""


class DescAnswer(Struct, frozen=True):
    """A desc, and the values of its index and length tensors by path, where they are given."""

    desc: Desc
    steering: tuple[tuple[str, tuple[Any, ...]], ...] = ()


def read_desc(given: object, kind: str, *, any_operator: bool) -> DescAnswer:
    """An answer from JSON, to a question about a `kind`: a desc, or one in `desc` with others. Raises DmlvizError."""
    if not isinstance(given, dict):
        raise DmlvizError(f"answer is {quote(given)}, expected a desc, as session files write it.")
    members: dict[str, Any] = given if "desc" in given else {"desc": given}
    for key in members:
        if key not in ("type", "desc", "values", "name", "feature_level"):
            raise DmlvizError(f"answer has {quote(key)}, expected only type, desc and values.")
    named = members.get("type", kind)
    values = members.get("values", {})
    if named != kind and not (any_operator and isinstance(named, str)):
        raise DmlvizError(f"answer.type is {quote(named)}, expected {quote(kind)}.")
    desc = parse_desc(named, members["desc"])
    if not isinstance(values, dict):
        raise DmlvizError(f"answer.values is {quote(values)}, expected an object with index or length values.")
    data = {part.field.name for part in desc.inputs if part.is_data}
    paths = [part.path for part in desc.inputs if not part.is_data]
    steering: dict[str, tuple[Any, ...]] = {}
    for path, entry in values.items():
        if path in data:
            continue  # data is given: what is said of it has no part
        source = parse_source(entry, f"answer.values.{path}")
        if path not in paths or not isinstance(source, Listed) or {*map(type, source.items)} - {int}:
            expected = f"integers, of index or length tensors only: {', '.join(paths) or 'none'}"
            raise DmlvizError(f"answer.values.{path} is {quote(entry)}, expected {expected}.")
        steering[path] = source.items
    return DescAnswer(desc, tuple(sorted(steering.items())))


class DescForm(Form):
    """A desc: of the question's operator, or of `any_operator`."""

    name = "desc"
    how = "edit"

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
    name = "fixes"
    form = DescForm()
    needs = "a failed check that an edit fixes"
    authored = True
    of_any_desc = True

    def make(self, subject: Subject, seed: int, wish: Wish = ANYTHING) -> Question | None:
        if subject.valid or not _mending_fixes(subject):
            return None
        level = subject.experiment.feature_level
        most = _most_edits(subject)
        prompt = sentence("fixes.prompt", level=level, count=most)  # there are always several
        return self.pose(subject, seed, prompt, {"fixes"})

    def answer(self, question: Question, rule: Rule | None) -> Answer | None:
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

    def hints(self, question: Question) -> Hints:
        broken = question.subject.report.errors[0]
        nearest = _mending_fixes(question.subject)[0]
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
    name = "level"
    form = DescForm(any_operator=True)
    needs = "a desc that is valid, and makes few outputs"
    authored = True
    of_any_desc = True

    def make(self, subject: Subject, seed: int, wish: Wish = ANYTHING) -> Question | None:
        if wish.goal is None:
            return None
        for part in subject.desc.inputs:
            count = part.tensor.element_count
            if part.tensor.can_exist and count > MOST_ELEMENTS:
                expected = f"at most {MOST_ELEMENTS}: a puzzle shows all of them"
                raise DmlvizError(f"{part.path} has {count:,} elements, expected {expected}.")
        level = subject.experiment.feature_level
        sizes = _goal_sizes(wish.goal)
        prompt = sentence("level.prompt", sizes=sizes, level=level)
        return self.pose(subject, seed, prompt, {"fixes"}, wish.truth, goal=wish.goal)

    def answer(self, question: Question, rule: Rule | None) -> Answer | None:
        return question.truth

    def reply(self, question: Question, answer: DescAnswer) -> Reply:
        assert question.goal is not None
        tried = Outcome(question.subject.experiment, question.goal, answer.desc, dict(answer.steering))
        look = self.hints(question)[0]
        lights = tuple[str, ...]()
        for rule in tried.explaining[:1]:
            look, lights = rule.look, rule.lights
        return Reply(tried.won, tried.sentence, look, tried.rules, lights=lights)

    def hints(self, question: Question) -> Hints:
        assert question.goal is not None
        look = sentence("level.look", sizes=_goal_sizes(question.goal))
        operator = operator_of(question.truth.desc)
        formula = sentence("level.formula", operator=operator.name)
        return look, operator.title, formula, self.says(question)

    def says(self, question: Question) -> str:
        desc = question.truth.desc
        fields = [f"{field.name} {field.shown(desc.get(field.name))}" for field in desc.ATTRIBUTES]
        lists = [(part.path, part.tensor.sizes) for part in desc.parts if part.field.many]
        fields += [f"{path} {braces(numbers)}" for path, numbers in (*lists, *question.truth.steering)]
        return sentence("level.says", operator=operator_of(desc).name, fields=", ".join(fields))


def _goal_sizes(goal: Picture) -> str:
    return listed([braces(sizes) for sizes, _ in goal.outputs])


class MisprintKind(Kind):
    name = "misprint"
    authored = True
    of_any_desc = True
    told_by_rules = True

    def make(self, subject: Subject, seed: int, wish: Wish = ANYTHING) -> Question | None:
        texts = [*wish.choices]
        if not texts:
            return None  # no desc knows what was printed about it
        if not 2 <= len(texts) <= MOST_TEXTS or len(set(texts)) < len(texts):
            raise DmlvizError(f"a misprint is one of {len(texts)} texts, expected 2 to {MOST_TEXTS} that differ.")
        self.dice(subject, seed).shuffle(texts)
        letters = dict(zip(texts, LETTERS, strict=False))
        choices = tuple(Choice(letter, text) for text, letter in letters.items())
        prompt = sentence("misprint.prompt")
        truth = letters[wish.truth]
        answers = {rule: letters[text] for rule, text in wish.wrong.items() if text != wish.truth}
        return structs.replace(self.pose(subject, seed, prompt, truth=truth, choices=choices), answers=answers)

    def answer(self, question: Question, rule: Rule | None) -> Answer | None:
        return question.truth

    def hints(self, question: Question) -> Hints:
        return sentence("misprint.look"), question.subject.title, sentence("misprint.formula"), self.says(question)

    def says(self, question: Question) -> str:
        text = next(choice.text for choice in question.choices if choice.id == question.truth)
        return sentence("misprint.says", letter=question.truth, text=text)


FIXES, LEVEL, MISPRINT = FixesKind(), LevelKind(), MisprintKind()
KINDS = ValidKind(), LowestKind(), FIXES, LEVEL, MISPRINT
