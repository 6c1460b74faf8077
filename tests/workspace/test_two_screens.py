"""Two screens that share one presentation: each follows the other, and either is ended and begun again."""

from __future__ import annotations

import errno
from pathlib import Path

import pytest
from msgspec.structs import replace
from support.presentations import P, Q, R, Time, count, presented, session_of, stand, two

from dmlviz.scene.elements.cursor import is_inside
from dmlviz.session import kept
from dmlviz.session.presentation_state import StateFile
from dmlviz.workspace.wall.presenting import LONGEST, Presenting


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
    assert wall.state.hands.counted == ("a",)
    time.now += 60
    for again in (start(), start()):
        assert stand(again.state) == (2, Q)
        assert again.notes.votes[0].counts[0] == 12
        assert again.state.heading.elapsed == "01:00"
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


@pytest.mark.parametrize("data", [b"", b"{", b"\xff", b'{"vote": 9}'])
def test_a_state_that_cannot_be_read_is_told_once_and_both_screens_go_on(tmp_path: Path, data: bytes) -> None:
    start = two(tmp_path, "gather-2", "join-1", time=Time())
    wall, speaker = start(), start()
    kept = StateFile("/a/lesson.json", tmp_path)
    kept.file.write_bytes(data)
    assert wall.tick() is not None
    assert wall.state.sentence.startswith(f"{kept.file} can't be used: ")
    speaker.tick()
    assert wall.forward().sentence == ""  # the room has read it
    speaker.tick()
    assert stand(speaker.state) == stand(wall.state) == (1, P)
    kept.file.write_bytes(data)
    again = start()
    assert stand(again.state) == (1, Q)
    assert "can't be used" in again.state.sentence
    assert start().state.sentence == "", "it is told of once"


def test_where_nothing_can_be_kept_the_wall_begins_and_says_it_once(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    made = presented("gather-2", "join-1", kept=StateFile("/a/lesson.json", tmp_path / "file"))
    assert "can't be written" in made.state.sentence
    assert made.forward().sentence == ""
    assert stand(made.forward()) == (1, R)
    assert "can't be written" in made.notes.sentence


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


def test_a_full_disk_is_told_and_the_wall_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    start = two(tmp_path, "gather-2", "join-1", time=Time())
    wall, speaker = start(), start()

    def full(target: Path, data: bytes) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(kept, "write_whole", full)
        state = wall.forward()
        assert stand(state) == (1, P)
        assert "can't be written: No space left on device." in state.sentence
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
