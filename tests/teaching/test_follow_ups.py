"""Follow-ups: about the wrong rule that was named, near the desc just seen, and unlike all that was asked."""

from __future__ import annotations

import pytest
from msgspec.structs import replace
from support.answering import Clock, asked_steps
from support.effort import FULL
from support.follow_ups import Case, cases, chain, faults
from support.kinds import AUTHORED

import dmlviz as dml
from dmlviz.session.examples import examples
from dmlviz.session.experiments import Experiment
from dmlviz.teaching.diagnosis.practice import follow_up
from dmlviz.teaching.kinds.lib.asking import kinds
from dmlviz.teaching.lessons.lessons import shipped_lessons
from dmlviz.teaching.progress.progress import Progress
from dmlviz.teaching.questions.subject import Subject
from dmlviz.widgets.boards.answer_board import board_of
from dmlviz.workspace.asking.asking import AskDesk

LESSONS = [lesson.id for lesson in shipped_lessons()]
STUDENTS, UNLIKE = 12, 4
"""Of so many students so many see other sizes, numbers or indices, at least: few descs tell some rules."""
LINES = 13
"""Of 24 lines those that a question may have while it is open."""


def cases_of(lesson: str) -> list[Case]:
    return [case for case in cases() if case.name.split()[0] == lesson]


@pytest.mark.drawn(1)
@pytest.mark.parametrize("lesson", LESSONS)
def test_each_follow_up_tells_its_rule_and_is_unlike_all_before_it(lesson: str) -> None:
    for number, case in enumerate(cases_of(lesson)):
        asked = chain(case, seed=number, count=2)
        assert asked, case.name
        for k, question in enumerate(asked):
            assert not list(faults(case, [case.question, *asked[:k]], question)), case.name


@pytest.mark.drawn(1)
@pytest.mark.parametrize("lesson", LESSONS)
def test_students_see_different_follow_ups(lesson: str) -> None:
    case = cases_of(lesson)[0]
    seen = [chain(case, seed, 1)[0].subject for seed in range(STUDENTS)]
    assert len({(str(one.desc), *map(str, one.experiment.values.items())) for one in seen}) >= UNLIKE, case.name


def test_the_same_answer_of_the_same_student_leads_to_the_same_follow_up() -> None:
    for case in cases()[:: len(cases()) // (20 if FULL else 3)]:
        assert [q.subject.desc for q in chain(case, 5, 1)] == [q.subject.desc for q in chain(case, 5, 1)]


def test_an_answer_that_no_rule_gives_is_followed_by_what_is_believed_else_by_any_rule() -> None:
    case = next(case for case in cases() if len(case.question.answers) > 1)
    for rule in case.question.answers:
        question = follow_up(case.question, believed=["C99", rule])
        assert question is not None
        assert rule in question.answers
    question = follow_up(case.question)
    assert question is not None
    assert question.answers


def test_what_only_an_author_asks_has_no_follow_up() -> None:
    for _, _, question in asked_steps():
        if question.task.kind in AUTHORED:
            assert not any(follow_up(question, rule) for rule in ("", *question.answers))


def test_no_desc_is_like_one_without_tensors() -> None:
    desc = dml.Join((dml.TensorDesc("FLOAT32", (2, 3)),) * 2, 1).replace({"InputTensors": [], "OutputTensor": None})
    question = kinds()["valid"].make(Subject(Experiment("none", desc)), 0)
    assert question is not None
    assert follow_up(question) is None


def test_a_rule_that_a_kind_never_tells_has_no_follow_up() -> None:
    """Who turns elements round says the right sizes of every desc."""
    question = next(case.question for case in cases() if case.name.startswith("tile") and case.rule == "T4")
    assert question.kind.name == "sizes"
    assert follow_up(question, "T1") is None


@pytest.mark.parametrize("kind", ["sizes", "cell", "fill", "source"])
def test_what_follows_a_large_desc_is_seen_at_a_glance(kind: str) -> None:
    large = dml.Join((dml.TensorDesc("FLOAT32", (300, 700)), dml.TensorDesc("FLOAT32", (300, 9))), 1)
    question = kinds()[kind].make(Subject(Experiment("large", large)), 0)
    assert question is not None
    follow = follow_up(replace(question, seed=3))
    assert follow is not None
    rank = len(question.subject.desc.outputs[0].tensor.sizes)
    assert all(len(part.tensor.sizes) == rank and part.tensor.element_count <= 24 for part in follow.subject.desc.parts)


@pytest.mark.parametrize(
    ("example", "experiment", "rule", "seed"),
    [("chain-transpose", "columns", "C4", 1), ("gather-5", "rows by nested indices", "G3", 1)],
)
def test_pictures_that_follow_are_seen_whole_at_80x24(example: str, experiment: str, rule: str, seed: int) -> None:
    """Of SPLIT into five outputs, and of three axes with rows of their own, the last were below the edge."""
    (one,) = (each for each in examples()[example].experiments if each.name == experiment)
    question = kinds()["pictures"].make(Subject(one), 0)
    assert question is not None
    follow = follow_up(question, rule, seed=seed)
    assert follow is not None
    desk = AskDesk(follow.subject.experiment, Progress(), Clock(), own=follow)
    assert board_of(desk.state, 80, LINES).whole
