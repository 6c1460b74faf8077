"""The keys in front of a class, made from the bindings themselves."""

from __future__ import annotations

from collections.abc import Iterable

from rich.text import Text
from textual.binding import Binding

from ...widgets.lib.commands import keyboard_names
from ..dialogs.help import Help


class KeyList(Help):
    """Every key with what it does. A clicker closes it, too: whoever has nothing else is never held up."""

    CSS_PATH = "../dialogs/dialog.tcss"
    BINDINGS = [Binding("pagedown,pageup", "dismiss", "Close", show=False, priority=True, id="present-keys.close")]

    def __init__(self, bindings: Iterable[Binding]) -> None:
        rows: dict[str, list[str]] = {}
        for binding in bindings:
            if binding.id:  # Textual's own have none
                rows.setdefault(binding.description, []).append(keyboard_names(binding.key))
        lines = "\n".join(f"{' '.join(keys):>10}  {description}" for description, keys in rows.items())
        super().__init__("In front of a class", lambda inks: [Text(lines, inks.text.hex)])
