"""Tasks about chains: explored, and left with all that their experiment reads."""

from __future__ import annotations

from support.answering import asking, give
from support.desks import done
from support.kinds import OF_CHAINS

from dmlviz.session.document import Document
from dmlviz.session.examples import example
from dmlviz.session.wiring import fault
from dmlviz.teaching.lessons.lessons import shipped_lessons
from dmlviz.teaching.tasks.own_tasks import own_question
from dmlviz.workspace.explorer.workspace import Workspace
from dmlviz.workspace.shown.picture import Room

ROTATE = example("chain-rotate-half").session()
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


def test_after_a_wrong_answer_the_way_through_all_stages_is_told() -> None:
    asked = asking(ROTATE.experiments[2], "through")
    rule, answer = next(iter(asked.question.answers.items()))
    state = give(asked, answer)
    assert state.sentences[-1] == asked.question.kind.says(asked.question)
    assert state.verdict is not None
    assert rule in state.verdict.rules


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
