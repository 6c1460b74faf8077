"""Texts in the manner of public ones come out right, or it is said that they don't; none comes out wrong."""

from __future__ import annotations

from pathlib import Path

import pytest

from dmlviz.importers.lib import importing
from dmlviz.importers.lib.imported import ImportFailedError
from real.calls.answers import CALLS
from real.cpp.answers import ANSWERS, CONDITIONAL
from real.judging import Judgement, judge

HERE = Path(__file__).parent
LEAST_RIGHT, LEAST_STRAIGHT = 65, 7
"""Of the texts in C++, and of those among them that have no branch at all."""


def test_every_text_has_an_answer() -> None:
    assert {path.name for path in (HERE / "cpp").iterdir() if path.is_file()} - {"__init__.py", "answers.py"} == set(
        ANSWERS
    )
    assert len(ANSWERS) >= 30
    assert len(CALLS) >= 40


@pytest.mark.parametrize("name", ANSWERS)
def test_cpp(name: str) -> None:
    assert judge((HERE / "cpp" / name).read_bytes(), name, ANSWERS[name]) is not Judgement.WRONG


@pytest.mark.parametrize("name", CONDITIONAL)
def test_what_stands_under_a_condition_gets_no_verdict(name: str) -> None:
    with pytest.raises(ImportFailedError, match=r" is not read: line \d+ (?:sets|gives|calls|is|refers) "):
        importing.read((HERE / "cpp" / f"{name}.cpp").read_bytes(), "a.cpp")


def test_straight_lines_are_read() -> None:
    straight = [name for name in ANSWERS if name.startswith("straight_")]
    right = [n for n in straight if judge((HERE / "cpp" / n).read_bytes(), n, ANSWERS[n]) is Judgement.RIGHT]
    assert len(right) >= LEAST_STRAIGHT


def test_most_cpp_is_right() -> None:
    right = [n for n, each in ANSWERS.items() if judge((HERE / "cpp" / n).read_bytes(), n, each) is Judgement.RIGHT]
    assert len(right) >= LEAST_RIGHT


@pytest.mark.parametrize("name", CALLS)
def test_calls(name: str) -> None:
    text, answer = CALLS[name]
    assert judge(text.encode(), "paste", answer) is Judgement.RIGHT
