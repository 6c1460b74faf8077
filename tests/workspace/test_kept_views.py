"""How an experiment is looked at: kept beside it, taken up again, and never an edit."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st
from support.cursors import into
from support.desks import done
from support.effort import tried

import dmlviz as dml
from dmlviz.scene.elements.cursor import is_inside
from dmlviz.session import examples
from dmlviz.session.document import Document
from dmlviz.session.experiments import Session
from dmlviz.session.recovery import Keeper
from dmlviz.session.views import View, ViewEntry
from dmlviz.session.writing import dump
from dmlviz.workspace.explorer.workspace import Workspace
from dmlviz.workspace.shown.picture import Room

ROOM = Room(74, 20)
NAMES = sorted(each.name for each in examples.all_examples())


def with_view(name: str, *views: Any) -> Session:
    """An example whose experiments have these views; the first one again where there are more views."""
    session = examples.example(name).session()
    items = [session.experiments[min(i, len(session.experiments) - 1)] for i in range(len(views))]
    made = [replace(each, view=ViewEntry(view)) for each, view in zip(items, views, strict=True)]
    return replace(session, experiments=tuple(made))


def opened(session: Session | str, path: Path | None = None, **more: Any) -> Workspace:
    session = examples.example(session).session() if isinstance(session, str) else session
    workspace = Workspace(Document(session, path), **more)
    workspace.fit(ROOM)
    return workspace


def seen(workspace: Workspace) -> tuple[Any, ...]:
    """What of a picture its view is about."""
    state = workspace.state
    if not state.picture.live:
        return (state.view.turned,)
    return state.picture.step, state.picture.player.unit, state.view.turned


ACTS: tuple[Callable[[Workspace, int], object], ...] = (
    lambda w, n: w.step(n - 5),
    lambda w, n: w.go(n),
    lambda w, n: w.turn_unit(n % 3 - 1),
    lambda w, n: w.turn_picture(),
    lambda w, n: w.point(into(n % 3, n % 2)),
    lambda w, n: w.picture.show_whole(),
    lambda w, n: w.go_to_experiment(n),
    lambda w, n: w.undo(),
    lambda w, n: w.type_in_field("Axis", str(n % 3)),
    lambda w, n: w.mend(0),
)


def acted(workspace: Workspace, acts: list[tuple[int, int]]) -> None:
    for act, number in acts:
        done(workspace, ACTS[act], workspace, number)


@tried(150, suppress_health_check=[*HealthCheck])
@given(st.sampled_from(NAMES), st.lists(st.tuples(st.integers(0, len(ACTS) - 1), st.integers(0, 20)), max_size=20))
def test_what_was_looked_at_when_it_was_saved_is_looked_at_when_it_is_opened(
    tmp_path_factory: pytest.TempPathFactory, name: str, acts: list[tuple[int, int]]
) -> None:
    workspace = opened(name)
    acted(workspace, acts)
    path = tmp_path_factory.mktemp("views") / "a.json"
    workspace.save(path)
    assert not workspace.document.dirty
    again = opened(dml.load(path), path)
    again.go_to_experiment(workspace.document.number)
    assert seen(again) == seen(workspace)
    assert again.document.dirty is False
    before = path.read_bytes()
    again.save(path)
    assert path.read_bytes() == before


COUNTS = st.integers(-1, 12) | st.just(10**30)
NEARLY = st.fixed_dictionaries(
    {},
    optional={
        "step": COUNTS,
        "unit": st.sampled_from(["element", "run", "slice", "whole", "x"]),
        "bookmarks": st.lists(COUNTS, max_size=4),
        "turned": st.booleans(),
    },
)


@tried(150, suppress_health_check=[*HealthCheck])
@given(st.sampled_from(NAMES), NEARLY | st.just(5))
def test_any_view_opens_and_is_saved_as_it_was(tmp_path_factory: pytest.TempPathFactory, name: str, view: Any) -> None:
    session = with_view(name, view)
    workspace = opened(session)
    picture = workspace.state.picture
    assert not workspace.notices()
    if picture.trace is not None:
        assert picture.cursor is not None
        assert is_inside(picture.trace, picture.cursor)
    if picture.live and picture.steps is not None and picture.step is not None:
        assert picture.step == view["step"] <= picture.steps.count
    path = tmp_path_factory.mktemp("views") / "a.json"
    workspace.save(path)
    assert path.read_text() == dump(session)
    workspace.type_in_field("OutputTensor", "")
    workspace.undo()
    assert workspace.document.session == session


def test_crash_loses_no_view_of_a_session_that_has_changes() -> None:
    kept: list[Session] = []

    class Listening(Keeper):
        def keep(self, document: Document) -> None:
            if document.dirty:
                kept.append(document.viewed())

    workspace = opened("gather-2", keeper=Listening(print))
    done(workspace, workspace.go, 3)
    assert not kept, "a view is nothing that would be lost"
    workspace.type_in_field("Axis", "0")
    workspace.write_notes("new", None)
    done(workspace, workspace.go, 2)
    assert kept[-1].experiments[0].view.view == View(2, "element")
