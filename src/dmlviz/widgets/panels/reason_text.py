"""Reasons and fixes as styled text, for the panels that show them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rich.console import RenderableType
from rich.style import Style as RichStyle
from rich.table import Table
from rich.text import Text

from ...desc.base import Desc
from ...operators.report import Cause, Fix, Report, Verdict, root_of
from ...scene.words.diffs import diff, words_after_fix
from ...scene.words.reasons import Reason
from ..lib.inks import Inks

Block = list[RenderableType]
"""What stands together."""
ROWS = 4
"""Checks of one cause that have a row of their own."""


def bold_style(inks: Inks) -> str:
    return f"bold {inks.text.hex}"


def bad_style(inks: Inks) -> str:
    return f"bold {inks.error.hex}"


def good_style(inks: Inks) -> str:
    return f"bold {inks.accent.hex}"


def verdict(report: Report, inks: Inks) -> tuple[str, str]:
    """A report's verdict in words, and the style of the words."""
    ink = {
        Verdict.VALID: inks.accent,
        Verdict.NOT_CHECKED: inks.warning,
        Verdict.WAITS: inks.warning,
        Verdict.INVALID: inks.error,
    }
    return f"{report.verdict.mark} {report.verdict}", f"bold {ink[report.verdict].hex}"


def marked(mark: str, words: str | Text, style: str, inks: Inks, ink: str = "", indent: int = 0) -> RenderableType:
    """A mark with words beside it, whose further lines begin below the first."""
    table = Table.grid(padding=(0, 1, 0, 0))
    table.add_column(no_wrap=True)
    table.add_column()
    text = words if isinstance(words, Text) else Text(words, ink or inks.text.hex)
    table.add_row(Text(" " * indent + mark, style), text)
    return table


ROOM = 24
"""Columns that what was found and expected want beside a field's name; with fewer, each row is a line below it."""


def rows_table(reason: Reason, width: int, inks: Inks) -> RenderableType:
    """The fields that a rule names, what was found there and what was expected; no name is broken in two."""
    muted, ink = inks.muted.hex, inks.error if reason.is_error else inks.warning
    rows = reason.rows
    mark = "✘ " if reason.is_error else "! "
    shown = rows[:ROWS]
    beside = max(len(mark + row.field) + 3 + max(len(row.found), len("found")) + 3 for row in shown) + ROOM <= width
    table = Table.grid(padding=(0, 3 if beside else 0, 0, 0))
    table.add_column(no_wrap=beside)
    if beside:
        table.add_column(overflow="fold")
        table.add_column(overflow="fold")
        table.add_row(Text(reason.first.id, muted), Text("found", muted), Text("expected", muted))
    else:
        table.add_row(Text(reason.first.id, muted))
    for i, row in enumerate(shown):
        same = i > 0 and row.expected == rows[0].expected
        name, actual = Text(mark + row.field, f"bold {ink.hex}"), Text(row.found, f"bold {ink.hex}")
        expected = Text("the same" if same else row.expected, inks.text.hex)
        if beside:
            table.add_row(name, actual, expected)
        else:
            table.add_row(name)
            table.add_row(Text.assemble(("  found ", muted), actual, (", expected ", muted), expected))
    if len(rows) > ROWS:
        more = Text(f"  and {len(rows) - ROWS:,} more, by the same cause", muted)
        table.add_row(*([more, "", ""] if beside else [more]))
    return table


def change_text(fix: Fix, width: int, inks: Inks) -> Text:
    """A fix's diff: old → new, with what changes standing out; on one line, or broken between changes."""
    ruler = inks.ruler.hex
    text, used = Text(style=inks.text.hex), 0
    for i, change in enumerate(fix.changes):
        length = len(str(change))
        if i:
            fits = used + 2 + length + (i < len(fix.changes) - 1) <= width
            text.append(", " if fits else ",\n", ruler)
            used = used + 2 if fits else 0
        used += length
        if not change.before or not change.after:
            text.append("remove " if change.before else "add ")
            text.append(f"{change.what} {change.before or change.after}", bold_style(inks))
            continue
        text.append(f"{change.what} ")
        before, after = diff(change)
        only_less = not any(piece.new for piece in after)  # then what goes is struck out, as nothing comes
        for piece in before:
            text.append(piece.text, f"{ruler} strike" if piece.new and only_less else ruler)
        text.append(" → ", ruler)
        for piece in after:
            text.append(piece.text, f"{good_style(inks)} underline" if piece.new else inks.text.hex)
    return text


def fix_rows(
    desc: Desc, numbers: Sequence[int], fixes: Sequence[Fix], width: int, inks: Inks, keys: Mapping[int, str]
) -> RenderableType:
    """Fixes with diff and consequence, numbered in `fixes`; a click applies one, `keys` are those that have one."""
    table = Table.grid(padding=(0, 2, 0, 0))
    table.add_column(no_wrap=True)
    table.add_column()
    width -= max(map(len, keys.values()), default=1) - 1
    for number in keys:
        fix, click = fixes[number], RichStyle(meta={"fix": number})
        text = change_text(fix, width - 4, inks)
        result = words_after_fix(desc, fix)
        last = len(text.plain.rsplit("\n", 1)[-1])
        # The result stands on the same line where it fits, else below, never broken in two.
        text.append("   " if last + 3 + len(result) <= width - 4 else "\n").append(result, inks.muted.hex)
        text.stylize(click)
        table.add_row(Text(f" {keys[number]}", RichStyle.parse(good_style(inks)) + click), text)
    more = len(numbers) - len(keys)
    if more:
        table.add_row("", Text(f"and {more:,} more, which get a number when fewer are left", inks.muted.hex))
    return table


def sentence_text(cause: Cause, inks: Inks) -> RenderableType:
    """What is wrong, in one sentence with the fields that it names standing out."""
    words, check = cause.message, cause.first
    named = [check.field] if len(cause.checks) == 1 else [root_of(failure.field) for failure in cause.checks]
    text = Text(words if named[0] in words else f"{check.field}: {words}", bold_style(inks))
    text.highlight_words(named, f"{bad_style(inks)} {'reverse' if inks.has_marks else 'underline'}")
    return marked("✘", text, bad_style(inks), inks)


def fix_button(desc: Desc, number: int, fix: Fix, width: int, inks: Inks, key: str) -> RenderableType:
    """Fix `number` as a button with its key, its diff and what is so after it; a click applies it."""
    click = RichStyle(meta={"fix": number})
    width -= len(key) - 1
    table = Table.grid(padding=(0, 2, 0, 0))
    table.add_column(no_wrap=True)
    table.add_column()
    face = RichStyle(color=inks.paper.rich_color, bgcolor=inks.accent.rich_color, bold=True)
    lines = change_text(fix, width - 8, inks).plain.split("\n")
    wide = max(map(len, lines))
    left, right = ("[", "]") if inks.has_marks else (" ", " ")
    text = Text("\n").join([Text(f"{left}{line:<{wide}}{right}", face + click) for line in lines])
    result = Text(words_after_fix(desc, fix), RichStyle.parse(inks.muted.hex) + click)
    beside = len(lines) == 1 and wide + 4 + len(result.plain) <= width - 6
    text.append("  " if beside else "\n").append_text(result)
    table.add_row(Text(f" {key} ", face + click), text)
    return table


def _one_line_text(fix: Fix) -> str:
    """A fix in one line, what it loses first: the end of a line may be cut off."""
    if not fix.loses:
        return f"or {fix.text}"
    loses = fix.loses.removesuffix(f" of {fix.changes[0].what}") if len(fix.changes) == 1 else fix.loses
    return f"or losing {loses}: {fix.label}"


LINES = 2
"""Fixes besides the first that have a line of their own while they are not all asked for."""


def fix_lines(numbers: Sequence[int], fixes: Sequence[Fix], inks: Inks, keys: Mapping[int, str], details: str) -> Block:
    """Fixes one line each, as many as there is room for; the last line says how many more there are.

    `keys` are those of the ones that have a key, by number, and `details` is the key that opens them all.
    """
    lines: Block = []
    keyed = [*keys][:LINES]
    for number in keyed:
        text = Text(no_wrap=True, overflow="ellipsis")
        text.append(f" {keys[number]}   ", good_style(inks)).append(_one_line_text(fixes[number]), inks.text.hex)
        text.stylize(RichStyle(meta={"fix": number}))
        lines.append(text)
    if len(numbers) > len(keyed):
        more = len(numbers) - len(keyed)
        text = Text(f"     {more:,} more: ", inks.muted.hex, no_wrap=True, overflow="ellipsis")
        text.append(f"{details} opens").stylize(RichStyle(meta={"details": True}))
        lines.append(text)
    return lines


def short_row(number: int, reason: Reason, inks: Inks) -> Text:
    """A reason on one line, which a click opens."""
    row = reason.rows[0]
    ink = inks.error if reason.is_error else inks.warning
    text = Text(style=inks.text.hex, no_wrap=True, overflow="ellipsis")
    text.append("▸ ", inks.muted.hex).append(f"{'✘' if reason.is_error else '!'} {row.field}", f"bold {ink.hex}")
    text.append(f"  {row.found}").append(f", expected {row.expected}", inks.muted.hex)
    if len(reason.checks) > 1:
        text.append(f" and {len(reason.checks) - 1:,} more", inks.muted.hex)
    text.append(f"  {reason.first.id}", inks.muted.hex)
    text.stylize(RichStyle(meta={"reason": number}))
    return text
