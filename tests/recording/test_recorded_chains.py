"""Sessions with wires, recorded, in notebooks and presented: each stage, where it stands, and its paths."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest
from support.kinds import OF_CHAINS
from support.presentations import Time, on_wall
from support.recorded_pages import data_of, experiments, parsed

from dmlviz.recording.display import html_of
from dmlviz.recording.html_page import html_page
from dmlviz.recording.recording import record
from dmlviz.recording.svg_still import svg_still
from dmlviz.recording.tasks import Unasked, exercises_of
from dmlviz.session.examples import all_examples, example
from dmlviz.session.experiments import Session
from dmlviz.session.reading import load
from dmlviz.teaching.lessons.lessons import CONTENT
from dmlviz.workspace.shown.picture import Room
from dmlviz.workspace.wall.presenting import Presenting

ROTATE = example("chain-rotate-half").session()
WIRES = ["", " · InputTensors[0] ⇠ halves[1] · InputTensors[1] ⇠ halves[0]", " · InputTensor ⇠ swapped"]
CHAINS = [each.name for each in all_examples() if any(one.is_wired for one in each.session().experiments)]


def test_a_page_says_where_each_stage_stands_and_what_it_reads() -> None:
    sections = experiments(html_page(ROTATE))
    told = [section.all("p")[0].text for section in sections]
    assert told == [f"Stage {k} of 3{wires}" for k, wires in enumerate(WIRES, 1)]


def test_a_cells_line_goes_on_through_all_stages() -> None:
    *_, end = experiments(html_page(ROTATE))
    (output,) = [table for table in data_of(end)["tables"] if table["out"]]
    said = dict(zip(output["flat"], output["said"], strict=True))
    assert said[9].endswith("; twice[0,9] ⇠ swapped[0,1] ⇠ halves[1][0,1] ⇠ InputTensor[0,5]")
    (inputs,) = [table for table in data_of(end)["tables"] if not table["out"]]
    assert not any("⇠" in line for line in inputs["said"])


@pytest.mark.parametrize("name", CHAINS)
def test_every_chain_is_recorded_as_a_page_and_as_stills(name: str, tmp_path: Path) -> None:
    session = example(name).session()
    for exercise in exercises_of(session):
        assert exercise.place is not None
        number, count = exercise.place
        assert 1 <= number <= count
        assert f"Stage {number} of {count}" in svg_still(exercise, exercise.count)
    (page,) = record(session, to="html")
    assert "Stage" in str(page)


def test_a_notebook_shows_each_stage_with_its_place() -> None:
    assert all(f"Stage {k} of 3" in html_of(ROTATE) for k in (1, 2, 3))


def test_a_branch_stands_in_the_longest_chain_that_it_is_in_and_what_is_alone_in_none() -> None:
    both = example("chain-tile-or-join-first").session()
    assert [both.stage(k) for k in range(5)] == [(1, 3), (2, 3), (3, 3), (1, 2), (2, 2)]
    mixed = Session((*ROTATE.experiments, example("gather-2").session().experiments[0]))
    assert [mixed.stage(k) for k in range(4)] == [(1, 3), (2, 3), (3, 3), None]
    assert "Stage" not in experiments(html_page(mixed))[3].text


def test_what_a_chain_is_asked_is_asked_on_a_page_and_on_the_wall() -> None:
    lesson = load(CONTENT / "lesson-chain.json")
    asked = [each.task for each in exercises_of(lesson) if each.task is not None and each.task.question]
    of_chains = [task for task in asked if task.question is not None and task.question.kind.name in OF_CHAINS]
    assert len(of_chains) == 6
    assert not [task for task in of_chains if isinstance(task, Unasked)]
    wall = Presenting(lesson, Time())
    wall.fit(Room(100, 24))
    for number in range(2, 8):
        wall.go_to(number)
        told = on_wall(wall.state)
        assert "Stage" in told
        assert wall.state.item.question is not None
        assert wall.state.item.question.kind.name in OF_CHAINS
        assert [each.id for each in wall.state.item.answers]


@pytest.mark.parametrize("kind", OF_CHAINS)
def test_a_page_asks_a_chain_only_where_no_other_experiment_tells_the_answer(kind: str) -> None:
    """What reads the end tells each element's whole way, unless it has a task itself, which covers it."""
    lesson = load(CONTENT / "lesson-chain.json").experiments
    asked = {one.extra["task"].get("ask", {}).get("kind"): k for k, one in enumerate(lesson)}
    if kind not in asked:  # of the end of an example then
        *before, end = example("chain-rotate-half").session().experiments
        lesson = Session((*before, replace(end, extra={"task": {"ask": {"kind": kind}}}))).experiments
    number = asked.get(kind, len(lesson) - 1)
    reader = next((k for k, one in enumerate(lesson) if k > number and lesson[number] in one.stages), None)
    (own,) = (each for each in exercises_of(Session(lesson)) if each.home.name == lesson[number].name)
    assert not isinstance(own.task, Unasked)
    if reader is None:
        return
    told = [replace(one, extra={}) if k == reader else one for k, one in enumerate(lesson)]
    (own,) = (each for each in exercises_of(Session((*told,))) if each.home.name == lesson[number].name)
    assert isinstance(own.task, Unasked)


def test_a_page_shows_the_stages_of_an_open_question_and_no_way_through_them() -> None:
    end = experiments(html_page(example("chain-rotate-half").with_tasks()))[2]
    (stages,) = end.of_class("stages")
    assert "2 swapped = JOIN Axis 1: halves[1], halves[0] → {1, 8}" in stages.text
    assert [td.text for td in stages.all("td")] == [*"12345678"]
    boxes = [box.attributes["value"] for box in end.all("input") if box.attributes.get("name") == "answer"]
    task = data_of(end)["task"]
    assert len(boxes) == 4
    assert {key for key, verdict in task["verdicts"].items() if verdict["right"]} == {task["truth"]} <= {*boxes}
    still = svg_still(exercises_of(example("chain-rotate-half").with_tasks())[2], 0)
    assert "2 swapped = JOIN Axis 1: halves[1], halves[0]" in still
    assert "FLOAT32 {1, 8} = 1, 2, 3, 4, 5, 6, 7, 8" in still
    (form,) = end.of_class("task")
    assert "⇠" not in form.text


def coloured(page: str) -> list[dict[str, set[int]]]:
    """For each experiment and value that stands in it, which colours cells of that value have."""
    found = []
    for section in experiments(page):
        tables = [table.all("td") for body in section.of_class("picture")[0].all("tbody") for table in [body]]
        cells = [td for table in tables for td in table]
        names = {td.text: set[int]() for td in cells}
        for td in cells:
            names[td.text] |= {int(i) for i in re.findall(r"\bi(\d+)\b", td.attributes.get("class") or "")}
        found.append({text.strip("ABCDEFGH"): each for text, each in names.items()})
    return found


def test_a_colour_is_the_same_at_every_stage_of_a_page_and_a_notebook_and_the_key_says_so() -> None:
    page = html_page(ROTATE)
    for each in (page, html_of(ROTATE)):
        by_stage = coloured(each)
        assert by_stage == [{str(n + 1): {n} for n in range(8)}] * 3
    assert [section.of_class("key")[0].text.count("the element of InputTensor") for section in experiments(page)] == [
        1,
        1,
        1,
    ]
    first, _, end = exercises_of(ROTATE)
    fills = [re.findall(r'fill="(#\w{6})"', svg_still(one, one.count)) for one in (first, end)]
    assert {*fills[0]} == {*fills[1]}


def test_stages_of_which_something_is_asked_give_no_colour_to_what_reads_them() -> None:
    """It would tell where an element comes from whose source is asked."""
    task = {"id": "x", "ask": {"kind": "source", "output": 1, "at": [0, 1]}}
    first, *others = ROTATE.experiments
    asked = Session((replace(first, extra={"task": task}), *others))
    shown = [each.shown.picture for each in exercises_of(asked)]
    assert [one.trace.colours is one.trace.operator for one in shown if one is not None] == [False, True, True]


def test_one_stage_alone_is_recorded_with_what_it_reads() -> None:
    (page,) = record(ROTATE, "html", experiment="twice")
    (end,) = experiments(str(page.content))
    (_, output) = data_of(end)["tables"]
    assert output["said"][9].endswith("⇠ InputTensor[0,5]")


def test_a_level_that_is_a_stage_has_no_name_on_a_page_or_a_still(tmp_path: Path) -> None:
    """It may be the solution."""
    made = json.loads((CONTENT / "levels.json").read_text())
    level = made["experiments"][0] | {"name": "TOLD"}
    tensor = {"DataType": "FLOAT32", "Sizes": [4, 2]}
    reader: dict[str, object] = {"name": "then", "feature_level": "5_0", "type": "DML_OPERATOR_TILE"}
    reader |= {"desc": {"InputTensor": tensor, "Repeats": [1, 1]}, "values": {"InputTensor": {"from": "TOLD"}}}
    (file := tmp_path / "x.json").write_text(json.dumps(made | {"experiments": [level, reader]}))
    session = load(file)
    ask, _ = exercises_of(session)
    assert ask.place == (1, 2)
    page = parsed(html_page(session))
    assert not any("TOLD" in each.text for kind in ("title", "h1", "h2", "nav") for each in page.all(kind))
    assert "TOLD" not in svg_still(ask, 0)
