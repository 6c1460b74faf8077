"""What the last edit made of the outputs: which edits count, when it is marked, and that it leaves no traces."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from support.cursors import into, out

from dmlviz.desc.levels import FeatureLevel
from dmlviz.exporters.markdown import export
from dmlviz.scene.changes import Counts
from dmlviz.scene.steps.player import Player
from dmlviz.session import examples
from dmlviz.session.document import Document
from dmlviz.session.tokens import to_token
from dmlviz.workspace.explorer.workspace import Workspace
from dmlviz.workspace.shown.picture import Room
from dmlviz.workspace.shown.state import State

ROOM = Room(74, 20)
INDICES = "IndicesTensor.values"


def opened(name: str = "gather-2", **more: object) -> Workspace:
    workspace = Workspace(Document(examples.example(name).session()), **more)  # type: ignore[arg-type]
    workspace.fit(ROOM)
    return workspace


def edit(workspace: Workspace, key: str, text: str) -> State:
    workspace.type_in_field(key, text)
    return workspace.fit(ROOM)


def counts(workspace: Workspace) -> Counts | None:
    return workspace.compare().changes.counts


def moved(workspace: Workspace) -> tuple[int | None, int] | None:
    found = counts(workspace)
    return (found.moved, found.after) if found is not None else None


def test_an_edit_is_compared_with_the_valid_output_before_it() -> None:
    workspace = opened()
    assert not workspace.state.changes.waits
    assert edit(workspace, INDICES, "0, 1, 2, 2").changes.waits
    assert workspace.state.changes.counts is None  # until somebody asks: an edit takes no longer for it
    assert moved(workspace) == (2, 8)
    assert not workspace.state.changes.waits
    edit(workspace, INDICES, "0, 0, 2, 2")
    assert moved(workspace) == (2, 8)
    workspace.undo()
    assert workspace.fit(ROOM).changes.waits
    assert moved(workspace) == (4, 8)  # both were typed in one go, and are undone as one
    workspace.redo()
    assert moved(workspace) == (4, 8)


def test_what_lies_between_two_valid_descs_is_left_out() -> None:
    workspace = opened()
    edit(workspace, "IndicesTensor", "1, 3")
    assert not workspace.state.view.live
    assert workspace.state.changes.counts is None
    edit(workspace, "OutputTensor", "3, 2")
    assert workspace.state.view.live
    assert counts(workspace) == Counts(before=8, after=6, new=0, gone=2, moved=0, other_values=0)


def test_a_fix_is_compared_with_the_last_valid_picture() -> None:
    workspace = opened()
    edit(workspace, "IndicesTensor", "1, 3")
    workspace.mend(-1)
    workspace.fit(ROOM)
    assert workspace.state.view.live
    assert counts(workspace) is not None


def test_a_desc_that_never_was_valid_has_no_output_before_its_fix() -> None:
    workspace = opened("rule-dtype-equal")
    assert not workspace.state.view.report.ok
    workspace.mend(0)
    assert workspace.fit(ROOM).view.live
    assert counts(workspace) is None


def test_a_typed_cell_is_an_edit_too() -> None:
    workspace = opened()
    workspace.point(into(1, 0))
    workspace.type_value()
    workspace.set_value("30", 1)
    workspace.fit(ROOM)
    assert counts(workspace) == Counts(before=8, after=8, new=0, gone=0, moved=0, other_values=2)


def test_another_level_and_other_notes_are_no_edits_of_the_output() -> None:
    workspace = opened()
    workspace.choose_level(FeatureLevel("4_1"))
    workspace.write_notes("other", None)
    edit(workspace, "Axis", "0")
    assert counts(workspace) is None
    edit(workspace, INDICES, "0, 1, 2, 2")
    before = counts(workspace)
    workspace.choose_level(FeatureLevel("5_0"))
    workspace.fit(ROOM)
    assert counts(workspace) == before
    assert workspace.compare(marked=True).picture.look.changes is not None  # still of what is drawn


def test_another_operator_and_another_experiment_begin_anew() -> None:
    workspace = opened()
    edit(workspace, INDICES, "0, 1, 2, 2")
    assert moved(workspace) == (2, 8)
    edit(workspace, "Operator", "TILE")
    assert counts(workspace) is None
    workspace.undo()
    workspace.fit(ROOM)
    assert counts(workspace) is None
    workspace.open(Document(examples.example("tile-1").session()))
    workspace.fit(ROOM)


def test_marks_last_until_they_are_taken_off() -> None:
    workspace = opened()
    edit(workspace, INDICES, "0, 1, 2, 2")
    assert workspace.compare(marked=True).picture.look.changes is not None
    workspace.forget_marks()
    assert workspace.point(out(1, 1)).picture.look.changes is None
    workspace.compare(marked=True)
    assert workspace.unmark().picture.look.changes is None
    assert workspace.state.changes.counts is not None  # the words stay


@pytest.mark.parametrize("way", ["go", "play"])
def test_nothing_of_it_while_a_step_hides_anything(way: str) -> None:
    workspace = opened(player=Player(seconds=60))
    edit(workspace, INDICES, "0, 1, 2, 2")
    workspace.compare(marked=True)
    state = workspace.go(3) if way == "go" else workspace.play_or_pause(0.0)
    assert state.changes.counts is None
    assert not state.changes.marked
    assert state.picture.look.changes is None
    assert workspace.compare(marked=True).picture.look.changes is None
    assert workspace.state.changes.counts is None
    workspace.stop()
    assert workspace.go_last().changes.counts is not None
    assert workspace.state.picture.look.changes is None  # nobody has asked again


@pytest.mark.parametrize("broken", [False, True])
def test_an_output_that_steps_hid_is_never_shown_as_what_was(broken: bool) -> None:
    """It was hidden when the edit came: what it was may not be told by the edit."""
    workspace = opened()
    workspace.go(3)
    if broken:
        edit(workspace, "Axis", "7")
        edit(workspace, INDICES, "0, 1, 2, 2")
        edit(workspace, "Axis", "0")
    else:
        edit(workspace, INDICES, "0, 1, 2, 2")
    assert counts(workspace) is None
    edit(workspace, INDICES, "0, 1, 2, 1")
    assert moved(workspace) == (2, 8)


def test_it_leaves_no_traces(tmp_path: Path) -> None:
    """Not in what is saved, exported or copied, and it is no edit."""
    plain, marked = opened(), opened()
    for workspace in (plain, marked):
        edit(workspace, INDICES, "0, 1, 2, 2")
    before = marked.state.document
    marked.compare(marked=True)
    assert marked.state.document is before
    for workspace, name in ((plain, "plain"), (marked, "marked")):
        workspace.save(tmp_path / name)
    assert (tmp_path / "plain").read_bytes() == (tmp_path / "marked").read_bytes()
    one, other = (export(workspace.document.session, "x") for workspace in (plain, marked))
    assert (one.data, one.files) == (other.data, other.files)
    assert to_token(plain.experiment) == to_token(marked.experiment)
    marked.undo()
    assert not marked.state.document.undoable
    assert replace(marked.experiment, view=plain.experiment.view) == replace(
        opened().experiment, view=plain.experiment.view
    )


def test_the_layout_stays_where_it_is() -> None:
    workspace = opened()
    edit(workspace, INDICES, "0, 1, 2, 2")
    scene = workspace.state.picture.scene
    assert workspace.compare(marked=True).picture.scene is scene
    assert not workspace.state.unfitted
