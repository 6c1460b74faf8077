"""What is shown as text, for the clipboard."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

from textual.screen import Screen

from ...errors import DmlvizError
from ...scene.drawing.text_picture import text_picture
from ...scene.look import Look
from ...session import tokens
from ...session.experiments import Experiment, Session
from ...session.writing import dump
from ...workspace.shown.state import State
from ..dialogs.copy_text import copied

LARGEST = (200, 400)
"""Columns of each side, and lines, of a picture as text."""


async def copy(screen: Screen[Any], state: State, session: Session, formula: str) -> None:
    """Asks what to copy as text, and copies it."""
    from ..dialogs.choose import CopyMenu

    one = state.view.experiment
    texts: dict[str, tuple[str, Callable[[], str]]] = {}
    if formula:
        shown = formula if len(formula) <= 60 else f"{formula[:59]}…"
        texts["the formula"] = shown, lambda: f"{formula}\n"
    if state.picture.scene is not None:
        texts["the picture"] = "as it stands, without colours", lambda: picture_text(state)
    texts["the desc"] = (
        "this experiment as a session file, in JSON",
        lambda: desc_text(one, session.title),
    )
    if state.view.report.ok is not False:
        about = "this experiment in NumPy, the lines of a slide"
        texts["the snippet"] = about, lambda: snippet_text(one, session.folder)
    if one.notes:
        texts["the notes"] = "in Markdown", lambda: one.notes
    chosen = await screen.app.push_screen_wait(CopyMenu({name: about for name, (about, _) in texts.items()}))
    if chosen is not None:
        try:
            text = texts[chosen][1]()
        except DmlvizError as error:
            screen.notify(str(error), severity="error", markup=False)
        else:
            copied(screen, chosen, text)


async def copy_token(screen: Screen[Any], one: Experiment) -> None:
    """Copies a token that holds the experiment; says why where there can be none."""
    try:
        text = await asyncio.to_thread(tokens.to_token, one)
    except DmlvizError as error:
        screen.notify(str(error), severity="error", markup=False)
    else:
        copied(screen, "the token", text, " `dmlviz TOKEN` opens it, and so does a paste here.")


def desc_text(one: Experiment, title: str) -> str:
    """A session file's text with the experiment alone, without its example's task."""
    return dump(Session((one,), title), views=False)


def snippet_text(one: Experiment, folder: Path | None) -> str:
    """The experiment in NumPy as a slide has it. Raises DmlvizError where that takes files beside it."""
    from ...exporters.lib import exporting, writing

    made = exporting.snippet(Session((one,), folder=folder), "numpy")
    writing.require_alone(made, "x, which saves it with them")
    return str(made.content)


def picture_text(state: State) -> str:
    """Both sides from their upper left corner, cut where nobody would print them; "" without a picture."""
    picture = state.picture
    if picture.scene is None or picture.steps is None:
        return ""
    columns, lines = LARGEST
    look = picture.player.look(picture.steps, Look())
    drawn = text_picture(picture.scene.trace, 2 * columns, lines, most=columns, look=look, turned=state.view.turned)
    text = "\n".join(drawn.lines) + "\n"
    if state.view.caption:
        text = f"{state.view.caption}\n{text}"
    if drawn.is_cut:
        text += f"(each side is cut to {columns} columns and {lines} lines)\n"
    return text
