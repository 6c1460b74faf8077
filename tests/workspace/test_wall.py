"""Presentations without a screen: builds, hands, tasks, time, and two screens that share one."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from msgspec import structs
from support.answering import Clock
from support.kinds import DRAWN, OF_CHAINS
from support.presentations import (
    CLASSROOM,
    P,
    Q,
    R,
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

import dmlviz as dml
from dmlviz.desc.tensors import braces, brackets
from dmlviz.operators.maps import Place
from dmlviz.scene.elements.cursor import Cursor
from dmlviz.session import examples
from dmlviz.session.class_status import Said
from dmlviz.session.experiments import Experiment, Session
from dmlviz.session.presentation_state import StateFile
from dmlviz.teaching.kinds.lib.asking import kinds
from dmlviz.teaching.lessons.lessons import shipped_lessons
from dmlviz.teaching.questions.subject import Subject
from dmlviz.teaching.words.catalogue import sentence
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
    time = Clock(0)
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


@cache
def tasks() -> list[Experiment]:
    """All that shipped lessons and the files of examples ask."""
    files = [dml.load(examples.example(name).path) for name in examples.examples()]
    steps = [step.experiment for lesson in shipped_lessons() for step in lesson.steps]
    return [*steps, *(each for file in files for each in file.experiments if "task" in each.extra)]


def asked(kind: str) -> list[Experiment]:
    """Those of a kind."""
    return [
        each
        for each in tasks()
        if kind in (each.extra["task"].get("kind"), each.extra["task"].get("ask", {}).get("kind"))
    ]


def test_nothing_tells_the_answer_of_any_kind_before_it_is_revealed() -> None:
    seen = set()
    for each in tasks():
        made = desk_of(Session((replace(each, name="It is Axis"),)))
        question = made.item.question
        assert question is not None
        name = question.kind.name
        seen.add(name)
        for answer in made.item.answers:
            count(made, answer.id, 88)
        state = made.state
        while not state.told:
            told = on_wall(state)
            assert not state.sentences
            assert not state.counted
            assert "88" not in told
            # Of a chain the stages' names name the elements that are asked about.
            assert state.at.build is not Q or name in OF_CHAINS or "It is Axis" not in told
            assert not kinds()[name].told_by_rules or "✗" not in told
            assert name in DRAWN or not state.drawn, name
            assert not state.drawn or state.at.build is P or not state.picture.known.whole
            state = does(made, "forward")
        assert state.sentences
        assert "It is Axis" in on_wall(state)
        assert question.kind.form.how == "edit" or all(sentence in on_wall(state) for sentence in state.sentences)
    assert {*kinds()} - seen <= {"promised"}


@pytest.mark.parametrize("hide", ["rules", "levels"])
def test_where_an_author_hides_the_rules_no_sign_says_that_a_desc_is_invalid(hide: str) -> None:
    each = asked("fixes")[0]
    task = {key: held for key, held in each.extra["task"].items() if key != "hide"}
    for hides in (False, True):
        kept = {**task, "hide": [hide]} if hides else task
        made = desk_of(Session((replace(each, extra={"task": kept}),)))
        assert made.item.question is not None
        assert not made.item.view.report.ok
        assert made.state.invalid is not hides
        assert ("✗ invalid" in on_wall(made.state)) is not hides


HIDES = [
    ("cell", ["Axis"], "Axis"),
    ("cell", ["IndicesTensor"], "IndicesTensor"),
    ("source", ["OutputTensor.Sizes"], "OutputTensor.Sizes"),
    ("count", ["InputTensor.Sizes"], "InputTensor.Sizes"),
]


@pytest.mark.parametrize(("kind", "hide", "path"), HIDES)
def test_what_an_author_hides_is_neither_drawn_nor_played_before_the_reveal(
    kind: str, hide: list[str], path: str
) -> None:
    (bare,) = session_of("gather-2").experiments
    task = {"ask": {"kind": kind}, "say": "What is asked?", "wrong": {"G3": "Rows aren't sent."}}
    for each in (replace(bare, extra={"task": {**task, "hide": kept}}) for kept in (hide, [])):
        made = desk_of(Session((each,)))
        question = made.item.question
        assert question is not None
        assert question.kind.name == kind
        hides = bool(question.hidden)
        assert (path in question.hidden) is hides
        state = made.state
        assert state.drawn is not hides
        assert made.builds == ((Q, R) if hides else (Q, P, R))
        assert "G3: Rows aren't sent." in made.item.notes
        tensor, mark, _ = path.partition(".Sizes")
        if hides:
            tables = {table.title.split()[0]: table for table in state.tables}
            assert not tables["OutputTensor"].values  # which the kind hides, whatever its author does
            if path == "Axis":
                assert {field.path: field.text for field in state.fields}["Axis"] == "?"
                assert "Axis 0" not in on_wall(state)
            elif mark:
                assert "{?}" in tables[tensor].title
                assert braces(question.subject.desc.get(tensor).sizes) not in tables[tensor].title
            else:
                assert not tables[tensor].values
            assert question.at is not None
            assert f"{brackets(question.at.index)}." in question.prompt  # which no picture marks
            assert question.prompt == state.item.prompt
        state = does(made, "reveal")
        assert state.drawn
        assert all(field.text != "?" for field in state.fields)


def test_the_reveal_of_a_level_draws_a_solution() -> None:
    levels = [*asked("level"), dml.load(CLASSROOM).experiments[3]]
    assert len(levels) > 6
    for each in levels:
        made = desk_of(Session((each,)))
        question = made.item.question
        assert question is not None
        assert question.goal is not None
        assert question.kind.says(question) in made.item.notes
        state = does(made, "reveal")
        assert (state.drawn, state.invalid) == (True, False)
        assert state.picture.scene is not None
        trace = state.picture.scene.trace
        truth = Subject(made.item.solved.experiment).truth
        assert trace is made.item.solved.trace
        assert truth.sizes == tuple(sizes for sizes, _ in question.goal.outputs)
        assert [*truth.value.values()] == [value for _, values in question.goal.outputs for value in values]


@pytest.mark.parametrize("act", ["on", "back", "play"])
@pytest.mark.parametrize("kind", ["runs", "level", "cell"])
def test_steps_after_the_reveal_leave_the_answer_on_the_wall(kind: str, act: str, tmp_path: Path) -> None:
    each = asked(kind)[0]
    session, name = Session((each, each)), f"/a/{each.name}.json"
    made = desk_of(session, kept=StateFile(name, tmp_path))
    if kind == "runs":  # whose steps would tell the answer
        assert made.builds == (Q, R)
    if made.item.answers:
        count(made, "a", 5)
    after = does(made, "reveal")
    assert after.picture.scene is not None
    made.play() if act == "play" else made.step(1 if act == "on" else -1)
    state = made.state
    assert stand(made) == (1, P)
    assert state.at.playing is (act == "play")
    assert (state.sentences, state.counted) == (after.sentences, after.counted)
    assert state.picture.scene is not None
    assert state.picture.scene.trace.desc == after.picture.scene.trace.desc  # a level's solution
    assert state.picture.steps is not None
    assert made.step_now == (state.picture.steps.count - 1 if act == "back" else 1)
    again = desk_of(session, kept=StateFile(name, tmp_path))
    assert (stand(again), again.state.sentences) == ((1, P), after.sentences)
    does(made, "back")
    assert stand(made) == (1, R if kind == "runs" else Q)
    does(made, "reveal", "forward")
    assert stand(made) == (2, Q)


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
        assert not made.state.hands
        count(made, letter, number)
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
    time = Clock(0)
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


@pytest.mark.parametrize("example", ["gather-2", LETTERLESS])
def test_whatever_phones_answer_the_wall_is_the_same_until_the_reveal(example: str) -> None:
    made = presented(example)
    answers = made.item.answers
    assert bool(answers) is (example != LETTERLESS)

    def says(counts: tuple[int, ...], said: tuple[Said, ...]) -> tuple[object, str]:
        if answers:
            made.count_room(0, 0, counts)
        tell(made, answered=28, said=() if answers else said)
        return structs.replace(made.state, notes=None), notes_text(made)

    many, few = says((25, 1, 1, 1), SAID), says((1, 2, 3, 22), SAID[1:])
    assert many[0] == few[0]
    assert many[1] != few[1]
    made.reveal()
    assert says((25, 1, 1, 1), SAID)[0] != says((1, 2, 3, 22), SAID[1:])[0]


def test_nothing_is_open_while_the_code_is_shown_and_either_screen_goes_on(tmp_path: Path) -> None:
    time = Clock(0)
    opened = two(tmp_path, "gather-2", "join-1", time=time)
    wall, speaker = opened(), opened()

    def clock(passes: int, *does: str) -> str:
        for act in does:
            getattr(speaker, act)()
        shown = speaker.state.notes
        time.now += passes
        assert speaker.tick() is bool(passes and shown and shown.clock)
        assert speaker.state.notes is not None
        return speaker.state.notes.clock

    tell(wall).hear(wall.live, joining=True)
    assert (wall.state.at.joining, wall.shared.is_open) == (True, False)
    speaker.follow()
    assert clock(30) == ""
    assert clock(70, "forward") == "01:10"
    wall.tick()
    assert (wall.state.at.joining, wall.shared.is_open, stand(wall)) == (False, True, (1, Q))
    assert clock(5, "black", "black") == "01:15"
    assert clock(0, "second_vote") == "00:00"
    wall.tick()
    wall.show_code()
    assert not wall.shared.is_open
    assert not does(wall, "reveal").at.joining


@pytest.mark.parametrize("screen", ["wall", "speaker"])
def test_v_after_r_opens_a_second_vote_and_none_that_was_told_is_opened_again(screen: str, tmp_path: Path) -> None:
    opened = two(tmp_path, "gather-2", "join-1", time=Clock(0))
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


def test_one_screen_follows_the_other_and_either_goes_on_where_it_was(tmp_path: Path) -> None:
    time = Clock(0)
    start = two(tmp_path, "gather-2", "join-1", time=time)
    wall, speaker = start(), start()
    does(wall, "forward", "forward")
    assert speaker.tick()
    assert stand(speaker) == (1, R)
    speaker.go_to(1)
    count(speaker, "a", 12)
    assert wall.tick()
    assert stand(wall) == (2, Q)
    time.now += 60
    for again in (start(), start()):
        assert stand(again) == (2, Q)
        assert again.votes()[0][0] == 12
    assert wall.state
    assert not wall.tick()


@pytest.mark.parametrize("act", ["black", "count", "step", "play"])
@pytest.mark.parametrize("drives", ["wall", "speaker"])
def test_both_are_at_the_same_step_and_what_plays_never_jumps_back(drives: str, act: str, tmp_path: Path) -> None:
    time = Clock(0)
    wall = two(tmp_path, "inline-reverse", time=time)()
    other = StateFile("/a/lesson.json", tmp_path)
    speaker = WallDesk(session_of("inline-reverse"), time, kept=other)  # which draws nothing
    wall.forward()
    for _ in range(9):
        time.now += 0.3
        wall.tick()
        speaker.tick()
        assert speaker.step_now == wall.step_now == wall.state.picture.player.step
    before, side = wall.step_now, wall if drives == "wall" else speaker
    if act == "count":
        count(side, "a", 3)
    elif act == "step":
        side.step(1)
    else:
        getattr(side, act)()
    for each in (wall, speaker):
        each.tick()
        assert before <= each.step_now <= before + 1
    assert wall.state.picture.player.playing is (act not in ("step", "play"))
    again = two(tmp_path, "inline-reverse", time=time)()  # whoever is killed
    assert again.step_now == wall.step_now
