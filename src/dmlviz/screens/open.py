"""Open an example, or a session file by its name."""

from __future__ import annotations

from pathlib import Path

from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.widgets import Input, Label, OptionList
from textual.widgets.option_list import Option

from .. import library
from ..errors import DmlvizError
from ..session import Session, load

Found = tuple[Session, Path | None]


class OpenDialog(ModalScreen[Found | None]):
    """A list of examples that typing narrows; the name of a file opens that. Saving an example asks for a name."""

    CSS_PATH = "ask.tcss"
    BINDINGS = [
        Binding("escape", "dismiss(None)", "Cancel", id="open.cancel"),
        Binding("down", "list(1)", "Next", show=False, id="open.next"),
        Binding("up", "list(-1)", "Previous", show=False, id="open.previous"),
    ]

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog"):
            yield Label("Open a session file or an example", classes="question")
            yield Input(placeholder="lesson.json, or a word to find an example by", id="name")
            yield Label("", classes="trouble")
            yield OptionList(id="shelf")
            yield Label("enter opens, ↑ ↓ choose, esc cancels", classes="hint")

    def on_mount(self) -> None:
        self._fill("")

    def _fill(self, words: str) -> None:
        shelf = self.query_one(OptionList)
        shelf.clear_options()
        for each in library.shelf():
            title = each.session().title
            if all(word in f"{each.name} {title}".lower() for word in words.lower().split()):
                line = Text.assemble((f"{each.name:<32} ", "bold"), title, no_wrap=True, overflow="ellipsis")
                shelf.add_option(Option(line, id=each.name))
        if shelf.option_count:
            shelf.highlighted = 0

    def action_list(self, by: int) -> None:
        shelf = self.query_one(OptionList)
        if shelf.option_count:
            shelf.highlighted = ((shelf.highlighted or 0) + by) % shelf.option_count

    @on(Input.Changed)
    def _typed(self, event: Input.Changed) -> None:
        event.stop()
        self._trouble("")
        self._fill(event.value)

    def _trouble(self, sentence: str) -> None:
        label = self.query_one(".trouble", Label)
        label.update(Text(sentence))
        label.set_class(bool(sentence), "on")

    @on(Input.Submitted)
    def _submitted(self, event: Input.Submitted) -> None:
        event.stop()
        text = event.value.strip()
        shelf = self.query_one(OptionList)
        is_file = text.endswith(".json") or "/" in text or Path(text).expanduser().is_file()
        if text and is_file:
            path = Path(text).expanduser()
            try:
                self.dismiss((load(path), path))
            except DmlvizError as error:
                self._trouble(str(error))
        elif shelf.highlighted is not None:
            self._open(shelf.get_option_at_index(shelf.highlighted).id)
        else:
            self._trouble("No example has that in its name or title; the name of a session file ends in .json.")

    @on(OptionList.OptionSelected)
    def _selected(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        self._open(event.option_id)

    def _open(self, name: str | None) -> None:
        if name is not None:
            self.dismiss((library.example(name).session(), None))
