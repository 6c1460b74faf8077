"""What every operator goes through: a check for each thing that follows from its declarations.

A check takes an operator's type and asserts; `CHECKS` has them by name. They lean on the operator's module of cases and
on nothing that is particular to one operator.
"""

from __future__ import annotations

import contextlib
import io
import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given
from support.effort import tried
from support.idioms import has_idiom
from support.misreadings import (
    broken_or_not,
    prove_declared,
    prove_differs,
    prove_lowest_level,
    prove_sentences,
    prove_verdict,
)
from support.other_maps import Shown, drawn, pictures, with_other_map
from support.reports import assert_sound
from support.strategies import Case

import dmlviz as dml
from dmlviz.desc.base import Desc
from dmlviz.desc.fields import Role
from dmlviz.desc.indexing import ravel, unravel
from dmlviz.desc.levels import LEVELS
from dmlviz.errors import DmlvizError
from dmlviz.explaining import explain
from dmlviz.exporters.lib import exporting
from dmlviz.importers.lib import importing
from dmlviz.operators.desc_edits import with_dimensions
from dmlviz.operators.level_rules import first_level, refusals
from dmlviz.operators.maps import NOWHERE, Place, Reader, tensors_among
from dmlviz.operators.registry import listed, operator_of, operators
from dmlviz.operators.report import name_of
from dmlviz.operators.sentences import sentence_of
from dmlviz.running import engine
from dmlviz.scene.elements.cursor import Cursor
from dmlviz.scene.layout.zoom import Zoom
from dmlviz.scene.levels.sentences import level_adds, level_below
from dmlviz.scene.levels.strip import level_strip
from dmlviz.scene.lights import lights
from dmlviz.scene.steps.order import UNITS, Steps, Unit
from dmlviz.scene.view_state import view_state_of
from dmlviz.session import examples
from dmlviz.session.experiments import Experiment, Session
from dmlviz.session.new_experiments import sample
from dmlviz.session.tokens import experiments_of, to_token
from dmlviz.session.writing import dump
from dmlviz.tracing import Trace
from dmlviz.workspace.form.form_edits import edited
from dmlviz.workspace.form.form_rows import form_rows
from dmlviz.workspace.form.reasons import Reasons, broken_rows
from operator_kit.finding import Drawn, cases_of

Check = Callable[[str], None]
CHECKS: dict[str, Check] = {}
NEEDS: dict[str, tuple[str, ...]] = {}
"""What a check leans on: where that fails it isn't held, so that each mistake is told once, at its root."""
QUICK = tried(60, suppress_health_check=list(HealthCheck))
MISSING = "is missing"


def check(*needs: str) -> Callable[[Check], Check]:
    """Makes a function a check of its name; it isn't held where one of `needs` fails."""
    assert CHECKS.keys() >= {*needs}

    def made(found: Check) -> Check:
        CHECKS[found.__name__], NEEDS[found.__name__] = found, needs
        return found

    return made


def for_cases(kind: str, prove: Callable[[Case], None]) -> None:
    """Holds `prove` against each of the valid descs, filled by default, and then against random cases."""
    for desc in cases_of(kind).VALID:
        prove(Case(desc, [np.array(values.array()) for values in named(desc).sources()]))

    @QUICK
    @given(cases_of(kind).cases())
    def run(case: Case) -> None:
        prove(case)

    run()


def named(desc: Desc) -> Experiment:
    return Experiment("of the kit", desc)


def broken(kind: str) -> Iterator[tuple[str, Desc, dml.Report]]:
    for id_, desc in cases_of(kind).BROKEN.items():
        yield id_, desc, dml.check(desc)


def flat_sources(trace: Trace, output: int) -> tuple[Any, Any, Any]:
    """(tensor, flat source, flat cell of what steers) of each element of an output; -1 for no cell."""
    tensor = trace.outputs[output].tensor
    at = unravel(np.arange(tensor.element_count, dtype=np.int64), tensor.sizes)
    found, (tensors, flat) = trace.sources(output, at), trace.addresses(output, at)
    via = np.full_like(flat, -1)
    if found.via is not None:
        via = ravel(found.via, trace.inputs[found.via_tensor].tensor.sizes)
    return tensors, flat, via


def has_source(trace: Trace, place: Place) -> Any:
    """(N,) True for the elements of an output that come from an input; True for all of an input."""
    tensor = (trace.outputs if place.is_output else trace.inputs)[place.number].tensor
    if not place.is_output:
        return np.ones(tensor.element_count, bool)
    return flat_sources(trace, place.number)[0] != NOWHERE


# ---- checks and fixes


@check()
def valid_descs_pass(kind: str) -> None:
    for desc in cases_of(kind).VALID:
        report = dml.check(desc)
        assert report.ok, [c.message for c in report.errors]
        assert_sound(report)
    for_cases(kind, lambda case: assert_valid(case.desc))


def assert_valid(desc: Desc) -> None:
    report = dml.check(desc)
    assert report.ok, [c.message for c in report.errors]


@check("valid_descs_pass")
def mistakes_are_found(kind: str) -> None:
    """Each rule is broken by the desc that stands for it, and by no valid one; whatever waits, waits for a failure."""
    for id_, _, report in broken(kind):
        assert id_ in {c.id for c in report.errors}, (id_, [c.message for c in report.errors])
        assert_sound(report)
    desc = cases_of(kind).VALID[0]
    for field in desc.FIELDS:  # any nonsense gets a report
        if field in desc.TENSORS:
            other: Any = dml.TensorDesc("INT8", (0, -1)) if not field.many else ()
        elif field.is_list:
            other = ()
        else:
            other = -7
        dml.check(desc.replace({field.name: other}))


@check("mistakes_are_found")
def mistakes_are_mended(kind: str) -> None:
    for id_, _, report in broken(kind):
        fixes = next(c for c in report.errors if c.id == id_).fixes
        assert fixes, f"{id_} has no fix"
        assert fixes[0].mends_all, (id_, fixes[0].label)
        for fix in fixes:
            assert id_ not in {c.id for c in dml.check(fix.desc, feature_level=fix.feature_level).errors}


@check("mistakes_are_found")
def counts_are_reported_once(kind: str) -> None:
    """A count that is wrong is one broken rule, which names every array that it governs; emptied, it is right again."""
    desc = cases_of(kind).VALID[0]
    for field in desc.COUNTS:
        wrong = desc.replace({field.name: desc.get(field.name) + 1})
        (one,) = [c for c in dml.check(wrong).errors if c.id == "count.matches"]
        assert one.field == field.name
        assert all(name in one.message for name in field.arrays)
        assert {name_of(path) for path in one.related} >= set(field.arrays)
        assert desc in [fix.desc for fix in one.fixes]


@check("mistakes_are_found")
def arrays_under_one_count_go_together(kind: str) -> None:
    """An array of another length than its count, or than the others under it, breaks `count.matches` once."""
    desc = cases_of(kind).VALID[0]
    for count in desc.COUNTS:
        for name in count.arrays:
            field = next(f for f in desc.FIELDS if f.name == name)
            if field.is_list:
                longer = desc.replace({name: (*desc.get(name), 1), count.name: len(desc.get(name))})
                assert [c.field for c in dml.check(longer).errors if c.id == "count.matches"] == [count.name]


@check("valid_descs_pass")
def numbers_keep_within_their_type(kind: str) -> None:
    """A number that the field's C type can't hold is an error that names the field."""
    desc = cases_of(kind).VALID[0]
    for field in desc.FIELDS:
        if field.limits is None:
            continue
        low, high = field.limits
        whole = (low - 1, high + 1)
        for number in whole if isinstance(low, int) else (2 * low, 2 * high):
            other = (*desc.get(field.name)[:-1], number) if field.is_list else number
            found = dml.check(desc.replace({field.name: other}).replace(follow(desc))).errors
            blamed = {name_of(path) for c in found for path in (c.field, *c.related)}
            assert field.name in blamed or "sizes.element_count" in {c.id for c in found}, (field.name, number)


def follow(desc: Desc) -> Mapping[str, Any]:
    """Outputs held as they are, so that they don't follow a number."""
    return {field.name: desc.get(field.name) for field in desc.TENSORS if field.role is Role.OUTPUT}


@check("valid_descs_pass")
def dimensions_are_added(kind: str) -> None:
    """One more dimension in front moves the same elements; taken off again, it leaves the same desc."""
    operator = operator_of(kind)
    for desc in cases_of(kind).VALID:
        count = next(p.tensor.dimension_count for p in desc.parts if p.field.name == operator.anchor)
        more = with_dimensions(desc, count + 1)
        assert more is not None, f"{operator.name} has no desc with {count + 1} dimensions; has an array no neutral?"
        if {c.id for c in dml.check(more).errors} == {"dimension_count.supported"}:
            continue  # there are never more
        assert_valid(more)
        before, after = dml.trace(desc), dml.trace(more)
        for k in range(len(desc.outputs)):
            want, found = flat_sources(before, k), flat_sources(after, k)
            assert all(np.array_equal(a, b) for a, b in zip(want, found, strict=True))
        assert with_dimensions(more, count) == desc


@check("dimensions_are_added")
def dimension_fixes_are_offered(kind: str) -> None:
    """Where a level wants more dimensions and nothing else, adding them is among the fixes."""
    for desc in cases_of(kind).VALID:
        for level in LEVELS:
            report = dml.check(desc, feature_level=level)
            low = [c for c in report.errors if c.id == "dimension_count.supported" and c.found < c.expected[0]]
            if low and {c.id for c in report.errors} == {"dimension_count.supported"}:
                same = [fix for fix in low[0].fixes if fix.feature_level is level]
                assert same, f"no dimension fix at {level}"
                assert same[0].mends_all


# ---- what comes with it


@check()
def lists_tell_what_it_declares(kind: str) -> None:
    """What its source says is what it is: lists don't import it, and names are those of its files."""
    (entry,) = [one for one in listed() if one.type == kind]
    operator = operator_of(kind)
    assert (entry.name, entry.page_number, entry.example_word, entry.neighbour, entry.module) == (
        operator.name,
        operator.page_number,
        operator.example_word,
        operator.neighbour,
        operator.name.lower(),
    )


@check("valid_descs_pass")
def examples_come_with_it(kind: str) -> None:
    """An example begins with the operator's word, and a new experiment begins with an example."""
    operator = operator_of(kind)
    word = operator.example_word or operator.name.lower().replace("_", "-")
    own = [each for each in examples.all_examples() if f"{each.name}-".startswith(f"{word}-")]
    assert own, f"examples/{word}.json {MISSING}: an experiment of {operator.name} begins with it."
    assert all(kind == each.desc.TYPE for each in own[0].session().experiments)
    assert sample(kind).check().ok
    assert operator.title.endswith(".")


# ---- running and maps


@check("valid_descs_pass")
def the_kernel_agrees_with_the_oracle(kind: str) -> None:
    def prove(case: Case) -> None:
        want = cases_of(kind).oracle(case.desc, case.arrays)
        found = engine.run(case.desc, case.arrays)
        assert [a.tobytes() for a in found] == [a.tobytes() for a in want]

    for_cases(kind, prove)


@check("valid_descs_pass")
def sources_agree_with_the_oracle(kind: str) -> None:
    def prove(case: Case) -> None:
        trace = dml.trace(case.desc, case.arrays)
        for k, want in enumerate(cases_of(kind).oracle(case.desc, case.arrays)):
            assert trace.reference(k).tobytes() == want.tobytes()

    for_cases(kind, prove)


@check("sources_agree_with_the_oracle")
def constants_stand_where_no_source_is(kind: str) -> None:
    """What comes from nowhere has index 0, no colour and a constant, which a field holds that the operator names."""

    def prove(case: Case) -> None:
        trace = dml.trace(case.desc, case.arrays)
        for k, part in enumerate(trace.outputs):
            at = unravel(np.arange(part.tensor.element_count, dtype=np.int64), part.tensor.sizes)
            found = trace.sources(k, at)
            empty = np.flatnonzero(found.tensor == NOWHERE)
            if trace.operator.constant(case.desc, k) is not None:
                assert trace.operator.constant_count(case.desc, k, trace.read) == len(empty)
            if not len(empty):
                continue
            constant = trace.constant(k)
            assert constant is not None, "an element comes from nowhere, and the operator has no `constant`"
            assert constant.dtype == part.tensor.data_type.dtype
            assert trace.operator.constant_path in {field.name for field in case.desc.FIELDS}
            assert not any(axis[empty].any() for axis in found.index), "what comes from nowhere has index 0"
            assert (trace.identity(Place(True, k), tuple(axis[empty] for axis in at)) == -1).all(), "it has no colour"
            source = trace.source(k, tuple(int(axis[empty[0]]) for axis in at))
            assert (source.nowhere, source.index) == (True, ())
            assert source.constant == constant.item() or constant != constant

    for_cases(kind, prove)


@check("sources_agree_with_the_oracle")
def destinations_undo_sources(kind: str) -> None:
    """Every element, and every index or length cell, goes to just the elements that name it; counts say how many."""

    def prove(case: Case) -> None:
        trace = dml.trace(case.desc, case.arrays)
        taken = [flat_sources(trace, k) for k in range(len(trace.outputs))]
        for number, part in enumerate(trace.inputs):
            sizes = part.tensor.sizes
            all_of = unravel(np.arange(part.tensor.element_count, dtype=np.int64), sizes)
            steers = part.field.role is not Role.DATA
            counts = trace.counts(number, all_of).tolist()
            for flat, index in enumerate(zip(*(axis.tolist() for axis in all_of), strict=True)):
                want = []
                for k, (tensors, flats, vias) in enumerate(taken):
                    own = vias == flat if steers else (tensors == number) & (flats == flat)
                    places = unravel(np.flatnonzero(own), trace.outputs[k].tensor.sizes)
                    want += [(k, at) for at in zip(*(axis.tolist() for axis in places), strict=True)]
                found = [(each.output, each.index) for each in trace.destinations(number, index)]
                assert found == want
                assert counts[flat] == len(want)

    for_cases(kind, prove)


# ---- the picture


@check("sources_agree_with_the_oracle")
def colours_join_elements_with_their_sources(kind: str) -> None:
    """An identity is below their number, and is shared along axes that don't change it and by whoever reads it."""

    def prove(case: Case) -> None:
        trace = dml.trace(case.desc, case.arrays)
        prove_colours(case, trace)
        if trace.coloured(True) is not trace:
            prove_colours(case, trace.coloured(True))

    def prove_colours(case: Case, trace: Trace) -> None:
        operator = trace.colours
        count = operator.identity_count(case.desc)
        sides: dict[bool, list[Any]] = {False: [], True: []}
        for is_output, parts in ((False, trace.inputs), (True, trace.outputs)):
            for number, part in enumerate(parts):
                place, tensor = Place(is_output, number), part.tensor
                at = unravel(np.arange(tensor.element_count, dtype=np.int64), tensor.sizes)
                found = trace.identity(place, at)
                assert found.min() >= -1
                assert found.max() < count
                sides[is_output].append(found)
                axes = operator.identity_axes(case.desc, place)
                kept = tuple(at[d] if d in axes else np.zeros_like(at[d]) for d in range(len(at)))
                if part.field.role is not Role.INDICES and part.field.role is not Role.LENGTHS:
                    here, shared = has_source(trace, place), ravel(kept, tensor.sizes)
                    one_of_all = np.zeros_like(found)
                    one_of_all[shared[here]] = found[here]
                    assert np.array_equal(found[here], one_of_all[shared[here]])
        for number, part in enumerate(trace.inputs):
            at = unravel(np.arange(part.tensor.element_count, dtype=np.int64), part.tensor.sizes)
            readers = operator.named_by(case.desc, number, at, trace.read)
            if readers is None:
                continue
            for k in range(len(trace.outputs)):
                here = readers.output == k
                flat = ravel([axis[here] for axis in readers.index], trace.outputs[k].tensor.sizes)
                assert np.array_equal(sides[True][k][flat], sides[False][number][here]), "`named_by` has other names"
        if operator.identity_count(case.desc) > 0 and len(trace.inputs) == 1:
            for k, own in enumerate(sides[True]):
                theirs, here = sides[False][0][flat_sources(trace, k)[1]], has_source(trace, Place(True, k))
                assert ((theirs == own) | (theirs == -1))[here].all()

    for_cases(kind, prove)


@check("colours_join_elements_with_their_sources")
def cells_have_the_colour_of_what_they_send(kind: str) -> None:
    """An index or length cell that has an identity shares it with the elements that it sends, and with no others."""
    if not any(part.field.role in (Role.INDICES, Role.LENGTHS) for part in cases_of(kind).VALID[0].inputs):
        return

    def prove(case: Case) -> None:
        trace = dml.trace(case.desc, case.arrays)
        sent: dict[tuple[int, int], set[int]] = {}
        via = -1
        for k, part in enumerate(trace.outputs):
            at = unravel(np.arange(part.tensor.element_count, dtype=np.int64), part.tensor.sizes)
            found = trace.sources(k, at)
            if found.via is None:
                return
            via, cells = found.via_tensor, ravel(found.via, trace.inputs[found.via_tensor].tensor.sizes)
            for tensor in tensors_among(found.tensor):
                here = found.tensor == tensor
                flats = ravel([axis[here] for axis in found.index], trace.inputs[tensor].tensor.sizes)
                for flat, cell in zip(flats.tolist(), cells[here].tolist(), strict=True):
                    sent.setdefault((tensor, flat), set()).add(cell)
        steering = trace.inputs[via].tensor
        every = unravel(np.arange(steering.element_count, dtype=np.int64), steering.sizes)
        colours = trace.identity(Place(False, via), every)
        for (tensor, flat), cells_of_it in sent.items():
            at = unravel(np.array([flat], np.int64), trace.inputs[tensor].tensor.sizes)
            colour = int(trace.identity(Place(False, tensor), at)[0])
            if colour >= 0:
                assert set(np.flatnonzero(colours == colour).tolist()) <= cells_of_it, (tensor, flat)

    for_cases(kind, prove)


@check("sources_agree_with_the_oracle")
def formulas_name_the_source(kind: str) -> None:
    def prove(case: Case) -> None:
        trace = dml.trace(case.desc, case.arrays)
        for k, part in enumerate(trace.outputs):
            index = tuple(size - 1 for size in part.tensor.sizes)
            shown, found = trace.formula(k, index), trace.source(k, index)
            where = operator_of(kind).constant_path
            if not found.nowhere:
                where = f"{trace.inputs[found.tensor].path}[{','.join(map(str, found.index))}]"
            assert shown[0] == (f"{part.path}[{','.join(map(str, index))}]", "output")
            assert where in [text for text, kind_ in shown if kind_ == "source"]

    for_cases(kind, prove)


@check("mistakes_are_found")
def broken_entries_light_their_axes(kind: str) -> None:
    """A broken rule lights something, and an entry of an array the axis that it is for."""
    for id_, desc, _ in broken(kind):
        fields = {field.name: field for field in desc.FIELDS if field.per_axis}
        (reason,) = [r for r in view_state_of(named(desc)).why.reasons if r.first.id == id_]
        found = lights(reason, desc)
        for path in (reason.first.field, *reason.first.related):
            name, bracket, number = path.partition("[")
            if bracket and name in fields:
                whose = fields[name].axes_of or operator_of(kind).anchor
                assert (whose, int(number.rstrip("]"))) in found.axes, (id_, path)
        wanted = cases_of(kind).LIT.get(id_)
        assert wanted is None or wanted == found.axes, id_


@check("mistakes_are_found")
def the_next_mistake_takes_the_focus(kind: str) -> None:
    """F3 goes to the form's row of the field that a broken rule names, and that row is marked."""
    for id_, desc, report in broken(kind):
        view, rows = view_state_of(named(desc)), [row.key for row in form_rows(named(desc))]
        reasons = Reasons()
        reasons.restart(view)
        row = reasons.next_row(view, (), rows)
        assert row in rows, (id_, row)
        assert row.split("[")[0].split(".")[0] in {name_of(c.field) for c in report.errors}
        assert broken_rows(view, (), rows)[row] == "error"


@check("mistakes_are_found")
def the_form_takes_back_what_it_shows(kind: str) -> None:
    for desc in (*cases_of(kind).VALID, *cases_of(kind).BROKEN.values()):
        experiment = named(desc)
        rows = {row.key: row for row in form_rows(experiment)}
        assert {field.name for field in desc.FIELDS if field not in desc.TENSORS} <= rows.keys()
        for row in rows.values():
            if row.key not in ("Operator",) and not row.key.endswith(".add") and row.text:
                assert edited(experiment, row.key, row.text) == experiment, row.key
            elif row.inferred and row.key in desc.inferred and "?" not in row.inferred:
                given = edited(experiment, row.key, row.inferred)
                assert given.desc == desc
                assert edited(given, row.key, "") == experiment


@check("colours_join_elements_with_their_sources")
def steps_write_every_element_once(kind: str) -> None:
    """By element, run, slice and whole: a run is contiguous on both sides, a slice has one identity."""

    def prove(case: Case) -> None:
        trace = dml.trace(case.desc, case.arrays)
        sizes = [p.tensor.sizes for p in trace.outputs]
        windows = [unravel(np.arange(p.tensor.element_count, dtype=np.int64), p.tensor.sizes) for p in trace.outputs]
        plain = Trace(case.desc, named(case.desc).sources_or_defaults()[0])
        if not trace.operator.runs_vary:
            assert Steps(plain, Unit.RUN).count == Steps(trace, Unit.RUN).count, "declare `runs_vary`"
        for unit in Unit:
            steps = Steps(trace, unit)
            when = [steps.when(k, window) for k, window in enumerate(windows)]
            assert sorted(set(np.concatenate(when).tolist())) == list(range(1, steps.count + 1))
            if unit not in (Unit.RUN, Unit.SLICE):
                continue
            for k, numbers in enumerate(when):
                tensors, flats, _ = flat_sources(trace, k)
                identity = trace.identity(Place(True, k), windows[k])
                for step in set(numbers.tolist()):
                    here = np.flatnonzero(numbers == step)
                    if unit is Unit.RUN:
                        assert (np.diff(here) == 1).all(), sizes
                        assert (np.diff(flats[here]) == 1).all() or (tensors[here] == NOWHERE).all(), sizes
                        assert len(set(tensors[here].tolist())) == 1
                    else:
                        assert len(set(identity[here][tensors[here] != NOWHERE].tolist())) <= 1
                    lit = steps.lit(step)
                    assert lit is not None
                    for number, part in enumerate(trace.inputs):
                        if part.field.role is Role.DATA:
                            every = np.arange(part.tensor.element_count, dtype=np.int64)
                            place = Place(False, number)
                            marked = lit(place, every)
                            own = flats[here][tensors[here] == number]
                            assert set(np.flatnonzero(marked).tolist()) == set(own.tolist()), "a step lights more"

    for_cases(kind, prove)


@check("steps_write_every_element_once")
def what_comes_later_is_hidden(kind: str) -> None:
    """Another map behind a step, and the same picture at that step."""

    def prove(case: Case) -> None:
        plain = dml.trace(case.desc, case.arrays)
        turn = sum(part.tensor.element_count for part in plain.outputs)  # another unit and zoom for each case
        unit, zoom = UNITS[turn % len(UNITS)], (*Zoom,)[turn // 3 % len(Zoom)]  # copies are shown once they are told
        step = Steps(plain, unit).count // 2
        other = with_other_map(plain, unit, step, seed=step)
        _, *others = corners(plain)
        shown = Shown(unit, step, (others[0], others[-1]))
        states = [pictures(named(case.desc), trace, shown, zoom) for trace in (plain, other)]
        for one, another in zip(*states, strict=True):
            assert drawn(one) == drawn(another), "a picture gives away what isn't written yet"

    for_cases(kind, prove)


def corners(trace: Trace) -> Iterator[Cursor]:
    """The first and the last element of each tensor, two tensors a side."""
    for is_output, parts in ((True, trace.outputs), (False, trace.inputs)):
        for k, part in enumerate(parts[:2]):
            for at in ((0,) * len(part.tensor.sizes), tuple(n - 1 for n in part.tensor.sizes)):
                yield Cursor(Place(is_output, k), at)


@check("sources_agree_with_the_oracle")
def blocks_are_neighbours(kind: str) -> None:
    def prove(case: Case) -> None:
        trace = dml.trace(case.desc, case.arrays)
        for k in range(len(trace.outputs)):
            tensors, flats, _ = flat_sources(trace, k)
            block = operator_of(kind).block(case.desc, k)
            for start in range(0, len(flats), block):
                stop = min(start + block, len(flats))
                assert (np.diff(flats[start:stop]) == 1).all() or (tensors[start:stop] == NOWHERE).all()
                assert len(set(tensors[start:stop].tolist())) == 1

    for_cases(kind, prove)


@check("mistakes_are_found", "steps_write_every_element_once", "blocks_are_neighbours", "formulas_name_the_source")
def pictures_are_as_told(kind: str) -> None:
    """What the module of cases tells of its first valid desc, where it has `DRAWN`: see `Drawn`."""
    told, desc = cases_of(kind).DRAWN, cases_of(kind).VALID[0]
    if told is None:
        return
    trace, operator = dml.trace(desc), operator_of(kind)
    steps = tuple(Steps(trace, unit).count for unit in (Unit.RUN, Unit.SLICE))
    window = unravel(np.arange(trace.outputs[0].tensor.element_count, dtype=np.int64), trace.outputs[0].tensor.sizes)
    formula = "".join(text for text, _ in trace.formula(0, (0,) * len(window)))
    found = Drawn(
        identities=tuple(sorted(set(trace.identity(Place(True, 0), window).tolist()))),
        identity_of=operator.identity_of,
        runs=steps[0],
        slices=steps[1],
        block=operator.block(desc, 0),
        formula=formula,
        workings=tuple(id_ for id_, broken_desc, _ in broken(kind) if worked(broken_desc, id_)),
    )
    assert found == told


def worked(desc: Desc, id_: str) -> bool:
    (one,) = [c for c in dml.check(desc).errors if c.id == id_]
    return bool(operator_of(desc).working(desc, one))


# ---- words, levels


@check("valid_descs_pass")
def levels_are_told(kind: str) -> None:
    """From every level the same lowest one is told; below it something is refused, and raising the level mends it."""
    for desc in cases_of(kind).VALID:
        lowest = dml.check(desc).lowest_level
        assert lowest is not None
        for level in LEVELS:
            report = dml.check(desc, feature_level=level)
            assert report.lowest_level is lowest, level
            assert report.ok is (level >= lowest), level
            experiment = replace(named(desc), feature_level=level)
            strip = level_strip(experiment, report)
            assert [m.accepted for m in strip.marks if m.level is lowest] in ([True], [])
            assert [m.accepted for m in strip.marks if m.here] == [report.ok]
            assert level_below(experiment, report)
            assert level_adds(desc, level)
            assert f"DML_FEATURE_LEVEL_{lowest}, for which" in str(
                exporting.export(Session((experiment,)), "cpp").content
            )
            if level < lowest:
                refused, broken = refusals(desc, level), {(c.id, c.message) for c in report.errors}
                assert refused
                assert {(c.id, c.message) for c in refused} <= broken
                for c in report.errors:
                    raised = {fix.feature_level for fix in c.fixes if fix.desc == desc}
                    assert c.since is None or c.since in raised, "no fix raises the level"


@check("levels_are_told")
def choices_are_held(kind: str) -> None:
    """A choice is read by its names and its number; one that a level lacks is refused below it, and no other."""
    desc = cases_of(kind).VALID[0]
    for field in desc.ATTRIBUTES:
        names = [choice.name for choice in field.choices()]
        if not names:
            continue
        unknown = max(choice.value for choice in field.choices()) + 1
        report = dml.check(desc.replace({field.name: unknown}))
        (one,) = [c for c in report.errors if c.id == "value.known"]
        assert (one.field, one.expected, one.found) == (field.name, names, unknown)
        assert {fix.desc.get(field.name) for fix in one.fixes} <= set(names)
        assert one.fixes
        assert report.lowest_level is None
        for choice in field.choices():
            for written in (choice.name, choice.value, f"{field.c_type}_{choice.name}"):
                assert field.checked(written) == choice.name
            assert field.read(choice.name.lower()) == choice.name
            chosen = desc.replace({field.name: choice.name})
            for level in LEVELS:
                broken = [c for c in dml.check(chosen, feature_level=level).errors if c.id == "value.supported"]
                lacks = choice.since is not None and first_level(operator_of(kind)) <= level < choice.since
                assert bool(broken) is lacks, (choice.name, level)
                for each in broken:
                    assert (each.field, each.found) == (field.name, choice.name)
                    assert choice.name not in each.expected
                    assert {fix.feature_level for fix in each.fixes} <= {level, choice.since}
                    assert {fix.desc.get(field.name) for fix in each.fixes} & {choice.name, *each.expected}


@check("mistakes_are_found", "steps_write_every_element_once")
def it_is_explained(kind: str) -> None:
    for desc in cases_of(kind).VALID:
        said = explain(named(desc))
        assert all(part.path in said for part in desc.parts)
    for id_, desc, report in broken(kind):
        said = explain(named(desc))
        assert f"Error {id_}" in said
        assert report.errors[0].message in said


@check("mistakes_are_found")
def rules_have_sentences(kind: str) -> None:
    """Where an operator has sentences at all, each of its own rules has one."""
    operator = operator_of(kind)
    for id_, desc, _ in broken(kind):
        assert id_ in [reason.first.id for reason in view_state_of(named(desc)).why.reasons]
        assert sentence_of(operator, id_) or not operator.sentences, id_


# ---- wrong rules


@check("mistakes_are_found")
def misreadings_are_declared(kind: str) -> None:
    """Each wrong rule has an answer, short texts, and lights what is there; an id stands for one rule everywhere."""
    operator = operator_of(kind)
    prove_declared(operator.misreadings(), operator.desc)
    names = {each.id: each.name for each in operator.misreadings()}
    for other in operators().values():
        for each in other.misreadings():
            assert names.get(each.id, each.name) == each.name, f"{each.id} is another rule of {other.name}"


@check("misreadings_are_declared", "sources_agree_with_the_oracle")
def misreadings_differ_where_they_say(kind: str) -> None:
    """What the holder of a wrong rule answers isn't the truth just where the rule says so; its sentences are whole."""
    rules = operator_of(kind).misreadings()

    def prove_verdicts(desc: Desc, read: Reader) -> None:
        for each in rules:
            if each.accepts is not None:
                prove_verdict(each, desc, read)
                assert not each.differs(desc, read) or each.says(desc, read).endswith("."), each.id
            if each.lowest_level is not None:
                prove_lowest_level(each, desc)

    def prove(case: Case) -> None:
        trace = dml.trace(case.desc, case.arrays)
        for each in rules:
            prove_differs(each, trace)
        prove_verdicts(case.desc, trace.read)
        prove_sentences(rules, trace)

    if rules:
        for_cases(kind, prove)
        for desc in broken_or_not(all_descs(kind)):
            prove_verdicts(desc, Reader(named(desc).sources_or_defaults()[0]))


# ---- there and back


def all_descs(kind: str) -> list[Desc]:
    return [*cases_of(kind).VALID, *cases_of(kind).BROKEN.values(), *odd_descs(cases_of(kind).VALID[0])]


def odd_descs(desc: Desc) -> Iterator[Desc]:
    """A desc with every choice and one that is none, and with floats that are hard to write.

    All can be said in C++, where a FLOAT may become infinite.
    """
    floats = (0.1, -0.0, 1e-45, math.inf, -math.inf, math.nan)
    for field in desc.ATTRIBUTES:
        if field.choices():
            others = [*(choice.name for choice in field.choices()), 1 + max(choice.value for choice in field.choices())]
            yield from (desc.replace({field.name: other}) for other in others)
        if field.c_type == "FLOAT":
            yield from (desc.replace({field.name: number}) for number in floats)


@check("mistakes_are_found")
def sessions_and_tokens_come_back(kind: str) -> None:
    for desc in all_descs(kind):
        experiment = named(desc)
        again = experiments_of(to_token(experiment))[-1]
        assert again.desc == desc
        assert again.desc.inferred == desc.inferred
        data = dump(Session((experiment,))).encode()
        assert importing.read(data, "it.json").experiments[0].desc == desc


@check("mistakes_are_found")
def texts_come_back(kind: str) -> None:
    """C++, DxDispatch and Markdown are read as the descs they were made of."""
    for desc in all_descs(kind):
        session = Session((named(desc),))
        for target, name in (("cpp", "it.cpp"), ("dxdispatch", "it.json"), ("markdown", "it.md")):
            made = exporting.export(session, target)
            assert not made.files
            (found,) = importing.read(made.data, name).experiments
            assert found.desc == desc, target


@check("mistakes_are_found")
def cpp_has_the_types_of_the_struct(kind: str) -> None:
    for desc in all_descs(kind):
        text = exporting.export(Session((named(desc),)), "cpp").content
        assert isinstance(text, str)
        for field in desc.ATTRIBUTES:
            if field.is_list and desc.get(field.name):
                name = field.name[:1].lower() + field.name[1:]
                low, high = field.limits or (0, 0)
                assert f"const {field.c_type} {name}[]" in text
                if all(low <= number <= high for number in desc.get(field.name)):
                    line = next(line for line in text.splitlines() if f" {name}[] =" in line)
                    assert "static_cast" not in line
    for desc in cases_of(kind).VALID:
        assert "static_cast" not in str(exporting.export(Session((named(desc),)), "cpp").content)


@check("valid_descs_pass")
def idioms_are_there_or_refused(kind: str) -> None:
    """A target without an idiom says so in a sentence, and what needs no idiom is written."""
    desc, name = cases_of(kind).VALID[0], operator_of(kind).name
    for target in exporting.targets():
        if has_idiom(desc, target):
            if target == "onnx":
                pytest.importorskip("onnx", reason="onnx isn't installed")
            assert exporting.export(Session((named(desc),)), target).data
        else:
            with pytest.raises(DmlvizError, match=rf"{name} has no \w+ idiom, expected one of [A-Z_, 0-9]+\.$"):
                exporting.export(Session((named(desc),)), target)


@check("the_kernel_agrees_with_the_oracle", "sources_agree_with_the_oracle")
def scripts_hold(kind: str) -> None:
    """The scripts for dmlviz, and for NumPy where it has an idiom, run, and their asserts hold."""
    session = Session(tuple(named(desc) for desc in cases_of(kind).VALID))
    for target in ("numpy", "dmlviz"):
        if not has_idiom(session.experiments[0].desc, target):
            continue
        made = exporting.export(session, target).content
        assert isinstance(made, str)
        with TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()):
            path = Path(folder) / "script.py"
            exec(compile(made, str(path), "exec"), {"__name__": "__main__", "__file__": str(path)})


_told: dict[tuple[Any, str], str] = {}


def told(kind: str, name: str) -> str:
    """What a check says of the operator that is registered now: "" where it holds, else why not, or what it waits for.

    A check is held once.
    """
    key = operator_of(kind), name
    if key not in _told:
        waits = [need for need in NEEDS[name] if told(kind, need)]
        if waits:
            _told[key] = f"waits for {waits[0]}"
            return _told[key]
        try:
            CHECKS[name](kind)
            _told[key] = ""
        except Exception as error:
            _told[key] = f"{type(error).__name__}: {error}"
    return _told[key]


def failing(kind: str) -> dict[str, str]:
    """The checks that fail, each with what it says; those that only wait are left out."""
    found = {name: told(kind, name) for name in CHECKS}
    return {name: said for name, said in found.items() if said and not said.startswith("waits for ")}
