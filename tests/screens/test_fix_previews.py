"""The picture of what a fix gives: it says so, and nothing in it is marked broken."""

from __future__ import annotations

from typing import Any

import pytest
from support.driver import Driver

from dmlviz.widgets.lib.inks import inks_of

SIZES = [(80, 24), (120, 36)]


def segments(driver: Driver, selector: str) -> list[tuple[str, Any]]:
    """Texts of a widget's region on the screen, and their Rich styles."""
    region = driver.app.screen.query_one(selector).region
    strips = list(driver.app.screen._compositor.render_strips())[region.y : region.bottom]
    return [(text, style) for strip in strips for text, style, _ in strip.crop(region.x, region.right)]


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("session", ["rule-sizes-repeat", "rule-sizes-sum", "gather-3-as-printed"])
async def test_nothing_in_a_preview_is_marked_broken(driver: Driver) -> None:
    state = driver.screen.state
    assert state.view.is_preview
    assert driver.text("#caption").split()[:4] == ["preview", "with", "fix", "1"]
    assert "✘" not in driver.text("#picture")
    assert not state.picture.look.broken_axes
    assert not state.picture.look.broken_cells
    await driver.press("F3")
    assert not driver.screen.state.picture.look.broken_axes, "nor once a rule is looked at"
    assert "✘" in driver.text("#why"), "the desc is broken all the same"


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("session", ["rule-sizes-match"])
async def test_a_preview_says_in_the_colour_of_what_holds_that_it_is_the_mended_desc_and_a_stale_picture_warns(
    driver: Driver,
) -> None:
    inks = inks_of(driver.app.theme_variables)
    tag, label = [each for each in segments(driver, "#caption") if each[0].strip()][:2]
    assert tag[0] == " preview with fix 1 "
    assert (tag[1].bold, tag[1].reverse, tag[1].color) == (True, True, inks.accent.rich_color)
    assert (
        driver.screen.state.view.why.fixes[0]
        .label.replace(", ", ",")
        .startswith(label[0].strip(" …").replace(", ", ",")[:20])
    )
    assert label[1].color == inks.accent.rich_color
    await driver.press("f")
    await driver.focus("Axis")
    await driver.type("9")
    tag = next(each for each in segments(driver, "#caption") if each[0].strip())
    assert (tag[0].strip(), tag[1].color) == ("stale", inks.warning.rich_color)


@pytest.mark.parametrize("session", ["gather-2"])
async def test_what_is_broken_is_marked_in_the_last_valid_picture(driver: Driver) -> None:
    """It is of what stood there before, so that it is not the mended one."""

    await driver.focus("Axis")
    await driver.type("9")
    state = driver.screen.state
    assert state.view.mark == "stale"
    assert not state.view.is_preview
    await driver.press("escape", "ctrl+z")
    await driver.focus("OutputTensor")
    await driver.type("4,3")
    assert driver.screen.state.picture.look.broken_axes


@pytest.mark.usefixtures("no_colours")
@pytest.mark.parametrize("session", ["rule-sizes-repeat"])
async def test_without_colours_an_error_is_reversed_and_a_preview_is_underlined(driver: Driver) -> None:
    tag = next(style for text, style in segments(driver, "#caption") if text.strip() == "preview with fix 1")
    error = next(style for text, style in segments(driver, "#why") if text == "OutputTensor.Sizes[3]")
    assert getattr(tag, "underline", False)
    assert not getattr(tag, "reverse", False)
    assert getattr(error, "reverse", False)
