"""A presentation without a screen: builds, votes, what is hidden, time, and two screens that share one state."""

from __future__ import annotations

import errno
import json
import os
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import dmlviz as dml
from dmlviz.desc.tensors import braces, brackets
from dmlviz.errors import SessionError
from dmlviz.operators.maps import Place
from dmlviz.recording.tasks import Unasked, tasks_of
from dmlviz.scene.elements.cursor import Cursor, is_inside
from dmlviz.scene.look import EntryKind
from dmlviz.session import examples, presentation_state
from dmlviz.session.experiments import Experiment, Session
from dmlviz.session.presentation_state import Build, Presented, StateFile
from dmlviz.teaching.asking import kinds
from dmlviz.teaching.lessons import lesson_of, shipped_lessons
from dmlviz.teaching.own_tasks import own_question
from dmlviz.tracing import Trace
from dmlviz.widgets.presented_lines import wall_head, wall_lines
from dmlviz.workspace.asked_desc import LEVEL
from dmlviz.workspace.picture import Room
from dmlviz.workspace.presented_item import DESCS, DRAWN, Item
from dmlviz.workspace.presenting import LONGEST, SECONDS, TELLS_RULES, Presenting, minutes
from dmlviz.workspace.votes import Vote, advice
from dmlviz.workspace.wall_state import WallState

Q, P, R = Build.QUESTION, Build.PLAY, Build.REVEAL
START = 1_800_000_000.0
CLASSROOM = Path(__file__).parents[2] / "examples" / "classroom" / "rows-by-index.json"


class Time:
    """Seconds since 1970 that stand still until a test has them go on."""

    def __init__(self) -> None:
        self.now = START

    def __call__(self) -> float:
        return self.now


def session_of(*names: str) -> Session:
    """The experiments of examples, as one session."""
    return Session(tuple(each for name in names for each in examples.example(name).session().experiments[:1]))


def presented(*names: str, kept: StateFile | None = None, time: Time | None = None) -> Presenting:
    made = Presenting(session_of(*names), time or Time(), kept=kept)
    made.fit(Room(100, 24))
    return made


def stand(state: WallState) -> tuple[int, Build]:
    return state.number, state.build


# ---- page down and page up


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
    assert {state.number for state in seen} == set(range(1, len(steps) + 1))
    assert all(state.item.prompt and not state.item.problem for state in seen)
    for state in seen:
        assert len(state.item.answers) != 1
        several = state.item.question is not None and state.item.question.kind.name == "fixes"  # edits that mend
        assert 1 <= sum(each.right for each in state.item.answers) <= 1 + several or not state.item.answers
        assert state.pictured or state.ask is not None or state.lines


# ---- what is hidden


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
    state = made.step(1)
    assert stand(state) == (1, Q)
    assert state.sentence == presented("rule-axis-range").step(1).sentence != ""  # which doesn't say what is valid
    assert not any(known(made))


def test_the_right_answer_and_the_hands_are_told_by_the_reveal_alone() -> None:
    made = presented("gather-2")
    right = next(each.id for each in made.item.answers if each.right)
    count(made, right, 11)
    for state in (made.state, made.forward()):
        assert state.votes is None
        assert state.said == ()
        assert state.ask is not None
        assert not any(each.verdict or each.chosen for each in state.ask.options)
    state = made.reveal()
    assert state.votes is not None
    assert state.votes[0].total == 11
    assert state.ask is not None
    assert [each.id for each in state.ask.options if each.verdict] == [right]


def test_an_invalid_desc_is_shown_as_invalid_with_its_reasons_at_the_reveal() -> None:
    made = presented("rule-sizes-match")
    state = made.state
    assert state.marked_invalid
    assert not state.pictured
    assert any("Axis" in line for line in state.lines)
    assert not state.name  # it may say why
    assert not state.said
    state = made.forward()
    assert stand(state) == (1, R)
    reasons = {each.first.message for each in made.item.view.why.errors}
    assert reasons
    assert reasons <= set(state.said)


# ---- hands


def count(made: Presenting, letter: str, number: int) -> None:
    made.count_hands(letter)
    for digit in str(number):
        made.digit(digit)
    made.enter()


def test_hands_are_counted_for_each_answer_in_two_votes() -> None:
    made = presented("gather-2", "join-1")
    ids = [each.id for each in made.item.answers]
    assert ids == list("abcd")
    for letter, number in zip(ids, (11, 9, 6, 2), strict=True):
        assert made.state.hands is None  # the numbers of single answers would follow from what they are together
        count(made, letter, number)
    assert made.state.hands == 28
    made.second_vote()
    assert made.state.hands is None
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
    assert made.state.counted == ("b",)
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


def test_hands_that_are_typed_are_taken_when_the_other_screen_reveals(tmp_path: Path) -> None:
    start = two(tmp_path, "gather-2", "join-1", time=Time())
    wall, speaker = start(), start()
    speaker.count_hands("a")
    speaker.digit("7")
    wall.forward()
    speaker.tick()
    assert speaker.notes.typing == "a: 7_ hands"  # the steps play, and it is counted on
    wall.forward()
    speaker.tick()
    wall.tick()
    for each in (wall, speaker):
        assert stand(each.state) == (1, R)
        assert each.notes.votes[0].counts == (7, None, None, None)


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
    assert advice(answers, Vote(counts), 0).startswith(words)
    assert advice(answers, Vote((None, *counts[1:])), 0) == ""


# ---- spotlight, black, go to, time


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
    state = made.point(target)
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
    assert made.state.elapsed == "00:00"
    assert made.tick() is None
    time.now += 250
    state = made.tick()
    assert state is not None
    assert (state.elapsed, state.timer) == ("04:10", "")
    assert made.turn_timer().timer == minutes(SECONDS) == "02:00"
    time.now += SECONDS + 5
    assert made.state.timer == "00:00"
    assert made.turn_timer().timer == ""


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


# ---- two screens, and restarts


@pytest.mark.parametrize("killed", ["wall", "speaker"])
def test_steps_that_play_go_on_where_they_were_whoever_is_killed(killed: str, tmp_path: Path) -> None:
    time = Time()
    start = two(tmp_path, "gather-2", time=time)
    wall, speaker = start(), Presenting(session_of("gather-2"), time, kept=StateFile("/a/lesson.json", tmp_path))
    wall.forward()
    seen = []
    while wall.picture.player.playing:
        time.now += 0.4
        wall.tick()
        speaker.tick()
        assert wall.wall.step - wall.shared.step <= 1  # a second of it
        seen.append(wall.wall.step)
        if len(seen) == 4:
            step = wall.wall.step
            if killed == "wall":
                wall = start()
                assert 0 < wall.wall.step <= step
                assert wall.shared.playing
            else:
                speaker = Presenting(session_of("gather-2"), time, kept=StateFile("/a/lesson.json", tmp_path))
            assert 0 < speaker.shared.step <= step
    assert seen == sorted(seen)
    assert wall.wall.step == wall.wall.count > 2
    speaker.tick()
    assert (speaker.shared.step, speaker.shared.playing) == (wall.wall.count, False)


def test_how_far_steps_are_says_nothing_to_what_is_on_the_wall(tmp_path: Path) -> None:
    time = Time()
    wall = two(tmp_path, "gather-2", time=time)()
    wall.forward()
    wall.go_to(9)
    said = wall.state.sentence
    time.now += 1.5
    wall.tick()
    assert wall.shared.step
    assert wall.state.sentence == said != ""


def two(tmp_path: Path, *names: str, time: Time) -> Callable[[], Presenting]:
    return lambda: presented(*names, kept=StateFile("/a/lesson.json", tmp_path), time=time)


def test_one_screen_follows_the_other_and_either_goes_on_where_it_was(tmp_path: Path) -> None:
    time = Time()
    start = two(tmp_path, "gather-2", "join-1", time=time)
    wall, speaker = start(), start()
    wall.forward()
    wall.forward()
    assert speaker.tick() is not None
    assert stand(speaker.state) == (1, R)
    speaker.go_to(2)
    count(speaker, "a", 12)
    assert wall.tick() is not None
    assert stand(wall.state) == (2, Q)
    assert wall.state.counted == ("a",)
    time.now += 60
    for again in (start(), start()):
        assert stand(again.state) == (2, Q)
        assert again.notes.votes[0].counts[0] == 12
        assert again.state.elapsed == "01:00"
    assert wall.tick() is not None  # the time
    assert wall.tick() is None


def test_what_both_did_since_they_looked_is_done_one_after_the_other(tmp_path: Path) -> None:
    start = two(tmp_path, "gather-2", "join-1", time=Time())
    wall, speaker = start(), start()
    wall.forward()
    count(speaker, "a", 3)
    wall.forward()
    assert stand(wall.state) == (1, R)
    assert wall.notes.votes[0].counts[0] == 3


@pytest.mark.skipif(os.name != "posix", reason="folders have no locks there")
def test_what_the_other_does_in_the_middle_of_an_act_is_not_lost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    start = two(tmp_path, "gather-2", "join-1", time=Time())
    wall, speaker = start(), start()
    counting = threading.Thread(target=lambda: count(speaker, "a", 3))
    show = wall.wall.show

    def slow(item: Item, after: Presented) -> Presented:
        if not counting.ident:
            counting.start()
            counting.join(0.1)
        return show(item, after)

    monkeypatch.setattr(wall.wall, "show", slow)
    wall.forward()
    counting.join(10)
    wall.tick()
    speaker.tick()
    for each in (wall, speaker):
        assert stand(each.state) == (1, P)
        assert each.notes.votes[0].counts[0] == 3


def test_a_state_of_long_ago_begins_anew(tmp_path: Path) -> None:
    time = Time()
    start = two(tmp_path, "gather-2", "join-1", time=time)
    start().go_to(2)
    time.now += LONGEST + 1
    assert stand(start().state) == (1, Q)


def test_a_session_that_became_shorter_goes_on_inside(tmp_path: Path) -> None:
    time = Time()
    two(tmp_path, "gather-2", "join-1", time=time)().go_to(2)
    assert stand(two(tmp_path, "gather-2", time=time)().state) == (1, Q)
    two(tmp_path, "gather-2", time=time)().forward()
    assert stand(two(tmp_path, "rule-sizes-match", time=time)().state) == (1, R)  # it has no steps


def test_a_state_file_of_another_version_is_told_and_left_alone(tmp_path: Path) -> None:
    time = Time()
    start = two(tmp_path, "gather-2", time=time)
    wall = start()
    kept = StateFile("/a/lesson.json", tmp_path)
    text = json.dumps({**json.loads(kept.file.read_text()), "dmlviz_presentation": 9, "later": "…" * 9})
    kept.file.write_text(text)
    with pytest.raises(SessionError, match="version 9"):
        start()
    state = wall.tick()
    assert state is not None
    assert "version 9" in state.sentence
    assert stand(wall.forward()) == (1, P)
    assert kept.file.read_text() == text


def test_a_broken_state_file_is_left_alone_until_it_is_removed_and_then_shared_again(tmp_path: Path) -> None:
    start = two(tmp_path, "gather-2", "join-1", time=Time())
    wall, speaker = start(), start()
    kept = StateFile("/a/lesson.json", tmp_path)
    kept.file.write_text("{")
    assert wall.tick() is not None
    assert speaker.tick() is not None
    assert "remove it to begin anew" in wall.state.sentence
    assert wall.forward().sentence == ""  # the room has read it
    assert "remove it to begin anew" in speaker.notes.sentence
    assert "remove it to begin anew" in wall.notes.sentence
    assert kept.file.read_text() == "{"
    kept.file.unlink()
    assert wall.tick() is not None
    speaker.tick()
    assert stand(speaker.state) == stand(wall.state) == (1, P)
    speaker.forward()
    assert wall.tick() is not None
    assert stand(wall.state) == (1, R)
    assert wall.notes.sentence == speaker.notes.sentence == ""


def test_where_nothing_can_be_kept_the_wall_begins_and_says_it_once(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    made = presented("gather-2", "join-1", kept=StateFile("/a/lesson.json", tmp_path / "file"))
    assert "can't be written" in made.state.sentence
    assert made.forward().sentence == ""
    assert stand(made.forward()) == (1, R)
    assert "no other screen follows" in made.notes.sentence


def test_the_speaker_is_told_that_the_other_screen_has_another_version_of_the_session(tmp_path: Path) -> None:
    time = Time()
    speaker = two(tmp_path, "gather-2", "join-1", time=time)()
    assert speaker.notes.sentence == ""
    wall = two(tmp_path, "gather-2", "reverse-1", time=time)()  # as the file is after an edit
    wall.go_to(2)
    speaker.tick()
    assert "another version of this session" in speaker.notes.sentence
    assert speaker.state.sentence == ""
    speaker = two(tmp_path, "gather-2", "reverse-1", time=time)()
    wall.forward()
    speaker.tick()
    assert stand(speaker.state) == (2, P)
    assert speaker.notes.sentence == ""


@pytest.mark.parametrize("first", ["wall", "speaker"])
def test_the_speaker_who_drives_is_told_of_another_version_too(first: str, tmp_path: Path) -> None:
    time = Time()
    starts = {
        "wall": two(tmp_path, "gather-2", "reverse-1", time=time),
        "speaker": two(tmp_path, "gather-2", "join-1", time=time),
    }
    sides = {first: starts[first]()}
    sides |= {name: start() for name, start in starts.items() if name not in sides}
    wall, speaker = sides["wall"], sides["speaker"]
    for _ in range(3):
        speaker.forward()
        wall.tick()
        speaker.tick()
        assert "another version of this session" in speaker.notes.sentence
        assert stand(wall.state) == stand(speaker.state)
    assert not any(side.tick() for _ in range(3) for side in (wall, speaker))  # they don't answer each other for ever
    wall = starts["speaker"]()
    speaker.forward()
    wall.tick()
    speaker.tick()
    assert speaker.notes.sentence == wall.notes.sentence == ""


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
    assert (state.elapsed, state.typing, state.sentence) == ("00:00", "", "")
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


def test_hostile_names_and_notes_are_told_as_plain_text() -> None:
    session = session_of("gather-2")
    hostile = "\x1b]0;x\x07[bold]$(id)\n"
    made = Presenting(Session((replace(session.experiments[0], name=hostile, notes=hostile),), title=hostile), Time())
    made.fit(Room(60, 12))
    for text in (made.state.name, made.notes.title, *made.notes.notes):
        assert "\x1b" not in text
        assert "\n" not in text


def test_a_full_disk_is_told_and_the_wall_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    start = two(tmp_path, "gather-2", "join-1", time=Time())
    wall, speaker = start(), start()

    def full(target: Path, data: bytes) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(presentation_state, "write_whole", full)
        state = wall.forward()
        assert stand(state) == (1, P)
        assert "can't be written: No space left on device; no other screen follows." in state.sentence
        assert speaker.tick() is None
    state = wall.forward()
    assert state.sentence == ""
    assert speaker.tick() is not None
    assert stand(speaker.state) == (1, R)


def test_the_other_screen_stops_the_steps_where_they_are(tmp_path: Path) -> None:
    time = Time()
    start = two(tmp_path, "gather-2", time=time)
    wall = start()
    speaker = Presenting(session_of("gather-2"), time, kept=StateFile("/a/lesson.json", tmp_path))  # draws nothing
    wall.forward()
    time.now += 1.1
    assert wall.tick() is not None
    step = wall.picture.player.step
    assert step
    speaker.tick()
    speaker.play()
    wall.tick()
    assert not wall.picture.player.playing
    assert wall.picture.player.step == step
    speaker.step(1)
    wall.tick()
    steps = wall.picture.live_steps
    assert steps is not None
    assert wall.picture.player.step == min(step + 1, steps.count)


@pytest.mark.parametrize("drives", ["wall", "speaker"])
@pytest.mark.parametrize("act", ["hide", "spotlight", "count", "step"])
def test_steps_that_play_never_jump_back(drives: str, act: str, tmp_path: Path) -> None:
    time = Time()
    wall = two(tmp_path, "inline-reverse", time=time)()
    speaker = Presenting(
        session_of("inline-reverse"), time, kept=StateFile("/a/lesson.json", tmp_path)
    )  # draws nothing
    side = wall if drives == "wall" else speaker
    wall.forward()
    for _ in range(9):
        time.now += 0.3
        wall.tick()
        speaker.tick()
    time.now += 0.9
    wall.wall.tick()  # the time at which it was kept is some way back
    before = wall.wall.step
    assert before > wall.shared.step
    for _ in range(2):
        if act == "count":
            count(side, "a", 3)
        elif act == "step":
            side.step(1)
        else:
            getattr(side, act)()
    wall.tick()
    speaker.tick()
    assert before <= wall.wall.step <= before + 2 < wall.wall.count
    assert speaker.shared.step in (wall.wall.step, wall.wall.step - 1)
    assert wall.picture.player.playing is (act != "step")


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


def test_a_cursor_that_the_session_no_longer_has_is_left_out(tmp_path: Path) -> None:
    start = two(tmp_path, "gather-2", time=Time())
    wall = start()
    wall.reveal()
    kept = StateFile("/a/lesson.json", tmp_path)
    for cursor in ((True, 7, (0,)), (True, 0, (0,) * 8), (False, 0, (10**9, 10**9))):
        kept.write(replace(wall.shared, cursor=cursor, spotlight=True))
        assert wall.tick() is not None
        for made in (wall, start()):
            trace = made.item.view.trace
            assert trace is not None
            assert all(is_inside(trace, each) for each in made.state.spot)


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
    assert {each.path for each in state.fields} >= {"Axis"}
    blanks = 0
    for lesson in shipped_lessons():
        made = Presenting(Session(tuple(step.experiment for step in lesson.steps)), Time())
        made.fit(Room(100, 24))
        for _ in range(made.count):
            question = made.item.question
            if question is not None:
                for each in made.state.fields:
                    path = LEVEL if each.path == "FeatureLevel" else each.path
                    hidden = path == question.blank or path in question.hidden
                    assert (each.text == "?") is hidden
                    blanks += hidden
            made.go_to(made.shared.experiment + 2)
    assert blanks


def test_how_long_a_lesson_is_to_take_is_told_to_its_speaker() -> None:
    assert presented("gather-2").notes.planned == ""
    session = session_of("gather-2")
    lesson = Session(session.experiments, extra={"lesson": {"goal": "Say which rows GATHER takes.", "minutes": 25}})
    assert Presenting(lesson, Time()).notes.planned == "25:00"


def tasks() -> Iterator[Experiment]:
    """All that shipped lessons and the files of examples ask."""
    for lesson in shipped_lessons():
        yield from (step.experiment for step in lesson.steps)
    for name in examples.examples():
        yield from (each for each in dml.load(examples.example(name).path).experiments if "task" in each.extra)


def asked(kind: str) -> list[Experiment]:
    """Those of a kind."""
    return [
        each
        for each in tasks()
        if kind in (each.extra["task"].get("kind"), each.extra["task"].get("ask", {}).get("kind"))
    ]


def on_wall(state: WallState) -> str:
    """All that is written on the wall."""
    lines = [*wall_head(state, 400), *wall_lines(state, 400, 200), *wall_lines(state, 400, 200, short=True)]
    return "\n".join("".join(span.text for span in line) for line in lines)


def test_nothing_tells_the_answer_of_any_kind_before_it_is_revealed() -> None:
    seen = set()
    for each in tasks():
        made = Presenting(Session((replace(each, name="It is Axis"),)), Time())
        made.fit(Room(100, 24))
        question = made.item.question
        assert question is not None
        name = question.kind.name
        seen.add(name)
        for answer in made.item.answers:
            count(made, answer.id, 88)
        state = made.state
        while not state.item.is_told(state.build):
            told = on_wall(state)
            assert not state.said
            assert state.votes is None
            assert "88" not in told
            assert state.build is not Q or "It is Axis" not in told
            assert name not in TELLS_RULES or "✗" not in told
            assert name in DRAWN or not state.pictured, name
            assert not state.pictured or state.build is P or not state.picture.known.whole
            state = made.forward()
        assert state.said
        assert "It is Axis" in on_wall(state)
        assert name in DESCS or all(sentence in on_wall(state) for sentence in state.said)
    assert {*kinds()} - seen <= {"promised", "bytes", "faster", "parsons"}


def test_a_changed_desc_is_asked_about_in_the_words_of_the_notes_everywhere() -> None:
    each = examples.example("erratum-gather-leading-one").with_tasks().experiments[0]
    mine = replace(each, name="mine")
    assert "say" not in mine.extra["task"]
    session = Session((mine,))
    wanted = "What are the sizes with IndexDimensions 1?"
    own, lesson, (page,) = own_question(mine), lesson_of(session), tasks_of(session)
    assert own is not None
    assert lesson is not None
    assert page is not None
    (step,) = lesson.steps
    assert step.task is not None
    assert step.task.say.said() == wanted
    assert [own.prompt, page.prompt, Presenting(session, Time()).item.prompt] == [wanted] * 3
    same = replace(mine, extra={"task": {"ask": {"kind": "sizes"}}})  # the notes ask about something else
    assert Presenting(Session((same,)), Time()).item.prompt != wanted


def test_the_wall_asks_the_tasks_that_the_page_asks() -> None:
    (each,) = session_of("gather-2").experiments
    task = {"id": "one", "say": "What is it?", "ask": {"kind": "cell"}}
    session = Session(tuple(replace(each, name=name, extra={"task": task}) for name in ("first", "second")))
    first, second = tasks_of(session)
    made = Presenting(session, Time())
    assert first is not None
    assert made.item.prompt == first.prompt == "What is it?"
    assert isinstance(second, Unasked)
    later = made.item_at(1)
    assert "one" in later.problem
    assert later.problem in second.reason
    assert later.prompt != "What is it?"


@pytest.mark.parametrize("hide", ["rules", "levels"])
def test_where_an_author_hides_the_rules_no_sign_says_that_a_desc_is_invalid(hide: str) -> None:
    each = asked("fixes")[0]
    task = {key: held for key, held in each.extra["task"].items() if key != "hide"}
    for hides in (False, True):
        kept = {**task, "hide": [hide]} if hides else task
        made = Presenting(Session((replace(each, extra={"task": kept}),)), Time())
        made.fit(Room(100, 24))
        assert made.item.question is not None
        assert not made.item.view.report.ok
        assert made.state.marked_invalid is not hides
        assert ("✗ invalid" in on_wall(made.state)) is not hides


def test_a_german_session_is_presented_in_german_with_and_without_tasks() -> None:
    each = replace(session_of("gather-2").experiments[0], name="mine", notes="")
    german, english = (
        Presenting(Session((each,), extra=extra), Time()).item for extra in ({"lang": "de"}, {"lang": "en"})
    )
    assert german.question is not None
    assert german.question.subject.lang == "de"
    assert german.prompt != english.prompt
    rules = [{answer.rule for answer in item.answers if answer.rule} for item in (german, english)]
    assert rules[0]
    assert rules[0].isdisjoint(rules[1])
    said = set[str]()
    for one in (*asked("level")[:1], *asked("fixes")[:1], *asked("runs")[:1], *asked("lowest"), *asked("valid")):
        item = Presenting(Session((one,), extra={"lang": "de"}), Time()).item
        said |= {*item.said, *(answer.text for answer in item.answers)}
    told = "\n".join(said)
    assert "Eine Lösung: " in told
    assert "Das Bild zeigt " in told
    for word in ("Answer:", "One solution", "One edit", "The picture is", "none", "yes"):
        assert word not in told
    broken = replace(session_of("rule-sizes-match").experiments[0], name="mine", notes="")
    assert (
        Presenting(Session((broken,), extra={"lang": "de"}), Time()).item.prompt == "Warum wird dieser Desc abgelehnt?"
    )


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
    task = {"ask": {"kind": kind}, "say": "What is asked?"}
    for each in (replace(bare, extra={"task": {**task, "hide": kept}}) for kept in (hide, [])):
        made = Presenting(Session((each,)), Time())
        made.fit(Room(100, 24))
        question = made.item.question
        assert question is not None
        assert question.kind.name == kind
        hides = bool(question.hidden)
        assert (path in question.hidden) is hides
        state = made.state
        assert state.pictured is not hides
        assert made.item.builds == ((Q, R) if hides else (Q, P, R))
        desc = question.subject.desc
        tensor, mark, _ = path.partition(".Sizes")
        if hides:
            assert state.ask is not None
            tables = {table.title.split()[0]: table for table in state.ask.tables}
            assert not tables["OutputTensor"].values  # which the kind hides, whatever its author does
            if path == "Axis":
                assert {field.path: field.text for field in state.fields}["Axis"] == "?"
                assert "Axis 0" not in on_wall(state)
                assert "0=Axis" not in on_wall(state)
            elif mark:
                assert "{?}" in tables[tensor].title
                assert braces(desc.get(tensor).sizes) not in tables[tensor].title
            else:
                assert not tables[tensor].values
            assert question.at is not None
            assert f"{brackets(question.at.index)}." in question.prompt  # which no picture marks
            assert question.prompt == state.item.prompt
        state = made.reveal()
        assert state.pictured
        assert all(field.text != "?" for field in state.fields)


def test_what_is_asked_of_a_changed_desc_is_drawn_of_that_desc() -> None:
    some = [each for each in tasks() if "change" in each.extra["task"].get("ask", {})]
    assert len(some) > 10
    for each in some:
        made = Presenting(Session((each,)), Time())
        made.fit(Room(100, 24))
        question = made.item.question
        assert question is not None
        wanted = question.subject.experiment
        assert wanted != each
        for _ in made.item.builds:
            state, trace = made.state, made.item.view.trace
            assert state.item.experiment == wanted
            if state.pictured:
                assert made.picture.scene is not None
                assert trace is made.picture.scene.trace
                assert trace.desc == wanted.desc
            held = dict(state.item.numbers_at(state.build))
            assert all(held[field.path] == field.text for field in state.fields if field.path in held)
            made.forward()
    (indices,) = [each for each in some if each.name == "1-D remapping"]
    trace = Presenting(Session((indices,)), Time()).item.view.trace
    assert trace is not None
    assert trace.read(1, np.arange(5)).tolist() == [3, 1, 3, 0, 3]


def test_the_reveal_of_a_level_draws_a_solution_and_says_it() -> None:
    levels = [*asked("level"), dml.load(CLASSROOM).experiments[3]]
    assert len(levels) > 6
    for each in levels:
        made = Presenting(Session((each,)), Time())
        made.fit(Room(100, 24))
        question = made.item.question
        assert question is not None
        assert question.goal is not None
        state = made.reveal()
        assert state.pictured
        assert not state.marked_invalid
        assert state.picture.scene is not None
        trace = state.picture.scene.trace
        assert outputs(trace) == [(sizes, list(values)) for sizes, values in question.goal.outputs]
        assert any(said.startswith("One solution: ") for said in state.said)


def outputs(trace: Trace) -> list[tuple[tuple[int, ...], list[object]]]:
    """Sizes and values of all outputs, by looking each element up."""
    found: list[tuple[tuple[int, ...], list[object]]] = []
    for k, part in enumerate(trace.outputs):
        sizes = part.tensor.sizes
        values = []
        for at in np.ndindex(*sizes):
            source = trace.source(k, tuple(map(int, at)))
            inner = trace.inputs[source.tensor].tensor.sizes
            flat = np.array([int(np.ravel_multi_index(source.index, inner))])
            values += trace.read(source.tensor, flat).tolist()
        found.append((sizes, values))
    return found


def test_the_reveal_of_a_broken_desc_shows_an_edit_that_mends_it() -> None:
    each = asked("fixes")[0]
    made = Presenting(Session((each,)), Time())
    made.fit(Room(100, 24))
    assert made.state.marked_invalid
    assert [answer.id for answer in made.item.answers] == list("abcd")
    state = made.reveal()
    assert state.pictured
    assert not state.marked_invalid
    right = next(answer for answer in made.item.answers if answer.right)
    assert state.said[0] == f"The picture is of {right.id}."
    assert state.picture.scene is not None
    sizes = state.picture.scene.trace.desc.get("OutputTensor").sizes
    assert f"→ {braces(sizes)}" in right.text or "OutputTensor" not in right.text
    state = made.step(1)
    assert stand(state) == (1, P)
    assert state.said
    assert stand(made.back()) == (1, R)


def test_steps_that_would_tell_the_answer_come_after_it() -> None:
    each = asked("runs")[0]
    made = Presenting(Session((each, each)), Time())
    made.fit(Room(100, 24))
    assert stand(made.forward()) == (1, R)
    state = made.step(-1)
    assert stand(state) == (1, P)
    assert state.said
    assert made.wall.step == made.wall.count - 1
    assert stand(made.forward()) == (2, Q)
    made.go_to(1)
    made.reveal()
    assert made.play().build is P
    assert made.shared.playing


@pytest.mark.parametrize("act", ["on", "back", "play"])
def test_steps_after_the_reveal_leave_the_answer_on_the_wall(act: str, tmp_path: Path) -> None:
    level = asked("level")[0]
    for each in (session_of("gather-2").experiments[0], level):
        kept = StateFile(f"/a/{each.name}.json", tmp_path)
        made = Presenting(Session((each, each)), Time(), kept=kept)
        made.fit(Room(100, 24))
        if made.item.answers:
            count(made, "a", 5)
        after = made.reveal()
        assert after.picture.scene is not None
        state = made.play() if act == "play" else made.step(1 if act == "on" else -1)
        assert stand(state) == (1, P)
        assert (state.said, state.votes) == (after.said, after.votes)
        assert state.picture.scene is not None
        assert state.picture.scene.trace.desc == after.picture.scene.trace.desc  # a level's solution
        assert made.wall.step == {"on": 1, "back": made.wall.count - 1, "play": 0}[act]
        again = Presenting(Session((each, each)), Time(), kept=StateFile(kept.name, tmp_path))
        assert (stand(again.state), again.state.said) == ((1, P), after.said)
        assert stand(made.back()) == (1, R)
        state = made.back()
        assert stand(state) == (1, P)
        assert not state.said  # the same way back
        made.reveal()
        made.step(1)
        assert stand(made.forward()) == (2, Q)


def test_a_reveal_between_two_looks_shows_the_steps_of_the_solution(tmp_path: Path) -> None:
    each = asked("level")[0]
    kept = StateFile("/a/lesson.json", tmp_path)
    wall = Presenting(Session((each,)), Time(), kept=kept)
    wall.fit(Room(100, 24))
    wall.forward()
    speaker = Presenting(Session((each,)), Time(), kept=StateFile("/a/lesson.json", tmp_path))
    speaker.reveal()
    speaker.step(1)
    wall.tick()
    scene, solved = wall.state.picture.scene, wall.item.solved
    assert scene is not None
    assert solved is not None
    assert scene.trace is solved.trace
    assert wall.state.said == speaker.state.said != ()


def test_p_says_why_nothing_plays() -> None:
    made = presented("gather-2", "rule-sizes-match")
    assert made.play().sentence == made.step(1).sentence != ""
    assert stand(made.state) == (1, Q)
    made.go_to(2)
    made.reveal()
    assert made.play().sentence == "An invalid desc has no steps."


def test_a_letter_gives_up_the_number_of_an_experiment() -> None:
    made = presented("gather-2", "join-1")
    made.begin_go()
    made.digit("2")
    state = made.count_hands("a")
    assert stand(state) == (1, Q)
    made.digit("7")
    made.enter()
    assert made.notes.votes[0].counts[0] == 7


def test_the_answer_s_elements_are_marked_once_they_are_revealed() -> None:
    marked = set()
    for each in tasks():
        made = Presenting(Session((each,)), Time())
        made.fit(Room(100, 24))
        question = made.item.question
        assert question is not None
        name = question.kind.name
        if name not in ("dest", "unread", "source", "via", "cell", "fill"):
            continue
        right = {entry.kind for entries in made.reveal().picture.look.entries.values() for entry in entries.values()}
        assert right == {EntryKind.RIGHT}, name
        marked.add(name)
    assert len(marked) == 6


def test_where_it_is_asked_whether_a_desc_is_valid_neither_its_name_nor_a_sign_tells() -> None:
    lesson = next(each for each in shipped_lessons() if each.id == "invalid")
    named = tuple(replace(step.experiment, name="Axis is wrong") for step in lesson.steps)
    made = Presenting(Session(named), Time())
    made.fit(Room(100, 24))
    asked = 0
    for number in range(1, made.count + 1):
        state = made.go_to(number)
        question = state.item.question
        if question is not None and question.kind.name in TELLS_RULES:
            asked += 1
            assert not state.name
            assert not state.marked_invalid
            state = made.reveal()
            assert state.marked_invalid is (not state.item.view.report.ok)
        else:
            assert not state.name
            made.reveal()
        assert made.state.name == "Axis is wrong"
        assert made.notes.name
        assert len(state.said) == len(set(state.said))
        assert not any(one in other for one in state.said for other in state.said if one != other)
    assert asked
