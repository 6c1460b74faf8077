"""All stages side by side at 200 x 50: one element lit in each, and nothing told of what isn't written."""

from __future__ import annotations

import re

import numpy as np
import pytest
from support.chain_sessions import giant, looked_up, rotate_half, session_of, stage, tensor
from support.cursors import into, out
from support.driver import Driver, explore

from dmlviz.operators.maps import Place
from dmlviz.scene.elements.cursor import Cursor
from dmlviz.session.document import Document
from dmlviz.session.experiments import Session
from dmlviz.workspace.explorer.workspace import Workspace
from dmlviz.workspace.shown.chain_state import StagePicture
from dmlviz.workspace.shown.picture import Room

BESIDE = Room(152, 30, beside=True)


def opened(session: Session, number: int) -> Workspace:
    workspace = Workspace(Document(session))
    workspace.go_to_stage(number)
    workspace.fit(BESIDE)
    return workspace


def written_at(cursor: Cursor, step: int) -> bool:
    return cursor.place.is_output and cursor.index[1] < step


def row(workspace: Workspace) -> tuple[StagePicture, ...]:
    assert workspace.state.chain is not None
    return workspace.state.chain.row


def test_the_elements_of_one_path_are_lit_in_every_stage() -> None:
    workspace = opened(rotate_half(), 1)
    workspace.point(out(0, 1))
    root, *stages = row(workspace)
    assert (root.title, root.look.cursor) == ("InputTensor", into(0, 5))
    assert root.look.lit is not None
    assert np.flatnonzero(root.look.lit(Place(False, 0), np.arange(8))).tolist() == [5]
    assert [one.title for one in stages] == ["1 halves", "2 swapped", "3 twice"]
    assert [one.look.cursor for one in stages] == [out(0, 1, number=1), out(0, 1), out(0, 1)]
    lit = stages[2].look.lit
    assert lit is not None
    assert np.flatnonzero(lit(Place(True, 0), np.arange(16))).tolist() == [1, 9]


@pytest.mark.parametrize("step", range(8))
def test_of_a_stage_behind_what_is_written_there_is_nothing(step: int) -> None:
    workspace = opened(rotate_half(), 1)
    workspace.go(step)
    for cursor in (out(0, 1), out(0, 7), into(0, 3, number=0)):
        workspace.point(cursor)
        _, first, here, last = row(workspace)
        assert last.stack is None
        assert (first.look.lit is None) is (cursor.place.is_output and not written_at(cursor, step))
        assert here.look.lit is None
        assert not here.look.written.whole
        assert (here.look.cursor is not None) is written_at(cursor, step)
    workspace.step_stage(-1)
    workspace.fit(BESIDE)
    assert [one.stack is None for one in row(workspace)] == [False, False, True, True]


def test_indices_of_another_stage_and_giants_have_their_place() -> None:
    assert [one.title for one in row(opened(looked_up(), 1))] == ["1 ids", "2 rows"]
    workspace = opened(giant(), 2)
    workspace.point(out(65534, 0))
    assert [one.look.cursor for one in row(workspace)][1:] == [out(65534, 32766), out(65534, 65534), out(65534, 0)]


def test_a_stage_is_looked_at_by_a_click_and_those_out_of_sight_are_counted() -> None:
    async def script(driver: Driver) -> None:
        assert "1 halves" in driver.text("#stages")
        x, y = driver.find("3 twice", "#stages")
        await driver.click("#stages", x + 3, y + 5)
        assert driver.screen.workspace.document.number == 2
        assert driver.screen.state.picture.cursor == out(0, 0)
        await driver.click_text("2 swapped", "#stages")
        assert driver.screen.workspace.document.number == 1
        await driver.resize((120, 36))
        assert not driver.screen.query_one("#stages").display
        await driver.resize((200, 50))
        assert driver.screen.query_one("#stages").display
        turned = {"InputTensor": tensor(2, 6), "Repeats": [1, 1]}
        many = [stage("s0", "TILE", turned)]
        many += [stage(f"s{i}", "TILE", turned, InputTensor=(f"s{i - 1}", "OutputTensor")) for i in range(1, 9)]
        driver.open(session_of(*many))
        await driver.settle()
        assert "more ▸" in driver.text("#stages")
        assert "1 s0" in driver.text("#stages")
        driver.open(Session(rotate_half().experiments[:1]))
        await driver.settle()
        assert not driver.screen.query_one("#stages").display

    explore(script, rotate_half(), (200, 50))


def test_of_a_tensor_that_is_wider_than_its_window_whole_columns_are_counted_and_begin() -> None:
    async def script(driver: Driver) -> None:
        await driver.press("right_curly_bracket", "right_curly_bracket")
        for column, seen in ((0, "columns 0–7 of 16"), (9, "columns 2–9 of 16")):
            driver.point(out(0, column))
            await driver.settle()
            assert seen in driver.text("#outputs")
            lines = driver.text("#outputs").split("\n")
            y = next(k for k, line in enumerate(lines) if seen in line) + 1
            counts = {len(re.findall(r"\w+", line)) for line in lines[y : y + 3]}
            assert counts == {8}  # indices, letters and values

    explore(script, rotate_half(), (80, 24))
