"""Times the kernels beside NumPy, PyTorch and ONNX Runtime, each in a process of its own, and beside a plain copy.

    python benchmarks/bench.py [--grid full] [--json benchmarks/results/kernels.json]

PyTorch and ONNX Runtime: pip install -r benchmarks/requirements.txt. What is absent is left out by name. ctrl+c ends it
and prints what there is. Exit codes: 0 every peer made the same bytes, 1 one did not, 2 wrong usage, 130 ctrl+c.
"""

from __future__ import annotations

import argparse
import re
import sys
import time
from collections.abc import Sequence
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from grid import cells, libraries, machine, markdown_page, table
from grid.cells import Cell
from grid.harness import Harness
from grid.progress import Progress
from grid.results import Results
from rich.console import Console

from dmlviz.errors import DmlvizError, ResourceError, plain

FINE, DIFFERS, WRONG_USAGE, INTERRUPTED = 0, 1, 2, 130
PIPED_WIDTH = 120
"""Columns of a table that goes to a file."""


def words() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--grid", default="small", help="small (a minute or two, the default) or full (25 minutes)")
    parser.add_argument("--peers", metavar="P", help="some of numpy,torch,onnxruntime (the default) and textbook")
    parser.add_argument("--only", metavar="REGEX", help="only cells whose id matches, such as 4Mi/.*/gather")
    parser.add_argument("--rounds", type=int, default=9, metavar="N", help="samples of every call; 9")
    parser.add_argument("--json", metavar="F", help="write the result to a file")
    parser.add_argument("--update", action="store_true", help="keep the cells that file has, but those timed now")
    parser.add_argument("--list", action="store_true", help="print the cells' ids and time nothing")
    parser.add_argument("--show", metavar="F", help="print a result that --json wrote, and time nothing")
    parser.add_argument("--markdown", action="store_true", help="print Markdown instead of the table")
    return parser


def bench(args: argparse.Namespace) -> int:
    """Runs the program. Raises DmlvizError for what can't be done, each with a sentence."""
    if args.show is not None:
        show(Results.load(args.show), args.markdown, Path(args.show).name)
        return FINE
    names = _peers(args.peers)
    if args.rounds < 1:
        raise DmlvizError(f"--rounds is {args.rounds}, expected 1 or more.")
    if args.update and args.json is None:
        raise DmlvizError("--update has no file to update, expected --json F too.")
    todo = _cells(args.grid, args.only)
    if args.list:
        print("\n".join(cell.id for cell in todo))
        return FINE
    results = Results(machine.describe(), args.grid, args.rounds)
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
    show(results, args.markdown, Path(args.json or "result.json").name)
    return code


def _peers(listed: str | None) -> tuple[str, ...]:
    if listed is None:
        return libraries.NAMES
    names = tuple(name for name in listed.split(",") if name)
    for name in names:
        if name not in libraries.PEERS:
            raise DmlvizError(f"--peers has {plain(name)}, expected some of {','.join(libraries.PEERS)}.")
    return tuple(name for name in libraries.PEERS if name in names)


def _cells(grid: str, only: str | None) -> list[Cell]:
    chosen = cells.grid(grid)
    if only is None:
        return chosen
    try:
        pattern = re.compile(only)
    except re.error as error:
        raise DmlvizError(f"--only is {plain(only)}, expected a regular expression: {error}.") from None
    matching = [cell for cell in chosen if pattern.search(cell.id)]
    if not matching:
        raise DmlvizError(f"--only is {plain(only)}, which matches none of {len(chosen)} cells; --list prints them.")
    return matching


def _time_cells(todo: Sequence[Cell], names: Sequence[str], results: Results) -> int:
    """Times every cell into `results`; what is there when ctrl+c is pressed stays."""
    code = FINE
    began = time.monotonic()
    try:
        with Progress(len(todo)) as progress, Harness(names, results.rounds) as harness:
            results.versions, results.absent = harness.versions, harness.absent
            for name, why in harness.absent.items():
                progress.say(f"{name} is left out: it {why}.")
            for k, cell in enumerate(todo):
                try:
                    timed = harness.time_cell(cell, {"grid": "full", "id": cell.id}, partial(progress.tell, k, cell.id))
                except ResourceError as error:
                    progress.say(f"{cell.id} is left out: {error}")
                    continue
                results.cells[cell.id] = timed
                for name, why in timed.left_out.items():
                    if "differs" in why or name not in names:
                        progress.say(f"{cell.id}: {name} {why}.")
                        code = DIFFERS
    except KeyboardInterrupt:
        code = INTERRUPTED
    finally:
        results.seconds += time.monotonic() - began
        order = {cell.id: k for k, cell in enumerate(cells.grid("full"))}
        results.cells = dict(sorted(results.cells.items(), key=lambda entry: order.get(entry[0], len(order))))
    return code


def _write(file: str, results: Results) -> None:
    try:
        Path(file).write_text(results.to_json(), "utf-8")
    except OSError as error:
        raise DmlvizError(f"--json is {plain(file)}, which can't be written: {error.strerror or error}.") from None


def show(results: Results, markdown: bool, source: str) -> None:
    if markdown:
        print(markdown_page.markdown(results, source), end="")
        return
    console = Console(highlight=False)
    width = console.width if console.is_terminal else PIPED_WIDTH
    for line in table.lines(results, width):
        console.print(line, soft_wrap=True)


def main(argv: Sequence[str] | None = None) -> int:
    try:
        return bench(words().parse_args(argv))
    except DmlvizError as error:
        print(f"bench: {error}", file=sys.stderr)
        return WRONG_USAGE


if __name__ == "__main__":
    sys.exit(main())
