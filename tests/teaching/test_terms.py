"""Terms are told in one short sentence on the screen that is the first to have them, in each lesson and in practice."""

from __future__ import annotations

import re

import numpy as np
import pytest
from support.answering import Clock, give

from dmlviz.scene.spans import Line
from dmlviz.session.new_experiments import fresh
from dmlviz.teaching.kinds.lib.asking import kinds
from dmlviz.teaching.lessons.lessons import Lesson, shipped_lessons
from dmlviz.teaching.progress.progress import Progress
from dmlviz.teaching.questions.question import Question
from dmlviz.teaching.questions.subject import Subject
from dmlviz.teaching.words import catalogue as terms
from dmlviz.widgets.boards.answer_board import AnswerHead, board_of
from dmlviz.workspace.asking.asking import AskDesk, LessonDesk
from dmlviz.workspace.lessons.lesson import RunningLesson
from dmlviz.workspace.shown.picture import Room

MOST_WORDS = 13
"""Words of a sentence on a term: a step has sixty in all."""


def texts(lines: list[Line]) -> str:
    return " ".join("".join(span.text for span in line) for line in lines)


def read_on(asking: AskDesk) -> str:
    """All that is read of a question: its head and its board."""
    state = asking.state
    board = board_of(state, 400, 200)
    return " ".join(f"{texts([*AnswerHead(id='head').lines_of(state, 400, 1)])} {texts(board.lines)}".split())


class Reader:
    """Who reads one screen after the other, and knows the terms that were told."""

    def __init__(self) -> None:
        self.told = dict[str, tuple[Question, bool]]()

    def read(self, asking: AskDesk) -> None:
        read = read_on(asking)
        told = {term for term in terms.TERMS if term in read}
        for name in told:
            read = read.replace(name, "")
        for name in told:
            assert self.told.setdefault(name, (asking.question, asking.open))[0] is asking.question, name
        for name, pattern in terms.TERMS.items():
            assert name in self.told or not re.search(pattern, read), (name, read)

    def answer(self, asking: AskDesk) -> None:
        """Reads a question with its hints, answers it, wrongly where that can be, and reads what came of it."""
        self.read(asking)
        for _ in range(4):
            asking.hint()
            self.read(asking)
        question = asking.question
        if asking.form.how == "edit" or question.kind.name == "fixes":
            asking.skip()
        else:
            give(asking, next(iter(question.answers.values()), question.truth))
        if asking.open:  # a wrong answer that can't be given
            asking.skip()
        self.read(asking)


@pytest.mark.drawn(1)
@pytest.mark.parametrize("lesson", shipped_lessons(), ids=lambda lesson: str(lesson.id))
def test_no_screen_of_a_lesson_has_a_term_that_was_not_told(lesson: Lesson) -> None:
    progress = Progress()
    running = RunningLesson(lesson, progress.answers, number=1)
    asking = LessonDesk(running, progress, Clock())
    asking.fit(Room(76, 12))
    reader = Reader()
    for _ in range(40):
        reader.answer(asking)
        asking.answer()
        if asking.ended:
            break
    assert reader.told


def test_each_term_and_sign_is_one_short_sentence_behind_its_name() -> None:
    for said in (*terms.TERMS, *terms.SIGNS):
        assert said.count(": ") == 1, said
        assert said.endswith("."), said
        assert len(said.split()) <= MOST_WORDS or said not in terms.TERMS, said


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Is this desc valid at feature level 3_0?", ("desc", "feature level")),
        ("axes ↓ 2  → 3  read ×9", ("×2",)),
        ("rows 0–3 of 6: 1 - 2, 2_1–3_0", ()),
        ("OutputTensor[0,i,s+j] = InputTensors[k][?,i,j], where s = 0, 3 for k = 0, 1.", ("i, j", "s")),
        ("such cells are marked !. Stop!", ("!",)),
        ("memory runs along the last axis; length 2, lengths", ("length",)),
    ],
)
def test_terms_are_found_as_words(text: str, names: tuple[str, ...]) -> None:
    assert tuple(term.partition(": ")[0] for term in terms.found(text)) == names


@pytest.mark.parametrize("name", ["GATHER", "JOIN", "SPLIT", "TILE"])
def test_hints_speak_numpy_and_numpy_gives_the_outputs(name: str) -> None:
    """What the second hint calls the operator, run by NumPy on an example's values, is what the operator makes."""
    desc = fresh(f"DML_OPERATOR_{name}").desc
    subject = Subject(fresh(f"DML_OPERATOR_{name}"))
    code = subject.operator.in_numpy
    assert f"In NumPy: {code}." in kinds()["cell"].make(subject, 0).hint(2)  # type: ignore[union-attr]
    parts = zip(desc.inputs, subject.trace.values, strict=True)
    arrays = [values.array().reshape(part.tensor.sizes) for part, values in parts]
    known = {"np": np, "x": arrays[0], "InputTensors": arrays}
    known |= {field.name: desc.get(field.name) for field in desc.ATTRIBUTES}
    known |= {"idx": arrays[1].reshape(-1)} if name == "GATHER" else {}
    known |= {"sizes": [p.tensor.sizes[desc.get("Axis")] for p in desc.outputs]} if name == "SPLIT" else {}
    made = eval(code, known)
    for k, output in enumerate(made if name == "SPLIT" else [made]):
        assert np.array_equal(np.ravel(output), np.ravel(subject.trace.reference(k)))
