"""Lessons without a screen: steps in order, wrong answers, what lessons do to wrong rules, and chains."""

from __future__ import annotations

import random
from collections.abc import Iterator
from functools import cache
from itertools import islice

import pytest
from msgspec.structs import replace
from support.answering import Clock, begun, give
from support.desks import done
from support.kinds import OF_CHAINS

from dmlviz.session.document import Document
from dmlviz.session.examples import example
from dmlviz.session.new_experiments import fresh
from dmlviz.session.wiring import fault
from dmlviz.teaching.diagnosis.practice import bank
from dmlviz.teaching.lessons.lessons import Lesson, Step, shipped_lessons, shipped_levels
from dmlviz.teaching.levels.level import best
from dmlviz.teaching.progress.progress import Answered, Progress, now_text
from dmlviz.teaching.questions.question import Question, Reply
from dmlviz.teaching.questions.subject import Answer
from dmlviz.teaching.tasks.own_tasks import own_question
from dmlviz.teaching.tasks.tasks import OTHER, Ask, AuthoredQuestion, question_of
from dmlviz.workspace.asking.asking import AskDesk, LessonDesk
from dmlviz.workspace.explorer.workspace import Workspace
from dmlviz.workspace.lessons.lesson import RunningLesson, exit_id, standing
from dmlviz.workspace.levels.level_desk import LevelDesk
from dmlviz.workspace.shown.picture import Room

LESSONS = {each.id: each for each in shipped_lessons()}


def right(asking: AskDesk) -> None:
    """The right answer to what is asked; a level is skipped."""
    if asking.form.how == "edit":
        asking.skip()
    elif asking.question.kind.name == "fixes":
        at = next(k for k, each in enumerate(asking.answering.offered) if each.mends)
        asking.answering.choose(asking.state.answer.options[at].id)
        asking.answer()
    else:
        give(asking, asking.question.truth)
    assert not asking.open, asking.state.answer.sentence


def wrong(asking: AskDesk) -> None:
    """An answer that isn't right."""
    question = asking.question
    given = next(iter(question.answers.values()))
    give(asking, given)
    assert asking.verdict is not None
    assert not asking.verdict.right


def through(asking: LessonDesk) -> list[str]:
    """Answers everything rightly to the end, and says under which ids."""
    seen = []
    while not asking.ended:
        seen.append(asking.lesson.task)
        right(asking)
        asking.answer()
        assert len(seen) < 40
    return seen


@pytest.mark.drawn(1)
@pytest.mark.parametrize("name", sorted(LESSONS))
def test_each_lesson_asks_its_steps_in_order_and_three_questions_then(name: str) -> None:
    lesson = LESSONS[name]
    progress = Progress()
    asking = begun(lesson, progress)
    assert asking.notices() == []
    seen = through(asking)
    steps = [step.task.id for step in lesson.steps if step.task is not None]
    assert len(steps) == len(lesson.steps)
    assert seen == [*steps, *[exit_id(lesson)] * 3]
    assert [each.task for each in progress.answers] == seen
    assert all(each.right or each.skipped for each in progress.answers)
    found = standing(lesson, progress.answers)
    assert found.rounds == 1


def test_a_wrong_answer_brings_another_like_it_and_a_second_one_the_next_step() -> None:
    asking = begun(LESSONS["join"])
    first = asking.question
    wrong(asking)
    assert asking.state.next == "another like it"
    assert asking.state.in_picture, "the picture is shown"
    asking.answer()
    assert asking.question.kind is first.kind
    assert asking.question.truth != first.truth or asking.experiment.desc != first.subject.desc
    assert asking.state.lesson is not None
    assert asking.state.lesson.at == 1
    wrong(asking)
    assert asking.state.next == "on, to question 2"
    asking.answer()
    assert asking.state.lesson.at == 2
    assert asking.state.lesson.marks[:2] == ("missed", "")


@pytest.mark.drawn(3)
@pytest.mark.parametrize("after", range(12))
def test_it_goes_on_where_the_answers_end(after: int) -> None:
    """Killed after any answer, a wrong one too, it asks what would have come next."""
    lesson, progress = LESSONS["split"], Progress()
    asking = begun(lesson, progress)
    for k in range(after):
        (wrong if k in (1, 4) and asking.form.how != "edit" and asking.question.answers else right)(asking)
        asking.answer()
    kept = Progress()
    kept.answers = list(progress.answers)
    again = begun(lesson, kept)
    assert again.lesson is not None
    assert asking.lesson is not None
    assert again.lesson.task == asking.lesson.task
    assert again.state.lesson is not None
    assert asking.state.lesson is not None
    assert again.state.lesson.marks == asking.state.lesson.marks


def test_a_level_that_is_solved_on_the_map_is_solved_in_its_lesson_and_nowhere_else() -> None:
    level = next(each for each in shipped_levels() if each.id == "L12")
    work = LevelDesk(level, progress := Progress(), Clock())
    work.type_in_field("Axis", "1")
    for lesson, marks in ((LESSONS["join"], ["right"]), (replace(LESSONS["join"], name="mine"), [""])):
        assert [*standing(lesson, progress.answers).marks[-1:]] == marks
    assert best(level, progress.answers) is not None
    assert best(level, [replace(each, lesson="mine") for each in progress.answers]) is None


def test_a_step_with_a_problem_is_left_out_and_said_once() -> None:
    lesson = LESSONS["join"]
    steps = list(lesson.steps)
    steps[0] = replace(steps[0], task=None, problem="task.ask.kind is missing.")
    held = lesson.steps[3].task
    assert held is not None
    steps[3] = replace(steps[3], task=replace(held, ask=Ask(kind=held.kind, at=(9, 9, 9, 9))))
    asking = begun(replace(lesson, steps=tuple(steps)))
    first, fourth = asking.notices()
    assert first == "Question 1 is left out: task.ask.kind is missing."
    assert fourth.startswith("Question 4 is left out: ")
    assert asking.notices() == []
    assert asking.state.lesson is not None
    assert asking.state.lesson.at == 2
    for _ in range(2):
        right(asking)
        asking.answer()
    assert asking.state.lesson.at == 5
    through(asking)


def test_what_an_author_hides_is_hidden_until_the_answer() -> None:
    asking = begun(LESSONS["invalid"])
    while asking.question.kind.name != "lowest":
        right(asking)
        asking.answer()
    level = str(asking.experiment.feature_level)
    shown = {each.path: each.text for each in asking.state.fields}
    assert shown.get("FeatureLevel") == "?"
    asking.skip()
    shown = {each.path: each.text for each in asking.state.fields}
    assert shown.get("FeatureLevel", level) == level


NOW = 1_800_000_000.0
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


@cache
def walk_of(name: str, rule: str) -> list[tuple[Question, bool]]:
    """What a lesson asks whoever follows a rule to its end."""
    return [*goes_through(LESSONS[name], Student(rule))]


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


@pytest.mark.drawn(1)
@OF_EACH
def test_who_follows_a_rule_meets_two_questions_that_tell_it(name: str, rule: str) -> None:
    """Steps and exit questions; another question like a step's counts for nothing."""
    lesson = LESSONS[name]
    steps = sum(rule in asked_of(step, lesson).answers for step in lesson.steps)
    exits = [question for question, at_end in walk_of(name, rule) if at_end]
    assert len(exits) == lesson.exit
    assert steps + sum(rule in question.answers for question in exits) >= TOLD


@pytest.mark.drawn(1)
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
    exits = [question for question, at_end in walk_of(name, rule) if at_end]
    assert all(rule in question.answers and question.subject.moves for question in exits)


@pytest.mark.drawn(1)
@pytest.mark.parametrize(("name", "rule"), [("split", "S6"), ("reverse", "R7"), ("gather", "G6")])
def test_a_rule_that_few_descs_tell_is_asked_about_at_the_end_as_its_step_does(name: str, rule: str) -> None:
    """About another desc, and by one that the step's own was never."""
    lesson = LESSONS[name]
    first = next(question for question, at_end in walk_of(name, rule) if at_end)
    assert rule in first.answers
    own = [question for step in lesson.steps if rule in (question := asked_of(step, lesson)).answers]
    assert first.kind in [question.kind for question in own]
    assert first.subject.desc not in [question.subject.desc for question in own]


LESSON = next(lesson for lesson in shipped_lessons() if lesson.id == "chain")


def test_a_steps_chain_is_explored_with_all_that_it_reads_and_once() -> None:
    workspace = Workspace(Document(example("gather-2").session()))
    twice = LESSON.steps[2].experiment
    state = done(workspace, workspace.look_at_experiment, twice)
    assert [one.name for one in workspace.document.session.experiments] == ["row gather", "halves", "swapped", "twice"]
    assert state.document.experiment.name == "twice"
    assert not fault(state.document.experiment)
    assert state.document.experiment.extra == {}
    workspace.look_at_experiment(twice)
    assert len(workspace.document.session.experiments) == 4


def test_an_examples_end_is_covered_however_it_is_come_back_to_until_all_was_shown() -> None:
    document = Document(example("chain-rotate-half").session())
    document.example = "chain-rotate-half"
    workspace = Workspace(document)
    own = own_question(document.session.experiments[-1])
    assert own is not None
    assert own.kind.name in OF_CHAINS
    assert not workspace.picture.is_covered

    def go(*ways: int) -> None:
        for by in ways:
            workspace.step_stage(by)
            workspace.fit(Room(width=70, height=20))

    go(1, 1)
    assert workspace.picture.cursor is not None  # carried, so that it is not looked at as it was opened
    go(-1, 1)
    assert document.number == 2
    assert workspace.picture.is_covered
    workspace.picture.show_whole()
    go(-1, 1)
    assert not workspace.picture.is_covered
