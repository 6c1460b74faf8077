"""Reports in Markdown: what they say, what comes back of them, and that no text of a session is ever acted upon."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token
from support.effort import tried
from support.filled import HOSTILE, scratch, sessions
from support.work import Work

import dmlviz as dml
from dmlviz.desc.values import Random
from dmlviz.exporters.lib import exporting
from dmlviz.importers.lib import importing
from dmlviz.session.examples import all_examples, example
from dmlviz.session.experiments import Experiment, Session
from dmlviz.session.writing import dump

RULES = [each for each in all_examples() if each.name.startswith("rule-")]


def report(session: Session) -> str:
    content = exporting.export(session, "markdown").content
    assert isinstance(content, str)
    return content


def back(text: str | bytes, folder: Path | None = None) -> list[Experiment]:
    data = text.encode() if isinstance(text, str) else text
    return list(importing.read(data, "report.md", folder).experiments)


def written(each: Experiment) -> str:
    return dump(Session((each,)))


def tokens(text: str) -> list[Token]:
    """The report as a Markdown parser of its own sees it, blocks first, then what is in their lines."""
    found: list[Token] = []
    for token in MarkdownIt("gfm-like", {"linkify": False}).parse(text):
        found += [token, *(token.children or ())]
    return found


def tiled(
    name: str = "t", spec: Any = None, kind: str = "FLOAT32", sizes: tuple[int, ...] = (2, 3), **more: Any
) -> Session:
    desc = dml.Tile(dml.TensorDesc(kind, sizes), (1,) * len(sizes))
    return Session((Experiment(name, desc, values={} if spec is None else {"InputTensor": spec}, **more),), "title")


# ---- there and back ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("each", all_examples(), ids=lambda each: str(each.name))
def test_every_example_comes_back_whole(each: Any) -> None:
    session = each.session()
    found = Session(tuple(back(report(session)))).experiments
    assert [written(one) for one in found] == [written(one) for one in session.experiments]


@given(sessions())
@tried(300)
def test_any_session_comes_back_whole(session: Session) -> None:
    found = back(report(session))
    assert [written(one) for one in found] == [written(one) for one in session.experiments]


@given(st.data())
@settings(max_examples=15)
def test_files_of_values_come_along(data: st.DataObject) -> None:
    with scratch() as folder, scratch() as beside:
        session = data.draw(sessions(folder))
        made = exporting.export(session, "markdown", stem="bug")
        for name, array in made.files.items():
            np.save(beside / name, array)
        for one, other in zip(session.experiments, back(made.data, beside), strict=True):
            assert one.desc == other.desc
            for mine, theirs in zip(one.sources(), other.sources(), strict=True):
                assert mine.array().tobytes() == theirs.array().tobytes()


def quoted(text: str) -> str:
    return "".join(f"> {line}\n" for line in text.split("\n"))


PASTED: dict[str, Callable[[str], str]] = {
    "as it is": lambda text: text,
    "windows": lambda text: text.replace("\n", "\r\n"),
    "reply": quoted,
    "reply to a reply": lambda text: quoted(quoted(text)),
    "in text": lambda text: f"```js\nconst x = 1\n```\nHello ```a``` there\n\n{text}\n\n```text\n{{\n```\n",
    "in a list": lambda text: "- my report:\n\n" + "".join(f"  {line}\n" for line in text.split("\n")),
    "with a mark of bytes": lambda text: "\ufeff" + text,
    "with tildes": lambda text: text.replace("```", "~~~"),
    "cut off behind its end": lambda text: text.rstrip().removesuffix("```"),
}


@pytest.mark.parametrize("how", PASTED)
@pytest.mark.parametrize("name", ["gather-1", "rule-sizes-sum", "erratum-tile-1-label"])
def test_reports_come_back_however_they_were_pasted(how: str, name: str) -> None:
    session = example(name).session()
    found = back(PASTED[how](report(session)))
    assert [written(one) for one in found] == [written(one) for one in session.experiments]


# ---- what it says -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("each", RULES, ids=lambda each: str(each.name))
def test_every_broken_rule_is_told_with_its_numbers(each: Any) -> None:
    for one in each.session().experiments:
        blocks = [token.content for token in tokens(report(Session((one,)))) if token.type == "fence"]
        causes = one.check().causes
        assert causes
        assert f"Result: {one.check().verdict}" in blocks[0]
        for cause in causes:
            check = cause.first
            assert f"{check.severity} {check.id} ({check.field}): {cause.message}" in blocks[0]
            assert f"page: {check.page}" in blocks[0]
            for fix in check.fixes:
                assert f"fix: {fix.label}" in blocks[0]


def test_the_picture_stands_in_a_block() -> None:
    blocks = [token.content for token in tokens(report(example("gather-1").session())) if token.type == "fence"]
    assert "InputTensor FLOAT32 {4}" in blocks[1]
    assert "   11    12    13    14              14    12    14    11    13" in blocks[1]


def test_an_invalid_desc_is_drawn_as_it_stands() -> None:
    text = report(example("rule-sizes-sum").session())
    blocks = [token.content for token in tokens(text) if token.type == "fence"]
    assert "InputTensors[1] FLOAT32 {1, 1, 2, ▸4◂}\n" in blocks[1]
    assert "OutputTensor FLOAT32 {1, 1, 2, ▸8◂}\n" in blocks[1]


@pytest.mark.drawn(2)
@pytest.mark.parametrize(
    "session",
    [
        tiled(spec=Random(3), sizes=(65535, 65535)),
        Session((Experiment("j", dml.Join(tuple(dml.TensorDesc("INT8", (1, 2)) for _ in range(3000)), 0)),)),
        Session((Experiment("s", dml.Tile(dml.TensorDesc("INT8", (2**60, 2**60)), (2**60, 3))),)),
        Session((Experiment("d", dml.Tile(dml.TensorDesc("INT8", (2,) * 3000), (2,) * 3000)),)),
    ],
    ids=range(4),
)
def test_giants_are_cut_and_it_says_so(session: Session) -> None:
    with Work() as work:
        text = report(session)
    assert work.done < 1 << 25
    assert len(text) < 400_000
    one = session.experiments[0]
    if one.check().ok and one.desc.TYPE != "DML_OPERATOR_JOIN":
        assert "Each side is cut to 100 columns and 60 lines." in text
    assert [found.desc for found in back(text)] == [one.desc]


# ---- hostile text -----------------------------------------------------------------------------------------------


def structure(text: str) -> list[tuple[str, str]]:
    """The kinds of what a parser finds, without what stands in code."""
    return [(token.type, token.content if token.type in ("text", "html_block") else "") for token in tokens(text)]


@pytest.mark.parametrize(
    "text", [*HOSTILE, "`" * 1000, "x" * 100_000, "`" + "~" * 40, "a\\", "` a `", "|", "*/", "-->"]
)
def test_hostile_text_changes_nothing_but_code(text: str) -> None:
    def session(name: str, notes: str) -> Session:
        return replace(tiled(name, notes=notes), title=name)

    made = report(session(text, text or "notes"))
    if text:
        assert structure(made) == structure(report(session("plain", "notes")))
    assert all(line.isprintable() for line in made.split("\n"))
    (found,) = back(made)
    assert found.name == text
    assert found.notes == (text or "notes")
