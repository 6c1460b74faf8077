"""A lesson without a screen: its steps in order, wrong answers, what is left out, and where it goes on."""

from __future__ import annotations

import pytest
from msgspec.structs import replace
from support.answering import Clock, asked_steps, begun, give
from support.kinds import AUTHORED, OF_CHAINS
from support.lesson_play import true_options

from dmlviz.errors import DmlvizError
from dmlviz.teaching.lessons.lessons import Lesson, shipped_lessons, shipped_levels
from dmlviz.teaching.levels.level import best
from dmlviz.teaching.progress.progress import Progress
from dmlviz.teaching.tasks.tasks import Ask
from dmlviz.workspace.asking.asking import AskDesk, LessonDesk
from dmlviz.workspace.lessons.lesson import RunningLesson, exit_id, standing
from dmlviz.workspace.levels.level_desk import LevelDesk

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


@pytest.mark.drawn(2)
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


def at_step(lesson: Lesson, number: int, progress: Progress | None = None) -> AskDesk:
    """A lesson at one of its steps, all before which were answered rightly."""
    asking = begun(lesson, progress)
    while asking.lesson is not None and asking.lesson.step is not None and asking.lesson.step.number < number:
        right(asking)
        asking.answer()
    return asking


def words_of(lesson: Lesson, number: int) -> list[str]:
    """All that an author says of a step, but for terms and numbers, which everybody says."""
    task = lesson.steps[number - 1].task
    assert task is not None
    texts = (task.say, task.look, task.then, *task.wrong.values(), *task.hints)
    return [text.rstrip(".") for text in texts if text is not None and len(text) > 20]


STEPS = [
    (lesson.id, step.number)
    for lesson, step, question in asked_steps()
    if question.task.kind not in (*AUTHORED, *OF_CHAINS)
]


@pytest.mark.drawn(6)
@pytest.mark.parametrize(("name", "number"), STEPS)
def test_what_follows_a_wrong_answer_is_about_its_rule_and_has_none_of_the_authors_words(
    name: str, number: int
) -> None:
    lesson = LESSONS[name]
    asking = at_step(lesson, number)
    own = asking.question
    if not own.answers:
        return
    wrong(asking)
    (rule, *_) = asking.state.verdict.rules if asking.state.verdict is not None else ()
    for act in (asking.answer, asking.another):
        act()
        assert asking.open
        assert rule in asking.question.answers
        assert asking.experiment.desc != own.subject.desc
        shown = [asking.question.prompt, *map(asking.question.hint, (1, 2, 3, 4))]
        give(asking, asking.question.answers[rule])
        shown += [*asking.state.sentences]
        assert not [word for word in words_of(lesson, number) if any(word in text for text in shown)]


@pytest.mark.parametrize("first", [10, 20])
def test_who_goes_on_finds_the_same_follow_up_and_another_student_another(first: int) -> None:
    lesson = LESSONS["gather"]
    descs = set()
    for start in (first, first + 1000, first + 2000):
        progress = Progress()
        clock = Clock()
        clock.now += start
        running = RunningLesson(lesson, progress.answers)
        asking = LessonDesk(running, progress, clock)
        wrong(asking)
        asking.answer()
        again = begun(lesson, progress)
        assert again.experiment.desc == asking.experiment.desc
        descs.add(repr(asking.experiment.desc))
    assert len(descs) > 1


@pytest.mark.drawn(1)
@pytest.mark.parametrize("kind", ["misprint", "fixes"])
def test_where_no_question_is_like_it_a_sentence_says_so_and_the_lesson_goes_on(kind: str) -> None:
    lesson, number = next(
        (lesson, step.number)
        for lesson in LESSONS.values()
        for step in lesson.steps
        if step.task is not None and step.task.kind == kind
    )
    progress = Progress()
    asking = at_step(lesson, number, progress)
    asking.answering.choose(
        next(each.id for each in asking.state.answer.options if each.id not in true_options(asking))
    )
    asking.answer()
    state = asking.state
    unlike = asking.subject.sentence("another.none")
    assert unlike in state.sentences
    assert state.next != "another like it"
    asking.another()
    assert asking.state.sentences.count(unlike) == 1
    asking.answer()
    assert asking.state.lesson is not None
    assert asking.state.lesson.at == number + 1
    assert begun(lesson, progress).state.lesson == asking.state.lesson


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


def test_answers_name_their_lesson_and_another_lessons_count_for_nothing() -> None:
    progress = Progress()
    lesson = replace(LESSONS["gather"], name="mine")
    right(begun(lesson, progress))
    (answer,) = progress.answers
    assert answer.lesson == "mine"
    assert standing(lesson, [answer]).done == 1
    assert standing(lesson, [replace(answer, lesson="")]).done == 1, "as it was kept before lessons had names"
    assert standing(lesson, [replace(answer, lesson="another")]).done == 0


def test_a_level_that_is_solved_on_the_map_is_solved_in_its_lesson_and_nowhere_else() -> None:
    level = next(each for each in shipped_levels() if each.id == "L12")
    work = LevelDesk(level, progress := Progress(), Clock())
    work.type_in_field("Axis", "1")
    for lesson, marks in ((LESSONS["join"], ["right"]), (replace(LESSONS["join"], name="mine"), [""])):
        assert [*standing(lesson, progress.answers).marks[-1:]] == marks
    assert best(level, progress.answers) is not None
    assert best(level, [replace(each, lesson="mine") for each in progress.answers]) is None


def test_a_lesson_all_of_whose_steps_are_left_out_asks_nothing_at_the_end() -> None:
    lesson = LESSONS["join"]
    steps = tuple(replace(each, task=None, problem="task.ask.kind is missing.") for each in lesson.steps)
    with pytest.raises(DmlvizError, match="has no question that can be asked"):
        begun(replace(lesson, steps=steps))


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
