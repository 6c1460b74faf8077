"""What an answer is told: where to look, by no key or panel of the explorer."""

from __future__ import annotations

import re
from functools import cache

from dmlviz.session.examples import all_examples
from dmlviz.teaching.kinds.lib.asking import questions
from dmlviz.teaching.questions.question import Question
from dmlviz.teaching.questions.subject import Subject
from dmlviz.teaching.questions.wording import names_memory, without_keys

NAMES = ("gather-2", "join-2-axis-3", "tile-1", "split-1", "reverse-1", "rule-axis-range")
FIRST = [each.session().experiments[0] for each in all_examples() if each.name in NAMES]
KEYS = re.compile(r"^[a-z], |; s ")


@cache
def asked() -> list[Question]:
    return [question for experiment in FIRST for question in questions(Subject(experiment), None, 3)]


def test_no_place_without_keys_names_one() -> None:
    """After the answer of every wrong rule, and in every hint."""
    met = set()
    for question in asked():
        assert not any(KEYS.search(question.hint(number)) for number in (1, 2, 3))
        for answer in question.answers.values():
            verdict = question.verdict_on(answer)
            look = without_keys(question.subject, verdict.look)
            assert not KEYS.search(look)
            assert len(look) >= len(verdict.look) - 4
            assert not look.endswith(".")
            met.add((KEYS.search(verdict.look) is not None, names_memory(verdict.look), look == verdict.look))
    assert met >= {(True, True, False), (True, False, False), (False, False, True), (False, False, False)}


def test_a_rule_stands_with_its_sentence() -> None:
    subject = next(question for question in asked() if question.kind.name == "cell").subject
    assert without_keys(subject, "rule axis.range").startswith("rule axis.range: ")
    for said in ("an author's words on a.b.c", "the formula line"):
        assert without_keys(subject, said) == said
