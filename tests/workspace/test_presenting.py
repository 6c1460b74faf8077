"""A presentation without a screen: builds, what is hidden, steps, pointing, and time."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from support.presentations import P, Q, R, Time, count, presented, session_of, stand

from dmlviz.operators.maps import Place
from dmlviz.scene.elements.cursor import Cursor
from dmlviz.session.experiments import Session
from dmlviz.teaching.lessons.lessons import shipped_lessons
from dmlviz.workspace.asking.asked_desc import LEVEL
from dmlviz.workspace.shown.picture import Room
from dmlviz.workspace.wall.presenting import SECONDS, Presenting, minutes


def test_page_down_alone_goes_through_all_and_page_up_the_same_way_back() -> None:
    made = presented("gather-2", "rule-axis-range", "join-1")
    wanted = [(1, Q), (1, P), (1, R), (2, Q), (2, R), (3, Q), (3, P), (3, R)]  # an invalid desc has no steps
    found = [stand(made.state)]
    found += [stand(made.forward()) for _ in wanted[1:]]
    assert found == wanted
    assert stand(made.forward()) == wanted[-1]
    assert made.state.sentence == "This is the end. Page up goes back."
    back = [stand(made.state)]
    back += [stand(made.back()) for _ in wanted[1:]]
    assert back == wanted[::-1]
    assert stand(made.back()) == wanted[0]


@pytest.mark.parametrize("lesson", [each.id for each in shipped_lessons()])
def test_every_step_of_a_lesson_can_be_presented(lesson: str) -> None:
    steps = next(each.steps for each in shipped_lessons() if each.id == lesson)
    made = Presenting(Session(tuple(step.experiment for step in steps)), Time())
    made.fit(Room(60, 12))
    seen = [made.state]
    while not seen[-1].sentence:
        seen.append(made.forward())
    assert {state.heading.number for state in seen} == set(range(1, len(steps) + 1))
    assert all(state.item.prompt and not state.item.problem for state in seen)
    for state in seen:
        assert len(state.item.answers) != 1
        several = state.item.question is not None and state.item.question.kind.name == "fixes"  # edits that mend
        assert 1 <= sum(each.right for each in state.item.answers) <= 1 + several or not state.item.answers
        assert state.desc.pictured or state.ask is not None or state.desc.lines


def known(made: Presenting) -> list[bool]:
    """Whether each element of the first output may be told."""
    trace = made.item.view.trace
    assert trace is not None
    sizes = trace.outputs[0].tensor.sizes
    return [made.picture.known.tells(Cursor(Place(True, 0), tuple(map(int, at)))) for at in np.ndindex(*sizes)]


def test_the_outputs_are_hidden_until_they_are_played_or_revealed() -> None:
    made = presented("gather-2")
    assert not any(known(made))
    made.forward()
    assert not made.shared.step
    made.step(1)
    assert any(known(made))
    assert not all(known(made))
    made.forward()
    assert all(known(made))
    made.hide()
    assert not any(known(made))
    made.hide()
    assert all(known(made))


def test_no_step_is_shown_before_the_question_was_left() -> None:
    made = presented("gather-2")
    made.step(1)
    state = made.state
    assert stand(state) == (1, Q)
    assert state.sentence == presented("rule-axis-range").step(1).sentence != ""  # which doesn't say what is valid
    assert not any(known(made))


def test_the_right_answer_and_the_hands_are_told_by_the_reveal_alone() -> None:
    made = presented("gather-2")
    right = next(each.id for each in made.item.answers if each.right)
    count(made, right, 11)
    for state in (made.state, made.forward()):
        assert state.hands.votes is None
        assert state.sentences == ()
        assert state.ask is not None
        assert not any(each.verdict or each.chosen for each in state.ask.options)
    state = made.reveal()
    assert state.hands.votes is not None
    assert state.hands.votes[0].total == 11
    assert state.ask is not None
    assert [each.id for each in state.ask.options if each.verdict] == [right]


def test_an_invalid_desc_is_shown_as_invalid_with_its_reasons_at_the_reveal() -> None:
    made = presented("rule-sizes-match")
    state = made.state
    assert state.desc.marked_invalid
    assert not state.desc.pictured
    assert any("Axis" in line for line in state.desc.lines)
    assert not state.heading.name  # it may say why
    assert not state.sentences
    state = made.forward()
    assert stand(state) == (1, R)
    reasons = {each.first.message for each in made.item.view.why.errors}
    assert reasons
    assert reasons <= set(state.sentences)


def test_the_spotlight_is_on_the_cursor_and_on_the_partners_that_are_known() -> None:
    made = presented("gather-2")
    trace = made.item.view.trace
    assert trace is not None
    target = Cursor(Place(True, 0), (0,) * len(trace.outputs[0].tensor.sizes))
    assert made.state.spot == ()
    made.spotlight()
    assert len(made.state.spot) == 1
    made.reveal()
    made.spotlight()
    made.spotlight()
    made.point(target)
    state = made.state
    found = trace.source(0, target.index)
    assert state.spot[:2] == (target, Cursor(Place(False, found.tensor), found.index))
    assert len(state.spot) == 3  # and the index that sent it
    made.hide()
    assert len(made.state.spot) == 1
    made.spotlight()
    assert made.state.spot == ()


def test_a_black_wall_is_lit_before_it_goes_on() -> None:
    made = presented("gather-2")
    assert made.black().black
    state = made.forward()
    assert not state.black
    assert stand(state) == (1, Q)


def test_going_to_an_experiment_that_isn_t_there_is_told() -> None:
    made = presented("gather-2", "join-1")
    made.begin_go()
    made.digit("9")
    state = made.enter()
    assert stand(state) == (1, Q)
    assert state.sentence == "There is no experiment 9, expected 1 to 2."
    made.begin_go()
    made.digit("2")
    assert stand(made.enter()) == (2, Q)


def test_time_and_timer_are_told_in_minutes() -> None:
    time = Time()
    made = presented("gather-2", time=time)
    assert made.state.heading.elapsed == "00:00"
    assert made.tick() is None
    time.now += 250
    state = made.tick()
    assert state is not None
    assert (state.heading.elapsed, state.heading.timer) == ("04:10", "")
    assert made.turn_timer().heading.timer == minutes(SECONDS) == "02:00"
    time.now += SECONDS + 5
    assert made.state.heading.timer == "00:00"
    assert made.turn_timer().heading.timer == ""


def test_steps_play_by_the_clock_to_their_end() -> None:
    time = Time()
    made = presented("gather-2", time=time)
    made.forward()
    assert made.shared.playing
    time.now += 100
    assert made.tick() is not None
    assert not made.shared.playing
    assert made.shared.step > 0
    assert all(known(made))


def test_hostile_names_and_notes_are_told_as_plain_text() -> None:
    session = session_of("gather-2")
    hostile = "\x1b]0;x\x07[bold]$(id)\n"
    made = Presenting(Session((replace(session.experiments[0], name=hostile, notes=hostile),), title=hostile), Time())
    made.fit(Room(60, 12))
    for text in (made.state.heading.name, made.notes.heading.title, *made.notes.item.notes):
        assert "\x1b" not in text
        assert "\n" not in text


def test_the_output_is_hidden_at_the_last_step_and_nothing_plays_anew() -> None:
    time = Time()
    made = presented("gather-2", time=time)
    made.forward()
    while made.wall.step < made.wall.count:
        time.now += 0.1
        made.tick()
    made.hide()
    made.hide()
    assert made.wall.step == made.wall.count


def test_where_nothing_may_move_p_goes_a_step_on() -> None:
    made = presented("gather-2")
    made.wall.still = True
    made.forward()
    seen = [made.wall.step]
    for _ in range(2):
        made.play()
        seen.append(made.wall.step)
    assert seen == [number % made.wall.count + 1 for number in range(3)]


def test_an_invalid_desc_has_no_steps_and_the_wall_says_so() -> None:
    made = presented("rule-sizes-match")
    made.reveal()
    assert made.step(1).sentence == "An invalid desc has no steps."
    assert stand(made.state) == (1, R)


def test_the_numbers_that_no_picture_shows_are_told_but_not_the_one_that_is_asked_for() -> None:
    state = presented("gather-2").state
    assert {each.path for each in state.desc.fields} >= {"Axis"}
    blanks = 0
    for lesson in shipped_lessons():
        made = Presenting(Session(tuple(step.experiment for step in lesson.steps)), Time())
        made.fit(Room(100, 24))
        for _ in range(made.count):
            question = made.item.question
            if question is not None:
                for each in made.state.desc.fields:
                    path = LEVEL if each.path == "FeatureLevel" else each.path
                    hidden = path == question.blank or path in question.hidden
                    assert (each.text == "?") is hidden
                    blanks += hidden
            made.go_to(made.shared.experiment + 2)
    assert blanks


def test_how_long_a_lesson_is_to_take_is_told_to_its_speaker() -> None:
    assert presented("gather-2").notes.heading.planned == ""
    session = session_of("gather-2")
    lesson = Session(session.experiments, extra={"lesson": {"goal": "Say which rows GATHER takes.", "minutes": 25}})
    assert Presenting(lesson, Time()).notes.heading.planned == "25:00"


def test_p_says_why_nothing_plays() -> None:
    made = presented("gather-2", "rule-sizes-match")
    assert made.play().sentence == made.step(1).sentence != ""
    assert stand(made.state) == (1, Q)
    made.go_to(2)
    made.reveal()
    assert made.play().sentence == "An invalid desc has no steps."
