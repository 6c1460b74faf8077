"""The rules: what is broken, what waits, and that the others hold."""

from __future__ import annotations

from rich.console import Group, RenderableType
from rich.rule import Rule
from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import VerticalScroll
from textual.widgets import Static

from ..checks import Severity
from ..operators import operator_of
from ..scene.shown import Shown
from .inks import inks_of


class RulesPanel(VerticalScroll, can_focus=True):
    """Rules that hold collapse to one line; enter or a click opens them."""

    BINDINGS = [Binding("enter", "open_all", "All rules", id="rules.open")]

    def __init__(self, *, id: str) -> None:  # noqa: A002
        super().__init__(id=id)
        self._open = False
        self._shown: Shown | None = None
        self._said: tuple[str, ...] = ()

    def compose(self) -> ComposeResult:
        yield Static(id="rules-text")

    def show(self, shown: Shown, said: tuple[str, ...]) -> None:
        """`said` are sentences about fields that can't be read."""
        self._shown, self._said = shown, said
        self.query_one("#rules-text", Static).update(self._text(shown, said))

    def action_open_all(self) -> None:
        self._open = not self._open
        if self._shown is not None:
            self.show(self._shown, self._said)

    def on_click(self) -> None:
        self.action_open_all()

    def _text(self, shown: Shown, said: tuple[str, ...]) -> RenderableType:
        inks = inks_of(self.app.theme_variables, "surface")
        bold, muted, good = (f"bold {inks.text.hex}", inks.muted.hex, inks.accent.hex)
        bad, warn = f"bold {inks.error.hex}", f"bold {inks.warning.hex}"
        report = shown.report
        held = [c for c in report.checks if c.ok]
        text = Text(style=inks.text.hex)
        text.append("Rules", bold)
        broken = len(report.errors)
        if broken or said:
            count = broken + len(said)
            text.append(f"  {count} broken", bad)
        else:
            text.append(f"  {len(held)} of {len(held)} hold", muted)
        head, text = text, Text(style=inks.text.hex)
        for sentence in said:
            text.append("✘ ", bad)
            text.append(f"{sentence}\n")
        for check in report.failures:
            mark, style = {
                Severity.ERROR: ("✘ ", bad),
                Severity.WARNING: ("! ", warn),
                Severity.NOTE: ("i ", f"bold {good}"),
            }[check.severity]
            text.append(mark, style)
            if check.severity is Severity.ERROR:
                text.append(check.field, style)
                text.append(f"  {check.id}\n", muted)
            else:
                text.append(f"{check.message}\n")
        for id_, on in dict.fromkeys((w.id, w.on) for w in report.waiting):
            text.append(f"… {id_} waits for {on}\n", muted)
        for sentence in shown.problems:
            text.append("! ", warn)
            text.append(f"{sentence} Fitted for the picture.\n")
        text.append("✔ ", f"bold {good}")
        others = "all hold" if not broken else f"{len(held)} others hold"
        text.append(f"{others} for what was read last" if said else others)
        text.append("   enter closes\n" if self._open else "   enter opens\n", muted)
        if self._open:
            for check in held:
                text.append("  ✔ ", good)
                text.append(f"{check.message}\n", muted)
        rule = Rule(style=inks.line.hex)
        if shown.live:
            meaning = operator_of(shown.experiment.desc).identity_of
            text.append("■ ", bold)
            text.append(f"colour: {meaning}\n", muted)
        return Group(head, rule, text)
