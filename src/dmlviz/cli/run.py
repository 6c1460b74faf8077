"""`dmlviz run`: the outputs of every desc by the compiled kernels, with timing."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING

from ..errors import DmlvizError, InvalidDescError, plain, quote
from .parsers import add_file, parser
from .shared import INVALID, UNREADABLE, progress, read, say, shown_word, worst

if TYPE_CHECKING:
    from ..running.engine import Bound
    from ..session.experiments import Experiment
    from ..timing.sampling import Timing


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
    from .chain_text import chain_lines, timed_chains

    experiments, code = read(args.file, args.dims)
    codes, shown, printed = [code], shown_word(args.file), 0
    begin, between, end = ('{"experiments": [\n ', ",\n ", "\n]") if args.json else ("", "\n", "")
    sys.stdout.write(begin)
    for experiment in experiments:
        try:
            bound, timing = _ran(experiment)
        except DmlvizError as error:
            say(f"{shown}: experiment {quote(experiment.name)}: {error}")
            codes.append(INVALID if isinstance(error, InvalidDescError) else UNREADABLE)
            pieces = _failed_json(experiment) if args.json else None
        else:
            pieces = (_json if args.json else _text)(experiment, bound, timing)
        if pieces is not None:
            sys.stdout.write(between if printed else "")
            sys.stdout.writelines(pieces)
            printed += 1
    chains, code = timed_chains(shown, experiments)
    sys.stdout.write(end)
    if args.json:
        listing = between.join(json.dumps(chain.to_json()) for chain in chains)
        print(f', "chains": [\n {listing}\n]}}' if chains else "}")
    for chain in chains if not args.json else ():
        print("", *chain_lines(chain), sep="\n")
    return worst((*codes, code))


def _ran(experiment: Experiment) -> tuple[Bound, Timing]:
    """An experiment, run and timed. Raises DmlvizError, an InvalidDescError where a rule is broken."""
    from ..running import engine
    from ..timing import sampling

    name = plain(experiment.name)
    with progress(f"checking {name}"):
        report = experiment.check()
    if report.ok is False:
        cause, more = report.broken[0], len(report.broken) - 1
        others = f", with {more} more in `dmlviz check`" if more else ""
        raise InvalidDescError(f"{cause.first.id}: {cause.message.removesuffix('.')}{others}.")
    with progress(f"preparing and running {name}"):
        arrays = engine.inputs_of(experiment.desc, experiment.sources())
        bound = engine.bind(experiment.desc, arrays, feature_level=experiment.feature_level)
        return bound, sampling.measure(bound)


def _json_name(experiment: Experiment) -> str:
    from ..formats.json_text import escaped

    return escaped(json.dumps(experiment.name, ensure_ascii=False))


def _failed_json(experiment: Experiment) -> Iterator[str]:
    yield f'{{"name": {_json_name(experiment)}, "ok": false, "kernel": "numba", "outputs": [], "timing": null}}'


def _json(experiment: Experiment, bound: Bound, timing: Timing) -> Iterator[str]:
    from ..formats.json_text import json_values

    ok = json.dumps(experiment.check().ok)
    yield f'{{"name": {_json_name(experiment)}, "ok": {ok}, "kernel": "numba", "outputs": ['
    for k, (part, array) in enumerate(zip(experiment.desc.outputs, bound.outputs, strict=True)):
        head = {"name": part.path, "data_type": part.tensor.data_type.name, "sizes": list(part.tensor.sizes)}
        yield f'{", " if k else ""}{json.dumps(head)[:-1]}, "values": '
        yield from json_values(array)
        yield "}"
    yield f'], "timing": {json.dumps(timing.to_json())}}}'


def _text(experiment: Experiment, bound: Bound, timing: Timing) -> Iterator[str]:
    from ..formats.durations import duration
    from ..formats.page_text import page_lines
    from ..operators.registry import operator_of

    yield f"{plain(experiment.name)} · {operator_of(experiment.desc).name}\n"
    for part, array in zip(experiment.desc.outputs, bound.outputs, strict=True):
        sizes = ", ".join(map(str, part.tensor.sizes))
        yield f"{part.path}: (Sizes:{{{sizes}}}, DataType:{part.tensor.data_type})\n"
        yield "\n".join(page_lines(array)) + "\n"
    warm = timing.warm
    spread = f"min {duration(warm.min)}, p95 {duration(warm.p95)}"
    calls = f"{duration(warm.median)} median of {warm.n:,} warm calls"
    yield f"numba kernel, {timing.kernel}: {calls} ({spread}), {timing.word} call {duration(timing.opening)}\n"
