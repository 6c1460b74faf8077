"""Follow-ups: about the wrong rule that was named, near the desc just seen, and unlike all that was asked."""

from __future__ import annotations

from functools import cache

import pytest
from msgspec.structs import replace
from support.answering import Clock, asked_steps
from support.kinds import AUTHORED, OF_CHAINS

import dmlviz as dml
from dmlviz.session.examples import examples
from dmlviz.session.experiments import Experiment
from dmlviz.teaching.diagnosis.practice import follow_up
from dmlviz.teaching.kinds.lib.asking import kinds
from dmlviz.teaching.lessons.lessons import shipped_lessons
from dmlviz.teaching.progress.progress import Progress
from dmlviz.teaching.questions.question import Question
from dmlviz.teaching.questions.subject import Subject
from dmlviz.teaching.tasks.tasks import AuthoredQuestion
from dmlviz.widgets.boards.answer_board import board_of
from dmlviz.workspace.asking.asking import AskDesk

LESSONS = [lesson.id for lesson in shipped_lessons()]
STUDENTS, UNLIKE = 12, 4
"""Of so many students so many see other sizes, numbers or indices, at least: few descs tell some rules."""
LINES = 13
"""Of 24 lines those that a question may have while it is open."""


Case = tuple[AuthoredQuestion, str]
"""A step's question, and a rule that answers it wrongly; "" where none does."""


@cache
def cases() -> dict[str, list[Case]]:
    """Every step of every lesson that a kind can ask again, with every wrong rule that it tells."""
    found: dict[str, list[Case]] = {id_: [] for id_ in LESSONS}
    for lesson, _, question in asked_steps():
        if question.task.kind not in (*AUTHORED, *OF_CHAINS):
            found[lesson.id] += [(question, rule) for rule in question.answers or ("",)]
    return found


def chain(case: Case, seed: int, count: int) -> list[Question]:
    """So many follow-ups, one after the other; fewer where there are no more."""
    asked: list[Question] = [case[0]]
    while len(asked) <= count and (question := follow_up(asked[-1], case[1], seed=seed, before=asked[:-1])) is not None:
        asked.append(question)
    return asked[1:]


def counts(question: Question) -> tuple[int, int]:
    """Axes of the first tensor, and elements of all."""
    tensors = [part.tensor for part in question.subject.desc.parts]
    return tensors[0].dimension_count, sum(tensor.element_count for tensor in tensors)


@pytest.mark.drawn(1)
@pytest.mark.parametrize("lesson", LESSONS)
def test_each_follow_up_tells_its_rule_and_is_unlike_all_before_it(lesson: str) -> None:
    for number, (own, rule) in enumerate(cases()[lesson]):
        asked = chain((own, rule), seed=number, count=2)
        assert asked, (own.task.id, rule)
        assert len({str(each.subject.desc) for each in (own, *asked)}) == len(asked) + 1
        axes, elements = counts(own)
        for question in asked:
            assert question.kind is own.kind
            assert not rule or question.answers.get(rule, question.truth) != question.truth, (own.task.id, rule)
            assert not isinstance(question, AuthoredQuestion), "it has an author's words"
            assert counts(question)[0] == axes
            assert elements / 5 <= counts(question)[1] <= 4 * elements
            assert question.subject.moves


@pytest.mark.drawn(1)
@pytest.mark.parametrize("lesson", LESSONS)
def test_students_see_different_follow_ups_and_the_same_student_the_same(lesson: str) -> None:
    case = cases()[lesson][0]
    seen = [chain(case, seed, 1)[0].subject for seed in (*range(STUDENTS), 0)]
    told = [(str(one.desc), *map(str, one.experiment.values.items())) for one in seen]
    assert len({*told}) >= UNLIKE
    assert told[0] == told[-1]


def test_an_answer_that_no_rule_gives_is_followed_by_what_is_believed_else_by_any_rule() -> None:
    own = next(own for every in cases().values() for own, _ in every if len(own.answers) > 1)
    for rule in own.answers:
        question = follow_up(own, believed=["C99", rule])
        assert question is not None
        assert rule in question.answers
    question = follow_up(own)
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
    question = next(own for own, rule in cases()["tile"] if rule == "T4")
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
