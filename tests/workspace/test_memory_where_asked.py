"""Linear memory where something is asked: hidden while it would tell, then beside the picture, copy by copy."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pytest
from support.answering import asking, give
from support.kinds import ASKED, MEMORY
from support.presentations import P, Q, R, Time, on_wall

from dmlviz.errors import DmlvizError
from dmlviz.operators.maps import Place
from dmlviz.scene.elements.cursor import Cursor
from dmlviz.scene.memory import HEIGHT, LEAST
from dmlviz.scene.memory.strip import Memory
from dmlviz.scene.steps.order import Unit
from dmlviz.session import examples
from dmlviz.session.experiments import Experiment, Session
from dmlviz.session.presentation_state import StateFile
from dmlviz.session.views import View
from dmlviz.teaching.lessons.lessons import shipped_levels
from dmlviz.teaching.levels.level import Level
from dmlviz.teaching.progress.progress import Progress
from dmlviz.teaching.tasks.tasks import question_of, task_of
from dmlviz.workspace.asking.asking import AskDesk
from dmlviz.workspace.levels.level_desk import LevelDesk
from dmlviz.workspace.shown.picture import LEAST_PICTURE, Picture, Room
from dmlviz.workspace.shown.state import PictureState
from dmlviz.workspace.wall.wall_desk import WallDesk

NAMES = ["join-2-axis-3", "gather-2", "split-1", "tile-1", "reverse-1", "padding-1"]


def experiment(name: str, **task: Any) -> Experiment:
    """An example's experiment, with a task of its own where some of it is given."""
    one = examples.example(name).session().experiments[0]
    return dataclasses.replace(one, extra={"task": task}) if task else one


def on_wall_of(*experiments: Experiment, kept: StateFile | None = None) -> WallDesk:
    presenting = WallDesk(Session(experiments, extra={"lesson": {}}), Time(), kept=kept)
    presenting.fit(Room(110, 30))
    return presenting


def copies_seen(picture: PictureState) -> tuple[int, int]:
    """(first element in memory, elements) of the copy that the strip tells."""
    assert picture.trace is not None
    assert picture.cursor is not None
    assert picture.shows_memory
    memory = Memory(picture.trace, picture.cursor, 100, picture.known)
    assert memory.run is not None
    assert memory.run.whole
    return memory.run.start, memory.run.length


@pytest.mark.parametrize("kind", ASKED)
@pytest.mark.parametrize("name", NAMES)
def test_no_open_question_that_hides_memory_shows_it(name: str, kind: str) -> None:
    try:
        asked = asking(experiment(name), kind)
    except DmlvizError:
        return
    hides = kind in MEMORY or "memory" in asked.question.hidden
    asked.picture.turn_memory()
    assert asked.state.picture.shows_memory is (asked.is_pictured and not hides)
    presenting = on_wall_of(experiment(name, id="a", ask={"kind": kind}, say="?"))
    if presenting.item.question is None or presenting.item.question.kind.name != kind:
        return
    for _ in presenting.builds:
        told = presenting.told
        if kind in MEMORY and not told:
            presenting.turn_memory()
            state = presenting.state
            assert not state.picture.shows_memory
            assert not state.memory
            assert "memory" in on_wall(state).lower()  # it is said why
        presenting.forward()


def test_what_a_task_hides_of_memory_is_hidden_on_the_wall_until_it_is_revealed() -> None:
    ask = {"kind": "fill", "row": [2]}
    for hide, seen_at in ((None, {P, R}), (["values"], {Q, P, R}), (["memory"], {R})):
        own = {} if hide is None else {"hide": hide}
        presenting = on_wall_of(experiment("gather-2", id="a", ask=ask, **own))
        presenting.turn_memory()
        for build in (Q, P, R):
            assert presenting.shared.build is build
            if presenting.picture.memory is not True:
                presenting.turn_memory()
            assert presenting.state.picture.shows_memory is (build in seen_at)
            assert presenting.state.memory is (build in seen_at)
            presenting.forward()


def test_what_an_author_doesn_t_hide_tells_no_more_than_the_picture() -> None:
    one = experiment("gather-2", id="a", ask={"kind": "fill", "row": [2]}, hide=[])
    task = task_of(one)
    assert task is not None
    asked = AskDesk(one, Progress(), Time(), own=question_of(one, task, 0))
    asked.fit(Room(100, 30))
    asked.picture.turn_memory()
    state = asked.state
    picture = state.picture
    assert picture.shows_memory
    assert picture.trace is not None
    for index in np.ndindex(4, 2):
        memory = Memory(picture.trace, Cursor(Place(True, 0), index), 100, picture.known)
        lines = ["".join(span.text for span in line) for line in memory.lines(picture.look)]
        assert "not written yet" in lines[0]
        row = memory.rows[1]
        assert row is not None
        x = memory.label_width + row.column(5)
        assert lines[3][x : x + row.cell].strip() == "·"


@pytest.mark.parametrize("kind", sorted(MEMORY))
@pytest.mark.parametrize("name", NAMES)
def test_a_reveal_goes_through_the_copies_one_by_one(name: str, kind: str) -> None:
    try:
        asked = asking(experiment(name), kind, room=(110, 40))
    except DmlvizError:
        return
    assert not asked.state.picture.shows_memory
    state = give(asked, asked.question.truth)
    assert not state.open
    assert state.picture.shows_memory
    steps = asked.picture.live_steps
    assert steps is not None
    assert steps.unit is Unit.COPY
    seen = []
    for step in range(1, steps.count + 1):
        asked.step(1)
        state = asked.state
        assert state.picture.step_in_words(asked.subject.sentence).endswith(f"{step} of {steps.count}")
        seen.append(copies_seen(state.picture))
    assert [start for start, _ in seen] == np.cumsum([0, *(length for _, length in seen[:-1])]).tolist() or len(
        asked.subject.desc.outputs
    ) > 1
    if kind == "runs":
        moved = [step for step in range(1, steps.count + 1) if (g := steps.group(step)) is not None and g.moves]
        assert len(moved) == asked.question.truth
    asked.go(0)
    assert asked.picture.player.step == 0
    asked.go(2)
    assert asked.picture.cursor == steps.element(2 if steps.count > 1 else 1)


def test_an_author_s_unit_brings_memory_to_wall_and_reveal() -> None:
    one = experiment("join-2-axis-3")
    one = dataclasses.replace(one, view=one.view.holding(View(unit="run")))
    presenting = on_wall_of(one)
    assert not presenting.state.picture.shows_memory  # the question hides it
    presenting.forward()
    assert presenting.shared.build is P
    assert presenting.picture.player.unit is Unit.RUN
    assert presenting.state.picture.shows_memory
    asked = asking(one, "sizes", room=(110, 40))
    state = give(asked, asked.question.truth)
    assert state.picture.shows_memory
    assert state.picture.player.unit is Unit.RUN


def test_a_level_whose_steps_are_runs_shows_memory_by_itself() -> None:
    level = shipped_levels()[0]
    start = dataclasses.replace(level.start, view=level.start.view.holding(View(unit="run")))
    seen = [LevelDesk(Level(one, level.task), Progress(), Time()) for one in (level.start, start)]
    for desk, is_shown in zip(seen, (False, True), strict=True):
        desk.fit(Room(120, 30))
        assert desk.state.picture.shows_memory is is_shown
        desk.picture.turn_memory()
    assert [desk.state.picture.shows_memory for desk in seen] == [True, False]


ROOMS = [
    Room(w, h, low, 5, below=1) for w, h, low in ((51, 11, True), (71, 16, True), (110, 26, False), (190, 40, False))
]


@pytest.mark.parametrize("room", ROOMS)
@pytest.mark.parametrize("name", NAMES)
def test_the_strip_gives_way_before_the_picture_isn_t_whole(name: str, room: Room) -> None:
    asked = asking(experiment(name), "cell", room=(110, 40))
    give(asked, asked.question.truth)
    picture: Picture = asked.picture
    picture.wants_memory, picture.memory = True, None

    def fits() -> bool:
        assert picture.scene is not None
        return picture.scene.layout.fits

    picture.fit(Room(room.width, room.height, room.low, room.lane, anchor=1, below=1))
    lines, with_it = picture.memory_lines, fits()
    picture.memory = False
    picture.refit()
    assert picture.memory_lines == 0
    whole = fits()
    assert with_it or not whole
    assert lines in (0, LEAST + (not room.low), HEIGHT + (not room.low))
    if not lines:
        assert whole or room.height - LEAST - 1 < LEAST_PICTURE
    picture.memory = True  # who asks for it gets it
    picture.refit()
    assert picture.memory_lines >= LEAST
