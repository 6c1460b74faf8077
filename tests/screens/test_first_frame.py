"""The first frame: all is in its place in it, and nothing is imported or done before it that it doesn't show."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest
from support.driver import Driver, explore
from support.quiet_pilot import render_update
from textual._compositor import Compositor
from textual.geometry import Region
from textual.widget import Widget

from dmlviz.screens.explorer.explorer import Explorer
from dmlviz.session import examples
from dmlviz.widgets.fields.form import Form

LATE = (
    "dmlviz.api",
    "dmlviz.exporters",
    "dmlviz.importers",
    "dmlviz.kernels",
    "dmlviz.operators.fixes",
    "dmlviz.recording",
    "dmlviz.running.engine",
    "dmlviz.screens.dialogs",
    "dmlviz.screens.learn",
    "dmlviz.screens.present",
    "dmlviz.teaching",
    "dmlviz.timing",
    "dmlviz.web",
    "argparse",
    "numba",
    "rich.markdown",
    "zipfile",
)
"""Packages and modules of which nothing is imported before the first frame, modules that only hold others left out."""
WATCHED = """
import sys
from textual.app import App

display, explored = App._display, []

def watched(app, screen, update):
    display(app, screen, update)
    if update is not None and type(screen).__name__ == "Explorer":
        import gc
        print(gc.isenabled(), *sys.modules)
        sys.stdout.flush()
        import os
        os._exit(0)

App._display = watched
from textual.drivers.headless_driver import HeadlessDriver
App.get_driver_class = lambda app: HeadlessDriver
for stream in (sys.stdin, sys.stdout, sys.stderr):
    stream.isatty = lambda: True
from dmlviz.cli import main
"""


def is_late(module: str, late: str) -> bool:
    return module == late or module.startswith(f"{late}.")


@pytest.mark.integration
def test_what_the_first_frame_does_not_show_is_not_imported_before_it() -> None:
    code = f"{WATCHED}\nmain(['gather-2'])"
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert "dmlviz.scene.drawing.stack_lines" in told, "the picture is in the frame"
    packages = {"dmlviz.kernels", "dmlviz.operators.fixes", "dmlviz.operators.misreadings"}  # their paths are walked
    early = [each for each in told[1:] if any(is_late(each, late) for late in LATE) and each not in packages]
    assert early == []
    assert told[0] == "False", "the garbage collector waits, too"


@pytest.mark.parametrize("command", ["--version", "--help"])
def test_a_command_that_asks_nothing_imports_no_numpy(command: str) -> None:
    code = (
        f"import sys, atexit, dmlviz.cli\natexit.register(lambda: print(*sys.modules))\ndmlviz.cli.main([{command!r}])"
    )
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert "dmlviz.cli.entry" in told
    assert not {"numpy", "textual", "argparse", "dmlviz.api"} & set(told)


def is_seen(widget: Widget) -> bool:
    """True of what has a name and a place; fields, and the mark at their end, may take that of their text later."""
    is_end = widget.id == "form-hint" and isinstance(widget.parent, Form) and widget.parent.id == "strip"
    return bool(widget.id and widget.is_on_screen and widget.id not in ("label", "form-draft") and not is_end)


@pytest.mark.integration
@pytest.mark.parametrize("size", [(60, 20), (80, 24), (120, 36), (200, 50)])
@pytest.mark.parametrize("name", ["gather-2", "join-1", "rule-axis-range", "tile-1"])
def test_the_first_frame_has_everything_where_it_stays(
    name: str, size: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    frames: list[dict[str | None, Region]] = []
    pictures: list[Any] = []

    def sent(self: Compositor, *given: Any, **named: Any) -> Any:
        update = render_update(self, *given, **named)
        if update is not None and isinstance(self.root, Explorer) and not self.root.app._batch_count:
            explorer = self.root
            frames.append({each.id: each.region for each in explorer.query("*") if is_seen(each)})
            pictures.append(explorer.state.picture.scene)
        return update

    monkeypatch.setattr(Compositor, "render_update", sent)

    async def script(driver: Driver) -> None:
        await driver.settle()
        first = frames[0]
        assert first == {each.id: each.region for each in driver.screen.query("*") if is_seen(each)}
        assert all(each is pictures[0] for each in pictures)
        assert (pictures[0] is None) == (driver.screen.state.view.trace is None)

    explore(script, examples.example(name).session(), size=size)
