"""Questions about chains: their answers are what the core says, and each wrong rule is the map of another chain."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from support.chain_sessions import rotate_half
from support.chains_like import FAMILIES, chains_like
from support.kinds import OF_CHAINS

from dmlviz.desc.indexing import index_in
from dmlviz.desc.value_sources import Listed, Wired
from dmlviz.operators.registry import operators
from dmlviz.session.chains import Chain
from dmlviz.session.examples import example
from dmlviz.session.experiments import Experiment, Session
from dmlviz.teaching.kinds.chains import AskedChain, the_chain
from dmlviz.teaching.kinds.lib.asking import kinds, questions
from dmlviz.teaching.kinds.lib.chain_rules import CHAIN_RULES
from dmlviz.teaching.questions.question import At, Question, Wish
from dmlviz.teaching.questions.subject import Subject

RULES = [rule.id for rule in CHAIN_RULES]


def some(rule: str, count: int = 25) -> Iterator[Experiment]:
    return islice(chains_like([rule], random.Random(f"some {rule}")), count)


def subject_of() -> Subject:
    return Subject(rotate_half().experiments[2])


def made(kind: str, subject: Subject, seed: int = 0, **wish: Any) -> Question:
    question = kinds()[kind].make(subject, seed, Wish(**wish))
    assert question is not None
    return question


def chosen(question: Question, rule: str = "") -> str:
    id_ = question.answers[rule] if rule else question.truth
    return next(choice.text for choice in question.choices if choice.id == id_)


# ---- the truth


@pytest.mark.parametrize("rule", RULES)
def test_what_is_right_is_what_the_chain_says(rule: str) -> None:
    """Against `Chain`, which is held against NumPy: sources, destinations, counts."""
    for seed, experiment in enumerate(some(rule)):
        subject, chain = Subject(experiment), Chain(experiment)
        for cell, end in the_chain(subject).ends().items():
            path = chain.source(*cell)
            assert end is not None
            assert (end[0], index_in(end[1], chain.inputs[path.root].part.tensor.sizes)) == (path.root, path.index)
        through = made("through", subject, seed)
        path = chain.source(through.element.place.number, through.element.index)
        assert chosen(through).startswith(chain.root_text(path.root, path.index).partition(" ")[0])
        reach = made("reach", subject, seed)
        ((root, flat),) = reach.cells
        arrived = chain.destinations(root, index_in(flat, chain.inputs[root].part.tensor.sizes))
        names = [chain.element_text(len(chain.stages) - 1, each.output, each.index) for each in arrived or ()]
        assert chosen(reach).replace(" and ", ", ").split(", ") == names
        dead = kinds()["dead"].make(subject, seed)
        unread = np.flatnonzero((chain.counts or [])[0] == 0)
        assert (dead is None) == (not 0 < len(unread) <= 6)
        if dead is not None:
            assert chosen(dead).count("InputTensor") == len(unread) == chain.dead(0)


def test_rotate_half_twice_is_asked_as_a_student_reads_it() -> None:
    question = made("through", subject_of(), at=At.output(0, (0, 9)))
    assert question.prompt == "Which input element does twice[0,9] come from, through 3 stages?"
    assert chosen(question, "Q5") == "InputTensor[0,1]"  # halves[0] and halves[1] in their order
    assert chosen(question, "Q3") == "InputTensor[0,1]"  # E F G H E F G H A B: the tenth is B
    says = question.kind.says(question)
    assert says == "twice[0,9] ⇠ swapped[0,1] ⇠ halves[1][0,1] ⇠ InputTensor[0,5]."


# ---- each wrong rule is the map of the chain that its holder thinks of


def ends(subject: Subject, rule: str = "") -> list[int]:
    """The flat elements of the chain's inputs that those of the first output come from; -1 for none."""
    return [(end or (-1, -1))[1] for (output, _), end in the_chain(subject).ends(rule).items() if not output]


def believed(rule: str, experiment: Experiment) -> list[int] | None:
    """What comes first in the output where a rule is held: each as its holder thinks; None where that isn't told."""
    stages = Chain(experiment).stages
    first, second = stages[0], stages[1]
    if rule == "Q5":  # the parts are joined in their order
        parts = first.desc.outputs[: len(stages[-1].desc.inputs)]
        joins = stages[-1].desc.TYPE.endswith("JOIN")
        return list(range(sum(part.tensor.sizes[1] for part in parts))) if joins else None
    if rule == "Q4" and stages[-1].desc.TYPE.endswith("TILE") and len(stages) == 3:  # each part is reversed for itself
        length = int(first.links.read(1, np.arange(1))[0])
        pieces = np.split(np.arange(first.desc.inputs[0].tensor.element_count), cuts(second.desc.outputs))
        wire = next(wire for wire in experiment.values.values() if isinstance(wire, Wired))
        piece = pieces[wire.number]
        return [*piece[:length][::-1], *piece[length:]] * 2
    if rule == "Q2" and len(stages) == 2:  # the second GATHER alone
        found: list[int] = second.links.read(1, np.arange(second.desc.inputs[1].tensor.element_count)).tolist()
        return found
    if rule == "Q1" and len(stages) == 2:  # the two stages in the other order
        turned = replace(first, values={**first.values, "InputTensor": Wired("moved")})
        moved = replace(second, values={"IndicesTensor": second.values["IndicesTensor"]})
        return ends(Subject(Session((moved, turned)).experiments[1]))
    return None


def cuts(parts: Any) -> NDArray[np.int64]:
    return np.cumsum([part.tensor.sizes[1] for part in parts])[:-1]


@pytest.mark.parametrize("rule", ["Q1", "Q2", "Q4", "Q5"])
def test_a_wrong_rule_is_what_its_holder_thinks(rule: str) -> None:
    told = 0
    for experiment in some(rule, 40):
        wanted = believed(rule, experiment)
        if wanted is not None:
            found = ends(Subject(experiment), rule)
            assert found[: len(wanted)] == wanted[: len(found)]
            told += 1
    assert told >= 5


def test_q3_joins_what_is_tiled_and_the_other_way_round() -> None:
    both = example("chain-tile-or-join-first").session()
    tiled_first, joined_first = (Subject(both.experiments[k]) for k in (2, 4))
    assert ends(tiled_first, "Q3") == ends(joined_first)
    assert ends(joined_first, "Q3") == ends(tiled_first)


# ---- what is offered, told and asked next


@pytest.mark.parametrize("rule", RULES)
def test_a_rule_is_told_from_the_truth_and_named(rule: str) -> None:
    met = set()
    for seed, experiment in enumerate(some(rule, 12)):
        for name in ("through", "reach", "dead"):
            question = kinds()[name].make(Subject(experiment), seed)
            if question is None or rule not in question.answers:
                continue
            texts = [choice.text for choice in question.choices]
            assert len(set(texts)) == len(texts) >= 3
            verdict = question.grade(question.answers[rule])
            assert not verdict.right
            assert rule in verdict.rules
            assert verdict.says == question.rule(verdict.rules[0]).feedback
            met.add(name)
    assert {"through", "reach"} <= met


def test_what_has_no_wires_or_is_broken_or_unpromised_is_not_asked_about() -> None:
    plain = example("gather-2").session().experiments[0]
    broken = rotate_half(cut=3).experiments[2]
    end = example("chain-computed-indices").session()
    order = replace(end.experiments[0], values={**end.experiments[0].values, "IndicesTensor": Listed((2,), (1, 1))})
    clamped = Session((order, end.experiments[1])).experiments[1]
    for experiment in (plain, broken, clamped, rotate_half().experiments[0]):
        assert not {q.kind.name for q in questions(experiment)} & {*OF_CHAINS}, experiment.name


def test_a_chain_rule_is_no_operators() -> None:
    assert not {*RULES} & {rule.id for operator in operators().values() for rule in operator.misreadings()}
    assert sorted(filter(None, FAMILIES)) == sorted(RULES)
    chain = AskedChain(rotate_half().experiments[2])
    assert [rule for rule in RULES if chain.ends(rule) != chain.ends()] == ["Q3", "Q5", "Q1"]
    assert chain.text((0, 5)) == "InputTensor[0,5]"
