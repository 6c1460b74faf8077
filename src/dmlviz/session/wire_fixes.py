"""Fixes of wired experiments: what the wire's source says, what it can be read as, and edits of what is read.

Each is made on a copy of the session, whose other experiments follow, and offered only if it mends there.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import islice
from typing import Any

from ..desc.base import Desc, Part
from ..desc.tensors import TensorDesc
from ..desc.value_sources import Wired
from ..errors import DmlvizError, SessionError, quote
from ..operators.checking import check
from ..operators.desc_edits import with_data_type, with_dimensions
from ..operators.evaluation import evaluate
from ..operators.fixes.differences import changes_between
from ..operators.fixes.losses import loss_between
from ..operators.registry import operator_of
from ..operators.report import Change, Check, Fix, Report, Severity, root_of
from .wire_rules import ON_WIRE, wire_errors
from .wiring import S, fault, followed, misfit, resolved, source_tensor, wires, with_part

MOST_FIXES = 6
MOST_TRIED = 12
"""Edits of what is read that are tried for a broken check: each holds every rule of the session's chain."""
NEAR = 0.7
"""How like a name one is that was meant for it, as difflib has it: `halfs`, `halves`."""
MOST_NAMES = 256
Broken = set[tuple[str, str, str]]
"""Rules of severity error that experiments break: (experiment, id, root of the field)."""


def with_wire_fixes(experiment: Any, report: Report, session: Sequence[Any]) -> Report:
    """`report` with fixes for what wires break, and with what other fixes do to wires."""
    places = [i for i, one in enumerate(session) if one is experiment]
    if not places:  # an edited copy, or one that no session has
        session, places = experiment.stages, [len(experiment.stages) - 1]
    trial = _Trial(experiment, tuple(session), places[0])
    return replace(report, checks=tuple(map(trial.with_fixes, report.checks)))


class _Trial:
    """Edits of one session, tried for the experiment `number` of it."""

    def __init__(self, experiment: Any, session: tuple[Any, ...], number: int) -> None:
        self._experiment, self._session, self._number = experiment, session, number
        self._wired = {part.path: (part, wire) for part, wire in wires(experiment)}

    def with_fixes(self, broken: Check) -> Check:
        """A check with the fixes that mend it in the session, those that mend everything first."""
        if broken.ok or broken.severity is not Severity.ERROR or broken.same_as not in ("", broken.field):
            return broken
        own = [held for fix in broken.fixes if (held := self._own(fix, broken)) is not None]
        more: list[Fix] = []
        root = root_of(broken.field)
        if broken.id in ON_WIRE and root in self._wired:
            part, wire = self._wired[root]
            own += self._of_own(self._candidates(part, wire), broken)
            more = self._of_sources([(part.path, part.tensor)], broken)
        elif broken.id == "chain.source" and root in self._wired:
            own += self._of_near(self._wired[root][1], broken)
        elif broken.fixes:
            more = self._of_sources(self._wanted(broken.fixes), broken)
        if broken.id == "dimension_count.supported":
            more = [*self._of_all_ranks(broken), *more]
        fixes = sorted({fix.label: fix for fix in (*own, *more)}.values(), key=lambda fix: not fix.mends_all)
        return replace(broken, fixes=tuple(fixes[:MOST_FIXES]))

    def _own(self, fix: Fix, broken: Check) -> Fix | None:
        """A fix of the experiment itself, as it stands with its wires and with those that lead to it.

        One may take a tensor away from its source, another an output away from who reads that.
        """
        edited = self._experiment.mended(fix)
        left, lost = wire_errors(edited), len(self._loose(self._after(self._number, fix.desc)))
        is_worse = bool(left - wire_errors(self._experiment))
        if is_worse and broken.id in ON_WIRE:
            return None
        more = (len(left) if is_worse or fix.mends_all else 0) + lost
        return replace(fix, mends_all=False, left=fix.left + more) if more else fix

    def _loose(self, session: Sequence[Any]) -> set[tuple[int, str]]:
        """The wires of other experiments that lead nowhere, of those that lead here."""
        others = ((i, one) for i, one in enumerate(session) if i != self._number)
        loose = ((i, part, wire) for i, one in others for part, wire in wires(one) if wire.loose is not None)
        return {(i, part.path) for i, part, wire in loose if wire.name == self._experiment.name}

    @cached_property
    def _broken(self) -> Broken:
        return self._broken_in(self._session)

    def _candidates(self, part: Part, wire: Wired) -> Iterator[Desc]:
        """Descs of the experiment that may go with the source of a wire; then those that go with all sources."""
        desc = self._experiment.desc
        yield from _read_otherwise(desc, part, wire)
        for path, (other, its) in self._wired.items():
            if misfit(other, its) and (tensor := source_tensor(its)) is not None:
                desc = with_part(desc.replace(desc.inferable), path, tensor)
        yield desc

    def _of_own(self, descs: Iterable[Desc], broken: Check) -> list[Fix]:
        """Fixes that make these descs of the experiment, where they mend `broken`."""
        fixes = []
        for desc in descs:
            after = self._after(self._number, desc)
            fix = self._fix(self._experiment, desc, after, broken, at=None)
            if fix is not None:
                fixes.append(fix)
        return fixes

    def _of_sources(self, wanted: Iterable[tuple[str, TensorDesc]], broken: Check) -> list[Fix]:
        """Fixes that give the sources of wired tensors the outputs that are wanted, where they mend everything."""
        fixes: list[Fix] = []
        for path, tensor in wanted:
            wire = self._wired[path][1]
            number = next((i for i, one in enumerate(self._session) if one is wire.source), None)
            if number is None:
                continue
            for desc in islice(_making(wire.source.desc, wire.number, tensor), MOST_TRIED):
                after = self._after(number, desc)
                fix = self._fix(wire.source, desc, after, broken, at=wire.source.name)
                if fix is not None and fix.mends_all:
                    fixes.append(fix)
        return fixes

    def _of_near(self, wire: Wired, broken: Check) -> list[Fix]:
        """The fix that has a wire, and those with its mistake, lead to what is called nearly so, if that is one."""
        names = [one.name for one in self._session if one is not self._experiment]
        found = [one for one in self._session if one.name == wire.name]
        paths = [part.path for one in found for part in one.desc.outputs]
        near = _nearest(wire.output if found else wire.name, paths if found else names)
        if near is None:
            return []
        alike = {p: w for p, (_, w) in self._wired.items() if w.name == wire.name}
        led = {path: Wired(wire.name, near) if found else Wired(near, w.output) for path, w in alike.items()}
        led = {path: w for path, w in led.items() if not found or alike[path].output == wire.output}
        edited = replace(self._experiment, values={**self._experiment.values, **led})
        after = resolved((*self._session[: self._number], edited, *self._session[self._number + 1 :]))
        changes = [
            Change(f"{path} {'output' if found else 'from'}", *(quote(w.output if found else w.name, 40) for w in pair))
            for path, new in led.items()
            for pair in [(alike[path], new)]
        ]
        fix = self._fix(self._experiment, self._experiment.desc, after, broken, at=None, changes=changes)
        values = tuple((path, after[self._number].values[path]) for path in led)
        held = fix is not None and all(entry.loose is None for _, entry in values)
        return [replace(fix, values=values)] if fix is not None and held else []

    def _of_all_ranks(self, broken: Check) -> list[Fix]:
        """The fix that gives all stages of a chain the dimensions that one has to have, where none of them minds."""
        low, high = broken.expected
        count = min(max(broken.found, low), high)
        try:
            after = with_ranks(self._session, self._number, count)
        except SessionError:
            return []
        pairs = zip(self._session, after, strict=True)
        also = [(new.name, new.desc) for old, new in pairs if old.desc != new.desc and old is not self._experiment]
        names = [one.name for one in self._session]
        if not also or any(names.count(name) > 1 for name in (self._experiment.name, *dict(also))):
            return []
        if any(id_ == broken.id and name in dict(also) for name, id_, _ in self._broken_in(after)):
            return []
        changes = [Change(f"DimensionCount of {len(also) + 1} stages", str(broken.found), str(count))]
        at = self._experiment.name
        fix = self._fix(self._experiment, after[self._number].desc, after, broken, at=at, changes=changes)
        return [replace(fix, also=tuple(also))] if fix is not None else []

    def _wanted(self, fixes: Sequence[Fix]) -> Iterator[tuple[str, TensorDesc]]:
        """The wired tensors that fixes of the experiment alone would change, each as it would be."""
        for fix in fixes:
            if fix.desc.TYPE != self._experiment.desc.TYPE:
                continue
            now = {part.path: part.tensor for part in fix.desc.parts}
            for path, (part, wire) in self._wired.items():
                if path in now and now[path] != part.tensor and wire.source is not None and not misfit(part, wire):
                    yield path, now[path]

    def _after(self, number: int, desc: Desc) -> tuple[Any, ...]:
        """The session with another desc in one of its experiments, and what follows that."""
        edited = replace(self._session[number], desc=desc)
        return followed(self._session, (*self._session[:number], edited, *self._session[number + 1 :]))

    def _fix(
        self,
        of: Any,
        desc: Desc,
        after: tuple[Any, ...],
        broken: Check,
        at: str | None,
        changes: Sequence[Change] = (),
    ) -> Fix | None:
        """The fix that gives an experiment a desc; None where it doesn't mend `broken`, or breaks another one.

        `changes` say what it changes where that isn't the difference of the descs.
        """
        left = self._broken_in(after)
        own = self._experiment.name
        if (own, broken.id, root_of(broken.field)) in left or any(name != own for name, *_ in left - self._broken):
            return None
        is_told = bool(changes)
        changes = changes or changes_between(of.desc, desc, of.feature_level, of.feature_level)
        if not changes:
            return None
        if at is not None and not is_told:
            changes = [Change(f"{quote(at, 40)}: {changes[0].what}", *changes[0][1:]), *changes[1:]]
        here = [rule for rule in left if rule[0] == own]
        loses = loss_between(of.desc, desc) if at is not None else ""  # what is read has its elements from there
        return Fix(
            ", ".join(map(str, changes)),
            desc,
            of.feature_level,
            mends_all=not here,
            changes=tuple(changes),
            left=len(here),
            loses=loses,
            at=at,
        )

    def _broken_in(self, session: Sequence[Any]) -> Broken:
        """What is broken in the experiments that are wired, and in what they read."""
        concerned = {id(stage): stage for one in session if one.is_wired for stage in one.stages}
        broken: Broken = set()
        for stage in concerned.values():
            record = evaluate(operator_of(stage.desc), stage.desc, stage.feature_level)
            failing = (c for c in record.checks if not c.ok and c.severity is Severity.ERROR)
            broken |= {(stage.name, c.id, root_of(c.field)) for c in failing}
            broken |= {(stage.name, *rule) for rule in wire_errors(stage)}
        return broken


def with_ranks(stages: tuple[S, ...], number: int, count: int) -> tuple[S, ...]:
    """A session's experiments with every stage of one's chains of `count` dimensions, leading 1s put on or taken off.

    Those are all that it reads, all that read it, and what these read. Feature levels up to 2_1 take four. Raises
    SessionError where sizes that aren't leading 1s would have to go, and where an experiment outside the chains reads
    one of them and would break.
    """
    chains = [{id(stage) for stage in one.stages} for one in stages]
    concerned = set[int]().union(*(chain for chain in chains if id(stages[number]) in chain))
    now = list(stages)
    for i, one in enumerate(stages):
        if id(one) in concerned:
            desc = with_dimensions(one.desc, count)
            if desc is None:
                raise SessionError(f"{quote(one.name)} can't have {count} dimensions, expected only leading 1s to go.")
            now[i] = replace(one, desc=desc)
    after = resolved(tuple(now))
    for old, new in zip(stages, after, strict=True):
        if fault(new) == new.name and not fault(old):
            raise SessionError(
                f"{quote(new.name)} would be broken by {count} dimensions, expected it to be valid still."
            )
    return after


def _nearest(word: str, known: Sequence[str]) -> str | None:
    """What of `known` a word was meant for; None where nothing is like it, or two are alike."""
    import difflib  # nobody needs it where wires lead somewhere

    pairs = difflib.get_close_matches(word, dict.fromkeys(known[:MOST_NAMES]), 2, NEAR)
    ratios = [difflib.SequenceMatcher(None, near, word).ratio() for near in pairs]
    return pairs[0] if pairs and pairs[0] != word and len({*ratios}) == len(ratios) else None


def _read_otherwise(desc: Desc, part: Part, wire: Wired) -> Iterator[Desc]:
    """Descs that take a wired tensor over from its source, or read as many elements with the sizes that they have."""
    tensor = source_tensor(wire)
    if tensor is None:
        return
    typed = TensorDesc(tensor.data_type, part.tensor.sizes)
    if tensor.element_count == part.tensor.element_count:  # the sizes may be meant
        yield from _completed(desc, part.path, typed)
    yield from _completed(desc, part.path, tensor)
    if tensor.data_type is not part.tensor.data_type:
        try:
            yield with_part(with_data_type(desc, tensor.data_type), part.path, tensor)
            yield with_part(with_data_type(desc, tensor.data_type), part.path, typed)
        except DmlvizError:
            pass
    if part.tensor.sizes and len(tensor.sizes) != len(part.tensor.sizes):
        whole = math.prod(part.tensor.sizes)
        for axis, size in enumerate(part.tensor.sizes):
            others = whole // size if size > 0 else 0
            if others and tensor.element_count % others == 0:
                sizes = (*part.tensor.sizes[:axis], tensor.element_count // others, *part.tensor.sizes[axis + 1 :])
                yield from _completed(desc, part.path, TensorDesc(tensor.data_type, sizes))


def _making(desc: Desc, number: int, tensor: TensorDesc) -> Iterator[Desc]:
    """Valid descs of the same operator whose output `number` is `tensor`."""
    if number < len(desc.outputs):
        yield from _completed(desc, desc.outputs[number].path, tensor)


def _completed(desc: Desc, path: str, tensor: TensorDesc) -> Iterator[Desc]:
    """Descs with another tensor: with outputs as given, or inferred, or else with what mends them and keeps that."""
    own = path.partition("[")[0]
    for given in ({}, {name: None for name in desc.inferable if name != own}):
        try:
            edited = with_part(desc.replace(given), path, tensor)
        except DmlvizError:
            continue
        errors = check(edited).errors
        if not errors:
            yield edited
            return
        for fix in (fix for broken in errors for fix in broken.fixes if fix.mends_all and not fix.turned):
            now = next((part.tensor for part in fix.desc.parts if part.path == path), None)
            if now is not None and (now.data_type, now.sizes) == (tensor.data_type, tensor.sizes):
                yield fix.desc
