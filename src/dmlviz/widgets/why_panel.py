"""Why a desc is refused: every broken rule in words, and the fixes that were verified."""

from __future__ import annotations

from dataclasses import dataclass

from rich.style import Style as RichStyle
from rich.text import Text
from textual import events
from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.message import Message
from textual.widgets import Static

from ..checks import E_INVALIDARG, Fix
from ..scene.shown import Shown
from .inks import inks_of


class WhyPanel(VerticalScroll, can_focus=True):
    """Lists broken rules with numbered fixes; a click on a fix applies it."""

    @dataclass
    class Chosen(Message):
        """A fix by number, from 0."""

        number: int

    def __init__(self, *, id: str) -> None:  # noqa: A002
        super().__init__(id=id)

    def compose(self) -> ComposeResult:
        yield Static(id="why-text")

    def show(self, shown: Shown) -> None:
        self.query_one("#why-text", Static).update(self._text(shown))

    def on_click(self, event: events.Click) -> None:
        number = event.style.meta.get("fix")
        if number is not None:
            self.post_message(self.Chosen(number))

    def _text(self, shown: Shown) -> Text:
        inks = inks_of(self.app.theme_variables, "surface")
        bold, muted, good, bad = f"bold {inks.text.hex}", inks.muted.hex, inks.accent.hex, f"bold {inks.error.hex}"
        report = shown.report
        text = Text(style=inks.text.hex)
        text.append("Why", bold)
        text.append(f"  E_INVALIDARG 0x{E_INVALIDARG:08X}", bad)
        lowest = (
            f"lowest level that accepts it: {report.lowest_level}" if report.lowest_level else "no level accepts it"
        )
        text.append(f"  {lowest}\n", muted)
        fixes = numbered(shown)
        for check in report.errors:
            text.append(f"\n{check.field}", bad)
            text.append(f" {check.message.removeprefix(check.field).strip()}\n")
            text.append(f"{check.id} · {check.page}\n", muted)
            for number, (owner, fix) in enumerate(fixes):
                if owner is not check:
                    continue
                click = RichStyle(meta={"fix": number})
                text.append(f" {number + 1} " if number < 9 else "   ", RichStyle.parse(f"bold {good}") + click)
                text.append(f" {fix.label}", RichStyle.parse(bold) + click)
                text.append("  mends all\n" if fix.mends_all else "  others stay broken\n", muted)
        return text


def numbered(shown: Shown) -> list[tuple[object, Fix]]:
    """The fixes in the order in which keys 1 to 9 apply them, each with the check that it mends."""
    return [(check, fix) for check in shown.report.errors for fix in check.fixes]
