"""Recorded pages: their tables are the scene's at every step, they ask no network, and hostile texts are texts."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from xml.etree import ElementTree

import numpy as np
import pytest
from support.recorded_pages import data_of, experiments, parsed, tables_of

import dmlviz as dml
from dmlviz.errors import DmlvizError
from dmlviz.operators.maps import NOWHERE, Place
from dmlviz.recording.colours import identity_of
from dmlviz.recording.html_page import html_page
from dmlviz.recording.pictures import Picture, Recorded, recorded
from dmlviz.recording.recording import record
from dmlviz.recording.tasks import exercises_of
from dmlviz.scene.cells.contents import HIDDEN
from dmlviz.scene.elements.cursor import Cursor, flat_of
from dmlviz.scene.elements.lookup import value_of
from dmlviz.scene.elements.partners import partners
from dmlviz.session.examples import all_examples
from dmlviz.session.experiments import Experiment, Session

SESSIONS = {each.name: each.session() for each in all_examples()}
HOSTILE = (
    "<script>alert(1)</script>",
    "</script><img src=x onerror=alert(1)>",
    '" onfocus="alert(1)" autofocus="',
    "<!-- ]]> & &lt; \\u003c ${1} `x`",
    "\u202eabc\u0000\x1b[31m",
    "a\u2028b\u2029c\u2066d\ufeffe\u200f",
    "]]></style><svg onload=alert(1)>&#60;&lt;/textarea>",
)
TILE = dml.Tile(dml.TensorDesc("FLOAT32", (2, 3)), (1, 2))
FLAGGED = dml.Tile(dml.TensorDesc("FLOAT32", (2, 3), flags="DML_TENSOR_FLAG_OWNED_BY_DML"), (1, 2))


def pictures(session: Session) -> list[tuple[Recorded, Picture]]:
    found = (recorded(each) for each in session.experiments)
    return [(each, each.picture) for each in found if each.picture is not None]


@pytest.mark.drawn(14)
@pytest.mark.parametrize("name", SESSIONS)
def test_at_every_step_the_tables_are_the_scenes(name: str) -> None:
    session = SESSIONS[name]
    sections = [data_of(each) for each in experiments(html_page(session))]
    drawn = [tables_of(each) for each in experiments(html_page(session))]
    for item, data, shown in zip(exercises_of(session), sections, drawn, strict=True):
        picture = item.shown.picture
        assert (picture is None) == (not shown)
        if picture is None:
            continue
        count = picture.steps.count
        assert data["count"] == count
        for step in sorted({*range(min(count, 24) + 1), count - 1, count}):
            for table, told, texts in zip(picture.tables, data["tables"], shown, strict=True):
                for k, cell in enumerate(table.cells(picture.known(step))):
                    is_told = told["told"][k] <= step
                    is_known = is_told or not told["out"]
                    assert cell.is_known == is_known
                    assert cell.text == (texts[k] if is_known else HIDDEN)
                    assert identity_of(cell) == (told["identity"][k] if is_told else -1)
                    assert cell.shade == (told["shade"][k] if is_told and told["placed"][k] <= step else -1)


@pytest.mark.drawn(14)
@pytest.mark.parametrize("name", SESSIONS)
def test_a_whole_table_holds_every_element_once_and_a_partners_are_the_traces(name: str) -> None:
    session = SESSIONS[name]
    shown = (item.shown for item in exercises_of(session))
    for section, each in zip(experiments(html_page(session)), shown, strict=True):
        if each.picture is None:
            continue
        trace = each.picture.trace
        for table, told, texts in zip(each.picture.tables, data_of(section)["tables"], tables_of(section), strict=True):
            sizes, place = table.figure.part.tensor.sizes, Place(told["out"], told["number"])
            if table.is_whole:
                assert sorted(told["flat"]) == list(range(len(list(product(*map(range, sizes))))))
            for k in range(len(texts)):
                cursor = Cursor(place, table.index(k))
                assert told["flat"][k] == flat_of(trace, cursor)
                assert texts[k] == value_of(trace, cursor)[0]
                if place.is_output:
                    found = partners(trace, cursor)
                    assert (found.source or (NOWHERE, 0)) == (told["source"][k], told["from"][k])
                    assert found.via == ((told["by"], told["via"][k]) if "via" in told else None)


@pytest.mark.parametrize("name", SESSIONS)
def test_a_page_loads_nothing(name: str) -> None:
    page = html_page(SESSIONS[name])
    root = parsed(page)
    assert not [each for tag in ("link", "img", "iframe", "object", "video", "base") for each in root.all(tag)]
    assert all(str(each.attributes["href"]).startswith("#e") for each in root.all("a"))
    assert not [each for each in root.all("script") if "src" in each.attributes]
    for style in root.all("style"):
        assert "url(" not in style.text
        assert "@import" not in style.text
    policies = [each.attributes["content"] for each in root.all("meta") if "http-equiv" in each.attributes]
    assert len(policies) == 1
    assert str(policies[0]).startswith("default-src 'none'; ")


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_titles_and_notes_are_text(text: str) -> None:
    def session(words: str) -> Session:
        broken = Experiment(words, TILE.replace({"Repeats": (0, 1)}))
        return Session((Experiment(words, TILE, notes=words), broken), words)

    hostile, plain = (parsed(html_page(session(words))) for words in (text, "plain"))
    assert hostile.tree == plain.tree
    shown = "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text)
    assert hostile.all("h1")[0].text == shown
    assert hostile.all("h2")[0].text == shown
    assert hostile.of_class("notes")[0].text == shown


@pytest.mark.drawn(2)
@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_texts_of_tasks_are_text(text: str) -> None:
    def session(words: str) -> Session:
        asked = {"kind": "sizes", "change": {"desc": {"Repeats": [1, 3], "OutputTensor": None}}}
        said = {"say": f"{words} 1?", "hints": [f"{words} 2"], "look": f"{words} 3", "then": f"{words} 4"}
        choices = {"kind": "misprint", "choices": [f"{words} 5", "other"]}
        tasks = [
            {"ask": asked, "wrong": {"other": f"{words} 6"}, **said},
            {"ask": choices, "want": "other", **said},
            {"ask": {"kind": words}, **said},
        ]
        made = (Experiment(words, TILE, notes=words, extra={"task": each}) for each in tasks)
        return Session(tuple(made), words, extra={"lesson": {"goal": words}})

    hostile, plain = (html_page(session(words)) for words in (text, "plain"))
    assert parsed(hostile).tree == parsed(plain).tree
    shown = "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text)
    assert parsed(hostile).all("legend")[0].text == f"{shown} 1?"
    assert parsed(hostile).of_class("goal")[0].text == shown
    assert data_of(experiments(hostile)[0])["task"]["then"] == f"{shown} 4"
    for one, other in zip(record(session(text), "svg"), record(session("plain"), "svg"), strict=True):
        trees = [[e.tag for e in ElementTree.fromstring(str(each.content)).iter()] for each in (one, other)]
        assert {*trees[0]} == {*trees[1]}
        assert "onload" not in {key for e in ElementTree.fromstring(str(one.content)).iter() for key in e.attrib}


@pytest.mark.drawn(14)
@pytest.mark.parametrize("name", SESSIONS)
def test_the_same_session_gives_the_same_page(name: str) -> None:
    again = next(each for each in all_examples() if each.name == name).session()
    assert html_page(SESSIONS[name]) == html_page(again)


def test_a_handout_has_the_pages_tasks_and_answers_and_keeps_nothing() -> None:
    session = SESSIONS["gather-1"]
    (page,), (handout,) = dml.record(session, "html"), dml.record(session, "html", handout=True)
    assert handout == html_page(session, handout=True) != page
    for section, other in zip(experiments(str(page)), experiments(str(handout)), strict=True):
        assert section.tree == other.tree
    assert [len(parsed(str(each)).of_class("answers")) for each in (page, handout)] == [1, 1]
    assert [len(parsed(str(each)).of_class("hand-in")) for each in (page, handout)] == [1, 0]
    with pytest.raises(DmlvizError, match="handout is given with svg, expected html"):
        dml.record(session, "svg", handout=True)


def test_every_table_has_headings_and_a_caption() -> None:
    for name in ("gather-2", "join-1", "reverse-1", "split-1", "tile-1"):
        for section in experiments(html_page(SESSIONS[name])):
            for table in section.of_class("picture")[0].all("table"):
                assert len(table.all("caption")) == 1
                across = {len(row.all("th")) + len(row.all("td")) for row in table.all("tr")}
                assert len(across) == 1
                assert all(each.attributes["scope"] in ("row", "col") for each in table.all("th"))


def test_an_invalid_desc_is_shown_as_invalid_with_its_reasons() -> None:
    experiment = Experiment("broken", TILE.replace({"Repeats": (0, 1)}))
    (section,) = experiments(html_page(Session((experiment,))))
    assert not section.of_class("picture")
    assert "is invalid" in section.of_class("validity")[0].text
    reasons = section.of_class("reasons")[0].text
    assert all(check.message in reasons for check in experiment.check().errors)


def test_a_desc_that_is_not_checked_whole_gets_no_tick() -> None:
    (section,) = experiments(html_page(Session((Experiment("flagged", FLAGGED),))))
    assert section.of_class("picture")
    assert not section.of_class("validity")  # the style puts a tick in front of it
    assert section.of_class("not-checked")[0].text.startswith("? TILE breaks no rule")


def test_a_large_tensor_shows_a_window_and_says_what_is_left_out() -> None:
    desc = dml.Tile(dml.TensorDesc("FLOAT32", (3000, 4000)), (1, 2))
    (section,) = experiments(html_page(Session((Experiment("large", desc),))))
    assert "more rows" in section.text
    assert "more columns" in section.text
    (squares,) = section.of_class("blocks")  # the input's elements have no colours
    assert squares.all("path")
    assert len(html_page(Session((Experiment("large", desc),)))) < 1 << 20


def test_the_bare_page_is_the_pictures_alone() -> None:
    session = replace(SESSIONS["gather-2"], title="A title")
    (section, *_) = experiments(html_page(session, bare=True))
    assert not section.all("h2")
    assert tables_of(section) == tables_of(experiments(html_page(session))[0])


def test_every_input_cell_says_how_often_it_is_read() -> None:
    """Of a table that is shown in part as well, for which a page knows some readers."""
    wide = Session((Experiment("wide", dml.Tile(dml.TensorDesc("FLOAT32", (2, 3)), (1, 12))),))
    gather = dml.Gather(dml.TensorDesc("FLOAT32", (9,)), dml.TensorDesc("UINT32", (3,)), axis=0, index_dimensions=1)
    never_read = Session((Experiment("few", gather),))
    met = set()
    for session in (SESSIONS["gather-2"], SESSIONS["reverse-1"], SESSIONS["tile-1"], wide, never_read):
        for each, section in zip(session.experiments, experiments(html_page(session)), strict=True):
            trace = each.trace()
            for table in data_of(section)["tables"]:
                for flat, said in zip(table["flat"], table["said"], strict=True):
                    if table["out"]:
                        continue
                    index = [int(n) for n in np.unravel_index(flat, table["sizes"])]
                    count = len(trace.destinations(table["number"], index))
                    assert said.startswith(f"{table['path']}[{','.join(map(str, index))}] = ")
                    assert ("never read" in said) == (table["data"] and not count)
                    assert f"×{count}" in said or not (table["data"] and count)
                    assert (f"and {count - 3} more" in said) == (count > 3)
                    met.add(min(count, 4))
    assert met >= {0, 1, 2, 4}


def test_more_steps_are_told_of_just_where_there_are_more_than_are_listed() -> None:
    desc = dml.Gather(dml.TensorDesc("UINT8", (2, 2)), dml.TensorDesc("UINT32", (1, 99)), 0, 1)
    many = Session((Experiment("many", desc),))
    for session in (many, *(SESSIONS[name] for name in ("gather-2", "join-1", "split-1", "reverse-1"))):
        (told, *_) = parsed(html_page(session)).all("details")
        assert ("more steps" in told.text) is (session is many)
