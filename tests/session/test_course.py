"""The course: what is listed of an example follows from its file, and its order is one list."""

from __future__ import annotations

from pathlib import Path

import pytest

from dmlviz.session import course, examples
from dmlviz.session.recent_files import OpenedExamples


def test_the_course_has_twelve_steps_that_begin_with_join_and_end_with_a_misprint() -> None:
    steps = course.course().cards
    assert [card.name for card in steps] == list(course.START)
    assert len({card.name for card in steps}) == 12
    assert steps[0].operators == ("JOIN",)
    assert not steps[0].rules
    assert steps[-1].is_misprint
    assert {name for card in steps for name in card.operators} >= {"JOIN", "SPLIT", "TILE", "GATHER"}
    assert any("values.length_clamped" in card.rules for card in steps)
    assert any(card.example.session().experiments[0].desc.get("IndexDimensions") == 2 for card in steps[7:-1])


@pytest.mark.parametrize("card", course.cards(), ids=lambda card: str(card.name))
def test_a_card_says_in_few_words_what_it_is_and_what_it_asks(card: course.Card) -> None:
    assert card.title != card.name
    assert 5 < len(card.title) < 60
    assert card.title[0] == card.title[0].upper()
    assert card.teaser.endswith("?")
    assert card.question.startswith(card.teaser)


def test_rules_of_a_card_are_those_that_the_check_finds_broken() -> None:
    for card in course.cards():
        reports = [each.check() for each in card.example.session().experiments]
        assert set(card.rules) == {check.id for report in reports for check in report.failures}
        assert card.breaks == any(report.ok is False for report in reports)


def test_every_example_has_its_group() -> None:
    groups = {group.title: [card.name for card in group.cards] for group in course.groups()}
    assert {name for names in groups.values() for name in names} == {each.name for each in examples.all_examples()}
    assert all(names for names in groups.values())
    assert groups["TILE"] == ["tile-1"]
    rules = [card.rules[0] for group in course.groups() if group.title == course.BY_RULE for card in group.cards]
    assert rules == sorted(rules), "what breaks one rule stands together"
    assert set(groups[course.BY_RULE]) >= {each.name for each in examples.all_examples() if each.name[:5] == "rule-"}
    misprints = set(groups[course.BY_MISPRINT])
    assert misprints >= {each.name for each in examples.all_examples() if each.name.startswith("erratum-")}
    assert "gather-3-as-printed" in misprints


def test_a_search_finds_each_example_by_its_name_best() -> None:
    for card in course.cards():
        found = [each for group in course.search(card.name) for each in group.cards]
        assert min(found, key=lambda each: each.rank(card.name)) == card


def test_marks_outlive_the_program(tmp_path: Path) -> None:
    OpenedExamples(tmp_path / "state" / "opened.json").add("join-1")
    assert OpenedExamples(tmp_path / "state" / "opened.json").names == {"join-1"}
