"""How phones join a class: the code on the screen is read back as a camera would, and keys and mouse lead on."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.driver import Driver, explore
from support.presentations import session_of, tell

from dmlviz.formats import qr_code
from dmlviz.screens.explorer.explorer import Explorer
from dmlviz.screens.present.join import JoinScreen
from dmlviz.screens.present.wall import WallScreen
from dmlviz.session.presentation_state import StateFile
from dmlviz.themes import DARK, DARK_16, LIGHT
from dmlviz.widgets.boards.join_lines import code_lines
from dmlviz.workspace.wall.presenting import Presenting

LESSON = session_of("gather-2", "join-1")
LINK = "HTTP://192.168.178.123:8765/K7QM4XT"
LOOKS = [DARK.name, LIGHT.name, DARK_16.name, "NO_COLOR"]
SIZES = [(60, 18), (80, 24), (120, 36), (200, 50)]
HIGH, WIDE = 8, 4
"""Pixels of a character."""
HALVES = {"█": (True, True), "▀": (True, False), "▄": (False, True)}


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


async def opened(driver: Driver, kept: StateFile | None = None, *, joining: bool = True, **more: Any) -> Presenting:
    made = tell(Presenting(LESSON, time.time, kept=kept), **more)
    made.hear(made.live, joining=joining)
    driver.app.push_screen(WallScreen(made))
    await driver.settle()
    return made


async def until(driver: Driver, kind: type[Any]) -> None:
    await driver.until(lambda: isinstance(driver.app.screen, kind) and driver.app.screen.is_mounted)
    await driver.settle()


def picture(driver: Driver) -> Any:
    """The screen as it is saved, in pixels."""
    resvg, pillow = pytest.importorskip("resvg_py"), pytest.importorskip("PIL.Image")
    svg = driver.app.export_screenshot().replace("Fira Code", "DejaVu Sans Mono")
    png = resvg.svg_to_bytes(svg_string=svg, zoom=1, monospace_family="DejaVu Sans Mono")
    return pillow.open(BytesIO(bytes(png)))


@pytest.mark.drawn(4)
@pytest.mark.parametrize("camera", [photo, pytest.param(picture, marks=pytest.mark.slow)])
@pytest.mark.parametrize("look", LOOKS)
@pytest.mark.parametrize("size", SIZES)
def test_a_camera_reads_the_code_from_the_wall(
    size: tuple[int, int], look: str, camera: Callable[[Driver], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    if look == "NO_COLOR":
        monkeypatch.setenv("NO_COLOR", "1")

    async def script(driver: Driver) -> None:
        if look != "NO_COLOR":
            driver.app.theme = look
        await opened(driver)
        await until(driver, JoinScreen)
        assert read(camera(driver)) == [LINK]
        said = driver.words("#wall-body")
        assert "192.168.178.123:8765" in said or size[1] >= 50  # where it is drawn large
        assert "K7Q M4XT" in said or size[0] >= 80
        assert "forgotten" in said
        assert driver.words("#wall-head") == "Rows by index · 8 questions 28 joined"

    explore(script, LESSON, size)


def test_light_modules_are_blocks_so_that_a_terminal_without_colours_shows_them_light() -> None:
    code = code_lines(LINK, 80, 24)
    assert code is not None
    rows = ["".join(span.text for span in line) for line in code]
    pixels = [[255 * HALVES.get(letter, (False, False))[half] for letter in row] for row in rows for half in (0, 1)]
    assert read(np.array(pixels, np.uint8).repeat(4, 0).repeat(4, 1)) == [LINK]
    assert set(rows[0]) == {"█"}


def test_without_segno_the_address_and_the_code_are_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "segno", None)
    qr_code.qr_rows.cache_clear()
    assert code_lines(LINK, 200, 50) is None

    async def script(driver: Driver) -> None:
        await opened(driver)
        await until(driver, JoinScreen)
        assert "192.168.178.123:8765" in driver.words("#wall-body")

    explore(script, LESSON, (80, 24))
    qr_code.qr_rows.cache_clear()


@pytest.mark.parametrize("key", ["pagedown", "space", "J", "escape", "q", "click"])
def test_a_class_begins_with_the_code_and_any_key_leads_on_without_skipping_a_question(
    key: str, tmp_path: Path
) -> None:
    kept = StateFile("/a/lesson.json", tmp_path)

    async def script(driver: Driver) -> None:
        made = await opened(driver, kept, joined=3)
        await until(driver, JoinScreen)
        tell(made, joined=4)
        await driver.until(lambda: "4 joined" in driver.text("#wall-head"))
        await (driver.click("#wall-body", 3, 3) if key == "click" else driver.press(key))
        await until(driver, WallScreen)
        assert (made.shared.experiment, made.shared.build.value, made.shared.is_open) == (0, "question", True)
        await driver.until(lambda: "0 of 4 answered" in driver.text("#wall-footer"))
        await driver.press("J")
        await until(driver, JoinScreen)
        assert not made.shared.is_open
        other = Presenting(LESSON, time.time, kept=StateFile(kept.name, kept.file.parent))
        other.go_to(2)  # the speaker goes on: so does the wall
        await until(driver, WallScreen)
        assert "2 of 2" in driver.text("#wall-head")

    explore(script, LESSON, (80, 24))


def test_leaving_the_wall_is_asked_for_twice_and_the_keys_are_listed() -> None:
    async def script(driver: Driver) -> None:
        await opened(driver, joining=False, answered=1)
        await until(driver, WallScreen)
        await driver.press("question_mark")
        assert "J  the code: how phones join the class" in driver.text()
        await driver.press("escape", "escape")
        assert "28 phones: q again ends the class" in driver.words("#wall-board")
        await driver.press("h", "q")
        assert isinstance(driver.app.screen, WallScreen), "another key in between asks anew"
        await driver.press("h", "J", "ctrl+q")
        await until(driver, WallScreen)
        assert "28 phones: q again ends the class" in driver.words("#wall-board"), "quitting asks, too"
        await driver.press("q")
        await until(driver, Explorer)

    explore(script, LESSON, (120, 40))
