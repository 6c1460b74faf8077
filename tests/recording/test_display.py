"""What notebooks and terminals show of a report, a trace, an experiment and a desc."""

from __future__ import annotations

import html
import re
from typing import Any

import numpy as np
import pytest
from support.page_json import json_of_page

import dmlviz as dml
from dmlviz.explaining import explain
from dmlviz.formats.page_text import shorts
from dmlviz.session.examples import all_examples

MANY = dml.Join([dml.TensorDesc("FLOAT64", (1, 1, 2, 2))] * 64, 3)
GATHER = dml.Gather(dml.TensorDesc("FLOAT32", (3, 2)), dml.TensorDesc("UINT32", (1, 4)), 0, 1)
ARRAYS = [np.array([[1, 2], [3, 4], [5, 6]], np.float32), np.array([[2, 0, 2, 1]], np.uint32)]


def rows_of(report: dml.Report) -> list[list[str]]:
    """The table that a notebook shows of a report, without its heads."""
    rows = re.findall("<tr>(.*?)</tr>", str(report._repr_html_()), re.DOTALL)
    return [[html.unescape(cell) for cell in re.findall("<td>(.*?)</td>", row, re.DOTALL)] for row in rows][1:]


def page_of(shown: object) -> Any:
    """The JSON of the page that a notebook has in a frame."""
    (page,) = re.findall('<iframe [^>]*sandbox="allow-scripts[^>]*srcdoc="([^"]*)"', shown._repr_html_())  # type: ignore[attr-defined]
    return json_of_page(html.unescape(page))


def tables_of(shown: object) -> list[list[str]]:
    return [table["texts"] for table in page_of(shown)["experiments"][0]["tables"]]


def test_a_report_is_a_table_of_its_causes_with_their_fixes_and_of_what_holds() -> None:
    for report in (dml.check(GATHER), dml.check(GATHER.replace({"Axis": 7})), dml.check(MANY, feature_level="4_0")):
        causes = [(cause.told, cause.first.fixes) for cause in report.causes]
        found = rows_of(report)
        for row, (check, fixes) in zip(found, causes, strict=False):
            assert row[1:] == [
                f"{check.id} {check.field}",
                check.message,
                "; ".join(fix.text for fix in fixes),
                check.page,
            ]
        held = [check for check in report.checks if check.ok]
        assert [row[2] for row in found[len(causes) :]] == [check.message for check in held]
        assert [row[0] == "✔" for row in found] == [False] * len(causes) + [True] * len(held)


def test_a_trace_is_the_picture_of_its_own_values() -> None:
    trace = dml.trace(GATHER, ARRAYS)
    data, indices, output = tables_of(trace)
    assert data == shorts(ARRAYS[0].ravel())
    assert indices == shorts(ARRAYS[1].ravel())
    assert output == shorts(trace.reference(0).ravel())


def test_a_session_is_the_pictures_of_its_experiments(capsys: pytest.CaptureFixture[str]) -> None:
    session = next(each for each in all_examples() if each.name == "tile-1").session()
    many = dml.Session(session.experiments * 2, title="<b>Tiles</b>")
    assert (len(page_of(many)["experiments"]), page_of(many)["title"]) == (2, "<b>Tiles</b>")
    dml.show(session)
    assert capsys.readouterr().out == explain(session.experiments[0])


def test_show_prints_a_text_where_there_is_no_notebook(capsys: pytest.CaptureFixture[str]) -> None:
    dml.show(GATHER, ARRAYS)
    assert "OutputTensor" in capsys.readouterr().out
    with pytest.raises(dml.DmlvizError, match=r"^shown is 3, expected"):
        dml.show(3)  # type: ignore[arg-type]
