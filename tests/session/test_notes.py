"""The question in notes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dmlviz.session import examples
from dmlviz.session.notes import MOST, question_of, split_notes, without_emphasis


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


@pytest.mark.parametrize("part", ["**", "`", "**a", "**a`", "*a?", "** **", "\n \n", "**a``"])
def test_notes_that_nearly_end_in_one_are_told_whole(part: str) -> None:
    """Were the search open to two readings of a part, it would take till the end of days."""
    notes = part * (10 * MOST) + "x"
    assert split_notes(notes) == (notes, "")


@pytest.mark.parametrize(
    ("notes", "plain"),
    [
        ("Row 1. **Which row? Predict.**", "Row 1. Which row? Predict."),
        ("A *slanted* word, **bold *and* slanted**, ***both***.", "A slanted word, bold and slanted, both."),
        ("**over\ntwo lines?**", "over\ntwo lines?"),
        ("**What is 2 * 3, or 2*3?**", "What is 2 * 3, or 2*3?"),
        ("(**bold**), **bold**: 这是**粗体**吗", "(bold), bold: 这是粗体吗"),
        ("**Why `a ** b`?**", "Why `a ** b`?"),
        # no emphasis
        ("2**3 and 4**5, x*y*z, a * b * c", None),
        ("* one\n* two", None),
        ("`**code**` and `*p`", None),
        ("**open, \\*escaped\\*, ** apart **", None),
        ("**a paragraph\n\nand another**", None),
        ("", None),
    ],
)
def test_emphasis_loses_its_marks_and_nothing_else(notes: str, plain: str | None) -> None:
    assert without_emphasis(notes) == (notes if plain is None else plain)


@given(st.text(alphabet="ab2*` \n", max_size=60))
def test_without_emphasis_nothing_but_stars_is_gone(notes: str) -> None:
    told = without_emphasis(notes)
    assert told.replace("*", "") == notes.replace("*", "")
    assert len(notes) - len(told) in {*range(0, notes.count("*") + 1, 2)}


@pytest.mark.parametrize("part", ["**", "*", "`", "**a", "*a`", "**a ", "* *", "*a\n", "`*`", "**a``", "a*b "])
def test_long_notes_lose_their_emphasis_in_no_time(part: str) -> None:
    """Were the search open to two readings of a part, it would take till the end of days."""
    text = part * 8000 + "x"
    assert without_emphasis(text).replace("*", "") == text.replace("*", "")
