"""What an answer is told: where to look, by no key or panel of the explorer, and that coordinates count from 0."""

from __future__ import annotations

import numpy as np

from dmlviz.operators.wrong_rules import PLACES
from dmlviz.session.examples import all_examples
from dmlviz.teaching.kinds.elements import SourceKind
from dmlviz.teaching.kinds.lib.asking import questions
from dmlviz.teaching.questions.question import At, Question, Wish
from dmlviz.teaching.questions.subject import Subject
from dmlviz.teaching.questions.wording import place_without, with_its_rule
from dmlviz.teaching.words.catalogue import sentence

NAMES = ("gather-2", "join-2-axis-3", "tile-1", "split-1", "reverse-1", "rule-axis-range")
FIRST = [each.session().experiments[0] for each in all_examples() if each.name in NAMES]


def test_a_rule_stands_with_its_sentence() -> None:
    subject = next(each for each in map(Subject, FIRST) if each.valid)
    assert with_its_rule(subject, "rule axis.range").startswith("rule axis.range: ")
    for said in ("an author's words on a.b.c", "the formula line"):
        assert with_its_rule(subject, said) == said


def test_a_quiz_sends_nobody_to_what_stands_beside_a_picture() -> None:
    met = set()
    for question in (question for one in FIRST for question in questions(one, None, 3)):
        for verdict in map(question.verdict_on, question.answers.values()):
            place = place_without(question.subject, verdict.look, verdict.lights)
            assert place not in (PLACES["formula"], PLACES["ruler"], "")
            met.add(verdict.look)
    assert {PLACES["formula"], PLACES["ruler"]} <= met
    assert place_without(question.subject, "the formula line: 4 mod 2", ()) == "4 mod 2"


def told(question: Question, answer: object) -> bool:
    return question.verdict_on(answer).says.startswith(sentence("words.from_zero"))


def test_an_answer_one_too_far_along_each_axis_is_told_that_coordinates_count_from_0() -> None:
    met, kinds = set(), ("source", "via", "dest")
    for question in (question for seed in range(4) for each in FIRST for question in questions(each, kinds, seed)):
        assert not told(question, question.truth)
        several, desc = question.kind.form.takes_several, question.subject.desc
        parts = desc.outputs if several else desc.inputs
        cells = [(k, at, parts[k].tensor.sizes) for k, at in (question.truth if several else [question.truth])]
        more = tuple((k, tuple(np.add(at, np.greater(sizes, 1)).tolist())) for k, at, sizes in cells)
        answer: object = more if several else more[0]
        is_inside = all(np.less(at, sizes).all() for (_, at), (*_, sizes) in zip(more, cells, strict=True))
        if more and is_inside and answer not in question.answers.values():
            assert told(question, answer)
            met.add(question.kind.name)
    assert met == {*kinds}


def test_who_reads_the_questions_coordinates_from_one_is_told_so() -> None:
    """Of TILE {1,1,6,9} element [0,0,4,7], read as the fifth row and eighth column counted from 1, is [0,0,3,6]."""
    question = SourceKind().make(Subject(FIRST[4]), 0, Wish(at=At.output(0, (0, 0, 4, 7))))
    assert question is not None
    assert question.truth == (0, (0, 0, 0, 1))
    assert told(question, (0, (0, 0, 1, 0)))
    assert not told(question, (0, (0, 0, 1, 1)))
