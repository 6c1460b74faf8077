"""What `dmlviz run` and `dmlviz bench` print of a chain's time: each stage, and all in turn."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from ..errors import DmlvizError, plain, quote
from .shared import FINE, UNREADABLE, progress, say

if TYPE_CHECKING:
    from ..session.experiments import Experiment
    from ..timing.chain_timing import ChainTiming


def timed_chains(file: str, experiments: Sequence[Experiment]) -> tuple[list[ChainTiming], int]:
    """The times of each chain among experiments; a sentence on stderr, and an exit code, where one can't be timed."""
    timed: list[ChainTiming] = []
    code = FINE
    if not any(experiment.is_wired for experiment in experiments):
        return timed, code
    from ..session.chains import chains_of
    from ..timing.chain_timing import time_chain

    for chain in chains_of(experiments):
        name = chain.stages[-1].name
        try:
            with progress(f"timing the chain of {plain(name)}"):
                timed.append(time_chain(chain))
        except DmlvizError as error:
            say(f"{file}: the chain of {quote(name)}: {error}")
            code = UNREADABLE
    return timed, code


def chain_lines(timed: ChainTiming) -> Iterator[str]:
    """The stages' medians and bytes, and their sum."""
    from ..formats.durations import duration
    from ..formats.text_columns import width
    from ..running.memory import bytes_text

    names = [plain(stage.name, 32) for stage in timed.stages]
    yield f"chain {' ▸ '.join(names)}"
    rows = [
        (f"{stage.operator} {name}", stage.warm.median, f"moves {bytes_text(stage.moved)}")
        for stage, name in zip(timed.stages, names, strict=True)
    ]
    rows.append(("their sum", timed.total, f"moves {bytes_text(timed.moved)}"))
    rows.append(("one after another", timed.whole.median, f"median of {timed.whole.n:,} warm runs"))
    columns = max(18, *(width(label) for label, _, _ in rows))
    for label, seconds, told in rows:
        yield f"  {label}{' ' * (columns - width(label))} {duration(seconds):>8}  {told}"
