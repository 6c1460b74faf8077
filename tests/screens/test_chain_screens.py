"""Chains on the screen: the line of stages, the path of the cursor's element, and wires."""

from __future__ import annotations

import random
import re

import pytest
from support.desks import done
from support.driver import Driver, is_top
from support.one_session import rotate_half
from support.random_chains import random_chain
from support.scenes import into, out

import dmlviz as dml
from dmlviz.desc.value_sources import Wired
from dmlviz.operators.maps import Place
from dmlviz.scene.elements.cursor import Cursor
from dmlviz.screens.dialogs.choose import WireTensor
from dmlviz.session.document import Document
from dmlviz.session.experiments import Session
from dmlviz.workspace.explorer.workspace import Workspace
from dmlviz.workspace.shown.picture import Room
from dmlviz.workspace.shown.state import PathState, State

SIZES = [(80, 24), (120, 36)]


@pytest.mark.parametrize("session", [rotate_half()])
@pytest.mark.parametrize("size", SIZES)
async def test_what_waits_says_so_and_where_to_go(driver: Driver, size: tuple[int, int]) -> None:
    for number, chain in ((0, rotate_half(cut=3)), (1, rotate_half())):
        driver.open(chain)
        await driver.press("right_curly_bracket", "left_curly_bracket")
        driver.screen.act(driver.screen.workspace.type_in_field, "OutputTensors[0].Sizes", "1, 3")
        await driver.settle()
        assert "…" in driver.words("#chain")
        await driver.press("right_curly_bracket")
        assert "halves is valid: { leads there" in driver.words("#caption"), number
        for panel in ("#kernel", "#transport"):
            assert not driver.screen.query_one(panel).display
        if size[0] > 100:
            assert "Not checked until halves is valid" in driver.words("#rules")
            assert "25 checks pass" in driver.words("#rules")
        await driver.press("left_curly_bracket", "f")
        assert "…" not in driver.words("#chain")
        assert driver.screen.query_one("#transport").display


@pytest.mark.parametrize("session", [rotate_half()])
@pytest.mark.parametrize("size", SIZES)
async def test_keys_and_clicks_lead_to_stages_and_wires(driver: Driver) -> None:
    at = driver.screen.workspace.document
    await driver.press("right_curly_bracket")
    assert at.number == 1
    await driver.click_text("3 ", "#chain")
    assert at.number == 2
    await driver.press("left_curly_bracket", "left_curly_bracket", "left_curly_bracket")
    assert at.number == 0
    await driver.click_text("▶ 2", "#chain")
    assert at.number == 1
    assert driver.screen.state.picture.cursor is not None
    assert not driver.screen.state.picture.cursor.place.is_output


def test_the_cursor_goes_along_both_ways() -> None:
    workspace = Workspace(Document(rotate_half()))
    workspace.fit(Room(74, 20))
    workspace.go_to_stage(2)
    workspace.point(out(0, 9))
    for by, cursor in ((-1, out(0, 1)), (-1, out(0, 1, number=1)), (1, into(0, 1, number=0))):
        workspace.step_stage(by)
        assert workspace.picture.cursor == cursor
    workspace.point(out(0, 3))
    workspace.step_stage(1)
    assert workspace.picture.cursor == into(0, 3)


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


def test_nothing_is_told_of_what_is_not_written() -> None:
    workspace = opened(rotate_half(), 1)
    workspace.go(2)
    assert told(workspace, out(0, 1))[-1] == "InputTensor[0,5] of halves goes on to a stage that is not written yet"
    assert told(workspace, out(0, 4)) == ["swapped[0,4] is not written yet"]
    state = done(workspace, workspace.step_stage, 1)  # it reads what isn't written
    assert state.document.number == 1
    assert workspace.notices()[0].startswith('"swapped" isn\'t written yet: press end')
    assert done(workspace, workspace.go_to_experiment, 1).document.number == 1  # by the key for experiments neither
    workspace.step_stage(-1)
    lines = told(workspace, into(0, 5))
    assert lines == ["InputTensor[0,5] of halves goes on to a stage that is not written yet"]
    workspace.step_stage(1)
    workspace.picture.go_last()
    assert done(workspace, workspace.step_stage, 1).document.number == 2


@pytest.mark.parametrize("session", [rotate_half()])
@pytest.mark.parametrize("size", SIZES)
async def test_the_panel_takes_the_place_of_the_memory_and_closes_by_a_click(driver: Driver) -> None:
    await driver.press("right_curly_bracket", "right_curly_bracket", "P")
    driver.point(out(0, 9))
    await driver.settle()
    assert not driver.screen.query_one("#memory").display
    assert "twice[0,9] ⇠ swapped[0,1]" in driver.words("#path")
    await driver.click_text("P closes", "#path", 2)
    assert not driver.screen.query_one("#path").display
    assert re.search("OutputTensors?", driver.words("#formula"))


@pytest.mark.parametrize("seed", range(12))
def test_of_random_chains_no_later_stage_is_named_before_it_may_be(seed: int) -> None:
    session = random_chain(random.Random(seed))
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
    for at in range(last):
        workspace.go_to_stage(at)
        workspace.go(0)
        state = workspace.state
        assert state.chain is not None
        here = state.chain.stages[at]
        reads = {at}
        for i in range(at + 1, last + 1):
            if state.chain.stages[i].reads & reads:
                reads.add(i)
        later = "|".join(rf"\b{state.chain.stages[i].name}\b" for i in reads - {at}) or "nothing"
        trace = state.view.trace
        assert trace is not None
        for k, part in enumerate(trace.inputs):
            lines = path_of(
                done(workspace, workspace.point, Cursor(Place(False, k), (0,) * part.tensor.dimension_count))
            ).lines
            assert not [line for line in lines if re.search(later, f"{line.left} {line.right} {line.why}")]
        assert done(workspace, workspace.step_stage, 1).document.number == here.number or at + 1 not in reads
        workspace.go_to_stage(at)
        workspace.picture.go_last()


def apart() -> Session:
    """Two TILEs without a wire, the second of as many elements with other sizes, and one of another type."""
    sizes = (((2, 2), (1, 3)), ((3, 4), (2, 1)), ((5,), (2,)))
    types = ("FLOAT32", "FLOAT32", "INT8")
    descs = [dml.Tile(dml.TensorDesc(kind, size), times) for kind, (size, times) in zip(types, sizes, strict=True)]
    return Session(tuple(map(dml.Experiment, ("first", "second", "third"), descs)))


def entry(driver: Driver, number: int, path: str = "InputTensor") -> object:
    return driver.screen.workspace.document.session.experiments[number].values.get(path)


@pytest.mark.parametrize("session", [apart()])
async def test_a_tensor_is_wired_and_unwired(driver: Driver) -> None:
    driver.screen.act(driver.screen.workspace.go_to_experiment, 1)
    await driver.press("W")
    assert is_top(driver, WireTensor)
    assert "first FLOAT32 {2, 6} as many elements" in driver.words("#ways")
    await driver.press("enter")
    assert isinstance(entry(driver, 1), Wired)
    shown = driver.screen.state
    assert shown.view.live
    assert shown.chain is not None
    assert [one.name for one in shown.chain.stages] == ["first", "second"]
    assert shown.view.experiment.desc.inputs[0].tensor.sizes == (2, 6)  # it takes what it reads
    await driver.press("W", "home", "enter")
    assert entry(driver, 1) is None
    assert driver.screen.state.chain is None


def test_what_reads_the_experiment_is_not_offered() -> None:
    workspace = Workspace(Document(rotate_half()))
    assert workspace.wire_ask().choices == ()
    workspace.go_to_stage(1)
    workspace.fit(Room(74, 20))
    workspace.point(into(0, 0, number=1))
    ask = workspace.wire_ask()
    assert (ask.path, ask.now) == ("InputTensors[1]", 'OutputTensors[0] of "halves"')
    assert [choice.output for choice in ask.choices] == ["OutputTensors[0]", "OutputTensors[1]"]
    workspace.point(out(0, 1))
    assert workspace.wire_ask().path == "InputTensors[0]", "the first, where the cursor is on none"
