"""What `dmlviz run` and `dmlviz bench` print of a chain's time: each stage, and all in turn."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ..errors import DmlvizError, plain, quote
from ..formats.durations import duration
from ..formats.text_columns import width
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
    """The stages' medians and bytes, and their sum."""
    from ..running.memory import bytes_text

    names = [plain(stage.name, MOST_NAME) for stage in timed.stages]
    yield f"chain {' ▸ '.join(names)}"
    labels = [f"{stage.operator} {name}" for stage, name in zip(timed.stages, names, strict=True)]
    columns = max(18, *map(width, labels))

    def row(label: str, seconds: float, told: str) -> str:
        return f"  {label}{' ' * (columns - width(label))} {duration(seconds):>8}  {told}"

    for label, stage in zip(labels, timed.stages, strict=True):
        yield row(label, stage.warm.median, f"moves {bytes_text(stage.moved)}")
    yield row("their sum", timed.total, f"moves {bytes_text(timed.moved)}")
    yield row("one after another", timed.whole.median, f"median of {timed.whole.n:,} warm runs")
