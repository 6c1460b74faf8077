"""Tasks that are written without a screen: what can be asked, what is begun and filled in, and what comes of it."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from support.kinds import OF_CHAINS

from dmlviz.errors import DmlvizError
from dmlviz.operators.maps import Place
from dmlviz.scene.elements.cursor import Cursor
from dmlviz.session.examples import examples
from dmlviz.session.experiments import Session
from dmlviz.session.reading import parse
from dmlviz.session.writing import dump
from dmlviz.teaching.kinds.lib.asking import kinds
from dmlviz.teaching.tasks.tasks import question_of, task_of
from dmlviz.workspace.authoring.authoring import TaskDraft

NAMES = ("join-1", "split-1", "reverse-1", "inline-reverse", "gather-2", "tile-1", "gather-3-as-printed")
SOME = [pytest.param(name, marks=[pytest.mark.slow] * (not name.startswith("gather"))) for name in NAMES]


def drafted(name: str = "gather-2", cursor: Cursor | None = None) -> TaskDraft:
    return TaskDraft(examples()[name], 0, cursor)


def members(draft: TaskDraft) -> dict[str, Any]:
    held: dict[str, Any] = json.loads(draft.text)
    return held


def write(draft: TaskDraft, part: str = "task", **more: Any) -> TaskDraft:
    """Writes some members of the task, or of the lesson."""
    every = members(draft)
    every[part] |= more
    draft.read(json.dumps(every, indent=2))
    return draft


def made(draft: TaskDraft) -> dict[str, Any]:
    task = draft.finished().experiments[0].extra["task"]
    assert isinstance(task, dict)
    return task


@pytest.mark.parametrize("name", SOME)
def test_each_kind_that_is_offered_is_begun_without_a_fault_and_says_words_for_each_misconception(name: str) -> None:
    draft = drafted(name)
    assert {offer.id for offer in draft.kinds} == {*kinds()} - {*OF_CHAINS}
    assert all(offer.text.startswith("needs ") for offer in draft.kinds if not offer.can)
    can = {offer.id for offer in draft.kinds if offer.can}
    assert ("fixes" in can) is (name == "gather-3-as-printed"), "only what is broken is fixed"
    assert ("cell" in can) is (name != "gather-3-as-printed")
    for kind in can:
        draft.read(draft.begun(kind))
        write(draft, wrong={})
        offered = [rule.id for rule in draft.rules[:2]]
        for rule in offered:
            draft.read(draft.with_rule(rule))
        assert not draft.faults or kind == "level", (kind, draft.faults)
        session = draft.finished()
        task = task_of(session.experiments[0])
        assert task is not None
        assert (task.kind, [*task.wrong]) == (kind, offered)
        question = question_of(session.experiments[0], task)
        assert question.grade(question.kind.form.json(question.truth)).right
        for rule in offered:
            verdict = question.grade(question.kind.form.json(question.answers[rule]))
            assert verdict.says in {*task.wrong.values()}, (kind, rule)
        again, errors = parse(dump(session).encode(), "it", None)
        assert not errors
        assert again.experiments[0].extra == session.experiments[0].extra
        if offered:
            draft.read(draft.with_rule(offered[0]))
            assert [*members(draft)["task"]["wrong"]] == offered[1:]


def test_the_cursors_element_row_or_tensor_is_asked_about_where_the_kind_asks_of_its_side() -> None:
    draft = drafted(cursor=Cursor(Place(True, 0), (3, 1)))
    for kind, about in (("cell", {"output": 0, "at": [3, 1]}), ("fill", {"output": 0, "at": [3]})):
        draft.read(draft.begun(kind))
        assert members(draft)["task"]["ask"] == {"kind": kind, **about}
    draft.read(draft.begun("dest"))
    assert members(draft)["task"]["ask"]["tensor"] == 0, "the cursor is on no input"


def test_what_is_said_stays_while_kinds_change_and_what_says_nothing_is_left_out() -> None:
    draft = write(drafted(), say="Which one?", hints=["Look at Axis."], then="Row 2.", wrong={"other": "No."})
    draft.read(draft.begun("source"))
    task = made(draft)
    assert task["wrong"] == {"other": "No."}
    assert draft.begun("source") == draft.text, "the same kind takes nothing away"
    assert (task["say"], task["hints"], task["then"]) == ("Which one?", ["Look at Axis."], "Row 2.")
    assert "OutputTensor" in members(draft)["task"]["hide"]
    assert not {"hide", "speaker"} & task.keys(), "so does the kind"
    assert made(write(draft, hide=["OutputTensor", "Axis"]))["hide"] == ["OutputTensor", "Axis"]
    assert made(write(draft, hide=[]))["hide"] == [], "all may be looked up"


@pytest.mark.parametrize(
    ("said", "where", "sentence"),
    [
        ({"say": "Why does 3 stand there?"}, '"say"', "says the answer itself"),
        ({"wrong": {"G99": "No."}}, '"wrong"', "expected misconceptions about GATHER"),
        ({"hints": "none"}, '"hints"', "expected a list"),
    ],
)
def test_a_fault_is_told_with_its_line(said: dict[str, Any], where: str, sentence: str) -> None:
    draft = drafted()
    draft.read(draft.begun("cell"))
    (fault,) = write(draft, **said).faults
    number = next(n for n, line in enumerate(draft.text.split("\n"), 1) if where in line)
    assert fault.startswith(f"line {number}: task.")
    assert sentence in fault


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ('{"task": {},}', "line 1, column 1"),
        ('{"steps": {}}', 'the text has "steps"'),
        ('{"lesson": {"minutes": "ten"}}', 'line 1: lesson.minutes is "ten", expected an integer'),
        ('{"lesson": {"title": 5}}', "line 1: lesson.title is 5, expected text"),
        ("[" * 100000, "nested too deep"),
    ],
)
def test_what_is_no_task_is_told_in_a_sentence_and_not_made(text: str, sentence: str) -> None:
    draft = drafted()
    draft.read(text)
    assert sentence in draft.faults[0]
    with pytest.raises(DmlvizError):
        draft.finished()


def test_a_levels_goal_par_and_what_may_change_follow_from_its_solution() -> None:
    draft = drafted()
    draft.read(draft.begun("level"))
    assert "what the start makes already" in draft.faults[0]
    (solution,) = members(draft)["task"]["solutions"]
    assert solution["desc"] == {"Axis": 0, "IndexDimensions": 1, "OutputTensor": None}
    values = {"IndicesTensor": [[2, 1, 1, 0]]}
    task = made(write(draft, solutions=[{"values": values}]))
    assert not draft.faults
    assert (task["par"], task["may_change"]) == (2, ["IndicesTensor"])
    assert task["goal"] == [{"Sizes": [4, 2], "values": [[5, 6], [3, 4], [3, 4], [1, 2]]}]
    assert made(write(draft, par=2, may_change=["Axis"]))["may_change"] == ["Axis"], "it is said"
    assert "line " in draft.faults[0]


def test_a_task_is_edited_and_taken_out_and_other_keys_stay() -> None:
    (experiment,) = drafted().finished().experiments
    change = {"desc": {"OutputTensor": None, "Axis": 1}, "values": {"IndicesTensor": [[0, 1, 1, 0]]}}
    task = {**experiment.extra["task"], "ask": {"kind": "pictures", "change": change}, "vary": ["Axis"]}
    odd = replace(experiment, extra={"mine": 1, "task": task})
    draft = TaskDraft(Session((odd,)), 0)
    held = made(write(draft, say="Which one?"))
    assert (held["vary"], held["say"], held["ask"]["change"]) == (["Axis"], "Which one?", change)
    draft.read("")
    bare = draft.finished()
    assert bare.experiments[0].extra == {"mine": 1}
    assert "lesson" not in bare.extra
