"""With NO_COLOR, and in 16 colours, what has the focus stands out: bold, reversed, underlined or with a bar."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from support import real_terminal
from support.driver import Driver, explore
from support.real_terminal import Terminal
from textual.screen import Screen
from textual.widget import Widget
from textual.widgets import Button

from dmlviz.screens.dialogs.ask_changed import AskChanged
from dmlviz.screens.dialogs.ask_name import AskName
from dmlviz.screens.dialogs.ask_replace import AskReplace
from dmlviz.screens.dialogs.ask_unsaved import AskUnsaved
from dmlviz.session import examples
from dmlviz.session.writing import save
from dmlviz.themes import DARK_16, LIGHT_16

BAR = "█"
MODES = ["NO_COLOR", DARK_16.name, pytest.param(LIGHT_16.name, marks=pytest.mark.slow)]
KEYS = {"explorer": "", "gallery": "ctrl+o", "experiments": "ctrl+e", "notes": "n", "copy": "c", "import": "i"}
KEYS |= {"export": "x", "levels": "v", "go to": "ctrl+g", "operators": "ctrl+n", "colours": "p"}
ASKS: dict[str, Callable[[], Screen[Any]]] = {
    "unsaved": AskUnsaved,
    "replace": lambda: AskReplace("lesson.json"),
    "changed": lambda: AskChanged("lesson.json", ["-a", "+b"]),
    "name": lambda: AskName("Save as", "lesson.json"),
}


def marks(driver: Driver, widget: Widget) -> int:
    """How much of a widget, and of a bar at its left, stands out without colours."""
    region, made = widget.region, 0
    for strip in list(driver.app.screen._compositor.render_strips())[region.y : region.bottom]:
        x = 0
        for text, style, _ in strip:
            for char in text:
                if region.x - 1 <= x < region.right:
                    strong = style is not None and (bool(style.bold) + bool(style.underline) + 3 * bool(style.reverse))
                    made += bool(strong) * int(strong) + 3 * (char == BAR)
                x += 1
    return made


@pytest.mark.parametrize("name", [*KEYS, *ASKS])
@pytest.mark.parametrize("mode", MODES)
def test_what_has_the_focus_stands_out_without_colours(monkeypatch: pytest.MonkeyPatch, mode: str, name: str) -> None:
    if mode == "NO_COLOR":
        monkeypatch.setenv("NO_COLOR", "1")

    async def script(driver: Driver) -> None:
        if mode != "NO_COLOR":
            driver.app.theme = mode
            await driver.settle()
        if name in ASKS:
            driver.app.push_screen(ASKS[name]())
            await driver.settle()
        elif KEYS[name]:
            await driver.press(KEYS[name])
        if name == "export":
            await driver.until(lambda: driver.app.screen.has_class("shown"))
        screen = driver.app.screen
        found = [node for node in screen.focus_chain if node.region.area]
        assert found
        for node in found if len(found) > 1 else []:
            others = [other for other in found if other is not node]
            screen.set_focus(others[0])
            await driver.settle()
            without = marks(driver, node)
            screen.set_focus(node)
            await driver.settle()
            assert marks(driver, node) > without, (node, without)
            for other in others:
                assert not isinstance(other, Button) or marks(driver, other) == 0, (other, node)

    explore(script)


def test_the_title_of_the_pane_with_the_focus_is_reversed_in_a_terminal(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setitem(real_terminal.ENVIRONMENT, "NO_COLOR", "1")
    save(examples.example("gather-2").session(), tmp_path / "lesson.json")
    terminal = Terminal([sys.executable, "-m", "dmlviz", "lesson.json"], 120, 36, tmp_path)
    terminal.until("step 8 of 8")

    def looks(word: str) -> list[tuple[bool, bool]]:
        """(bold, reversed) of a tensor's title; the form, at the left, names tensors too, and the memory, below."""
        lines = enumerate(terminal.screen.display)
        places = [(x, y) for y, line in lines for x in range(45, len(line)) if line.startswith(f" {word} ", x - 1)][:1]
        return [(terminal.screen.buffer[y][x].bold, terminal.screen.buffer[y][x].reverse) for x, y in places]

    assert looks("OutputTensor") == [(True, True)]
    assert looks("InputTensor") == [(False, False)]
    terminal.send("\x1b[Z")  # shift+tab: to the inputs
    terminal.until(lambda _: looks("InputTensor") == [(True, True)])
    assert looks("OutputTensor") == [(False, False)]
    terminal.send("q")
    assert terminal.ends() == 0
