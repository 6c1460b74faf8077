"""Pages and their JSON: cells are the scene's at every step, they load nothing, and hostile texts are texts."""

from __future__ import annotations

import html
import re
from dataclasses import replace
from pathlib import Path

import pytest
from support.page_json import cells_at, html_page, json_of_page

import dmlviz as dml
from dmlviz.explaining import explain
from dmlviz.recording.page import page_data
from dmlviz.recording.pictures import cell_colours, identity_of
from dmlviz.recording.tasks import exercises_of
from dmlviz.session.examples import all_examples
from dmlviz.session.experiments import Experiment, Session
from dmlviz.session.reading import load
from dmlviz.teaching.lessons.lessons import CONTENT
from dmlviz.teaching.progress.progress import LESSONS

SESSIONS = {each.name: each.session() for each in all_examples()}
CLASSROOM = Path(__file__).parents[2] / "examples" / "classroom"
HOSTILE = (
    "<script>alert(1)</script>",
    "</script><img src=x onerror=alert(1)>",
    '" onfocus="alert(1)" autofocus="',
    "<!-- ]]> & &lt; \\u003c ${1} `x`",
    "a\u2028b\u2029c\u2066d\ufeffe\u200f",
    "]]></style><svg onload=alert(1)>&#60;&lt;/textarea></noscript></pre>",
)
TILE = dml.Tile(dml.TensorDesc("FLOAT32", (2, 3)), (1, 2))


@pytest.mark.drawn(14)
@pytest.mark.parametrize("name", SESSIONS)
def test_at_every_step_the_cells_are_the_scenes(name: str) -> None:
    exercises = exercises_of(SESSIONS[name])
    page = json_of_page(html_page(SESSIONS[name]))
    for exercise, data in zip(exercises, page["experiments"], strict=True):
        picture = exercise.picture
        assert (picture is None) == ("tables" not in data)
        if picture is None:
            continue
        assert data["count"] == picture.steps.count
        for step in range(data["count"] + 1):
            shown = cells_at(data, page["colours"], step)
            for table, cells in zip(picture.tables, shown, strict=True):
                for found, wanted in zip(cells, table.cells(picture.known(step)), strict=True):
                    id_ = identity_of(wanted)
                    colours = (*cell_colours(id_, wanted.shade), wanted.letter) if id_ >= 0 else ()
                    assert (found.text, found.sign, (*found.colours,)) == (wanted.text, wanted.sign, colours)


@pytest.mark.drawn(10)
@pytest.mark.parametrize("name", SESSIONS)
def test_a_page_loads_nothing_and_is_the_same_each_time(name: str) -> None:
    page = html_page(SESSIONS[name])
    assert not re.search(
        r"<(?:link|img|iframe|object|video|base)\b|\bsrc=|url\(|@import|https?://(?!www\.w3\.org)", page
    )
    assert len(re.findall(r"default-src 'none'; style-src 'sha256-\S+'; script-src 'sha256-\S+';", page)) == 1
    assert page == html_page(next(each for each in all_examples() if each.name == name).session())


def test_without_its_program_a_page_is_the_text_of_its_steps() -> None:
    for session in (SESSIONS["gather-2"], load(CLASSROOM / "rows-by-index.json")):
        page = html.unescape(html_page(session)).partition("<noscript>")[2].partition("</noscript>")[0]
        for exercise in exercises_of(session):
            told = exercise.task.prompt if exercise.task is not None else explain(exercise.home, session.experiments)
            assert told.strip() in page


@pytest.mark.drawn(2)
@pytest.mark.parametrize("name", LESSONS)
def test_a_lesson_of_ten_takes_at_most_64_kilobytes(name: str) -> None:
    session = load(CONTENT / f"lesson-{name}.json")
    assert len(html_page(replace(session, experiments=session.experiments[:10])).encode()) <= 64 * 1024


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_texts_are_text(text: str) -> None:
    def session(words: str) -> Session:
        asked = {"kind": "sizes", "change": {"desc": {"Repeats": [1, 3], "OutputTensor": None}}}
        said = {"say": f"{words} 1?", "hints": [f"{words} 2"], "look": f"{words} 3", "then": f"{words} 4"}
        tasks = [{"ask": asked, "wrong": {"other": f"{words} 6"}, **said}, {"ask": {"kind": words}, **said}]
        made = [Experiment(words, TILE, notes=words, extra={"task": each}) for each in tasks]
        made += [Experiment(words, TILE, notes=words), Experiment(words, TILE.replace({"Repeats": (0, 1)}))]
        return Session(tuple(made), words, extra={"lesson": {"goal": words}})

    hostile, plain = (html_page(session(words)) for words in (text, "plain"))
    assert re.findall(r"<(?=[a-z/!])[^\s>]+", hostile) == re.findall(r"<(?=[a-z/!])[^\s>]+", plain)
    shown = "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text)
    page = json_of_page(hostile)
    assert (page["title"], page["goal"]) == (shown, shown)
    assert page["experiments"][0]["task"]["then"] == f"{shown} 4"
    assert page["experiments"][2]["notes"] == shown
    (title,) = re.findall("<title>(.*?)</title>", hostile, re.DOTALL)
    assert html.unescape(title) == shown


def test_an_invalid_desc_is_shown_as_invalid_with_its_reasons() -> None:
    experiment = Experiment("broken", TILE.replace({"Repeats": (0, 1)}))
    page = html_page(Session((experiment,)))
    (data,) = json_of_page(page)["experiments"]
    assert "tables" not in data
    assert data["invalid"]
    for check in experiment.check().errors:
        assert check.message in " ".join(data["reasons"])
        assert html.escape(check.message) in page, "without its program too"
    flagged = dml.Tile(dml.TensorDesc("FLOAT32", (2, 3), flags="DML_TENSOR_FLAG_OWNED_BY_DML"), (1, 2))
    (data,) = json_of_page(html_page(Session((Experiment("flagged", flagged),))))["experiments"]
    assert "? not checked" in data["verdict"]


def test_a_desc_whose_tensors_are_too_large_gets_one_sentence() -> None:
    few, many = ([dml.TensorDesc("FLOAT32", (1, 1))] * count for count in (16, 17))
    half, third = (dml.TensorDesc("FLOAT32", (1, count)) for count in (256, 171))
    for desc in (dml.Join(few, 0), dml.Tile(half, (1, 2))):
        (data,) = page_data(made := Session((Experiment("fits", desc),)), exercises_of(made))["experiments"]
        assert [table["path"] for table in data["tables"]] == [part.path for part in desc.parts]
        assert data["unit"] == ("slice" if desc.TYPE.endswith("TILE") else "element"), "512 steps are too many"
    for desc in (dml.Join(many, 0), dml.Tile(third, (1, 3))):
        (data,) = page_data(made := Session((Experiment("large", desc),)), exercises_of(made))["experiments"]
        assert "tables" not in data
        assert data["large"].startswith("Its tensors are too large for a page")
        assert {part.path for part in desc.parts} <= {field["name"] for field in data["fields"]}


def test_the_classroom_page_is_up_to_date() -> None:
    """`python docs/recorded.py` writes it anew."""
    (page,) = dml.record(dml.load(CLASSROOM / "rows-by-index.json"), "html")
    assert (CLASSROOM / "rows-by-index.html").read_text("utf-8") == page
