"""The explorer without a screen: what a user does is a call, and what is shown then is the state that it yields."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st
from support.cursors import into, out
from support.effort import tried

from dmlviz.desc.levels import FeatureLevel
from dmlviz.errors import DmlvizError, SessionError
from dmlviz.operators.registry import operators
from dmlviz.scene.elements.cursor import is_inside
from dmlviz.scene.layout.zoom import Zoom
from dmlviz.scene.steps.player import Player
from dmlviz.session import examples
from dmlviz.session.document import Document
from dmlviz.session.experiments import Session
from dmlviz.session.recent_files import Recent
from dmlviz.widgets.lib.commands import BY_ID, COMMANDS
from dmlviz.worker.states import Running
from dmlviz.workspace.explorer.workspace import Workspace
from dmlviz.workspace.form.form_edits import edited
from dmlviz.workspace.shown.picture import Room
from dmlviz.workspace.shown.state import State

ROOM = Room(74, 20)
NAMES = sorted(each.name for each in examples.all_examples())


def opened(name: str = "gather-2", **more: object) -> Workspace:
    workspace = Workspace(Document(examples.example(name).session()), **more)  # type: ignore[arg-type]
    workspace.fit(ROOM)
    return workspace


def fitted(workspace: Workspace, state: State) -> State:
    """The state once the picture has its room, as a screen gives it."""
    return workspace.fit(ROOM) if state.unfitted else state


def test_it_knows_no_screen() -> None:
    code = "import sys, dmlviz.workspace.explorer.workspace; print(*{'textual', 'rich', 'numba'} & set(sys.modules))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "\n"


@pytest.mark.parametrize("name", NAMES)
def test_every_example_has_a_state_that_nothing_is_missing_of(name: str) -> None:
    workspace = opened(name)
    state = workspace.state
    assert not state.unfitted
    assert (state.view.report.ok is not False) is (state.chosen is None or not state.view.why.errors)
    assert (state.picture.scene is None) is (state.view.trace is None)
    assert not state.document.dirty
    assert not state.document.undoable
    assert not state.document.redoable
    assert state.form.rows[0].key == "Operator"
    for command in COMMANDS:
        command.when(state)  # never raises


# ---- the form


def test_what_is_typed_is_an_edit_or_a_sentence() -> None:
    workspace = opened()
    before = workspace.state
    state = workspace.type_in_field("Axis", "x")
    assert state.form.errors["Axis"].startswith("Axis has")
    assert state.form.broken["Axis"] == "error"
    assert state.view is before.view
    assert state.picture is before.picture
    assert not state.document.dirty
    state = workspace.type_in_field("Axis", "1")
    assert not state.form.errors
    assert state.document.dirty
    assert workspace.experiment.desc.get("Axis") == 1


def test_what_could_not_be_read_goes_with_the_focus() -> None:
    workspace = opened()
    workspace.type_in_field("Axis", "x")
    workspace.type_in_field("InputTensor", "y")
    assert set(workspace.leave_field("Axis").form.errors) == {"InputTensor"}
    assert set(workspace.leave_fields(but="InputTensor").form.errors) == {"InputTensor"}
    assert not workspace.leave_fields(but="").form.errors


def test_edits_of_one_field_undo_as_one_and_nothing_else_is_touched() -> None:
    workspace = opened()
    first = workspace.experiment
    for text in ("4, 2", "5, 2", "6, 2"):
        workspace.type_in_field("InputTensor", text)
    workspace.leave_field("InputTensor")
    workspace.type_in_field("Axis", "1")
    assert workspace.undo().document.experiment.desc.get("InputTensor").sizes == (6, 2)
    state = workspace.undo()
    assert state.document.experiment is first
    assert (state.document.undoable, state.document.redoable, state.document.dirty) == (False, True, False)
    assert workspace.undo().document.experiment is first
    assert workspace.redo().document.experiment.desc.get("InputTensor").sizes == (6, 2)


def test_another_operator_is_its_first_example_at_a_level_that_has_it() -> None:
    workspace = opened()
    workspace.choose_level(FeatureLevel.of("1_0"))
    for operator in operators().values():
        state = workspace.type_in_field("Operator", operator.name)
        assert state.document.experiment.desc.TYPE == operator.desc.TYPE
        assert state.view.report.ok
        state = fitted(workspace, state)
        assert state.picture.live


def test_tensors_come_go_and_move_with_their_values() -> None:
    workspace = opened("join-1")
    workspace.type_in_field("InputTensors[0].values", "constant 7")
    assert len(workspace.grow("InputTensors[1]", 1).document.experiment.desc.get("InputTensors")) == 3
    moved = workspace.move_tensor("InputTensors[0]", 2)
    assert "InputTensors[2]" in moved.document.experiment.values
    workspace.grow("InputTensors[2]", -1)
    assert "InputTensors[2]" not in workspace.experiment.values
    same = workspace.experiment
    for key in ("", "Axis", "InputTensor"):  # of no array
        assert workspace.grow(key, 1).document.experiment == same


# ---- rules and fixes


def test_a_fix_mends_what_it_says_and_undo_takes_it_back() -> None:
    workspace = opened()
    state = workspace.type_in_field("Axis", "7")
    assert not state.view.report.ok
    assert state.view.mark == "stale"
    assert not state.picture.live
    assert state.chosen == 0
    assert BY_ID["fix.first"].when(state)
    assert not BY_ID["fix.9"].when(state)
    mended = workspace.mend(-1)
    assert mended.view.report.ok
    assert mended.form.refill == state.form.refill + 1
    assert not workspace.undo().view.report.ok
    assert workspace.mend(8).document is workspace.state.document  # there is no ninth


def test_f3_leads_to_one_row_after_the_other_and_begins_again() -> None:
    workspace = opened("rule-sizes-match")
    workspace.type_in_field("Axis", "9")
    workspace.type_in_field("InputTensors[0]", "z")
    count = len(workspace.state.view.why.reasons) + 1
    rows = [workspace.look_at_next_reason().row for _ in range(2 * count)]
    assert rows[0] == "InputTensors[0]"
    assert rows[:count] == rows[count:]
    assert set(rows) <= {row.key for row in workspace.state.form.rows}
    assert workspace.leave_fields(but="").row == ""  # an act of its own says nothing of it


# ---- the picture


def test_the_cursor_the_source_and_the_lane_belong_together() -> None:
    workspace = opened()
    state = workspace.point(out(2, 0))
    assert state.picture.cursor == out(2, 0)
    assert state.picture.moving is not None
    assert state.picture.moving.source == into(1, 0)
    assert state.picture.revealed[-1] == out(2, 0)
    before = state.picture.reveal
    assert workspace.point(out(9, 9)).picture.cursor == out(2, 0)  # no such element
    assert workspace.state.picture.reveal == before
    assert workspace.point(into(1, 0)).picture.moving.target == out(1, 0)  # type: ignore[union-attr]


@tried(60, suppress_health_check=[*HealthCheck])
@given(st.sampled_from([name for name in NAMES if not name.startswith(("rule", "erratum"))]), st.data())
def test_a_step_is_a_function_of_its_number(name: str, data: st.DataObject) -> None:
    """Whatever way leads to a step, the same is shown there; one back from the next is where one was."""
    workspace = opened(name)
    if not workspace.state.picture.live or workspace.state.picture.steps is None:
        return
    for _ in range(data.draw(st.integers(0, 3))):
        workspace.turn_unit(1)
    steps = workspace.state.picture.steps
    assert steps is not None
    at = data.draw(st.integers(0, steps.count))
    direct = workspace.go(at).picture
    workspace.go_by(data.draw(st.integers(-9, 9)))
    workspace.scrub(data.draw(st.floats(0, 1)))
    again = workspace.go(at).picture
    assert (direct.step, direct.cursor, direct.links) == (again.step, again.cursor, again.links)
    assert workspace.go_by(-(10**9)).picture.step == 0
    assert workspace.go_last().picture.step == steps.count


def test_playing_keeps_the_time_that_it_is_told() -> None:
    heard: list[tuple[str, object]] = []
    workspace = opened(player=Player(seconds=8.0), prefer=lambda name, value: heard.append((name, value)))
    state = workspace.play_or_pause(100.0)
    assert state.picture.player.playing
    assert workspace.tick(100.0) is not None
    state = workspace.tick(104.5)  # type: ignore[assignment]
    assert state.picture.step == 5
    assert workspace.tick(104.5) is None
    assert workspace.point(out(0, 0)).picture.player.playing is False
    assert workspace.play_or_pause(0.0, still=True).picture.step == 6
    assert workspace.slow_down(1, 0.0).picture.player.seconds == 20.0
    assert workspace.next_speed(0.0).picture.player.seconds == 60.0
    workspace.turn_unit(1)
    assert heard == [("seconds", 20.0), ("seconds", 60.0), ("unit", "run")]


def test_zoom_and_memory_are_the_users_and_another_operator_begins_anew() -> None:
    workspace = opened()
    first = workspace.state.picture.scene
    assert first is not None
    assert workspace.turn_zoom(1).picture.scene.zoom is first.zoom.further(1)  # type: ignore[union-attr]
    shown = workspace.state.picture.shows_memory
    assert workspace.turn_memory().picture.shows_memory is not shown
    fitted(workspace, workspace.type_in_field("Operator", "TILE"))
    assert workspace.picture.zoom is None
    assert opened(zoom=Zoom.BLOCKS).state.picture.scene.zoom is Zoom.BLOCKS  # type: ignore[union-attr]


def test_a_picture_waits_for_its_room_and_keeps_the_last_one_until_then() -> None:
    workspace = opened()
    before = workspace.state.picture
    state = workspace.type_in_field("InputTensor", "5, 2")
    assert state.unfitted
    assert state.picture is before
    state = workspace.fit(ROOM)
    assert not state.unfitted
    assert state.picture.trace is state.view.trace
    assert workspace.fit(ROOM).picture is state.picture  # nothing changed, so nothing is drawn


# ---- values in cells


def test_values_are_typed_cell_by_cell() -> None:
    workspace = opened()
    workspace.point(out(2, 0))
    state = workspace.type_value()
    assert state.cell is not None
    assert state.cell.cursor == into(1, 0)
    assert "takes its value from here" in state.cell.sentence
    state = workspace.set_value("zwei", 1)
    assert state.cell is not None
    assert state.cell.cursor == into(1, 0)
    assert "zwei" in state.cell.sentence
    state = fitted(workspace, workspace.set_value("9", 1))
    assert state.cell is not None
    assert state.cell.cursor == into(1, 1)
    state = fitted(workspace, workspace.undo())
    assert workspace.leave_cell().cell is None
    assert workspace.experiment == examples.example("gather-2").session().experiments[0]


def test_behind_the_last_cell_there_is_none() -> None:
    workspace = opened()
    workspace.point(into(2, 1))
    workspace.type_value()
    assert workspace.set_value("6", 1).cell is None


# ---- sessions


def test_another_session_keeps_nothing_of_the_one_before() -> None:
    workspace = opened()
    workspace.go(2)
    workspace.type_in_field("Axis", "x")
    state = fitted(workspace, workspace.open(Document(examples.example("gather-2").session())))
    assert not state.form.errors
    assert state.picture.step is None


def test_saving_raises_a_sentence_and_loses_nothing(tmp_path: Path) -> None:
    workspace = opened()
    workspace.type_in_field("Axis", "1")
    with pytest.raises(SessionError):
        workspace.save(tmp_path / "no" / "such.json")
    assert workspace.state.document.dirty
    state = workspace.save(tmp_path / "lesson.json")
    assert not state.document.dirty
    assert state.document.undoable


def test_notes_and_titles_change_no_picture() -> None:
    workspace = opened()
    before = workspace.state.picture
    key = object()
    for text in ("a", "ab"):
        state = workspace.write_notes(text, key)
    workspace.write_title("t", key)
    assert state.picture is before
    assert state.document.experiment.notes == "ab"


def test_what_was_open_last_and_can_not_be_kept_is_told_once(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    workspace = opened(recent=Recent(tmp_path / "file" / "recent.json"))
    workspace.document.example = "gather-2"
    assert "can't be written" in workspace.type_in_field("Axis", "1").notices[0]
    assert workspace.type_in_field("Axis", "0").notices == ()


def test_what_comes_in_is_added_as_one_edit() -> None:
    workspace = opened()
    found = [each for name in ("tile-1", "join-1") for each in examples.example(name).session().experiments]
    state = workspace.add_experiments(found)
    assert (state.document.number, state.document.count) == (1, 1 + len(found))
    assert BY_ID["session.next"].when(state)
    assert workspace.undo().document.count == 1


# ---- running


class Quiet:
    """A worker that says what it is told to."""

    def __init__(self) -> None:
        self.tell: Callable[[Running], None] | None = None
        self.cancelled = 0

    def readiness(self, name: str) -> None:
        return None

    def warm(self, *_: object) -> bool:
        return False

    def start(self, experiment: object, tell: Callable[[Running], None]) -> None:
        self.tell = tell

    def cancel(self) -> None:
        self.cancelled += 1

    def close(self) -> None:
        self.tell = None


def test_a_run_is_heard_until_it_is_cancelled_and_forgotten_with_the_desc() -> None:
    workspace, worker, heard = opened(), Quiet(), list[tuple[int, Running]]()
    workspace.runs.runner = worker  # type: ignore[assignment]

    def tell(number: int, running: Running) -> None:
        heard.append((number, running))

    state = workspace.run(tell, lambda readiness: None)
    assert state.run.running.stage == "starting"
    assert BY_ID["kernel.cancel"].when(state)
    assert worker.tell is not None
    worker.tell(Running("timing"))
    assert workspace.heard_run(*heard[-1]).run.running.stage == "timing"
    state = workspace.run(tell, lambda readiness: None)  # again cancels
    assert not state.run.running.busy
    assert worker.cancelled == 1
    assert not workspace.heard_run(*heard[-1]).run.running.busy  # a late word
    workspace.run(tell, lambda readiness: None)
    worker.tell(Running(trouble="no"))
    assert workspace.heard_run(*heard[-1]).run.running.trouble == "no"
    assert workspace.write_notes("other", None).run.running.trouble == "no"
    assert workspace.type_in_field("Axis", "1").run.running.trouble == ""
    workspace.runs.runner.close()
    assert worker.tell is None


def test_an_invalid_desc_is_not_run() -> None:
    workspace, worker = opened("gather-3-as-printed"), Quiet()
    workspace.runs.runner = worker  # type: ignore[assignment]
    assert not workspace.run(lambda *_: None, lambda _: None).run.running.busy
    assert worker.tell is None


# ---- anything at all


ACTS: tuple[Callable[[Workspace, int], State | None], ...] = (
    lambda w, n: w.go_by(n - 5),
    lambda w, n: w.scrub(n / 20),
    lambda w, n: w.turn_unit(n % 3 - 1),
    lambda w, n: w.turn_zoom(n % 3 - 1),
    lambda w, n: w.turn_memory(),
    lambda w, n: w.point(w.state.picture.cursor) if w.state.picture.cursor is not None else None,
    lambda w, n: w.show_whole() if n % 3 == 0 else None,
    lambda w, n: w.play_or_pause(float(n), still=n % 4 == 0),
    lambda w, n: w.tick(float(n)),
    lambda w, n: w.mend(n % 4 - 1),
    lambda w, n: w.look_at_next_reason(),
    lambda w, n: w.undo(),
    lambda w, n: w.redo(),
    lambda w, n: w.type_value(),
    lambda w, n: w.set_value(str(n), n % 3 - 1),
    lambda w, n: w.leave_cell(),
    lambda w, n: w.go_to_experiment(n),
    lambda w, n: w.type_in_field("Operator", sorted(o.name for o in operators().values())[n % 5]),
    lambda w, n: w.type_in_field(w.state.form.rows[n % len(w.state.form.rows)].key, ["", "1", "2, 2", "x", "0"][n % 5]),
    lambda w, n: w.grow("InputTensors[0]", 1 if n % 2 else -1),
    lambda w, n: w.leave_fields(but=""),
    lambda w, n: w.fit(Room(20 + 5 * n, 4 + 2 * n, n % 2 == 0)),
)


@tried(150, suppress_health_check=[*HealthCheck])
@given(st.sampled_from(NAMES), st.lists(st.tuples(st.integers(0, len(ACTS) - 1), st.integers(0, 20)), max_size=30))
def test_whatever_is_done_the_state_is_whole(name: str, acts: list[tuple[int, int]]) -> None:
    workspace = opened(name)
    for act, number in acts:
        try:
            state = ACTS[act](workspace, number)
        except DmlvizError as error:
            raise AssertionError("an act of the form or of the picture raises nothing") from error
        if state is None:
            continue
        if state.cell is not None:
            trace = state.view.trace
            assert trace is not None
            assert is_inside(trace, state.cell.cursor)
        if number == 13:
            continue  # the next act comes before the layout
        state = fitted(workspace, state)
        picture = state.picture
        assert picture.trace is state.view.trace
        assert set(state.form.broken) <= {row.key for row in state.form.rows}
        assert state.document.experiment is workspace.document.experiment
        assert picture.moving is None or picture.live
        if state.cell is not None:
            assert state.cell.cursor == picture.cursor
        for command in COMMANDS:
            command.when(state)
    while workspace.state.document.undoable:
        workspace.undo()
    assert workspace.document.session == examples.example(name).session()
    assert isinstance(workspace.document.session, Session)


def test_every_row_of_the_form_can_be_typed_as_it_stands() -> None:
    """What a row says of itself is what it reads."""
    for name in NAMES:
        experiment = opened(name).experiment
        for row in opened(name).state.form.rows:
            if row.text and row.key not in ("Operator", "DataType") and not row.adds and " values" not in row.text:
                if row.text.startswith("file "):
                    continue
                assert edited(experiment, row.key, row.text).desc == experiment.desc, (name, row.key)
