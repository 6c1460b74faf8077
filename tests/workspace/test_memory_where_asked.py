"""Linear memory where something is asked: hidden while it would tell, then beside the picture, copy by copy."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pytest
from support.answering import asking, give
from support.kinds import ASKED, MEMORY
from support.presentations import Time

from dmlviz.errors import DmlvizError
from dmlviz.operators.maps import Place
from dmlviz.scene.elements.cursor import Cursor
from dmlviz.scene.memory.strip import Memory
from dmlviz.scene.steps.order import Unit
from dmlviz.session import examples
from dmlviz.session.experiments import Experiment, Session
from dmlviz.session.views import View
from dmlviz.teaching.progress.progress import Progress
from dmlviz.teaching.tasks.own_tasks import own_question
from dmlviz.workspace.asking.asking import AskDesk
from dmlviz.workspace.shown.picture import Room
from dmlviz.workspace.wall.wall_desk import WallDesk

NAMES = ["join-2-axis-3", "split-1", "reverse-1"]


def experiment(name: str, **task: Any) -> Experiment:
    """An example's experiment, with a task of its own where some of it is given."""
    one = examples.example(name).session().experiments[0]
    return dataclasses.replace(one, extra={"task": task}) if task else one


def on_wall_of(one: Experiment) -> WallDesk:
    presenting = WallDesk(Session((one,), extra={"lesson": {}}), Time())
    presenting.fit(Room(110, 30))
    return presenting


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
    wall = on_wall_of(experiment(name, id="a", ask={"kind": kind}, say="?"))
    question = wall.item.question
    for _ in wall.builds if question is not None and question.kind.name == kind in MEMORY else ():
        if not wall.told:
            assert not wall.state.picture.shows_memory
        wall.forward()


def test_what_an_author_doesn_t_hide_tells_no_more_than_the_picture() -> None:
    own = own_question(experiment("gather-2", id="a", ask={"kind": "fill", "row": [2]}, hide=[]))
    assert own is not None
    asked = AskDesk(own.subject.experiment, Progress(), Time(), own=own)
    asked.fit(Room(100, 30))
    asked.picture.turn_memory()
    picture = asked.state.picture
    assert picture.trace is not None
    assert picture.shows_memory
    for index in np.ndindex(4, 2):
        memory = Memory(picture.trace, Cursor(Place(True, 0), index), 100, picture.known)
        lines = ["".join(span.text for span in line) for line in memory.lines(picture.look)]
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
    assert give(asked, asked.question.truth).picture.shows_memory
    steps = asked.picture.live_steps
    assert steps is not None
    assert steps.unit is Unit.COPY
    begins = []
    for step in range(1, steps.count + 1):
        asked.step(1)
        picture = asked.state.picture
        assert picture.step == step
        assert picture.trace is not None
        assert picture.cursor is not None
        run = Memory(picture.trace, picture.cursor, 100, picture.known).run
        assert run is not None
        begins.append((picture.cursor.place.number, run.start))
    assert begins == sorted({*begins})
    if kind == "runs":
        moved = [step for step in range(1, steps.count + 1) if (g := steps.group(step)) is not None and g.moves]
        assert len(moved) == asked.question.truth


def test_an_author_s_unit_brings_memory_to_the_reveal() -> None:
    one = experiment("join-2-axis-3")
    one = dataclasses.replace(one, view=one.view.holding(View(unit="run")))
    asked = asking(one, "sizes", room=(110, 40))
    state = give(asked, asked.question.truth)
    assert state.picture.shows_memory
    assert state.picture.player.unit is Unit.RUN
