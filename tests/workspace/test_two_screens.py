"""Two screens that share one presentation: each follows the other, and either is ended and begun again."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.presentations import P, Q, R, Time, count, does, presented, session_of, stand, two

from dmlviz.session.presentation_state import StateFile
from dmlviz.workspace.wall.wall_desk import LONGEST, WallDesk


def test_one_screen_follows_the_other_and_either_goes_on_where_it_was(tmp_path: Path) -> None:
    time = Time()
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
    time = Time()
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


def test_a_state_of_long_ago_begins_anew_and_a_shorter_session_goes_on_inside(tmp_path: Path) -> None:
    time = Time()
    start = two(tmp_path, "gather-2", "join-1", time=time)
    start().go_to(1)
    assert stand(two(tmp_path, "gather-2", time=time)()) == (1, Q)
    two(tmp_path, "gather-2", time=time)().forward()
    assert stand(two(tmp_path, "rule-sizes-match", time=time)()) == (1, R)  # it has no steps
    start().go_to(1)
    time.now += LONGEST + 1
    assert stand(start()) == (1, Q)


def test_a_damaged_state_is_told_of_once_and_written_anew(tmp_path: Path) -> None:
    start = two(tmp_path, "gather-2", "join-1", time=Time())
    wall, speaker = start(), start()
    StateFile("/a/lesson.json", tmp_path).file.write_text("{")
    assert wall.tick()
    assert "can't be used" in wall.state.sentence
    speaker.tick()
    assert not speaker.state.sentence
    assert not does(wall, "forward").sentence
    speaker.tick()
    assert stand(speaker) == (1, P)


def test_where_nothing_can_be_kept_the_wall_says_it_and_goes_on(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    made = presented("gather-2", "join-1", kept=StateFile("/a/lesson.json", tmp_path / "file"))
    assert "can't be written" in made.state.sentence
    assert "can't be written" in does(made, "forward").sentence
    does(made, "forward")
    assert stand(made) == (1, R)
