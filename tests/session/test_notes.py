"""The question in notes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dmlviz.session import examples
from dmlviz.session.notes import question_of, split_notes


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


def test_every_shipped_experiment_asks_one() -> None:
    for name, session in examples.examples().items():
        for each in session.experiments:
            rest, question = split_notes(each.notes)
            assert "?" in question, name
            assert "*" not in question, name
            assert each.notes.startswith(rest), name


@given(st.text(alphabet="a?*` \n", max_size=60))
def test_notes_are_told_and_asked_once(notes: str) -> None:
    rest, question = split_notes(notes)
    assert notes.startswith(rest)
    assert not question or "".join(question.split()) in "".join(notes[len(rest) :].replace("`", "").split())
    assert question_of(notes) == question
