"""The course: what is listed of an example follows from its file, and its order is one list."""

from __future__ import annotations

import pytest

from dmlviz.session import course, examples
from dmlviz.session.notes import asked_first


def test_the_course_has_twelve_steps_that_begin_with_join_and_end_with_a_misprint() -> None:
    steps, others = course.listed()[:12], course.listed()[12:]
    assert [card.example.name for card in steps] == list(course.START)
    assert {card.group for card in steps} == {course.START_HERE}
    assert (steps[0].operators, steps[0].rules) == (("JOIN",), ())
    assert {name for card in steps for name in card.operators} >= {"JOIN", "SPLIT", "TILE", "GATHER"}
    listed = [card.example.name for card in (*steps, *others)]
    assert sorted(listed) == sorted(each.name for each in examples.all_examples()), "each of them once"


@pytest.mark.parametrize("example", examples.all_examples(), ids=lambda example: str(example.name))
def test_a_card_says_in_few_words_what_it_is_and_what_it_asks(example: examples.Example) -> None:
    card = course.card_of(example)
    assert card.title != card.example.name
    assert 5 < len(card.title) < 60
    assert card.title[0] == card.title[0].upper()
    assert asked_first(card.question).endswith("?")
    reports = [each.check() for each in card.example.session().experiments]
    assert set(card.rules) == {check.id for report in reports for check in report.failures}
    assert card in course.listed(card.example.name), "its name finds it"
