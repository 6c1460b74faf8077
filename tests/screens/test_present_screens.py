"""The wall and the speaker's screen: by page down and page up alone, and in a real terminal."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.driver import Driver, explore
from support.presentations import CLASSROOM, session_of, tell
from support.real_terminal import Terminal

from dmlviz.screens.explorer.explorer import Explorer
from dmlviz.screens.present.wall import KeyList, PresentedPage, SpeakerPage, WallPage
from dmlviz.session.experiments import Session
from dmlviz.session.presentation_state import Build, StateFile
from dmlviz.themes import DARK, DARK_16, LIGHT
from dmlviz.workspace.wall.wall_desk import WallDesk

SIZES = [(60, 18), *(pytest.param(size, marks=pytest.mark.slow) for size in ((80, 24), (200, 50)))]
LESSON = session_of("gather-2", "rule-sizes-match", "join-1")
LINK = "HTTP://192.168.178.123:8765/K7QM4XT"
HIGH, WIDE = 8, 4
"""Pixels of a character."""
HALVES = {"█": (True, True), "▀": (True, False), "▄": (False, True)}


async def until(driver: Driver, kind: type[Any]) -> Any:
    await driver.until(lambda: isinstance(driver.app.screen, kind) and driver.app.screen.is_mounted)
    await driver.settle()
    return driver.app.screen


async def present(driver: Driver, key: str = "w") -> Any:
    await driver.press(key)
    return await until(driver, WallPage)


@pytest.mark.parametrize("size", SIZES)
def test_page_down_and_page_up_alone_go_through_a_session(size: tuple[int, int]) -> None:
    """The question stands right below its picture, and no name or output is on the wall before the answer."""
    named = Session(tuple(replace(each, name="TOLD") for each in LESSON.experiments))

    async def script(driver: Driver) -> None:
        page, seen = await present(driver), []
        for key in ("pagedown",) * 8 + ("pageup",) * 8:
            state, text = page.state, driver.text()
            seen.append((state.at.experiment, state.at.build))
            assert f"{state.at.experiment + 1} of 3" in driver.text("#wall-head")
            assert ("✗ invalid" in text) is (state.at.experiment == 1)
            assert ("TOLD" in text) <= state.told
            assert state.item.prompt.split()[0] in text
            if state.drawn:
                assert state.picture.scene.layout.fits
                assert state.told or state.at.build is Build.PLAY or not state.picture.known.whole
                assert page.query_one("#wall-board").region.y == page.pane.region.bottom
                assert all(side.max_scroll_y == 0 for side in page.pane.sides if side.display)
                assert page.pane.region.height >= 5
            await driver.press(key)
            await driver.settle()
        assert seen[0] == (0, Build.QUESTION)
        assert seen[7] == (2, Build.REVEAL)
        assert seen[8:] == seen[7::-1]
        await driver.press("q")
        await until(driver, Explorer)

    explore(script, named, size)


@pytest.mark.parametrize("session", [LESSON])
@pytest.mark.parametrize("size", [(120, 40)])
@pytest.mark.parametrize("kind", [WallPage, SpeakerPage])
async def test_the_keys_are_listed_and_a_clicker_closes_the_list(driver: Driver, kind: type[PresentedPage]) -> None:
    driver.app.push_screen(kind(WallDesk(LESSON, lambda: 1_800_000_000.0)))
    page = await until(driver, kind)
    if kind is SpeakerPage:
        assert all((each.rule or "✓") in driver.words("#wall-notes") for each in page.state.item.answers)
        assert "PRESENTER" in driver.text("#wall-head")
    await driver.press("question_mark")
    await until(driver, KeyList)
    told = driver.words("")
    for said in ("pgdn n on", "pgup N back", "a b c d hands", "v count", "r reveal", "k black", "g go to"):
        assert said in told
    await driver.press("pagedown")
    await until(driver, kind)
    assert "1 of 3" in driver.text("#wall-head")
    await driver.press("pagedown", "pagedown", "pagedown")
    assert "2 of 3" in driver.text("#wall-head")


def read(image: Any) -> list[str]:
    """What a camera reads, of codes that are dark on light."""
    found = pytest.importorskip("zxingcpp").read_barcodes(image)
    if isinstance(image, np.ndarray):
        corners = [each.position.top_left for each in found]
        found = [each for each, at in zip(found, corners, strict=True) if image[at.y + 2, at.x + 2] == 0]
        assert all(image[at.y - WIDE, at.x - WIDE] == 255 for at in corners)
    return [each.text for each in found]


def photo(driver: Driver) -> Any:
    """The screen in greys: half blocks in their colour, and of other letters their ground alone."""
    rows = []
    for strip in driver.app.screen._compositor.render_strips():
        upper, lower = [], []
        for segment in strip:
            style = segment.style
            assert style is not None
            assert style.bgcolor is not None
            colours = style.color or style.bgcolor, style.bgcolor  # blanks have no ink
            ink, ground = (sum(colour.get_truecolor()) // 3 for colour in colours)
            for letter in segment.text:
                top, bottom = HALVES.get(letter, (False, False))
                upper.append(ink if top else ground)
                lower.append(ink if bottom else ground)
        rows += [upper, lower]
    return np.array(rows, np.uint8).repeat(HIGH // 2, 0).repeat(WIDE, 1)


async def opened(driver: Driver, kept: StateFile | None = None, *, joining: bool = True, **more: Any) -> WallDesk:
    made = tell(WallDesk(LESSON, time.time, kept=kept), **more)
    made.hear(made.live, joining=joining)
    driver.app.push_screen(WallPage(made))
    await until(driver, WallPage)
    return made


@pytest.mark.drawn(2)
@pytest.mark.parametrize("look", [DARK.name, LIGHT.name, DARK_16.name, "NO_COLOR"])
@pytest.mark.parametrize("size", [(60, 18), (80, 24), (120, 36), (200, 50)])
def test_a_camera_reads_the_code_from_the_wall(
    size: tuple[int, int], look: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if look == "NO_COLOR":
        monkeypatch.setenv("NO_COLOR", "1")

    async def script(driver: Driver) -> None:
        if look != "NO_COLOR":
            driver.app.theme = look
        await opened(driver)
        assert read(photo(driver)) == [LINK]
        said = driver.words("#wall-body")
        assert "192.168.178.123:8765" in said
        assert "K7Q M4XT" in said
        assert "forgotten" in said
        assert driver.words("#wall-head") == "Rows by index · 8 questions 28 joined"

    explore(script, LESSON, size)


@pytest.mark.parametrize("key", ["pagedown", "space", "J", "escape", "q", "enter", "right", "click"])
def test_a_class_begins_with_the_code_and_any_key_leads_on_without_skipping_a_question(
    key: str, tmp_path: Path
) -> None:
    kept = StateFile("/a/lesson.json", tmp_path)

    async def script(driver: Driver) -> None:
        made = await opened(driver, kept, joined=3)
        tell(made, joined=4)
        await driver.until(lambda: "4 joined" in driver.text("#wall-head"))
        await (driver.click("#wall-body", 3, 3) if key == "click" else driver.press(key))
        assert (made.shared.experiment, made.shared.build.value, made.shared.is_open) == (0, "question", True)
        await driver.until(lambda: "0/4" in driver.text("#wall-footer"))
        await driver.press("J")
        assert not made.shared.is_open
        other = WallDesk(LESSON, time.time, kept=StateFile(kept.name, kept.file.parent))
        other.go_to(1)  # the speaker goes on: so does the wall
        await driver.until(lambda: "2 of 3" in driver.text("#wall-head"))

    explore(script, LESSON, (80, 24))


@pytest.mark.parametrize("session", [LESSON])
@pytest.mark.parametrize("size", [(120, 40)])
async def test_leaving_the_wall_of_a_class_is_asked_for_twice(driver: Driver) -> None:
    await opened(driver, joining=False, answered=1)
    for keys in (("q",), ("k", "q"), ("J", "ctrl+q")):  # another key in between asks anew
        await driver.press(*keys)
        await until(driver, WallPage)
        assert "28 phones: q again ends the class" in driver.words("#wall-board")
    await driver.press("q")
    await until(driver, Explorer)


@pytest.fixture
def terminals() -> Iterator[list[Terminal]]:
    made: list[Terminal] = []
    yield made
    for each in made:
        each.crash()


def test_a_damaged_state_is_told_and_the_wall_has_no_palette(tmp_path: Path, terminals: list[Terminal]) -> None:
    lesson = tmp_path / "lesson.json"
    lesson.write_bytes(CLASSROOM.read_bytes())
    kept = StateFile(str(lesson), tmp_path / ".home" / "xdg_state_home" / "dmlviz" / "presenting").file
    kept.parent.mkdir(parents=True)
    kept.write_text("{")
    wall = Terminal([sys.executable, "-m", "dmlviz", "present", "lesson.json"], 120, 36, tmp_path)
    terminals.append(wall)
    wall.until("expected JSON")
    wall.send("\x10?")  # ctrl+p; the next key is heard by the wall
    wall.until("hands for an answer")
    wall.send("\x10\x1b")  # nor over the list of keys
    wall.until(lambda text: "hands for an answer" not in text and "Which picture" in text)
    wall.quits()
