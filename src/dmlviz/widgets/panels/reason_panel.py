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

    @dataclass(repr=False, eq=False)
    class Chosen(Message):
        """A fix by number, from 0."""

        number: int

    @dataclass(repr=False, eq=False)
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
        """Opens or closes the details below what matters first."""
        self._open = not self._open
        self._say_reasons()

    def _say_reasons(self) -> None:
        """Shows what the panel has to say now."""
        raise NotImplementedError

    def on_click(self, event: events.Click) -> None:
        meta = event.style.meta
        if "fix" in meta:
            self.post_message(self.Chosen(meta["fix"]))
        elif "reason" in meta:
            self.post_message(self.Picked(meta["reason"]))
        elif "details" in meta:
            self.action_details()

    def _fix_rows(self, view: ViewState, reason: Reason, width: int, inks: Inks) -> Block:
        """The first fix as a button, and the others below it; nothing where a reason has no fix."""
        if not reason.fixes:
            return []
        desc, fixes = view.experiment.desc, view.why.fixes
        first, *others = reason.fixes
        button = fix_button(desc, first, fixes[first], width, inks)
        if self._open and others:
            return [button, fix_rows(desc, others, fixes, width, inks)]
        return [button, *fix_lines(others, fixes, inks)]
