"""The explorer without a screen: what a user does is a call, and what is shown then is its state."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from support.desks import done
from support.one_session import rotate_half
from support.scenes import into, out

from dmlviz.operators.report import Severity
from dmlviz.scene.changes import Counts
from dmlviz.scene.steps.player import Player
from dmlviz.session import examples
from dmlviz.session.document import Document
from dmlviz.session.experiments import Session
from dmlviz.tracing import Trace
from dmlviz.widgets.lib.commands import BY_ID
from dmlviz.worker.states import Running
from dmlviz.workspace.explorer.workspace import Workspace
from dmlviz.workspace.form.field_help import FieldHelp
from dmlviz.workspace.shown.picture import Room

ROOM = Room(74, 20)


def opened(session: Session | str = "gather-2", stage: int = 0, path: Path | None = None, **more: Any) -> Workspace:
    found = examples.example(session).session() if isinstance(session, str) else session
    workspace = Workspace(Document(found, path), **more)
    workspace.go_to_stage(stage)
    workspace.fit(ROOM)
    return workspace


# ---- the picture and its steps


def test_playing_keeps_the_time_that_it_is_told() -> None:
    heard: list[tuple[str, object]] = []
    now = [100.0]
    workspace = opened(player=Player(seconds=8.0), now=lambda: now[0], prefer=lambda *told: heard.append(told))
    assert done(workspace, workspace.play).picture.player.playing
    now[0] = 104.5
    assert workspace.tick()
    assert workspace.state.picture.step == 5
    assert not workspace.tick()
    assert not done(workspace, workspace.point, out(0, 0)).picture.player.playing
    workspace.still = True
    assert done(workspace, workspace.play).picture.step == 6
    workspace.slow_down(1)
    workspace.slow_down(1)
    workspace.turn_unit(1)
    assert heard == [("seconds", 20.0), ("seconds", 60.0), ("unit", "run")]


def test_a_stage_that_plays_is_left_where_it_was_and_goes_on_hiding() -> None:
    now = [0.0]
    workspace = opened(rotate_half(), now=lambda: now[0])
    workspace.play()
    now[0] = 0.6
    workspace.tick()
    state = done(workspace, workspace.go_to_experiment, 1)  # which reads it
    assert (workspace.document.number, state.picture.step, state.picture.player.playing) == (0, 3, False)


def test_an_experiment_keeps_its_unit_while_it_is_broken() -> None:
    workspace = opened()
    done(workspace, workspace.turn_unit, 1)
    workspace.document.duplicate()
    workspace.experiments_changed()
    done(workspace, workspace.type_in_field, "Axis", "7")
    workspace.go_to_experiment(-1)
    done(workspace, workspace.turn_unit, 1)
    workspace.go_to_experiment(1)
    assert done(workspace, workspace.undo).picture.player.unit == "run"


# ---- values in cells


def test_a_value_is_typed_where_the_element_has_it_from() -> None:
    workspace = opened()
    workspace.point(out(2, 0))
    assert workspace.cell_to_type() == workspace.picture.cursor == into(1, 0)
    workspace.point(into(2, 1))
    assert workspace.cell_to_type() == into(2, 1)


# ---- running


class Quiet:
    """A worker that says what it is told to."""

    def __init__(self) -> None:
        self.tell: Callable[[Running], None] | None = None
        self.cancelled = 0

    def start(self, experiment: object, tell: Callable[[Running], None]) -> None:
        self.tell = tell

    def cancel(self) -> None:
        self.cancelled += 1


def test_a_run_is_heard_until_it_is_cancelled_and_forgotten_with_the_desc() -> None:
    workspace, worker = opened(), Quiet()
    workspace.runs.runner = worker  # type: ignore[assignment]
    state = done(workspace, workspace.run)
    assert state.run.running.stage == "starting"
    assert BY_ID["kernel.cancel"].when(state)
    assert worker.tell is not None
    worker.tell(Running("timing"))
    assert workspace.runs.running.stage == "timing"
    late = worker.tell
    workspace.run()  # again cancels
    late(Running("timing"))
    assert not workspace.runs.running.busy
    assert worker.cancelled == 1
    workspace.run()
    worker.tell(Running(trouble="no"))
    workspace.write_notes("other", None)
    assert workspace.runs.running.trouble == "no"
    workspace.type_in_field("Axis", "1")
    assert workspace.runs.running == Running()
    workspace.type_in_field("Axis", "9")
    workspace.run()  # an invalid desc isn't run
    assert workspace.runs.running == Running()


INDICES = "IndicesTensor.values"


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
    assert done(workspace, workspace.picture.move, 0, 1).counts is None


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
    assert state.counts is None  # what was counted before is forgotten by then
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


EVERY = [each.name for each in examples.all_examples()]


def workspace_of(name: str) -> Workspace:
    return Workspace(Document(examples.example(name).session()))


def help_of(name: str, key: str) -> FieldHelp:
    return workspace_of(name).field_help(key)


def test_a_broken_rule_stands_first_with_its_numbers() -> None:
    broken = help_of("rule-axis-range", "Axis")
    assert broken.rules[0].id == "axis.range"
    assert broken.rules[0].severity is Severity.ERROR
    assert broken.rules[0].message == "Axis is 4, expected 0 to 3 because DimensionCount is 4."
    assert "auto" in help_of("gather-2", "OutputTensor").about


@pytest.mark.parametrize("name", EVERY)
def test_every_row_is_told_something_and_every_rule_by_some_row(name: str) -> None:
    for experiment in examples.example(name).session().experiments:
        space = Workspace(Document(Session((experiment,))))
        report, told = space.view.report, set()
        for row in space.state.form.rows:
            found = space.field_help(row.key)
            assert found.about.endswith(".")
            told |= {rule.id for rule in found.rules}
            for rule in found.rules:
                of_id = [check.ok for check in report.checks if check.id == rule.id]
                assert (rule.severity is None) in of_id
        assert {check.id for check in report.checks} <= told


def trace_of(workspace: Workspace) -> Trace:
    assert workspace.view.trace is not None
    return workspace.view.trace


def test_at_a_step_colours_are_told_of_what_is_written_alone() -> None:
    workspace = opened(rotate_half(), 1)
    wanted = [4, 5, 6, 7, 0, 1, 2, 3]
    for step in range(9):
        known, trace = done(workspace, workspace.go, step).picture.known, trace_of(workspace)
        assert [known.identity(trace, out(0, k)) for k in range(8)] == [*wanted[:step], *[-1] * (8 - step)]
