"""The rules: what is broken, what waits, and that the others hold."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from rich.console import Group, RenderableType
from rich.rule import Rule
from rich.style import Style as RichStyle
from rich.text import Text
from textual import events
from textual.binding import Binding
from textual.message import Message

from ..checks import Severity
from ..operators import operator_of, sentence_of
from ..scene.reasons import Reason, code_of
from ..scene.shown import Shown
from .inks import Inks, inks_of
from .reason_text import bad, bold, code_lines, fix_rows, good, marked
from .text_view import Lines, TextView

WIDE = 60
"""Columns from which broken rules come with reason and fixes: the form has the screen to itself then."""


class RulesPanel(TextView):
    """Rules that hold collapse to one line; enter, a click or `o` opens them."""

    BINDINGS = [Binding("enter", "open_all", "All rules", id="rules.open")]

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
        self._shown: Shown | None = None
        self._said_fields: tuple[str, ...] = ()
        self._chosen: int | None = None
        self._serial = 0

    def show(self, shown: Shown, said: tuple[str, ...], chosen: int | None = None) -> None:
        """`said` are sentences about fields that can't be read, `chosen` the reason that is looked at."""
        if shown is not self._shown:
            self._serial += 1
        self._shown, self._said_fields, self._chosen = shown, said, chosen
        self._say()

    def action_open_all(self) -> None:
        self._open = not self._open
        self._say()

    def _say(self) -> None:
        if self._shown is not None:
            self.say(self._text, (self._serial, self._said_fields, self._chosen, self._open))

    def on_click(self, event: events.Click) -> None:
        meta = event.style.meta
        if "fix" in meta:
            self.post_message(self.Chosen(meta["fix"]))
        elif "reason" in meta:
            self.post_message(self.Picked(meta["reason"]))
        elif "held" in meta:
            self.action_open_all()

    def _text(self, width: int, height: int) -> Lines:
        assert self._shown is not None
        shown, said, inks = self._shown, self._said_fields, inks_of(self.app.theme_variables, "surface")
        report, muted = shown.report, inks.muted.hex
        held = [c for c in report.checks if c.ok]
        broken = len(report.errors) + len(said)
        head = Text("Rules", bold(inks))
        if broken:
            head.append(f"  {broken:,} broken", bad(inks))
        else:
            head.append(f"  {len(held)} of {len(held)} hold", f"not bold {muted}")
        if width >= WIDE and shown.why.errors and shown.why.fixes:
            head.append("   F6 comes here, then f or 1 to 9 applies a fix", f"not bold {muted}")
        parts: list[RenderableType] = [head, Rule(style=inks.line.hex)]
        parts += [marked("✘", sentence, bad(inks), inks) for sentence in said]
        for number, reason in enumerate(shown.why.reasons):
            parts += self._reason(number, reason, width, inks)
        if width >= WIDE and shown.why.fixes and shown.why.errors:
            chosen = shown.why.errors[min(self._chosen or 0, len(shown.why.errors) - 1)]
            parts.append(fix_rows(shown.experiment.desc, chosen.fixes, shown.why.fixes, width, inks))
        parts += [marked("i", c.message, good(inks), inks) for c in report.failures if c.severity is Severity.NOTE]
        waits: dict[str, dict[str, None]] = {}
        for w in report.waiting:
            waits.setdefault(w.on, {})[w.id] = None
        for on, ids in waits.items():
            verb = "waits" if len(ids) == 1 else "wait"
            parts.append(marked("…", f"{', '.join(ids)} {verb} for {on}", muted, inks, muted))
        warn = f"bold {inks.warning.hex}"
        parts += [marked("!", f"{sentence} Fitted for the picture.", warn, inks) for sentence in shown.problems]
        parts += self._held(len(held), broken, bool(said), inks)
        if self._open:
            operator = operator_of(shown.experiment.desc)
            for id_, count in Counter(check.id for check in held).items():
                # One tensor's rule with its numbers; what holds for several of them as the rule itself.
                message = next(check.message for check in held if check.id == id_)
                if count > 1 and (sentence := sentence_of(operator, id_)):
                    message = f"{sentence.removesuffix('.')}: {count:,} times."
                parts.append(marked("✔", message, good(inks), inks, muted, 2))
            lines = code_of(shown.experiment.desc)
            if lines:
                parts += [Text(""), Text("The page's pseudo-code, with these numbers", inks.text.hex)]
                parts += code_lines(lines, width, inks)
        values = [c.message for c in held if c.id.startswith("values.")] + shown.at_values
        if values and shown.live:
            parts += [Text(""), Text("At the chosen values", bold(inks))]
            parts += [Text(sentence, muted) for sentence in values]
        if shown.live:
            meaning = operator_of(shown.experiment.desc).identity_of
            parts.append(Text.assemble(("■ ", bold(inks)), (f"colour: {meaning}", muted)))
        return self.lines_of(Group(*parts), width)

    def _reason(self, number: int, reason: Reason, width: int, inks: Inks) -> list[RenderableType]:
        """A broken rule, or a warning in words; with its message where the panel has the screen's width."""
        click = RichStyle(meta={"reason": number})
        check, muted = reason.first, inks.muted.hex
        if not reason.is_error:
            style = f"bold {inks.warning.hex}"
            text = marked("▸ !" if number == self._chosen else "!", Text(check.message, click), style, inks)
        else:
            words = Text(check.field, bad(inks))
            words.append(f"  {check.id}", f"not bold {muted}")
            if len(reason.checks) > 1:
                words.append(f" and {len(reason.checks) - 1:,} more", f"not bold {muted}")
            words.stylize(click)
            text = marked("▸ ✘" if number == self._chosen else "✘", words, bad(inks), inks)
        parts: list[RenderableType] = [text]
        if reason.is_error and width >= WIDE:
            parts.append(marked(" ", check.message, inks.text.hex, inks))
        return parts

    def _held(self, held: int, broken: int, unread: bool, inks: Inks) -> list[RenderableType]:
        others = "all hold" if not broken else f"{held} others hold"
        text = Text(style=RichStyle.parse(inks.text.hex) + RichStyle(meta={"held": True}))
        text.append("✔ ", good(inks)).append(f"{others} for what was read last" if unread else others)
        return [text.append("   o closes" if self._open else "   o opens", inks.muted.hex)]
