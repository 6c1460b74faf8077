"""A panel of broken rules: a click on a fix applies it, one on a rule chooses that."""

from __future__ import annotations

from dataclasses import dataclass

from textual import events
from textual.message import Message
from textual.screen import Screen

from ...scene.view_state import ViewState
from ...scene.words.reasons import KEYS, Reason
from ..lib.commands import BY_ID, command_keys
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
        self._keys = "", "", ""

    def on_mount(self) -> None:
        self.screen.bindings_updated_signal.subscribe(self, self._reread_keys)

    def _reread_keys(self, screen: Screen[object]) -> None:
        """Names the keys anew where others work: the focus came to a field, or left it."""
        keys = self._key_of_first, self._key_of(1), self._key_of_details
        if screen is self.screen and keys != self._keys:
            self._keys = keys
            self._serial += 1
            self._say_reasons()

    def _key_of(self, number: int) -> str:
        """The key of fix `number`, from 0, that works from where the focus is."""
        return self._key_from_here(f"fix.{number + 1}", "fix", number)

    @property
    def _key_of_first(self) -> str:
        """The key of the first fix that mends what is shown."""
        return self._key_from_here("fix.first", "fix", -1)

    @property
    def _key_of_details(self) -> str:
        """The key that opens and closes the details."""
        return self._key_from_here("rules.all", "details")

    def _key_from_here(self, cmd: str, action: str, *parameters: object) -> str:
        """A command's key, or where a field has that as text, it behind the one that leads here."""
        keymap = getattr(self.screen, "keymap", {})
        ways = ("rules.go", cmd) if self.screen.check_action(action, parameters) is False else (cmd,)
        keys = [command_keys(BY_ID[way], keymap).partition(" ")[0] for way in ways]
        return " ".join(key.upper() if key[1:].isdigit() else key for key in keys if key)

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
        button = fix_button(desc, first, fixes[first], width, inks, self._key_of_first)
        keys = {n: self._key_of(n) for n in others if n < KEYS}
        if self._open and others:
            return [button, fix_rows(desc, others, fixes, width, inks, keys)]
        return [button, *fix_lines(others, fixes, inks, keys, self._key_of_details)]
