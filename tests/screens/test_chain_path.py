"""The path of the cursor's element through a chain: its words, what it keeps to itself, and where it leads."""

from __future__ import annotations

import random
import re

import pytest
from support.chain_sessions import looked_up, rotate_half
from support.cursors import into, out
from support.desks import done
from support.driver import Driver, explore
from support.random_chains import random_chain

from dmlviz.operators.maps import Place
from dmlviz.scene.elements.cursor import Cursor
from dmlviz.session.document import Document
from dmlviz.session.experiments import Session
from dmlviz.workspace.explorer.workspace import Workspace
from dmlviz.workspace.shown.picture import Room
from dmlviz.workspace.shown.state import PathState, State

SIZES = [(80, 24), (120, 36)]
ROOM = Room(74, 20)


def opened(session: Session, stage: int = 0) -> Workspace:
    workspace = Workspace(Document(session))
    workspace.fit(ROOM)
    workspace.go_to_stage(stage)
    workspace.turn_path()
    return workspace


def path_of(state: State) -> PathState:
    assert state.chain is not None
    assert state.chain.path is not None
    return state.chain.path


def told(workspace: Workspace, cursor: Cursor) -> list[str]:
    lines = path_of(done(workspace, workspace.point, cursor)).lines
    return [" ".join(f"{line.left} {line.right} {line.why}".split()) for line in lines]


def test_it_goes_back_to_the_root_and_says_where_that_arrives() -> None:
    workspace = opened(rotate_half(), 2)
    assert told(workspace, out(0, 9)) == [
        "twice[0,9] ⇠ swapped[0,1] [0,9 % 8]",
        "swapped[0,1] ⇠ halves[1][0,1] [0][0,1 − 0]",
        "halves[1][0,1] ⇠ InputTensor[0,5] of halves [0,1 + 4]",
        "InputTensor[0,5] of halves goes to twice[0,1], twice[0,9] ×2",
    ]
    assert told(workspace, into(0, 1))[0] == "swapped[0,1] ⇠ halves[1][0,1] [0][0,1 − 0]"


def test_what_an_index_sends_and_what_never_arrives() -> None:
    workspace = opened(looked_up(), 1)
    assert told(workspace, out(0, 1)) == [
        "rows[0,1] ⇠ InputTensor[0,1] of rows [IndicesTensor[0,0],1]",
        "InputTensor[0,1] of rows goes to rows[0,1], rows[2,1] ×2",
    ]
    workspace.step_stage(-1)
    assert told(workspace, into(2))[0] == "InputTensor[2] of ids never arrives in rows ×0"
    to = "rows[0,0], rows[0,1], rows[2,0] and 1 more"
    assert told(workspace, into(1))[0] == f"InputTensor[1] of ids has its say in {to} ×4"


def test_nothing_is_told_of_what_is_not_written() -> None:
    workspace = opened(rotate_half(), 1)
    workspace.go(2)
    assert told(workspace, out(0, 1))[-1] == "InputTensor[0,5] of halves goes on to what is not written yet"
    assert told(workspace, out(0, 4)) == ["swapped[0,4] is not written yet"]
    state = done(workspace, workspace.step_stage, 1)  # it reads what isn't written
    assert state.document.number == 1
    assert workspace.notices()[0].startswith('"swapped" isn\'t written yet: press end')
    assert done(workspace, workspace.go_to_experiment, 1).document.number == 1  # by the key for experiments neither
    workspace.step_stage(-1)
    lines = told(workspace, into(0, 5))
    assert lines == ["InputTensor[0,5] of halves goes on to what is not written yet"]
    workspace.step_stage(1)
    workspace.picture.go_last()
    assert done(workspace, workspace.step_stage, 1).document.number == 2


@pytest.mark.parametrize("size", SIZES)
def test_the_panel_takes_the_place_of_the_memory_and_closes_by_a_click(size: tuple[int, int]) -> None:
    async def script(driver: Driver) -> None:
        await driver.press("right_curly_bracket", "right_curly_bracket", "P")
        driver.point(out(0, 9))
        await driver.settle()
        assert not driver.screen.query_one("#memory").display
        assert "twice[0,9] ⇠ swapped[0,1]" in driver.words("#path")
        await driver.click_text("P closes", "#path", 2)
        assert not driver.screen.query_one("#path").display
        assert re.search("OutputTensors?", driver.words("#formula"))

    explore(script, rotate_half(), size)


@pytest.mark.parametrize("seed", range(12))
def test_of_random_chains_no_later_stage_is_named_before_it_may_be(seed: int) -> None:
    session = random_chain(random.Random(seed)).session(random.Random(seed))
    end = max(session.experiments, key=lambda one: len(one.stages))
    number = next(i for i, one in enumerate(session.experiments) if one is end)
    workspace = Workspace(Document(session))
    workspace.fit(ROOM)
    workspace.go_to_experiment(number - workspace.document.number)
    workspace.turn_path()
    if workspace.state.chain is None:
        assert len(end.stages) == 1
        return
    last = len(workspace.state.chain.stages) - 1
    for stage in range(last):
        workspace.go_to_stage(stage)
        workspace.go(0)
        state = workspace.state
        assert state.chain is not None
        here = state.chain.stages[stage]
        reads = {stage}
        for i in range(stage + 1, last + 1):
            if state.chain.stages[i].reads & reads:
                reads.add(i)
        later = "|".join(rf"\b{state.chain.stages[i].name}\b" for i in reads - {stage}) or "nothing"
        trace = state.view.trace
        assert trace is not None
        for k, part in enumerate(trace.inputs):
            lines = path_of(
                done(workspace, workspace.point, Cursor(Place(False, k), (0,) * part.tensor.dimension_count))
            ).lines
            assert not [line for line in lines if re.search(later, f"{line.left} {line.right} {line.why}")]
        assert done(workspace, workspace.step_stage, 1).document.number == here.number or stage + 1 not in reads
        workspace.go_to_stage(stage)
        workspace.picture.go_last()
