"""The lines of the wall and of the speaker's screen: they fit, and nothing on the wall tells what is hidden."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from dmlviz.scene.names import short_name
from dmlviz.scene.spans import Line, length
from dmlviz.session import examples
from dmlviz.session.experiments import Session
from dmlviz.session.presentation_state import Build, StateFile
from dmlviz.teaching.lessons.lessons import shipped_lessons
from dmlviz.widgets.boards.presented_lines import (
    answers_fit,
    notes_footer,
    notes_head,
    notes_lines,
    wall_footer,
    wall_head,
    wall_lines,
)
from dmlviz.widgets.boards.vote_bars import bar_lines
from dmlviz.workspace.shown.picture import Room
from dmlviz.workspace.wall.presenting import Presenting
from dmlviz.workspace.wall.votes import Vote, counted_hands

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
        if state.build is Build.QUESTION and state.desc.pictured:
            assert state.item.prompt.split()[0] in text(wall_lines(state, *size))
        made.forward()


def counting(made: Presenting) -> Iterator[str]:
    """Counts hands for each answer of the first question that has some; what was typed, after each digit and enter."""
    while not made.item.answers:
        made.go_to(made.shared.experiment + 2)
    for letter, hands in zip([each.id for each in made.item.answers], HANDS, strict=False):
        made.count_hands(letter)
        for digit in hands:
            made.digit(digit)
            yield hands
        made.enter()
        yield hands


def test_the_wall_has_no_hands_before_the_reveal_and_all_of_them_after_it() -> None:
    made = presenting("gather")
    for hands in counting(made):
        assert hands not in text(wall_lines(made.state, 100, 40))
    told = HANDS[: len(made.item.answers)]
    assert all(hands in text(notes_lines(made.notes, 100, 40)) for hands in told)
    made.reveal()
    assert all(hands in text(wall_lines(made.state, 100, 40)) for hands in told)


def test_both_votes_stand_side_by_side() -> None:
    made = presenting("gather")
    while not made.item.answers:
        made.go_to(made.shared.experiment + 2)
    answers = made.item.answers
    none = Vote((None,) * len(answers))
    one, other = Vote((1, *(0 for _ in answers[1:]))), Vote((0, *(4 for _ in answers[1:])))
    assert bar_lines(counted_hands(answers, (none, none)), 100, form="beside") == []
    assert "first" not in text(bar_lines(counted_hands(answers, (one, none)), 100, form="beside"))
    both = text(bar_lines(counted_hands(answers, (one, other)), 100, form="beside")).splitlines()
    assert len(both) == len(answers)
    assert all("first" in line and "second" in line for line in both)
    assert "100 %" in both[0]


@pytest.mark.parametrize("form", ["beside", "low"])
def test_an_answer_that_nobody_counted_has_no_number(form: str) -> None:
    made = presenting("gather")
    while len(made.item.answers) < 3:
        made.go_to(made.shared.experiment + 2)
    answers = made.item.answers[:3]
    votes = Vote((3, 0, None)), Vote((None, 1, 1))
    lines = text(bar_lines(counted_hands(answers, votes), 100, form=form)).splitlines()
    said = "\n".join(lines)
    assert (said.count("–"), said.count("%")) == (2, 4)
    assert len({line.index("second") for line in lines if "first" in line and "second" in line}) == (form == "beside")


@pytest.mark.parametrize(("name", "said"), [("/a/lesson.json", "lesson.json"), ("example:gather-2", "gather-2")])
def test_the_speaker_s_screen_says_which_file_it_is_of(name: str, said: str, tmp_path: Path) -> None:
    session = Session(tuple(step.experiment for step in LESSONS["gather"].steps), title="Rows")
    kept = StateFile(name, tmp_path)
    assert text(notes_head(Presenting(session, lambda: 1.0, kept=kept).notes, 100)).startswith(f"SPEAKER  {said}  ")
    assert text(notes_head(Presenting(session, lambda: 1.0).notes, 100)).startswith("SPEAKER  Rows  ")


def test_the_speaker_knows_what_the_reveal_will_tell() -> None:
    made = presenting("invalid")
    for number in range(1, made.count + 1):
        state = made.go_to(number)
        told, room = (
            " ".join(text(lines).split()) for lines in (notes_lines(made.notes, 100, 60), wall_lines(state, 100, 60))
        )
        assert state.item.sentences
        for sentence in state.item.sentences:
            assert " ".join(sentence.split()) in told
            assert sentence not in room


def test_where_there_is_little_room_hands_stand_in_a_line_for_each_vote() -> None:
    made = presenting("gather")
    made.go_to(2)
    assert [*counting(made)]
    made.second_vote()
    assert [*counting(made)]
    state = made.reveal()
    high, low = (text(wall_lines(state, 57, lines, short=True)).splitlines() for lines in (16, 8))
    assert sum("█" in line for line in high) == len(state.item.answers)
    (first,), (second,) = ([line for line in low if line.startswith(name)] for name in ("first", "second"))
    for line in (first, second):
        assert all(
            f"{each.id}{'✓' * each.right} {n}" in line for each, n in zip(state.item.answers, HANDS, strict=False)
        )
    assert state.sentences[0] in " ".join(low), "what is said to the answer that most gave stands right below"


@pytest.mark.parametrize("size", [(57, 16), (77, 22), (117, 34), (197, 48)])
@pytest.mark.parametrize("lesson", list(LESSONS))
def test_what_fits_is_there_whole_and_what_does_not_is_told_by_letters(lesson: str, size: tuple[int, int]) -> None:
    made = presenting(lesson)
    for number in range(1, made.count + 1):
        made.go_to(number)
        state, answers = made.state, made.item.answers
        assert "click" not in text(wall_lines(state, *size))
        if answers_fit(state, *size):
            told = text(wall_lines(state, *size))
            told = " ".join(told.split())
            assert all(each.text in told for each in answers)
            if any(each.picture for each in answers):
                assert "flips" not in told
        made.reveal()
        told = text(wall_lines(made.state, *size, short=True))
        assert all(each.right or f"{each.id}  {each.text}" not in told for each in answers if each.text)
        assert all(f"✓ {each.id}" in told for each in answers if each.right)
        assert all(each.split()[0] in told for each in made.state.sentences)


def test_the_question_stands_on_a_band_as_wide_as_the_wall() -> None:
    made = presenting("gather")
    bands = [line for line in wall_lines(made.state, 77, 13) if line and line[0].style.kind == "tab"]
    assert bands
    assert all(length(line) == 77 for line in bands)
    said = " ".join("".join(span.text for span in line).strip() for line in bands)
    assert said == " ".join(made.state.item.prompt.split())


def test_hands_and_what_the_reveal_tells_stand_together() -> None:
    made = presenting("gather")
    assert [*counting(made)]
    made.turn_timer()
    assert "talk to your neighbour" in text(wall_lines(made.state, 77, 13))
    state = made.reveal()
    told = text(wall_lines(state, 77, 15, short=True))
    assert "talk to your neighbour" not in told
    assert all(hands in told for hands in HANDS[: len(made.item.answers)])
    assert all(each.split()[0] in told for each in state.sentences)


@pytest.mark.parametrize("name", ["join-2-axis-3", "gather-2", "split-1", "gather-4", "tile-1"])
def test_the_smallest_wall_shows_the_output_that_it_asks_about(name: str) -> None:
    task = {"id": "a", "ask": {"kind": "runs"}}
    one = replace(examples.example(name).session().experiments[0], extra={"task": task})
    made = Presenting(Session((one,), extra={"lesson": {}}), lambda: 1_800_000_000.0)
    said = text(wall_lines(made.state, 57, 16))
    assert "…" not in said
    for part in one.desc.outputs:
        assert short_name(part.path) in said or part.path in said
        assert all(f"{size}" in said for size in part.tensor.sizes)
    for answer in made.item.answers:
        assert f"{answer.id}  {answer.text}" in said
    outputs = [table for table in made.state.ask.tables if table.is_output] if made.state.ask is not None else []
    if sum(len(table.values) for table in outputs) <= 24:
        assert all(re.search(rf"\b{value}\b", said) for table in outputs for value in table.values)


def test_letters_of_answers_stand_in_lines_that_are_not_cut() -> None:
    made = presenting("join")
    made.go_to(2)
    longest = max(len(f"{answer.id} {answer.text}") for answer in made.item.answers)
    for width in range(longest, 120):
        said = text(wall_lines(made.state, width, 30, short=True))
        assert "…" not in said
        assert all(f"{answer.id} {answer.text}" in said for answer in made.item.answers)
