"""Tasks of pages and stills: which are asked, that each reply is Python's, and that nothing open tells the answer."""

from __future__ import annotations

import html
import json
import re
from dataclasses import replace
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
from support.commands import call
from support.kinds import WITH_FORM
from support.page_json import asked_in, html_page

import dmlviz as dml
from dmlviz.operators.wrong_rules import PLACES
from dmlviz.recording.page import page_data
from dmlviz.recording.stills import Stills
from dmlviz.recording.tasks import Exercise, asked_of, exercises_of, summary, tasks_of
from dmlviz.session.examples import all_examples
from dmlviz.session.experiments import Experiment, Session
from dmlviz.session.reading import load
from dmlviz.teaching.asked import about, text_of
from dmlviz.teaching.kinds.lib.asking import questions
from dmlviz.teaching.lessons.lessons import CONTENT
from dmlviz.teaching.progress.progress import LESSONS
from dmlviz.teaching.questions.subject import shown
from dmlviz.teaching.questions.wording import on_page

CLASSROOM = Path(__file__).parents[2] / "examples" / "classroom" / "rows-by-index.json"
FIRST = [each.session().experiments[0] for each in all_examples()]
EXAMPLES = {each.name: each.with_tasks() for each in all_examples()}
SESSIONS = [*EXAMPLES.values(), *(load(CONTENT / f"lesson-{name}.json") for name in LESSONS)]
SOME = pytest.mark.parametrize("one_in", [2, pytest.param(1, marks=pytest.mark.slow)])
"""Of how many sessions one is tried."""


@cache
def shipped(number: int) -> tuple[list[Exercise], list[Any]]:
    """The exercises of one of the sessions, and what its page is told of each."""
    exercises = exercises_of(SESSIONS[number])
    return exercises, page_data(SESSIONS[number], exercises)["experiments"]


def test_a_session_without_tasks_asks_nothing() -> None:
    named = (replace(each, name=f"my {each.name}") for each in FIRST[:3])  # by its name it would be an example
    assert tasks_of(Session(tuple(named))) == [None] * 3


def test_a_task_about_tensors_that_are_too_large_is_left_to_dmlviz() -> None:
    desc = dml.Tile(dml.TensorDesc("FLOAT32", (2, 3)), (1, 100))
    made = Experiment("wide", desc, extra={"task": {"ask": {"kind": "cell", "at": [1, 3]}}})
    exercise, other = exercises_of(Session((made, made)))
    assert (exercise.title, other.title) == ("Experiment 1", "Experiment 2")
    assert exercise.task is not None
    assert "too large" in exercise.task.reason


@pytest.mark.drawn(14)
@pytest.mark.parametrize("experiment", FIRST, ids=[each.name for each in all_examples()])
def test_every_answer_that_is_known_is_graded_as_python_grades_it(experiment: Experiment) -> None:
    for question in questions(experiment, None, 3):
        task = asked_of(question)
        assert (task.reason != "") == (question.kind.name in WITH_FORM)
        if task.other is None:
            continue
        truth = text_of(question, question.truth)
        assert [key for key, said in task.verdicts.items() if said.right] == [truth]
        for answer in (question.truth, *question.answers.values(), *question.kind.counted_from_one(question)):
            found, said = question.grade(question.kind.form.json(answer)), task.verdicts[text_of(question, answer)]
            assert (said.right, said.says, said.rules) == (found.right, found.says, found.rules)
            assert said.look == on_page(question, found).look
            assert said.look not in ("the formula line", *[PLACES["memory"]] * (not question.kind.about_memory))
        assert not task.other.right
        if question.kind.form.name == "choice":
            assert {option.id for option in question.options} <= set(task.verdicts)


@SOME
def test_every_shipped_task_is_asked_that_needs_no_form_and_its_truth_is_right(one_in: int) -> None:
    for session in range(0, len(SESSIONS), one_in):
        exercises, every = shipped(session)
        asked = {number: question for number, *_, question in asked_in(exercises)}
        for number, exercise in enumerate(exercises):
            if number in asked:
                data = every[number]["task"]
                assert data["truth"] == text_of(asked[number], asked[number].truth)
                assert data["verdicts"][data["truth"]][0] is True
            elif exercise.question is not None:
                assert exercise.question.kind.name in WITH_FORM


def seen_open(data: dict[str, Any]) -> str:
    """All texts of an experiment that a page shows while its task is open."""
    task = data.get("task", {})
    texts = [data.get("title", ""), data.get("meaning", ""), task.get("prompt", ""), task.get("about", "")]
    if "rules" not in task:
        texts += [data["verdict"], *data.get("reasons", ())]
    texts += [f"{one['name']} {one.get('open', one.get('content', ''))}" for one in data["fields"]]
    if "picture" not in task:
        tables = [table for table in data.get("tables", ()) if "covered" not in table]
        texts += [f"{table['path']} {table['type']}" for table in tables]
        texts += [text for table in tables if not table["out"] for text in table["texts"]]
    return "\n".join(texts)


def drawn(exercise: Exercise, step: int) -> list[str]:
    """Every piece of text of a still."""
    svg = Stills(exercise).svg(step)
    return [html.unescape(each) for each in re.findall(r"<text\b[^>]*>([^<]*)<", svg)]


@pytest.mark.parametrize("file", [CLASSROOM, CONTENT / "levels.json"], ids=["questions", "levels"])
def test_no_name_of_an_experiment_stands_beside_an_open_task(file: Path, tmp_path: Path) -> None:
    """It may be the answer, and a level's solution."""
    made = json.loads(file.read_text())
    del made["experiments"][4:]
    for number, one in enumerate(made["experiments"]):
        one["name"] = f"TOLD {number}"
    (session := tmp_path / "x.json").write_text(json.dumps(made))
    assert call("record", session, "-o", tmp_path / "x.svg").code == 0
    assert not any("TOLD" in still.read_text() for still in tmp_path.glob("*-step-000.svg"))
    loaded = dml.load(session)
    data = page_data(loaded, exercises_of(loaded))
    assert "TOLD" not in data["title"] + "".join(map(seen_open, data["experiments"]))
    plain = html_page(loaded).partition("</noscript>")[0]
    assert "TOLD" not in plain


@SOME
def test_nothing_that_tells_the_answer_stands_beside_an_open_task(one_in: int) -> None:
    met = set()
    for session in range(0, len(SESSIONS), one_in):
        for exercise, data in zip(*shipped(session), strict=True):
            cover, task = exercise.cover, exercise.task
            if cover is None or task is None or task.question is None:
                continue
            met.add(task.question.kind.name)
            still = "\n".join(drawn(exercise, 0))
            for text in (seen_open(data), still):
                if cover.rules:
                    assert summary(exercise.view.report) not in text
                    options = [option.text for option in task.question.options]
                    messages = [check.message for check in exercise.view.report.failures]
                    assert not any(each in text for each in messages if not any(each in one for one in options))
                    assert exercise.name not in text.splitlines()
                if cover.links:
                    assert not re.search(r"step \d", text)
                for path in (each.removesuffix(".Sizes") for each in cover.hidden if each.endswith(".Sizes")):
                    parts = [part for part in exercise.experiment.desc.parts if part.path == path]
                    assert not any(f"{path} {part.tensor}" in text for part in parts)
            assert task.prompt.split()[0] in still
            for option in task.question.options if not task.reason else ():
                for _, values in option.picture.outputs if option.picture is not None else ():
                    assert {*map(shown, values)} <= {*still.split()}
            told = drawn(exercise, exercise.count) if exercise.count else []
            assert not any(task.prompt.startswith(line) and len(line) > 30 for line in told), "a question that is open"
    assert met >= {"valid", "lowest", "sizes", "blank", "cell", "pictures", "level"}


def test_what_is_asked_of_a_changed_desc_is_drawn_of_that() -> None:
    met = 0
    for session in (each for each in EXAMPLES.values() if "change" in str(each.experiments[0].extra)):
        exercises = exercises_of(session)
        every = page_data(session, exercises)["experiments"]
        plain = page_data(session, exercises_of(session, asks=False))["experiments"]
        for number, exercise, _, question in asked_in(exercises):
            if exercise.experiment is not exercise.home:
                met += 1
                assert exercise.experiment is question.subject.experiment
                assert "notes" not in every[number]
                assert any(every[number].get(key) != plain[number].get(key) for key in ("fields", "tables"))
    assert met


def test_an_element_that_is_asked_about_is_marked_in_its_still() -> None:
    every = (each for session in range(0, len(SESSIONS), 4) for each in asked_in(shipped(session)[0]))
    marked = (exercise for _, exercise, _, question in every if about(question) and exercise.picture)
    counts = set[int]()
    for stills in map(Stills, islice(marked, 12)):
        ((first, behind),) = (table["asked"] for table in stills.data["tables"] if "asked" in table)
        assert stills.svg(0).count('stroke="#0b5cad"') == behind - first
        counts.add(behind - first)
    assert counts > {1}, "an element, and a row"


def test_yes_or_no_are_the_words_of_a_still_and_sizes_that_are_asked_for_are_a_sign() -> None:
    wanted = {"promised": "– yes", "valid": "OutputTensor FLOAT32 {?}"}
    for kind, text in wanted.items():
        task = {"id": "one", "ask": {"kind": kind}, "hide": ["OutputTensor.Sizes"]}
        experiment = replace(EXAMPLES["warning-index-range"].experiments[0], extra={"task": task})
        (exercise,) = exercises_of(Session((experiment,), extra={"lesson": {"seed": 1}}))
        assert text in "\n".join(drawn(exercise, 0))
        assert "true" not in drawn(exercise, 0)
