"""The lines of the wall and of the speaker's screen: they fit, and nothing on the wall tells what is hidden."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from dmlviz.scene.spans import Line, length
from dmlviz.session.experiments import Session
from dmlviz.session.presentation_state import Build
from dmlviz.teaching.lessons import shipped_lessons
from dmlviz.widgets.presented_lines import (
    hands_lines,
    notes_footer,
    notes_head,
    notes_lines,
    wall_footer,
    wall_head,
    wall_lines,
)
from dmlviz.workspace.picture import Room
from dmlviz.workspace.presenting import Presenting
from dmlviz.workspace.votes import Vote

HANDS = ("91", "82", "73", "64")
LESSONS = {each.id: each for each in shipped_lessons()}


def text(lines: Sequence[Line]) -> str:
    return "\n".join("".join(span.text for span in line) for line in lines)


def presenting(lesson: str) -> Presenting:
    made = Presenting(Session(tuple(step.experiment for step in LESSONS[lesson].steps)), lambda: 1_800_000_000.0)
    made.fit(Room(100, 20))
    return made


@pytest.mark.parametrize("size", [(57, 9), (77, 13), (117, 30)])
@pytest.mark.parametrize("lesson", list(LESSONS))
def test_every_line_fits_and_the_question_is_said(lesson: str, size: tuple[int, int]) -> None:
    made = presenting(lesson)
    while not made.state.sentence:
        state, notes = made.state, made.notes
        for lines in (wall_lines(state, *size), notes_lines(notes, *size)):
            assert len(lines) <= size[1]
        for lines in (wall_head(state, size[0]), notes_head(notes, size[0]), notes_lines(notes, *size)):
            assert all(length(line) <= size[0] for line in lines), text(lines)
        for lines in (wall_footer(state, size[0]), notes_footer(notes, size[0])):
            assert length(lines[0]) <= size[0]
            assert text(lines).endswith("q leave")
        if state.build is Build.QUESTION and state.pictured:
            assert state.item.prompt.split()[0] in text(wall_lines(state, *size))
        made.forward()


def test_the_wall_has_no_hands_before_the_reveal_and_all_of_them_after_it() -> None:
    made = presenting("gather")
    while not made.item.answers:
        made.go_by(1)
    for letter, hands in zip([each.id for each in made.item.answers], HANDS, strict=False):
        made.count_hands(letter)
        for digit in hands:
            made.digit(digit)
            assert hands not in text(wall_lines(made.state, 100, 40))
        made.enter()
        assert hands not in text(wall_lines(made.state, 100, 40))
    told = HANDS[: len(made.item.answers)]
    assert all(hands in text(notes_lines(made.notes, 100, 40)) for hands in told)
    made.reveal()
    assert all(hands in text(wall_lines(made.state, 100, 40)) for hands in told)


def test_both_votes_stand_side_by_side() -> None:
    made = presenting("gather")
    while not made.item.answers:
        made.go_by(1)
    answers = made.item.answers
    none = Vote((None,) * len(answers))
    one, other = Vote((1, *(0 for _ in answers[1:]))), Vote((0, *(4 for _ in answers[1:])))
    assert hands_lines(answers, (none, none), 100) == []
    assert "first" not in text(hands_lines(answers, (one, none), 100))
    both = text(hands_lines(answers, (one, other), 100)).splitlines()
    assert len(both) == len(answers)
    assert all("first" in line and "second" in line for line in both)
    assert "100 %" in both[0]
