"""Help for the pane or the field that has the focus: what it is, its rules, and the keys that work there."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import VerticalScroll
from textual.widgets import Label, Static

from ...scene.words.meaning import Meaning
from ...widgets.lib.commands import BY_ID, Command, command_keys, listed
from ...widgets.lib.inks import Inks, inks_of
from ...workspace.form.field_help import FieldHelp, RuleHelp, Standing
from .dialog import Dialog

PANES: dict[str, tuple[str, str]] = {
    "form": (
        "The desc",
        "What you build: the fields of the operator's desc. Every keystroke is checked. In a number, ↑ and ↓ step it; "
        "a field that says auto is inferred until you type into it. Letters and digits are text here, but in a whole "
        "number f, u and o do what they do elsewhere; F8 leads to the fixes, where digits apply them; "
        "tab leaves for the next field, F6 for the next pane.",
    ),
    "strip": (
        "The desc in one line",
        "The fields that decide what the operator does, where there is no room for the form beside the picture. Every "
        "keystroke is checked, and the picture follows. ← and → go from number to number, ↑ and ↓ step it, digits "
        "replace it, backspace takes it away; what says auto is inferred until you type into it. Digits are text here; "
        "f, u and o do what they do elsewhere, F8 leads to the fixes, escape to the picture, F2 to the whole form.",
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
        "written yet is hidden, wherever it would show. The last step, or escape, shows the whole again.",
    ),
    "why": (
        "Why it is invalid",
        "Each broken rule with what was found and what is expected, where that is written, and fixes that were tried "
        "on a copy before they are offered. A fix's number applies it, from a field after F8; undo takes "
        "it back.",
    ),
    "notes": ("The notes", "What the session's author has to say about this experiment, in Markdown."),
    "notes-wide": ("The notes", "What the session's author has to say about this experiment, in Markdown."),
}
GENERAL = (
    "dmlviz",
    "At the left you build a desc and see the rules it is held to; at the right every element shows where it comes "
    "from. Edits are kept as you make them: undo goes back as far as you like, and a crash loses a second at most.",
)
CHAIN = (
    "[n] is the stage that you look at; ──▶ is a wire, with the sizes that it carries. ✔ is valid, ✘ broken, … waits "
    "for another, ~ reads the same elements with other sizes; ⇠1 also reads stage 1, ‹2 and 2› are out of sight. "
    "On the path halves[1][0,3] is an element of output 1 of halves, ⇠ is where it comes from, and behind that stands "
    "the index there; ×2 is how many places it goes to. On a picture →0–6/8 says which columns are seen, ↓ which rows."
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

    BINDINGS = [Binding("escape,f1,q,enter,space", "dismiss", "Close", show=False, id="help.close")]

    def __init__(
        self,
        focused: Sequence[str],
        keymap: Mapping[str, str],
        field: FieldHelp | None = None,
        can: Callable[[Command], bool] = lambda command: True,
        meaning: Meaning | None = None,
        *,
        in_chain: bool = False,
    ) -> None:
        """`focused` are the ids of the widget with the focus and of those around it, the innermost first.

        `field` is what there is to know about the form's row that has the focus; `can` says which commands of the form
        have something to do there. `meaning` is what the operator means; `in_chain` has the signs of a chain explained.
        """
        super().__init__()
        self._in_chain = in_chain
        self._field, self._meaning = field, meaning
        pane = next((name for name in focused if name in PANES), "")
        self._title, self._about = PANES.get(pane, GENERAL)
        self._keymap = keymap
        kinds = {KINDS[name] for name in focused if name in KINDS}
        every = [command for command in listed() if command.keys]
        self._here = [c for c in every if c.pane in kinds or ("picture" in kinds and c.group == "steps")]
        if field is not None:
            self._here = [c for c in self._here if c.pane != "form" or can(c)]
        if pane == "why":
            self._here.append(BY_ID["fix.first"])
        self._everywhere = [BY_ID[name] for name in EVERYWHERE]

    def compose(self) -> ComposeResult:
        with VerticalScroll(classes="dialog help"):
            yield Label(self._field.title if self._field is not None else self._title, classes="question")
            yield Static(self._text())
            yield Label("? lists every key · ↑ ↓ scroll · esc closes", classes="hint")

    def on_click(self) -> None:
        self.dismiss()

    def _text(self) -> RenderableType:
        inks = inks_of(self.app.theme_variables, "surface")
        keys = Text()
        everywhere = self._everywhere if self._field is None else []
        for title, commands in (("Keys here", self._here), ("Keys everywhere", everywhere)):
            if not commands:
                continue
            keys.append(f"\n{title}\n", f"bold {inks.text.hex}")
            for cmd in commands:
                keys.append(f"{command_keys(cmd, self._keymap):>10}  ", f"bold {inks.accent.hex}")
                keys.append(f"{cmd.title}", inks.text.hex)
                keys.append(f"  {cmd.help}\n" if cmd.help else "\n", inks.muted.hex)
        if self._field is not None:
            return Group(*field_lines(self._field, inks), keys)
        told: list[RenderableType] = []
        if self._meaning is not None:
            head = Text.assemble(("\nThe operator\n", f"bold {inks.text.hex}"), (self._meaning.sentence, inks.text.hex))
            told = [head, Text(self._meaning.code, inks.accent.hex)] if self._meaning.code else [head]
        if self._in_chain:
            told.append(Text.assemble(("\nThe line of stages\n", f"bold {inks.text.hex}"), (CHAIN, inks.text.hex)))
        return Group(Text(self._about, style=inks.text.hex), *told, keys)


MARKS = {
    Standing.BROKEN: "✘",
    Standing.WARNS: "!",
    Standing.NOTED: "i",
    Standing.WAITS: "…",
    Standing.HOLDS: "✔",
}


def field_lines(field: FieldHelp, inks: Inks) -> Iterator[RenderableType]:
    """What a field is, what it may hold here, where that is written, and the rules that speak of it."""
    text, muted = inks.text.hex, inks.muted.hex
    if field.trouble:
        yield Text.assemble(("✘ ", f"bold {inks.error.hex}"), (field.trouble, f"bold {inks.error.hex}"))
    yield Text(field.about, text)
    table = Table.grid(padding=(0, 2, 0, 0))
    table.add_column(no_wrap=True, style=muted)
    table.add_column()
    if field.kind:
        table.add_row("In C", Text(field.kind, text))
    for i, line in enumerate(field.here):
        table.add_row("" if i else "Here", Text(line, f"bold {text}"))
    table.add_row("Page", Text(field.page, text))
    yield table
    if field.rules:
        yield Text("\nRules that speak of it", f"bold {text}")
    for rule in field.rules:
        yield _rule_table(rule, inks)


def _rule_table(rule: RuleHelp, inks: Inks) -> RenderableType:
    """A rule with its mark: its id and how it stands, and below that the rule in words and with the numbers."""
    ink = {Standing.BROKEN: inks.error, Standing.WARNS: inks.warning, Standing.WAITS: inks.muted}
    style = f"bold {ink.get(rule.standing, inks.accent).hex}"
    table = Table.grid(padding=(0, 1, 0, 0))
    table.add_column(no_wrap=True)
    table.add_column()
    words = Text(rule.id, f"bold {inks.text.hex}")
    words.append(f"  {rule.standing}", style if rule.standing is not Standing.HOLDS else f"not bold {inks.muted.hex}")
    if rule.sentence:
        words.append(f"\n{rule.sentence}", f"not bold {inks.text.hex}")
    if rule.message:
        words.append(f"\n{rule.message}", f"not bold {inks.muted.hex}" if rule.standing is Standing.HOLDS else style)
    table.add_row(Text(MARKS[rule.standing], style), words)
    return table
