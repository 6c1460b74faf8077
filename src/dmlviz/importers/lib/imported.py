"""What a source holds: experiments, and a remark on each of its places."""

from __future__ import annotations

import math
from collections.abc import Callable

from msgspec import Struct

from ...desc.value_sources import Listed
from ...desc.values import Array
from ...errors import DmlvizError
from ...formats.json_places import Places
from ...session.experiments import Experiment


class ImportFailedError(DmlvizError):
    """Nothing in a source could be read as a desc; the message says why."""


class NothingHereError(ImportFailedError):
    """A source was read whole, and says nothing of an operator that is known here."""


class NotReadError(ImportFailedError):
    """A source names operators that are known here, and none of its descs can be read: nothing of it is checked."""


class NothingFilledError(ImportFailedError):
    """A source names operators that are known here, as a header does, and fills the struct of none."""


class Remark(Struct, frozen=True):
    """What a reader made of one place of its source."""

    at: str
    """What the place is called: `dispatchables.gemm`, `node 3 (Relu)`; empty where its line says it all."""
    taken: bool
    """False for what was ignored or isn't supported."""
    text: str
    """One sentence, fit for a terminal: no control characters."""
    unchecked: bool = False
    """True for what says something of an operator that is known here and can't be held against its rules."""
    experiment: int | None = None
    """The number, from 0, of the experiment that it is about; None for the source as a whole."""
    told: bool = False
    """True for what the debug layer says of the experiment."""
    line: int = 0
    """From 1; 0 where the source has no lines, or they say nothing."""

    @property
    def where(self) -> str:
        """The place: `line 12, gather`."""
        return ", ".join(part for part in (f"line {self.line}" if self.line else "", self.at) if part)

    @property
    def left(self) -> bool:
        """True for what was ignored or couldn't be checked."""
        return not self.taken and not self.told

    @property
    def kind(self) -> str:
        """`taken`, `ignored`, `not checked` or `debug layer`."""
        if self.told:
            return "debug layer"
        return "taken" if self.taken else "not checked" if self.unchecked else "ignored"


class Imported(Struct, frozen=True):
    """The experiments that a source holds, at least one, and what was made of each of its places."""

    experiments: tuple[Experiment, ...]
    remarks: tuple[Remark, ...] = ()
    locate: Callable[[], Places] = dict
    """Finds the places of the experiments' fields: nobody who opens a file waits for that."""

    @property
    def places(self) -> Places:
        """Where the experiments' fields stand in the source, found anew each time; best effort."""
        return self.locate()


def listed(array: Array) -> Listed:
    """An array as the list that a session file holds; what a NaN carries besides is lost."""
    items = array.reshape(-1).tolist()
    if array.dtype.kind == "f":
        items = [x if math.isfinite(x) else "nan" if x != x else "inf" if x > 0 else "-inf" for x in items]
    return Listed(tuple(items), array.shape)
