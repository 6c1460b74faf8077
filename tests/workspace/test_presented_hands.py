"""Hands that are counted in front of a class: typed, kept with their question, told by the reveal alone."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from support.presentations import Q, Time, count, presented, session_of, stand

from dmlviz.session.experiments import Experiment, Session
from dmlviz.session.presentation_state import StateFile
from dmlviz.workspace.wall.presenting import Presenting
from dmlviz.workspace.wall.votes import Vote, advice, counted_hands


def test_hands_are_counted_for_each_answer_in_two_votes() -> None:
    made = presented("gather-2", "join-1")
    ids = [each.id for each in made.item.answers]
    assert ids == list("abcd")
    for letter, number in zip(ids, (11, 9, 6, 2), strict=True):
        assert made.state.hands.total is None  # the numbers of single answers would follow from what they are together
        count(made, letter, number)
    assert made.state.hands.total == 28
    made.second_vote()
    assert made.state.hands.total is None
    for letter in ids:
        count(made, letter, 7)
    assert made.notes.votes == (Vote((11, 9, 6, 2)), Vote((7, 7, 7, 7)))
    made.go_to(2)
    assert made.notes.votes[0].total == 0
    assert made.shared.vote == 0
    made.go_to(1)
    assert made.shared.vote == 1
    assert made.notes.votes[0].total == 28


def test_what_is_typed_for_an_answer_isn_t_on_the_wall() -> None:
    made = presented("gather-2")
    made.count_hands("b")
    made.digit("9")
    state = made.digit("7")
    assert state.typing == "b: …"
    assert made.notes.typing == "b: 97_ hands"
    assert state.notes is None
    made.erase()
    made.enter()
    assert made.notes.votes[0].counts[1] == 9
    assert made.state.hands.counted == ("b",)
    made.count_hands("b")
    made.digit("1")
    made.cancel()
    assert made.notes.votes[0].counts[1] == 9


@pytest.mark.parametrize(
    ("leave", "vote"),
    [("reveal", 0), ("second_vote", 0), ("second_vote", 1), ("begin_go", 0), ("next", 0), ("page up", 0)],
)
def test_hands_that_are_typed_are_taken_by_whatever_ends_their_question(leave: str, vote: int) -> None:
    made = presented("join-1", "gather-2")
    made.go_to(2)
    for _ in range(vote):
        made.second_vote()
    count(made, "a", 11)
    made.count_hands("b")
    made.digit("9")
    made.count_hands("c")
    made.digit("4")
    acts = {
        "reveal": made.reveal,
        "second_vote": made.second_vote,
        "begin_go": made.begin_go,
        "next": lambda: made.go_to(1),
        "page up": made.back,
    }
    acts[leave]()
    assert made.notes.typing == ("go to _" if leave == "begin_go" else "")
    made.go_to(2)
    assert made.notes.votes[vote].counts == (11, 9, 4, None)
    assert not made.notes.votes[1 - vote].is_begun


def test_each_answer_has_the_rule_that_gives_it() -> None:
    for answer in presented("gather-2").item.answers:
        assert bool(answer.rule) != answer.right


@pytest.mark.parametrize(
    ("right", "words"), [(2, "Fewer than 30 %"), (5, "Between 30 and 70 %"), (9, "More than 70 %")]
)
def test_the_speaker_is_told_what_the_hands_suggest(right: int, words: str) -> None:
    made = presented("gather-2")
    answers = made.item.answers
    counts = tuple(right if each.right else 10 - right if not k else 0 for k, each in enumerate(answers))
    if answers[0].right:
        counts = (right, 10 - right, 0, 0)
    assert advice(counted_hands(answers, [Vote(counts)]), 0).startswith(words)
    assert advice(counted_hands(answers, [Vote((None, *counts[1:]))]), 0) == ""


def test_a_clean_slate_forgets_hands_and_time() -> None:
    time = Time()
    made = presented("gather-2", "join-1", time=time)
    count(made, "a", 5)
    made.go_to(2)
    time.now += 100
    made.clean()
    made.count_hands("a")
    made.digit("3")
    state = made.clean()
    assert "Z again" in state.sentence
    assert "Z again" in made.notes.sentence
    assert stand(state) == (2, Q)
    state = made.clean()
    assert stand(state) == (1, Q)
    assert (state.heading.elapsed, state.typing, state.sentence) == ("00:00", "", "")
    assert made.notes.votes[0].total == 0
    made.go_to(2)
    assert made.notes.votes[0].total == 0


@pytest.mark.parametrize("act", ["forward", "black", "spotlight", "begin_go", "turn_timer", "second_vote"])
def test_whatever_is_done_in_between_keeps_the_hands(act: str) -> None:
    made = presented("gather-2", "join-1")
    count(made, "a", 5)
    made.clean()
    getattr(made, act)()
    assert "Z again" in made.clean().sentence
    made.go_to(2)
    made.go_to(1)
    assert Vote((5, None, None, None)) in made.notes.votes


def test_hands_stay_with_their_question_whatever_is_edited_in_between(tmp_path: Path) -> None:
    one, other, third = session_of("gather-2", "join-1", "reverse-1").experiments

    def opened(*experiments: Experiment) -> Presenting:
        return Presenting(Session(experiments), Time(), kept=StateFile("/a/lesson.json", tmp_path))

    def votes(made: Presenting) -> list[tuple[int, int, int]]:
        totals = []
        for number in range(1, made.count + 1):
            made.go_to(number)
            totals.append((made.notes.votes[0].total, made.notes.votes[1].total, made.shared.vote))
        return totals

    made = opened(one, other, one)
    for number, hands in enumerate((5, 7, 9), 1):
        made.go_to(number)
        count(made, "a", hands)
    made.second_vote()
    count(made, "a", 3)
    assert votes(opened(one, other, one)) == [(5, 0, 0), (7, 0, 0), (9, 3, 1)]
    assert votes(opened(other, one)) == [(7, 0, 0), (5, 0, 0)]
    assert votes(opened(third, replace(other, notes="Ask twice."), one, one)) == [
        (0, 0, 0),
        (7, 0, 0),
        (5, 0, 0),
        (9, 3, 1),
    ]


def test_a_letter_gives_up_the_number_of_an_experiment() -> None:
    made = presented("gather-2", "join-1")
    made.begin_go()
    made.digit("2")
    state = made.count_hands("a")
    assert stand(state) == (1, Q)
    made.digit("7")
    made.enter()
    assert made.notes.votes[0].counts[0] == 7
