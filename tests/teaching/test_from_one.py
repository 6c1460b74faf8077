"""Who counts coordinates from 1 is told so, on the screen, on a page and in a quiz: all of them grade alike."""

from __future__ import annotations

import numpy as np
from support.teaching import answered

from dmlviz.recording.tasks import Asked, asked_of
from dmlviz.session.examples import examples
from dmlviz.teaching.asked import text_of
from dmlviz.teaching.kinds.lib.asking import kinds
from dmlviz.teaching.questions.question import ANYTHING, At, Question, Wish
from dmlviz.teaching.questions.subject import Subject
from dmlviz.teaching.words.catalogue import sentence

TOLD = sentence("words.from_zero")
NAMES = ("gather-2", "join-2", "split-1", "tile-1", "reverse-1", "gather-1", "join-1")


def asked(name: str, kind: str, wish: Wish = ANYTHING) -> Question | None:
    shipped = next((each for key, each in examples().items() if key.startswith(name)), None)
    return None if shipped is None else kinds()[kind].make(Subject(shipped.experiments[0]), 1, wish)


def told(question: Question, answer: object) -> bool:
    """True if whoever answers so is told that coordinates count from 0."""
    return question.grade(answered(question, answer)).feedback.startswith(TOLD)


def test_an_answer_with_coordinates_that_are_one_too_many_is_told_so() -> None:
    """A cell one further along each axis that is longer than 1; where a wrong rule gives it, the rule is named."""
    seen = set()
    for name in NAMES:
        for kind in ("source", "via", "dest"):
            question = asked(name, kind)
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
    question = asked("tile-1", "source", wish=Wish(at=At.output(0, (0, 0, 4, 7))))
    assert question is not None
    assert question.truth == (0, (0, 0, 0, 1))
    assert told(question, (0, (0, 0, 1, 0)))
    assert not told(question, (0, (0, 0, 1, 1)))
