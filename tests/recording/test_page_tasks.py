"""Tasks on a page: which are asked, and that each answer's verdict is that of Python."""

from __future__ import annotations

import html
import json
import re
from dataclasses import replace
from pathlib import Path

import pytest
from support.commands import call
from support.kinds import FORMS, WITH_FORM
from support.recorded_pages import Element, data_of, experiments, parsed, tables_of

import dmlviz as dml
from dmlviz.desc.value_sources import Listed
from dmlviz.formats.page_text import shorts
from dmlviz.operators.registry import operator_of
from dmlviz.recording.html_page import html_page
from dmlviz.recording.recording import record
from dmlviz.recording.svg_still import svg_still
from dmlviz.recording.tasks import Asked, Unasked, asked_of, exercises_of, tasks_of
from dmlviz.recording.words import words
from dmlviz.session.examples import all_examples
from dmlviz.session.experiments import Experiment, Session
from dmlviz.session.reading import load
from dmlviz.teaching.asked import text_of
from dmlviz.teaching.kinds.lib.asking import kinds, questions
from dmlviz.teaching.lessons.lessons import CONTENT, lesson_of
from dmlviz.teaching.progress.progress import LESSONS
from dmlviz.teaching.questions.answers import shown
from dmlviz.teaching.questions.question import Question
from dmlviz.teaching.questions.wording import without_keys

CLASSROOM = Path(__file__).parents[2] / "examples" / "classroom" / "rows-by-index.json"
FIRST = [each.session().experiments[0] for each in all_examples()]


def test_every_kind_is_asked_or_needs_the_form() -> None:
    assert {*FORMS, *WITH_FORM} == set(kinds())


@pytest.mark.drawn(14)
@pytest.mark.parametrize("experiment", FIRST, ids=[each.name for each in all_examples()])
def test_every_answer_that_is_known_is_graded_as_python_grades_it(experiment: object) -> None:
    for question in questions(experiment, None, 3):  # type: ignore[arg-type]
        task = asked_of(question)
        if question.kind.name in WITH_FORM:
            assert isinstance(task, Unasked)
            continue
        assert isinstance(task, Asked)
        hold(question, task)


def hold(question: Question, task: Asked) -> None:
    assert task.verdicts[task.truth].right
    assert [key for key, said in task.verdicts.items() if said.right] == [task.truth]
    for answer in (question.truth, *question.answers.values(), *question.kind.counted_from_one(question)):
        found, said = question.grade(question.kind.form.json(answer)), task.verdicts[text_of(question, answer)]
        assert (said.right, said.says, said.rules) == (found.right, found.says, found.rules)
        assert said.look == without_keys(question.subject, found.look)
    assert not task.other.right
    assert not any(each.right for each in task.firsts)
    if task.form == "choice":
        assert {option.id for option in task.options} <= set(task.verdicts)


@pytest.mark.parametrize("name", LESSONS)
def test_the_tasks_of_a_lesson_stand_in_its_page(name: str) -> None:
    session = load(CONTENT / f"lesson-{name}.json")
    lesson = lesson_of(session, name)
    assert lesson is not None
    asked = tasks_of(session)
    for step, task, section in zip(lesson.steps, asked, experiments(html_page(session)), strict=True):
        if isinstance(task, Asked):
            assert section.all("legend")[0].text == task.prompt
            assert data_of(section)["task"]["truth"] == task.truth
        elif isinstance(task, Unasked) and task.question is not None:
            assert section.all("legend")[0].text == task.prompt
            assert data_of(section)["task"]["form"] == "none"
        else:
            assert "task" not in data_of(section)
            assert (task is None) == (step.task is None and not step.problem)


def test_a_session_without_tasks_asks_nothing() -> None:
    named = (replace(each, name=f"my {each.name}") for each in FIRST[:3])  # by its name it would be an example
    assert tasks_of(Session(tuple(named))) == [None] * 3


EXAMPLES = {each.name: each.with_tasks() for each in all_examples()}
CHANGED = [
    name
    for name, each in EXAMPLES.items()
    for one in each.experiments
    if "change" in one.extra.get("task", {}).get("ask", {})
]
KINDS = ("valid", "lowest", "promised", "misprint")
"""Kinds whose answer may stand in a name, a verdict or a reason."""


def lessons() -> list[Session]:
    return [*EXAMPLES.values(), *(load(CONTENT / f"lesson-{name}.json") for name in LESSONS)]


@pytest.mark.drawn(4)
@pytest.mark.parametrize("name", sorted(set(CHANGED)))
def test_what_is_asked_of_a_changed_desc_is_drawn_of_that(name: str) -> None:
    session = EXAMPLES[name]
    items = exercises_of(session)
    sections = experiments(html_page(session))
    changed = [n for n, each in enumerate(session.experiments) if "change" in each.extra.get("task", {}).get("ask", {})]
    assert changed
    for n in changed:
        item, section = items[n], sections[n]
        if session.experiments[n].extra["task"]["ask"]["kind"] in ("blank", "fixes"):
            assert isinstance(item.task, Unasked)  # a page can't take a desc or a field
            continue
        assert isinstance(item.task, Asked)
        asked = item.task.question.subject.experiment
        assert item.shown.experiment is asked
        assert asked != session.experiments[n]
        assert not section.of_class("notes")
        chips = section.of_class("chips")[0].text
        for field, held in item.shown.fields:
            assert f"{field}{held}" in chips
        if not item.shown.report.ok:
            assert not tables_of(section)
            continue
        trace = asked.trace()
        wanted = [shorts(trace.values[k].array().ravel()) for k in range(len(asked.desc.inputs))]
        wanted += [shorts(trace.reference(k).ravel()) for k in range(len(asked.desc.outputs))]
        assert tables_of(section) == wanted
        (*_, last) = [each.content for each in record(session, "svg", experiment=session.experiments[n].name)]
        for text in wanted[-1]:
            assert f">{text}<" in str(last)


def visible(section: Element) -> str:
    """What a reader sees before the answer, with scripts or without: neither data nor what is covered."""

    def of(each: Element) -> str:
        names = (each.attributes.get("class") or "").split()
        if each.name in ("script", "noscript") or ("covered" in names):
            return ""
        return " ".join(inner if isinstance(inner, str) else of(inner) for inner in each.held)

    assert "open" in (section.attributes.get("class") or "").split()
    return f"{of(section)} {section.attributes['aria-label']}"


@pytest.mark.parametrize("file", [CLASSROOM, CONTENT / "levels.json"], ids=["questions", "levels"])
def test_no_name_of_an_experiment_stands_beside_an_open_task(file: Path, tmp_path: Path) -> None:
    """It may be the answer, and a level's solution."""
    made = json.loads(file.read_text())
    del made["experiments"][4:]
    for number, one in enumerate(made["experiments"]):
        one["name"] = f"TOLD {number}"
    (session := tmp_path / "x.json").write_text(json.dumps(made))
    for to in ("html", "svg"):
        assert call("record", session, "-o", tmp_path / f"x.{to}", *(["--steps", "0:0"] * (to == "svg"))).code == 0
    page = (tmp_path / "x.html").read_text()
    for section in experiments(page):
        assert "TOLD" not in visible(section)
    assert not any("TOLD" in each.text for kind in ("title", "h1", "nav") for each in parsed(page).all(kind))
    assert not any("TOLD" in still.read_text() for still in tmp_path.glob("*.svg"))


@pytest.mark.slow
def test_nothing_that_tells_the_answer_stands_beside_an_open_task() -> None:
    met, blanks = set(), 0
    for session in lessons():
        page = html_page(session)
        frames = [
            parsed(page).all("h1")[0].text,
            parsed(page).all("title")[0].text,
            *(a.text for a in parsed(page).all("nav")),
        ]
        for item, section in zip(exercises_of(session), experiments(page), strict=True):
            if item.cover is None:
                continue
            kind, shown = item.cover.kind.name, visible(section)
            met.add(kind)
            if kind in KINDS:
                assert item.shown.name not in shown
                assert "lesson" in session.extra or not any(item.shown.name in each for each in frames)
            if item.cover.rules:
                assert item.shown.verdict() not in shown
                options = "".join(each.text for each in section.of_class("options"))
                for check in item.shown.report.failures:
                    assert check.message not in shown.replace(options, "")
            if kind in ("valid", "lowest"):
                assert all("covered" in str(each.attributes["class"]) for each in section.of_class("picture"))
                assert all(str(part.tensor) in shown for part in item.shown.experiment.desc.parts)
            if kind in ("sizes", "insizes"):
                asked = item.task.question  # type: ignore[union-attr]
                hidden = [each.removesuffix(".Sizes") for each in asked.hidden if each.endswith(".Sizes")]  # type: ignore[union-attr]
                groups = [e for e in section.of_class("covered") if e.attributes.get("aria-label") in hidden]
                assert groups
            if (
                item.task is not None
                and item.task.question is not None
                and item.task.question.blank not in (None, "feature_level")
            ):
                assert item.cover.hidden
                if kind == "blank" and any(name == item.task.question.blank for name, _ in item.shown.fields):
                    (chip,) = [
                        each
                        for each in section.of_class("chips")[0].all("li")
                        if each.all("b") and each.all("b")[0].text == item.task.question.blank
                    ]
                    assert "covered" in str(chip.attributes.get("class")).split()
                    blanks += 1
    assert blanks
    assert met >= {"valid", "lowest", "sizes", "insizes", "blank", "cell", "misprint"}


def test_the_still_before_the_first_step_tells_no_answer() -> None:
    for session in lessons():
        for number, item in enumerate(exercises_of(session)):
            if not isinstance(item.task, Asked):
                continue
            svg = svg_still(item, 0)
            told = svg_still(item, item.count)
            if item.place is None or item.cover is None or item.cover.rules:
                assert (f">{item.shown.name}<" in svg) is (item.cover is None)
                assert f">{item.shown.name}<" in told
            if item.cover is not None and item.cover.rules:
                assert "is valid" not in svg
                assert "is invalid" not in svg
            if item.cover is not None and (item.cover.picture or not item.shown.report.ok):
                assert html.escape(item.shown.verdict()) in " ".join(re.findall(r">([^<]*)<", told))
            if item.task.question.kind.name == "sizes":
                assert svg.count("OutputTensor") <= item.task.asked().count("OutputTensor"), number
                assert told.count(">OutputTensor") >= 1
            if item.cover is not None and item.cover.links:
                assert not re.search(r"step \d", svg)


def drawn(svg: str) -> list[str]:
    """Every piece of text of a still, as drawn."""
    return [html.unescape(each) for each in re.findall(r"<text\b[^>]*>([^<]*)<", svg)]


def test_a_still_shows_what_its_task_asks_about() -> None:
    met = set()
    for session in lessons():
        for item in exercises_of(session):
            if item.task is None or item.task.question is None:
                continue
            question, found = item.task.question, drawn(svg_still(item, 0))
            said = " ".join(found)
            assert f"{operator_of(item.shown.experiment.desc).name} · " in said
            for name, held in item.shown.fields:
                assert f"{name} {'?' if name in question.hidden else held}" in said
            options = item.task.options if isinstance(item.task, Asked) and item.task.form.startswith("choice") else ()
            goal = question.goal.outputs if question.goal is not None else ()
            pictured = [output for each in options if each.picture for output in each.picture.outputs] + list(goal)
            assert len(found) >= sum(len(values) for _, values in pictured)
            for _, values in pictured:
                assert {*map(shown, values)} <= {*found}
            for option in options:
                assert option.text in said
                assert not option.picture or option.id in found
            if pictured or options:
                met.add(question.kind.name)
    assert met >= {"pictures", "level", "valid", "misprint", "lowest"}


def test_a_still_that_lists_tensors_hides_the_sizes_that_a_task_hides() -> None:
    session = EXAMPLES["gather-2"]
    task = {"id": "one", "ask": {"kind": "valid"}, "hide": ["OutputTensor.Sizes", "rules"]}
    experiment = replace(session.experiments[0], extra={"task": task})
    (item,) = exercises_of(replace(session, experiments=(experiment,), extra={"lesson": {"seed": 1}}))
    assert isinstance(item.task, Asked), item.task
    output = item.shown.experiment.desc.outputs[0].tensor
    found = drawn(svg_still(item, 0))
    assert "OutputTensor FLOAT32 {?}" in found
    assert f"OutputTensor {output}" not in found
    assert f"OutputTensor {output}" in drawn(svg_still(item, 1))


def test_a_still_of_yes_or_no_tells_no_keys_of_the_file() -> None:
    ask = {"kind": "promised"}
    session = replace(EXAMPLES["warning-index-range"], extra={"lesson": {"seed": 1}})
    experiment = replace(session.experiments[0], extra={"task": {"id": "one", "ask": ask}})
    (item,) = exercises_of(replace(session, experiments=(experiment,)))
    assert isinstance(item.task, Asked), item.task
    assert item.task.question.kind.name == "promised"
    found = " ".join(drawn(svg_still(item, 0)))
    assert "yes · no" in found
    assert not re.search(r"\b(true|false)\b", found)


LONG = Experiment(
    "long",
    dml.Gather(
        dml.TensorDesc("FLOAT32", (40,)),
        dml.TensorDesc("UINT32", (3,)),
        axis=0,
        index_dimensions=1,
    ),
    values={"IndicesTensor": Listed((3, 37, 35), (3,))},
)
MANY = Experiment("many", dml.Join((dml.TensorDesc("FLOAT32", (1, 2)),) * 20, 0))
WIDE = Experiment("wide", dml.Tile(dml.TensorDesc("FLOAT32", (2, 3)), (1, 12)))


def asking(experiment: Experiment, ask: dict[str, object]) -> Session:
    return Session((replace(experiment, extra={"task": {"ask": ask}}),))


@pytest.mark.parametrize(
    ("experiment", "ask", "left_out"),
    [
        (LONG, {"kind": "source", "at": [1]}, "InputTensor"),
        (LONG, {"kind": "source", "at": [0]}, ""),
        (LONG, {"kind": "cell", "at": [1]}, "InputTensor"),
        (LONG, {"kind": "cell", "at": [0]}, ""),
        (LONG, {"kind": "via", "at": [1]}, ""),
        (LONG, {"kind": "order", "output": 0, "first": 3}, "InputTensor"),
        (LONG, {"kind": "unread"}, "InputTensor"),
        (LONG, {"kind": "dest", "at": [37]}, "InputTensor"),
        (LONG, {"kind": "dest", "at": [3]}, ""),
        (LONG, {"kind": "sizes"}, ""),
        (MANY, {"kind": "source", "at": [18, 0]}, "InputTensors[18]"),
        (WIDE, {"kind": "source", "at": [1, 33]}, "OutputTensor"),
        (MANY, {"kind": "source", "at": [3, 0]}, ""),
        (MANY, {"kind": "sizes"}, "InputTensors[16]"),
    ],
)
def test_a_task_whose_answer_is_in_no_table_is_left_to_dmlviz(
    experiment: Experiment, ask: dict[str, object], left_out: str
) -> None:
    session = asking(experiment, ask)
    (item,), (section,) = exercises_of(session), experiments(html_page(session))
    if left_out:
        assert isinstance(item.task, Unasked)
        assert item.task.question is not None
        assert item.task.reason == words("left_out", path=left_out)
        assert item.task.reason in section.of_class("task")[0].text
        assert data_of(section)["task"]["form"] == "none"
    else:
        assert isinstance(item.task, Asked)


@pytest.mark.slow
def test_every_cell_that_answers_a_task_is_in_a_table() -> None:
    """Of what is shipped, where tasks that need cells of their own must all be asked."""
    met = set()
    for session in [*lessons(), *(asking(LONG, {"kind": "source", "at": [n]}) for n in range(3))]:
        for item, section in zip(exercises_of(session), experiments(html_page(session)), strict=True):
            if not isinstance(item.task, Asked) or item.task.form not in ("input", "inputs", "outputs"):
                continue
            met.add(item.task.form)
            tables = data_of(section)["tables"]
            is_output = item.task.form == "outputs"
            shown = {f"{t['number']}:{flat}" for t in tables if t["out"] == is_output for flat in t["flat"]}
            assert {*item.task.truth.split()} <= shown
            kind = item.task.question.kind.name
            at = data_of(section)["task"]["at"]
            if at is not None:
                is_output, number, first, behind = at
                held = {flat for t in tables if (t["out"], t["number"]) == (is_output, number) for flat in t["flat"]}
                assert {*range(first, behind)} <= held, kind
    assert met == {"input", "inputs", "outputs"}


def test_no_shipped_task_is_left_out_of_its_page() -> None:
    for session in lessons():
        for item in exercises_of(session):
            if isinstance(item.task, Unasked) and item.task.question is not None:
                assert item.task.question.kind.name in WITH_FORM


def test_sizes_that_an_author_hides_are_not_listed_until_the_answer() -> None:
    experiment = EXAMPLES["tile-1"].experiments[0]
    task = {"ask": {"kind": "valid"}, "hide": ["OutputTensor.Sizes", "rules"]}
    (section,) = experiments(html_page(Session((replace(experiment, extra={"task": task}),))))
    given, made = (f"{part.path} {part.tensor}" for part in experiment.desc.parts)
    shown = visible(section)
    assert given in shown
    assert made not in shown
    assert "OutputTensor FLOAT32 {?}" in shown
    told = [each for each in section.of_class("chips")[0].all("li") if each.text == made]
    assert [each.attributes["class"] for each in told] == ["covered"]
