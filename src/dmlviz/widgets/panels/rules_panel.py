"""The rules: what is broken, what waits, and that the others hold."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterator

from rich.console import Group, RenderableType
from rich.rule import Rule
from rich.style import Style as RichStyle
from rich.text import Text
from textual.geometry import Size

from ...errors import plain
from ...operators.registry import operator_of
from ...operators.report import Severity
from ...operators.sentences import sentence_of
from ...scene.cells.contents import NOWHERE_SIGN
from ...scene.colour.palette import letter
from ...scene.elements.lookup import filled_by
from ...scene.spans import Style
from ...scene.view_state import ViewState
from ...scene.words.reasons import Reason
from ...workspace.shown.state import State
from ..lib.commands import bindings
from ..lib.inks import Inks, inks_of
from ..lib.text_view import Lines
from .reason_panel import ReasonPanel
from .reason_text import bad_style, bold_style, good_style, marked, sentence_text, short_row

EVER = 1 << 16
"""Lines that are always enough."""
ROOMY = (170, 44)
"""Columns and lines of the terminal from which nothing stands below the rules: they say more, though all hold."""
LOW = 32
"""Lines of the terminal below which no line is spent on a rule below the title."""
SWATCHES = 3
"""Colours that stand for all of them where it is said what a colour means."""
WIDE = 60
"""Columns from which broken rules come with reason and fixes: the form has the screen to itself then."""


class RulesPanel(ReasonPanel):
    """Rules that hold collapse to one line; enter, a click or `o` opens them."""

    BINDINGS = bindings("rules")

    def __init__(self, *, id: str) -> None:  # noqa: A002
        super().__init__(id=id)
        self._unread: tuple[str, ...] = ()
        self._chosen: int | None = None
        self._wanted = 0
        self._measured: tuple[object, ...] = ()

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """As many lines as the text takes; the style sheet says how much of that the panel gets."""
        if self._view is None:
            return 1
        return len(self._lines_for(self.scrollable_content_region.width or width - 1, EVER))

    def present(self, state: State) -> None:
        """Shows another state."""
        errors = tuple(state.form.errors.values())
        if state.view is not self._view or (state.chosen, errors) != (self._chosen, self._unread):
            self.show(state.view, errors, state.chosen)

    def show(self, view: ViewState, unread: tuple[str, ...], chosen: int | None = None) -> None:
        """Shows rules; `unread` are sentences on fields that can't be read, `chosen` the reason that is looked at."""
        if view is not self._view:
            self._serial += 1
        self._view, self._unread, self._chosen = view, unread, chosen
        self._say_reasons()

    def _say_reasons(self) -> None:
        if self._view is not None:
            quiet = self._is_quiet
            if quiet is not self.has_class("quiet"):
                self.set_class(quiet, "quiet")
            key: Hashable = (self._serial, self._unread, self._chosen, self._open)
            if quiet:  # most edits leave all rules holding: then these few lines are all that is said
                key = (
                    self._holding_rule_count,
                    tuple(self._at_values),
                    self._colour_meaning,
                    self._swatch_count,
                    self._chosen,
                    self._key_of_details,
                )
            self.say(self._lines_for, key)
            measured = key, self.scrollable_content_region.size, self.app.size
            if measured == self._measured:
                return
            self._measured = measured
            wanted = self.get_content_height(self.size, self.size, self.size.width)
            if wanted != self._wanted:
                self._wanted = wanted
                self.refresh(layout=True)

    @property
    def _is_quiet(self) -> bool:
        """True where there is no more to say than that all rules hold."""
        view = self._view
        if view is None or self._open or self._unread or view.problems:
            return False
        report = view.report
        return not (report.failures or report.waiting or report.not_checked)

    def _lines_for(self, width: int, height: int) -> Lines:
        """All there is to say; where all rules hold, as much of it as there is room for."""
        if self._is_quiet:
            for parts in self._quiet_variants(inks_of(self.app.theme_variables, "surface")):
                lines = self.lines_of(Group(*parts), width)
                if len(lines) <= height:
                    break
            return lines
        return self._all_lines(width)

    def _all_lines(self, width: int) -> Lines:
        assert self._view is not None
        view, unread, inks = self._view, self._unread, inks_of(self.app.theme_variables, "surface")
        report = view.report
        holding = [c for c in report.checks if c.ok]
        broken = len(report.broken) + len(unread)
        head = Text("Rules", bold_style(inks))
        if broken:
            head.append(f"  {broken:,} broken", bad_style(inks))
        elif report.not_checked:
            head.append(f"  {len(report.not_checked):,} not checked", f"bold {inks.warning.hex}")
        elif report.waits_for:
            head.append(f"  wait for {plain(report.waits_for, 20)}", f"bold {inks.warning.hex}")
        else:
            head.append(f"  {len(holding)} of {len(holding)} hold", f"not bold {inks.ruler.hex}")
        parts: list[RenderableType] = [head] if self.app.size.height < LOW else [head, Rule(style=inks.line.hex)]
        parts += [marked("✘", said, bad_style(inks), inks) for said in unread]
        chosen = -1
        if width >= WIDE and view.why.errors:
            chosen = min(self._chosen or 0, len(view.why.errors) - 1)
            reason = view.why.errors[chosen]
            parts += [sentence_text(reason.cause, inks), *self._fix_rows(view, reason, width, inks)]
        for number, reason in enumerate(view.why.reasons):
            if number != chosen:
                parts += self._reason_rows(number, reason, width, inks)
        parts += [
            marked("i", c.message, good_style(inks), inks) for c in report.failures if c.severity is Severity.NOTE
        ]
        parts += [marked("?", check.message, f"bold {inks.warning.hex}", inks) for check in report.not_checked]
        waits: dict[str, dict[str, None]] = {}
        for w in report.waiting:
            waits.setdefault(w.on, {})[w.id] = None
        for on, ids in waits.items():
            verb = "waits" if len(ids) == 1 else "wait"
            parts.append(marked("…", f"{', '.join(ids)} {verb} for {on}", inks.ruler.hex, inks, inks.ruler.hex))
        warn = f"bold {inks.warning.hex}"
        parts += [marked("!", f"{said} Fitted for the picture.", warn, inks) for said in view.problems]
        parts += self._holding_rows(
            len(holding), bool(broken or report.not_checked or report.waits_for), bool(unread), inks
        )
        if self._at_values:
            parts += [Text(""), Text("At the chosen values", bold_style(inks))]
            parts += [Text(said, inks.text.hex) for said in self._at_values]
        if self._open:
            parts += [Text("")] if self._at_values else []
            op = operator_of(view.experiment.desc)
            for id_, count in Counter(check.id for check in holding).items():
                # One tensor's rule with its numbers; what holds for several of them as the rule itself.
                message = next(check.message for check in holding if check.id == id_)
                if count > 1 and (said := sentence_of(op, id_)):
                    message = f"{said.removesuffix('.')}: {count:,} times."
                parts.append(marked("✔", message, good_style(inks), inks, inks.ruler.hex, 2))
        if self._colour_meaning is not None:
            parts.append(self._colour_key(inks))
        return self.lines_of(Group(*parts), width)

    @property
    def _at_values(self) -> list[str]:
        """Sentences on what the present index or length values make of the desc; none of an invalid one."""
        view = self._view
        if view is None or not view.live:
            return []
        return [c.message for c in view.report.checks if c.ok and c.id.startswith("values.")]

    @property
    def _colour_meaning(self) -> str | None:
        """What colours stand for; None while the picture isn't of the desc as it stands."""
        view = self._view
        return view.trace.colours.identity_of if view is not None and view.live and view.trace is not None else None

    def _colour_key(self, inks: Inks) -> Text:
        # As cells are: a letter on its colour, of the first ones.
        swatches = [(f" {letter(k)} ", inks.style(Style("cell", k))) for k in range(self._swatch_count)]
        key = Text.assemble(*swatches, ("  " if swatches else "", ""), (self._colour_meaning or "", inks.ruler.hex))
        trace = self._view.trace if self._view is not None else None
        if trace is not None and (path := filled_by(trace)):
            key.append("\n").append(f" {NOWHERE_SIGN} ", inks.style(Style("nowhere")))
            key.append(f"  from nowhere: {path}", inks.ruler.hex)
        return key

    @property
    def _swatch_count(self) -> int:
        """How many colours are shown beside their meaning."""
        trace = self._view.trace if self._view is not None else None
        return min(SWATCHES, trace.colours.identity_count(trace.desc)) if trace is not None else 0

    @property
    def _holding_rule_count(self) -> int:
        return sum(check.ok for check in self._view.report.checks) if self._view is not None else 0

    def _quiet_title(self, inks: Inks) -> Text:
        text = Text(style=RichStyle.parse(inks.text.hex) + RichStyle(meta={"details": True}))
        text.append("✔ ", good_style(inks)).append(f"{self._holding_rule_count} rules hold", bold_style(inks))
        return text.append(f"   {self._key_of_details} opens", inks.muted.hex)

    def _quiet_variants(self, inks: Inks) -> Iterator[list[RenderableType]]:
        """What is said where all rules hold, in variants, the longest first."""
        title = self._quiet_title(inks)
        columns, lines = self.app.size
        if columns >= ROOMY[0] and lines >= ROOMY[1]:
            values: list[RenderableType] = [Text(said, inks.text.hex) for said in self._at_values]
            head: list[RenderableType] = [Text(""), Text("At the chosen values", bold_style(inks))] if values else []
            colours: list[RenderableType] = [self._colour_key(inks)] if self._colour_meaning is not None else []
            yield [title, Rule(style=inks.line.hex), *colours, *head, *values]
            yield [title, *values]
        yield [title]

    def _reason_rows(self, number: int, reason: Reason, width: int, inks: Inks) -> list[RenderableType]:
        """A row for a broken rule, or for a warning in words; a click chooses it."""
        if reason.is_error and width >= WIDE:
            return [short_row(number, reason, inks)]
        click = RichStyle(meta={"reason": number})
        check, muted = reason.first, inks.muted.hex
        if not reason.is_error:
            style = f"bold {inks.warning.hex}"
            text = marked("▸ !" if number == self._chosen else "!", Text(check.message, click), style, inks)
        else:
            words = Text(check.field, bad_style(inks))
            words.append(f"  {check.id}", f"not bold {muted}")
            if len(reason.checks) > 1:
                words.append(f" and {len(reason.checks) - 1:,} more", f"not bold {muted}")
            words.stylize(click)
            text = marked("▸ ✘" if number == self._chosen else "✘", words, bad_style(inks), inks)
        return [text]

    def _holding_rows(self, count: int, others: bool, unread: bool, inks: Inks) -> list[RenderableType]:
        """A row on how many rules hold; `others` if some don't. A click opens or closes the list of them."""
        said = f"{count} others hold" if others else "all hold"
        text = Text(style=RichStyle.parse(inks.text.hex) + RichStyle(meta={"details": True}))
        text.append("✔ ", good_style(inks)).append(f"{said} for what was read last" if unread else said)
        return [text.append(f"   {self._key_of_details} {'closes' if self._open else 'opens'}", inks.muted.hex)]
