"""Nothing on the screen that asks, or on the one before it, holds the answer; and what is looked up counts as that."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace
from support.answering import Clock, asking, begun, give
from support.telltale import Walk, asked_of, seen_in

from dmlviz.scene.elements.cursor import Cursor
from dmlviz.scene.elements.known import EVERYTHING
from dmlviz.session import examples
from dmlviz.session.document import Document
from dmlviz.teaching.lessons.lessons import shipped_lessons
from dmlviz.teaching.progress.progress import Progress, parse
from dmlviz.teaching.questions.question import told_by_reveal
from dmlviz.teaching.tasks.own_tasks import own_question
from dmlviz.workspace.asking.asking import AskDesk
from dmlviz.workspace.explorer.workspace import Workspace
from dmlviz.workspace.lessons.lesson import has_tested_out, lesson_end
from dmlviz.workspace.shown.picture import Room

LESSONS = {lesson.id: lesson for lesson in shipped_lessons()}


def experiment(name: str, number: int = 0) -> Any:
    return examples.example(name).session().experiments[number]


@pytest.mark.drawn(1)
@pytest.mark.parametrize("name", [*LESSONS])
def test_no_step_shows_what_it_asks(name: str) -> None:
    walk = Walk()
    walk.lesson(LESSONS[name])
    assert walk.faults == []
    assert walk.asked >= len(LESSONS[name].steps) - 1


def test_a_screen_that_hides_nothing_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dmlviz.workspace.asking.asked_desc.NOTHING", EVERYTHING)
    walk = Walk()
    walk.lesson(LESSONS["gather"])
    assert any(" now:" in fault for fault in walk.faults)


@pytest.mark.parametrize("name", ["tile-1", "join-2-axis-3", "gather-1", "reverse-1", "rule-sizes-equal"])
def test_an_example_shows_nothing_of_what_it_asks(name: str) -> None:
    walk = Walk()
    walk.example(name, experiment(name))
    assert walk.faults == []
    assert walk.reveals > 0


def opened(name: str) -> Workspace:
    document = Document(examples.example(name).session())
    document.example = name
    workspace = Workspace(document)
    workspace.fit(Room(100, 24))
    return workspace


@pytest.mark.parametrize("name", ["tile-1", "join-2-axis-3"])
def test_the_explorer_covers_what_an_example_asks_until_it_is_answered_or_looked_at(name: str) -> None:
    question = own_question(experiment(name))
    assert question is not None
    asked = asked_of(question)
    workspace = opened(name)
    assert workspace.picture.cursor is not None
    workspace.point(Cursor(question.element.place, question.element.index))
    assert not asked & {*seen_in(workspace.state.picture)}
    assert "g answers" in workspace.state.cover
    for is_answered in (True, False):
        workspace = opened(name)
        if is_answered:
            workspace.uncover()
        else:
            workspace.picture.show_whole()  # as escape does
        workspace.point(Cursor(question.element.place, question.element.index))
        assert asked <= {*seen_in(workspace.state.picture)}
        assert not workspace.state.cover


def test_an_example_that_asks_about_another_desc_is_not_covered() -> None:
    assert not opened("gather-1").picture.is_covered
    assert not opened("join-1").picture.is_covered


def test_steps_uncover_as_far_as_they_have_come() -> None:
    workspace = opened("tile-1")
    workspace.picture.go(1)
    assert not workspace.picture.is_covered
    assert not workspace.picture.known.whole


# ---- what was shown before


def test_what_a_reveal_tells_is_found_by_its_place() -> None:
    """The same desc tells; other numbers, other sizes or another axis don't."""
    first, second = (asking(experiment("gather-2"), kind).question for kind in ("cell", "source"))
    assert told_by_reveal(first, second)
    other = asking(experiment("gather-1"), "source").question
    assert not told_by_reveal(first, other)
    assert told_by_reveal(first, first)


@pytest.mark.drawn(1)
@pytest.mark.parametrize("seed", range(6))
def test_no_exit_question_asks_what_the_answer_before_it_showed(seed: int) -> None:
    lesson = LESSONS["gather"]
    asked = begun(lesson, number=seed)
    before, exits = None, 0
    while not asked.ended:
        running = asked.lesson
        assert running is not None
        if running.step is None and before is not None:
            exits += 1
            assert not told_by_reveal(before, asked.question)
        if asked.form.how == "edit":
            asked.returned(solved=True)
            continue
        before = asked.question
        wrong = [*before.answers.values()]
        if wrong and before.kind.name == "cell":
            give(asked, wrong[seed % len(wrong)])
        asked.skip()
        asked.answer()
    assert exits >= 2


# ---- what is looked up


def test_an_answer_after_exploring_counts_as_looked_up() -> None:
    progress, lesson = Progress(), LESSONS["gather"]
    asked = begun(lesson, progress)
    asked.look_up()
    state = give(asked, asked.question.truth)
    assert any("looked up" in sentence for sentence in state.sentences)
    assert (progress.answers[0].right, progress.answers[0].looked_up) == (True, True)
    assert state.lesson is not None
    assert state.lesson.marks[0] == "looked up"
    assert lesson_end(lesson, progress.answers, following="").firsts[0] == "looked up"
    assert not has_tested_out(lesson, [replace(progress.answers[0], task=f"{lesson.id}.test")] * lesson.exit)
    kept, lost = parse((progress.answers[0].line() + "\n").encode())
    assert (kept, lost) == (progress.answers[:1], 0)


def test_exploring_after_the_answer_and_answers_of_before_are_as_they_were() -> None:
    progress = Progress()
    asked = AskDesk(experiment("gather-2"), progress, Clock(), only=["cell"])
    give(asked, asked.question.truth)
    asked.look_up()
    asked.answer()
    give(asked, asked.question.truth)
    assert [answered.looked_up for answered in progress.answers] == [False, False]
    line = progress.answers[0].line().replace(', "looked_up": false', "")
    assert "looked_up" not in line
    assert parse(line.encode())[0] == progress.answers[:1]
