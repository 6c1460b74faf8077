"""Questions about chains: what is right, by the addresses that chains compute, and what wrong rules think."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from support.kinds import OF_CHAINS
from support.one_session import rotate_half

from dmlviz.desc.value_sources import Listed
from dmlviz.operators.maps import NOWHERE
from dmlviz.operators.registry import operators
from dmlviz.session.examples import all_examples, example
from dmlviz.session.experiments import Session
from dmlviz.teaching.kinds.chains import AskedChain, the_chain
from dmlviz.teaching.kinds.lib.asking import kinds, questions
from dmlviz.teaching.kinds.lib.chain_rules import CHAIN_RULES
from dmlviz.teaching.lessons.lessons import shipped_lessons
from dmlviz.teaching.questions.question import At, Question, Wish
from dmlviz.teaching.questions.subject import Subject

RULES = [rule.id for rule in CHAIN_RULES]


def subject_of() -> Subject:
    return Subject(rotate_half().experiments[2])


def made(kind: str, subject: Subject, seed: int = 0, **wish: Any) -> Question:
    question = kinds()[kind].make(subject, seed, Wish(**wish))
    assert question is not None
    return question


def chosen(question: Question, rule: str = "") -> str:
    id_ = question.answers[rule] if rule else question.truth
    return next(choice.text for choice in question.choices if choice.id == id_)


def test_rotate_half_twice_is_asked_as_a_student_reads_it() -> None:
    question = made("through", subject_of(), at=At.output(0, (0, 9)))
    assert question.prompt == "Which input element does twice[0,9] come from, through 3 stages?"
    assert chosen(question, "Q5") == "InputTensor[0,1]"  # halves[0] and halves[1] in their order
    assert chosen(question, "Q3") == "InputTensor[0,1]"  # E F G H E F G H A B: the tenth is B
    says = question.kind.says(question)
    assert says == "twice[0,9] ⇠ swapped[0,1] ⇠ halves[1][0,1] ⇠ InputTensor[0,5]."


def ends(subject: Subject, rule: str = "") -> list[tuple[int, int]]:
    """Which input of the chain, and which element of it, those of the first output come from; -1 for none."""
    return [end or (-1, -1) for (output, _), end in the_chain(subject).ends(rule).items() if not output]


def test_the_truth_is_where_the_chain_s_own_addresses_lead() -> None:
    for one in [one for each in all_examples() for one in each.session().experiments if one.is_wired]:
        chain = AskedChain(one)
        for output, part in enumerate(chain.outputs):
            flats = np.arange(part.tensor.element_count)
            roots, places, _ = chain.addresses(len(chain.stages) - 1, output, flats)
            ends = [None if root == NOWHERE else (root, at) for root, at in zip(roots, places, strict=True)]
            assert [end for (number, _), end in chain.ends().items() if number == output] == ends, one.name


def test_q3_joins_what_is_tiled_and_the_other_way_round() -> None:
    both = example("chain-tile-or-join-first").session()
    tiled_first, joined_first = (Subject(both.experiments[k]) for k in (2, 4))
    assert ends(tiled_first, "Q3") == ends(joined_first) != ends(tiled_first)
    assert ends(joined_first, "Q3") == ends(tiled_first)


def test_a_rule_is_told_from_the_truth_and_named() -> None:
    """By the chains that are shipped."""
    (lesson,) = [each for each in shipped_lessons() if each.id == "chain"]
    chains = [one for each in all_examples() for one in each.session().experiments if one.is_wired]
    met = set()
    for one in (*chains, *(step.experiment for step in lesson.steps)):
        for question in questions(one, OF_CHAINS) if one.is_wired else ():
            texts = [choice.text for choice in question.choices]
            assert len(set(texts)) == len(texts) >= 2
            for rule, answer in question.answers.items():
                verdict = question.grade(answer)
                assert not verdict.right
                assert rule in verdict.rules
                assert verdict.says == question.rule(verdict.rules[0]).feedback
                met.add((question.kind.name, rule))
    assert {rule for _, rule in met} == {*RULES}
    assert {kind for kind, _ in met} == {*OF_CHAINS}


def test_what_has_no_wires_or_is_broken_or_unpromised_is_not_asked_about() -> None:
    plain = example("gather-2").session().experiments[0]
    end = example("chain-computed-indices").session()
    order = replace(end.experiments[0], values={**end.experiments[0].values, "IndicesTensor": Listed((2,), (1, 1))})
    clamped = Session((order, end.experiments[1])).experiments[1]
    for experiment in (plain, rotate_half(cut=3).experiments[2], clamped, rotate_half().experiments[0]):
        assert not {q.kind.name for q in questions(experiment)} & {*OF_CHAINS}, experiment.name


def test_a_chain_rule_is_no_operators() -> None:
    assert not {*RULES} & {rule.id for operator in operators().values() for rule in operator.misreadings()}
    chain = AskedChain(rotate_half().experiments[2])
    assert [rule for rule in RULES if chain.ends(rule) != chain.ends()] == ["Q3", "Q5", "Q1"]
    assert chain.text((0, 5)) == "InputTensor[0,5]"
