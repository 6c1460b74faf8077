"""What a bench found, as a page of Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from dmlviz.formats.durations import duration, three_digits

from .cells import COPY_WANTED, OVERHEAD_WANTED
from .machine import sentence
from .results import CellResult, Results, Row
from .wording import means_text, micro, spent_text, time_text


def markdown(results: Results, source: str) -> str:
    """The same for a page: `source` is the file the numbers are from."""
    return "\n".join(_markdown(results, source)) + "\n"


def _markdown(results: Results, source: str) -> Iterator[str]:
    yield "# Kernels beside other libraries"
    yield ""
    command = f"python benchmarks/bench.py --show benchmarks/results/{source} --markdown"
    yield f"From [{source}]({source}), which `{command}` turns into this page."
    yield ""
    yield f"- Machine: {sentence(results.machine)}."
    peers = ", ".join(f"{name} {version}" for name, version in results.versions.items())
    yield f"- Peers: {peers or 'none'}; each in a process of its own, at its default settings."
    for name, why in results.absent.items():
        yield f"- {name} is left out: it {why}."
    yield (
        f"- {len(results.cells)} cells, {results.rounds} interleaved rounds or more each, "
        f"{spent_text(results.seconds)}, begun {results.began}."
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
    if textbook := results.textbook():
        yield ""
        yield f"The textbook loop's time / ours, geometric means: {means_text(textbook).replace('  ', ', ')}."
    for cell in results.overheads()[:1]:
        yield ""
        cost = f"`dml.run` costs at most {micro(cell.overhead or 0)} over the bound call"
        yield f"{cost} (wanted {micro(OVERHEAD_WANTED)})."
    for (regime, kind), group in groupby(results.cells.values(), lambda cell: (cell.regime, cell.data_type)):
        yield ""
        yield f"## {regime} {kind}"
        yield ""
        yield from _cells(list(group), results)


def _rows(rows: Iterable[Row]) -> Iterator[str]:
    yield "| regime | cells | worst cell | wanted | geometric mean | wanted | by operator, by type |"
    yield "|---|---|---|---|---|---|---|"
    for row in rows:
        worst = row.worst
        wanted = (row.wanted.worst, row.wanted.mean) if row.wanted else ("-", "-")
        means = means_text(row.operators).replace("  ", ", ")
        if len(row.types) > 1:
            means += "; " + means_text(row.types).replace("  ", ", ")
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
        times = [time_text(cell, name) if name in cell.measurements else cell.left_out.get(name, "") for name in names]
        ours = f"{duration(cell.ours.warm.median)} | {' | '.join(ratios)} | {rate} | {duration(cell.ours.first.median)}"
        if cell.overhead is not None:
            ours = (
                f"{duration(cell.ours.warm.median)}, `dml.run` {micro(cell.overhead)} more | {' | '.join(ratios)} | | "
            )
        yield f"| {cell.name} | {ours} | {' | '.join(times)} |"
