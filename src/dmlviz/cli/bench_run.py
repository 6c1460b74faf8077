"""What `dmlviz bench` is asked for, done: the table on stdout, the result in a file."""

from __future__ import annotations

import argparse
import re
import time
from collections.abc import Sequence
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from rich.console import Console

from .. import opening
from ..errors import DmlvizError, ResourceError, plain
from ..timing.bench import cells, machine, markdown_page
from ..timing.bench.cells import Cell
from ..timing.bench.harness import Harness, Source
from ..timing.bench.results import Results
from ..timing.peers import libraries
from . import bench_table
from .bench_progress import Progress

FINE, DIFFERS, INTERRUPTED = 0, 1, 130
PIPED_WIDTH = 120
"""Columns of a table that goes to a file."""


def bench(args: argparse.Namespace) -> int:
    """Runs the command. Raises DmlvizError for what can't be done, each with a sentence."""
    if args.show is not None:
        _print(Results.load(args.show), args.markdown, Path(args.show).name)
        return FINE
    names = _peers(args.peers)
    if args.rounds < 1:
        raise DmlvizError(f"--rounds is {args.rounds}, expected 1 or more.")
    if args.file is not None and args.grid is not None:
        raise DmlvizError("a file and --grid are given, expected one of them.")
    if args.update and args.json is None:
        raise DmlvizError("--update has no file to update, expected --json F too.")
    if args.file is not None and (example := opening.example_of(args.file)) is not None:
        args.file = str(example.path)
    todo = _cells(args.file, args.grid, args.only)
    if args.list:
        print("\n".join(cell.id for cell, _ in todo))
        return FINE
    results = Results(machine.describe(), args.grid or ("small" if args.file is None else ""), args.rounds)
    results.began = datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC")
    if args.update and Path(args.json).exists():
        before = Results.load(args.json)
        results.cells, results.seconds, results.began = before.cells, before.seconds, before.began
        results.grid = before.grid
    if args.json is not None:
        _write(args.json, results)  # a file that can't be written is told before the time is spent
    code = _time_cells(todo, names, results)
    if args.json is not None:
        _write(args.json, results)
    _print(results, args.markdown, Path(args.json or "result.json").name)
    return code


def _peers(given: str | None) -> tuple[str, ...]:
    if given is None:
        return libraries.NAMES
    found = tuple(name for name in given.split(",") if name)
    for name in found:
        if name not in libraries.PEERS:
            raise DmlvizError(f"--peers has {plain(name)}, expected some of {','.join(libraries.PEERS)}.")
    return tuple(name for name in libraries.PEERS if name in found)


def _cells(file: str | None, grid: str | None, only: str | None) -> list[tuple[Cell, Source]]:
    found: list[tuple[Cell, Source]]
    if file is not None:
        found = [(cell, {"file": file, "number": k}) for k, cell in enumerate(cells.of_session(file))]
    else:
        name = grid or "small"
        found = [(cell, {"grid": name, "id": cell.id}) for cell in cells.grid(name)]
    if only is None:
        return found
    try:
        pattern = re.compile(only)
    except re.error as error:
        raise DmlvizError(f"--only is {plain(only)}, expected a regular expression: {error}.") from None
    matching = [each for each in found if pattern.search(each[0].id)]
    if not matching:
        raise DmlvizError(f"--only is {plain(only)}, which matches none of {len(found)} cells; --list prints them.")
    return matching


def _time_cells(todo: Sequence[tuple[Cell, Source]], names: Sequence[str], results: Results) -> int:
    """Times every cell into `results`; what is there when ctrl+c is pressed stays."""
    code = FINE
    began = time.monotonic()
    try:
        with Progress(len(todo)) as progress, Harness(names, results.rounds) as harness:
            results.versions, results.absent = harness.versions, harness.absent
            for name, why in harness.absent.items():
                progress.say(f"{name} is left out: it {why}.")
            for k, (cell, source) in enumerate(todo):
                try:
                    found = harness.time_cell(cell, source, partial(progress.tell, k, cell.id))
                except ResourceError as error:
                    progress.say(f"{cell.id} is left out: {error}")
                    continue
                results.cells[cell.id] = found
                for name, why in found.left_out.items():
                    if "differs" in why or name not in names:
                        progress.say(f"{cell.id}: {name} {why}.")
                        code = DIFFERS
    except KeyboardInterrupt:
        code = INTERRUPTED
    finally:
        results.seconds += time.monotonic() - began
        order = {cell.id: k for k, cell in enumerate(cells.grid("full"))}
        results.cells = dict(sorted(results.cells.items(), key=lambda item: order.get(item[0], len(order))))
    return code


def _write(file: str, results: Results) -> None:
    try:
        Path(file).write_text(results.to_json(), "utf-8")
    except OSError as error:
        raise DmlvizError(f"--json is {plain(file)}, which can't be written: {error.strerror or error}.") from None


def _print(results: Results, markdown: bool, source: str) -> None:
    if markdown:
        print(markdown_page.markdown(results, source), end="")
        return
    console = Console(highlight=False)
    width = console.width if console.is_terminal else PIPED_WIDTH
    for line in bench_table.lines(results, width):
        console.print(line, soft_wrap=True)
