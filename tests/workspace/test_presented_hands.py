"""Hands in front of a class, raised or of phones: kept with their question, told by the reveal alone."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace
from support.presentations import (
    Q,
    R,
    Time,
    count,
    desk_of,
    does,
    notes_text,
    on_wall,
    presented,
    session_of,
    stand,
    tell,
    two,
    type_number,
)

from dmlviz.session.class_status import Said
from dmlviz.session.experiments import Session
from dmlviz.session.presentation_state import StateFile
from dmlviz.teaching.words.catalogue import sentence
from dmlviz.workspace.wall.wall_desk import WallDesk

LETTERLESS = "rule-sizes-match"
"""An example whose question has no answers to count hands for."""
SAID = (
    Said(text="2, 0, 2", count=12, right=True, says="Those are the sizes."),
    Said(text="3, 1, 3", count=9, rule="G4 indices from 1"),
    Said(text="", count=7),
)


def test_hands_are_counted_for_each_answer_in_two_votes() -> None:
    made = presented("gather-2", "join-1")
    for letter, number in zip("abcd", (11, 9, 6, 2), strict=True):
        count(made, letter, number)
        assert not made.state.hands
    made.second_vote()
    assert made.state.hands == sentence("present.vote_second")
    for letter in "abcd":
        count(made, letter, 7)
    assert made.votes() == ((11, 9, 6, 2), (7, 7, 7, 7))
    assert "25 %" in notes_text(made)
    made.go_to(1)
    assert (made.shared.vote, made.votes()[0]) == (0, (None,) * 4)


def test_what_is_typed_for_an_answer_isn_t_on_the_wall() -> None:
    made = presented("gather-2")
    state = type_number(made, "b", "9", "7")
    assert state.typing == "b: …"
    assert "97" not in on_wall(state)
    assert "b: 97_ hands" in notes_text(made)
    type_number(made, "b", "9")
    assert does(made, "enter").typing == ""
    assert made.votes()[0] == (None, 9, None, None)


@pytest.mark.parametrize("leave", ["reveal", "second_vote", "back", "g", "cancel"])
def test_hands_that_are_typed_are_counted_whatever_ends_their_question(leave: str) -> None:
    made = presented("join-1", "gather-2")
    made.go_to(1)
    type_number(made, "a", "1", "1", "b", "9", "c", "4")
    made.type_number("g") if leave == "g" else does(made, leave)
    assert made.typed == leave * (leave == "g")
    made.type_number("5")
    made.go_to(1)
    assert made.votes() == ((11, 9, 4, None), (None,) * 4)


def test_a_clean_slate_is_asked_for_twice_and_forgets_hands_and_time() -> None:
    time = Time()
    made = presented("gather-2", "join-1", time=time)
    count(made, "a", 5)
    made.go_to(1)
    time.now += 100
    does(made, "clean", "black")
    assert made.shared.hands  # whatever is done in between keeps them
    does(made, "clean")
    assert "Z again" in made.state.sentence
    state = does(made, "clean")
    assert stand(made) == (1, Q)
    assert (state.typing, state.sentence) == ("", "")
    assert not made.shared.hands


def test_hands_stay_with_their_question_and_an_edited_one_has_none(tmp_path: Path) -> None:
    one, other, third = session_of("gather-2", "join-1", "reverse-1").experiments

    def opened(*experiments: object) -> WallDesk:
        return desk_of(Session(experiments), kept=StateFile("/a/lesson.json", tmp_path))  # type: ignore[arg-type]

    made = opened(one, other, one)
    for number, hands in enumerate((5, 7, 9)):
        made.go_to(number)
        count(made, "a", hands)
    for experiments, wanted in (((one, other, one), [5, 7, 9]), ((one, third, one), [5, None, 9])):
        made = opened(*experiments)
        for number, counted in enumerate(wanted):
            made.go_to(number)
            assert made.votes()[0][:1] in ((counted,), ())


# ---- phones


@pytest.mark.parametrize("example", ["gather-2", LETTERLESS])
def test_whatever_phones_answer_the_wall_is_the_same_until_the_reveal(example: str) -> None:
    made = presented(example)
    answers = made.item.answers
    assert bool(answers) is (example != LETTERLESS)

    def says(counts: tuple[int, ...], said: tuple[Said, ...]) -> tuple[object, str]:
        if answers:
            made.count_room(0, 0, counts)
        tell(made, answered=28, said=() if answers else said)
        return replace(made.state, notes=None), notes_text(made)

    many, few = says((25, 1, 1, 1), SAID), says((1, 2, 3, 22), SAID[1:])
    assert many[0] == few[0]
    assert many[1] != few[1]
    made.reveal()
    assert says((25, 1, 1, 1), SAID)[0] != says((1, 2, 3, 22), SAID[1:])[0]


def test_answers_without_letters_are_bars_and_the_speaker_sees_them_at_once() -> None:
    made = presented(LETTERLESS)
    tell(made, answered=28, said=SAID)
    assert "3, 1, 3" not in on_wall(made.state)
    assert all(words in notes_text(made) for words in ("2, 0, 2 ✓", "G4 indices from 1", "others"))
    state = does(made, "reveal")
    assert "43 %" in on_wall(state)
    assert state.sentences[0] == "2, 0, 2: Those are the sizes.", "what most gave"
    does(made, "clean", "clean")
    assert "2, 0, 2" not in notes_text(tell(made))


def test_leaving_is_asked_for_twice_where_a_class_ends_with_the_wall() -> None:
    made = presented("gather-2")
    assert made.may_leave()
    tell(made, keeps="a.jsonl")
    does(made, "forward", "black")
    assert not made.may_leave()
    assert not made.state.at.black, "what is asked has to be seen"
    assert made.state.sentence == "28 phones: q again ends the class, and saves the answers."
    does(made, "forward")
    assert not made.may_leave()
    assert made.may_leave()
    assert stand(made) == (1, Q), "the next class begins at the first question"


def test_nothing_is_open_while_the_code_is_shown_and_either_screen_goes_on(tmp_path: Path) -> None:
    opened = two(tmp_path, "gather-2", "join-1", time=Time())
    wall, speaker = opened(), opened()
    tell(wall).hear(wall.live, joining=True)
    assert (wall.state.at.joining, wall.shared.is_open) == (True, False)
    speaker.follow()
    speaker.forward()
    wall.tick()
    assert (wall.state.at.joining, wall.shared.is_open, stand(wall)) == (False, True, (1, Q))
    wall.show_code()
    assert not wall.shared.is_open
    assert not does(wall, "reveal").at.joining


@pytest.mark.parametrize("screen", ["wall", "speaker"])
def test_v_after_r_opens_a_second_vote_and_none_that_was_told_is_opened_again(screen: str, tmp_path: Path) -> None:
    opened = two(tmp_path, "gather-2", "join-1", time=Time())
    wall, speaker = tell(opened()), opened()
    acts = wall if screen == "wall" else speaker

    def stands(*does: str) -> tuple[int, bool, object]:
        for act in does:
            acts.follow()
            acts.go_to(int(act) - 1) if act.isdigit() else getattr(acts, act)()
        wall.tick()
        return wall.shared.vote, wall.shared.is_open, wall.shared.build

    assert stands() == (0, True, Q)
    assert stands("reveal") == (0, False, R)
    assert stands("second_vote") == (1, True, Q)
    assert stands("second_vote") == (1, True, Q), "the first was told"
    assert stands("2", "1")[1:] == (False, Q), "the vote that was told before"
    assert stands("second_vote") == (1, True, Q)
    for again in ("reveal", "back", "second_vote", "1"):
        assert not stands(again)[1]
    assert not opened().shared.is_open, "whoever opens it anew finds it told, too"


def test_at_the_reveal_the_sentence_is_that_of_the_answer_that_most_gave() -> None:
    made = presented("gather-2")
    answers = made.item.answers
    for k, answer in enumerate(answers):
        made.count_room(0, 0, tuple(9 if n == k else 1 for n in range(len(answers))))
        assert made.item.question is not None
        first, *others = does(made, "reveal").sentences
        assert first == f"{answer.id}: {made.item.question.verdict_on(answer.given).says}"
        assert not [told for told in others if told[:3] in {f"{each.id}: " for each in answers}]
