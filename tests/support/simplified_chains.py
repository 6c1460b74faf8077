"""Simplifications of random chains, held against NumPy: each element of what ends a chain has to be the same one.

    PYTHONPATH=src:tests .venv/bin/python -m support.simplified_chains 500 7

goes on until so many were offered, from seed 7, and prints how many are wrong.
"""

from __future__ import annotations

import random
import sys
from collections import Counter
from dataclasses import replace
from itertools import count

import numpy as np
from msgspec import structs

import dmlviz as dml
from dmlviz.desc.fields import Role
from dmlviz.desc.value_sources import Listed
from dmlviz.equality.simplifying import Offer, offers

from .random_chains import random_chain


def told_apart(session: dml.Session) -> dml.Session:
    """The session with another value in every element of its data inputs: equal values are equal elements then."""
    numbers, now = count(1000), []
    for one in session.experiments:
        values = dict(one.values)
        for part in one.desc.inputs:
            entry = values.get(part.path)
            if part.field.role is Role.DATA and isinstance(entry, Listed):
                values[part.path] = Listed(tuple(next(numbers) for _ in entry.items), entry.shape)
        now.append(replace(one, values=values))
    return replace(session, experiments=tuple(now))


def wrong(session: dml.Session, number: int, offer: Offer, *, is_other: bool = False) -> list[str]:
    """What an offer changes at the chain's end, and at what it leaves by name; for other indices if it is for all."""
    if offer.for_all and not is_other:
        for seed in range(3):
            other = structs.replace(offer, session=with_other_indices(offer.session, seed))
            if found := wrong(with_other_indices(session, seed), number, other, is_other=True):
                return found
    pairs = [(session.experiments[number], offer.session.experiments[offer.number])]
    after = {one.name: one for one in offer.session.experiments}
    read = {id(stage) for one in session.experiments for stage in one.stages[:-1]}
    pairs += [(one, after[one.name]) for one in session.experiments if id(one) not in read and one.name in after]
    return [
        f"{old.name}: {offer.text}"
        for old, new in pairs
        for k in range(len(old.desc.outputs))
        if not np.array_equal(old.links.reference(k), new.links.reference(k))
    ]


def with_other_indices(session: dml.Session, seed: int) -> dml.Session:
    """The session with other indices and lengths in the place of those that no wire fills, the same for the same."""
    now = []
    for one in session.experiments:
        values = dict(one.values)
        for path, entry in one.values.items():
            if isinstance(entry, Listed) and all(isinstance(item, int) and item < 1000 for item in entry.items):
                made = random.Random(f"{seed} {entry.items}")
                values[path] = Listed(tuple(made.choice((0, 1, 2, 3, 9)) for _ in entry.items), entry.shape)
        now.append(replace(one, values=values))
    return replace(session, experiments=tuple(now))


def drawn(made: random.Random) -> tuple[dml.Session, int, list[Offer]]:
    """A random session, one of its chains, and what is offered for it."""
    session = told_apart(random_chain(made, 6).session(made))
    number = max(range(len(session.experiments)), key=lambda n: len(session.experiments[n].stages))
    return session, number, offers(session, number)


if __name__ == "__main__":
    most, seed = int(sys.argv[1]), int(sys.argv[2])
    kinds: Counter[str] = Counter()
    failing: list[str] = []
    for n in count():
        session, number, found = drawn(random.Random(f"{seed}.{n}"))
        for offer in found:
            kinds[" ".join(word for word in offer.text.split() if word.isupper() or word in ("gives", "one"))] += 1
            failing += wrong(session, number, offer)
        if kinds.total() >= most:
            break
    print(f"{kinds.total()} offers in {n + 1} chains, {len(failing)} wrong", *failing[:20], sep="\n")
    print(*(f"{times:5} {kind}" for kind, times in kinds.most_common()), sep="\n")
    sys.exit(bool(failing))
