"""Reports in Markdown: what they say, what comes back of them, and that no text of a session is ever acted upon."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from markdown_it import MarkdownIt
from support.work import Work

import dmlviz as dml
from dmlviz.exporters.lib import exporting
from dmlviz.importers.lib import importing
from dmlviz.session.examples import all_examples, example
from dmlviz.session.experiments import Experiment, Session
from dmlviz.session.writing import dump


def report(session: Session) -> str:
    return str(exporting.export(session, "markdown").content)


def back(text: str) -> list[Experiment]:
    return list(importing.read(text.encode(), "report.md").experiments)


def comes_back(text: str, session: Session) -> bool:
    return [dump(Session((one,))) for one in back(text)] == [dump(Session((one,))) for one in session.experiments]


def blocks(session: Session) -> list[str]:
    return [token.content for token in MarkdownIt().parse(report(session)) if token.type == "fence"]


PASTED: dict[str, Callable[[str], str]] = {
    "as it is": lambda text: text,
    "in a list": lambda text: "- my report:\n\n" + "".join(f"  {line}\n" for line in text.split("\n")),
    "cut off behind its end": lambda text: text.rstrip().removesuffix("```"),
}


@pytest.mark.parametrize("how", [pytest.param(p, marks=[pytest.mark.slow] * (p == "as it is")) for p in PASTED])
def test_reports_come_back_however_they_were_pasted(how: str) -> None:
    for each in all_examples() if how == "as it is" else map(example, ("gather-1", "rule-sizes-sum")):
        assert comes_back(PASTED[how](report(each.session())), each.session()), each.name


def test_every_broken_rule_is_told_with_its_page_and_fixes() -> None:
    for one in (one for each in all_examples() if each.name.startswith("rule-") for one in each.session().experiments):
        told, causes = blocks(Session((one,)))[0], one.check().causes
        assert causes
        assert f"Result: {one.check().verdict}" in told
        for check in (cause.told for cause in causes):
            assert f"{check.severity} {check.id} ({check.field}): {check.message}\n  page: {check.page}\n" in told
            assert all(f"  fix: {fix.text}\n" in told for fix in check.fixes)


def test_the_picture_stands_in_a_block_or_the_desc_as_it_stands() -> None:
    picture, desc = blocks(example("gather-1").session())[1], blocks(example("rule-sizes-sum").session())[1]
    assert "InputTensor FLOAT32 {4}" in picture
    assert "11 12 13 14 14 12 14 11 13" in " ".join(picture.split())
    assert "InputTensors[1] FLOAT32 {1, 1, 2, ▸4◂}\n" in desc
    assert "OutputTensor FLOAT32 {1, 1, 2, ▸8◂}\n" in desc


@pytest.mark.drawn(2)
@pytest.mark.parametrize(
    ("desc", "is_cut"),
    [
        (dml.Tile(dml.TensorDesc("FLOAT32", (65535, 65535)), (1, 1)), True),
        pytest.param(dml.Join((dml.TensorDesc("INT8", (1, 2)),) * 3000, 0), False, marks=pytest.mark.slow),
        (dml.Tile(dml.TensorDesc("INT8", (2**60, 2**60)), (2**60, 3)), False),
        pytest.param(dml.Tile(dml.TensorDesc("INT8", (2,) * 3000), (2,) * 3000), False, marks=pytest.mark.slow),
    ],
    ids=range(4),
)
def test_giants_are_cut_and_it_says_so(desc: Any, is_cut: bool) -> None:
    with Work() as work:
        text = report(Session((Experiment("giant", desc),)))
    assert work.done < 1 << 25
    assert len(text) < 400_000
    assert not is_cut or "Each side is cut to 100 columns and 60 lines." in text
    assert [found.desc for found in back(text)] == [desc]
