"""The line of a chain's stages: what it says at each width, and where its keys and clicks lead."""

from __future__ import annotations

import pytest
from support.chain_sessions import rotate_half
from support.cursors import into, out
from support.desks import done
from support.driver import Driver, explore

from dmlviz.session.document import Document
from dmlviz.widgets.bars.chain_line import pieces
from dmlviz.workspace.explorer.workspace import Workspace
from dmlviz.workspace.shown.picture import Room
from dmlviz.workspace.shown.state import ChainState

SIZES = [(80, 24), (120, 36)]


def chain_of(session: object, number: int = 0) -> ChainState:
    workspace = Workspace(Document(session))  # type: ignore[arg-type]
    state = done(workspace, workspace.go_to_experiment, number)
    assert state.chain is not None
    return state.chain


def said(chain: ChainState, width: int) -> str:
    return "".join(piece.text for piece in pieces(chain, width))


def test_it_says_less_where_it_is_narrow_and_always_fits() -> None:
    chain = chain_of(rotate_half(), 1)
    assert said(chain, 90).startswith("1 halves SPLIT ✔ ──{1,4}×2──▶ [2 swapped JOIN] ✔")
    assert said(chain, 40) == "1 SPLIT ─▶ [2 JOIN] ─▶ 3 TILE"
    assert said(chain, 22) == "‹1 [2 JOIN] 1›"


def test_what_is_broken_is_marked_once_and_those_behind_it_wait() -> None:
    chain = chain_of(rotate_half(cut=5), 2)
    assert [one.mark for one in chain.stages] == ["✘", "…", "…"]
    assert {wire.mark for one in chain.stages for wire in one.wires} == {"…"}
    assert "[3 TILE] …" in said(chain, 78)


@pytest.mark.parametrize("size", SIZES)
def test_what_waits_says_so_and_where_to_go(size: tuple[int, int]) -> None:
    async def script(driver: Driver) -> None:
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

    explore(script, rotate_half(), size)


@pytest.mark.parametrize("size", SIZES)
def test_keys_and_clicks_lead_to_stages_and_wires(size: tuple[int, int]) -> None:
    async def script(driver: Driver) -> None:
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

    explore(script, rotate_half(), size)


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
