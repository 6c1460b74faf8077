"""What a source holds: experiments, and a remark on each of its places."""

from __future__ import annotations

from dataclasses import dataclass

from ...errors import DmlvizError
from ...session.experiments import Experiment


class ImportFailedError(DmlvizError):
    """Nothing in a source could be read as a desc; the message says why."""


@dataclass(frozen=True, slots=True)
class Remark:
    """What a reader made of one place of its source."""

    where: str
    """`line 12`, `dispatchables.gemm`, `node 3 (Relu)`."""
    taken: bool
    """False for what was ignored or isn't supported."""
    text: str
    """One sentence, or a part of one, fit for a terminal: no control characters."""


@dataclass(frozen=True, slots=True)
class Imported:
    """The experiments that a source holds, at least one, and what was made of each of its places."""

    experiments: tuple[Experiment, ...]
    remarks: tuple[Remark, ...] = ()
