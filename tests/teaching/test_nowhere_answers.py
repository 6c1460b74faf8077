"""Elements that come from no input: what is asked of them, and how an answer says so."""

from __future__ import annotations

import json
from typing import Any

import pytest
from support.answering import asking, give
from support.teaching import subject_of

import dmlviz as dml
from dmlviz.cli.quiz_text import form_line
from dmlviz.errors import DmlvizError
from dmlviz.recording.tasks import Asked, asked_of
from dmlviz.session.experiments import Experiment
from dmlviz.teaching.asked import json_of
from dmlviz.teaching.kinds.lib.asking import kinds
from dmlviz.teaching.questions.answers import FROM_NOWHERE
from dmlviz.teaching.questions.question import At, Question, Wish
from dmlviz.teaching.questions.question_json import question_json, verdict_json
from dmlviz.teaching.questions.wording import element_text
from dmlviz.workspace.asking.answering import NONE
from dmlviz.workspace.wall.presented_item import in_few_words

BORDER, INSIDE = At.output(0, (0, 3)), At.output(0, (2, 4))


def frame() -> Any:
    """2 by 3 elements, with 7 around them: one row above and below, two columns on either side."""
    return dml.Padding(dml.TensorDesc("FLOAT32", (2, 3)), "CONSTANT", 7, (1, 2), (1, 2))


def asked(kind: Any, at: At | None = None, desc: Any = None) -> Question:
    question = kind.make(subject_of(desc or frame()), 0, Wish(at=at))
    assert question is not None
    found: Question = question
    return found


def test_what_comes_from_nowhere_is_answered_by_a_word() -> None:
    question = asked(kinds()["source"], BORDER)
    assert question.truth == FROM_NOWHERE
    right = question.grade("nowhere")
    assert right.right
    assert right.feedback == "OutputTensor[0,3] = PaddingValue, where InputTensor[-1,1] is outside {2, 3}."
    assert verdict_json(question, right)["answer"] == "nowhere"
    json.dumps(question_json(question))
    wrong = question.grade({"tensor": 0, "index": [0, 0]})
    assert not wrong.right
    assert question.hint(4) == "nowhere: PaddingValue stands there"


def test_nowhere_is_wrong_of_an_element_that_has_a_source() -> None:
    question = asked(kinds()["source"], INSIDE)
    assert not question.grade("nowhere").right
    assert question.grade({"tensor": 0, "index": [1, 2]}).right


@pytest.mark.parametrize("kind", [kinds()["source"], kinds()["cell"]])
def test_hints_before_the_last_tell_of_no_element_whether_it_has_a_source(kind: Any) -> None:
    told = {}
    for at in (BORDER, INSIDE):
        question = asked(kind, at)
        hints = " ".join(question.hint(number) for number in (1, 2, 3))
        told[at] = hints.replace(element_text(question.subject, at), "")
    assert told[BORDER] == told[INSIDE]


def test_who_said_nowhere_is_told_the_element_and_by_which_rules_it_would_have_none() -> None:
    boards = (asking(Experiment("it", frame()), "source", seed=seed) for seed in range(20))
    board = next(each for each in boards if each.question.truth != FROM_NOWHERE)
    state = give(board, FROM_NOWHERE)
    assert state.feedback.verdict is not None
    assert all(board.question.answers[rule] == FROM_NOWHERE for rule in state.feedback.verdict.rules)
    lines = state.feedback.sentences
    assert lines[-1].startswith("You said nowhere, but it is InputTensor[")
    assert lines[0].startswith("It would come from nowhere by “") == bool(state.feedback.verdict.rules)


def test_an_operator_without_constants_takes_no_such_word() -> None:
    question = asked(kinds()["source"], None, dml.Tile(dml.TensorDesc("FLOAT32", (2, 3)), (1, 2)))
    with pytest.raises(DmlvizError, match="expected an object such as"):
        question.grade("nowhere")
    assert "nowhere" not in form_line(question) + question.prompt


def test_quiz_takes_it_in_words() -> None:
    question = asked(kinds()["source"], BORDER)
    assert "nowhere" in form_line(question)
    for text in ("nowhere", "Nowhere", "none"):
        assert question.grade(json_of(question, text)).right
    assert json_of(question, "1 2") == {"tensor": 0, "index": [1, 2]}
    assert in_few_words(question, question.truth) == "nowhere"


def test_its_value_is_the_constant_and_no_copy_of_memory() -> None:
    verdict = asked(kinds()["cell"], BORDER).grade(7)
    assert verdict.right
    assert verdict.feedback.endswith("PaddingValue = 7, where InputTensor[-1,1] is outside {2, 3}.")
    runs = asked(kinds()["runs"])
    assert runs.truth == 2, "each row of the input is one"
    assert runs.prompt.endswith("What holds PaddingValue is not copied.")


def test_a_key_of_the_screen_answers_it() -> None:
    board = asking(Experiment("it", frame()), "source")
    none = board.state.entry.none
    assert none is not None
    assert [none.text, *(board.choose(NONE).entry.pointed for _ in range(2))] == ["nowhere", "nowhere", "?"]
    verdict = give(board, board.question.truth).feedback.verdict
    assert verdict is not None
    assert verdict.right
    plain = asking(Experiment("it", dml.Tile(dml.TensorDesc("FLOAT32", (2, 3)), (1, 2))), "source")
    assert plain.state.entry.none is None


def test_a_page_grades_it_as_nothing_marked() -> None:
    for at, is_right in ((BORDER, True), (INSIDE, False)):
        task = asked_of(asked(kinds()["source"], at))
        assert isinstance(task, Asked)
        assert task.none is not None
        assert (task.truth == "", task.none.right) == (is_right, is_right)
