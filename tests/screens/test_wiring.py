"""Wires made and taken away on the screen, operators added to outputs, and what becomes of readers."""

from __future__ import annotations

from support.chain_sessions import rotate_half, session_of, stage, tensor
from support.cursors import into, out
from support.driver import Driver, explore, is_top, names

from dmlviz.desc.value_sources import Wired
from dmlviz.screens.dialogs.choose import WireTensor
from dmlviz.session.document import Document
from dmlviz.session.experiments import Session
from dmlviz.workspace.explorer.workspace import Workspace
from dmlviz.workspace.shown.picture import Room


def apart() -> Session:
    """Two TILEs without a wire, the second of as many elements with other sizes, and one of another type."""
    return session_of(
        stage("first", "TILE", {"InputTensor": tensor(2, 2), "Repeats": [1, 3]}),
        stage("second", "TILE", {"InputTensor": tensor(3, 4), "Repeats": [2, 1]}),
        stage("third", "TILE", {"InputTensor": tensor(5, kind="INT8"), "Repeats": [2]}),
    )


def entry(driver: Driver, number: int, path: str = "InputTensor") -> object:
    return driver.screen.workspace.document.session.experiments[number].values.get(path)


def test_a_tensor_is_wired_unwired_and_wired_again_by_undo() -> None:
    async def script(driver: Driver) -> None:
        driver.screen.act(driver.screen.workspace.go_to_experiment, 1)
        await driver.press("W")
        assert is_top(driver, WireTensor)
        assert "first FLOAT32 {2, 6} as many elements" in driver.words("#ways")
        await driver.press("enter")
        assert entry(driver, 1) == driver.screen.workspace.document.session.experiments[1].values["InputTensor"]
        assert isinstance(entry(driver, 1), Wired)
        shown = driver.screen.state
        assert shown.view.live
        assert shown.chain is not None
        assert [one.name for one in shown.chain.stages] == ["first", "second"]
        assert shown.view.experiment.desc.inputs[0].tensor.sizes == (2, 6)  # it takes what it reads
        await driver.press("W", "home", "enter")
        assert entry(driver, 1) is None
        assert driver.screen.state.chain is None
        await driver.press("u")
        assert isinstance(entry(driver, 1), Wired)
        await driver.press("u")
        assert entry(driver, 1) is None
        assert driver.screen.state.view.experiment.desc.inputs[0].tensor.sizes == (3, 4)

    explore(script, apart())


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


def test_what_is_read_is_deleted_and_comes_back_in_one_step() -> None:
    async def script(driver: Driver) -> None:
        before = driver.screen.workspace.document.session
        await driver.press("ctrl+e", "delete")
        assert names(driver) == ["swapped", "twice"]
        assert entry(driver, 0, "InputTensors[0]") is None
        await driver.press("escape", "ctrl+z")
        assert driver.screen.workspace.document.session == before

    explore(script, rotate_half())
