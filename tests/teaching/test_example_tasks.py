"""What shipped examples ask: askable, answered rightly by the truth, and in nobody's way who only opens an example."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import Any

import pytest
from support.answering import Clock

import dmlviz as dml
from dmlviz.recording.tasks import tasks_of
from dmlviz.session import examples, notes
from dmlviz.session.experiments import Experiment
from dmlviz.session.reading import load
from dmlviz.session.writing import dump
from dmlviz.teaching.lessons.lessons import faults
from dmlviz.teaching.progress.progress import Progress
from dmlviz.teaching.tasks.own_tasks import own_question
from dmlviz.teaching.tasks.tasks import question_of, task_of
from dmlviz.workspace.asking.asking import AskDesk
from dmlviz.workspace.wall.wall_desk import WallDesk

TASK = examples.TASK
ASKING = [
    (each, number)
    for each in examples.all_examples()
    for number, experiment in enumerate(each.with_tasks().experiments)
    if TASK in experiment.extra
]
"""Every experiment of an example that asks something, by its number."""
SHIPPED = [pytest.param(each, number, id=f"{each.name} {number}") for each, number in ASKING]


def experiment(name: str, number: int = 0) -> Experiment:
    return examples.example(name).session().experiments[number]


def asking(held: Experiment) -> AskDesk:
    """What `g` asks of it."""
    return AskDesk(held, Progress(), Clock(), own=own_question(held))


# ---- every one ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("each", examples.all_examples(), ids=lambda each: str(each.name))
def test_nothing_that_an_example_asks_is_at_fault(each: examples.Example) -> None:
    assert faults(each.with_tasks()) == []


def test_the_wall_and_the_page_of_an_example_ask_what_the_explorer_asks() -> None:
    asked = 0
    for each in examples.all_examples():
        session = each.session()
        wall = WallDesk(session, lambda: 0.0)
        for number, (held, task) in enumerate(zip(session.experiments, tasks_of(session), strict=True)):
            own = own_question(held)
            if own is None:
                assert task is None
                continue
            assert task is not None
            shown = wall.item_at(number)
            assert own.prompt == task.prompt == shown.prompt
            assert task.question is not None
            assert own.subject.desc == task.question.subject.desc == shown.view.experiment.desc
            asked += 1
    assert asked >= len(ASKING) >= 25


@pytest.mark.parametrize(("each", "number"), SHIPPED)
def test_it_asks_by_its_own_words_or_those_of_the_notes_and_the_truth_is_right(
    each: examples.Example, number: int
) -> None:
    shipped = each.with_tasks().experiments[number]
    question = own_question(each.session().experiments[number])
    assert question is not None
    verdict = question.grade(question.kind.form.json(question.truth))
    assert (verdict.right, verdict.rules) == (True, ())
    own = shipped.extra[TASK].get("say")
    assert question.prompt == (own or notes.asked_first(notes.question_of(shipped.notes)))
    assert question.prompt.endswith(("?", "."))


@pytest.mark.parametrize("each", examples.all_examples(), ids=lambda each: str(each.name))
def test_who_opens_an_example_gets_its_experiments_without_tasks(each: examples.Example) -> None:
    found: dict[str, Any] = json.loads(each.path.read_bytes())
    for experiment in found["experiments"]:
        experiment.pop(TASK, None)
    assert json.loads(dump(each.session())) == found


# ---- whose task it is -------------------------------------------------------------------------------------------


def test_an_edited_example_has_no_task_until_the_edit_is_undone() -> None:
    held = experiment("tile-1")
    assert own_question(held) is not None
    edits = [
        replace(held, desc=held.desc.replace({"Repeats": (1, 1, 3, 2), "OutputTensor": None})),
        replace(held, values={}),
        replace(held, feature_level=dml.FeatureLevel.of("6_0")),
    ]
    assert [own_question(each) for each in edits] == [None, None, None]
    assert own_question(replace(edits[1], values=held.values)) is not None
    assert own_question(replace(held, notes="of a teacher")) is not None, "the desc is still the example's"


def test_a_task_of_a_session_is_asked_even_where_its_desc_was_an_example() -> None:
    held = load(examples.example("tile-1").path).experiments[0]
    own = {"say": "How often is the first one read?", "ask": {"kind": "count", "tensor": 0, "at": [0, 0, 0, 0]}}
    edited = replace(held, desc=held.desc.replace({"Repeats": (1, 1, 3, 2), "OutputTensor": None}), extra={TASK: own})
    question = own_question(edited)
    assert question is not None
    assert (question.prompt, question.truth) == ("How often is the first one read?", 6)


@pytest.mark.parametrize("task", [{"ask": {"kind": "nothing"}}, {"ask": {"kind": "fixes"}}, [], {"ask": {}}])
def test_a_task_that_cant_be_asked_leaves_the_program_to_its_own_questions(task: object) -> None:
    held = replace(experiment("tile-1"), extra={TASK: task})
    assert own_question(held) is None
    assert asking(held).question.kind.name == AskDesk(held, Progress(), Clock()).question.kind.name


# ---- what would be if -------------------------------------------------------------------------------------------


def with_change(name: str, change: object, **ask: Any) -> Experiment:
    return replace(experiment(name), extra={TASK: {"ask": {"kind": "sizes", **ask, "change": change}}})


def truth_of(held: Experiment) -> Any:
    task = task_of(held)
    assert task is not None
    return question_of(held, task).truth


def test_the_truth_is_that_of_the_changed_desc_and_values() -> None:
    assert truth_of(with_change("join-2-axis-1", {"desc": {"Axis": 3, "OutputTensor": None}})) == ((1, 1, 2, 6),)
    change = {"values": {"IndicesTensor": [0, 0, 0, 0, 0]}}
    assert truth_of(with_change("gather-1", change, kind="cell", at=[4])) == 11


# ---- first, and then on -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["tile-1", "gather-1", "rule-sizes-sum", "join-2-axis-2"])
def test_the_own_task_comes_first_and_then_the_experiment_itself_is_asked_about(name: str) -> None:
    held = experiment(name)
    own = own_question(held)
    assert own is not None
    asked = AskDesk(held, Progress(), Clock(), own=own)
    assert asked.question is own
    assert not asked.has_answers
    asked.skip()
    assert asked.has_answers, "who skips has answered"
    asked.answer()
    assert asked.question is not own
    assert asked.home is held
    # What was changed for the task is as it was; whose picture was shown by the answer is asked about no more.
    assert (asked.experiment is held) is (name != "tile-1")
    assert asked.state.open


def test_no_note_asks_for_what_a_fix_beside_it_says() -> None:
    """Where a task asks, the fixes are covered until it is answered; other notes ask about them, or for a try."""
    asks = re.compile(r"^(What|Which|How many)\b.*\b(must|become|then|in that case)\b[^.]*\?")
    for example in examples.all_examples():
        for held in example.session().experiments:
            question = notes.question_of(held.notes)
            if own_question(held) is None and asks.search(question.partition("? ")[0] + "?"):
                fixes = " ".join(check.fixes[0].label for check in held.check().checks if check.fixes)
                names = [field.name for field in held.desc.FIELDS if re.search(rf"\b{field.name}\b", question)]
                assert not [name for name in names if re.search(rf"\b{name}\b", fixes)], (example.name, question)
