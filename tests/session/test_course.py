"""The course: what is listed of an example follows from its file, and its order is one list."""

from __future__ import annotations

import pytest

from dmlviz.session import course, examples


def test_the_course_has_twelve_steps_that_begin_with_join_and_end_with_a_misprint() -> None:
    first, *others = course.groups()
    assert (first.title, [card.name for card in first.cards]) == (course.START_HERE, list(course.START))
    assert len(set(course.START)) == 12
    assert (first.cards[0].operators, first.cards[0].rules) == (("JOIN",), ())
    assert first.cards[-1].group == course.BY_MISPRINT
    assert {name for card in first.cards for name in card.operators} >= {"JOIN", "SPLIT", "TILE", "GATHER"}
    assert any("values.length_clamped" in card.rules for card in first.cards)
    listed = [card.name for group in others for card in group.cards]
    assert sorted(listed) == sorted(each.name for each in examples.all_examples()), "each stands under one heading"


@pytest.mark.parametrize("card", [*map(course.card_of, examples.all_examples())], ids=lambda card: str(card.name))
def test_a_card_says_in_few_words_what_it_is_and_what_it_asks(card: course.Card) -> None:
    assert card.title != card.name
    assert 5 < len(card.title) < 60
    assert card.title[0] == card.title[0].upper()
    assert card.teaser.endswith("?")
    assert card.question.startswith(card.teaser)
    reports = [each.check() for each in card.example.session().experiments]
    assert set(card.rules) == {check.id for report in reports for check in report.failures}
    assert any(card in group.cards for group in course.groups(card.name)), "its name finds it"


def test_what_breaks_a_rule_or_shows_a_misprint_stands_with_that() -> None:
    groups = {group.title: group.cards for group in course.groups()}
    assert [card.name for card in groups["TILE"]] == ["tile-1"]
    rules = [card.rules[0] for card in groups[course.BY_RULE]]
    assert rules == sorted(rules), "what breaks one rule stands together"
    named = {start: {e.name for e in examples.all_examples() if e.name.startswith(start)} for start in ("rule-", "err")}
    assert {card.name for card in groups[course.BY_RULE]} >= named["rule-"]
    assert {card.name for card in groups[course.BY_MISPRINT]} >= {*named["err"], "gather-3-as-printed"}
