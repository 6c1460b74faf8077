"""A class on phones, as wall and speaker's screen tell of it: no counts on the wall before the reveal, no secret."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path

import pytest
from support.presentations import CLASS, SECRET, START, Time, on_wall, presented, tell

from dmlviz.scene.spans import Line, length
from dmlviz.session.class_status import STALE, Said, status_file
from dmlviz.session.presentation_state import StateFile
from dmlviz.widgets.boards.presented_lines import notes_footer, notes_lines, wall_footer, wall_head, wall_lines
from dmlviz.widgets.boards.vote_bars import bar_lines
from dmlviz.workspace.wall.presenting import Presenting
from dmlviz.workspace.wall.votes import Counted

LETTERLESS = "rule-sizes-match"
"""An example whose question has no answers to count hands for."""
SAID = (
    Said(text="2, 0, 2", count=12, right=True),
    Said(text="3, 1, 3", count=9, rule="G4 indices from 1"),
    Said(text="", count=7),
)
LATER = (Said(text="2, 0, 2", count=21, right=True), Said(text="3, 1, 3", count=5, rule="G4 indices from 1"))


@pytest.fixture
def kept(tmp_path: Path) -> StateFile:
    return StateFile("/a/lesson.json", tmp_path)


def text(lines: list[Line]) -> str:
    return "\n".join("".join(span.text for span in line) for line in lines)


def notes(made: Presenting, width: int = 120) -> str:
    lines = notes_lines(made.notes, width, 60)
    assert all(length(line) <= width for line in lines)
    return text(lines)


@pytest.mark.parametrize("example", ["gather-2", LETTERLESS])
def test_whatever_phones_answer_the_wall_is_the_same_until_the_reveal(example: str, kept: StateFile) -> None:
    made = presented(example, kept=kept)
    answers = made.item.answers
    assert bool(answers) is (example != LETTERLESS)

    def says(counts: tuple[int, ...], said: tuple[Said, ...]) -> object:
        if answers:
            made.count_room(0, 0, counts)
        tell(kept, made, answered=28, said=() if answers else said)
        return made.state

    many, few = ((25, 1, 1, 1), SAID), ((1, 2, 3, 22), LATER)
    assert says(*many) == says(*few)
    assert "25" not in text(notes_lines(made.notes, 100, 60)) or not answers
    made.reveal()
    assert says(*many) != says(*few)


def test_neither_state_has_the_address_of_the_instructor_s_phone(kept: StateFile) -> None:
    made = tell(kept, presented("gather-2", kept=kept))
    made.show_both()
    assert made.state.room is not None
    assert made.notes.room is not None
    assert made.live is not None
    assert SECRET in made.live.host
    assert SECRET not in f"{made.state.room} {made.state.notes and made.state.notes.room} {notes(made)}"


def test_a_server_that_is_silent_is_away_and_one_that_ended_is_not_missed(kept: StateFile) -> None:
    time = Time()
    status_file(kept).write(CLASS)
    time.now = START + 7 * 24 * 3600  # what a crash left last week
    made = presented("gather-2", kept=kept, time=time)
    assert (made.notes.room, made.state.away) == (None, False)
    time.now = START + 1
    assert made.tick() is not None
    assert made.state.room is not None
    time.now = START + STALE + 1
    assert made.tick() is not None
    assert (made.notes.room, made.state.away, made.notes.away) == (None, True, True)
    assert text(wall_footer(made.state, 100)).startswith("the phones' server is away")
    status_file(kept).file.unlink()
    assert made.tick() is not None
    assert (made.notes.room, made.state.away) == (None, False)


def test_a_beat_with_nothing_new_draws_nothing(kept: StateFile) -> None:
    time = Time()
    made = tell(kept, presented("gather-2", kept=kept, time=time))
    assert made.state.room is not None
    made.tick()
    tell(kept, made, beat=START + 0.5)
    assert made.tick() is None
    status_file(kept).write(CLASS)  # of another question
    assert made.tick() is not None
    assert made.state.room is not None
    assert not made.state.room.status.asked


@pytest.mark.parametrize("width", [57, 77, 117, 197])
def test_how_many_answered_and_the_code_are_in_sight_while_a_question_is_open(width: int, kept: StateFile) -> None:
    time = Time()
    made = presented("gather-2", "join-1", kept=kept, time=time)
    time.now += 42
    tell(kept, made, answered=17)
    footer, head = (text(lines(made.state, width)) for lines in (wall_footer, wall_head))
    assert footer.startswith("17 of 28 answered · 0:42 · J code" if width > 57 else "17/28 · 0:42 · J  ")
    assert "pgdn on" in footer, "the key that goes on is always named"
    assert footer.endswith("q leave")
    assert "K7Q M4XT" in head
    assert "1 of 2" in head
    assert ("192.168.178.123:8765  K7Q M4XT" in head) is (width > 57)
    assert all(max(map(length, lines(made.state, width))) <= width for lines in (wall_footer, wall_head))
    made.second_vote()
    assert text(wall_footer(made.state, width)).startswith("28 joined"), "nothing is counted of that vote"
    tell(kept, made, answered=0)
    assert text(wall_footer(made.state, width)).startswith("0 of 28 answered · 0:00" if width > 57 else "0/28 · 0:00")
    made.reveal()
    assert text(wall_footer(made.state, width)).startswith("28 joined · J code")


def test_hands_of_phones_are_bars_with_the_rule_s_name_behind_them(kept: StateFile) -> None:
    made = tell(kept, presented("gather-2", kept=kept), answered=28)
    made.count_room(0, 0, (4, 9, 3, 12))
    assert "counted" not in on_wall(made.state), "the footer says how many"
    state = made.reveal()
    rules = {answer.rule.partition(" ")[2] for answer in state.item.answers if answer.rule}
    bars = [line for line in text(wall_lines(state, 77, 40, short=True)).split("\n") if "█" in line]
    assert {rule for rule in rules for line in bars if line.endswith(f" %  {rule}")} == rules


def test_answers_without_letters_are_bars_in_both_votes_and_the_speaker_sees_them_at_once(kept: StateFile) -> None:
    made = presented(LETTERLESS, kept=kept)
    tell(kept, made, answered=28, said=SAID)
    assert "3, 1, 3" not in on_wall(made.state)
    assert all(words in notes(made) for words in ("2, 0, 2 ✓", "G4 indices from 1", "others", "Between 30 and 70 %"))
    assert "commonest wrong rule: G4 indices from 1 (9 of 28)" in notes(made)
    made.second_vote()
    assert made.shared.vote == 1
    tell(kept, made, answered=26, said=LATER)
    state = made.reveal()
    told = text(wall_lines(state, 117, 40, airy=True)).split("\n")
    first = next(k for k, line in enumerate(told) if "2, 0, 2 ✓  first " in line)
    assert "12  ███" in told[first]
    assert told[first + 1].index("second") == told[first].index("first")
    assert " 21  ▒▒▒" in told[first + 1]
    assert told[first].index("█") == told[first + 1].index("▒")  # one begins where the other does
    assert "others" in "\n".join(told)
    made.clean()
    made.clean()
    assert "2, 0, 2" not in notes(tell(kept, made))


@pytest.mark.parametrize("form", ["beside", "below", "low"])
@pytest.mark.parametrize("width", [57, 77, 117])
def test_however_long_an_answer_is_how_many_gave_it_is_read(width: int, form: str) -> None:
    words = ("A result has too many sizes for what is printed.", "An index picks a slice that isn't there.", "valid")
    said = [Counted(each, not k, "", (10 + k, 20 + k)) for k, each in enumerate(words)]
    lines = bar_lines(said, width, form=form)
    assert all(length(line) <= width for line in lines)
    told = text(lines)
    assert all(f" {count} " in told for count in ((10, 20) if form == "low" else (10, 11, 12, 20, 21, 22)))
    assert form == "low" or told.count(" %") == 6
    assert (words[0] in told) is (width == 117 and form != "low")


def test_advice_waits_until_half_of_the_phones_have_answered(kept: StateFile) -> None:
    made = presented(LETTERLESS, kept=kept)
    right = Said(text="b", count=2, right=True)
    assert "%" not in tell(kept, made, answered=2, said=(right,)).notes.advice
    assert "More than 70 %" in tell(kept, made, answered=2, joined=6, lost=2, said=(right,)).notes.advice
    few = (Said(text="b", count=1, right=True), Said(text="a", count=9))
    assert "Fewer than 30 %" in tell(kept, made, answered=10, joined=10, said=few).notes.advice


def test_the_speaker_knows_the_wrong_rule_that_thirty_students_go_by(kept: StateFile) -> None:
    made = presented("gather-2", kept=kept)
    answers, chance = made.item.answers, random.Random(7)
    wrong = [k for k, answer in enumerate(answers) if answer.rule]
    for rule in wrong:
        weights = [3 if k == rule else 1 for k in range(len(answers))]
        given = Counter([rule] * 9 + chance.choices(range(len(answers)), weights, k=21))
        made.count_room(0, 0, tuple(given[k] for k in range(len(answers))))
        said = notes(tell(kept, made, answered=30, joined=30))
        assert f"commonest wrong rule: {answers[rule].rule} ({given[rule]} of 30)" in said


def test_leaving_is_asked_for_twice_where_a_class_ends_with_the_wall(kept: StateFile) -> None:
    made = presented("gather-2", kept=kept)
    assert made.may_leave()
    tell(kept, made, wall=False)
    assert made.may_leave(), "the server runs by itself"
    tell(kept, made)
    assert not made.may_leave()
    assert made.state.sentence == "28 phones: q again ends the class, and forgets the answers."
    tell(kept, made, joined=29)
    assert made.may_leave()
    made.black()
    assert not made.may_leave()
    assert not made.state.black, "what is asked has to be seen"
    made.show_both()
    for lines in range(8, 24):
        assert "q again ends" in text(wall_lines(made.state, 57, lines)), "however little room there is"
    made.hide()
    tell(kept, made, joined=1, keeps="a.jsonl")
    assert not made.may_leave()
    assert made.state.sentence == "1 phone: q again ends the class, and saves the answers."


@pytest.mark.parametrize("width", [57, 77, 117])
@pytest.mark.parametrize("trouble", ["", "The room can't be kept: no space is left on the device."])
def test_the_speaker_sees_lost_phones_and_what_the_server_can_t_do(trouble: str, width: int, kept: StateFile) -> None:
    made = tell(kept, presented("gather-2", "join-1", kept=kept), answered=5, lost=2, trouble=trouble)
    said = " ".join(notes(made, width).split())
    assert "5 of 28 answered" in said
    assert "2 phones lost" in said
    assert trouble in said
    assert length(notes_footer(made.notes, width)[0]) <= width
    made.go_to(2)
    assert "28 joined" in notes(tell(kept, made, asked=False))
    assert "phones don't ask this one" in notes(made)
