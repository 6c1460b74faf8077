"""What lessons do to the wrong rules that they list: each is told from the truth twice, and is dropped by the end."""

from __future__ import annotations

import random
from collections.abc import Iterator
from functools import cache
from itertools import islice

import pytest

from dmlviz.session.new_experiments import fresh
from dmlviz.teaching.diagnosis.practice import bank
from dmlviz.teaching.lessons.lessons import Lesson, Step, shipped_lessons
from dmlviz.teaching.progress.progress import Answered, now_text
from dmlviz.teaching.questions.question import Question, Reply
from dmlviz.teaching.questions.subject import Answer
from dmlviz.teaching.tasks.tasks import OTHER, AuthoredQuestion, question_of
from dmlviz.workspace.lessons.lesson import RunningLesson

NOW = 1_800_000_000.0
LESSONS = {each.id: each for each in shipped_lessons()}
SENTENCES = 2
"""How often somebody has to be told of a rule before it is dropped."""
TOLD = 2
"""How many of a lesson's steps and exit questions tell each of its rules from the truth, at least."""
LEFT_WITH = 0.9
"""What share of the questions about a rule is answered rightly after the lesson, at least."""
AFTER, LOOKED_AT = 12, 240
"""Questions about new descs after a lesson, among so many that are looked at."""
QUICK = [("join", "J1"), ("split", "S2"), ("split", "S6"), ("reverse", "C1"), ("gather", "G6"), ("gather", "G7")]
"""Rules that few descs tell; the others are tried with the slow tests."""


def listed(lesson: Lesson) -> list[str]:
    """The rules that a lesson has words for, or draws."""
    found: dict[str, None] = {}
    for step in lesson.steps:
        assert step.task is not None
        found |= dict.fromkeys(step.task.wrong) | dict.fromkeys(step.task.ask.rules)
    return [rule for rule in found if rule != OTHER]


EVERY = [(lesson.id, rule) for lesson in LESSONS.values() for rule in listed(lesson)]
OF_EACH = pytest.mark.parametrize(
    ("name", "rule"),
    [each if each in QUICK else pytest.param(*each, marks=pytest.mark.slow) for each in EVERY],
)


class Student:
    """Answers by one wrong rule until so many of its sentences were read, else rightly."""

    def __init__(self, rule: str, sentences: int | None = None) -> None:
        """`sentences` of None are never enough."""
        self.rule, self.read, self._sentences = rule, 0, sentences

    def answer(self, question: Question) -> Answer:
        if self._sentences is not None and self.read >= self._sentences:
            return question.truth
        return question.answers.get(self.rule, question.truth)

    def hears(self, verdict: Reply) -> None:
        """The sentence that is said is about the first of the rules that give the answer."""
        self.read += verdict.rules[:1] == (self.rule,)


def asked_of(step: Step, lesson: Lesson) -> AuthoredQuestion:
    assert step.task is not None
    return question_of(step.experiment, step.task, lesson.seed)


def goes_through(lesson: Lesson, student: Student) -> Iterator[tuple[Question, bool]]:
    """Every question that the lesson asks the student, and whether it is one of those at the end."""
    running = RunningLesson(lesson, [])
    for _ in range(60):
        question = running.next(NOW)
        if question is None:
            return
        yield question, running.step is None
        is_level = question.kind.name == "level"  # it is tried until it is solved
        given = question.kind.form.json(question.truth if is_level else student.answer(question))
        verdict = question.grade(given)
        student.hears(verdict)
        name, kind = question.subject.operator.name, question.kind.name
        right, rules = verdict.right, verdict.rules
        answered = Answered(
            time=now_text(NOW),
            task=running.task,
            operator=name,
            kind=kind,
            seed=question.seed,
            right=right,
            answer=given,
            rules=rules,
            on=running.on,
        )
        running.heard(question, given, answered)
    raise AssertionError(f"{lesson.id} has no end")


def after(lesson: Lesson, rule: str) -> list[Question]:
    """Questions that tell a rule: those of the lesson's steps, and about new descs of the same operators."""
    own = [question for step in lesson.steps if rule in (question := asked_of(step, lesson)).answers]
    telling = [
        each for each in looked_at(tuple(step.experiment.desc.TYPE for step in lesson.steps)) if rule in each.answers
    ]
    return [*own, *random.Random(rule).sample(telling, min(AFTER, len(telling)))]


@cache
def looked_at(kinds: tuple[str, ...]) -> list[Question]:
    """Questions about new descs of some operators."""
    return list(islice(bank([fresh(kind) for kind in dict.fromkeys(kinds)], 99), LOOKED_AT))


@pytest.mark.drawn(2)
@OF_EACH
def test_who_follows_a_rule_meets_two_questions_that_tell_it(name: str, rule: str) -> None:
    """Steps and exit questions; another question like a step's counts for nothing."""
    lesson = LESSONS[name]
    steps = sum(rule in asked_of(step, lesson).answers for step in lesson.steps)
    exits = [question for question, at_end in goes_through(lesson, Student(rule)) if at_end]
    assert len(exits) == lesson.exit
    assert steps + sum(rule in question.answers for question in exits) >= TOLD


@pytest.mark.drawn(2)
@OF_EACH
def test_who_drops_a_rule_after_two_of_its_sentences_leaves_without_it(name: str, rule: str) -> None:
    lesson, student = LESSONS[name], Student(rule, SENTENCES)
    for _ in goes_through(lesson, student):
        pass
    questions = after(lesson, rule)
    right = sum(student.answer(question) == question.truth for question in questions)
    assert questions
    assert right >= LEFT_WITH * len(questions), f"{student.read} sentences"


@pytest.mark.drawn(1)
@pytest.mark.parametrize(("name", "rule"), [("join", "J1"), ("gather", "G7")])
def test_each_question_at_the_end_tells_a_rule_that_is_still_believed(name: str, rule: str) -> None:
    exits = [question for question, at_end in goes_through(LESSONS[name], Student(rule)) if at_end]
    assert all(rule in question.answers and question.subject.moves for question in exits)


@pytest.mark.drawn(1)
@pytest.mark.parametrize(("name", "rule"), [("split", "S6"), ("reverse", "R7"), ("gather", "G6")])
def test_a_rule_that_few_descs_tell_is_asked_about_at_the_end_as_its_step_does(name: str, rule: str) -> None:
    """About another desc, and by one that the step's own was never."""
    lesson = LESSONS[name]
    first = next(question for question, at_end in goes_through(lesson, Student(rule)) if at_end)
    assert rule in first.answers
    own = [question for step in lesson.steps if rule in (question := asked_of(step, lesson)).answers]
    assert first.kind in [question.kind for question in own]
    assert first.subject.desc not in [question.subject.desc for question in own]
