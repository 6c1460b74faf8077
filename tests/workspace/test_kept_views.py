"""How an experiment is looked at: kept beside it, taken up again, and never an edit."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st
from support.cursors import into, out
from support.effort import tried

import dmlviz as dml
from dmlviz.scene.elements.cursor import is_inside
from dmlviz.scene.steps.order import Unit
from dmlviz.scene.steps.player import Player
from dmlviz.session import examples
from dmlviz.session.document import Document
from dmlviz.session.experiments import Session
from dmlviz.session.recovery import Keeper
from dmlviz.session.views import View, ViewEntry
from dmlviz.session.writing import dump
from dmlviz.workspace.explorer.workspace import Workspace
from dmlviz.workspace.shown.picture import Room
from dmlviz.workspace.shown.state import State

ROOM = Room(74, 20)
NAMES = sorted(each.name for each in examples.all_examples())


def with_view(name: str, *views: Any) -> Session:
    """An example whose experiments have these views; the first one again where there are more views."""
    session = examples.example(name).session()
    items = [session.experiments[min(i, len(session.experiments) - 1)] for i in range(len(views))]
    made = [replace(each, view=ViewEntry(view)) for each, view in zip(items, views, strict=True)]
    return replace(session, experiments=tuple(made))


def opened(session: Session | str, path: Path | None = None, **more: Any) -> Workspace:
    workspace = Workspace(
        Document(examples.example(session).session() if isinstance(session, str) else session, path), **more
    )
    workspace.fit(ROOM)
    return workspace


def fitted(workspace: Workspace, state: State) -> State:
    return workspace.fit(ROOM) if state.unfitted else state


def seen(workspace: Workspace) -> tuple[Any, ...]:
    """What of a picture its view is about."""
    state = workspace.state
    picture = state.picture
    if not picture.live:
        return (state.view.turned,)
    return picture.step, picture.player.unit, state.view.turned


ACTS: tuple[Callable[[Workspace, int], State | None], ...] = (
    lambda w, n: w.go_by(n - 5),
    lambda w, n: w.scrub(n / 20),
    lambda w, n: w.turn_unit(n % 3 - 1),
    lambda w, n: w.turn_picture(),
    lambda w, n: w.point(into(n % 3, n % 2)),
    lambda w, n: w.point(out(n % 2, n % 3)),
    lambda w, n: w.show_whole(),
    lambda w, n: w.go_to_experiment(n),
    lambda w, n: w.undo(),
    lambda w, n: w.type_in_field("Axis", str(n % 3)),
    lambda w, n: w.mend(0),
)


@tried(150, suppress_health_check=[*HealthCheck])
@given(st.sampled_from(NAMES), st.lists(st.tuples(st.integers(0, len(ACTS) - 1), st.integers(0, 20)), max_size=20))
def test_what_was_looked_at_when_it_was_saved_is_looked_at_when_it_is_opened(
    tmp_path_factory: pytest.TempPathFactory, name: str, acts: list[tuple[int, int]]
) -> None:
    workspace = opened(name)
    for act, number in acts:
        state = ACTS[act](workspace, number)
        assert state is not None
        fitted(workspace, state)
    path = tmp_path_factory.mktemp("views") / "a.json"
    workspace.save(path)
    assert not workspace.document.dirty
    again = opened(dml.load(path), path)
    fitted(again, again.go_to_experiment(workspace.document.number))
    assert seen(again) == seen(workspace)
    assert again.document.dirty is False
    before = path.read_bytes()
    again.save(path)
    assert path.read_bytes() == before


@tried(60, suppress_health_check=[*HealthCheck])
@given(st.lists(st.tuples(st.integers(0, 7), st.integers(0, 20)), max_size=15))
def test_looking_is_no_edit_and_every_experiment_is_left_as_it_is_found_again(acts: list[tuple[int, int]]) -> None:
    workspace = opened("inline-split")
    before = workspace.document.session
    for act, number in acts:
        state = ACTS[act](workspace, number)
        assert state is not None
        fitted(workspace, state)
    now = seen(workspace)
    state = workspace.state
    assert (state.document.dirty, state.document.undoable) == (False, False)
    assert workspace.document.session is before
    fitted(workspace, workspace.go_to_experiment(1))
    fitted(workspace, workspace.go_to_experiment(-1))
    assert seen(workspace) == now


COUNTS = st.integers(-1, 12) | st.just(10**30)
PLACES = st.fixed_dictionaries({"output": st.integers(0, 2), "index": st.lists(COUNTS, max_size=3)}) | (
    st.fixed_dictionaries({"tensor": st.integers(0, 2), "index": st.lists(COUNTS, max_size=3)})
)
NEARLY = st.fixed_dictionaries(
    {},
    optional={
        "step": COUNTS,
        "unit": st.sampled_from(["element", "run", "slice", "whole", "x"]),
        "cursor": PLACES,
        "pins": st.lists(PLACES, max_size=5),
        "bookmarks": st.lists(COUNTS, max_size=4),
        "turned": st.booleans(),
        "other": COUNTS,
    },
)


@tried(150, suppress_health_check=[*HealthCheck])
@given(st.sampled_from(NAMES), NEARLY)
def test_any_view_opens_and_is_saved_as_it_was(
    tmp_path_factory: pytest.TempPathFactory, name: str, view: dict[str, Any]
) -> None:
    session = with_view(name, view)
    workspace = opened(session)
    picture = workspace.state.picture
    if picture.trace is not None:
        assert picture.cursor is not None
        assert is_inside(picture.trace, picture.cursor)
    if picture.live and picture.steps is not None and picture.step is not None:
        assert picture.step == view["step"] <= picture.steps.count
    path = tmp_path_factory.mktemp("views") / "a.json"
    workspace.save(path)
    assert path.read_text() == dump(session)
    fitted(workspace, workspace.type_in_field("OutputTensor", ""))
    fitted(workspace, workspace.undo())
    assert workspace.document.session == session


def test_each_part_of_a_view_is_taken_up() -> None:
    view = {"step": 2, "unit": "run", "turned": True, "pins": [{"output": 0, "index": [3, 0]}]}
    workspace = opened(with_view("gather-2", view))
    picture = workspace.state.picture
    assert (picture.step, picture.player.unit, workspace.state.view.turned) == (2, Unit.RUN, True)
    assert picture.look.written is not None
    assert not workspace.state.notices


def test_step_without_a_unit_counts_elements_whatever_the_user_likes_best() -> None:
    workspace = opened(with_view("gather-2", {"step": 3}, {}), player=Player(Unit.SLICE))
    assert (workspace.state.picture.step, workspace.state.picture.player.unit) == (3, Unit.ELEMENT)
    state = fitted(workspace, workspace.go_to_experiment(1))
    assert (state.picture.step, state.picture.player.unit) == (None, Unit.SLICE)
    fitted(workspace, workspace.turn_unit(1))
    state = fitted(workspace, workspace.go_to_experiment(1))
    assert (state.picture.step, state.picture.player.unit) == (3, Unit.ELEMENT)


def test_a_step_that_the_desc_no_longer_has_is_dropped() -> None:
    state = opened(with_view("gather-2", {"step": 9})).state
    assert (state.picture.step, state.picture.cursor) == (None, out(0, 0))
    assert not state.notices


def test_view_of_a_broken_desc_waits_until_it_is_mended() -> None:
    workspace = opened(with_view("gather-3-as-printed", {"step": 1}))
    assert workspace.state.picture.step is None
    assert workspace.document.viewed() is workspace.document.session
    assert fitted(workspace, workspace.mend(0)).picture.step == 1


def test_a_view_of_the_wrong_shape_is_as_if_nobody_had_looked() -> None:
    workspace = Workspace(Document(with_view("gather-2", {"unit": 1}, 5)))
    assert not workspace.state.notices
    assert not workspace.go_to_experiment(1).notices


def test_names_and_edits_change_nothing_of_it() -> None:
    workspace = opened("gather-2")
    workspace.turn_picture()
    workspace.document.rename("other")
    state = fitted(workspace, workspace.experiments_changed())
    assert state.view.turned
    state = fitted(workspace, workspace.type_in_field("Axis", "1"))
    state = fitted(workspace, workspace.undo())
    assert (state.view.turned, state.picture.step) == (True, None)


def test_crash_loses_no_view_of_a_session_that_has_changes() -> None:
    kept: list[Session] = []

    class Listening(Keeper):
        def keep(self, document: Document) -> None:
            if document.dirty:
                kept.append(document.viewed())

    workspace = opened("gather-2", keeper=Listening(print))
    workspace.go(3)
    assert not kept, "a view is nothing that would be lost"
    fitted(workspace, workspace.type_in_field("Axis", "0"))
    workspace.write_notes("new", None)
    workspace.go(2)
    assert kept[-1].experiments[0].view.view == View(2, "element")
    assert '"step"' in dump(kept[-1])
