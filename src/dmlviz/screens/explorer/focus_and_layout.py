"""The parts of the main screen: which has the focus, and how the room is shared."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.geometry import Size

from ...widgets.form import Form

if TYPE_CHECKING:
    from .explorer import Explorer

SMALLEST = (80, 24)
"""Columns and lines that the screen needs."""
TOO_SMALL = f"dmlviz needs {SMALLEST[0]} columns and {SMALLEST[1]} lines.\nMake the terminal larger; nothing is lost."


def fit(explorer: Explorer, size: Size) -> None:
    """Sets the classes by which the style sheet shares the room."""
    width, height = size
    explorer.set_class(width < 100, "narrow")
    explorer.set_class(width >= 170, "wide")
    explorer.set_class(height < 32, "low")
    explorer.set_class(height >= 44, "tall")
    explorer.set_class(width < SMALLEST[0] or height < SMALLEST[1], "tiny")


def swap(explorer: Explorer) -> None:
    """Changes between the form and the picture, where there is room for one of them."""
    explorer.toggle_class("form")
    if explorer.has_class("form"):
        explorer.query_one(Form).focus_row("Operator")
    else:
        explorer.picture.sides[1].focus()


def to_next(explorer: Explorer) -> None:
    """Puts the focus into the next pane."""
    panes = ["form", "rules", "inputs", "outputs"] + (["why"] if not explorer.shown.report.ok else [])
    focused = explorer.focused
    here = [n.id for n in (focused, *focused.ancestors)] if focused is not None else []
    at = next((i for i, name in enumerate(panes) if name in here), -1)
    name = panes[(at + 1) % len(panes)]
    if explorer.has_class("narrow"):
        explorer.set_class(name in ("form", "rules"), "form")
    if name == "form":
        explorer.query_one(Form).focus_row("Operator")
    else:
        explorer.query_one(f"#{name}").focus()
