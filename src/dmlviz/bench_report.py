"""What a bench found, as text for a terminal and as Markdown."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby
from typing import NamedTuple

from rich.text import Text

from .bench.machine import sentence
from .bench.results import COPY_WANTED, OVERHEAD_WANTED, CellResult, Results, Row
from .sampling import duration, three_digits

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
    for (regime, kind), group in groupby(results.cells.values(), lambda cell: (cell.regime, cell.data_type)):
        yield Text()
        yield from _table(f"{regime} {kind}", list(group), results, width)
    yield Text()
    yield from summary(results, width)


def _conditions(results: Results) -> str:
    peers = ", ".join(f"{name} {version}" for name, version in results.versions.items()) or "none"
    return (
        f"peers: {peers}; medians of {results.rounds} rounds in turns; "
        f"ratio = best peer's time / ours ({_legend(results)}), copy = ours beside a plain copy of the bytes written"
    )


def _legend(results: Results) -> str:
    return ", ".join(f"{LETTERS.get(name, '?')} {name}" for name in results.versions) or "no peer"


def _table(title: str, cells: Sequence[CellResult], results: Results, width: int) -> Iterator[Text]:
    if any(cell.overhead is not None for cell in cells):
        yield Text(f"{title}: what dml.run costs over the bound call", "bold")
        for cell in cells:
            if cell.overhead is not None and cell.ours is not None:
                shown = f"{_micro(cell.overhead):>9}   dml.run {_micro(cell.entrants['dmlviz run'].warm.median)}"
                shown += f", dml.bind {_micro(cell.ours.warm.median)}"
                yield _cut(Text.assemble(_name(cell, 38), shown), width)
        return
    names = max(len(cell.name) for cell in cells) + 1
    columns = _columns(results, width - names)
    free = width - names - sum(column.width + 1 for column in columns)
    bar = max(0, min(41, free - 1)) // 2 * 2 + 1 if free > 8 else 0
    head = Text(f"{title:<{names}}", "bold", no_wrap=True)
    for k, column in enumerate(columns):
        head.append(f"{column.head:>{column.width}} ", MUTED)
        if k == 1 and bar:
            head.append(f"{'slower │ faster':^{bar}} " if bar >= 17 else " " * (bar + 1), MUTED)
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
        Column("copy", 5, _copy),
    ]
    more = [
        *(Column(name[:8], 8, lambda cell, name=name: _time(cell, name)) for name in results.versions),  # type: ignore[misc]
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


def _time(cell: CellResult, name: str) -> str:
    return duration(cell.entrants[name].warm.median) if name in cell.entrants else "-"


def _ratio(cell: CellResult) -> Text:
    if cell.ratio is None:
        return Text("-")
    shown = f"{cell.ratio:.2f}" if cell.ratio < 10 else f"{cell.ratio:.1f}"
    return Text(f"{shown} {LETTERS.get(cell.best_peer or '', '?')}", _ink(cell.ratio))


def _ink(ratio: float) -> str:
    return SLOWER if ratio < 0.95 else FASTER if ratio > 1.05 else ""


def _copy(cell: CellResult) -> Text:
    if cell.copy_share is None:
        return Text("-")
    short = cell.held_to_copy and cell.copy_share < COPY_WANTED
    return Text(f"{cell.copy_share:.2f}" + ("!" if short else " "), SLOWER if short else "")


def _bar(ratio: float | None, width: int) -> Text:
    """From the middle to the right where ours is faster, to the left where it is slower; a logarithmic scale."""
    if ratio is None:
        return Text(" " * width)
    left = max(2, width // 3)
    right = width - left - 1
    if ratio >= 1:
        share = min(1.0, math.log(ratio) / math.log(FASTEST))
        return Text.assemble((" " * left + "│", MUTED), (f"{'█' * round(share * right):<{right}}", FASTER))
    share = min(1.0, math.log(ratio) / math.log(SLOWEST))
    return Text.assemble((f"{'▒' * max(1, round(share * left)):>{left}}", SLOWER), ("│" + " " * right, MUTED))


# ---- what they come to ------------------------------------------------------------------------------------------


def summary(results: Results, width: int) -> Iterator[Text]:
    """For each regime the worst cell and the geometric means, beside what is wanted; then the plain copy and `run`."""
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
        means = "  ".join(f"{operator.split('_')[0]} {value:.2f}" for operator, value in row.operators.items())
        yield _cut(Text(f"       g by operator: {means}", MUTED), width)
        for cell in (row.short or [row.worst])[:WORST]:
            yield _cut(Text.assemble((f"       {cell.ratio or 0:.2f} ", ""), (_id(cell), MUTED)), width)
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
            yield _cut(Text.assemble((f"       {cell.copy_share or 0:.2f} ", ""), (_id(cell), MUTED)), width)
    over = results.overheads()
    if over and over[0].overhead is not None:
        line = Text("dml.run over dml.bind, at most ", "bold", no_wrap=True)
        line.append_text(_limited(over[0].overhead)).append(f"  {_id(over[0])}", MUTED)
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
    return Text(f"{'✔' if good else '✘'} {_micro(seconds)} [{_micro(OVERHEAD_WANTED)}]", FASTER if good else SLOWER)


def _micro(seconds: float) -> str:
    return f"{seconds * 1e6:.2f} µs"


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


# ---- Markdown ---------------------------------------------------------------------------------------------------


def markdown(results: Results, source: str) -> str:
    """The same for a page: `source` is the file the numbers are from."""
    return "\n".join(_markdown(results, source)) + "\n"


def _markdown(results: Results, source: str) -> Iterator[str]:
    yield "# Kernels beside other libraries"
    yield ""
    yield f"From [{source}]({source}), which `dmlviz bench --show {source} --markdown` turns into this page."
    yield ""
    yield f"- Machine: {sentence(results.machine)}."
    peers = ", ".join(f"{name} {version}" for name, version in results.versions.items())
    yield f"- Peers: {peers or 'none'}; each in a process of its own, at its default settings."
    for name, why in results.absent.items():
        yield f"- {name} is left out: it {why}."
    yield (
        f"- {len(results.cells)} cells, {results.rounds} interleaved rounds each, "
        f"{results.seconds / 60:.0f} minutes, begun {results.began}."
    )
    yield ""
    yield "Ratios are the best peer's median / ours: above 1 the kernel is faster."
    yield ""
    yield from _rows(results.rows())
    held = results.held_to_copy()
    short = [cell for cell in held if (cell.copy_share or 0) < COPY_WANTED]
    if held:
        yield ""
        yield (
            f"Beside a plain copy of as many bytes, by as many threads: {len(held) - len(short)} of {len(held)} cells "
            f"with runs of 64 bytes and more reach {COPY_WANTED}" + (":" if not short else "; these don't:")
        )
        for cell in short:
            yield f"- {cell.copy_share:.2f} `{cell.id}`"
    for cell in results.overheads()[:1]:
        yield ""
        cost = f"`dml.run` costs at most {_micro(cell.overhead or 0)} over the bound call"
        yield f"{cost} (wanted {_micro(OVERHEAD_WANTED)})."
    for (regime, kind), group in groupby(results.cells.values(), lambda cell: (cell.regime, cell.data_type)):
        yield ""
        yield f"## {regime} {kind}"
        yield ""
        yield from _cells(list(group), results)


def _rows(rows: Iterable[Row]) -> Iterator[str]:
    yield "| regime | cells | worst cell | wanted | geometric mean | wanted | by operator |"
    yield "|---|---|---|---|---|---|---|"
    for row in rows:
        worst = row.worst
        wanted = (row.wanted.worst, row.wanted.mean) if row.wanted else ("-", "-")
        means = ", ".join(f"{operator.split('_')[0]} {value:.2f}" for operator, value in row.operators.items())
        yield (
            f"| {row.name} | {len(row.cells)} | {worst.ratio:.2f} `{worst.id}` | {wanted[0]} | {row.mean:.2f} | "
            f"{wanted[1]} | {means} |"
        )


def _cells(cells: Sequence[CellResult], results: Results) -> Iterator[str]:
    names = list(results.versions)
    yield f"| cell | ours | ratio | of mins | copy | GB/s | first | {' | '.join(names)} |"
    yield "|---" * (7 + len(names)) + "|"
    for cell in cells:
        if cell.ours is None:
            continue
        ratios = [f"{each:.2f}" if each else "" for each in (cell.ratio, cell.min_ratio, cell.copy_share)]
        rate = three_digits(cell.gb_per_s) if cell.gb_per_s else ""
        times = [_time(cell, name) if name in cell.entrants else cell.left_out.get(name, "") for name in names]
        ours = f"{duration(cell.ours.warm.median)} | {' | '.join(ratios)} | {rate} | {duration(cell.ours.first.median)}"
        if cell.overhead is not None:
            ours = (
                f"{duration(cell.ours.warm.median)}, `dml.run` {_micro(cell.overhead)} more | {' | '.join(ratios)} | | "
            )
        yield f"| {cell.name} | {ours} | {' | '.join(times)} |"
