"""What a source holds: experiments, and a remark on each of its places."""

from __future__ import annotations

import enum
from collections.abc import Callable, Sequence

from msgspec import Struct, structs

from ...errors import DmlvizError
from ...formats.json_places import Places
from ...operators.report import Check, Report
from ...session.experiments import Experiment


class Why(enum.Enum):
    UNREADABLE = "it is damaged, or not what it seems"
    UNKNOWN = "no source knows it"
    NOTHING = "it is read whole, and says nothing of an operator that is known here"
    NOT_FILLED = "it names operators that are known here, as a header does, and fills the struct of none"
    NOT_READ = "it names operators that are known here, and none of its descs can be read: nothing of it is checked"
    INVALID = "as NOT_READ, and invalid whatever the rest may be"


class ImportFailedError(DmlvizError):
    """No desc of a source is read; the message says why."""

    def __init__(self, sentence: str, why: Why = Why.UNREADABLE) -> None:
        super().__init__(sentence)
        self.why = why


class Note(Struct, frozen=True):
    """A sentence on what is no desc, or on one part of one; `line` is from 1, and 0 where lines say nothing."""

    text: str
    """One sentence with its full stop, fit for a terminal: no control characters."""
    line: int = 0
    at: str = ""
    """What the place is called besides or instead: `dispatchables.a.InputTensor`, `node 3 (Relu)`."""
    unchecked: bool = False
    """True for what says something of an operator that is known here and can't be held against its rules."""
    told: str = ""
    """Who else says it of a desc: `CreateOperator`."""
    check: Check | None = None
    """Of what no desc can hold, in whose place something else stands: what fails for it."""

    @property
    def where(self) -> str:
        return ", ".join(part for part in (f"line {self.line}" if self.line else "", self.at) if part)


class Remark(Note, frozen=True):
    taken: bool = False
    """False for what was ignored or isn't supported."""
    experiment: int | None = None
    """The number, from 0, of the experiment that it is about; None for the source as a whole."""

    @property
    def left(self) -> bool:
        return not self.taken and not self.told

    @property
    def kind(self) -> str:
        if self.told or self.taken:
            return self.told or "taken"
        if self.check is not None:
            return "invalid"
        if self.unchecked:
            return "not checked"
        return "ignored"


class Imported(Struct, frozen=True):
    """The experiments that a source holds, at least one, and what was made of each of its places."""

    experiments: tuple[Experiment, ...]
    remarks: tuple[Remark, ...] = ()
    locate: Callable[[], Places] = dict
    """Where the experiments' fields stand in the source, found anew each time; best effort."""


def checked(one: Experiment, faults: Sequence[Check]) -> Report:
    """The report on an experiment in which something stands for what no desc can hold: `faults` are all that fails."""
    report = one.check()
    if not faults:
        return report
    messages = tuple(fault.message for fault in faults)
    left = tuple(left for left in report.not_checked if not left.message.endswith(messages))
    checks = (*faults, *(check for check in report.checks if check.ok))
    return structs.replace(report, checks=checks, lowest_level=None, not_checked=left)
