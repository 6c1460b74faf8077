"""Draws the pictures in this folder and the contact sheet from the real screens: `python docs/pictures.py [NAME...]`.

With names, only those pictures are drawn anew. `--every FOLDER` draws each state of the sheet at three sizes and in
three looks into a folder of its own, to be looked at before a change of the screens and after it.
The SVG that Textual exports links a font from the web; these name the reader's own monospaced fonts instead.
"""

from __future__ import annotations

import asyncio
import os
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from unittest import mock

from textual import events

import dmlviz as dml
from dmlviz.app import DmlvizApp
from dmlviz.desc.base import Desc
from dmlviz.desc.value_sources import Wired
from dmlviz.session import examples
from dmlviz.session.experiments import Experiment, Session
from dmlviz.themes import DARK, LIGHT

FOLDER = Path(__file__).parent
MEMORY = 16 << 30
"""Bytes of memory that pictures tell, so that they are the same on every machine."""
FONTS = "ui-monospace, 'DejaVu Sans Mono', 'Cascadia Mono', Menlo, Consolas, monospace"


@dataclass(frozen=True)
class Picture:
    """A state of the explorer: an example or a session, a size, and the keys that lead there."""

    name: str
    example: str | Session
    size: tuple[int, int] = (120, 36)
    keys: tuple[str, ...] = ()
    theme: str = DARK.name
    no_color: bool = False
    pasted: str = ""
    """What is pasted before the keys."""
    about: str = ""
    """What it is a picture of."""


def one(desc: Desc, **more: Any) -> Session:
    return Session((Experiment("one", desc, **more),))


def stepped(count: int) -> tuple[str, ...]:
    """The keys to step `count`."""
    return ("home", *["full_stop"] * count)


EIGHT = one(dml.Tile(dml.TensorDesc("FLOAT32", (2, 1, 2, 1, 3, 1, 2, 2)), (1, 2, 1, 1, 1, 2, 1, 1)))
GIANT = one(dml.ReverseSubsequences(dml.TensorDesc("INT8", (65535, 65535)), dml.TensorDesc("UINT32", (65535, 1)), 1))
TABLE = one(dml.Join((dml.TensorDesc("FLOAT32", (40, 12)), dml.TensorDesc("FLOAT32", (40, 20))), 1))
PASTED = """\
// from the issue tracker
UINT sizes[] = { 1, 1, 3, 2 };
UINT repeats[] = { 1, 1, 2, 3 };
UINT tiled[] = { 1, 1, 6, 6 };
DML_BUFFER_TENSOR_DESC inputBuffer = { DML_TENSOR_DATA_TYPE_FLOAT32, DML_TENSOR_FLAG_NONE, 4, sizes, nullptr, 24, 0 };
DML_BUFFER_TENSOR_DESC outputBuffer = { DML_TENSOR_DATA_TYPE_FLOAT32, DML_TENSOR_FLAG_NONE, 4, tiled, nullptr, 144, 0 };
DML_TENSOR_DESC input = { DML_TENSOR_TYPE_BUFFER, &inputBuffer };
DML_TENSOR_DESC output = { DML_TENSOR_TYPE_BUFFER, &outputBuffer };
DML_TILE_OPERATOR_DESC tile = { &input, &output, 4, repeats };
DML_OPERATOR_DESC desc = { DML_OPERATOR_TILE, &tile };
device->CreateOperator(&desc, IID_PPV_ARGS(&op));
"""
PATH = ("right_curly_bracket", "right_curly_bracket", "P")
"""The keys to the last of three stages, with the cursor's path through all."""


def unwired() -> Session:
    """Rotate half, of which the middle reads what there isn't."""
    session = examples.example("chain-rotate-half").session()
    halves, swapped, twice = session.experiments
    values = {**swapped.values, "InputTensors[0]": Wired("halfs", "OutputTensors[1]")}
    return replace(session, experiments=(halves, replace(swapped, values=values), twice))


README = (
    Picture("explorer", "gather-2", keys=stepped(5)),
    Picture("cursor", "gather-2", keys=("right", "down", "down")),
    Picture("edit", "gather-2", keys=("shift+tab", *["right"] * 3, "e", "2", "enter")),
    Picture("axis", "gather-2", keys=("f2", *["tab"] * 9, "1")),
    Picture("invalid", "gather-3-as-printed"),
    Picture("join", "join-2-axis-2", keys=stepped(8), theme=LIGHT.name),
    Picture("question", "gather-2", (80, 24), ("g",)),
    Picture("revealed", "gather-2", (80, 24), ("g", "a", "enter")),
)
SHEET = (
    Picture("join-valid", "join-2-axis-3", keys=stepped(7), about="JOIN along the last axis, mid-pass"),
    Picture("join-invalid", "rule-sizes-match", about="JOIN whose sizes don't match"),
    Picture("split-valid", "split-1", keys=stepped(9), about="SPLIT, mid-pass"),
    Picture("split-invalid", "rule-sizes-sum", about="SPLIT whose parts don't add up"),
    Picture("reverse-valid", "reverse-1", keys=stepped(6), about="REVERSE_SUBSEQUENCES, mid-pass"),
    Picture("reverse-invalid", "rule-lengths-sizes", about="REVERSE_SUBSEQUENCES with wrong lengths"),
    Picture("gather-valid", "gather-2", keys=stepped(5), about="GATHER, mid-pass"),
    Picture("gather-invalid", "gather-3-as-printed", about="GATHER as its page misprints it"),
    Picture("tile-valid", "tile-1", keys=stepped(12), about="TILE, mid-pass"),
    Picture("tile-invalid", "rule-sizes-repeat", about="TILE whose output has other sizes"),
    Picture("padding-valid", "padding-1", keys=stepped(14), about="PADDING, a related operator: constants"),
    Picture("padding-invalid", "rule-padding-sizes", about="PADDING whose output has other sizes"),
    Picture("slice-valid", "slice-1", about="SLICE1, a related operator, all written"),
    Picture("gather-elements-valid", "gather-elements-1", keys=stepped(4), about="GATHER_ELEMENTS, a related operator"),
    Picture("clamped", "warning-index-range", about="an index out of range"),
    Picture("eight", EIGHT, about="eight dimensions"),
    Picture("giant", GIANT, about="{65535, 65535} on both sides"),
    Picture("table", TABLE, about="more than fits"),
    Picture("no-color", "gather-2", keys=stepped(5), no_color=True, about="NO_COLOR"),
    Picture("light", "gather-2", keys=stepped(5), theme=LIGHT.name, about="the light theme"),
    Picture("light-invalid", "gather-3-as-printed", theme=LIGHT.name, about="the light theme, invalid"),
    Picture("small", "gather-2", (80, 24), stepped(5), about="80x24, the picture"),
    Picture("small-form", "gather-3-as-printed", (80, 24), ("f2",), about="80x24, the form, invalid"),
    Picture("large", "gather-2", (200, 50), stepped(5), about="200x50"),
    Picture("large-invalid", "gather-3-as-printed", (200, 50), about="200x50, invalid"),
    Picture("chain", "chain-rotate-half", keys=PATH, about="a chain, and an element's path through it"),
    Picture(
        "chain-invalid", unwired(), keys=PATH[:1], about="a wire to a missing output; what reads it is not checked"
    ),
    Picture("chain-question", "chain-rotate-half", keys=(*PATH[:2], "g"), about="a question about all stages"),
    Picture("slices", "join-2-axis-1", keys=("s", *stepped(2)), about="steps by run of memory"),
    Picture("blocks", TABLE, keys=("z",), about="blocks of colour"),
    Picture("levels", "gather-2", keys=("v",), about="feature levels, types and dimensions"),
    Picture("notes", "gather-2", keys=("n",), about="writing notes"),
    Picture("experiments", "gather-2", keys=("ctrl+e",), about="the session's experiments"),
    Picture("key", "gather-2", keys=("p",), about="the colour key"),
    Picture("keys", "gather-2", keys=("question_mark",), about="the keys"),
    Picture("open", "gather-2", keys=("ctrl+o",), about="opening an example"),
    Picture("export", "gather-2", keys=("x",), about="exporting, with the source text"),
    Picture("ask-pictures", "gather-2", keys=("g",), about="which picture is it?"),
    Picture("ask-wrong", "gather-2", keys=("g", "a", "enter"), about="a wrong answer, and the output"),
    Picture("ask-cell", "join-1", keys=("g", "s", "enter", "3"), about="what is the value?"),
    Picture("import", "gather-2", pasted=PASTED, about="importing what was pasted"),
)


SIZES = ((80, 24), (120, 36), (200, 50))
LOOKS: dict[str, dict[str, Any]] = {
    "dark": {"theme": DARK.name},
    "light": {"theme": LIGHT.name},
    "no-color": {"no_color": True},
}


def every() -> Iterator[Picture]:
    """Each state of the sheet that isn't one of a size or look, at every size and in every look."""
    for picture in SHEET:
        if picture.size == Picture.size and picture.theme == DARK.name and not picture.no_color:
            for columns, lines in SIZES:
                for look, changes in LOOKS.items():
                    name = f"{picture.name}-{columns}x{lines}-{look}"
                    yield replace(picture, name=name, size=(columns, lines), **changes)


async def draw(picture: Picture) -> str:
    """The SVG of one picture."""
    opened = examples.example(picture.example).session() if isinstance(picture.example, str) else picture.example
    if picture.no_color:
        os.environ["NO_COLOR"] = "1"
    app = DmlvizApp(opened)
    os.environ.pop("NO_COLOR", None)
    app.theme = picture.theme
    with mock.patch("dmlviz.running.memory.available_memory", return_value=MEMORY):
        return await _shot(app, picture)


async def _shot(app: DmlvizApp, picture: Picture) -> str:
    async with app.run_test(size=picture.size) as pilot:
        await pilot.pause()
        if picture.pasted:
            app.post_message(events.Paste(picture.pasted))
            await pilot.pause(0.8)
        await pilot.press(*picture.keys)
        await pilot.pause(0.8)  # until what comes late, notes and previews, is there
        for field in app.screen.query("Input, TextArea").results():
            field.cursor_blink = False  # type: ignore[attr-defined]  # else it is there in every other drawing
        await pilot.pause()
        svg = app.export_screenshot(title="dmlviz")
    return own_fonts(svg)


def own_fonts(svg: str) -> str:
    """`svg` without links to fonts, and with ids that don't change from one drawing to the next."""
    svg = re.sub(r"@font-face\s*\{.*?\}\s*", "", svg, flags=re.DOTALL)
    svg = re.sub(r"\s*<!--.*?-->", "", svg, flags=re.DOTALL)
    svg = re.sub(r"font-family:\s*(Fira Code|arial)[^;]*;", f"font-family: {FONTS};", svg)
    svg = re.sub(r"terminal-\d+", "terminal", svg)
    return "\n".join(line.rstrip() for line in svg.splitlines()) + "\n"


def contact_sheet() -> str:
    """A page with every picture of the sheet."""
    cells = [f"![{p.about}]({p.name}.svg)<br>{p.about}" for p in SHEET]
    cells += [""] * (len(cells) % 2)
    rows = [f"| {left} | {right} |" for left, right in zip(cells[::2], cells[1::2], strict=True)]
    head = "# Contact sheet\n\nThe explorer's main states, drawn by `python docs/pictures.py`.\n\n| | |\n|---|---|\n"
    return head + "\n".join(rows) + "\n"


def main(names: list[str]) -> None:
    if names[:1] == ["--every"]:
        (folder := Path(names[1])).mkdir(parents=True, exist_ok=True)
        for picture in every():
            (folder / f"{picture.name}.svg").write_text(asyncio.run(draw(picture)), "utf-8")
            print(picture.name)
        return
    (FOLDER / "sheet").mkdir(exist_ok=True)
    for folder, pictures in ((FOLDER, README), (FOLDER / "sheet", SHEET)):
        for picture in pictures:
            if names and picture.name not in names:
                continue
            (folder / f"{picture.name}.svg").write_text(asyncio.run(draw(picture)), "utf-8")
            print(picture.name)
    (FOLDER / "sheet" / "README.md").write_text(contact_sheet(), "utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
