"""What the grid measured, as a page of Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from cells import COPY_WANTED, OVERHEAD_WANTED
from machine import sentence
from measurements import CellResult, Results, Row

from dmlviz.formats.durations import duration, three_digits


def markdown(results: Results, source: str) -> str:
    """The page; `source` is the file the numbers are from, beside it."""
    return "\n".join(_lines(results, source)) + "\n"


def _lines(results: Results, source: str) -> Iterator[str]:
    yield "# Kernels beside other libraries"
    yield ""
    yield f"From [{source}]({source}), which `python benchmarks/bench.py --show {source}` turns into this page."
    yield ""
    yield f"- Machine: {sentence(results.machine)}."
    peers = ", ".join(f"{name} {version}" for name, version in results.versions.items())
    yield f"- Peers: {peers or 'none'}; each in a process of its own, at its default settings."
    for name, why in results.absent.items():
        yield f"- {name} is left out: {why}."
    yield (
        f"- {len(results.cells)} cells, {results.rounds} interleaved rounds or more each, "
        f"{_spent(results.seconds)}, begun {results.began}."
    )
    yield ""
    yield "Ratios are the best peer's median / ours: above 1 the kernel is faster."
    yield ""
    yield from _rows(results.rows())
    held_to_copy = results.held_to_copy()
    short = [cell for cell in held_to_copy if (cell.copy_share or 0) < COPY_WANTED]
    if held_to_copy:
        yield ""
        yield (
            f"Beside a plain copy of as many bytes, by as many threads: {len(held_to_copy) - len(short)} of "
            f"{len(held_to_copy)} cells with runs of 64 bytes and more reach {COPY_WANTED}"
            + (":" if not short else "; these don't:")
        )
        for cell in short:
            yield f"- {cell.copy_share:.2f} `{cell.id}`"
    for overhead in results.overheads()[:1]:
        yield ""
        yield f"`dml.run` costs at most {_micro(overhead)} over the bound call (wanted {_micro(OVERHEAD_WANTED)})."
    for (regime, data_type), group in groupby(results.cells, lambda cell: (cell.regime, cell.data_type)):
        yield ""
        yield f"## {regime} {data_type}"
        yield ""
        yield from _cells(list(group), list(results.versions))


def _rows(rows: Iterable[Row]) -> Iterator[str]:
    yield "| regime | cells | worst cell | wanted | geometric mean | wanted | by operator, by type |"
    yield "|---|---|---|---|---|---|---|"
    for row in rows:
        worst = row.worst
        wanted = (row.wanted.worst, row.wanted.mean) if row.wanted else ("-", "-")
        means = _means(row.operators) + (f"; {_means(row.types)}" if len(row.types) > 1 else "")
        yield (
            f"| {row.name} | {len(row.cells)} | {worst.ratio:.2f} `{worst.id}` | {wanted[0]} | {row.mean:.2f} | "
            f"{wanted[1]} | {means} |"
        )


def _cells(cells: Sequence[CellResult], peers: Sequence[str]) -> Iterator[str]:
    yield f"| cell | ours | ratio | of mins | copy | GB/s | first | {' | '.join(peers)} |"
    yield "|---" * (7 + len(peers)) + "|"
    for cell in cells:
        if cell.ours is None:
            continue
        ours, rate, first = duration(cell.ours.seconds), "", ""
        if cell.overhead is not None:
            ours += f", `dml.run` {_micro(cell.overhead)} more"
        else:
            rate = three_digits(cell.gb_per_s) if cell.gb_per_s else ""
            first = duration(cell.ours.first.median)
        ratios = [f"{ratio:.2f}" if ratio else "" for ratio in (cell.ratio, cell.min_ratio, cell.copy_share)]
        times = [
            duration(cell.measurements[name].seconds) if name in cell.measurements else cell.left_out.get(name, "")
            for name in peers
        ]
        yield f"| {cell.name} | {ours} | {' | '.join(ratios)} | {rate} | {first} | {' | '.join(times)} |"


def _means(means: dict[str, float]) -> str:
    """`JOIN 1.45, REVERSE 7.74`."""
    return ", ".join(f"{name.split('_')[0]} {mean:.2f}" for name, mean in means.items())


def _spent(seconds: float) -> str:
    return f"{seconds / 60:.0f} minutes" if seconds >= 90 else f"{seconds:.0f} seconds"


def _micro(seconds: float) -> str:
    return f"{seconds * 1e6:.2f} µs"
