"""What is shown as text, for the clipboard."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
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


async def copy(screen: Screen[Any], state: State, formula: str) -> None:
    """Asks what to copy as text, and copies it; source text is copied from the export."""
    from ..dialogs.choose import CopyMenu

    one, about, texts = state.view.experiment, dict[str, str](), dict[str, Callable[[], str]]()
    if formula:
        about["the formula"] = formula if len(formula) <= 60 else f"{formula[:59]}…"
        texts["the formula"] = lambda: f"{formula}\n"
    if state.picture.scene is not None:
        about["the picture"] = "as it stands, without colours"
        texts["the picture"] = lambda: picture_text(state)
    about["the desc"] = "this experiment as a session file, in JSON"
    texts["the desc"] = lambda: dump(Session((one,)), views=False)
    chosen = await screen.app.push_screen_wait(CopyMenu(about))
    if chosen is not None:
        copied(screen, chosen, texts[chosen]())


async def copy_token(screen: Screen[Any], one: Experiment) -> None:
    """Copies a token that holds the experiment; says why where there can be none."""
    try:
        text = await asyncio.to_thread(tokens.to_token, one)
    except DmlvizError as error:
        screen.notify(str(error), severity="error", markup=False)
    else:
        copied(screen, "the token", text, " `dmlviz TOKEN` opens it, and so does a paste here.")


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
