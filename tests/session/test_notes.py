"""The question in notes."""

from __future__ import annotations

import pytest

from dmlviz.session.notes import split_notes


@pytest.mark.parametrize(
    ("notes", "rest", "question"),
    [
        ("Row 1 is read twice. **Which row is it? Predict, then try it.**", "Row 1 is read twice.", None),
        ("Told.\n\n**What is next?**\n", "Told.", "What is next?"),
        ("**Is it?**", "", "Is it?"),
        ("A **bold** word. **Why `f` and `a ** b`?**", "A **bold** word.", "Why f and a ** b?"),
        ("Over\n**two\nlines?**", "Over", "two lines?"),
        ("**What?** And then more.", None, ""),
        ("Told. **Important.**", None, ""),
        ("Told. **Open?", None, ""),
        ("Told. **No ** end?**", None, ""),
        ("**Asked?**\n\nAnd told.", None, ""),
        ("", None, ""),
        ("`**code?**`", None, ""),
        ("**No\x1b[2J control?**", "", "No\N{REPLACEMENT CHARACTER}[2J control?"),
    ],
)
def test_question_is_the_bold_passage_that_notes_end_with(notes: str, rest: str | None, question: str | None) -> None:
    expected = "Which row is it? Predict, then try it." if question is None else question
    assert split_notes(notes) == (notes if rest is None else rest, expected)
