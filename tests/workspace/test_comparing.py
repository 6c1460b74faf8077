"""Two outputs of a session compared: what can be meant, what is said, where the cursor goes, and what stays hidden."""

from __future__ import annotations

import numpy as np
import pytest
from support.chain_sessions import giant, looked_up, rotate_half, session_of, stage, tensor
from support.cursors import out

from dmlviz.errors import DmlvizError
from dmlviz.operators.maps import Place
from dmlviz.session import examples
from dmlviz.session.document import Document
from dmlviz.session.experiments import Session
from dmlviz.workspace.explorer.comparing import meant
from dmlviz.workspace.explorer.workspace import Workspace
from dmlviz.workspace.shown.chain_state import ComparisonState
from dmlviz.workspace.shown.picture import Room

LOW = Room(74, 20)


def at(session: Session, name: str, room: Room = LOW, example: str | None = None) -> Workspace:
    document = Document(session)
    document.example = example
    workspace = Workspace(document)
    number = next(k for k, one in enumerate(session.experiments) if one.name == name)
    workspace.go_to_experiment(number - workspace.document.number)
    workspace.fit(room)
    return workspace


def rows_in_two_orders(room: Room = LOW) -> Workspace:
    return at(examples.example("chain-tile-or-join-first").session(), "joined, then tiled", room)


def compared(workspace: Workspace, name: str = "") -> ComparisonState:
    """The verdict on what is meant, or on the first output of an experiment."""
    choices = workspace.compare_choices()
    chosen = next((one for one in choices if name and one.text.startswith(name)), None) or meant(choices)
    assert chosen is not None
    workspace.compare_with(chosen)
    return decided(workspace)


def decided(workspace: Workspace) -> ComparisonState:
    """Lets what waits be decided, as a thread does."""
    asked = workspace.comparison_job()
    if asked is not None:
        workspace.compared(asked[1]())
    assert workspace.comparison_job() is None
    return told(workspace)


def told(workspace: Workspace) -> ComparisonState:
    assert workspace.state.comparison is not None
    return workspace.state.comparison


def marked(workspace: Workspace) -> list[int]:
    differs, count = workspace.state.picture.look.differs, workspace.experiment.desc.outputs[0].tensor.element_count
    return [] if differs is None else np.flatnonzero(differs(Place(True, 0), np.arange(count))).tolist()


def test_the_one_that_can_be_meant_is_told_where_it_differs_first() -> None:
    workspace = rows_in_two_orders()
    state = compared(workspace)
    assert state.mark == "≠"
    reads = "InputTensors[1][0,0] of joined here and InputTensor[0,0] of first twice there"
    matched = "InputTensors[0] of joined and InputTensor of first twice for one input, as they hold the same values"
    assert state.sentence == (
        f"Different: joined, then tiled[0,2] reads {reads}: taking {matched}, and 1 more likewise."
    )
    assert state.keys == "] next of 4 · = the other · esc leaves"
    assert workspace.state.picture.cursor == out(0, 2)
    assert marked(workspace) == [2, 3, 4, 5]
    assert state.path is not None
    assert tuple(f"{line.left} {line.right}" for line in state.path.brief) == (
        "here  ⇠ joined[0,2] ⇠ InputTensors[1][0,0] = 3",
        "there ⇠ first twice[0,2] ⇠ InputTensor[0,0] of first twice = 1",
    )


def test_keys_go_from_one_that_differs_to_the_next_and_to_the_other_chain() -> None:
    workspace = rows_in_two_orders()
    compared(workspace)
    seen = []
    for by in (1, 1, 1, 1, -1, -1, 0):
        workspace.go_to_difference(by)
        assert workspace.state.picture.cursor is not None
        seen.append(workspace.state.picture.cursor.index[1])
    assert seen == [3, 4, 5, 2, 5, 4, 2]
    workspace.go_to_bookmark(1)
    reads = (
        "joined, then tiled[0,3] reads InputTensors[1][0,1] of joined here and InputTensor[0,1] of first twice there"
    )
    assert told(workspace).sentence.startswith(f"Different, 2 of 4: {reads}: taking")
    workspace.point(out(0, 7))
    assert told(workspace).sentence.startswith("Different: joined, then tiled[0,2] reads")
    workspace.point(out(0, 3))
    workspace.turn_comparison()
    workspace.fit(LOW)
    state = decided(workspace)
    assert (workspace.experiment.name, workspace.state.picture.cursor) == ("tiled, then joined", out(0, 3))
    assert state.sentence.startswith("Different, 2 of 4: tiled, then joined[0,3] reads InputTensor[0,1] of first twice")
    assert state.path is not None
    assert (
        f"{state.path.brief[0].left} {state.path.brief[0].right}"
        == "here  ⇠ first twice[0,3] ⇠ InputTensor[0,1] of first twice = 2"
    )
    line = next(line for line in state.path.lines if line.left == "joined[0,3]")
    assert workspace.go_to_element(line.leads[0].stage, line.leads[0].cursor).comparison is None
    assert (workspace.experiment.name, workspace.state.picture.cursor) == ("joined", out(0, 3))
    workspace.step_stage(1)
    workspace.fit(LOW)
    assert told(workspace).mark == "≠"
    workspace.pin(None)
    assert (workspace.state.comparison, marked(workspace), workspace.state.path) == (None, [], None)


def test_an_edit_has_it_decided_anew() -> None:
    workspace = rows_in_two_orders()
    compared(workspace)
    workspace.turn_comparison()
    workspace.fit(LOW)
    workspace.type_in_field("FeatureLevel", "5_0")
    assert told(workspace).waits
    assert told(workspace).path is None
    assert decided(workspace).mark == "≠"
    workspace.go_to_experiment(2)
    workspace.type_in_field("Repeats", "1, 3")
    workspace.fit(LOW)
    assert decided(workspace).sentence == "Different: Sizes is {1, 12} here and {1, 8} there."
    assert marked(workspace) == []
    workspace.undo()
    workspace.fit(LOW)
    assert decided(workspace).mark == "≠"


def test_it_ends_with_the_experiment_that_it_is_of() -> None:
    workspace = rows_in_two_orders()
    workspace.add_stage("DML_OPERATOR_TILE")
    workspace.type_in_field("Repeats", "1, 1")
    workspace.fit(LOW)
    assert compared(workspace, "joined, then tiled").mark == "="
    assert told(workspace).path is not None
    workspace.undo()
    workspace.undo()
    for by in range(5):
        workspace.go_to_experiment(by)
        workspace.fit(LOW)
        assert (workspace.state.comparison, workspace.state.path, marked(workspace)) == (None, None, [])


def chosen_from(*picked: int) -> Session:
    """`ids` ▸ `rows`, and `twice`: the same rows, whose indices a list has."""
    direct = {
        "InputTensor": tensor(3, 2),
        "IndicesTensor": tensor(1, 3, kind="INT32"),
        "OutputTensor": tensor(3, 2),
        "Axis": 0,
        "IndexDimensions": 1,
    }
    one = stage("direct", "GATHER", direct)
    one["values"] = {"IndicesTensor": [list(picked)]}
    return Session((*looked_up().experiments, *session_of(one).experiments))


@pytest.mark.parametrize(
    ("session", "name", "other", "mark", "says"),
    [
        (chosen_from(0, 2, 0), "rows", "direct", "=", "The same map, for these index values"),
        (chosen_from(0, 2, 1), "rows", "direct", "≠", "Different: rows[2,0] reads InputTensor[0,0] of rows here and"),
    ],
)
def test_each_answer_has_its_sign(session: Session, name: str, other: str, mark: str, says: str) -> None:
    workspace = at(session, name)
    state = compared(workspace, other)
    assert state.mark == mark
    assert state.sentence.startswith(says)
    assert state.differs is bool(marked(workspace)) is (mark == "≠")


def test_nothing_is_told_before_all_of_it_is_written() -> None:
    workspace = rows_in_two_orders()
    assert compared(workspace).differs
    for step in range(8):
        state = workspace.go(step)
        assert told(workspace).sentence.startswith('"joined, then tiled" is not written yet')
        assert (told(workspace).path, told(workspace).differs) == (None, False)
        assert state.picture.look.differs is None
        workspace.go_to_difference(1)
        assert workspace.state.picture.step == step
    assert workspace.go(8).comparison is not None
    assert told(workspace).mark == "≠"
    workspace.leave_comparison()
    workspace.go(2)
    with pytest.raises(DmlvizError, match="is not written yet"):
        workspace.compare_choices()


def test_what_an_open_question_asks_is_not_told_from_either_side() -> None:
    plain = rotate_half()
    asked = examples.example("chain-rotate-half").session()
    workspace = at(asked, "twice", example="chain-rotate-half")
    assert workspace.state.cover
    with pytest.raises(DmlvizError, match='"twice" is not written yet'):
        workspace.compare_choices()
    workspace = at(asked, "swapped", example="chain-rotate-half")
    choice = next(one for one in workspace.compare_choices() if one.text.startswith("twice"))
    assert choice.remark == "other sizes"
    workspace.compare_with(choice)
    assert workspace.comparison_job() is None
    said = '"twice" is not written yet: '
    assert told(workspace).sentence == f"{said}press =, then end, which writes all of it."
    workspace.turn_comparison()
    workspace.fit(LOW)
    assert told(workspace).sentence == f"{said}end writes all of it."
    workspace.go_last()
    assert decided(workspace).mark == "≠"
    assert compared(at(plain, "swapped"), "twice").mark == "≠"


def test_the_keys_are_told_that_lead_to_what_is_not_written() -> None:
    workspace = at(examples.example("chain-rotate-half").session(), "halves", example="chain-rotate-half")
    for keys in ("press } 2 times, then end,", "press }, then end,", "end writes all of it,"):
        with pytest.raises(DmlvizError, match=f'"twice" is not written yet: {keys}'):
            workspace.simpler()
        workspace.step_stage(1)
        workspace.fit(LOW)
    workspace.go_last()
    assert workspace.simpler()()


def test_giants_are_compared_in_windows() -> None:
    n = 65535
    session = giant()
    turn = {
        "InputTensor": tensor(n, n, kind="UINT8"),
        "SequenceLengthsTensor": tensor(n, 1, kind="UINT32"),
        "Axis": 1,
    }
    other = session_of(
        stage("swapped", "JOIN", {"InputTensors": [tensor(n, n, kind="UINT8")], "Axis": 1}),
        stage("again", "REVERSE_SUBSEQUENCES", turn, InputTensor=("swapped", "OutputTensor")),
    ).experiments[1]
    workspace = at(Session((*session.experiments, other)), "turned")
    assert compared(workspace, "again").mark == "="
    workspace.leave_comparison()
    state = compared(workspace, "swapped")
    assert state.differs
    assert state.keys == "] next · = the other · esc leaves"
    workspace.go_to_difference(1)
    assert workspace.state.picture.cursor is not None


def test_of_several_that_fit_none_is_meant_and_those_that_don_t_come_last() -> None:
    session = rotate_half()
    choices = at(session, "twice").compare_choices()
    assert meant(choices) is None
    assert [one.text.split("  ")[0] for one in choices] == [
        "halves OutputTensors[0]",
        "halves OutputTensors[1]",
        "swapped",
    ]
    assert {one.remark for one in choices} == {"other sizes"}
    with pytest.raises(DmlvizError, match="no other valid experiment"):
        at(Session(session.experiments[:1]), "halves").compare_choices()
