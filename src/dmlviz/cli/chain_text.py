"""What `dmlviz run` and `dmlviz bench` print of a chain's time: each stage, all in turn, and one gather beside them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ..errors import DmlvizError, plain, quote
from ..formats.durations import duration
from .shared import progress, say

if TYPE_CHECKING:
    from ..session.chains import Chain
    from ..timing.chain_timing import ChainTiming

MOST_NAME = 32


def timed_chain(file: str, chain: Chain) -> ChainTiming | None:
    """A chain's times; None, and a sentence on stderr, where it can't be timed."""
    from ..timing.chain_timing import time_chain

    name = chain.stages[-1].name
    try:
        with progress(f"timing the chain of {plain(name)}"):
            return time_chain(chain)
    except DmlvizError as error:
        say(f"{file}: the chain of {quote(name)}: {error}")
        return None


def chain_lines(timed: ChainTiming) -> Iterator[str]:
    """The stages' medians and bytes, their sum, and what one gather takes; then the sentence that tells them apart."""
    from ..running.memory import bytes_text

    names = [plain(stage.name, MOST_NAME) for stage in timed.stages]
    yield f"chain {' ▸ '.join(names)}"
    labels = [f"{stage.operator} {name}" for stage, name in zip(timed.stages, names, strict=True)]
    width = max(18, *map(len, labels))

    def row(label: str, seconds: float, told: str) -> str:
        return f"  {label:<{width}} {duration(seconds):>8}  {told}"

    for label, stage in zip(labels, timed.stages, strict=True):
        yield row(label, stage.warm.median, f"moves {bytes_text(stage.moved)}")
    yield row("their sum", timed.total, f"moves {bytes_text(timed.moved)}")
    yield row("one after another", timed.whole.median, f"median of {timed.whole.n:,} warm runs")
    if timed.gather is not None:
        times = timed.gather.warm.median / timed.whole.median
        moves = (
            f"moves {bytes_text(timed.gather.bytes_moved)} and reads {bytes_text(timed.gather.index_bytes)} of indices"
        )
        yield row("one gather", timed.gather.warm.median, f"{times:.2f} times one after another; {moves}")
    yield f"  {timed.sentence}"
