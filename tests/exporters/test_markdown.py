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
from support.filled import HOSTILE, listed, scratch, sessions, texts
from support.work import Work

import dmlviz as dml
from dmlviz.desc.values import Random
from dmlviz.exporters.lib import exporting
from dmlviz.exporters.markdown import code, escaped, fenced
from dmlviz.importers.lib import importing
from dmlviz.importers.lib.imported import ImportFailedError
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


def comes_back(session: Session) -> None:
    text = report(session)
    assert all(line.isprintable() for line in text.split("\n"))
    found = back(text)
    assert [written(one) for one in found] == [written(one) for one in session.experiments]
    for one, other in zip(session.experiments, found, strict=True):
        assert replace(one.settled(), folder=None) == other


@given(sessions())
@tried(300)
def test_any_session_comes_back_whole(session: Session) -> None:
    comes_back(session)


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


def test_long_lists_go_into_a_file_and_a_report_without_it_still_gives_the_desc(tmp_path: Path) -> None:
    array = np.random.default_rng(1).standard_normal(5000).astype(np.float32)
    session = tiled(spec=listed(array), sizes=(5000,))
    made = exporting.export(session, "markdown", stem="bug")
    assert list(made.files) == ["bug-tile_1_InputTensor.npy"]
    assert len(made.data) < 10_000
    found = importing.read(made.data, "report.md", tmp_path)
    assert found.experiments[0].desc == session.experiments[0].desc
    assert not found.experiments[0].values
    assert [each.text for each in found.remarks if not each.taken] == [
        '"t": InputTensor: bug-tile_1_InputTensor.npy is missing, expected an .npy file there.'
    ]
    np.save(tmp_path / "bug-tile_1_InputTensor.npy", array)
    assert back(made.data, tmp_path)[0].sources()[0].array().tobytes() == array.tobytes()


def quoted(text: str) -> str:
    return "".join(f"> {line}\n" for line in text.split("\n"))


PASTED: dict[str, Callable[[str], str]] = {
    "as it is": lambda text: text,
    "windows": lambda text: text.replace("\n", "\r\n"),
    "old mac": lambda text: text.replace("\n", "\r"),
    "reply": quoted,
    "reply to a reply": lambda text: quoted(quoted(text)),
    "tight reply": lambda text: "".join(f">{line}\n" for line in text.split("\n")),
    "reply by mail": lambda text: (
        "Hello,\r\n\r\nsee below.\r\n\r\n" + quoted(text).replace("\n", "\r\n") + "\r\nThanks!\r\n"
    ),
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
        text = report(Session((one,)))
        shown = tokens(text)
        spans = [token.content for token in shown if token.type == "code_inline"]
        said = "\n".join(
            "".join(
                child.content for child in token.children or () if child.type in ("text", "text_special", "code_inline")
            )
            for token in shown
            if token.type == "inline"
        )
        causes = one.check().causes
        assert causes
        for cause in causes:
            check = cause.first
            assert check.id in spans
            assert check.field in spans
            assert cause.message in said
            assert f"page: {check.page}" in said
            for fix in check.fixes:
                assert f"fix: {fix.label}" in said
        assert (f"{len(one.check().broken)} rule" in said) == (one.check().ok is False)


def test_the_picture_stands_in_a_block() -> None:
    blocks = [token.content for token in tokens(report(example("gather-1").session())) if token.type == "fence"]
    assert "InputTensor FLOAT32 {4}" in blocks[0]
    assert "   11    12    13    14              14    12    14    11    13" in blocks[0]


def test_an_invalid_desc_is_drawn_as_it_stands_and_a_small_preview_of_its_fix_follows() -> None:
    session = example("rule-sizes-sum").session()
    text, first = report(session), session.experiments[0].check().errors[0].fixes[0]
    blocks = [token.content for token in tokens(text) if token.type == "fence"]
    assert "InputTensors[1] FLOAT32 {1, 1, 2, ▸4◂}\n" in blocks[0]
    assert "OutputTensor FLOAT32 {1, 1, 2, ▸8◂}\n" in blocks[0]
    assert f"\nIf fix 1 were applied: {first.label}\n" in text.replace("\\", "")
    assert text.index("▸8◂") < text.index("If fix 1 were applied")
    assert blocks[1].startswith("OutputTensor FLOAT32 {1, 1, 2, 7}\n")
    assert len(blocks[1].splitlines()) <= 6


@pytest.mark.drawn(2)
@pytest.mark.parametrize(
    "session",
    [
        tiled(kind="INT8", sizes=(65535, 65535)),
        tiled(spec=Random(3), sizes=(65535, 65535)),
        tiled(sizes=(1,) * 7 + (2**32 - 1,)),
        Session(
            (
                Experiment(
                    "g",
                    dml.Gather(dml.TensorDesc("INT8", (1, 65535, 4)), dml.TensorDesc("INT32", (1, 60_000, 1000)), 1, 2),
                ),
            )
        ),
        Session((Experiment("j", dml.Join(tuple(dml.TensorDesc("INT8", (1, 2)) for _ in range(3000)), 0)),)),
        Session((Experiment("s", dml.Tile(dml.TensorDesc("INT8", (2**60, 2**60)), (2**60, 3))),)),
        Session((Experiment("d", dml.Tile(dml.TensorDesc("INT8", (2,) * 3000), (2,) * 3000)),)),
    ],
    ids=range(7),
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


@given(texts())
@tried(200)
def test_text_is_shown_literally(text: str) -> None:
    visible = "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)
    shown = tokens(f"- x {escaped(text)} x")
    inline = [token for token in shown if token.type == "inline"]
    said = "".join(child.content for child in inline[0].children or ())
    assert said.split() == f"x {visible} x".split()
    assert {child.type for child in inline[0].children or ()} <= {"text", "text_special"}
    if visible.strip():
        (span,) = (token for token in tokens(f"# x: {code(text, 10_000)}") if token.type == "code_inline")
        assert span.content == visible
    (block,) = (token for token in tokens(fenced(text, "text")) if token.type == "fence")
    kept = "\n".join(
        "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in line)
        for line in text.removesuffix("\n").split("\n")
    )
    assert block.content == f"{kept}\n"


# ---- what is no report ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ('```json\n{"dmlviz": 1, "experiments": [}\n```', "line 2, column 31"),
        ('a\n\n> ```json\n> {"dmlviz": 9,\n> "experiments": []}\n> ```', "dmlviz is 9, a newer format"),
        ('```json\n{"dmlviz": 1, "experiments": [{}]}\n```', "experiment 1: name is missing"),
        ('```\n{"a": 1}\n```\n"dmlviz"', "is nothing that can be imported"),
    ],
)
def test_no_report_is_one_sentence(text: str, reason: str) -> None:
    with pytest.raises(ImportFailedError) as failed:
        importing.read(text.encode(), "report.md")
    assert str(failed.value).startswith("report.md")
    assert reason in str(failed.value)


# ---- session files ----------------------------------------------------------------------------------------------
