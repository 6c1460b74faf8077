"""The examples as a course: twelve to start with, then the others by operator."""

from __future__ import annotations

from functools import cache

from msgspec import Struct
from msgspec.structs import replace

from ..errors import plain
from ..operators.base import NEIGHBOURS
from ..operators.registry import operator_of, operators
from ..operators.report import Severity
from .examples import Example, all_examples
from .notes import question_of

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


class Card(Struct, frozen=True, kw_only=True):
    """An example as it is listed; all of it follows from the example's own file."""

    example: Example
    title: str
    """A few words for a person: `Two tensors, side by side`."""
    question: str
    """What the notes of its first experiment ask; "" where they ask nothing."""
    operators: tuple[str, ...]
    rules: tuple[str, ...]
    """The ids of the rules that it breaks, as the check says; errors first, then warnings and notes."""
    group: str
    words: str
    """All that it is found by, in lower case."""


@cache
def card_of(example: Example) -> Card:
    """What is listed of an example; kept, since every rule is held against it once."""
    session = example.session()
    items = session.experiments
    failures = [check for one in items for check in one.check().failures]
    failures.sort(key=lambda check: list(Severity).index(check.severity))
    kinds = [operator_of(one.desc) for one in items]
    names = tuple(dict.fromkeys(kind.name for kind in kinds))
    rules = tuple(dict.fromkeys(check.id for check in failures))
    notes = " ".join(one.notes for one in items)
    own = items[0].name if len(items) == 1 else session.title.partition(", ")[2] or session.title
    title = (session.title.rpartition(": ")[2] if ": " in session.title else own) or example.name
    texts = (example.name, session.title, *names, *rules, *(one.name for one in items), notes)
    return Card(
        example=example,
        title=plain(title[:1].upper() + title[1:], 80),
        question=question_of(items[0].notes),
        operators=names,
        rules=rules,
        group=NEIGHBOURS.capitalize() if any(kind.neighbour for kind in kinds) else names[0],
        words=" ".join(texts).lower(),
    )


def listed(text: str = "") -> list[Card]:
    """The steps of the course as its group, then the others by group; with a text all that hold its words."""
    cards = {shipped.name: card_of(shipped) for shipped in all_examples()}
    words = text.lower().split()
    steps = [replace(cards[name], group=START_HERE) for name in START if name in cards and not words]
    found = [card for card in cards.values() if all(word in card.words for word in words)]
    found = [card for card in found if words or card.example.name not in START]
    titles = [*(op.name for op in operators().values()), NEIGHBOURS.capitalize()]

    def order(card: Card) -> tuple[object, ...]:
        # First the operator that is named; in a group what breaks a rule alone, of these what is called as the rule.
        unlike = card.rules != (text,), not card.example.name.endswith(text.replace(".", "-"))
        return card.group.lower() not in words, titles.index(card.group), *unlike, card.rules

    return [*steps, *sorted(found, key=order)]
