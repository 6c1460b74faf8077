"""A panel of broken rules: a click on a fix applies it, one on a rule chooses that."""

from __future__ import annotations

from dataclasses import dataclass

from textual import events
from textual.message import Message

from ...scene.view_state import ViewState
from ...scene.words.reasons import Reason
from ..lib.inks import Inks
from ..lib.text_view import TextView
from .reason_text import Block, fix_button, fix_lines, fix_rows


class ReasonPanel(TextView):
    """Says what is broken, and in full once that is asked for."""

    COUNTS = True

    @dataclass
    class Chosen(Message):
        """A fix by number, from 0."""

        number: int

    @dataclass
    class Picked(Message):
        """A reason by number, from 0."""

        number: int

    def __init__(self, *, id: str) -> None:  # noqa: A002
        super().__init__(id=id)
        self._open = False
        self._view: ViewState | None = None
        self._serial = 0
        """Grows with what is said, so that it stands for a view without holding views against each other."""

    def action_details(self) -> None:
        """Says all, or no more than what matters first."""
        self._open = not self._open
        self._say()

    def _say(self) -> None:
        """Shows what is to be said now."""
        raise NotImplementedError

    def on_click(self, event: events.Click) -> None:
        meta = event.style.meta
        if "fix" in meta:
            self.post_message(self.Chosen(meta["fix"]))
        elif "reason" in meta:
            self.post_message(self.Picked(meta["reason"]))
        elif "details" in meta:
            self.action_details()

    def _mends(self, view: ViewState, reason: Reason, width: int, inks: Inks) -> Block:
        """The fix to be tried first as a button, and the others below it; nothing where there is none."""
        if not reason.fixes:
            return []
        desc, fixes = view.experiment.desc, view.why.fixes
        first, *others = reason.fixes
        button = fix_button(desc, first, fixes[first], width, inks)
        if self._open and others:
            return [button, fix_rows(desc, others, fixes, width, inks)]
        return [button, *fix_lines(others, fixes, inks)]
