"""The explorer without a screen: what a user does is a call, and what is shown then is its state."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from hypothesis import HealthCheck, given
from hypothesis import strategies as st
from support.cursors import into, out
from support.desks import done
from support.effort import tried

from dmlviz.operators.registry import operators
from dmlviz.scene.steps.player import Player
from dmlviz.session import examples
from dmlviz.session.document import Document
from dmlviz.session.recent_files import Recent
from dmlviz.widgets.lib.commands import BY_ID, COMMANDS
from dmlviz.worker.states import Running
from dmlviz.workspace.explorer.workspace import Workspace
from dmlviz.workspace.shown.picture import Room

ROOM = Room(74, 20)
NAMES = sorted(each.name for each in examples.all_examples())


def opened(name: str = "gather-2", **more: object) -> Workspace:
    workspace = Workspace(Document(examples.example(name).session()), **more)  # type: ignore[arg-type]
    workspace.fit(ROOM)
    return workspace


# ---- the form, rules and fixes


def test_what_is_typed_is_an_edit_or_a_sentence() -> None:
    workspace = opened()
    before = workspace.state
    state = done(workspace, workspace.type_in_field, "Axis", "x")
    assert state.form.errors["Axis"].startswith("Axis has")
    assert state.form.broken["Axis"] == "error"
    assert state.view is before.view
    assert not workspace.document.dirty
    workspace.type_in_field("InputTensor", "y")
    assert set(done(workspace, workspace.leave_fields, but="InputTensor").form.errors) == {"InputTensor"}
    assert not done(workspace, workspace.leave_fields).form.errors
    workspace.type_in_field("Axis", "1")
    assert workspace.document.dirty
    assert workspace.experiment.desc.get("Axis") == 1


def test_edits_of_one_field_undo_as_one_and_nothing_else_is_touched() -> None:
    workspace = opened()
    first, doc = workspace.experiment, workspace.document
    for text in ("4, 2", "5, 2", "6, 2"):
        workspace.type_in_field("InputTensor", text)
    workspace.leave_fields()
    workspace.type_in_field("Axis", "1")
    workspace.undo()
    assert workspace.experiment.desc.get("InputTensor").sizes == (6, 2)
    for _ in range(2):  # the second one finds nothing
        workspace.undo()
        assert workspace.experiment is first
        assert (bool(doc.past), bool(doc.future), doc.dirty) == (False, True, False)
    workspace.redo()
    assert workspace.experiment.desc.get("InputTensor").sizes == (6, 2)


def test_a_fix_mends_what_it_says_and_undo_takes_it_back() -> None:
    workspace = opened()
    state = done(workspace, workspace.type_in_field, "Axis", "7")
    assert (state.view.report.ok, state.view.mark, state.picture.live, state.chosen) == (False, "stale", False, 0)
    assert BY_ID["fix.first"].when(state)
    assert not BY_ID["fix.9"].when(state)
    mended = done(workspace, workspace.mend, -1)
    assert mended.view.report.ok
    assert mended.form.refill > state.form.refill
    assert not done(workspace, workspace.undo).view.report.ok
    past = len(workspace.document.past)
    workspace.mend(8)  # there is no ninth
    assert len(workspace.document.past) == past


# ---- the picture and its steps


def test_the_cursor_the_source_and_the_lane_belong_together() -> None:
    workspace = opened()
    state = done(workspace, workspace.point, out(2, 0))
    assert state.picture.cursor == out(2, 0)
    assert state.picture.moving is not None
    assert state.picture.moving.source == into(1, 0)
    before = state.picture.reveal
    state = done(workspace, workspace.point, out(9, 9))  # no such element
    assert (state.picture.cursor, state.picture.reveal) == (out(2, 0), before)


@tried(60, suppress_health_check=[*HealthCheck])
@given(st.sampled_from([name for name in NAMES if not name.startswith(("rule", "erratum"))]), st.data())
def test_a_step_is_a_function_of_its_number(name: str, data: st.DataObject) -> None:
    """Whatever way leads to a step, the same is shown there."""
    workspace = opened(name)
    if not workspace.state.picture.live or workspace.state.picture.steps is None:
        return
    for _ in range(data.draw(st.integers(0, 3))):
        workspace.turn_unit(1)
    steps = workspace.state.picture.steps
    assert steps is not None
    at = data.draw(st.integers(0, steps.count))
    direct, number = done(workspace, workspace.go, at).picture, workspace.document.number
    workspace.step(data.draw(st.integers(-9, 9)))  # at the end of a chain's stage, that goes to another
    workspace.go_to_experiment(number - workspace.document.number)
    again = done(workspace, workspace.go, at).picture
    assert (direct.step, direct.cursor, direct.links) == (again.step, again.cursor, again.links)
    assert done(workspace, workspace.picture.go_by, -(10**9)).picture.step == 0
    assert done(workspace, workspace.picture.go_last).picture.step == steps.count


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


# ---- values in cells


def test_a_value_is_typed_where_the_element_has_it_from() -> None:
    workspace = opened()
    workspace.point(out(2, 0))
    assert workspace.cell_to_type() == workspace.picture.cursor == into(1, 0)
    workspace.point(into(2, 1))
    assert workspace.cell_to_type() == into(2, 1)


# ---- sessions


def test_what_was_open_last_and_can_not_be_kept_is_told_once(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    workspace = opened(recent=Recent(tmp_path / "file" / "recent.json"))
    workspace.document.example = "gather-2"
    workspace.type_in_field("Axis", "1")
    assert "can't be written" in workspace.notices()[0]
    workspace.type_in_field("Axis", "0")
    assert not workspace.notices()


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


# ---- anything at all


ACTS: tuple[Callable[[Workspace, int], object], ...] = (
    lambda w, n: w.step(n - 5),
    lambda w, n: w.go(n),
    lambda w, n: w.turn_unit(n % 3 - 1),
    lambda w, n: w.picture.turn_zoom(n % 3 - 1),
    lambda w, n: w.turn_memory(),
    lambda w, n: w.picture.to_next_tensor(),
    lambda w, n: w.picture.show_whole(),
    lambda w, n: w.play(),
    lambda w, n: w.tick(),
    lambda w, n: w.mend(n % 4 - 1),
    lambda w, n: w.look_at_next_reason(),
    lambda w, n: w.undo(),
    lambda w, n: w.redo(),
    lambda w, n: w.cell_to_type(),
    lambda w, n: w.go_to_experiment(n),
    lambda w, n: w.type_in_field("Operator", sorted(o.name for o in operators().values())[n % 5]),
    lambda w, n: w.type_in_field(w.state.form.rows[n % len(w.state.form.rows)].key, ["", "1", "2, 2", "x", "0"][n % 5]),
    lambda w, n: w.grow("InputTensors[0]", 1 if n % 2 else -1),
    lambda w, n: w.leave_fields(),
    lambda w, n: w.compare(marked=True),
    lambda w, n: w.fit(Room(20 + 5 * n, 4 + 2 * n, n % 2 == 0)),
)


@tried(150, suppress_health_check=[*HealthCheck])
@given(st.sampled_from(NAMES), st.lists(st.tuples(st.integers(0, len(ACTS) - 1), st.integers(0, 20)), max_size=30))
def test_whatever_is_done_the_state_is_whole(name: str, acts: list[tuple[int, int]]) -> None:
    workspace = opened(name)
    for act, number in [*acts, (len(ACTS) - 1, 10)]:
        ACTS[act](workspace, number)  # raises nothing
        state = workspace.state
        picture = state.picture
        assert picture.trace is state.view.trace
        assert set(state.form.broken) <= {row.key for row in state.form.rows}
        assert picture.moving is None or picture.live
        for command in COMMANDS:
            command.when(state)
    while workspace.document.past:
        workspace.undo()
    assert workspace.document.session == examples.example(name).session()
