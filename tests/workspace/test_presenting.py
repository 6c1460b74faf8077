"""A presentation without a screen: builds, what is hidden, steps, and time."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from support.presentations import P, Q, R, Time, desk_of, does, presented, session_of, stand, type_number

from dmlviz.operators.maps import Place
from dmlviz.scene.elements.cursor import Cursor
from dmlviz.session.experiments import Session
from dmlviz.teaching.lessons.lessons import Lesson, shipped_lessons
from dmlviz.workspace.asking.asked_desc import LEVEL
from dmlviz.workspace.wall.wall_desk import WallDesk


def test_page_down_alone_goes_through_all_and_page_up_the_same_way_back() -> None:
    made = presented("gather-2", "rule-axis-range", "join-1")
    wanted = [(1, Q), (1, P), (1, R), (2, Q), (2, R), (3, Q), (3, P), (3, R)]  # an invalid desc has no steps
    for act, way in (("forward", wanted), ("back", wanted[::-1])):
        for place in way:
            assert stand(made) == place
            assert not made.state.sentence
            does(made, act)
        assert stand(made) == way[-1]
        assert made.state.sentence  # there is no more of it
        does(made, "black", "black")


@pytest.mark.parametrize("lesson", shipped_lessons(), ids=lambda lesson: lesson.id)
def test_every_step_of_a_lesson_can_be_presented(lesson: Lesson) -> None:
    made = desk_of(Session(tuple(step.experiment for step in lesson.steps)))
    seen, blanks = set(), 0
    while not made.state.sentence:
        state = made.state
        seen.add(stand(made)[0])
        item, question = state.item, state.item.question
        assert item.prompt
        assert not item.problem
        assert len(item.answers) != 1
        several = question is not None and question.kind.name == "fixes"  # edits that mend
        assert 1 <= sum(each.right for each in item.answers) <= 1 + several or not item.answers
        assert state.drawn or state.tables
        hidden = {question.blank, *question.hidden} if question is not None and not made.told else set()
        for each in state.fields:
            path = LEVEL if each.path == "FeatureLevel" else each.path
            assert (each.text == "?") is (path in hidden)
            blanks += each.text == "?"
        made.forward()
    assert seen == set(range(1, len(lesson.steps) + 1))
    assert blanks or lesson.id not in ("levels", "invalid")


def known(made: WallDesk) -> list[bool]:
    """Whether each element of the first output may be told."""
    trace = made.item.view.trace
    assert trace is not None
    sizes = trace.outputs[0].tensor.sizes
    return [made.picture.known.tells(Cursor(Place(True, 0), tuple(map(int, at)))) for at in np.ndindex(*sizes)]


def test_the_outputs_are_hidden_until_they_are_played_or_revealed() -> None:
    made = presented("gather-2")
    assert not any(known(made))
    for act, given in (("step", (1,)), ("play", ())):
        getattr(made, act)(*given)
        assert stand(made) == (1, Q)
        assert "come after the question" in made.state.sentence
        assert not any(known(made))
    made.forward()
    assert not made.shared.step
    made.step(1)
    assert any(known(made))
    assert not all(known(made))
    made.forward()
    assert all(known(made))


def test_an_invalid_desc_is_shown_as_invalid_with_its_reasons_at_the_reveal() -> None:
    made = presented("rule-sizes-match")
    state = made.state
    assert state.invalid
    assert not state.drawn
    assert any("InputTensors[1]" in table.title for table in state.tables)
    assert not state.name  # it may say why
    assert not state.sentences
    assert does(made, "forward").sentences
    assert stand(made) == (1, R)
    assert {each.first.message for each in made.item.view.why.errors} <= {*made.state.sentences}
    for act, given in (("step", (1,)), ("play", ())):
        getattr(made, act)(*given)
        assert made.state.sentence == "An invalid desc has no steps."
        assert stand(made) == (1, R)


def test_a_black_wall_is_lit_before_it_goes_on() -> None:
    made = presented("gather-2")
    assert does(made, "black").at.black
    assert not does(made, "forward").at.black
    assert stand(made) == (1, Q)


def test_going_to_an_experiment_that_isn_t_there_is_told() -> None:
    made = presented("gather-2", "join-1")
    type_number(made, "g", "9")
    assert does(made, "enter").sentence == "There is no experiment 9, expected 1 to 2."
    assert stand(made) == (1, Q)
    type_number(made, "g", "2")
    made.enter()
    assert stand(made) == (2, Q)
    type_number(made, "g", "1")
    type_number(made, "a", "7")  # a letter gives up the number
    made.enter()
    assert stand(made) == (2, Q)
    assert made.votes()[0][0] == 7


def test_steps_play_by_the_clock_to_their_end() -> None:
    time = Time()
    made = presented("gather-2", time=time)
    made.forward()
    assert made.shared.playing
    seen = []
    while made.shared.playing:
        seen.append(made.state.picture.player.step)
        time.now += 0.3
        assert made.tick()
    assert seen == sorted(seen)
    assert len({*seen}) > 2
    assert all(known(made))
    made.play()  # from the beginning
    assert made.step_now == 1
    time.now += 1.5
    made.tick()
    made.play()
    step = made.step_now
    assert made.state.picture.player.step == step == made.shared.step > 1
    assert not made.shared.playing


def test_where_nothing_may_move_p_goes_a_step_on() -> None:
    made = presented("gather-2")
    made.still = True
    made.forward()
    seen = [made.step_now]
    for _ in range(2):
        made.play()
        seen.append(made.step_now)
    assert seen == [1, 2, 3]
    assert not made.shared.playing


def test_hostile_names_and_notes_are_told_as_plain_text() -> None:
    session = session_of("gather-2")
    hostile = "\x1b]0;x\x07[bold]$(id)\n"
    one = replace(session.experiments[0], name=hostile, notes=hostile)
    state = does(desk_of(Session((one,), title=hostile, extra={"lesson": {}})), "reveal")
    for text in (state.name, state.title, *state.item.notes):
        assert "\x1b" not in text
        assert "\n" not in text
