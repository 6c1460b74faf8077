"""The picture of what a fix gives: it says so, and nothing in it is marked broken."""

from __future__ import annotations

import pytest
from support.driver import Driver, explore

SIZES = [(80, 24), (120, 36)]


def segments(driver: Driver, selector: str) -> list[tuple[str, object]]:
    """Texts of a widget's region on the screen, and their Rich styles."""
    region = driver.app.screen.query_one(selector).region
    strips = list(driver.app.screen._compositor.render_strips())[region.y : region.bottom]
    return [(text, style) for strip in strips for text, style, _ in strip.crop(region.x, region.right)]


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("name", ["rule-sizes-repeat", "rule-sizes-sum", "gather-3-as-printed"])
def test_nothing_in_a_preview_is_marked_broken(name: str, size: tuple[int, int]) -> None:
    async def script(driver: Driver) -> None:
        state = driver.screen.state
        assert state.view.is_preview
        assert "what fix 1 gives" in driver.text("#caption") or "fix 1 gives" in driver.text("#caption")
        assert "✘" not in driver.text("#picture")
        assert not state.picture.look.broken_axes
        assert not state.picture.look.broken_cells
        await driver.press("F3")
        assert not driver.screen.state.picture.look.broken_axes, "nor once a rule is looked at"
        assert "✘" in driver.text("#why"), "the desc is broken all the same"

    explore(script, name, size)


def test_what_is_broken_is_marked_in_the_last_valid_picture() -> None:
    """It is of what stood there before, so that it is not the mended one."""

    async def script(driver: Driver) -> None:
        await driver.focus("Axis")
        await driver.type("9")
        state = driver.screen.state
        assert state.view.mark == "stale"
        assert not state.view.is_preview
        await driver.press("escape", "ctrl+z")
        await driver.focus("OutputTensor")
        await driver.type("4,3")
        assert driver.screen.state.picture.look.broken_axes

    explore(script, "gather-2")


def test_without_colours_an_error_is_reversed_and_a_preview_is_underlined(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")

    async def script(driver: Driver) -> None:
        tag = next(style for text, style in segments(driver, "#caption") if text.strip() == "preview")
        error = next(style for text, style in segments(driver, "#why") if text == "OutputTensor.Sizes[3]")
        assert getattr(tag, "underline", False)
        assert not getattr(tag, "reverse", False)
        assert getattr(error, "reverse", False)

    explore(script, "rule-sizes-repeat")
