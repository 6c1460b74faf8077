"""`dmlviz run`: the outputs of every desc by the compiled kernels, with timing."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING

from ..errors import DmlvizError, InvalidDescError, plain
from .parsers import add_file, parser
from .shared import progress, read_session, say_failed, worst

if TYPE_CHECKING:
    from ..running.engine import Bound
    from ..session.experiments import Experiment
    from ..timing.sampling import Timing


def run(argv: list[str]) -> int:
    words = parser(
        "run",
        "Compute the outputs of every desc in a session file on the compiled kernels, with timing.",
        "The first run on a machine compiles the kernels, which takes a second or two; later runs load them.",
    )
    add_file(words)
    words.add_argument("--json", action="store_true", help="print all outputs as JSON")
    args = words.parse_args(argv)
    session, code = read_session(args.file, args.dims)
    codes, printed = [code], 0
    begin, between, end = ('{"experiments": [\n ', ",\n ", "\n]}\n") if args.json else ("", "\n", "")
    sys.stdout.write(begin)
    for one in session.experiments:
        ran = None
        try:
            ran = _ran(one)
        except DmlvizError as error:
            codes.append(say_failed(args.file, one, error))
        if args.json or ran is not None:
            sys.stdout.write(between if printed else "")
            sys.stdout.writelines(_json(one, ran) if args.json or ran is None else _text(one, *ran))
            printed += 1
    sys.stdout.write(end)
    return worst(codes)


def _ran(one: Experiment) -> tuple[Bound, Timing]:
    """An experiment, run and timed. Raises DmlvizError, an InvalidDescError where a rule is broken."""
    from ..running import engine
    from ..timing import sampling

    name = plain(one.name)
    with progress(f"checking {name}"):
        report = one.check()
    if report.ok is False:
        cause = report.broken[0]
        more = len(report.broken) - 1
        others = f", with {more} more in `dmlviz check`" if more else ""
        raise InvalidDescError(f"{cause.first.id}: {cause.message.removesuffix('.')}{others}.")
    with progress(f"preparing and running {name}"):
        arrays = engine.inputs_of(one.desc, one.sources())
        bound = engine.bind(one.desc, arrays, feature_level=one.feature_level)
        return bound, sampling.measure(bound)


def _json(one: Experiment, ran: tuple[Bound, Timing] | None) -> Iterator[str]:
    """An experiment and its outputs, one at a time; None where it couldn't run."""
    from ..formats.json_text import escaped, json_values

    name = escaped(json.dumps(one.name, ensure_ascii=False))
    ok = json.dumps(ran is not None and one.check().ok)
    yield f'{{"name": {name}, "ok": {ok}, "kernel": "numba", "outputs": ['
    outputs = ran[0].outputs if ran is not None else ()
    for k, (part, array) in enumerate(zip(one.desc.outputs, outputs, strict=ran is not None)):
        kind = part.tensor.data_type.name
        sizes = list(part.tensor.sizes)
        head = {"name": part.path, "data_type": kind, "sizes": sizes}
        yield f'{", " if k else ""}{json.dumps(head)[:-1]}, "values": '
        yield json_values(array)
        yield "}"
    yield f'], "timing": {json.dumps(ran[1].to_json() if ran is not None else None)}}}'


def _text(one: Experiment, bound: Bound, timing: Timing) -> Iterator[str]:
    from ..formats.durations import duration
    from ..formats.page_text import page_text
    from ..operators.registry import operator_of

    yield f"{plain(one.name)} · {operator_of(one.desc).name}\n"
    for part, array in zip(one.desc.outputs, bound.outputs, strict=True):
        sizes = ", ".join(map(str, part.tensor.sizes))
        yield f"{part.path}: (Sizes:{{{sizes}}}, DataType:{part.tensor.data_type})\n"
        yield page_text(array) + "\n"
    warm = timing.warm
    spread = f"min {duration(warm.min)}, p95 {duration(warm.p95)}"
    calls = f"{duration(warm.median)} median of {warm.n:,} warm calls"
    yield f"numba kernel, {timing.kernel}: {calls} ({spread}), {timing.word} call {duration(timing.opening)}\n"
