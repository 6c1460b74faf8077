"""`dmlviz run`: the outputs of every desc by the compiled kernels, with timing."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from ..errors import DmlvizError, plain, quote
from .parsers import add_file, parser
from .shared import FINE, INVALID, UNREADABLE, progress, read, say, worst

if TYPE_CHECKING:
    from ..desc.base import Part
    from ..desc.values import Array
    from ..operators.report import Report
    from ..session.experiments import Experiment
    from ..timing.sampling import Timing

    Results = Sequence[tuple[Part, Array]]


def run(argv: list[str]) -> int:
    """Runs the experiments of a file, one after the other."""
    words = parser(
        "run",
        "Compute the outputs of every desc in a session file on the compiled kernels, with timing.",
        "The first run on a machine compiles the kernels it needs, which takes a second or two; later ones load them.",
    )
    add_file(words)
    words.add_argument("--json", action="store_true", help="print every output whole, as JSON")
    args = words.parse_args(argv)
    experiments, code = read(args.file, args.dims)
    pieces = _Pieces(args.json)
    shown = "standard input" if args.file == "-" else plain(args.file)
    for experiment in experiments:
        code = worst((code, _run_one(shown, experiment, pieces)))
    chains: list[str] = []
    if any(experiment.is_wired for experiment in experiments):
        from ..session.chains import chains_of
        from .chain_text import chain_lines, timed_chain

        for chain in chains_of(experiments):
            timed = timed_chain(shown, chain)
            code = worst((code, FINE if timed is not None else UNREADABLE))
            if timed is not None and args.json:
                chains.append(json.dumps(timed.to_json()))
            elif timed is not None:
                pieces.add(f"{line}\n" for line in chain_lines(timed))
    pieces.close(chains)
    return code


class _Pieces:
    """Prints results one after the other, so that none is kept; as one JSON object where `as_json`."""

    def __init__(self, as_json: bool) -> None:
        self.as_json = as_json
        self._count = 0
        if as_json:
            sys.stdout.write('{"experiments": [')

    def add(self, chunks: Iterable[str]) -> None:
        """Prints one result."""
        sys.stdout.write(("," if self._count else "") + "\n " if self.as_json else ("\n" if self._count else ""))
        self._count += 1
        for chunk in chunks:
            sys.stdout.write(chunk)
        sys.stdout.flush()

    def close(self, chains: Sequence[str] = ()) -> None:
        """Prints what ends the object, and before that the chains' times."""
        if self.as_json:
            listing = ",\n ".join(chains)
            more = f', "chains": [\n {listing}\n]' if chains else ""
            sys.stdout.write(f"\n]{more}}}\n")


def _run_one(file: str, experiment: Experiment, pieces: _Pieces) -> int:
    from ..formats.json_text import escaped
    from ..operators.registry import operator_of
    from ..running import engine
    from ..timing import sampling

    def failed(why: str, code: int) -> int:
        say(f"{file}: experiment {quote(experiment.name)}: {why}")
        if pieces.as_json:
            nothing = {"name": experiment.name, "ok": False, "kernel": "numba", "outputs": [], "timing": None}
            pieces.add([escaped(json.dumps(nothing, ensure_ascii=False))])
        return code

    name = plain(experiment.name)
    with progress(f"checking {name}"):
        report = experiment.check()
    if report.ok is False:
        cause = report.broken[0]
        count = len(report.broken) - 1
        more = f" ({count} more {'rule is' if count == 1 else 'rules are'} broken, see `dmlviz check`)" if count else ""
        return failed(f"{cause.first.id}: {cause.message.removesuffix('.')}{more}.", INVALID)
    operator = operator_of(experiment.desc)
    try:
        with progress(f"preparing and running {operator.name} for {name}"):
            arrays = engine.inputs_of(experiment.desc, experiment.sources())
            bound = engine.bind(experiment.desc, arrays, feature_level=experiment.feature_level)
            timing = sampling.measure(bound)
    except DmlvizError as error:
        return failed(str(error), UNREADABLE)
    results = list(zip(experiment.desc.outputs, bound.outputs, strict=True))
    pieces.add(_json(experiment, report, results, timing) if pieces.as_json else _text(experiment, results, timing))
    return FINE


def _json(experiment: Experiment, report: Report, results: Results, timing: Timing) -> Iterator[str]:
    from ..formats.json_text import escaped, json_values

    name = escaped(json.dumps(experiment.name, ensure_ascii=False))
    yield f'{{"name": {name}, "ok": {json.dumps(report.ok)}, "kernel": "numba", "outputs": ['
    for k, (part, array) in enumerate(results):
        head = {"name": part.path, "data_type": part.tensor.data_type.name, "sizes": list(part.tensor.sizes)}
        yield f'{", " if k else ""}{json.dumps(head)[:-1]}, "values": '
        yield from json_values(array)
        yield "}"
    yield f'], "timing": {json.dumps(timing.to_json())}}}'


def _text(experiment: Experiment, results: Results, timing: Timing) -> Iterator[str]:
    from ..formats.page_text import page_lines
    from ..operators.registry import operator_of

    yield f"{plain(experiment.name)} · {operator_of(experiment.desc).name}\n"
    for part, array in results:
        sizes = ", ".join(map(str, part.tensor.sizes))
        yield f"{part.path}: (Sizes:{{{sizes}}}, DataType:{part.tensor.data_type})\n"
        yield "\n".join(page_lines(array)) + "\n"
    yield f"numba kernel, {timing.kernel}: {_timing_text(timing)}\n"


def _timing_text(timing: Timing) -> str:
    from ..formats.durations import duration

    warm = timing.warm
    spread = f"min {duration(warm.min)}, p95 {duration(warm.p95)}"
    calls = f"{duration(warm.median)} median of {warm.n:,} warm calls"
    return f"{calls} ({spread}), {timing.word} call {duration(timing.opening)}"
