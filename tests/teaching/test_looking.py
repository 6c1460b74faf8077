"""What an answer is told: where to look, by no key or panel of the explorer, and that coordinates count from 0."""

from __future__ import annotations

import itertools
import re
from functools import cache

import numpy as np
from support.teaching import answered

from dmlviz.recording.tasks import Asked, asked_of
from dmlviz.session.examples import all_examples, examples
from dmlviz.teaching.asked import text_of
from dmlviz.teaching.kinds.lib.asking import kinds, questions
from dmlviz.teaching.questions.question import ANYTHING, At, Question, Wish
from dmlviz.teaching.questions.subject import Subject
from dmlviz.teaching.questions.wording import names_memory, without_keys
from dmlviz.teaching.words.catalogue import sentence

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


# ---- who counts coordinates from 1

TOLD = sentence("words.from_zero")
COUNTED = ("gather-2", "join-2", "split-1", "tile-1", "reverse-1", "gather-1", "join-1")


def example(name: str, kind: str, seed: int = 0, wish: Wish = ANYTHING) -> Question | None:
    shipped = next((each for key, each in examples().items() if key.startswith(name)), None)
    return None if shipped is None else kinds()[kind].make(Subject(shipped.experiments[0]), seed, wish)


def told(question: Question, answer: object) -> bool:
    """True if whoever answers so is told that coordinates count from 0."""
    return question.grade(answered(question, answer)).says.startswith(TOLD)


def test_an_answer_with_coordinates_that_are_one_too_many_is_told_so() -> None:
    """A cell one further along each axis that is longer than 1; where a wrong rule gives it, the rule is named."""
    seen = set()
    for name, seed in itertools.product(COUNTED, range(3)):
        for kind in ("source", "via", "dest"):
            question = example(name, kind, seed)
            if question is None or question.truth == ():
                continue
            cells = question.truth if kind == "dest" else (question.truth,)
            parts = question.subject.desc.outputs if kind == "dest" else question.subject.desc.inputs
            sizes = [parts[k].tensor.sizes for k, _ in cells]
            more = tuple(
                (k, tuple(np.add(at, np.greater(n, 1)).tolist())) for (k, at), n in zip(cells, sizes, strict=True)
            )
            inside = all(np.less(at, n).all() for (_, at), n in zip(more, sizes, strict=True))
            answer = more if kind == "dest" else more[0]
            if inside and answer not in question.answers.values():
                assert told(question, answer), (name, kind)
                page = asked_of(question)
                assert isinstance(page, Asked)
                assert page.verdicts[text_of(question, answer)].says.startswith(TOLD)
                seen.add(kind)
            assert not told(question, question.truth)
    assert seen == {"source", "dest", "via"}


def test_who_reads_the_questions_coordinates_from_one_is_told_so() -> None:
    """Of TILE {1,1,6,9} element [0,0,4,7], read as the fifth row and eighth column counted from 1, is [0,0,3,6]."""
    question = example("tile-1", "source", wish=Wish(at=At.output(0, (0, 0, 4, 7))))
    assert question is not None
    assert question.truth == (0, (0, 0, 0, 1))
    assert told(question, (0, (0, 0, 1, 0)))
    assert not told(question, (0, (0, 0, 1, 1)))
