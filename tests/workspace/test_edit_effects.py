"""What the last edit made of the outputs: which edits count, when it is marked, and that it leaves no traces."""

from __future__ import annotations

import pytest
from support.desks import done

from dmlviz.desc.levels import FeatureLevel
from dmlviz.scene.changes import Counts
from dmlviz.scene.steps.player import Player
from dmlviz.session import examples
from dmlviz.session.document import Document
from dmlviz.workspace.explorer.workspace import Workspace
from dmlviz.workspace.shown.picture import Room

INDICES = "IndicesTensor.values"


def opened(name: str = "gather-2", **more: object) -> Workspace:
    workspace = Workspace(Document(examples.example(name).session()), **more)  # type: ignore[arg-type]
    workspace.fit(Room(74, 20))
    return workspace


def counts(workspace: Workspace) -> Counts | None:
    return done(workspace, workspace.compare).counts


def changed(workspace: Workspace) -> tuple[int | None, int] | None:
    found = counts(workspace)
    return (found.changed, found.after) if found is not None else None


def test_an_edit_is_compared_with_the_valid_output_before_it() -> None:
    workspace = opened()
    workspace.type_in_field(INDICES, "0, 1, 2, 2")
    assert workspace.state.counts is None  # until somebody asks: an edit takes no longer for it
    assert changed(workspace) == (2, 8)
    workspace.type_in_field(INDICES, "0, 0, 2, 2")
    assert changed(workspace) == (2, 8)
    workspace.undo()
    assert changed(workspace) == (4, 8)  # both were typed in one go, and are undone as one


def test_what_lies_between_two_valid_descs_is_left_out() -> None:
    workspace = opened()
    workspace.type_in_field("IndicesTensor", "1, 3")
    assert not workspace.state.view.live
    assert counts(workspace) is None
    workspace.type_in_field("OutputTensor", "3, 2")
    assert counts(workspace) == Counts(before=8, after=6, changed=0)


def test_another_level_and_other_notes_are_no_edits_of_the_output() -> None:
    workspace = opened()
    workspace.choose_level(FeatureLevel("4_1"))
    workspace.write_notes("other", None)
    workspace.type_in_field("Axis", "0")
    assert counts(workspace) is None
    workspace.type_in_field(INDICES, "0, 1, 2, 2")
    before = counts(workspace)
    workspace.choose_level(FeatureLevel("5_0"))
    assert counts(workspace) == before
    workspace.type_in_field("Operator", "TILE")
    assert counts(workspace) is None


@pytest.mark.parametrize("way", ["go", "play"])
def test_nothing_of_it_while_a_step_hides_anything(way: str) -> None:
    workspace = opened(player=Player(seconds=60))
    workspace.type_in_field(INDICES, "0, 1, 2, 2")
    workspace.compare(marked=True)
    state = done(workspace, workspace.go, 3) if way == "go" else done(workspace, workspace.play)
    assert state.counts is None
    assert state.picture.look.changes is None
    assert done(workspace, workspace.compare, marked=True).picture.look.changes is None
    workspace.picture.stop()
    state = done(workspace, workspace.picture.go_last)
    assert state.counts is not None
    assert state.picture.look.changes is None  # nobody has asked again


@pytest.mark.parametrize("broken", [False, True])
def test_an_output_that_steps_hid_is_never_shown_as_what_was(broken: bool) -> None:
    """It was hidden when the edit came: what it was may not be told by the edit."""
    workspace = opened()
    workspace.go(3)
    for key, text in [("Axis", "7")] * broken + [(INDICES, "0, 1, 2, 2")] + [("Axis", "0")] * broken:
        workspace.type_in_field(key, text)
    assert counts(workspace) is None
    workspace.type_in_field(INDICES, "0, 1, 2, 1")
    assert changed(workspace) == (2, 8)
