"""Help for the pane that has the focus: what it is, and the keys that work there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rich.console import Group, RenderableType
from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import VerticalScroll
from textual.widgets import Label, Static

from ...widgets.commands import BY_ID, listed
from ...widgets.inks import inks_of
from .dialog import Dialog
from .key_sheet import shown_keys

PANES: dict[str, tuple[str, str]] = {
    "form": (
        "The desc",
        "What you build: the fields of the operator's desc. Every keystroke is checked. In a number, ↑ and ↓ step it; "
        "a field that says auto is inferred until you type into it. Letters and digits are text here; "
        "tab leaves for the next field, F6 for the next pane.",
    ),
    "strip": (
        "The desc in one line",
        "The fields that decide what the operator does, where there is no room for the form beside the picture. Every "
        "keystroke is checked, and the picture follows. ← and → go from number to number, ↑ and ↓ step it, digits "
        "replace it, backspace takes it away; what says auto is inferred until you type into it. Letters and digits "
        "are text here; escape leaves for the picture, F2 for the whole form.",
    ),
    "rules": (
        "The rules",
        "Every rule that DirectML holds against the desc. Broken ones stand first, with the field that they name; "
        "F3 jumps to it. Rules that hold collapse to one line.",
    ),
    "inputs": (
        "The inputs",
        "What the operator reads. Move the cursor onto an element to see who reads it: its readers are marked at the "
        "right, and the formula line below counts them. A colour and a letter stand for the same thing on both sides.",
    ),
    "outputs": (
        "The output",
        "What the operator writes. Move the cursor onto an element: where its value comes from is marked at the left, "
        "and written out in the formula line below. Play, or step, to see it written element by element: what isn't "
        "written yet is hidden, wherever it would show. The last step, or escape without pins, shows the whole again.",
    ),
    "why": (
        "Why it is invalid",
        "Each broken rule with what was found and what is expected, where that is written, and fixes that were tried "
        "on a copy before they are offered. A fix's number applies it; undo takes it back.",
    ),
    "notes": ("The notes", "What the session's author has to say about this experiment, in Markdown."),
    "notes-wide": ("The notes", "What the session's author has to say about this experiment, in Markdown."),
}
GENERAL = (
    "dmlviz",
    "At the left you build a desc and see the rules it is held to; at the right every element shows where it comes "
    "from. Edits are kept as you make them: undo goes back as far as you like, and a crash loses nothing.",
)
KINDS = {
    "form": "form",
    "field": "number",
    "strip": "strip",
    "choices": "choices",
    "rules": "rules",
    "why": "why",
    "inputs": "picture",
    "outputs": "picture",
    "cell-entry": "cell",
}
"""Which kind of pane a widget is, by its id."""
EVERYWHERE = (
    "rules.next",
    "view.pane",
    "edit.undo",
    "session.open",
    "session.save",
    "session.export",
    "session.import",
    "app.keys",
    "app.quit",
)


class HelpSheet(Dialog[None]):
    """Any of esc, enter, space and F1 closes it."""

    CSS_PATH = "dialog.tcss"
    BINDINGS = [Binding("escape,f1,q,enter,space", "dismiss", "Close", show=False, id="help.close")]

    def __init__(self, focused: Sequence[str], keymap: Mapping[str, str]) -> None:
        """`focused` are the ids of the widget with the focus and of those around it, the innermost first."""
        super().__init__()
        pane = next((name for name in focused if name in PANES), "")
        self._title, self._about = PANES.get(pane, GENERAL)
        self._keymap = keymap
        kinds = {KINDS[name] for name in focused if name in KINDS}
        every = [command for command in listed() if command.keys]
        self._here = [c for c in every if c.pane in kinds or ("picture" in kinds and c.group == "steps")]
        if pane == "why":
            self._here.append(BY_ID["fix.first"])
        self._everywhere = [BY_ID[name] for name in EVERYWHERE]

    def compose(self) -> ComposeResult:
        with VerticalScroll(classes="dialog help"):
            yield Label(self._title, classes="question")
            yield Static(self._text())
            yield Label("? lists every key · ↑ ↓ scroll · esc closes", classes="hint")

    def on_click(self) -> None:
        self.dismiss()

    def _text(self) -> RenderableType:
        inks = inks_of(self.app.theme_variables, "surface")
        keys = Text()
        for title, found in (("Keys here", self._here), ("Keys everywhere", self._everywhere)):
            if not found:
                continue
            keys.append(f"\n{title}\n", f"bold {inks.text.hex}")
            for each in found:
                keys.append(f"{shown_keys(self._keymap.get(each.id, each.keys)):>10}  ", f"bold {inks.accent.hex}")
                keys.append(f"{each.title}", inks.text.hex)
                keys.append(f"  {each.help}\n" if each.help else "\n", inks.muted.hex)
        return Group(Text(self._about, style=inks.text.hex), keys)
