"""What is recorded of an experiment: its tables and steps, what is said of each cell, and what the rules say."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from ..desc.base import Part
from ..desc.fields import Field
from ..desc.tensors import brackets
from ..errors import plain
from ..operators.maps import Place
from ..operators.registry import operator_of
from ..operators.report import Check, Report, Severity, Verdict
from ..scene.elements.cursor import Cursor
from ..scene.elements.known import EVERYTHING, Known
from ..scene.elements.lookup import value_of
from ..scene.steps.groups import Group
from ..scene.steps.order import Steps, Unit
from ..scene.view_state import ViewState, scan, view_state_of
from ..scene.words.formulas import Term, flags_text, terms
from ..scene.words.meaning import Meaning, meaning
from ..scene.words.sentences import Told, told_steps
from ..session.experiments import Experiment
from ..session.notes import printable
from ..teaching.words.catalogue import sentence
from ..tracing import Trace
from .tables import Table, is_large, tables_of

MOST_STEPS = 256
"""Steps of a recording by element or by run; larger descs are told by slice, or at once."""
MOST_TOLD = 24
"""Steps that are told in sentences."""
MOST_REASONS = 24
"""Broken rules, warnings and notes that are told."""
MOST_NUMBERS = 16
"""Entries of an array that are told of a desc."""
APART = "   "
"""What a term of a formula begins with that stands apart from the one before."""


class Picture(Struct, frozen=True, kw_only=True, dict=True):
    """The tables of a valid desc, and the steps that write its outputs."""

    trace: Trace
    steps: Steps
    inputs: Sequence[Table]
    outputs: Sequence[Table]
    about_memory: bool = False
    """A task asks about linear memory."""

    @property
    def shows_memory(self) -> bool:
        """True where linear memory is drawn too: a step is a stretch of it, or a task is about it."""
        return self.about_memory or self.steps.unit.is_memory

    @property
    def tables(self) -> Sequence[Table]:
        """Inputs, then outputs."""
        return (*self.inputs, *self.outputs)

    def known(self, step: int) -> Known:
        """What is known after `step` steps, 0 to `steps.count`."""
        return EVERYTHING if step >= self.steps.count else self.steps.until(step)

    def said_of(self, table: Table, cell: int) -> str:
        """An element's formula, or who reads it, once everything is written."""
        return line_of(terms(self.trace, Cursor(table.place, table.index(cell))))

    @cached_property
    def captions(self) -> tuple[str, ...]:
        """Of each step, from 0 to `steps.count`, what it moves or fills; by element the formula; "" of step 0."""
        return ("", *(self._caption(step) for step in range(1, self.steps.count + 1)))

    def _caption(self, step: int) -> str:
        """What one step writes and where that comes from, for more than an element with their number."""
        group, first, unit = self.steps.group(step), self.steps.element(step), self.steps.unit
        assert group is not None
        assert first is not None
        if unit.is_memory:
            return self._copy(group)
        formula = line_of(terms(self.trace, first, self.known(step)))
        if group.count == 1:
            return formula
        return sentence(
            "page.all_at_once" if unit is Unit.WHOLE else "page.one_slice", count=f"{group.count:,}", first=formula
        )

    def _copy(self, group: Group) -> str:
        """What a step by run or copy moves or fills: how much, and from where to where."""
        number, ends = group.boxes[0].output, (group.boxes[0].corners[0], group.boxes[-1].corners[1])
        trace, out = self.trace, self.trace.outputs[number]
        first, last = (trace.source(number, index) for index in ends)
        if first.nowhere:
            constant, _ = value_of(trace, Cursor(Place(True, number), ends[0]))
            origin = f"{trace.operator.constant_path} = {constant}"
        else:
            origin = _stretch(trace.inputs[first.tensor], first.index, last.index)
        which = f"{origin} → {_stretch(out, *ends)}"
        if first.via is not None and first.via == last.via:
            sender = f"{trace.inputs[first.via.tensor].path}{brackets(first.via.index)} = {first.via.value}"
            which = f"{sender}: {which}"
        odd = flags_text(trace, first)
        if first.nowhere:  # that it is filled stands before it
            odd = odd.partition(": ")[2]
        if odd:
            which = f"{which}; {'! ' * first.clamped}{odd}"
        size = group.count * out.tensor.data_type.item_size
        return sentence(
            "page.filled" if first.nowhere else "page.one_copy", count=group.count, bytes=f"{size:,}", which=which
        )

    @cached_property
    def told(self) -> Told:
        """The first steps in sentences."""
        return told_steps(self.trace, MOST_TOLD)


class Recorded(Struct, frozen=True, dict=True):
    """One experiment as it is recorded."""

    experiment: Experiment
    view: ViewState
    picture: Picture | None
    """None where the desc is invalid, so that there is nothing true to draw, and where it is large."""
    is_large: bool = False
    """Its tensors are too many or too large for a page, and for stills."""

    @property
    def name(self) -> str:
        return printable(self.experiment.name)

    @property
    def report(self) -> Report:
        return self.view.report

    @cached_property
    def meaning(self) -> Meaning:
        """What the operator means, and its map with the desc's numbers."""
        return meaning(self.experiment.desc, self.picture.trace if self.picture is not None else None)

    @property
    def fields(self) -> list[tuple[str, str]]:
        """The desc's fields that aren't tensors, and what they hold."""
        return fields_of(self.experiment)

    @property
    def reasons(self) -> tuple[Check, ...]:
        """Broken rules first, then warnings and notes, each cause once."""
        failures = (cause.told for cause in self.report.causes)
        ordered = sorted(failures, key=lambda check: list(Severity).index(check.severity))
        return tuple(ordered[:MOST_REASONS])

    def verdict(self) -> str:
        """One sentence: whether the desc is valid, and at which feature level."""
        report = self.report
        about: dict[str, str] = {
            "operator": operator_of(self.experiment.desc).name,
            "level": str(report.feature_level),
        }
        if report.verdict is Verdict.INVALID:
            return sentence("page.invalid", count=f"{len(report.broken):,}", **about)
        if report.verdict is Verdict.WAITS:
            return sentence("page.waits", name=plain(report.waits_for, 40), **about)
        return sentence("page.not_checked" if report.verdict is Verdict.NOT_CHECKED else "page.valid", **about)


def fields_of(one: Experiment) -> list[tuple[str, str]]:
    """The fields of a desc that aren't tensors, and what they hold."""
    desc = one.desc
    fields = (field for field in desc.FIELDS if field not in desc.TENSORS)
    return [(field.name, _content_text(field, desc.get(field.name))) for field in fields]


def recorded(one: Experiment, unit: str = "", *, about_memory: bool = False, end: Experiment | None = None) -> Recorded:
    """An experiment with its report, and its tables if it is valid; large tensors are asked for what is shown.

    Steps are by `unit`, and where that is "" by copy if a task is `about_memory`, else by the experiment's own; by a
    larger one where they would be too many. Colours stand for the roots of the chain that ends with `end`.
    """
    view = view_state_of(one, turned=one.view.view.turned)
    if view.waits:  # nothing of a page may be left to be counted later
        view = replace(view, report=scan(view))
    picture = None
    if view.live and view.trace is not None:
        wanted = unit or (Unit.COPY if about_memory else one.view.view.unit)
        trace = view.trace
        if end is not None:
            from ..scene.colour.root_colours import by_root  # most sessions have no wires

            trace = by_root(trace, one, end)
        if is_large(trace):
            return Recorded(one, view, None, is_large=True)
        picture = picture_of(trace, wanted=wanted, turned=view.turned, about_memory=about_memory)
    return Recorded(one, view, picture)


def picture_of(trace: Trace, *, wanted: str = "", turned: bool = False, about_memory: bool = False) -> Picture:
    """The tables of a trace, by the unit of steps that is `wanted` where there aren't too many."""
    steps = Steps(trace, _unit(trace, wanted))
    inputs, outputs = tables_of(trace, steps, turned=turned)
    return Picture(trace=trace, steps=steps, inputs=inputs, outputs=outputs, about_memory=about_memory)


def _unit(trace: Trace, wanted: str) -> Unit:
    """A unit that makes no more steps than a pass can show: the one that is wanted, or the smallest."""
    units = ([Unit(wanted)] if wanted in tuple(Unit) else []) + [Unit.ELEMENT, Unit.SLICE]
    return next((unit for unit in units if Steps(trace, unit).count <= MOST_STEPS), Unit.WHOLE)


def _stretch(part: Part, first: tuple[int, ...], last: tuple[int, ...]) -> str:
    """Neighbours in memory by the first and the last: `InputTensor[0,0] … [0,3]`; a single one by itself."""
    return f"{part.path}{brackets(first)}{f' … {brackets(last)}' if last != first else ''}"


def line_of(formula: Sequence[Term]) -> str:
    """A formula on one line; what the screen sets apart by blanks stands behind a semicolon."""
    texts = ("".join(text for text, _ in term) for term in formula)
    return "".join(f"{';' * text.startswith(APART)} {' '.join(text.split())}" for text in texts).strip()


def _content_text(field: Field, held: Any) -> str:
    """What a field holds as text; of an array the first entries, and how many more there are."""
    if not field.is_list:
        return field.shown(held)
    more = f", … {len(held) - MOST_NUMBERS:,} more" if len(held) > MOST_NUMBERS else ""
    return f"{{{', '.join(map(str, held[:MOST_NUMBERS]))}{more}}}"
