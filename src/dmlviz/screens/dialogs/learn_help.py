"""Help for a screen of the course: what one does there, its keys, the signs that are on it, and the terms."""

from __future__ import annotations

from typing import Any

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import VerticalScroll
from textual.screen import Screen
from textual.widgets import Label, Static

from ...teaching.words.catalogue import FIELDS, SIGNS, WORDS, found, sentence
from ...widgets.bars.footer_line import StateFooter
from ...widgets.lib.inks import inks_of
from ...widgets.lib.textual_private import text_on
from .dialog import Dialog


class LearnHelp(Dialog[None]):
    """Any of esc, enter, space, ? and F1 closes it."""

    CSS_PATH = "dialog.tcss"
    BINDINGS = [
        Binding(
            "escape,question_mark,f1,q,enter,space",
            "dismiss",
            "Close",
            show=False,
            priority=True,
            id="learn-help.close",
        )
    ]

    def __init__(self, screen: Screen[Any], footer: StateFooter[Any], topic: str) -> None:
        """Tells of `screen` as it stands, whose keys `footer` has; `topic` is lesson, question, level or map."""
        super().__init__()
        self._keys, self._on_screen = footer.told_keys(), text_on(screen)
        self._topic = topic

    def compose(self) -> ComposeResult:
        with VerticalScroll(classes="dialog help"):
            yield Label(self._say(f"help.{self._topic}"), classes="question", markup=False)
            yield Static(self.text)
            yield Label(self._say("help.closes"), classes="hint", markup=False)

    def on_click(self) -> None:
        self.dismiss()

    def _say(self, key: str) -> str:
        return sentence(key)

    @property
    def text(self) -> Text:
        """The signs, the words and the keys."""
        terms = found(self._on_screen)
        signs = [*found(self._on_screen, SIGNS), *(term for term in terms if term not in WORDS)]
        # A question is about one operator: fields that others have are no words of it.
        left_out = FIELDS - {*terms} if self._topic == "question" else ()
        words = [word for word in WORDS if word not in left_out]
        inks = inks_of(self.app.theme_variables, "surface")
        text = Text()
        for title, told in (("help.signs", signs), ("help.words", words)):
            text.append(f"{self._say(title)}\n", f"bold {inks.text.hex}")
            for each in told:
                name, _, about = each.partition(": ")
                text.append(f"  {name}  ", f"bold {inks.accent.hex}")
                text.append(f"{about}\n", inks.text.hex)
        text.append(self._say("help.keys"), f"bold {inks.text.hex}")
        text.append("\n")
        for pressed, what in self._keys:
            text.append(f"  {pressed} ", f"bold {inks.accent.hex}")
            text.append(what, inks.text.hex)
        return text
