"""Text in lines: broken at blanks and, where there is none, anywhere, never wider than asked, and nothing lost."""

from __future__ import annotations

import pytest

from dmlviz.formats.text_columns import width, wrapped

JAPANESE = "どの行が出力されますか。「テンソル」の値を、上から順に書いてください。Axis は 0 です。"


@pytest.mark.parametrize("columns", range(6, 90, 7))
@pytest.mark.parametrize("text", [JAPANESE, "a  Axis 3", "word " * 40, "x" * 200, "한국어 텐서 " * 12, "é" * 30])
def test_lines_are_no_wider_than_asked_and_lose_nothing(text: str, columns: int) -> None:
    lines = wrapped(text, columns)
    assert max(map(width, lines)) <= columns
    assert "".join("".join(lines).split()) == "".join(text.split())
    if width(text.strip()) <= columns:
        assert lines == [text.strip()]
    if text.startswith("word"):
        assert {word for line in lines for word in line.split()} == {"word"}
