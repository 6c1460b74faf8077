"""How many functions of ours a key passes on its way in, and what came of it on its way out."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

from support.driver import Driver, explore

import dmlviz as dml
from dmlviz.widgets.boards.answer_board import AnswerBoard
from dmlviz.widgets.fields.form import Form
from dmlviz.widgets.picture.picture_pane import PicturePane
from dmlviz.workspace.shown.picture import Desk, Picture

PACKAGE = str(Path(dml.__file__).parent)
IN, OUT = 3, 2


def ours(frame: FrameType | None, until: Callable[[FrameType], bool]) -> int:
    """How many functions of ours called a frame, up to one that `until` holds of."""
    count = 0
    while frame is not None and not until(frame):
        count += frame.f_code.co_filename.startswith(PACKAGE)
        frame = frame.f_back
    return count


async def count(driver: Driver, key: str, does: str) -> None:
    """Presses a key, and counts from Textual to the desk's method `does`, and from `state` to each widget."""
    seen = {"in": 0, "out": 0}

    def watched(frame: FrameType, event: str, arg: Any) -> None:
        name, here = frame.f_code.co_name, frame.f_locals.get("self")
        if event != "call" or not frame.f_code.co_filename.startswith(PACKAGE):
            return
        if name == does and isinstance(here, Desk | Picture) and not seen["in"]:
            seen["in"] = ours(frame.f_back, lambda each: each.f_code.co_name == "run_action")
        if name == "present" and isinstance(here, AnswerBoard | Form | PicturePane):
            by = ours(frame, lambda each: each.f_code.co_name == "watch_state")
            by -= frame.f_back is not None and frame.f_back.f_locals.get("self") is here  # its own base's
            seen["out"] = max(seen["out"], by)

    sys.setprofile(watched)
    try:
        await driver.press(key)
    finally:
        sys.setprofile(None)
    assert 0 < seen["in"] <= IN, (key, seen)
    assert 0 < seen["out"] <= OUT, (key, seen)


def test_in_the_explorer() -> None:
    async def script(driver: Driver) -> None:
        await count(driver, "full_stop", "step")
        await count(driver, "m", "turn_memory")
        await driver.focus("Axis")
        await count(driver, "7", "type_in_field")
        await driver.press("escape")
        await count(driver, "f", "mend")

    explore(script, "gather-2", (120, 36))
