"""The export: every target shown, copied and saved, by keys or the mouse alone, and stopped where it takes long."""

from __future__ import annotations

import threading
import time
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import numpy as np
import pytest
from support.driver import SIZES, Driver, is_top
from support.one_session import many
from textual.widgets import Input, OptionList

import dmlviz as dml
from dmlviz.desc.value_sources import Listed
from dmlviz.errors import DmlvizError
from dmlviz.exporters.lib import exporting
from dmlviz.exporters.lib.writing import Export
from dmlviz.screens.dialogs.asking import AskName, AskReplace
from dmlviz.screens.dialogs.export_preview import ExportPreview
from dmlviz.screens.explorer.explorer import Explorer
from dmlviz.session.experiments import Experiment, Session
from dmlviz.session.tokens import experiments_of
from dmlviz.stopping import StoppedError, checkpoint


def gives(monkeypatch: pytest.MonkeyPatch, content: str | bytes) -> None:
    """Every target makes that from now on."""
    monkeypatch.setattr(exporting, "export", lambda *_, **__: Export(content))


async def to(driver: Driver, target: str) -> None:
    """Chooses a target, and waits until it is made."""
    driver.app.screen.query_one(OptionList).highlighted = [*exporting.targets()].index(target)
    await driver.settle()
    await driver.at_rest()


@pytest.mark.parametrize("size", SIZES)
async def test_every_target_is_listed_with_its_sentence_and_its_text(driver: Driver, size: tuple[int, int]) -> None:
    await driver.press("x")
    await driver.at_rest()
    for name in exporting.targets():
        assert name in driver.text("#targets")
    assert "A script in NumPy" in driver.words("#about" if size[0] < 150 else "#targets")
    assert "A session of dmlviz: GATHER" in driver.words("#source")
    assert driver.words("#beside").startswith("gather-numpy.py ")
    await driver.press("pagedown", "pageup")
    assert driver.app.screen.query_one(OptionList).highlighted == 0, "they turn the text's pages, not the list's"
    await driver.press("down")
    await driver.at_rest()
    assert driver.words("#beside").startswith("gather-dmlviz.py ")
    await driver.press("escape")
    assert is_top(driver, Explorer)
    assert not driver.screen.state.document.dirty


SHORT = Session(
    (
        Experiment("full", dml.Gather(dml.TensorDesc("UINT8", (2,)), dml.TensorDesc("UINT32", (2,)), 0, 1)),
        Experiment(
            "short", dml.Tile(dml.TensorDesc("UINT8", (2,)), (1,)), values={"InputTensor": Listed((7, 8), (2,))}
        ),
    )
)


BYTES = dml.TensorDesc("UINT8", (5000,))
LARGE = Session((Experiment("large", dml.Tile(BYTES, (1,)), values={"InputTensor": Listed((7,) * 5000, (5000,))}),))
"""One whose arrays stand beside a script."""


@pytest.mark.parametrize("session", [SHORT])
async def test_values_that_sizes_outgrew_are_exported_as_they_are_shown(driver: Driver) -> None:
    desk = driver.screen.workspace
    desk.go_to_experiment(1)
    driver.screen.act(desk.type_in_field, "InputTensor", "3")
    assert desk.view.problems
    await driver.press("x")
    await driver.at_rest()
    assert "7, 8, 3" in driver.words("#source")
    assert driver.words("#beside").startswith("tile-numpy.py")
    for size in ((20, 6), (60, 18)):
        await driver.resize(size)
        await driver.at_rest()
    assert "↪ " in driver.text("#source"), "no line goes on at another's beginning, and none beyond the edge"
    assert driver.app.screen.query_one("#source").max_scroll_x == 0
    await driver.resize((200, 50))
    await driver.at_rest()
    assert "A script in PyTorch" in driver.words("#targets"), "where it is wide each has its sentence"


@pytest.mark.parametrize("session", ["gather-3-as-printed"])
async def test_a_target_that_refuses_says_why_and_the_others_stay_usable(
    driver: Driver, monkeypatch: pytest.MonkeyPatch
) -> None:
    await driver.press("x")
    await driver.at_rest()
    assert "gather.fits" in driver.words("#source")
    await driver.press("ctrl+c", "ctrl+s")
    assert driver.app.clipboard == ""
    assert is_top(driver, ExportPreview)
    await to(driver, "dxdispatch")
    assert '"dispatchables"' in driver.text("#source"), "one that needn't run shows what is broken"
    refuses = DmlvizError("Axis is [red]3[/red] & \\[, expected what this target can say.")
    monkeypatch.setattr(exporting, "export", Mock(side_effect=refuses))
    await to(driver, "cpp")
    assert "Axis is [red]3[/red] & \\[, expected what this target can say." in driver.words("#source")
    gives(monkeypatch, "x = '\x1b]0;title\x07 [red]two[/red] \u202e'\n#" + "y" * 50_000 + "\n")
    await to(driver, "markdown")
    assert "[red]two[/red]" in driver.text("#source")


@pytest.mark.parametrize("session", [many("first", "second")])
async def test_the_lines_of_a_slide_are_copied_and_saved(driver: Driver, tmp_path: Path) -> None:
    await driver.press("x", "f2")
    await driver.at_rest()
    assert "the whole session, 2" in driver.text(".question")
    whole = driver.text("#source")
    await driver.press("f4")
    await driver.at_rest()
    assert "experiment first" in driver.text(".question"), "a snippet is of one experiment"
    wanted = exporting.snippet(many("first", "second"), "numpy", experiment="first").content
    await driver.press("ctrl+c")
    assert driver.app.clipboard == wanted
    await to(driver, "markdown")
    assert "has no snippet, expected one of numpy, " in driver.words("#source")
    await to(driver, "numpy")
    await driver.press("ctrl+s")
    assert driver.app.screen.query_one(Input).value.endswith("-slide.py")
    await driver.enter(str(file := tmp_path / "slide.py"))
    await driver.until(file.exists)
    assert file.read_text() == wanted
    await driver.press("f4")
    await driver.at_rest()
    assert driver.text("#source") == whole


async def test_what_a_clipboard_cannot_hold_goes_to_a_file_and_y_copies_a_token(
    driver: Driver, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    await driver.press("x")
    await driver.at_rest()
    await driver.press("ctrl+c")
    before = driver.app.clipboard
    assert before == dml.export(driver.screen.workspace.document.session, "numpy")
    gives(monkeypatch, b"\x08\x07\x1b[31m")
    await to(driver, "onnx")
    assert "gather.onnx is a binary file: 7 bytes." in driver.words("#source")
    await driver.press("ctrl+c")
    assert "is no text" in driver.notice
    gives(monkeypatch, "a line\n" * 40_000)
    await to(driver, "cpp")
    await driver.press("ctrl+c")
    assert driver.app.clipboard == before
    assert is_top(driver, AskName)
    await driver.enter(str(tmp_path / "long.cpp"))
    await driver.until(lambda: "wrote the cpp export" in driver.notice)
    assert (tmp_path / "long.cpp").read_text().count("\n") == 40_000
    await driver.press("escape", "y")
    await driver.until(lambda: driver.app.clipboard != before)
    token = driver.app.clipboard
    assert token.startswith("dml1:")
    assert experiments_of(token)[-1].desc == driver.screen.workspace.experiment.desc
    assert f"copied the token: {len(token):,} characters" in driver.notice


@pytest.mark.parametrize("key", ["ctrl+s", "enter"])
async def test_saving_by_keys_asks_before_it_replaces(
    driver: Driver, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, key: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "gather-numpy.py").write_text("mine")
    await driver.press("x")
    await driver.at_rest()
    await driver.press(key)
    assert driver.app.screen.query_one(Input).value == "gather-numpy.py"
    await driver.press("enter")
    await driver.until(lambda: is_top(driver, AskReplace))
    await driver.press("escape")
    assert (tmp_path / "gather-numpy.py").read_text() == "mine"
    assert is_top(driver, AskName)
    await driver.press("enter")
    await driver.until(lambda: is_top(driver, AskReplace))
    await driver.press("ctrl+r")
    await driver.until(lambda: "wrote the numpy export to gather-numpy.py" in driver.notice)
    assert is_top(driver, ExportPreview)
    assert (tmp_path / "gather-numpy.py").read_text().startswith('"""')


@pytest.mark.parametrize("session", [LARGE])
async def test_arrays_are_named_after_the_file_and_asked_about_with_it(driver: Driver, tmp_path: Path) -> None:
    (tmp_path / "other-1-InputTensor.npy").write_bytes(b"mine")

    async def save_as(name: str) -> None:
        await driver.press("ctrl+s")
        await driver.enter(str(tmp_path / name))

    await driver.press("x")
    await driver.at_rest()
    assert "tile-numpy-1-InputTensor.npy, tile-numpy-1-OutputTensor.npy" in driver.words("#beside")
    await save_as("other.py")
    await driver.until(lambda: is_top(driver, AskReplace))
    assert "other-1-InputTensor.npy is there already" in driver.words(".dialog")
    await driver.press("escape", "escape")
    assert [each.name for each in tmp_path.iterdir()] == ["other-1-InputTensor.npy"], "nothing is half written"
    await save_as("third.py")
    await driver.until(lambda: "and 2 .npy next to it" in driver.notice)
    assert "third-1-InputTensor" in (tmp_path / "third.py").read_text()
    assert np.load(tmp_path / "third-1-InputTensor.npy").tolist() == [7] * 5000
    await save_as("no/such/folder.py")
    await driver.until(lambda: "can't be written" in driver.notice)
    await driver.until(lambda: is_top(driver, AskName))


class Endless:
    """A job that ends only when it is stopped."""

    def __init__(self) -> None:
        self.begun, self.ended = threading.Event(), threading.Event()

    def __call__(self, *_: Any, **__: Any) -> Any:
        self.begun.set()
        try:
            while True:
                checkpoint()
                time.sleep(0.001)
        except StoppedError:
            self.ended.set()
            raise


async def test_another_choice_and_escape_stop_an_export_that_is_being_made(
    driver: Driver, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = Endless(), Endless()
    monkeypatch.setattr(exporting, "export", first)
    await driver.press("x")
    await driver.until(first.begun.is_set)
    assert "making numpy … esc stops it" in driver.text("#source")
    monkeypatch.setattr(exporting, "export", second)
    await driver.press("down")
    await driver.until(lambda: first.ended.is_set() and second.begun.is_set())
    await driver.press("escape")
    assert is_top(driver, Explorer)
    await driver.until(second.ended.is_set)
