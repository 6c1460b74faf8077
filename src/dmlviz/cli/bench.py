"""`dmlviz bench`: how fast the kernels are on the descs of a file."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import DmlvizError, plain
from .parsers import add_file, add_force, parser
from .shared import progress, read_session, require_free, say_failed, worst

if TYPE_CHECKING:
    from ..session.experiments import Experiment
    from ..timing.comparison import Comparison


def run(argv: list[str]) -> int:
    words = parser(
        "bench",
        "Time the kernels on the descs of a session file next to NumPy, a naive loop and memcpy.",
        "Everything runs in turns in this process. For all kernels next to PyTorch and ONNX Runtime:\n"
        "`python benchmarks/bench.py` in a checkout of dmlviz.\n"
        "Exit codes: 0 all were timed, 1 a desc is invalid, 2 wrong usage or a file that can't be read.",
    )
    add_file(words)
    words.add_argument("-o", dest="output", metavar="F", help="write the figures to a file, as JSON")
    add_force(words)
    args = words.parse_args(argv)
    if args.output is not None:
        require_free(args.output, force=args.force)
    from ..timing.comparison import comparisons

    session, code = read_session(args.file, args.dims)
    codes, timed = [code], list[dict[str, Any]]()
    for one in session.experiments:
        try:
            with progress(f"timing {plain(one.name)}"):
                *_, whole = comparisons(one.desc, one.sources(), one.feature_level)
        except DmlvizError as error:
            codes.append(say_failed(args.file, one, error))
            continue
        timed.append({"name": one.name, **whole.to_json()})
        print("\n".join(_comparison_lines(one, whole)))
    if args.output is not None:
        from ..exporters.lib.writing import write_several

        figures = json.dumps({"dmlviz_bench": 3, "experiments": timed}, ensure_ascii=False, indent=1)
        write_several([(Path(args.output), f"{figures}\n".encode())])
    return worst(codes)


def _comparison_lines(one: Experiment, row: Comparison) -> Iterator[str]:
    from ..formats.durations import duration, three_digits
    from ..operators.registry import operator_of

    ours = row.ours
    yield f"{plain(one.name)} · {operator_of(one.desc).name}"
    speed = f"{three_digits(ours.gb_per_s)} GB/s"
    calls = f"median of {ours.warm.n:,} warm calls, {ours.word} call {duration(ours.opening)}, {speed}"
    yield f"  {'kernel':<18} {duration(ours.warm.median):>8}  {calls}"
    peers = []
    if row.peer is not None:
        peers.append((f"NumPy {row.peer_name}", row.peer.median))
    if row.textbook is not None:
        peers.append(("naive loop", row.textbook.loop))
    if row.copy is not None:
        peers.append(("memcpy", row.copy.median))
    for name, median in peers:
        yield f"  {name:<18} {duration(median):>8}  {median / ours.warm.median:.2f} times the kernel's"
