"""The examples as a course: twelve to start with, then all of them by operator, by rule and by misprint."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import cache

from msgspec import Struct
from msgspec.structs import replace

from ..errors import plain
from ..operators.base import NEIGHBOURS
from ..operators.registry import operator_of, operators
from ..operators.report import Severity
from .examples import Example, all_examples
from .notes import asked_first, question_of

START = (
    "join-1",
    "join-2-axis-3",
    "split-1",
    "rule-sizes-sum",
    "tile-1",
    "reverse-1",
    "gather-1",
    "gather-2",
    "note-negative-index",
    "gather-5",
    "warning-length-clamped",
    "gather-3-as-printed",
)
"""The steps of the course, from the simplest JOIN to index dimensions, a clamped length and a misprint."""
START_HERE = "Start here"
CHAINS = "Chains"
BY_RULE, BY_WARNING, BY_MISPRINT = "By rule that is broken", "By warning and note", "By misprint of the pages"
_PRINTED = re.compile(r"\bThe page prints\b|\bPrinted:")
"""How notes tell what a page says and shouldn't."""


class Card(Struct, frozen=True, kw_only=True):
    """An example as it is listed; all of it follows from the example's own file."""

    example: Example
    title: str
    """A few words for a person: `Two tensors, side by side`."""
    question: str
    """What the notes of its first experiment ask; "" where they ask nothing."""
    operators: tuple[str, ...]
    """Their names, in the order of its experiments."""
    rules: tuple[str, ...]
    """The ids of the rules that it breaks, as the check says; errors first, then warnings and notes."""
    breaks: bool
    """One of them is an error."""
    is_misprint: bool
    """It shows what a page prints wrong."""
    is_chain: bool
    """One of its experiments reads another one's output."""
    words: str
    """All that it is found by, in lower case."""

    @property
    def name(self) -> str:
        """The name by which the command line knows the example: `join-1`."""
        return self.example.name

    @property
    def teaser(self) -> str:
        """The sentence of the question that asks first, without what to do about it."""
        return asked_first(self.question)

    def has(self, words: Iterable[str]) -> bool:
        """True if title, name, operators, rules and notes hold every one of some words in lower case."""
        return all(word in self.words for word in words)

    def rank(self, text: str) -> int:
        """How well an example answers to a text in lower case: 0 its name, 1 the beginning, 2 title or rules, or 3."""
        if self.name == text:
            return 0
        if self.name.startswith(text):
            return 1
        return 2 if text in f"{self.title.lower()} {' '.join(self.rules)}" else 3


class Group(Struct, frozen=True):
    """Examples that stand under one heading; the course's own are steps in order."""

    title: str
    cards: tuple[Card, ...]
    about: str = ""
    """One sentence for a newcomer, where the heading alone tells little."""

    @property
    def is_course(self) -> bool:
        return self.title == START_HERE


@cache
def card_of(example: Example) -> Card:
    """What is listed of an example; kept, since every rule is held against it once."""
    session = example.session()
    items = session.experiments
    reports = [experiment.check() for experiment in items]
    failures = [check for report in reports for check in report.failures]
    ordered = sorted(failures, key=lambda check: list(Severity).index(check.severity))
    names = tuple(dict.fromkeys(operator_of(experiment.desc).name for experiment in items))
    rules = tuple(dict.fromkeys(check.id for check in ordered))
    title = _short_title(session.title, [experiment.name for experiment in items]) or example.name
    notes = " ".join(experiment.notes for experiment in items)
    texts = (example.name, title, session.title, *names, *rules, *(experiment.name for experiment in items), notes)
    return Card(
        example=example,
        title=plain(title[:1].upper() + title[1:], 80),
        question=question_of(items[0].notes),
        operators=names,
        rules=rules,
        breaks=any(check.severity is Severity.ERROR for check in failures),
        is_misprint=_PRINTED.search(notes) is not None,
        is_chain=any(experiment.is_wired for experiment in items),
        words=" ".join(texts).lower(),
    )


def _short_title(title: str, names: Sequence[str]) -> str:
    """What follows a title's last colon; without one the name of the only experiment, else what follows a comma."""
    if ": " in title:
        return title.rpartition(": ")[2]
    return names[0] if len(names) == 1 else title.partition(", ")[2] or title


def cards() -> list[Card]:
    """Every example, in the order in which they are listed."""
    return [card_of(shipped) for shipped in all_examples()]


def course() -> Group:
    """The steps to start with."""
    known = {shipped.name: shipped for shipped in all_examples()}
    return Group(START_HERE, tuple(card_of(known[name]) for name in START if name in known))


def groups() -> list[Group]:
    """The course's steps, then every example by operator, by rule, by warning and by misprint; no empty groups.

    Neighbours, also beside one of the five, have one group behind these, and chains another. An example that breaks a
    rule, warns or shows a misprint stands with that, not with its operators.
    """
    every = cards()
    chains = [card for card in every if card.is_chain and not card.breaks]
    sound = [card for card in every if not card.rules and not card.is_misprint and card not in chains]
    neighbours = {operator.name for operator in operators().values() if operator.neighbour}
    beside = [card for card in sound if neighbours & {*card.operators}]
    by_operator = [
        Group(
            operator.name,
            tuple(card for card in sound if operator.name in card.operators and card not in beside),
            operator.title,
        )
        for operator in operators().values()
        if not operator.neighbour
    ]
    broken = sorted((card for card in every if card.breaks), key=lambda card: card.rules[0])
    warned = [card for card in every if card.rules and not card.breaks and card not in chains]
    all_groups = [
        course(),
        *by_operator,
        Group(NEIGHBOURS.capitalize(), tuple(beside), "Operators that are easily taken for one of these."),
        Group(CHAINS, tuple(chains), "Several operators, of which one reads what another gives."),
        Group(BY_RULE, tuple(broken)),
        Group(BY_WARNING, tuple(sorted(warned, key=lambda card: card.rules[0]))),
        Group(BY_MISPRINT, tuple(card for card in every if card.is_misprint)),
    ]
    return [group for group in all_groups if group.cards]


def search(text: str) -> list[Group]:
    """The groups, without the course, with the examples that hold every word of a text; none that would be empty."""
    words = text.lower().split()
    narrowed = (
        replace(group, cards=tuple(c for c in group.cards if c.has(words))) for group in groups() if not group.is_course
    )
    return [group for group in narrowed if group.cards]
