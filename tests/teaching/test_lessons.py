"""The shipped lessons: each step is asked, its answer is the truth, and its wrong rules answer otherwise."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from msgspec import UNSET

from dmlviz.session.experiments import Session
from dmlviz.session.reading import parse
from dmlviz.session.writing import dump
from dmlviz.teaching.kinds.whole_outputs import IDS
from dmlviz.teaching.lessons.lessons import CONTENT, Lesson, Step, lesson_of, shipped_lessons
from dmlviz.teaching.questions.question import told_by_reveal
from dmlviz.teaching.tasks.tasks import OTHER, AuthoredQuestion, Task, question_of

LESSONS = shipped_lessons()
STEPS = [(lesson, step) for lesson in LESSONS for step in lesson.steps]
OF_EACH = pytest.mark.parametrize(
    ("lesson", "step"), STEPS, ids=[f"{lesson.id}.{step.number}" for lesson, step in STEPS]
)
SEEDS = (0, 7)


def asked(lesson: Lesson, step: Step, seed: int = 7) -> tuple[Task, AuthoredQuestion]:
    assert step.task is not None
    return step.task, question_of(step.experiment, step.task, seed)


def test_there_are_seven_lessons_and_the_errata_each_step_with_a_task() -> None:
    assert [each.id for each in LESSONS] == ["join", "split", "reverse", "gather", "tile", "invalid", "chain", "errata"]
    assert [len(each.steps) for each in LESSONS] == [8, 9, 9, 8, 9, 9, 8, 5]
    for each in LESSONS:
        assert not each.problems
        assert (each.minutes, each.exit) == (10, 3)
        assert each.goal
        assert [step.number for step in each.steps] == list(range(1, len(each.steps) + 1))
        assert not [step.problem for step in each.steps if step.problem]
        tasks = [step.task for step in each.steps if step.task is not None]
        assert (tasks[0].phase, tasks[-1].kind, tasks[-1].phase) == ("predict", "level", "make")
        assert ("lowest" in [task.kind for task in tasks]) is (each.id == "invalid"), "levels are taught there alone"


@OF_EACH
def test_each_step_is_asked_and_its_answer_is_the_truth(lesson: Lesson, step: Step) -> None:
    for seed in SEEDS:
        task, question = asked(lesson, step, seed)
        assert question.kind.name == task.kind
        assert question.prompt == task.say
        truth = question.kind.form.json(question.truth)
        assert question.grade(truth).right
        if task.want is not UNSET and task.kind != "misprint":
            assert question.grade(task.want).right
        if task.kind == "pictures":
            assert [each.id for each in question.choices] == list(IDS)
            assert len({question.answers[rule] for rule in task.ask.rules}) == 3, "the rules that the step names"
        assert all(question.hint(n) for n in range(1, 5))


@OF_EACH
def test_its_wrong_rules_answer_otherwise_and_the_authors_words_are_said(lesson: Lesson, step: Step) -> None:
    task, question = asked(lesson, step)
    for rule, text in task.wrong.items():
        if rule == OTHER:
            continue
        assert task.kind == "level" or question.knows(rule)
        if rule not in question.answers:
            continue
        verdict = question.grade(question.kind.form.json(question.answers[rule]))
        assert not verdict.right
        assert rule in verdict.rules
        first = next(each for each in verdict.rules if each in task.wrong)
        assert verdict.rules[0] == first
        assert verdict.says == task.wrong[first]
        assert first != rule or verdict.says == text


def test_what_holders_of_rules_answer_is_what_the_design_lists() -> None:
    seen = 0
    for lesson, step in STEPS:
        task, question = asked(lesson, step)
        listed: dict[str, Any] = step.experiment.extra["task"].get("checked", {}).get("answers", {})
        for rule, answer in listed.items():
            seen += 1
            assert task.kind != "level"
            assert question.answers[rule] == question.kind.form.read(question, answer), (task.id, rule)
    assert seen == 26
    answers = asked(*STEPS[1])[1].answers
    assert len({answers[rule] for rule in ("C1", "C2", "C3")}) == 3, "JOIN's second step tells ways to count axes"


def test_a_rule_with_words_of_its_own_is_told_from_the_truth_by_a_step() -> None:
    for lesson in LESSONS:
        asked_of = [asked(lesson, step) for step in lesson.steps]
        told = {OTHER, *(rule for _, question in asked_of for rule in question.answers)}
        told |= {each["rule"] for step in lesson.steps for each in step.experiment.extra["task"].get("traps", ())}
        assert {rule for task, _ in asked_of for rule in task.wrong} <= told


def test_no_step_asks_what_the_answer_to_the_one_before_showed() -> None:
    for lesson in LESSONS:
        before: AuthoredQuestion | None = None
        for step in lesson.steps:
            task, question = asked(lesson, step, lesson.seed)
            if before is not None and task.kind != "level" and before.subject.is_small and question.subject.is_small:
                assert not told_by_reveal(before, question), task.id
            before = question if task.kind != "level" else None


def test_files_of_the_content_are_written_as_dmlviz_writes_them() -> None:
    files = sorted(CONTENT.glob("*.json"))
    assert len(files) == 9
    for file in files:
        data = file.read_bytes()
        session, errors = parse(data, file.name, None)
        assert not errors
        assert dump(session).encode() == data


def test_a_session_without_tasks_is_no_lesson_and_one_with_tasks_is() -> None:
    experiments = LESSONS[0].steps[0].experiment, LESSONS[0].steps[3].experiment
    bare = tuple(replace(each, extra={}) for each in experiments)
    assert lesson_of(Session(bare)) is None
    assert lesson_of(Session(bare, extra={"lesson": {}})) is not None
    made = lesson_of(Session(experiments, "Of my own"))
    assert made is not None
    assert (made.title, made.exit, len(made.steps)) == ("Of my own", 3, 2)
