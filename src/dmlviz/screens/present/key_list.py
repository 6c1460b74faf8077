"""The keys in front of a class, made from the bindings themselves."""

from __future__ import annotations

from collections.abc import Iterable

from textual.binding import Binding

from ...widgets.lib.commands import keyboard_names
from ..dialogs.help import Help, rows_of


class KeyList(Help):
    """Every key with what it does. A clicker closes it, too: whoever has nothing else is never held up."""

    CSS_PATH = "../dialogs/dialog.tcss"
    BINDINGS = [Binding("pagedown,pageup", "dismiss", "Close", show=False, priority=True, id="present-keys.close")]

    def __init__(self, bindings: Iterable[Binding]) -> None:
        rows: dict[str, list[str]] = {}
        for binding in bindings:
            if binding.id:  # Textual's own have none
                shown = "← → ↑ ↓" if binding.key_display == "arrows" else keyboard_names(binding.key)
                rows.setdefault(binding.description, []).append(shown)
        told = [(" ".join(keys), description) for description, keys in rows.items()]
        super().__init__("In front of a class", lambda inks: [rows_of(told, inks)])
