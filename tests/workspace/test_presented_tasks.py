"""Tasks in front of a class: what is asked, what nothing tells before the reveal, and what the reveal shows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from support.kinds import DRAWN, OF_CHAINS
from support.presentations import CLASSROOM, P, Q, R, count, desk_of, does, on_wall, session_of, stand

import dmlviz as dml
from dmlviz.desc.tensors import braces, brackets
from dmlviz.recording.tasks import tasks_of
from dmlviz.scene.look import EntryKind
from dmlviz.session import examples
from dmlviz.session.experiments import Experiment, Session
from dmlviz.session.presentation_state import StateFile
from dmlviz.teaching.kinds.lib.asking import kinds
from dmlviz.teaching.lessons.lessons import shipped_lessons
from dmlviz.teaching.questions.subject import Subject
from dmlviz.workspace.asking.asked_desc import numbers_of


def tasks() -> Iterator[Experiment]:
    """All that shipped lessons and the files of examples ask."""
    for lesson in shipped_lessons():
        yield from (step.experiment for step in lesson.steps)
    for name in examples.examples():
        yield from (each for each in dml.load(examples.example(name).path).experiments if "task" in each.extra)


def asked(kind: str) -> list[Experiment]:
    """Those of a kind."""
    return [
        each
        for each in tasks()
        if kind in (each.extra["task"].get("kind"), each.extra["task"].get("ask", {}).get("kind"))
    ]


def test_nothing_tells_the_answer_of_any_kind_before_it_is_revealed() -> None:
    seen = set()
    for each in tasks():
        made = desk_of(Session((replace(each, name="It is Axis"),)))
        question = made.item.question
        assert question is not None
        name = question.kind.name
        seen.add(name)
        for answer in made.item.answers:
            count(made, answer.id, 88)
        state = made.state
        while not state.told:
            told = on_wall(state)
            assert not state.sentences
            assert not state.counted
            assert "88" not in told
            # Of a chain the stages' names name the elements that are asked about.
            assert state.at.build is not Q or name in OF_CHAINS or "It is Axis" not in told
            assert not kinds()[name].told_by_rules or "✗" not in told
            assert name in DRAWN or not state.drawn, name
            assert not state.drawn or state.at.build is P or not state.picture.known.whole
            state = does(made, "forward")
        assert state.sentences
        assert "It is Axis" in on_wall(state)
        assert question.kind.form.how == "edit" or all(sentence in on_wall(state) for sentence in state.sentences)
    assert {*kinds()} - seen <= {"promised"}


def test_the_wall_asks_the_tasks_that_the_page_asks() -> None:
    (each,) = session_of("gather-2").experiments
    task = {"say": "What is it?", "ask": {"kind": "cell"}}
    tasks = task, task | {"ask": {"kind": "cell", "at": [9, 9]}}
    session = Session(tuple(replace(each, name=f"{k}", extra={"task": one}) for k, one in enumerate(tasks)))
    first, second = tasks_of(session)
    made = desk_of(session)
    assert first is not None
    assert made.item.prompt == first.prompt == "What is it?"
    assert second is not None
    later = made.item_at(1)
    assert "task.ask.at is [9, 9]" in later.problem
    assert later.problem in second.reason
    assert later.prompt != "What is it?"


@pytest.mark.parametrize("hide", ["rules", "levels"])
def test_where_an_author_hides_the_rules_no_sign_says_that_a_desc_is_invalid(hide: str) -> None:
    each = asked("fixes")[0]
    task = {key: held for key, held in each.extra["task"].items() if key != "hide"}
    for hides in (False, True):
        kept = {**task, "hide": [hide]} if hides else task
        made = desk_of(Session((replace(each, extra={"task": kept}),)))
        assert made.item.question is not None
        assert not made.item.view.report.ok
        assert made.state.invalid is not hides
        assert ("✗ invalid" in on_wall(made.state)) is not hides


HIDES = [
    ("cell", ["Axis"], "Axis"),
    ("cell", ["IndicesTensor"], "IndicesTensor"),
    ("source", ["OutputTensor.Sizes"], "OutputTensor.Sizes"),
    ("count", ["InputTensor.Sizes"], "InputTensor.Sizes"),
]


@pytest.mark.parametrize(("kind", "hide", "path"), HIDES)
def test_what_an_author_hides_is_neither_drawn_nor_played_before_the_reveal(
    kind: str, hide: list[str], path: str
) -> None:
    (bare,) = session_of("gather-2").experiments
    task = {"ask": {"kind": kind}, "say": "What is asked?"}
    for each in (replace(bare, extra={"task": {**task, "hide": kept}}) for kept in (hide, [])):
        made = desk_of(Session((each,)))
        question = made.item.question
        assert question is not None
        assert question.kind.name == kind
        hides = bool(question.hidden)
        assert (path in question.hidden) is hides
        state = made.state
        assert state.drawn is not hides
        assert made.builds == ((Q, R) if hides else (Q, P, R))
        desc = question.subject.desc
        tensor, mark, _ = path.partition(".Sizes")
        if hides:
            tables = {table.title.split()[0]: table for table in state.tables}
            assert not tables["OutputTensor"].values  # which the kind hides, whatever its author does
            if path == "Axis":
                assert {field.path: field.text for field in state.fields}["Axis"] == "?"
                assert "Axis 0" not in on_wall(state)
                assert "0=Axis" not in on_wall(state)
            elif mark:
                assert "{?}" in tables[tensor].title
                assert braces(desc.get(tensor).sizes) not in tables[tensor].title
            else:
                assert not tables[tensor].values
            assert question.at is not None
            assert f"{brackets(question.at.index)}." in question.prompt  # which no picture marks
            assert question.prompt == state.item.prompt
        state = does(made, "reveal")
        assert state.drawn
        assert all(field.text != "?" for field in state.fields)


def test_what_is_asked_of_a_changed_desc_is_drawn_of_that_desc() -> None:
    some = [each for each in tasks() if "change" in each.extra["task"].get("ask", {})]
    assert len(some) > 10
    for each in some:
        made = desk_of(Session((each,)))
        question = made.item.question
        assert question is not None
        wanted = question.subject.experiment
        assert wanted != each
        for _ in made.builds:
            state, trace = made.state, made.item.view.trace
            assert state.item.view.experiment == wanted
            if state.drawn and question.kind.name != "fixes":  # whose reveal shows the mended desc
                assert made.picture.scene is not None
                assert trace is made.picture.scene.trace
                assert trace.desc == wanted.desc
            held = dict(numbers_of(state.view.experiment.desc))
            told = [field for field in state.fields if field.path in held and field.path != question.blank]
            assert all(held[field.path] == field.text for field in told)
            made.forward()
    (indices,) = [each for each in some if each.name == "1-D remapping"]
    trace = desk_of(Session((indices,))).item.view.trace
    assert trace is not None
    assert trace.read(1, np.arange(5)).tolist() == [3, 1, 3, 0, 3]


def test_the_reveal_of_a_level_draws_a_solution() -> None:
    levels = [*asked("level"), dml.load(CLASSROOM).experiments[3]]
    assert len(levels) > 6
    for each in levels:
        made = desk_of(Session((each,)))
        question = made.item.question
        assert question is not None
        assert question.goal is not None
        state = does(made, "reveal")
        assert state.drawn
        assert not state.invalid
        assert state.picture.scene is not None
        trace = state.picture.scene.trace
        truth = Subject(made.item.solved.experiment).truth
        assert trace is made.item.solved.trace
        assert truth.sizes == tuple(sizes for sizes, _ in question.goal.outputs)
        assert [*truth.value.values()] == [value for _, values in question.goal.outputs for value in values]


def test_the_reveal_of_a_broken_desc_shows_an_edit_that_mends_it() -> None:
    each = asked("fixes")[0]
    made = desk_of(Session((each,)))
    assert made.state.invalid
    assert [answer.id for answer in made.item.answers] == list("abcd")
    state = does(made, "reveal")
    assert state.drawn
    assert not state.invalid
    right = next(answer for answer in made.item.answers if answer.right)
    assert state.sentences[0] == f"The picture is of {right.id}."
    assert state.picture.scene is not None
    sizes = state.picture.scene.trace.desc.get("OutputTensor").sizes
    assert f"→ {braces(sizes)}" in right.text or "OutputTensor" not in right.text


@pytest.mark.parametrize("act", ["on", "back", "play"])
@pytest.mark.parametrize("kind", ["runs", "level", "cell"])
def test_steps_after_the_reveal_leave_the_answer_on_the_wall(kind: str, act: str, tmp_path: Path) -> None:
    each = asked(kind)[0]
    session, name = Session((each, each)), f"/a/{each.name}.json"
    made = desk_of(session, kept=StateFile(name, tmp_path))
    if kind == "runs":  # whose steps would tell the answer
        assert made.builds == (Q, R)
    if made.item.answers:
        count(made, "a", 5)
    after = does(made, "reveal")
    assert after.picture.scene is not None
    made.play() if act == "play" else made.step(1 if act == "on" else -1)
    state = made.state
    assert stand(made) == (1, P)
    assert state.at.playing is (act == "play")
    assert (state.sentences, state.counted) == (after.sentences, after.counted)
    assert state.picture.scene is not None
    assert state.picture.scene.trace.desc == after.picture.scene.trace.desc  # a level's solution
    assert state.picture.steps is not None
    assert made.step_now == (state.picture.steps.count - 1 if act == "back" else 1)
    again = desk_of(session, kept=StateFile(name, tmp_path))
    assert (stand(again), again.state.sentences) == ((1, P), after.sentences)
    does(made, "back")
    assert stand(made) == (1, R if kind == "runs" else Q)
    does(made, "reveal", "forward")
    assert stand(made) == (2, Q)


def test_the_answer_s_elements_are_marked_once_they_are_revealed() -> None:
    marked = set()
    for each in tasks():
        made = desk_of(Session((each,)))
        question = made.item.question
        assert question is not None
        name = question.kind.name
        if name not in ("dest", "unread", "source", "via", "cell", "fill"):
            continue
        right = {
            entry.kind for entries in does(made, "reveal").picture.look.entries.values() for entry in entries.values()
        }
        assert right == {EntryKind.RIGHT}, name
        marked.add(name)
    assert len(marked) == 6


def test_an_authors_words_for_what_most_answered_stand_on_the_wall_once_it_is_told() -> None:
    made = desk_of(dml.load(CLASSROOM))
    words = "Indices count from 0."
    letter = next(answer.id for answer in made.item.answers if answer.rule.startswith("G4"))
    made.type_number(letter)
    made.type_number("5")
    while not made.told:
        assert words not in on_wall(made.state)
        made.forward()
    assert f"{letter}: {words}" in made.state.sentences
    made.go_to(3)
    learnt = made.session.experiments[3].extra["task"]["learn"]
    assert learnt not in on_wall(made.state)
    assert learnt in does(made, "reveal").sentences
