"""A class on phones, as wall and speaker's screen tell of it: no counts on the wall before the reveal."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path

import pytest
from support.presentations import Q, R, Time, on_wall, presented, tell, two

from dmlviz.scene.spans import Line, length
from dmlviz.session.class_status import Said
from dmlviz.session.presentation_state import Build
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
LATER = (
    Said(text="2, 0, 2", count=21, right=True, says="Those are the sizes."),
    Said(text="3, 1, 3", count=5, rule="G4 indices from 1"),
)


def text(lines: list[Line]) -> str:
    return "\n".join("".join(span.text for span in line) for line in lines)


def notes(made: Presenting, width: int = 120) -> str:
    lines = notes_lines(made.notes, width, 60)
    assert all(length(line) <= width for line in lines)
    return text(lines)


@pytest.mark.parametrize("example", ["gather-2", LETTERLESS])
def test_whatever_phones_answer_the_wall_is_the_same_until_the_reveal(example: str) -> None:
    made = presented(example)
    answers = made.item.answers
    assert bool(answers) is (example != LETTERLESS)

    def says(counts: tuple[int, ...], said: tuple[Said, ...]) -> object:
        if answers:
            made.count_room(0, 0, counts)
        tell(made, answered=28, said=() if answers else (said,))
        return made.state

    many, few = ((25, 1, 1, 1), SAID), ((1, 2, 3, 22), LATER)
    assert says(*many) == says(*few)
    assert "25" not in text(notes_lines(made.notes, 100, 60)) or not answers
    made.reveal()
    assert says(*many) != says(*few)


@pytest.mark.parametrize("width", [57, 77, 117, 197])
def test_how_many_answered_and_the_code_are_in_sight_while_a_question_is_open(width: int) -> None:
    time = Time()
    made = presented("gather-2", "join-1", time=time)
    time.now += 42
    tell(made, answered=17)
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
    tell(made, answered=0)
    assert text(wall_footer(made.state, width)).startswith("0 of 28 answered · 0:00" if width > 57 else "0/28 · 0:00")
    made.reveal()
    assert text(wall_footer(made.state, width)).startswith("28 joined · J code")


def test_hands_of_phones_are_bars_with_the_rule_s_name_behind_them() -> None:
    made = tell(presented("gather-2"), answered=28)
    made.count_room(0, 0, (4, 9, 3, 12))
    assert "counted" not in on_wall(made.state), "the footer says how many"
    state = made.reveal()
    rules = {answer.rule.partition(" ")[2] for answer in state.item.answers if answer.rule}
    bars = [line for line in text(wall_lines(state, 77, 40, short=True)).split("\n") if "█" in line]
    assert {rule for rule in rules for line in bars if line.endswith(f" %  {rule}")} == rules


def test_answers_without_letters_are_bars_in_both_votes_and_the_speaker_sees_them_at_once() -> None:
    made = presented(LETTERLESS)
    tell(made, answered=28, said=(SAID,))
    assert "3, 1, 3" not in on_wall(made.state)
    assert all(words in notes(made) for words in ("2, 0, 2 ✓", "G4 indices from 1", "others", "Between 30 and 70 %"))
    assert "commonest wrong rule: G4 indices from 1 (9 of 28)" in notes(made)
    made.second_vote()
    assert made.shared.vote == 1
    tell(made, answered=26, said=(SAID, LATER))
    state = made.reveal()
    told = text(wall_lines(state, 117, 40, airy=True)).split("\n")
    first = next(k for k, line in enumerate(told) if "2, 0, 2 ✓  first " in line)
    assert "12  ███" in told[first]
    assert told[first + 1].index("second") == told[first].index("first")
    assert " 21  ▒▒▒" in told[first + 1]
    assert told[first].index("█") == told[first + 1].index("▒")  # one begins where the other does
    assert "others" in "\n".join(told)
    assert state.sentences[0] == "2, 0, 2: Those are the sizes.", "what most gave"
    made.clean()
    made.clean()
    assert "2, 0, 2" not in notes(tell(made))


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


def test_advice_waits_until_half_of_the_phones_have_answered() -> None:
    made = presented(LETTERLESS)
    right = Said(text="b", count=2, right=True)
    assert "%" not in tell(made, answered=2, said=((right,),)).notes.advice
    assert "More than 70 %" in tell(made, answered=2, joined=4, said=((right,),)).notes.advice
    few = (Said(text="b", count=1, right=True), Said(text="a", count=9))
    assert "Fewer than 30 %" in tell(made, answered=10, joined=10, said=(few,)).notes.advice


def test_the_speaker_knows_the_wrong_rule_that_thirty_students_go_by() -> None:
    made = presented("gather-2")
    answers, chance = made.item.answers, random.Random(7)
    wrong = [k for k, answer in enumerate(answers) if answer.rule]
    for rule in wrong:
        weights = [3 if k == rule else 1 for k in range(len(answers))]
        given = Counter([rule] * 9 + chance.choices(range(len(answers)), weights, k=21))
        made.count_room(0, 0, tuple(given[k] for k in range(len(answers))))
        said = notes(tell(made, answered=30, joined=30))
        assert f"commonest wrong rule: {answers[rule].rule} ({given[rule]} of 30)" in said


def test_leaving_is_asked_for_twice_where_a_class_ends_with_the_wall() -> None:
    made = presented("gather-2")
    assert made.may_leave()
    tell(made)
    made.forward()
    assert not made.may_leave()
    assert made.state.sentence == "28 phones: q again ends the class, and forgets the answers."
    tell(made, joined=29)
    assert made.may_leave()
    assert made.shared.build is Build.QUESTION, "the next class begins at the first question"
    made.black()
    assert not made.may_leave()
    assert not made.state.black, "what is asked has to be seen"
    made.show_both()
    for lines in range(8, 24):
        assert "q again ends" in text(wall_lines(made.state, 57, lines)), "however little room there is"
    made.hide()
    tell(made, joined=1, keeps="a.jsonl")
    assert not made.may_leave()
    assert made.state.sentence == "1 phone: q again ends the class, and saves the answers."


@pytest.mark.parametrize("width", [57, 77, 117])
@pytest.mark.parametrize("trouble", ["", "The room can't be kept: no space is left on the device."])
def test_the_speaker_sees_how_many_answered_and_what_the_server_can_t_do(trouble: str, width: int) -> None:
    made = tell(presented("gather-2", "join-1"), answered=5, trouble=trouble)
    said = " ".join(notes(made, width).split())
    assert "5 of 28 answered" in said
    assert trouble in said
    assert length(notes_footer(made.notes, width)[0]) <= width
    made.go_to(2)
    assert "28 joined" in notes(tell(made, asked=False))
    assert "phones don't ask this one" in notes(made)


def test_nothing_is_open_while_the_code_is_shown_and_either_screen_goes_on(tmp_path: Path) -> None:
    time = Time()
    opened = two(tmp_path, "gather-2", "join-1", time=time)
    wall, speaker = opened(), opened()
    tell(wall).hear(wall.live, joining=True)
    assert (wall.state.joining, wall.shared.is_open, wall.state.room and wall.state.room.open_for) == (True, False, "")
    time.now += 60
    speaker.forward()
    wall.tick()
    assert (wall.state.joining, wall.shared.is_open, wall.shared.build) == (False, True, Build.QUESTION)
    assert wall.state.room is not None
    assert wall.state.room.open_for == "0:00", "the clock starts when the presenter goes on"
    wall.show_code()
    assert not wall.shared.is_open
    wall.reveal()
    assert not wall.state.joining


@pytest.mark.parametrize("screen", ["wall", "speaker"])
def test_v_after_r_opens_a_second_vote_and_none_that_was_told_is_opened_again(screen: str, tmp_path: Path) -> None:
    opened = two(tmp_path, "gather-2", "join-1", time=Time())
    wall, speaker = tell(opened()), opened()
    acts = wall if screen == "wall" else speaker

    def stands() -> tuple[int, bool, Build]:
        wall.tick()
        return wall.shared.vote, wall.shared.is_open, wall.shared.build

    assert stands() == (0, True, Q)
    acts.reveal()
    assert stands() == (0, False, R)
    acts.second_vote()
    assert stands() == (1, True, Q)
    acts.second_vote()
    assert stands() == (1, True, Q), "the first was told"
    acts.go_to(2)
    acts.go_to(1)
    assert stands()[1:] == (False, Q), "the vote that was told before"
    acts.second_vote()
    assert stands() == (1, True, Q)
    acts.reveal()
    for again in (acts.back, acts.second_vote, lambda: acts.go_to(1)):
        again()
        assert not stands()[1]
    fresh = opened()
    assert not fresh.shared.is_open, "whoever opens it anew finds it told, too"


def test_at_the_reveal_the_sentence_is_that_of_the_answer_that_most_gave() -> None:
    made = presented("gather-2")
    answers = made.item.answers
    for k, answer in enumerate(answers):
        made.count_room(0, 0, tuple(9 if n == k else 1 for n in range(len(answers))))
        assert made.item.question is not None
        first, *others = made.reveal().sentences
        assert first == f"{answer.id}: {made.item.question.verdict_on(answer.given).says}"
        assert not [told for told in others if told[:3] in {f"{each.id}: " for each in answers}]
