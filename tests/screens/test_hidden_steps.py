"""The explorer while it is at a step: nothing on the screen gives away what isn't written yet."""

from __future__ import annotations

from typing import Any
from unittest import mock

import pytest
from support.driver import Driver, explore
from support.other_maps import with_other_map

from dmlviz.scene.steps.order import Unit
from dmlviz.session import examples
from dmlviz.tracing import Trace

Screen = list[list[tuple[str, object]]]


def screen(driver: Driver) -> Screen:
    """All that stands on the screen, and how it looks."""
    strips = driver.app.screen._compositor.render_strips()
    return [[(segment.text, segment.style) for segment in strip.simplify()] for strip in strips]


def screens(
    name: str, size: tuple[int, int], keys: list[str], until: int, other: tuple[Unit, int] | None
) -> list[Screen]:
    """What is seen after each of the keys, from number `until` on, of an example; or of one with another map."""
    seen: list[Screen] = []

    async def script(driver: Driver) -> None:
        for number, key in enumerate(keys):
            await driver.press(key)
            if number >= until:
                seen.append(screen(driver))

    def made(*given: Any, **more: Any) -> Trace:
        trace = Trace(*given, **more)
        return trace if other is None else with_other_map(trace, *other, seed=3)

    with mock.patch("dmlviz.scene.view_state.Trace", made):
        explore(script, examples.example(name).session(), size=size)
    return seen


LOOK = ["right", "down", "left", "m", "z", "z", "z", "z", "z", "shift+tab", "right", "down", "T", "home"]
"""About the outputs, through the zooms, about the inputs; then the first step again."""


@pytest.mark.parametrize(("name", "size", "unit", "step"), [("reverse-1", (100, 30), Unit.RUN, 2)])
def test_a_session_with_another_map_looks_the_same_at_a_step(
    name: str, size: tuple[int, int], unit: Unit, step: int
) -> None:
    steps = ["s"] * [*Unit].index(unit) + ["home"] + ["full_stop"] * step
    keys, until = [*steps, *LOOK], len(steps) - 1
    plain = screens(name, size, keys, until, None)
    other = screens(name, size, keys, until, (unit, step))
    for number, (one, another) in enumerate(zip(plain, other, strict=True)):
        assert one == another, f"after {keys[until + number]}"
