"""What is shown as text, for the clipboard or a file."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable

from msgspec import Struct

from ...desc.npy_files import resolved
from ...errors import DmlvizError, plain, reason_of
from ...scene.drawing.text_picture import text_picture
from ...scene.look import Look
from ...session import tokens
from ...session.examples import without_example_task
from ...session.experiments import Experiment, Session
from ...session.whole_files import write_whole
from ...session.writing import dump
from ...workspace.state import State
from ..dialogs.copy_text import count_of, fits, too_long
from ..dialogs.file_names import path_of
from ..downloads import Downloads
from .files import Ask, Tell

LARGEST = (200, 400)
"""Columns of each side, and lines, of a picture as text."""


class Copy(Struct, frozen=True):
    """A text that leaves, and what it is called."""

    what: str
    file: str
    """A name for its file."""
    text: str
    to_file: bool = False
    hint: str = "Where the terminal keeps no clipboard, f makes a file."


async def ask(state: State, title: str, formula: str, ask: Ask) -> Copy | None:
    """Asks what to copy, and makes it."""
    from ..dialogs.copy_menu import CopyMenu

    experiment = state.document.experiment
    made: dict[str, tuple[str, str, Callable[[], str]]] = {}
    if formula:
        shown = formula if len(formula) <= 60 else f"{formula[:59]}…"
        made["the formula"] = shown, "formula.txt", lambda: f"{formula}\n"
    if state.picture.scene is not None:
        made["the picture"] = "as it stands, without colours", "picture.txt", lambda: picture_text(state)
    made["the desc"] = "this experiment as a session file, in JSON", "desc.json", lambda: desc_text(experiment, title)
    if experiment.notes:
        made["the notes"] = "in Markdown", "notes.md", lambda: experiment.notes
    chosen = await ask(CopyMenu({name: about for name, (about, _, _) in made.items()}))
    if chosen is None:
        return None
    name, to_file = chosen
    _, file, text_of = made[name]
    return Copy(name, file, text_of(), to_file)


async def token(experiment: Experiment, tell: Tell) -> Copy | None:
    """A token that holds the experiment; None where there can be none, which is told."""
    try:
        text = await asyncio.to_thread(tokens.to_token, experiment)
    except DmlvizError as error:
        tell(str(error), severity="error", markup=False)
        return None
    return Copy("the token", "token.txt", text, hint="`dmlviz TOKEN` opens it, and so does a paste here.")


async def take(
    copy: Copy, ask: Ask, tell: Tell, clip: Callable[[str], None], downloads: Downloads | None = None
) -> None:
    """Copies a text by `clip`, and says how much it was; what is too much for that goes to a file that is asked for."""
    if not copy.to_file and fits(copy.text):
        clip(copy.text)
        tell(f"copied {copy.what}: {count_of(copy.text)}. {copy.hint}", markup=False)
        return
    if not copy.to_file:
        tell(too_long(copy.what, copy.text), markup=False)
    if downloads is None:
        await _to_file(copy, ask, tell)
    elif name := await downloads.send(copy.file, copy.text.encode(errors="replace"), {}):
        tell(f"your browser has {name}: {count_of(copy.text)}", markup=False)
    else:
        tell(f"The browser didn't take {copy.file}, expected it to be saved.", severity="error", markup=False)


async def _to_file(copy: Copy, ask: Ask, tell: Tell) -> None:
    from ..dialogs.ask_name import AskName
    from ..dialogs.ask_replace import AskReplace

    name: str | None = copy.file
    while True:
        name = await ask(AskName(f"Write {copy.what} to", name or ""))
        if name is None:
            return
        try:
            path = path_of(name)
            if os.path.exists(path) and not await ask(AskReplace(name)):
                continue
            write_whole(resolved(path), copy.text.encode())
        except DmlvizError as error:
            tell(str(error), severity="error", markup=False)
            continue
        except (OSError, ValueError) as error:
            reason = reason_of(error)
            tell(f"{plain(name)} can't be written: {reason}.", severity="error", markup=False)
            continue
        tell(f"wrote {copy.what} to {plain(name)}: {count_of(copy.text)}", markup=False)
        return


def desc_text(experiment: Experiment, title: str) -> str:
    return dump(Session((without_example_task(experiment),), title), views=False)


def picture_text(state: State) -> str:
    """Both sides from their upper left corner, cut where they are larger than anybody would print."""
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
