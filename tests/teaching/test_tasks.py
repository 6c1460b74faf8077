"""Tasks as authors write them: read tolerantly, one sentence a fault, and what `check` holds them to account for."""

from __future__ import annotations

import json
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
from support.commands import call

from dmlviz.errors import TaskError
from dmlviz.session.experiments import Session
from dmlviz.session.reading import load, parse
from dmlviz.teaching.lessons.lessons import CONTENT, Lesson, lesson_of
from dmlviz.teaching.lessons.task_checks import faults, notes
from dmlviz.teaching.tasks.tasks import KEYS, question_of
from dmlviz.teaching.words.texts import read_text

JOIN = json.loads((CONTENT / "lesson-join.json").read_text("utf-8"))
CLASSROOM = Path(__file__).parents[2] / "examples" / "classroom" / "rows-by-index.json"
LEVELS = json.loads((CONTENT / "levels.json").read_text("utf-8"))


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


def test_a_text_by_language_is_read_in_english_else_as_its_first() -> None:
    assert read_text({"ja": "行", "en": "rows"}, "say") == "rows"
    assert read_text({"ja": "行", "de": "Zeilen"}, "say") == "行"
    assert read_text("a\x1b[2Jb", "say") == "a�[2Jb"
    made = lesson(experiment(1, say={"de": "Welche?", "en": "Which?"}), lesson={"goal": {"fr": "But"}}, lang="de")
    assert made.goal == "But"
    assert made.steps[0].task is not None
    assert made.steps[0].task.say == "Which?"


# Texts


# Reading: a fault is one sentence, and the rest of the lesson goes on


@pytest.mark.parametrize(
    ("task", "sentence"),
    [
        ({"wrong": {"J99": "x"}}, 'task.wrong has "J99", expected rules of JOIN: '),
        ({"wrong": {"T1": "x"}}, 'task.wrong has "T1", expected rules of JOIN: '),
        ({"wrong": ["J4"]}, 'task.wrong is ["J4"], expected an object'),
        ({"ask": {"kind": "guess"}}, 'task.ask.kind is "guess", expected one of '),
        ({"ask": {}}, "task.ask.kind is missing"),
        ({"ask": "sizes"}, 'task.ask is "sizes", expected an object'),
        ({"ask": {"kind": "cell", "at": [0, "1"]}}, 'task.ask.at is [0, "1"], expected an index'),
        ({"ask": {"kind": "pictures", "rules": ["X1"]}}, 'task.ask.rules has "X1", expected rules of JOIN: '),
        ({"phase": "guess"}, 'task.phase is "guess", expected one of predict, run'),
        ({"say": 7}, "task.say is 7, expected text"),
        ({"say": {}}, "task.say is {}, expected text"),
        ({"hide": "Axis"}, 'task.hide is "Axis", expected a list'),
        ({"hints": ["a"] * 5}, "task.hints has 5 texts, expected at most 4"),
        ({"id": 7}, "task.id is 7, expected text"),
        ({"kind": "cell"}, 'task.kind is "cell", expected "sizes"'),
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
    assert not made.steps[1].problem
    assert only(broken).startswith(sentence)


@pytest.mark.parametrize(
    ("task", "sentence"),
    [
        ({"goal": [{"Sizes": [2, 4], "values": [[1, 2], [3, 4]]}]}, "task.goal[0].values is nested as {2, 2}"),
        ({"goal": [{"Sizes": [2, -4], "values": []}]}, "task.goal[0].Sizes is [2, -4], expected sizes"),
        ({"goal": [{"Sizes": [1], "values": ["x"]}]}, 'task.goal[0].values is "x"'),
        ({"goal": []}, "task.goal is [], expected the outputs"),
        ({"stages": 2}, "task.stages makes a level of several operators, which were taken out."),
        ({"par": "1"}, 'task.par is "1", expected how many'),
        ({"traps": [{"rule": "Z"}]}, 'task.traps[0].rule is "Z", expected rules of JOIN'),
        ({"solutions": {}}, "task.solutions is {}, expected a list"),
    ],
)
def test_what_is_wrong_with_a_level_is_one_sentence(task: dict[str, Any], sentence: str) -> None:
    made = lesson(level(1, **task))
    assert made.steps[0].problem.startswith(sentence)


@pytest.mark.parametrize(
    ("about", "sentence"),
    [
        ({"lesson": 7}, "lesson is 7, expected an object"),
        ({"lesson": {"minutes": "ten"}}, 'lesson.minutes is "ten", expected an integer from 0 to 999'),
        ({"lesson": {"exit": -1}}, "lesson.exit is -1, expected an integer from 0 to 20"),
        ({"lesson": {"goal": 3}}, "lesson.goal is 3, expected text"),
    ],
)
def test_what_is_wrong_with_a_lesson_has_something_else_stand_for_it(about: dict[str, Any], sentence: str) -> None:
    made = lesson(experiment(1), **about)
    assert made.problems[0].startswith(sentence)
    assert (made.minutes, made.exit, made.seed) == (10, 3, 0)
    assert made.steps[0].task is not None
    assert only(experiment(1), **about).startswith(sentence)


def test_tasks_without_an_id_get_one_and_no_two_have_the_same() -> None:
    made = lesson(experiment(1, id=None), experiment(4, id=None), lesson={"id": "of-mine"})
    assert [step.task and step.task.id for step in made.steps] == ["of-mine.1", "of-mine.2"]
    twice = lesson(experiment(1), experiment(1))
    assert twice.steps[1].problem == 'task.id is "join.1", which step 1 has, expected one of its own.'


def test_500_steps_are_read_and_a_question_that_cannot_be_asked_is_one_sentence() -> None:
    made = lesson(*(experiment(4, id=f"s.{n}") for n in range(500)))
    assert len(made.steps) == 500
    far = lesson(experiment(4, ask={"kind": "cell", "at": [9, 9, 9, 9]})).steps[0]
    assert far.task is not None
    with pytest.raises(TaskError, match="cell can't be asked"):
        question_of(far.experiment, far.task)


def test_a_desc_that_is_invalid_on_purpose_is_asked_what_it_breaks_and_nothing_about_elements() -> None:
    assert said(experiment(6)) == []
    cell = lesson(experiment(6, ask={"kind": "cell", "at": [0, 0, 0, 0]}, want=None, wrong=None)).steps[0]
    assert cell.task is not None
    with pytest.raises(TaskError, match=r"sizes\.match is broken"):
        question_of(cell.experiment, cell.task)


def test_an_unlisted_rule_has_its_own_words_and_what_no_rule_gives_the_authors() -> None:
    step = lesson(experiment(4, wrong={"J5": "Mine.", "other": "Any other."}, look="the lane")).steps[0]
    assert step.task is not None
    question = question_of(step.experiment, step.task)
    told = {answer: question.grade(answer) for answer in (5, 3, 9, 12)}
    assert told[5].right
    assert (told[3].feedback, told[3].rule, told[3].look) == ("Mine.", "J5", "the lane")
    assert told[9].rule == "J2"
    assert told[9].feedback not in ("Mine.", "Any other.")
    assert (told[12].feedback, told[12].rules) == ("Any other.", ())


# Check: what only a question, or a search, tells


@pytest.mark.parametrize(
    ("number", "task", "sentence"),
    [
        (1, {"want": [[1, 1, 2, 8]]}, "task.want is [[1, 1, 2, 8]], expected [[1, 2, 3, 2]]"),
        (1, {"want": "many"}, 'task.want is "many", expected a list'),
        (1, {"say": "They are {1, 2, 3, 2}, aren't they?"}, "task.say says the answer itself"),
        (4, {"say": "Is it 5, or what?"}, "task.say says the answer itself"),
        (4, {"hints": ["Look.", "It is 5."]}, "task.hints[1] says the answer itself"),
        (6, {"say": "Does sizes.match hold?"}, "task.say says the answer itself"),
        (1, {"hide": ["OutputTensor"]}, "task.hide leaves OutputTensor.Sizes to be seen"),
        (2, {"hide": ["Axis"]}, "task.hide leaves OutputTensor to be seen"),
        (
            7,
            {"ask": {"kind": "blank", "field": "Axis"}, "say": "Axis?", "want": 0, "wrong": {}, "hide": []},
            "task.hide leaves Axis to be seen",
        ),
        (
            2,
            {"ask": {"kind": "pictures", "rules": ["J5", "J1"]}},
            'task.ask.rules has "J1", expected a rule that makes',
        ),
        (4, {"hide": ["OutputTensor", "Acis"]}, 'task.hide has "Acis", expected only InputCount, InputTensors'),
    ],
)
def test_faults_that_check_finds(number: int, task: dict[str, Any], sentence: str) -> None:
    assert only(experiment(number, **task)).startswith(sentence)


def test_a_fourth_hint_may_say_the_answer_and_a_prompt_may_name_an_axis_of_that_number() -> None:
    assert said(experiment(4, hints=["a", "b", "c", "It is 5."])) == []
    assert said(experiment(4, say="Axis 5 isn't there. Which number stands in OutputTensor[0,0,0,5]?")) == []


@pytest.mark.parametrize(
    ("number", "task", "sentence"),
    [
        (1, {"par": 2}, "task.par is 2, expected 1: so many numbers"),
        (1, {"solutions": []}, "task.solutions is empty"),
        (
            23,
            {"par": 5, "solutions": LEVELS["experiments"][22]["task"]["solutions"][2:]},
            "task.par is 5, expected at most 2: Repeats {1, 2} makes the goal.",
        ),
        (6, {"traps": [{"rule": "C3", "desc": {"Axis": 2}}]}, "task.traps[0] makes the goal"),
        (6, {"traps": [{"rule": "C3", "desc": {"Axis": 1}}]}, 'task.traps[0].rule is "C3", expected a rule by which'),
        (1, {"hints": ["Axis 0 becomes Axis 1."]}, "task.hints[0] says the answer itself"),
        (
            1,
            {"may_change": ["Axis", "Axes"]},
            'task.may_change has "Axes", did you mean "Axis"? expected only Operator',
        ),
        (1, {"may_change": ["Axis", "Repeats"]}, 'task.may_change has "Repeats", expected only Operator, InputCount'),
        (
            1,
            {"may_change": ["InputTensors"]},
            "task.solutions[0] needs Axis, expected only what task.may_change has: In",
        ),
        (1, {"may_change": []}, "task.solutions[0] needs Axis, expected only what task.may_change has: nothing."),
        (4, {"may_change": ["Axis"]}, "task.solutions[0] needs SequenceLengthsTensor, expected only"),
    ],
)
def test_faults_of_levels(number: int, task: dict[str, Any], sentence: str) -> None:
    assert only(level(number, **task)).startswith(sentence)


def test_a_solution_by_another_operator_needs_that_one() -> None:
    needed = [each.split(",")[0] for each in said(level(23, may_change=["Repeats"]))]
    assert needed == [f"task.solutions[{k}] needs Operator" for k in (1, 2)]
    needed = [each.split(",")[0] for each in said(level(23, may_change=["Operator", "Repeats", "Axis"]))]
    assert needed == [f"task.solutions[2] needs IndicesTensor{part}" for part in ("", ".Sizes")]


def test_a_goal_that_no_solution_makes_and_a_start_that_wins_already() -> None:
    unreachable = said(level(1, goal=[{"Sizes": [2, 4], "values": [1, 2, 3, 4, 5, 6, 7, 8]}]))
    assert unreachable[0].startswith("task.solutions[0] doesn't make the goal: ")
    assert unreachable[1] == "task.goal is made by no solution that is given, expected one that makes it."
    goal = [{"Sizes": [4, 2], "values": [1, 2, 3, 4, 5, 6, 7, 8]}]
    assert said(level(1, goal=goal, solutions=[{"desc": {"Axis": 0}}], par=0))[0].startswith(
        "task.goal is what the start makes already"
    )


# The command


def test_check_tells_faults_below_their_experiment_and_exits_as_for_errors(tmp_path: Path) -> None:
    file = tmp_path / "mine.json"
    found = {"dmlviz": 1, "experiments": [experiment(1), experiment(4, want=6)], "lesson": {"exit": 99}}
    file.write_text(json.dumps(found), "utf-8")
    told = call("check", str(file))
    assert told.code == 1
    lines = told.out.splitlines()
    assert lines[0].endswith("lesson.exit is 99, expected an integer from 0 to 20.")
    assert lines[-1] == "    ✘ task.want is 6, expected 5.0: so says the desc."
    assert sum("✘" in line for line in lines) == 2
    as_json = json.loads(call("check", "--json", str(file)).out)
    assert [each["task"]["faults"] for each in as_json["experiments"]] == [[], [lines[-1].removeprefix("    ✘ ")]]
    assert as_json["files"][0]["lesson"]["faults"] == [lines[0].partition(": ")[2]]
    file.write_text(json.dumps({**found, "experiments": [experiment(1), experiment(4)], "lesson": {}}), "utf-8")
    assert call("check", str(file)).code == 0


def test_check_notes_keys_that_mean_nothing_and_the_nearest_that_does(tmp_path: Path) -> None:
    file = tmp_path / "mine.json"
    slip = experiment(1, hnts=[], vary=["Axis"], ask={"kind": "sizes", "outputs": 0})
    file.write_text(json.dumps({"dmlviz": 1, "experiments": [slip], "lesson": {"gaol": "g"}}), "utf-8")
    told = call("check", str(file))
    assert told.code == 0, "they are kept, and are no fault"
    lines = [line for line in told.out.splitlines() if line.lstrip().startswith("i ")]
    assert [line.partition(" expected only ")[0] for line in lines] == [
        f'i {file}: lesson has "gaol", did you mean "goal"?',
        '    i task has "hnts", did you mean "hints"?',
        '    i task has "vary",',
        '    i task.ask has "outputs", did you mean "output"?',
    ]
    as_json = json.loads(call("check", "--json", str(file)).out)
    assert [len(as_json["experiments"][0]["task"][key]) for key in ("faults", "notes")] == [0, 3]
    assert len(as_json["files"][0]["lesson"]["notes"]) == 1


def test_a_misspelt_key_is_noted_at_every_level_of_the_file(tmp_path: Path) -> None:
    kept = {"lang": "de", "made_by": "somebody"}  # a key of before, and one of somebody else's
    slip = {
        **kept,
        **experiment(1),
        "valeus": {},
        "view": {"stpe": 3, "bookmarks": [1]},
        "roots": {"InputTensrs[0]": "x"},
    }
    slip["tsak"] = slip.pop("task")
    whole = {**kept, "dmlviz": 1, "experiments": [slip], "lessons": {"goal": "g"}, "titel": "t"}
    file = tmp_path / "mine.json"
    file.write_text(json.dumps(whole), "utf-8")
    told = call("check", str(file))
    assert told.code == 0
    assert [line.partition("? ")[0] for line in told.out.splitlines() if line.lstrip().startswith("i ")] == [
        f'i {file}: the file has "lessons", did you mean "lesson"',
        f'i {file}: the file has "titel", did you mean "title"',
        '    i the experiment has "valeus", did you mean "values"',
        '    i the experiment has "tsak", did you mean "task"',
        '    i view has "stpe", did you mean "step"',
        '    i roots has "InputTensrs[0]", did you mean "InputTensors[0]"',
    ]
    as_json = json.loads(call("check", "--json", str(file)).out)
    assert len(as_json["experiments"][0]["task"]["notes"]) == 4
    assert len(as_json["files"][0]["lesson"]["notes"]) == 2
    file.write_text(json.dumps({**kept, "dmlviz": 1, "experiments": [{**kept, **experiment(1)}]}), "utf-8")
    assert " i " not in call("check", str(file)).out


def test_a_misspelt_key_of_a_levels_parts_is_noted(tmp_path: Path) -> None:
    found = level(1)
    found["task"]["goal"][0]["sizes"] = [1]
    found["task"]["solutions"][0]["dsec"] = {}
    found["task"]["traps"] = [{"rule": "J1", "decs": {"Axis": 0}}]
    file = tmp_path / "level.json"
    file.write_text(json.dumps({"dmlviz": 1, "experiments": [found]}), "utf-8")
    said = call("check", str(file)).out
    for part, key, meant in (("goal", "sizes", "Sizes"), ("solutions", "dsec", "desc"), ("traps", "decs", "desc")):
        assert f'i task.{part}[0] has "{key}", did you mean "{meant}"?' in said


def told_before(*experiments: dict[str, Any]) -> list[str]:
    return [each.sentence for each in notes(session(*experiments)) if "showed" in each.sentence]


@pytest.mark.parametrize(
    ("kind", "asked"),
    [
        ("cell", "OutputTensor[0,0,1,0]"),
        ("source", "where OutputTensor[0,0,1,0] comes from"),
        ("sizes", "OutputTensor.Sizes"),
        ("count", "how often InputTensors[0][0,0,0,1] is read"),
        ("dest", "where InputTensors[0][0,0,0,1] goes"),
        ("blank", "Axis"),
    ],
)
def test_check_tells_what_the_answer_to_the_step_before_showed(kind: str, asked: str) -> None:
    at: dict[str, Any] = {"output": 0, "at": [0, 0, 1, 0]} if kind in ("cell", "source") else {}
    at = {"tensor": 0, "at": [0, 0, 0, 1]} if kind in ("count", "dest") else at
    first, second, other = experiment(3), experiment(3), experiment(1)
    for each in (second, other):
        each["task"] = {"id": "after", "ask": {"kind": kind, **at, **({"field": "Axis"} if kind == "blank" else {})}}
    (sentence,) = told_before(first, second)
    assert sentence.startswith(f"task.ask asks {asked}, which the answer to step 1 showed, expected other numbers")
    assert not told_before(first, other), "another desc"
    assert not told_before(first, level(1), second), "a level has a screen of its own"


@pytest.mark.parametrize(
    ("want", "told", "hide"),
    [
        ("axis 2 in the title", "Axis", ["Axis"]),
        ("the name Input for {1,1,6,2}", "OutputTensor.Sizes", ["OutputTensor.Sizes"]),
        ("InputTensor", "the tensors' names", None),
        ("which numbers", None, []),
    ],
)
def test_check_notes_a_misprint_that_the_screen_tells(want: str, told: str | None, hide: list[str] | None) -> None:
    def noted(hidden: list[str]) -> list[str]:
        choices = {"kind": "misprint", "choices": [want, "another"]}
        asked = experiment(3, say="Which?", ask=choices, want=want, wrong=None, hide=hidden)
        return [each.sentence for each in notes(session(asked)) if "is told by" in each.sentence]

    assert [sentence.split(" is told by ")[1].split(" on the")[0] for sentence in noted([])] == [told] * (
        told is not None
    )
    assert hide is None or noted(hide) == []


@pytest.mark.parametrize("file", [*sorted(CONTENT.glob("*.json")), CLASSROOM], ids=lambda file: str(file.stem))
def test_check_has_nothing_to_say_of_a_shipped_file(file: Path) -> None:
    assert [*faults(load(file)), *notes(load(file))] == []


def test_check_says_a_missing_file_of_values_and_a_newer_version_in_one_sentence_each(tmp_path: Path) -> None:
    missing = experiment(4)
    missing["values"] = {"InputTensors": [{"npy": "gone.npy"}, None, None]}
    file = tmp_path / "mine.json"
    file.write_text(json.dumps({"dmlviz": 1, "experiments": [missing, experiment(1)]}), "utf-8")
    told = call("check", str(file))
    assert told.code == 2
    assert "gone.npy" in told.err
    assert len(told.err.splitlines()) == 1
    assert "join.1" not in told.err
    file.write_text(json.dumps({"dmlviz": 2, "experiments": [experiment(1)]}), "utf-8")
    newer = call("check", str(file))
    assert newer.code == 2
    assert "a newer dmlviz may read it" in newer.err


def test_without_tasks_check_says_nothing_new() -> None:
    found = json.loads(call("check", "--json", "join-1").out)
    assert "task" not in found["experiments"][0]
    assert "lesson" not in found["files"][0]


# The authors' page


def test_the_authors_page_shows_a_lesson_without_faults_and_every_key() -> None:
    page = (Path(__file__).parents[2] / "docs" / "lessons.md").read_text("utf-8")
    found = json.loads(page.split("```json\n")[1].split("```")[0])
    assert said(*found.pop("experiments"), **{key: found[key] for key in ("lesson",)}) == []
    assert not [key for key in KEYS if f"`{key}`" not in page]


@pytest.mark.parametrize(
    ("ask", "said"),
    [
        ({"kind": "fill", "cells": []}, "task.ask.cells is"),
        ({"kind": "fill", "cells": [[0, "a"]]}, "task.ask.cells is"),
        ({"kind": "cell", "cells": [[0, 0]]}, "task.ask.cells stands with kind"),
        ({"kind": "fill", "cells": [[9, 9]]}, "expected elements or fields that it has"),
        ({"kind": "fill", "output": 3, "cells": [[0, 0]]}, "expected elements or fields that it has"),
    ],
)
def test_cells_that_cannot_be_asked_for_are_refused_in_one_sentence(ask: dict[str, Any], said: str) -> None:
    one = next(k for k, each in enumerate(JOIN["experiments"], 1) if each["task"]["ask"]["kind"] == "cell")
    found = faults(session(experiment(one, ask=ask, want=None, wrong=None, say=None), lesson={}))
    assert len(found) == 1
    assert said in found[0].sentence
