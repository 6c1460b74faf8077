"""What notebooks and terminals show of a report, a trace, an experiment and a desc."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from rich.console import Console
from support.recorded_pages import Element, data_of, experiments, parsed, tables_of, value_of

import dmlviz as dml
from dmlviz.explaining import explain
from dmlviz.formats.page_text import shorts
from dmlviz.session import reading, writing
from dmlviz.session.examples import all_examples

MANY = dml.Join([dml.TensorDesc("FLOAT64", (1, 1, 2, 2))] * 64, 3)
GATHER = dml.Gather(dml.TensorDesc("FLOAT32", (3, 2)), dml.TensorDesc("UINT32", (1, 4)), 0, 1)
ARRAYS = [np.array([[1, 2], [3, 4], [5, 6]], np.float32), np.array([[2, 0, 2, 1]], np.uint32)]


def printed(shown: object) -> str:
    out = io.StringIO()
    Console(file=out, width=2000, color_system=None).print(shown)
    return out.getvalue()


def test_a_report_is_a_table_with_a_row_for_each_check() -> None:
    for desc in (GATHER, GATHER.replace({"Axis": 7})):
        report = dml.check(desc)
        (table,) = parsed(str(report._repr_html_())).all("table")
        rows = [[td.text for td in row.all("td")] for row in table.all("tbody")[0].all("tr")]
        wanted = sorted((f"{c.id}{c.field}", c.message, c.page) for c in report.checks)
        assert sorted((row[1], row[2], row[-1]) for row in rows) == wanted
        assert [row[0] != "✔" for row in rows] == sorted((not c.ok for c in report.checks), reverse=True)


def test_a_report_has_the_fixes_of_each_cause() -> None:
    report = dml.check(GATHER.replace({"Axis": 7}))
    (table,) = parsed(str(report._repr_html_())).all("table")
    first, *others = table.all("tbody")[0].all("tr")
    assert [item.text for item in first.all("li")] == [fix.text for fix in report.broken[0].first.fixes]
    assert len(first.all("li")) > 1
    assert not any(row.all("li") for row in others)
    heads = [head.text for head in table.all("th")]
    assert heads.index("Fixes") == len(heads) - 2
    assert "Fixes" not in str(dml.check(GATHER)._repr_html_())


def test_checks_that_fail_by_one_cause_are_one_row() -> None:
    report = dml.check(MANY, feature_level="4_0")
    (table,) = parsed(str(report._repr_html_())).all("table")
    rows = [[value_of(td) for td in row.all("td")] for row in table.all("tbody")[0].all("tr")]
    assert [row[2] for row in rows if row[0] != "✔"] == [cause.message for cause in report.broken]
    assert len(rows) == report.rules


def test_a_trace_is_the_picture_of_its_own_values() -> None:
    trace = dml.trace(GATHER, ARRAYS)
    (section,) = experiments(str(trace._repr_html_()))
    data, indices, output = tables_of(section)
    assert data == shorts(ARRAYS[0].ravel())
    assert indices == shorts(ARRAYS[1].ravel())
    assert output == shorts(trace.reference(0).ravel())


@pytest.mark.parametrize("name", ["join-1", "split-1", "tile-1", "reverse-1", "gather-1", "gather-5"])
def test_an_experiment_takes_less_than_100_kilobytes(name: str) -> None:
    session = next(each for each in all_examples() if each.name == name).session()
    for experiment in session.experiments:
        made = str(experiment._repr_html_())
        assert len(made.encode()) < 100_000
        (section,) = experiments(made)
        assert tables_of(section)[-1] == shorts(experiment.trace().reference(len(experiment.desc.outputs) - 1).ravel())


def test_an_invalid_desc_shows_its_reasons() -> None:
    (section,) = experiments(str(GATHER.replace({"Axis": 7})._repr_html_()))
    assert "axis.range" in section.text


def test_rich_prints_the_same_as_text() -> None:
    experiment = dml.Experiment("[bold]x[/bold] :smile:", GATHER)
    assert [line.rstrip() for line in printed(experiment).splitlines()] == [
        line.rstrip() for line in explain(experiment).rstrip("\n").splitlines()
    ]
    assert "axis.range" in printed(dml.check(GATHER.replace({"Axis": 7})))


def test_a_trace_tells_of_large_inputs_by_their_own_values() -> None:
    desc = dml.Gather(dml.TensorDesc("FLOAT32", (2, 40_000)), dml.TensorDesc("UINT32", (1, 70_000)), 1, 1)
    data = np.full((2, 40_000), 7, np.float32)
    indices = np.full((1, 70_000), 39_999, np.uint32)
    data[0, -1] = 12345
    trace = dml.trace(desc, [data, indices])
    told = printed(trace)
    for path in ("InputTensor", "IndicesTensor", "OutputTensor"):
        assert f"- {path} is " in told
    assert "and holds 7, 7, 7, 7, 7, 7, 7, 7 and 79,992 more" in told
    assert "and holds 39999, 39999, 39999" in told
    assert "and holds 12345, 12345, 12345" in told
    assert "How often elements of InputTensor are read is not counted." in told
    (section,) = experiments(str(trace._repr_html_()))
    assert [set(each) for each in tables_of(section)] == [{"7"}, {"39999"}, {"12345", "7"}]


@pytest.mark.parametrize("made", [lambda array: array, lambda array: array.tolist()])
def test_an_experiment_keeps_an_arrays_nan_and_infinities(made: Callable[[object], object]) -> None:
    array = np.array([[np.nan, np.inf, -np.inf], [0.5, -0.0, 6]], np.float32)
    desc = dml.Tile(dml.TensorDesc("FLOAT32", (2, 3)), (1, 1))
    experiment = dml.Experiment("x", desc, values={"InputTensor": made(array)})  # type: ignore[dict-item]
    filled, said = experiment.sources_or_defaults()
    assert said == []
    np.testing.assert_array_equal(filled[0].array(), array)
    (section,) = experiments(str(experiment._repr_html_()))
    assert tables_of(section) == [["nan", "inf", "-inf", "0.5", "-0", "6"]] * 2
    again, _ = reading.parse(writing.dump(dml.Session((experiment,))).encode(), "x", None)
    assert again.experiments[0].values == experiment.values


def test_a_session_is_the_pictures_of_its_experiments_and_says_how_many_are_left(
    capsys: pytest.CaptureFixture[str],
) -> None:
    session = next(each for each in all_examples() if each.name == "tile-1").session()
    many = dml.Session(session.experiments * 25, title="<b>Tiles</b>")
    shown = str(many._repr_html_())
    assert [section.all("h2")[0].text for section in experiments(shown)] == [session.experiments[0].name] * 20
    assert [heading.text for heading in parsed(shown).all("h1")] == ["<b>Tiles</b>"]
    assert "… 5 more experiments: " in shown
    assert "… 1 more experiment: " in str(dml.Session(session.experiments * 21)._repr_html_())
    assert shown.count("<style>") == 1, "one style for all"
    dml.show(session)
    assert capsys.readouterr().out == explain(session.experiments[0])


@pytest.mark.parametrize("shown", [dml.check(GATHER), GATHER, dml.Session((dml.Experiment("x", GATHER),))])
def test_all_of_it_stands_in_a_declared_shadow_root(shown: Any) -> None:
    (outer,) = parsed(str(shown._repr_html_())).held
    assert isinstance(outer, Element)
    host, program = outer.held
    assert isinstance(host, Element)
    assert isinstance(program, Element)
    assert (program.name, program.attributes) == ("script", {})
    assert "data-lm-suppress-shortcuts" in host.attributes
    (template,) = host.held
    assert isinstance(template, Element)
    assert (template.name, template.attributes) == ("template", {"shadowrootmode": "open"})
    assert template.all("style")
    assert template.all("table")


def test_show_prints_a_text_where_there_is_no_notebook(capsys: pytest.CaptureFixture[str]) -> None:
    dml.show(GATHER, ARRAYS)
    assert "OutputTensor" in capsys.readouterr().out
    with pytest.raises(dml.DmlvizError, match=r"^shown is 3, expected"):
        dml.show(3)  # type: ignore[arg-type]


def test_an_experiment_by_run_shows_copies_and_memory() -> None:
    for unit in ("run", "element"):
        text = writing.dump(dml.Session((dml.Experiment("rows", GATHER),))).replace(
            '"type"', f'"view": {{"unit": "{unit}"}}, "type"', 1
        )
        session, _ = reading.parse(text.encode(), "x", None)
        (section,) = experiments(str(session.experiments[0]._repr_html_()))
        assert ("one copy: 2 elements, 8 bytes" in str(data_of(section).get("captions"))) == (unit == "run")
        assert bool(section.of_class("memory")) == (unit == "run")
