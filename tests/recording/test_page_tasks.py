"""Tasks on a page: which are asked, and that each answer's verdict is that of Python."""

from __future__ import annotations

import pytest
from support.recorded_pages import data_of, experiments

from dmlviz.recording.html_page import html_page
from dmlviz.recording.tasks import FORMS, WITH_FORM, Asked, Unasked, asked_of, key_of, tasks_of
from dmlviz.session.examples import all_examples
from dmlviz.session.experiments import Session
from dmlviz.session.reading import load
from dmlviz.teaching.asking import kinds, questions
from dmlviz.teaching.lessons import CONTENT, LESSONS, lesson_of
from dmlviz.teaching.question import Question

FIRST = [each.session().experiments[0] for each in all_examples()]


def test_every_kind_is_asked_or_needs_the_form() -> None:
    assert {*FORMS, *WITH_FORM} == set(kinds())


@pytest.mark.parametrize("experiment", FIRST, ids=[each.name for each in all_examples()])
def test_every_answer_that_is_known_is_graded_as_python_grades_it(experiment: object) -> None:
    for question in questions(experiment, None, 3):  # type: ignore[arg-type]
        task = asked_of(question)
        if question.kind.name in WITH_FORM:
            assert isinstance(task, Unasked)
            continue
        assert isinstance(task, Asked)
        hold(question, task)


def hold(question: Question, task: Asked) -> None:
    assert task.verdicts[task.truth].right
    assert [key for key, said in task.verdicts.items() if said.right] == [task.truth]
    for answer in (question.truth, *question.answers.values()):
        found, said = question.grade(question.kind.json(answer)), task.verdicts[key_of(question, answer)]
        assert (said.right, said.feedback, said.look) == (found.right, found.feedback, found.look)
    assert not task.other.right
    assert not any(each.right for each in task.firsts)
    if task.form == "choice":
        assert {option.key for option in task.options} <= set(task.verdicts)


@pytest.mark.parametrize("name", LESSONS)
def test_the_tasks_of_a_lesson_stand_in_its_page(name: str) -> None:
    session = load(CONTENT / f"lesson-{name}.json")
    lesson = lesson_of(session, name)
    assert lesson is not None
    asked = tasks_of(session)
    for step, task, section in zip(lesson.steps, asked, experiments(html_page(session)), strict=True):
        if isinstance(task, Asked):
            assert section.all("legend")[0].text == task.prompt
            assert data_of(section)["task"]["truth"] == task.truth
        elif isinstance(task, Unasked) and task.question is not None:
            assert section.all("legend")[0].text == task.prompt
            assert data_of(section)["task"]["form"] == "none"
        else:
            assert "task" not in data_of(section)
            assert (task is None) == (step.task is None and not step.problem)


def test_a_session_without_tasks_asks_nothing() -> None:
    assert tasks_of(Session(tuple(FIRST[:3]))) == [None] * 3
