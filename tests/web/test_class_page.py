"""What a class's phones are shown: nothing of the truth while a question is open, and nothing that loads or runs."""

from __future__ import annotations

import base64
import dataclasses
import hashlib
import json
import re
from typing import Any

import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st
from msgspec.structs import replace
from support.effort import tried
from support.every_kind import KINDS, of_kind
from support.kinds import FORMS, OF_CHAINS, WITH_FORM
from support.other_maps import with_other_map
from support.recorded_pages import Element, parsed, value_of

import dmlviz as dml
from dmlviz.recording.pictures import Recorded, picture_of
from dmlviz.recording.tasks import cover_of
from dmlviz.scene.steps.order import Unit
from dmlviz.session.experiments import Experiment
from dmlviz.teaching.lessons.lessons import Step
from dmlviz.teaching.tasks.tasks import task_of
from dmlviz.web.class_page import MARKED, form_of, host_page, page, question_fragment, shown_fragment
from dmlviz.workspace.wall.presented_item import Item, item_of

ASKED = tuple(name for name in KINDS if name in FORMS and name not in WITH_FORM)
SECRET = "What nobody is to be told"


def of(experiment: Experiment) -> Item:
    return item_of(Step(1, experiment, task_of(experiment), ""))


def open_(item: Item) -> list[str | None]:
    """An open question in every way that a phone is asked it."""
    ways = [(True, False), (False, False), (False, True)]
    return [question_fragment(item, letters=letters, alone=alone) for letters, alone in ways]


def with_other_truth(item: Item) -> Item:
    """The same visible things, and another truth behind them."""
    assert item.question is not None
    question = replace(item.question, truth=SECRET, answers={"G99": SECRET})
    answers = [
        replace(answer, right=not answer.right, rule=SECRET, words=SECRET, given=SECRET) for answer in item.answers
    ]
    return replace(item, question=question, answers=(*answers,), sentences=(SECRET,), notes=(SECRET,))


@pytest.mark.parametrize("kind", ASKED)
def test_an_open_question_does_not_follow_from_its_truth(kind: str) -> None:
    item = of(of_kind(kind)[0])
    assert None not in open_(item)
    assert open_(item) == open_(with_other_truth(item))


@tried(30, suppress_health_check=list(HealthCheck))
@given(st.sampled_from(ASKED), st.integers(0, 99))
def test_an_open_question_does_not_follow_from_the_map(kind: str, seed: int) -> None:
    """Where elements come from, what outputs hold, who reads and what is clamped: all of it is another desc's."""
    item = of(of_kind(kind)[0])
    question, trace = item.question, item.view.trace
    assert question is not None
    if trace is None:
        return
    other = replace(item)
    picture = picture_of(with_other_map(trace, Unit.ELEMENT, 0, seed))
    other.__dict__["class_recorded"] = Recorded(item.experiment, item.view, picture)
    assert open_(item) == open_(other)


@pytest.mark.parametrize("kind", KINDS)
def test_a_phone_asks_what_it_has_a_form_for(kind: str) -> None:
    item = of(of_kind(kind)[0])
    for letters in (True, False):
        wanted = "choice" if letters and item.answers else FORMS.get(kind)
        assert form_of(item, letters=letters) == (wanted if kind in ASKED else None)
        assert (question_fragment(item, letters=letters) is None) == (kind not in ASKED)


@pytest.mark.parametrize("kind", ASKED)
def test_what_an_open_question_holds(kind: str) -> None:
    """No value of an output that is asked for, no name, no field or tensor that is hidden, and nothing besides."""
    experiment, _ = of_kind(kind)
    name = experiment.name if kind in OF_CHAINS else SECRET  # of stages the question names
    item = of(dataclasses.replace(experiment, name=name, notes=SECRET))
    question, desc = item.question, experiment.desc
    assert question is not None
    cover = cover_of(question)
    for fragment in filter(None, open_(item)):
        assert SECRET not in fragment
        assert not re.search(r'<script(?! type="application/json" class="data")| style=|<[^>]* on[a-z]+=', fragment)
        root = parsed(fragment)
        data = json.loads(root.of_class("data")[0].text)
        assert set(data) == {"words", "count", "tables", "task"}
        assert set(data["task"]) <= {"form", "sent", "links", "outputs", "plays", "at"}
        for table in data["tables"]:
            untold = ("identity", "shade", "sign", "told", "placed", "unread", "said")
            assert [table.pop(name) for name in untold] == [[]] * 7
            assert set(table) == {"out", "number", "path", "sizes", "columns", "data", "flat"}
            assert not cover.sizes(table["path"])
        shown = [value_of(td) for out in root.of_class("out") for body in out.all("tbody") for td in body.all("td")]
        assert shown.count("·") == len(shown)
        assert not [td for td in root.all("td") if td.attributes.get("class")]
        chips = root.of_class("chips")[0].text
        for field in desc.ATTRIBUTES:
            assert (field.name in chips) == (field.name not in question.hidden)
        for part in desc.parts:
            if cover.sizes(part.path):
                assert str(part.tensor) not in fragment


@pytest.mark.parametrize("kind", [kind for kind in ASKED if of(of_kind(kind)[0]).answers])
def test_letters_are_the_walls(kind: str) -> None:
    item = of(of_kind(kind)[0])
    fragment = question_fragment(item, letters=True)
    assert fragment is not None
    (options,) = parsed(fragment).of_class("options")
    labels = options.all("label")
    boxes = [label.all("input")[0].attributes for label in labels]
    assert [(box["type"], box["value"]) for box in boxes] == [("radio", answer.id) for answer in item.answers]
    for label, answer in zip(labels, item.answers, strict=True):
        assert label.all("b")[0].text == answer.id
        assert answer.text in label.text
        assert bool(label.all("table")) == (answer.picture is not None)


def large(rows: int, kind: str) -> Item:
    """A question about rows of so many that a phone draws the first of them alone."""
    desc = dml.Gather(
        input_tensor=dml.TensorDesc("FLOAT32", (rows, 2)),
        indices_tensor=dml.TensorDesc("UINT32", (1, 2)),
        axis=0,
        index_dimensions=1,
    )
    return of(Experiment("large", desc, extra={"task": {"id": "x", "ask": {"kind": kind}}}))


@pytest.mark.parametrize(("kind", "rows"), [("source", 300), ("cell", 300), ("sizes", 5000)])
def test_of_a_large_tensor_the_first_cells_are_drawn_whatever_is_asked(kind: str, rows: int) -> None:
    small, item = large(3, kind), large(rows, kind)
    assert None not in open_(small)
    assert open_(item) == open_(with_other_truth(item))
    letters, own, alone = open_(item)
    assert letters is not None
    (data,) = parsed(letters).of_class("data")
    tables = json.loads(data.text)["tables"]
    assert tables[0]["flat"] == [*range(512)]
    assert (own is None) == (FORMS[kind] in MARKED)
    assert (alone is None) == (kind != "sizes")


def policy_of(text: str) -> tuple[str, Element]:
    scripts = re.findall(r"<script>(.*?)</script>", text, re.DOTALL)
    (looks,) = re.findall(r"<style>(.*?)</style>", text, re.DOTALL)

    def digests(*parts: str) -> str:
        hashes = (base64.b64encode(hashlib.sha256(part.encode()).digest()).decode() for part in parts)
        return " ".join(f"'sha256-{each}'" for each in hashes)

    policy = (
        f"default-src 'none'; script-src {digests(*scripts)}; style-src {digests(looks)}; img-src data:; "
        "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    )
    assert len(scripts) == 2
    return policy, parsed(
        re.sub(r"<link [^>]*>|<!DOCTYPE html>|<script>.*?</script>|<style>.*?</style>", "", text, flags=re.S)
    )


def test_a_page_allows_its_own_programs_alone_and_loads_nothing() -> None:
    hostile = '"><img src=x onerror=alert(1)>'
    made = page(address=hostile), page(address=hostile, asks=True), host_page()
    for text, policy in made:
        wanted, root = policy_of(text)
        assert policy == wanted
        assert root.all("html")[0].attributes["lang"] == "en"
        assert not root.all("img")
        markup = re.sub(r"<script.*?</script>", "", text, flags=re.DOTALL)
        assert not re.search(r"<[^>]* (style|on[a-z]+|src|action)=", markup)
        assert re.findall(r'href="([^"]*)"', markup) == ["data:,"]
        assert not re.search(r"https?://(?!www\.w3\.org/2000/svg)", text)
    assert len({text for text, _ in made}) == 3


def test_what_authors_write_is_text() -> None:
    experiment, _ = of_kind("cell")
    task: dict[str, Any] = experiment.extra["task"] | {"say": '</script><img src=x onerror="x"> style="y"'}
    item = of(dataclasses.replace(experiment, name="<b>n</b>", extra={**experiment.extra, "task": task}))
    fragment = question_fragment(item, letters=True)
    assert fragment is not None
    for each in (fragment, shown_fragment(item)):
        root = parsed(each)
        assert not root.all("img")
        assert not re.search("<[^>]* style=", each)
    assert task["say"] in parsed(fragment).all("legend")[0].text


@pytest.mark.parametrize("kind", ASKED)
def test_what_is_told_has_steps_colours_and_no_task(kind: str) -> None:
    item = of(of_kind(kind)[0])
    told = parsed(shown_fragment(item))
    (data,), (colours,) = told.of_class("data"), told.of_class("colours")
    assert "task" not in json.loads(data.text)
    assert not told.all("form")
    rules = json.loads(colours.text)
    assert all(re.fullmatch(r"[^{}]+\{background:#[0-9a-f]{6};color:#[0-9a-f]{6}\}", rule) for rule in rules)
    cells = re.findall(r"\bi\d+\b", " ".join(td.attributes.get("class") or "" for td in told.all("td")))
    assert all(any(f"td.{name}{{" in rule or f"td.{name}," in rule for rule in rules) for name in cells)
    assert bool(cells) <= item.view.live
