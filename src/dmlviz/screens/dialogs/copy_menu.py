"""Copy what is shown as text: to the clipboard, or to a file."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Horizontal, Vertical
from textual.widgets import Button, Label, OptionList
from textual.widgets.option_list import Option

from ...errors import plain
from ...scene.figure import Look
from ...scene.printed import as_text, page, widths
from ...scene.stack import arrange
from ...scene.zoom import Zoom
from ...session.experiments import Session
from ...session.whole_files import write_whole
from ...session.writing import dump
from ...widgets.formula_line import FormulaLine
from ...widgets.shelf import Shelf
from .dialog import Dialog

if TYPE_CHECKING:
    from ..explorer.explorer import Explorer

MOST = 100_000
"""Bytes that terminals take through OSC 52; beyond that it is a file."""
LARGEST = (200, 400)
"""Columns of each side, and lines, of a picture as text."""


class CopyMenu(Dialog[tuple[str, bool] | None]):
    """What to copy, and whether it goes to a file; `found` maps a name to a sentence about it."""

    CSS_PATH = "dialog.tcss"
    BINDINGS = [
        Binding("escape", "dismiss(None)", "Cancel", id="copy.cancel"),
        Binding("f", "chosen(True)", "To a file", id="copy.file"),
    ]

    def __init__(self, found: dict[str, str]) -> None:
        super().__init__()
        self._found = found

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog"):
            yield Label("Copy as text", classes="question")
            yield Shelf(
                *(
                    Option(Text.assemble((what.capitalize(), "bold"), f"\n{about}"))
                    for what, about in self._found.items()
                ),
                id="copies",
            )
            with Horizontal(classes="buttons flow"):
                yield Button("To the clipboard (enter)", id="clipboard", compact=True)
                yield Button("To a file (f)", id="file", compact=True)
                yield Button("Cancel (esc)", id="cancel", compact=True)

    def on_mount(self) -> None:
        self.query_one(OptionList).highlighted = 0

    @on(OptionList.OptionSelected)
    def _selected(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        self.action_chosen(False)

    @on(Button.Pressed)
    def _pressed(self, event: Button.Pressed) -> None:
        event.stop()
        if event.button.id == "cancel":
            self.dismiss(None)
        else:
            self.action_chosen(event.button.id == "file")

    def action_chosen(self, to_file: bool) -> None:
        number = self.query_one(OptionList).highlighted
        if number is not None:
            self.dismiss((list(self._found)[number], to_file))


async def copy(explorer: Explorer) -> None:
    """Asks what, and copies it; says how much it was."""
    made: dict[str, tuple[str, str, Callable[[], str]]] = {}
    formula = formula_text(explorer)
    if formula:
        shown = formula if len(formula) <= 60 else f"{formula[:59]}…"
        made["the formula"] = shown, "formula.txt", lambda: f"{formula}\n"
    if explorer.scene is not None:
        made["the picture"] = "as it stands, without colours", "picture.txt", lambda: picture_text(explorer)
    made["the desc"] = "this experiment as a session file, in JSON", "desc.json", lambda: desc_text(explorer)
    if explorer.experiment.notes:
        made["the notes"] = "in Markdown", "notes.md", lambda: explorer.experiment.notes
    chosen = await explorer.app.push_screen_wait(CopyMenu({name: about for name, (about, _, _) in made.items()}))
    if chosen is None:
        return
    name, to_file = chosen
    _, file, text_of = made[name]
    text = text_of()
    if to_file:
        await _to_file(explorer, name, file, text, count_of(text))
    else:
        await take(explorer, name, file, text, "Where the terminal keeps no clipboard, f makes a file.")


async def take(explorer: Explorer, what: str, file: str, text: str, hint: str) -> None:
    """Copies `text`, and says how much it was; what is too much for a clipboard goes to a file that is asked for."""
    count = count_of(text)
    if fits(text):
        explorer.app.copy_to_clipboard(text)
        explorer.notify(f"copied {what}: {count}. {hint}", markup=False)
    else:
        explorer.notify(too_long(what, text), markup=False)
        await _to_file(explorer, what, file, text, count)


def count_of(text: str) -> str:
    return f"{len(text):,} {'character' if len(text) == 1 else 'characters'}"


def fits(text: str) -> bool:
    """True if terminals take it for their clipboard."""
    return len(text.encode()) <= MOST


def too_long(what: str, text: str) -> str:
    return f"{what} has {count_of(text)}, too many for a clipboard in a terminal: a file takes it."


async def _to_file(explorer: Explorer, what: str, name: str | None, text: str, count: str) -> None:
    from .ask_name import AskName
    from .ask_replace import AskReplace

    while True:
        name = await explorer.app.push_screen_wait(AskName(f"Write {what} to", name or ""))
        if name is None:
            return
        path = Path(name).expanduser()
        if path.exists() and not await explorer.app.push_screen_wait(AskReplace(name)):
            continue
        try:
            write_whole(path.resolve(), text.encode())
        except (OSError, ValueError, RuntimeError) as error:
            reason = getattr(error, "strerror", None) or "not a file name"
            explorer.notify(f"{plain(name)} can't be written: {reason}.", severity="error", markup=False)
            continue
        explorer.notify(f"wrote {what} to {plain(name)}: {count}", markup=False)
        return


def formula_text(explorer: Explorer) -> str:
    """The formula line as it stands, on one line."""
    return " ".join(explorer.query_one(FormulaLine).text.split())


def desc_text(explorer: Explorer) -> str:
    return dump(Session((explorer.experiment,), explorer.document.session.title))


def picture_text(explorer: Explorer) -> str:
    """Both sides from their upper left corner, cut where they are larger than anybody would print."""
    if explorer.scene is None or explorer.steps is None:
        return ""
    columns, lines = LARGEST
    # As on a screen of that size, with values whatever the zoom is.
    scene = arrange(explorer.scene.trace, 2 * columns, lines, Zoom.VALUES).following(explorer.cursor)
    (left, right), high = widths(scene), max(scene.inputs.height, scene.outputs.height)
    look = explorer.player.look(explorer.steps, Look())
    text = as_text(page(scene, min(left, columns), min(right, columns), min(high, lines), look))
    if explorer.shown.caption:
        text = f"{explorer.shown.caption}\n{text}"
    if max(left, right) > columns or high > lines:
        text += f"(each side is cut to {columns} columns and {lines} lines)\n"
    return text
