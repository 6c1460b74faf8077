"""What a bench found, as a table for a terminal."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
from typing import NamedTuple

from rich.text import Text

from dmlviz.formats.durations import duration, three_digits

from .cells import COPY_WANTED, OVERHEAD_WANTED
from .machine import sentence
from .results import CellResult, Results
from .wording import means_text, micro, time_text

HEADS = {"onnxruntime": "onnxrt"}
LETTERS = {"numpy": "n", "torch": "t", "onnxruntime": "o"}
SLOWEST, FASTEST = 0.25, 16.0
"""The ends of the bars' scale."""
FASTER, SLOWER, MUTED = "green", "red", "bright_black"
WORST = 5
"""Cells that are listed as worst."""


class Column(NamedTuple):
    head: str
    width: int
    show: Callable[[CellResult], Text | str]


def lines(results: Results, width: int) -> Iterator[Text]:
    """Everything in at most `width` columns: the machine, a line for each cell, what they come to."""
    yield from _wrapped(sentence(results.machine), width, MUTED)
    yield from _wrapped(_conditions(results), width, MUTED)
    for name, why in results.absent.items():
        yield from _wrapped(f"{name} is left out: it {why}.", width, "")
    names = max((len(cell.name) for cell in results.cells.values()), default=0) + 1
    for (regime, kind), group in groupby(results.cells.values(), lambda cell: (cell.regime, cell.data_type)):
        yield Text()
        yield from _table(f"{regime} {kind}", list(group), results, names, width)
    yield Text()
    yield from summary(results, width)


def _conditions(results: Results) -> str:
    peers = ", ".join(f"{name} {version}" for name, version in results.versions.items()) or "none"
    return (
        f"peers: {peers}; medians of {results.rounds} rounds or more, in turns; "
        f"ratio = best peer's time / ours ({_legend(results)}); "
        "of copy = a plain copy's time / ours, as many bytes and threads"
    )


def _legend(results: Results) -> str:
    return ", ".join(f"{LETTERS[name]} {name}" for name in results.versions if name in LETTERS) or "no peer"


def _table(title: str, cells: Sequence[CellResult], results: Results, names: int, width: int) -> Iterator[Text]:
    """`names` columns of names, so that every table of a result has its columns in the same places."""
    if any(cell.overhead is not None for cell in cells):
        yield _cut(Text(f"{title}: what dml.run takes more than dml.bind's call", "bold"), width)
        for cell in cells:
            if cell.overhead is not None and cell.ours is not None:
                run, bound = cell.measurements["dmlviz run"].warm.median, cell.ours.warm.median
                shown = f"{micro(cell.overhead):>9} = {micro(run)} - {micro(bound)}"
                yield _cut(Text.assemble(_name(cell, names), shown), width)
        return
    columns = _columns(results, width - names)
    free = width - names - sum(column.width + 1 for column in columns)
    bar = max(0, min(41, free - 1)) // 2 * 2 + 1 if free > 8 else 0
    head = Text(f"{title:<{names}}", "bold", no_wrap=True)
    for k, column in enumerate(columns):
        head.append(f"{column.head:>{column.width}} ", MUTED)
        if k == 1 and bar:
            left = _left(bar)
            words = ("slower ", " faster") if left > 6 else ("", "")
            head.append(f"{words[0]:>{left}}│{words[1]:<{bar - left - 1}} ", MUTED)
    yield _cut(head, width)
    for cell in cells:
        line = _name(cell, names)
        for k, column in enumerate(columns):
            found = column.show(cell)
            text = found if isinstance(found, Text) else Text(found)
            line.append(" " * (column.width - text.cell_len)).append_text(text).append(" ")
            if k == 1 and bar:
                line.append_text(_bar(cell.ratio, bar)).append(" ")
        for name, why in cell.left_out.items():
            if line.cell_len + len(name) + len(why) + 3 <= width:
                line.append(f" {name}: {why}", MUTED)
        yield _cut(line, width)


def _name(cell: CellResult, width: int) -> Text:
    return Text(f"{cell.name:<{width}}", no_wrap=True)


def _cut(line: Text, width: int) -> Text:
    line.rstrip()
    line.truncate(width, overflow="ellipsis")
    return line


def _columns(results: Results, room: int) -> list[Column]:
    """Ours and the ratio, then as much of the rest as there is room for beside a bar."""
    found = [
        Column("ours", 8, lambda cell: Text(duration(cell.ours.warm.median) if cell.ours else "-", "bold")),
        Column("ratio", 7, _ratio),
        Column("of copy", 7, _copy),
    ]
    more = [
        *(Column(HEADS.get(name, name), 8, lambda cell, name=name: time_text(cell, name)) for name in results.versions),  # type: ignore[misc]
        Column("copy", 8, lambda cell: duration(cell.copy.warm.median) if cell.copy else "-"),
        Column("GB/s", 6, lambda cell: three_digits(cell.gb_per_s) if cell.gb_per_s else "-"),
        Column("threads", 7, lambda cell: f"{cell.ours.threads:.1f}" if cell.ours else "-"),
        Column("first", 8, lambda cell: duration(cell.ours.first.median) if cell.ours else "-"),
        Column("min", 8, lambda cell: duration(cell.ours.warm.min) if cell.ours else "-"),
        Column("p95", 8, lambda cell: duration(cell.ours.warm.p95) if cell.ours else "-"),
        Column("of mins", 7, lambda cell: f"{cell.min_ratio:.2f}" if cell.min_ratio else "-"),
    ]
    for column in more:
        if sum(each.width + 1 for each in (*found, column)) + 18 > room:
            break
        found.append(column)
    return found


def _ratio(cell: CellResult) -> Text:
    if cell.ratio is None:
        return Text("-")
    return Text(f"{_share(cell.ratio)} {LETTERS.get(cell.best_peer or '', '?')}", _ink(cell.ratio))


def _share(found: float) -> str:
    """A ratio with two digits at least: 0.031, 0.85, 7.74, 36.7."""
    return f"{found:.3f}" if found < 0.0995 else f"{found:.2f}" if found < 9.995 else f"{found:.1f}"


def _ink(ratio: float) -> str:
    return SLOWER if ratio < 0.95 else FASTER if ratio > 1.05 else ""


def _copy(cell: CellResult) -> Text:
    if cell.copy_share is None:
        return Text("-")
    short = cell.held_to_copy and cell.copy_share < COPY_WANTED
    return Text(_share(cell.copy_share) + ("!" if short else " "), SLOWER if short else "")


def _bar(ratio: float | None, width: int) -> Text:
    """A bar on a logarithmic scale: it goes right from the middle where ours is faster, left where it is slower."""
    if ratio is None:
        return Text(" " * width)
    left = _left(width)
    right = width - left - 1
    if ratio >= 1:
        share = min(1.0, math.log(ratio) / math.log(FASTEST))
        return Text.assemble((" " * left + "│", MUTED), (f"{'█' * round(share * right):<{right}}", FASTER))
    share = min(1.0, math.log(ratio) / math.log(SLOWEST))
    drawn = "▒" * max(ratio < 0.95, round(share * left))
    return Text.assemble((f"{drawn:>{left}}", SLOWER), ("│" + " " * right, MUTED))


def _left(width: int) -> int:
    """Columns before the middle of a bar: being slower has the shorter scale."""
    return max(2, width // 3)


def summary(results: Results, width: int) -> Iterator[Text]:
    """The worst cell and the geometric means of each regime, beside what is wanted; then the plain copy and `run`."""
    rows = results.rows()
    if rows:
        yield _cut(Text("best peer's time / ours, wanted in brackets; g: geometric mean", "bold"), width)
    for row in rows:
        worst, mean = row.worst.ratio or 0.0, row.mean
        line = Text(f"{row.name:<6}", "bold", no_wrap=True)
        line.append(f" {len(row.cells):>3} cells  worst ").append_text(
            _judged(worst, row.wanted.worst if row.wanted else None)
        )
        line.append("  g ").append_text(_judged(mean, row.wanted.mean if row.wanted else None))
        if row.short:
            line.append(f"  {len(row.short)} below", SLOWER)
        yield _cut(line, width)
        yield _cut(Text(f"       g: {means_text(row.operators)}", MUTED), width)
        if len(row.types) > 1:
            yield _cut(Text(f"       g: {means_text(row.types)}", MUTED), width)
        for cell in (row.short or [row.worst])[:WORST]:
            yield _cut(Text.assemble((f"       {_share(cell.ratio or 0)} ", ""), (_id(cell), MUTED)), width)
    held = results.held_to_copy()
    if held:
        short = [cell for cell in held if (cell.copy_share or 0) < COPY_WANTED]
        yield _cut(
            Text(
                f"beside a plain copy, runs of 64 bytes and more: {len(held) - len(short)} of {len(held)} reach "
                f"{COPY_WANTED}",
                "bold",
            ),
            width,
        )
        for cell in held[: min(WORST, len(short)) or 1]:
            yield _cut(Text.assemble((f"       {_share(cell.copy_share or 0)} ", ""), (cell.id, MUTED)), width)
    if textbook := results.textbook():
        yield _cut(Text("textbook loop's time / ours, geometric means", "bold"), width)
        yield _cut(Text(f"       {means_text(textbook)}", MUTED), width)
    over = results.overheads()
    if over and over[0].overhead is not None:
        line = Text("dml.run over dml.bind, at most ", "bold", no_wrap=True)
        line.append_text(_limited(over[0].overhead)).append(f"  {over[0].name}", MUTED)
        yield _cut(line, width)


def _id(cell: CellResult) -> str:
    return f"{cell.id} ({cell.best_peer})" if cell.best_peer else cell.id


def _judged(found: float, wanted: float | None) -> Text:
    if wanted is None:
        return Text(f"{found:.2f}")
    good = round(found, 2) >= wanted
    return Text(f"{'✔' if good else '✘'} {found:.2f} [{wanted}]", FASTER if good else SLOWER)


def _limited(seconds: float) -> Text:
    good = seconds <= OVERHEAD_WANTED
    return Text(f"{'✔' if good else '✘'} {micro(seconds)} [{micro(OVERHEAD_WANTED)}]", FASTER if good else SLOWER)


def _wrapped(sentence: str, width: int, style: str) -> Iterator[Text]:
    line = ""
    for word in sentence.split():
        if line and len(line) + 1 + len(word) > width:
            yield Text(line, style, no_wrap=True)
            line = word
        else:
            line = f"{line} {word}".strip()
    if line:
        yield Text(line, style, no_wrap=True)
