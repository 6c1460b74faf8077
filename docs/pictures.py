"""Draws the pictures in this folder from the real screens: `python docs/pictures.py`.

The SVG that Textual exports links a font from the web; these name the reader's own monospaced fonts instead.
"""

from __future__ import annotations

import asyncio
import re
from dataclasses import dataclass
from pathlib import Path

from dmlviz import library
from dmlviz.app import DmlvizApp
from dmlviz.themes import DARK, LIGHT

FOLDER = Path(__file__).parent
FONTS = "ui-monospace, 'DejaVu Sans Mono', 'Cascadia Mono', Menlo, Consolas, monospace"


@dataclass(frozen=True)
class Picture:
    """A state of the explorer: an example, a size, and the keys that lead there."""

    name: str
    example: str
    size: tuple[int, int] = (120, 36)
    keys: tuple[str, ...] = ()
    theme: str = DARK.name


PICTURES = (
    Picture("explorer", "gather-2", keys=("home", *["full_stop"] * 5)),
    Picture("invalid", "gather-3-as-printed"),
    Picture("join", "join-2-axis-2", keys=("home", *["full_stop"] * 8), theme=LIGHT.name),
)


async def draw(picture: Picture) -> str:
    """The SVG of one picture."""
    app = DmlvizApp(library.example(picture.example).session())
    app.theme = picture.theme
    async with app.run_test(size=picture.size) as pilot:
        await pilot.pause()
        await pilot.press(*picture.keys)
        await pilot.pause()
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


def main() -> None:
    for picture in PICTURES:
        (FOLDER / f"{picture.name}.svg").write_text(asyncio.run(draw(picture)), "utf-8")
        print(f"docs/{picture.name}.svg")


if __name__ == "__main__":
    main()
