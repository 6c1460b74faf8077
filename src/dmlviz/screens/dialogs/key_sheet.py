"""The keys, by what they are for; made from the bindings themselves."""

from __future__ import annotations

from collections.abc import Mapping

from rich.table import Table
from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import VerticalScroll
from textual.widgets import Label, Static

from ...widgets.lib.commands import GROUPS, NO_KEY, keyboard_names, listed
from ...widgets.lib.inks import inks_of
from .dialog import Dialog

FIXES = "Apply fix 1 to 9"


class KeySheet(Dialog[None]):
    """Every key with what it does. Esc closes it, up and down scroll."""

    BINDINGS = [Binding("escape,question_mark,q,enter,space", "dismiss", "Close", show=False, id="keys.close")]

    def __init__(self, keymap: Mapping[str, str]) -> None:
        """`keymap` has the keys that the user gave to commands, by their ids."""
        super().__init__()
        self._keymap = keymap

    def compose(self) -> ComposeResult:
        with VerticalScroll(classes="dialog keys"):
            yield Label("Keys", classes="question")
            yield Static(self._table())
            yield Static(self._words())
            yield Label("letters and digits are text in a field · ↑ ↓ scroll · esc closes", classes="hint")

    def on_click(self) -> None:
        self.dismiss()

    def _words(self) -> Text:
        """The words and signs that a student hasn't met, each in a sentence."""
        from ...teaching.words.catalogue import TERMS, sentence

        inks = inks_of(self.app.theme_variables, "surface")
        text = Text(f"\n{sentence('help.words')}", f"bold {inks.text.hex}")
        for term in TERMS:
            name, _, about = term.partition(": ")
            text.append(f"\n{name:>15}  ", f"bold {inks.accent.hex}")
            text.append(about, f"not bold {inks.text.hex}")
        return text

    def _table(self) -> Table:
        inks = inks_of(self.app.theme_variables, "surface")
        grid = Table.grid(padding=(0, 3), expand=True)
        count = 3 if self.app.size.width >= 120 else 2
        for _ in range(count):
            grid.add_column(ratio=1)
        blocks = []
        for group, title in GROUPS.items():
            rows = rows_of(group, self._keymap)
            if rows:
                text = Text(title + "\n", style=f"bold {inks.text.hex}")
                for title_, keys in rows:
                    text.append(f"{keys:>11}  ", f"bold {inks.accent.hex}")
                    text.append(f"{title_}\n", f"not bold {inks.text.hex}")
                blocks.append(text)
        columns: list[list[Text]] = [[] for _ in range(count)]
        # The longest first, each into the shortest column, so that all end at about the same line.
        for block in sorted(blocks, key=_line_count, reverse=True):
            min(columns, key=lambda column: sum(map(_line_count, column))).append(block)
        grid.add_row(*(Text("\n").join(sorted(column, key=blocks.index)) for column in columns))
        return grid


def _line_count(block: Text) -> int:
    """How many lines a block has, with the empty one behind it."""
    return block.plain.count("\n") + 1


def rows_of(group: str, keymap: Mapping[str, str]) -> list[tuple[str, str]]:
    """(title, keys) of a group's commands that have keys, one row a title; the numbered fixes are one."""
    keys_of: dict[str, list[str]] = {}
    for cmd in listed():
        keys = keymap.get(cmd.id, cmd.keys)
        if cmd.group == group and keys and keys != NO_KEY:
            numbered = cmd.id.removeprefix("fix.").isdigit() and keys == cmd.keys
            keys_of.setdefault(FIXES if numbered else cmd.title, []).append(keyboard_names(keys))
    return [
        (title, "1 … 9" if title == FIXES and len(keys) == 9 else " ".join(keys)) for title, keys in keys_of.items()
    ]
