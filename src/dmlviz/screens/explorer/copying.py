"""What is shown as text, for the clipboard or a file."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

from msgspec import Struct
from textual.screen import Screen

from ...desc.npy_files import resolved
from ...errors import DmlvizError, plain
from ...scene.drawing.text_picture import text_picture
from ...scene.look import Look
from ...session import tokens
from ...session.examples import without_example_task
from ...session.experiments import Experiment, Session
from ...session.whole_files import write_whole
from ...session.writing import dump
from ...workspace.shown.state import State
from ..dialogs.copy_text import fits_clipboard, length_in_words, too_long_sentence
from ..dialogs.file_names import path_of
from ..downloads import downloads_of

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


async def copy(screen: Screen[Any], state: State, session: Session, formula: str) -> None:
    """Asks what to copy as text, and copies it or writes it to a file."""
    from ..dialogs.copy_menu import CopyMenu

    experiment = state.document.experiment
    texts: dict[str, tuple[str, str, Callable[[], str]]] = {}
    verdict = state.comparison
    if verdict is not None and verdict.mark != "…":
        paths = [f"{line.left} {line.right}" for line in verdict.path.brief] if verdict.path is not None else ()
        texts["the verdict"] = "of the comparison", "verdict.txt", lambda: "\n".join((verdict.sentence, *paths, ""))
    if formula:
        shown = formula if len(formula) <= 60 else f"{formula[:59]}…"
        texts["the formula"] = shown, "formula.txt", lambda: f"{formula}\n"
    if state.picture.scene is not None:
        texts["the picture"] = "as it stands, without colours", "picture.txt", lambda: picture_text(state)
    texts["the desc"] = (
        "this experiment as a session file, in JSON",
        "desc.json",
        lambda: desc_text(experiment, session.title),
    )
    if state.view.report.ok is not False:
        about = "this experiment in NumPy, the lines of a slide"
        texts["the snippet"] = about, "slide.py", lambda: snippet_text(experiment, session.folder)
    if experiment.notes:
        texts["the notes"] = "in Markdown", "notes.md", lambda: experiment.notes
    chosen = await screen.app.push_screen_wait(CopyMenu({name: about for name, (about, _, _) in texts.items()}))
    if chosen is not None:
        name, to_file = chosen
        _, file, text_of = texts[name]
        try:
            text = text_of()
        except DmlvizError as error:
            screen.notify(str(error), severity="error", markup=False)
        else:
            await _hand_out(screen, Copy(name, file, text, to_file))


async def copy_token(screen: Screen[Any], experiment: Experiment) -> None:
    """Copies a token that holds the experiment; says why where there can be none."""
    try:
        text = await asyncio.to_thread(tokens.to_token, experiment)
    except DmlvizError as error:
        screen.notify(str(error), severity="error", markup=False)
    else:
        hint = "`dmlviz TOKEN` opens it, and so does a paste here."
        await _hand_out(screen, Copy("the token", "token.txt", text, hint=hint))


async def _hand_out(screen: Screen[Any], copy: Copy) -> None:
    """Copies a text, and says how much it was; what is too much for that goes to a file that is asked for."""
    if not copy.to_file and fits_clipboard(copy.text):
        screen.app.copy_to_clipboard(copy.text)
        screen.notify(f"copied {copy.what}: {length_in_words(copy.text)}. {copy.hint}", markup=False)
        return
    if not copy.to_file:
        screen.notify(too_long_sentence(copy.what, copy.text), markup=False)
    if (downloads := downloads_of(screen.app)) is None:
        await _write_to_file(screen, copy)
    elif name := await downloads.send(copy.file, copy.text.encode(errors="replace"), {}):
        screen.notify(f"your browser has {name}: {length_in_words(copy.text)}", markup=False)
    else:
        text = f"The browser didn't take {copy.file}, expected it to be saved."
        screen.notify(text, severity="error", markup=False)


async def _write_to_file(screen: Screen[Any], copy: Copy) -> None:
    from ..dialogs.ask_name import write_asked
    from ..dialogs.asking import AskReplace

    async def write(name: str) -> str:
        path = path_of(name)
        if path.exists() and not await screen.app.push_screen_wait(AskReplace(name)):
            return ""
        write_whole(resolved(path), copy.text.encode())
        return f"wrote {copy.what} to {plain(name)}: {length_in_words(copy.text)}"

    await write_asked(screen, f"Write {copy.what} to", copy.file, write)


def desc_text(experiment: Experiment, title: str) -> str:
    """A session file's text with the experiment alone, without its example's task."""
    return dump(Session((without_example_task(experiment),), title), views=False)


def snippet_text(experiment: Experiment, folder: Path | None) -> str:
    """The experiment in NumPy as a slide has it. Raises DmlvizError where that takes files beside it."""
    from ...exporters.lib import exporting, writing

    made = exporting.snippet(Session((experiment,), folder=folder), "numpy")
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
