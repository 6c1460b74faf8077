"""`dmlviz bench`: the experiments of a file, timed beside NumPy, the textbook loop and a plain copy."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import DmlvizError, InvalidDescError, plain, quote
from .parsers import parser
from .shared import progress, read

if TYPE_CHECKING:
    from ..session.experiments import Experiment
    from ..timing.comparison import Comparison

PIPED_WIDTH = 120
"""Columns of a table that goes to a file."""
PEERS = ("numpy", "textbook")
MOVED = (
    "the kernels are held against PyTorch and ONNX Runtime, and over a grid of descs, by `python benchmarks/grid.py` "
    "in a copy of dmlviz's repository; `dmlviz bench FILE` times the experiments of a file."
)


def run(argv: list[str]) -> int:
    """Times the experiments of a file, and prints a table."""
    words = parser(
        "bench",
        "Time the experiments of a file beside NumPy, the textbook loop and a plain copy of as many bytes, in turns.",
        "Times are medians of warm calls; in parentheses, how many times as long as the kernel's. A peer without a\n"
        "way, or with other bytes, has none. For PyTorch, ONNX Runtime and a grid of descs there is\n"
        "benchmarks/grid.py in a copy of dmlviz's repository.",
    )
    words.add_argument(
        "file", nargs="?", metavar="FILE", help="a session file, an example's name, a token, what can be imported, or -"
    )
    words.add_argument("--peers", metavar="P", default=",".join(PEERS), help="numpy, textbook or both; both")
    words.add_argument("--json", metavar="F", help="write what was measured to a file, too")
    words.add_argument("--grid", nargs="?", const="", metavar="G", help="moved to benchmarks/grid.py")
    args = words.parse_args(argv)
    names = [name for name in args.peers.split(",") if name]
    if args.file is None or args.grid is not None or {"torch", "onnxruntime"} & {*names}:
        raise DmlvizError(MOVED)
    for name in names:
        if name not in PEERS:
            raise DmlvizError(f"--peers has {plain(name)}, expected some of {','.join(PEERS)}.")
    experiments, code = read(args.file)
    _require_valid(experiments)
    comparisons = [(experiment, _compare(experiment, "textbook" in names)) for experiment in experiments]
    _print(comparisons, names)
    if args.json is not None:
        _write(args.json, comparisons)
    return code


def _require_valid(experiments: Sequence[Experiment]) -> None:
    """Raises InvalidDescError for one that breaks a rule, before any is timed."""
    from ..running.engine import require_valid

    for experiment in experiments:
        try:
            require_valid(experiment.desc, experiment.feature_level)
        except InvalidDescError as error:
            raise InvalidDescError(f"experiment {quote(experiment.name)}: {error}", error.report) from None


def _compare(experiment: Experiment, with_textbook: bool) -> Comparison:
    from msgspec.structs import replace

    from ..timing.comparison import against_textbook, compare

    desc, level = experiment.desc, experiment.feature_level
    with progress(f"timing {plain(experiment.name)}"):
        comparison = compare(desc, experiment.sources(), level)
        if with_textbook:
            comparison = replace(comparison, textbook=against_textbook(desc, experiment.sources(), level))
    return comparison


def _print(comparisons: Sequence[tuple[Experiment, Comparison]], names: Sequence[str]) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    from ..formats.durations import duration, three_digits

    def beside(seconds: float | None, ours: float) -> str:
        return "-" if seconds is None else f"{duration(seconds)} ({seconds / ours:.2f})"

    heads = ["kernel", "GB/s", "plain copy", *(name for name in PEERS if name in names)]
    table = Table("experiment", *heads, box=None, pad_edge=False, header_style="bold")
    for column in table.columns[1:]:
        column.justify, column.no_wrap = "right", True
    for experiment, comparison in comparisons:
        ours = comparison.ours.median
        times = {
            "plain copy": comparison.copy.median if comparison.copy else None,
            "numpy": comparison.peer.median if comparison.peer else None,
            "textbook": comparison.textbook.loop if comparison.textbook else None,
        }
        cells = [duration(ours), three_digits(comparison.ours.gb_per_s)]
        cells += [beside(times[head], ours) for head in heads[2:]]
        table.add_row(Text(plain(experiment.name)), *cells)
    console = Console(highlight=False)
    console.print(table, width=console.width if console.is_terminal else PIPED_WIDTH)


def _write(file: str, comparisons: Sequence[tuple[Experiment, Comparison]]) -> None:
    experiments = [{"name": experiment.name, **comparison.to_json()} for experiment, comparison in comparisons]
    try:
        Path(file).write_text(json.dumps({"experiments": experiments}, indent=1, ensure_ascii=False) + "\n", "utf-8")
    except OSError as error:
        raise DmlvizError(f"--json is {plain(file)}, which can't be written: {error.strerror or error}.") from None
