"""Tasks as authors write them: read tolerantly, one sentence a fault, and what `check` holds them to account for."""

from __future__ import annotations

import json
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
from support.commands import call

from dmlviz.session.experiments import Session
from dmlviz.session.reading import load, parse
from dmlviz.teaching.lessons.lessons import CONTENT, Lesson, faults, lesson_of
from dmlviz.teaching.tasks.tasks import Task, question_of

JOIN = json.loads((CONTENT / "lesson-join.json").read_text("utf-8"))
CLASSROOM = Path(__file__).parents[2] / "examples" / "classroom" / "rows-by-index.json"
LEVELS = json.loads((CONTENT / "levels.json").read_text("utf-8"))
WAYS = LEVELS["experiments"][22]["task"]["solutions"]
"""Solutions of the level that any operator makes."""


def experiment(number: int, **task: Any) -> dict[str, Any]:
    """Step `number` of the shipped lesson about JOIN, with other keys in its task; None takes one out."""
    made: dict[str, Any] = deepcopy(next(e for e in JOIN["experiments"] if e["task"]["id"] == f"join.{number}"))
    made["task"] = {key: held for key, held in {**made["task"], **task}.items() if held is not None}
    return made


def level(number: int, **task: Any) -> dict[str, Any]:
    made: dict[str, Any] = deepcopy(LEVELS["experiments"][number - 1])
    made["task"] |= task
    return made


def session(*experiments: dict[str, Any], **more: Any) -> Session:
    found = {"dmlviz": 1, "title": "t", "experiments": list(experiments), **more}
    read, errors = parse(json.dumps(found).encode(), "it", None)
    assert not errors
    return read


def lesson(*experiments: dict[str, Any], **more: Any) -> Lesson:
    made = lesson_of(session(*experiments, **more), "mine")
    assert made is not None
    return made


def said(*experiments: dict[str, Any], **more: Any) -> list[str]:
    found = [each.sentence for each in faults(session(*experiments, **more))]
    assert all(each.endswith(".") and "\n" not in each for each in found)
    return found


def only(*experiments: dict[str, Any], **more: Any) -> str:
    (sentence,) = said(*experiments, **more)
    return sentence


def test_a_text_by_language_is_read_in_english_and_nothing_acts_on_a_terminal() -> None:
    texts = {"say": {"de": "Welche?", "en": "Which?"}, "hints": ["a\x1b[2Jb"], "wrong": {"J4": {"en": "No."}}}
    made = lesson(experiment(1, **texts, speaker="Wait."), lesson={"goal": {"fr": "But", "en": "Goal"}}, lang="de")
    task = made.steps[0].task
    assert made.goal == "Goal"
    assert task is not None
    assert (task.say, task.hints, task.wrong, task.speaker) == ("Which?", ("a�[2Jb",), {"J4": "No."}, ("Wait.",))


# Reading: a fault is one sentence, and the rest of the lesson goes on


@pytest.mark.parametrize(
    ("task", "sentence"),
    [
        ({"wrong": {"J99": "x"}}, 'task.wrong has "J99", expected misconceptions about JOIN: '),
        ({"wrong": ["J4"]}, 'task.wrong is ["J4"], expected an object.'),
        ({"ask": {"kind": "sourc"}}, 'task.ask.kind is "sourc", did you mean "source"? expected one of '),
        ({"ask": {}}, 'task.ask.kind is "", expected one of cell, pictures, '),
        ({"ask": {"kind": "cell", "at": [0, "1"]}}, 'task.ask.at[1] is "1", expected an integer.'),
        ({"ask": {"kind": "fill", "row": [0, "a"]}}, 'task.ask.row[1] is "a", expected an integer.'),
        ({"ask": {"kind": "cell", "change": {"desc": 1}}}, "task.ask.change.desc is 1, expected an object."),
        (
            {"ask": {"kind": "pictures", "rules": ["X1"]}},
            'task.ask.rules has "X1", expected misconceptions about JOIN: ',
        ),
        ({"phase": "guess"}, 'task.phase is "guess", expected text, one of predict, run, investigate, modify, make.'),
        ({"hide": "Axis"}, 'task.hide is "Axis", expected a list.'),
        ({"hints": ["a"] * 5}, 'task.hints is ["a", "a", "a", "a", "a"], expected a list of at most 4.'),
    ],
)
def test_what_is_wrong_with_a_task_is_one_sentence_and_leaves_out_that_step(
    task: dict[str, Any], sentence: str
) -> None:
    broken = experiment(1, **task)
    made = lesson(broken, experiment(4))
    assert made.steps[0].task is None
    assert made.steps[0].problem.startswith(sentence)
    assert made.steps[1].task is not None
    assert only(broken) == made.steps[0].problem


@pytest.mark.parametrize(
    ("task", "sentence"),
    [
        ({"goal": [{"Sizes": [2, 4], "values": [[1], [3]]}]}, "task.goal[0].values is [[1], [3]], expected"),
        ({"goal": [{"Sizes": [2, -4], "values": []}]}, "task.goal[0].Sizes[1] is -4, expected an integer of 1 or"),
        ({"goal": []}, "task.goal is empty, expected the outputs"),
        ({"par": "1"}, 'task.par is "1", expected an integer.'),
    ],
)
def test_what_is_wrong_with_a_level_is_one_sentence(task: dict[str, Any], sentence: str) -> None:
    assert only(level(1, **task)).startswith(sentence)


@pytest.mark.parametrize(
    ("about", "sentence"),
    [
        ({"lesson": 7}, "lesson is 7, expected an object."),
        ({"lesson": {"minutes": "ten"}}, 'lesson.minutes is "ten", expected an integer.'),
        ({"lesson": {"exit": 21}}, "lesson.exit is 21, expected an integer of at most 20."),
    ],
)
def test_what_is_wrong_with_a_lesson_has_something_else_stand_for_it(about: dict[str, Any], sentence: str) -> None:
    made = lesson(experiment(1), **about)
    assert (made.minutes, made.exit, made.seed) == (10, 3, 0)
    assert made.steps[0].task is not None
    assert only(experiment(1), **about) == sentence


def test_tasks_without_an_id_get_one() -> None:
    made = lesson(experiment(1, id=None), experiment(4, id=None), lesson={"id": "of-mine"})
    assert [step.task and step.task.id for step in made.steps] == ["of-mine.1", "of-mine.2"]


def test_an_unlisted_rule_has_its_own_words_and_what_no_rule_gives_the_authors() -> None:
    step = lesson(experiment(4, wrong={"J5": "Mine.", "other": "Any other."}, look="the lane")).steps[0]
    assert step.task is not None
    question = question_of(step.experiment, step.task)
    told = {answer: question.grade(answer) for answer in (5, 3, 9, 12)}
    assert told[5].right
    assert (told[3].says, told[3].rules[0], told[3].look) == ("Mine.", "J5", "the lane")
    assert told[9].rules[0] == "J2"
    assert told[9].says not in ("Mine.", "Any other.")
    assert (told[12].says, told[12].rules) == ("Any other.", ())


# Check: what only a question, or a search, tells


@pytest.mark.parametrize(
    ("number", "task", "sentence"),
    [
        (4, {"ask": {"kind": "cell", "at": [9, 9]}, "want": None}, "task.ask.at is [9, 9], expected an index"),
        (4, {"ask": {"kind": "cell", "output": 3}, "want": None}, "task.ask.output is 3, expected 0 to 0."),
        (1, {"ask": {"kind": "sizes", "change": {"desc": {"Axes": 1}}}}, 'task.ask.change: desc has "Axes"'),
        (1, {"ask": {"kind": "sizes", "change": {"desc": {"Axis": "x"}}}}, "task.ask.change: Axis is"),
        (1, {"ask": {"kind": "sizes", "change": {"values": {"In": [1]}}}}, 'task.ask.change.values has "In", '),
        (4, {"ask": {"kind": "fixes"}, "want": None}, 'task.ask.kind is "fixes", expected '),
        (4, {"ask": {"kind": "via", "at": [0, 0, 0, 0]}, "want": None}, 'task.ask.kind is "via", expected '),
        (
            6,
            {"ask": {"kind": "cell"}, "want": None, "wrong": None},
            'task.ask.kind is "cell", expected "JOIN 6" to have a valid desc, but sizes.match fails.',
        ),
        (1, {"want": [[1, 1, 2, 8]]}, "task.want is [[1, 1, 2, 8]], expected [[1, 2, 3, 2]]"),
        (1, {"say": "They are {1, 2, 3, 2}, aren't they?"}, "task.say says the answer itself"),
        (4, {"hints": ["Look.", "It is 5."]}, "task.hints[1] says the answer itself"),
        (4, {"say": "Which value (it is 5) is here?"}, "task.say says the answer itself"),
        (6, {"say": "Does sizes.match hold?"}, "task.say says the answer itself"),
        (1, {"hide": ["OutputTensor"]}, "task.hide leaves OutputTensor.Sizes to be seen"),
        (4, {"hide": [], "phase": "predict"}, "task.hide leaves OutputTensor to be seen"),
        (2, {"ask": {"kind": "pictures", "rules": ["J5", "J1"]}}, 'task.ask.rules has "J1", expected a rule that'),
        (4, {"hint": ["Look."]}, 'task has "hint", did you mean "hints"? expected only id, '),
        (
            4,
            {"ask": {"kind": "cell", "on": [0, 0, 0, 0]}, "want": None, "wrong": None},
            'task.ask has "on", expected only ',
        ),
        (4, {"hide": ["OutputTensor", "Acis"]}, 'task.hide has "Acis", did you mean "Axis"? expected only InputCount'),
    ],
)
def test_faults_that_check_finds(number: int, task: dict[str, Any], sentence: str) -> None:
    assert only(experiment(number, **task)).startswith(sentence)


def test_two_tasks_with_one_id_and_an_unknown_key_of_the_lesson_are_faults() -> None:
    assert only(experiment(1), experiment(4, id="join.1")) == (
        'task.id is "join.1", as in experiment 1, expected an id of its own.'
    )
    assert only(experiment(1), lesson={"goals": "x", "version": 2}).startswith(
        'lesson has "goals", did you mean "goal"?'
    )


def test_why_a_kind_cant_be_asked_is_the_true_reason() -> None:
    row = experiment(1, id="mine", ask={"kind": "pictures"}, **dict.fromkeys(("want", "wrong", "hide", "say")))
    tensors = [{"DataType": "FLOAT32", "Sizes": [1, 1, 1, 2]}] * 2
    row |= {"desc": {"InputTensors": tensors, "Axis": 3}, "values": {}}
    assert only(row).endswith(" to have three misconceptions that give other pictures, no two the same.")
    tensors = [{"DataType": "FLOAT32", "Sizes": [1, 1, 40, 40]}] * 2
    assert only(row | {"desc": {"InputTensors": tensors, "Axis": 1}}).endswith(
        " to have tensors of at most 1024 elements."
    )


def test_what_is_no_fault() -> None:
    assert said(experiment(4, hints=["a", "b", "c", "It is 5."]), vary=["Axis"]) == []
    assert said(experiment(4, say="Axis 5 isn't there. Which number stands in OutputTensor[0,0,0,5]?")) == []
    assert said(experiment(4, hide=[], phase="run")) == []


@pytest.mark.parametrize(
    ("number", "task", "sentence"),
    [
        (1, {"par": 2}, "task.par is 2, expected 1: so many numbers"),
        (1, {"solutions": []}, "task.solutions is empty"),
        (1, {"solutions": [{"desc": {"Axes": 1}}]}, 'task.solutions[0]: desc has "Axes", did you mean "Axis"?'),
        (
            1,
            {"solutions": [{"desc": {"Axis": 1, "OutputTensorn": None}}]},
            'task.solutions[0]: desc has "OutputTensorn", ',
        ),
        (
            1,
            {"solutions": [{"values": {"InputTensr": [1]}}]},
            'task.solutions[0].values has "InputTensr", expected only',
        ),
        (1, {"goals": []}, 'task has "goals", did you mean "goal"? expected only id, '),
        (1, {"solutions": [{"desk": {"Axis": 1}, "desc": {"Axis": 1}}]}, 'task.solutions[0] has "desk", did you mean'),
        (1, {"hints": ["Axis 0 becomes Axis 1."]}, "task.hints[0] says the answer itself"),
        (1, {"may_change": ["InputTensors"]}, "task.solutions[0] needs Axis, expected only what task.may_change has"),
        (23, {"may_change": ["Repeats"]}, "task.solutions[1] needs Operator, expected only"),
        (1, {"goal": [{"Sizes": [2, 4], "values": [8, *range(1, 8)]}]}, "task.solutions[0] doesn't make the goal: "),
        (1, {"goal": [{"Sizes": [4, 2], "values": [*range(1, 9)]}]}, "task.goal is what the start makes already"),
    ],
)
def test_faults_of_levels(number: int, task: dict[str, Any], sentence: str) -> None:
    told = only(level(number, **task))
    assert told.startswith(sentence)
    assert "marked" not in told, "there is no picture"


@pytest.mark.drawn(1)
@pytest.mark.parametrize("file", [*sorted(CONTENT.glob("*.json")), CLASSROOM], ids=lambda file: str(file.stem))
def test_check_has_nothing_to_say_of_a_shipped_file(file: Path) -> None:
    assert faults(load(file)) == []


# The command


def test_check_tells_faults_below_their_experiment_and_exits_as_for_errors(tmp_path: Path) -> None:
    file = tmp_path / "mine.json"
    found = {"dmlviz": 1, "experiments": [experiment(1), experiment(4, want=6)], "lesson": {"exit": 99}}
    text = json.dumps(found, indent=1)
    file.write_text(text, "utf-8")
    told = call("check", str(file))
    assert told.code == 1
    lines = told.out.splitlines()
    line = text.partition('"want": 6')[0].count("\n") + 1
    column = text.splitlines()[line - 1].index("6") + 1
    sentence = "task.want is 6, expected 5.0: so says the desc."
    assert lines[0].endswith("lesson.exit is 99, expected an integer of at most 20.")
    assert lines[-1] == f"    ✘ {file}:{line}:{column}: {sentence}"
    assert sum("✘" in line for line in lines) == 2
    as_json = json.loads(call("check", "--json", str(file)).out)
    assert [each["task"]["faults"] for each in as_json["experiments"]] == [[], [sentence]]
    assert as_json["files"][0]["lesson"]["faults"] == [lines[0].partition(": ")[2]]
    assert f",line={line}," in call("check", "--github", str(file)).out
    file.write_text(json.dumps({**found, "experiments": [experiment(1), experiment(4)], "lesson": {}}), "utf-8")
    assert call("check", str(file)).code == 0


def test_the_authors_page_shows_a_lesson_without_faults_and_every_key() -> None:
    page = (Path(__file__).parents[2] / "docs" / "lessons.md").read_text("utf-8")
    found = json.loads(page.split("```json\n")[1].split("```")[0])
    assert said(*found.pop("experiments"), **{key: found[key] for key in ("lesson",)}) == []
    assert not [key for key in Task.__struct_fields__ if f"`{key}`" not in page]
