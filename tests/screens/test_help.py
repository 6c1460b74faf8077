"""Help: `?` everywhere, F1 on a field, the signs of a screen of the course, and the colour key."""

from __future__ import annotations

import re
import unicodedata

import pytest
from support.driver import Driver, is_top
from support.levels import level
from textual.widgets import Input, Static

from dmlviz.screens.dialogs.help import FIRST, Help
from dmlviz.screens.learn.level import LevelScreen
from dmlviz.screens.learn.question import QuestionScreen
from dmlviz.teaching.progress.progress import Progress
from dmlviz.teaching.words.catalogue import found
from dmlviz.widgets.lib.commands import BY_ID, COMMANDS

DRAWN = {*"─│▀▄█▁▂▃▅▆▇▌▊▎▔━┃·…—–−⌫↵×←↑→↓≤≥■□╭╮╰╯▘▝▖▗┬┴├┤┼"}
"""What cells, bars and keys are drawn of, and signs of arithmetic."""


def signs_of(text: str) -> set[str]:
    """The signs in a text that are neither letters, figures nor punctuation."""
    return {sign for sign in text if ord(sign) > 127 and unicodedata.category(sign)[0] in "SN"} - DRAWN


async def told(driver: Driver, key: str) -> str:
    """All that help says, also below what is seen, opened by a key and closed by escape."""
    await driver.press(key)
    await driver.until(lambda: is_top(driver, Help) and driver.app.screen.is_mounted)
    await driver.settle()
    console, said = driver.app.console, ""
    for part in driver.app.screen.query(Static):
        lines = console.render_lines(part.content, console.options.update(width=200))  # type: ignore[arg-type]
        said += "".join(segment.text for line in lines for segment in line)
    await driver.press("escape")
    assert not is_top(driver, Help)
    return " ".join(said.split())


async def hold(driver: Driver) -> None:
    """Holds the help of the screen that has the keys against what stands on that."""
    on_screen, above = driver.text(), driver.app.screen
    said = await told(driver, "question_mark")
    assert driver.app.screen is above
    assert not signs_of(on_screen) - {*said}, (signs_of(on_screen) - {*said}, on_screen)
    assert all(name.partition(": ")[2] in said for name in found(on_screen))


@pytest.mark.parametrize("session", ["reverse-1"])
async def test_help_tells_each_sign_of_a_level_a_question_and_the_map(driver: Driver) -> None:
    await driver.press("t")
    await driver.settle()
    await hold(driver)
    driver.app.push_screen(LevelScreen(level("L15"), Progress()))
    await driver.until(lambda: isinstance(driver.app.screen, LevelScreen) and driver.app.screen.is_mounted)
    await driver.settle()
    await hold(driver)
    await driver.press("escape", "escape", "g")
    await driver.until(lambda: isinstance(driver.app.screen, QuestionScreen) and driver.app.screen.is_mounted)
    await driver.settle()
    await hold(driver)


@pytest.mark.parametrize("key", ["question_mark", "f1"])
async def test_the_explorers_help_lists_every_key_that_colours_and_fields_have_beside_it(
    driver: Driver, key: str
) -> None:
    said = await told(driver, key)
    assert all(each.title in said for each in COMMANDS if each.keys and each.group not in ("fix", "entry"))
    assert "Picks slices" in said
    first, _, _ = said.partition(" Words ")
    assert all(BY_ID[name].title in first for name in FIRST)
    assert len(FIRST) == 20
    assert said.count("Step forward") == 1
    said = await told(driver, "p")
    assert " A B C D E F G H " in said
    assert "mean the slice along Axis" in said


@pytest.mark.parametrize("size", [(60, 240), (80, 240), (120, 240), (200, 240)])
async def test_help_has_no_stretch_of_blank_lines_at_any_width(driver: Driver) -> None:
    await driver.press("question_mark")
    await driver.until(lambda: is_top(driver, Help) and driver.app.screen.is_mounted)
    await driver.settle()
    told = "".join("#" if re.search(r"\w", line) else " " for line in driver.text(".help").splitlines())
    assert "Letters and digits are text" in driver.text(".help"), "all of it is in the window"
    assert "   " not in told.strip()


@pytest.mark.parametrize("size", [(80, 24)])
async def test_a_field_is_explained_with_its_rules(driver: Driver) -> None:
    await driver.press("f2")
    await driver.focus("IndexDimensions")
    field = driver.screen.focused
    said = await told(driver, "f1")
    for words in ("[0, 2]", "index_dimensions.range", "indices.leading"):
        assert words in said
    assert driver.screen.focused is field, "where one was"


@pytest.mark.parametrize("key", ["question_mark", "v", "n", "ctrl+o"])
async def test_a_dialog_over_which_the_theme_changes_takes_its_colours(
    driver: Driver, key: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def colours() -> set[object]:
        every = [text for strip in driver.app.screen._compositor.render_strips() for text in strip if text.text.strip()]
        return {(text.text.strip(), text.style and (text.style.color, text.style.bgcolor)) for text in every}

    monkeypatch.setattr(Input, "cursor_blink", False)
    await driver.press(key)
    await driver.at_rest()
    dark = colours()
    driver.app.action_toggle_light()
    await driver.settle()
    await driver.at_rest()
    turned = colours()
    await driver.press("escape", key)
    await driver.at_rest()
    assert turned == colours() != dark
