"""`dmlviz bench`: how fast the kernels are on the descs of a file."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import DmlvizError, SessionError, plain, quote
from .parsers import parser
from .shared import FINE, INVALID, UNREADABLE, progress, read, say, worst

if TYPE_CHECKING:
    from ..session.experiments import Experiment
    from ..timing.comparison import Comparison


def run(argv: list[str]) -> int:
    """Times the experiments of a file, one after the other, and prints a paragraph for each."""
    words = parser(
        "bench",
        "Time the kernels on the descs of a session file beside NumPy, the textbook loop and a plain copy.",
        "Everything runs in turns in this process. For all kernels beside PyTorch and ONNX Runtime:\n"
        "`python benchmarks/bench.py` in a checkout of dmlviz.\n"
        "Exit codes: 0 all were timed, 1 a desc is invalid, 2 wrong usage or a file that can't be read.",
    )
    words.add_argument("file", metavar="FILE", help="a session file, an example's name, a token, or -")
    words.add_argument("-o", dest="output", metavar="F", help="write the figures to a file, as JSON")
    words.add_argument("--force", action="store_true", help="replace a file that is there")
    args = words.parse_args(argv)
    if args.output is not None and Path(args.output).exists() and not args.force:
        name = plain(args.output)
        raise SessionError(f"{name} exists already, expected another name, or --force, which replaces it.")
    experiments, code = read(args.file)
    shown = "standard input" if args.file == "-" else plain(args.file)
    timed: list[dict[str, Any]] = []
    for experiment in experiments:
        try:
            comparison = _timed(experiment)
        except DmlvizError as error:
            broken = experiment.check().ok is False
            say(f"{shown}: experiment {quote(experiment.name)}: {error}")
            code = worst((code, INVALID if broken else UNREADABLE))
            continue
        timed.append({"name": experiment.name, **comparison.to_json()})
        print("\n".join(_comparison_lines(experiment, comparison)))
    chains: list[dict[str, Any]] = []
    if any(experiment.is_wired for experiment in experiments):
        from ..session.chains import chains_of
        from .chain_text import chain_lines, timed_chain

        for chain in chains_of(experiments):
            found = timed_chain(shown, chain)
            code = worst((code, FINE if found is not None else UNREADABLE))
            if found is not None:
                chains.append(found.to_json())
                print("\n".join(chain_lines(found)))
    if args.output is not None:
        _write_json(args.output, timed, chains)
    return code or FINE


def _timed(experiment: Experiment) -> Comparison:
    """An experiment's times beside all others. Raises InvalidDescError, and ResourceError where memory is short."""
    from msgspec.structs import replace

    from ..timing import comparison

    desc, values, level = experiment.desc, experiment.sources(), experiment.feature_level
    with progress(f"timing {plain(experiment.name)}"):
        timed = comparison.compare(desc, values, level)
        return replace(timed, textbook=comparison.against_textbook(desc, values, level))


def _comparison_lines(experiment: Experiment, comparison: Comparison) -> Iterator[str]:
    """The median of the kernel, and how many times as long each of the others takes."""
    from ..formats.durations import duration, three_digits
    from ..operators.registry import operator_of

    ours = comparison.ours
    yield f"{plain(experiment.name)} · {operator_of(experiment.desc).name}"
    speed = f"{three_digits(ours.gb_per_s)} GB/s"
    calls = f"median of {ours.warm.n:,} warm calls, {ours.word} call {duration(ours.opening)}, {speed}"
    yield f"  kernel             {duration(ours.warm.median):>8}  {calls}"
    if comparison.peer is not None:
        yield _peer_line(f"NumPy {comparison.peer_name}", comparison.peer.median, ours.warm.median)
    if comparison.textbook is not None:
        yield _peer_line("textbook loop", comparison.textbook.loop, comparison.textbook.ours)
    if comparison.copy is not None:
        yield _peer_line("plain copy", comparison.copy.median, ours.warm.median)


def _peer_line(name: str, median: float, ours: float) -> str:
    from ..formats.durations import duration

    return f"  {name:<18} {duration(median):>8}  {median / ours:.2f} times the kernel's"


def _write_json(file: str, timed: list[dict[str, Any]], chains: list[dict[str, Any]]) -> None:
    from ..session.whole_files import write_whole

    figures = {"dmlviz_bench": 3, "experiments": timed, **({"chains": chains} if chains else {})}
    text = json.dumps(figures, ensure_ascii=False, indent=1)
    try:
        write_whole(Path(file), f"{text}\n".encode())
    except OSError as error:
        raise SessionError(f"-o is {plain(file)}, which can't be written: {error.strerror or error}.") from None
