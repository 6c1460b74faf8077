"""What notebooks and terminals show of a report, a trace, an experiment and a desc."""

from __future__ import annotations

import io

import numpy as np
import pytest
from rich.console import Console
from support.recorded_pages import experiments, parsed, tables_of, value_of

import dmlviz as dml
from dmlviz.explaining import explain
from dmlviz.formats.page_text import shorts
from dmlviz.session.examples import all_examples

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
        rows = [[value_of(td) for td in row.all("td")] for row in table.all("tbody")[0].all("tr")]
        assert sorted((row[1], row[3]) for row in rows) == sorted((c.id, c.message) for c in report.checks)
        assert [row[0] != "✔" for row in rows] == sorted((not c.ok for c in report.checks), reverse=True)


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


def test_show_prints_a_text_where_there_is_no_notebook(capsys: pytest.CaptureFixture[str]) -> None:
    dml.show(GATHER, ARRAYS)
    assert "OutputTensor" in capsys.readouterr().out
    with pytest.raises(dml.DmlvizError, match=r"^shown is 3, expected"):
        dml.show(3)  # type: ignore[arg-type]
