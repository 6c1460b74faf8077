"""What every operator goes through: a check for each thing that follows from its declarations.

A check takes an operator's type and asserts; `CHECKS` has them by name. They lean on the operator's module of cases and
on nothing that is particular to one operator.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given
from support.effort import tried
from support.misreadings import broken_or_not, prove_declared, prove_drawn, prove_sentences
from support.reports import assert_sound
from support.strategies import Case, has_idiom

import dmlviz as dml
from dmlviz.desc.base import Desc
from dmlviz.desc.fields import Role
from dmlviz.desc.indexing import ravel, unravel
from dmlviz.desc.levels import LEVELS
from dmlviz.desc.tensors import TensorDesc
from dmlviz.errors import DmlvizError
from dmlviz.explaining import explain
from dmlviz.exporters.lib import exporting
from dmlviz.importers.lib import importing
from dmlviz.operators.desc_edits import with_dimensions
from dmlviz.operators.level_rules import first_level, refusals
from dmlviz.operators.maps import NOWHERE, Place, Reader
from dmlviz.operators.registry import listed, operator_of, operators
from dmlviz.operators.report import name_of
from dmlviz.operators.sentences import sentence_of
from dmlviz.running import engine
from dmlviz.scene.lights import lights
from dmlviz.scene.steps.order import Steps, Unit
from dmlviz.scene.view_state import view_state_of
from dmlviz.session import examples
from dmlviz.session.experiments import Experiment, Session
from dmlviz.session.new_experiments import fresh
from dmlviz.session.rules_told import about
from dmlviz.session.tokens import experiments_of, to_token
from dmlviz.session.writing import dump
from dmlviz.tracing import Trace
from dmlviz.workspace.form.edit_desk import Reasons
from dmlviz.workspace.form.form_rows import edited, form_rows
from operator_kit.finding import cases_of

Check = Callable[[str], None]
CHECKS = dict[str, Check]()
QUICK = tried(60, suppress_health_check=list(HealthCheck))


def check(found: Check) -> Check:
    """Makes a function a check of its name."""
    CHECKS[found.__name__] = found
    return found


def check_of_traces(prove: Callable[[Trace], None]) -> None:
    """Makes a function a check of its name, by each of the valid descs, filled by default, and then by random cases."""

    def held(kind: str) -> None:
        for desc in cases_of(kind).VALID:
            prove(named(desc).trace())

        @QUICK
        @given(cases_of(kind).cases())
        def run(case: Case) -> None:
            prove(dml.trace(case.desc, case.arrays))

        run()

    held.__name__ = prove.__name__
    check(held)


def named(desc: Desc) -> Experiment:
    return Experiment("of the kit", desc)


def every(tensor: TensorDesc) -> tuple[Any, ...]:
    """Where all elements are: an (N,) array an axis."""
    return unravel(np.arange(tensor.element_count, dtype=np.int64), tensor.sizes)


def flat_sources(trace: Trace, output: int) -> tuple[Any, Any, Any]:
    """(tensor, flat source, flat cell of what steers) of each element of an output; -1 for no cell."""
    at = every(trace.outputs[output].tensor)
    found, (tensors, flat) = trace.sources(output, at), trace.addresses(output, at)
    via = np.full_like(flat, -1)
    if found.via is not None:
        via = ravel(found.via, trace.inputs[found.via_tensor].tensor.sizes)
    return tensors, flat, via


def assert_neighbours(tensors: Any, flats: Any) -> None:
    assert len(set(tensors.tolist())) == 1
    assert (np.diff(flats) == 1).all() or (tensors == NOWHERE).all()


# ---- checks and fixes


@check
def valid_descs_pass(kind: str) -> None:
    for desc in cases_of(kind).VALID:
        report = dml.check(desc)
        assert report.ok, [c.message for c in report.errors]
        assert_sound(report)
    (entry,) = [one for one in listed() if one.type == kind]  # which reads the source, and imports nothing
    for name in ("name", "page_number", "example_word", "neighbour"):
        assert getattr(entry, name) == getattr(operator_of(kind), name)


@check
def mistakes_are_found(kind: str) -> None:
    """Each rule is broken by the desc that stands for it, and by no valid one; whatever waits, waits for a failure."""
    for id_, broken in cases_of(kind).BROKEN.items():
        report = dml.check(broken)
        assert id_ in {c.id for c in report.errors}, (id_, [c.message for c in report.errors])
        assert_sound(report)
    desc = cases_of(kind).VALID[0]
    for field in desc.FIELDS:  # any nonsense gets a report
        one: Any = dml.TensorDesc("INT8", (0, -1)) if field in desc.TENSORS else -7
        dml.check(desc.replace({field.name: () if field.many or field.is_list else one}))


@check
def mistakes_are_mended(kind: str) -> None:
    for id_, desc in cases_of(kind).BROKEN.items():
        fixes = next(c for c in dml.check(desc).errors if c.id == id_).fixes
        assert fixes, f"{id_} has no fix"
        assert fixes[0].mends_all, (id_, fixes[0].label)
        for fix in fixes:
            assert id_ not in {c.id for c in dml.check(fix.desc, feature_level=fix.feature_level).errors}


@check
def mistakes_are_told(kind: str) -> None:
    """In words, by a row of the form that takes the focus, and by axes that light where an entry of an array is."""
    operator = operator_of(kind)
    for id_, desc in cases_of(kind).BROKEN.items():
        experiment, view = named(desc), view_state_of(named(desc))
        assert f"Error {id_}" in explain(experiment)
        (reason,) = [r for r in view.why.reasons if r.first.id == id_]
        assert sentence_of(operator, id_) or not operator.sentences, id_
        has_address = "" in dict(about(desc, reason.first))
        assert operator.page not in reason.first.page or has_address is (operator.page_number < math.inf), id_
        lit = lights(reason, desc).axes
        for path in (reason.first.field, *reason.first.related):
            name, bracket, number = path.partition("[")
            for field in desc.FIELDS:
                if bracket and field.per_axis and field.name == name:
                    assert (field.axes_of or operator.anchor, int(number.rstrip("]"))) in lit, (id_, path)
        reasons, rows = Reasons(), [row.key for row in form_rows(experiment)]
        reasons.restart(view)
        row = reasons.next_row(view, (), rows)
        assert row in rows, (id_, row)
        assert row.split("[")[0].split(".")[0] in {name_of(c.field) for c in view.report.errors}


@check
def counts_are_reported_once(kind: str) -> None:
    """A count that is wrong is one broken rule, which names every array under it; so is one array of another length."""
    desc = cases_of(kind).VALID[0]
    for field in desc.COUNTS:
        count, arrays = desc.get(field.name), {f.name for f in desc.ATTRIBUTES if f.is_list} & {*field.arrays}
        longer = [{field.name: count, name: (*desc.get(name), 1)} for name in arrays]
        for changes in ({field.name: count + 1}, *longer):
            (one,) = [c for c in dml.check(desc.replace(changes)).errors if c.id == "count.matches"]
            assert one.field == field.name
            if changes not in longer:
                assert {name_of(path) for path in one.related} >= {*field.arrays}
                assert desc in [fix.desc for fix in one.fixes]


@check
def numbers_keep_within_their_type(kind: str) -> None:
    """A number that the field's C type can't hold is an error that names the field."""
    desc = cases_of(kind).VALID[0]
    outputs = {field.name: desc.get(field.name) for field in desc.TENSORS if field.role is Role.OUTPUT}
    for field in desc.FIELDS:
        low, high = (field.bounds.low, field.bounds.high) if field.bounds else (0, 0)
        beyond = (low - 1, high + 1) if isinstance(low, int) else (2 * low, 2 * high)
        for number in beyond if field.bounds else ():
            other = (*desc.get(field.name)[:-1], number) if field.is_list else number
            found = dml.check(desc.replace({**outputs, field.name: other})).errors
            assert field.name in {name_of(path) for c in found for path in (c.field, *c.related)}, number


@check
def dimensions_are_added(kind: str) -> None:
    """One more in front moves the same elements; taken off, it leaves the same desc; who wants it is offered it."""
    operator = operator_of(kind)
    for desc in cases_of(kind).VALID:
        count = next(p.tensor.dimension_count for p in desc.parts if p.field.name == operator.anchor)
        more = with_dimensions(desc, count + 1)
        assert more is not None, f"{operator.name} has no desc with {count + 1} dimensions; has an array no neutral?"
        if {c.id for c in dml.check(more).errors} != {"dimension_count.supported"}:  # there are never more
            before, after = named(desc).trace(), named(more).trace()
            for k in range(len(desc.outputs)):
                assert all(map(np.array_equal, flat_sources(before, k), flat_sources(after, k)))
            assert with_dimensions(more, count) == desc
        for level in LEVELS:
            errors = dml.check(desc, feature_level=level).errors
            if {c.id for c in errors} == {"dimension_count.supported"} and errors[0].found < errors[0].expected[0]:
                same = [fix for c in errors for fix in c.fixes if fix.feature_level is level]
                assert same, f"no dimension fix at {level}"
                assert same[0].mends_all


@check
def levels_are_told(kind: str) -> None:
    """From every level the same lowest one is told; below it something is refused, and raising the level mends it."""
    for desc in cases_of(kind).VALID:
        lowest = dml.check(desc).lowest_level
        assert lowest is not None
        for level in LEVELS:
            report = dml.check(desc, feature_level=level)
            assert report.lowest_level is lowest, level
            assert report.ok is bool(level >= lowest), level
            refused = {c.id for c in refusals(desc, level)}
            assert level >= lowest or refused, level
            assert refused <= {c.id for c in report.errors}, level
            for c in report.errors:
                raised = {fix.feature_level for fix in c.fixes if fix.desc == desc}
                assert c.since is None or c.since in raised, "no fix raises the level"


@check
def choices_are_held(kind: str) -> None:
    """A choice is read by its names and its number; one that a level lacks is refused below it, and no other."""
    desc, start = cases_of(kind).VALID[0], first_level(operator_of(kind))
    for field in desc.ATTRIBUTES:
        names = [choice.name for choice in field.choices()]
        if names:
            unknown = max(choice.value for choice in field.choices()) + 1
            (one,) = [c for c in dml.check(desc.replace({field.name: unknown})).errors if c.id == "value.known"]
            assert (one.field, one.expected, one.found) == (field.name, names, unknown)
            assert {fix.desc.get(field.name) for fix in one.fixes} & {*names}
        for choice in field.choices():
            written = (choice.name, choice.value, f"{field.c_type}_{choice.name}")
            assert {*map(field.checked, written), field.read(choice.name.lower())} == {choice.name}
            for level in LEVELS:
                errors = dml.check(desc.replace({field.name: choice.name}), feature_level=level).errors
                broken = [c for c in errors if c.id == "value.supported"]
                assert bool(broken) is (choice.since is not None and start <= level < choice.since), choice.name
                for each in broken:
                    assert (each.field, each.found) == (field.name, choice.name)
                    assert choice.since in {fix.feature_level for fix in each.fixes}


@check
def examples_come_with_it(kind: str) -> None:
    """An example begins with the operator's word, and a new experiment begins with an example."""
    operator = operator_of(kind)
    word = operator.example_word or operator.name.lower().replace("_", "-")
    own = [each for each in examples.all_examples() if f"{each.name}-".startswith(f"{word}-")]
    assert own, f"examples/{word}.json is missing: an experiment of {operator.name} begins with it."
    assert all(kind == each.desc.TYPE for each in own[0].session().experiments)
    assert fresh(kind).check().ok
    assert operator.title.endswith(".")


# ---- running and maps


@check_of_traces
def the_kernel_agrees_with_the_oracle(trace: Trace) -> None:
    arrays = [values.array() for values in trace.values]
    want = cases_of(trace.desc.TYPE).oracle(trace.desc, arrays)
    assert [a.tobytes() for a in engine.run(trace.desc, arrays)] == [a.tobytes() for a in want]


@check_of_traces
def sources_agree_with_the_oracle(trace: Trace) -> None:
    """A formula names the source; what comes from nowhere has index 0, no colour, and the constant of a field."""
    wanted = cases_of(trace.desc.TYPE).oracle(trace.desc, [values.array() for values in trace.values])
    assert [part.tensor.sizes for part in trace.outputs] == [want.shape for want in wanted]
    for k, (part, want) in enumerate(zip(trace.outputs, wanted, strict=True)):
        assert trace.reference(k).tobytes() == want.tobytes()
        index, at = tuple(size - 1 for size in want.shape), every(part.tensor)
        (target, *shown), last, found = trace.formula(k, index), trace.source(k, index), trace.sources(k, at)
        named_so = trace.operator.constant_path
        if not last.nowhere:
            named_so = f"{trace.inputs[last.tensor].path}[{','.join(map(str, last.index))}]"
        assert target == (f"{part.path}[{','.join(map(str, index))}]", "output")
        assert named_so in [text for text, kind in shown if kind == "source"]
        empty, constant = np.flatnonzero(found.tensor == NOWHERE), trace.constant(k)
        if constant is not None:
            assert trace.operator.constant_count(trace.desc, k, trace.read) == len(empty)
        if len(empty):
            assert constant is not None, "an element comes from nowhere, and the operator has no `constant`"
            assert constant.dtype == part.tensor.data_type.dtype
            assert trace.operator.constant_path, "`constant_path` names no field, and no word such as zero"
            assert not any(axis[empty].any() for axis in found.index), "what comes from nowhere has index 0"
            assert (trace.identity(Place(True, k), tuple(axis[empty] for axis in at)) == -1).all(), "it has no colour"


@check_of_traces
def destinations_undo_sources(trace: Trace) -> None:
    """Every element, and every index or length cell, goes to just the elements that name it; counts say how many."""
    taken = [flat_sources(trace, k) for k in range(len(trace.outputs))]
    for number, part in enumerate(trace.inputs):
        counts = trace.counts(number, every(part.tensor))
        for flat, index in enumerate(np.ndindex(part.tensor.sizes)):
            want = []
            for k, (tensors, flats, vias) in enumerate(taken):
                own = (tensors == number) & (flats == flat) if part.field.role is Role.DATA else vias == flat
                places = unravel(np.flatnonzero(own), trace.outputs[k].tensor.sizes)
                want += [(k, at) for at in zip(*(axis.tolist() for axis in places), strict=True)]
            assert [(each.output, each.index) for each in trace.destinations(number, index)] == want
            assert counts[flat] == len(want)


# ---- the picture


@check_of_traces
def colours_join_elements_with_their_sources(trace: Trace) -> None:
    """An identity is below their number, and is shared along axes that don't change it and by whoever reads it.

    An index or length cell that has one shares it with what it sends, and with nothing else.
    """
    taken = [flat_sources(trace, k) for k in range(len(trace.outputs))]
    for shown in {trace, trace.coloured(True)}:
        operator, desc, sides = shown.colours, shown.desc, dict[bool, list[Any]]()
        for is_output, parts in ((False, shown.inputs), (True, shown.outputs)):
            sides[is_output] = [shown.identity(Place(is_output, k), every(p.tensor)) for k, p in enumerate(parts)]
            for k, (part, found) in enumerate(zip(parts, sides[is_output], strict=True)):
                assert -1 <= found.min() <= found.max() < operator.identity_count(desc)
                axes, at = operator.identity_axes(desc, Place(is_output, k)), every(part.tensor)
                kept = [along if d in axes else np.zeros_like(along) for d, along in enumerate(at)]
                here, shared = np.ones(len(found), bool), ravel(kept, part.tensor.sizes)
                if is_output:
                    here = taken[k][0] != NOWHERE
                one_of_all = np.zeros_like(found)
                one_of_all[shared[here]] = found[here]
                assert part.field.role in (Role.INDICES, Role.LENGTHS) or (found == one_of_all[shared])[here].all()
        for number, part in enumerate(shown.inputs):
            readers = operator.named_by(desc, number, every(part.tensor), shown.read)
            for k in range(len(shown.outputs) if readers is not None else 0):
                assert readers is not None
                here = readers.output == k
                flat = ravel([axis[here] for axis in readers.index], shown.outputs[k].tensor.sizes)
                assert (sides[True][k][flat] == sides[False][number][here]).all(), "`named_by` has other names"
        for (tensors, flats, vias), own in zip(taken, sides[True], strict=True):
            for number in {*tensors.tolist()} - {NOWHERE}:
                here = tensors == number
                theirs = sides[False][number][flats[here]]
                assert len(shown.inputs) > 1 or ((theirs == own[here]) | (theirs == -1)).all()
                for flat, colour in {*zip(flats[here].tolist(), theirs.tolist(), strict=True)}:
                    if colour >= 0 and vias.max() >= 0:
                        senders = {*vias[here & (flats == flat)].tolist()}
                        assert {*np.flatnonzero(sides[False][1] == colour).tolist()} <= senders, (number, flat)


@check_of_traces
def steps_write_every_element_once(trace: Trace) -> None:
    """By element, run, slice and whole: a run is contiguous on both sides, a slice has one identity; so are blocks."""
    plain = named(trace.desc).trace()
    assert trace.operator.runs_vary or Steps(plain, Unit.RUN).count == Steps(trace, Unit.RUN).count, "see `runs_vary`"
    for unit in Unit:
        steps = Steps(trace, unit)
        when = [steps.when(k, every(part.tensor)) for k, part in enumerate(trace.outputs)]
        assert sorted({*np.concatenate(when).tolist()}) == [*range(1, steps.count + 1)]
        for k, numbers in enumerate(when if unit in (Unit.RUN, Unit.SLICE) else ()):
            tensors, flats, _ = flat_sources(trace, k)
            identity = trace.identity(Place(True, k), every(trace.outputs[k].tensor))
            for step in {*numbers.tolist()}:
                here = np.flatnonzero(numbers == step)
                if unit is Unit.RUN:
                    assert (np.diff(here) == 1).all()
                    assert_neighbours(tensors[here], flats[here])
                assert len({*identity[here][tensors[here] != NOWHERE].tolist()}) <= 1 or unit is Unit.RUN
                lit = steps.lit(step)
                assert lit is not None
                for number, part in enumerate(trace.inputs):
                    if part.field.role is Role.DATA:
                        marked = lit(Place(False, number), np.arange(part.tensor.element_count, dtype=np.int64))
                        assert {*np.flatnonzero(marked).tolist()} == {*flats[here][tensors[here] == number].tolist()}
    for k in range(len(trace.outputs)):
        tensors, flats, _ = flat_sources(trace, k)
        block = trace.operator.block(trace.desc, k)
        for start in range(0, len(flats), block):
            assert_neighbours(tensors[start : start + block], flats[start : start + block])


# ---- wrong rules


@check
def misreadings_are_declared(kind: str) -> None:
    """Each wrong rule has an answer, short texts, and lights what is there; an id stands for one rule everywhere."""
    operator = operator_of(kind)
    prove_declared(operator.misreadings(), operator.desc)
    names = {each.id: each.name for each in operator.misreadings()}
    for other in operators().values():
        for each in other.misreadings():
            assert names.get(each.id, each.name) == each.name, f"{each.id} is another rule of {other.name}"
    for desc in broken_or_not(all_descs(kind)):
        read = Reader(named(desc).sources_or_defaults()[0])
        for each in operator.misreadings():
            if each.accepts is not None or each.lowest_level is not None:
                assert not each.differs(desc, read) or each.says(desc).endswith("."), each.id


@check_of_traces
def misreadings_draw_what_is_there(trace: Trace) -> None:
    """What the holder of a wrong rule draws lies in the inputs, and the rule's sentences are whole."""
    prove_drawn(trace.operator.misreadings(), trace)
    prove_sentences(trace.operator.misreadings(), trace)


# ---- there and back


def all_descs(kind: str) -> list[Desc]:
    return [*cases_of(kind).VALID, *cases_of(kind).BROKEN.values(), *odd_descs(cases_of(kind).VALID[0])]


def odd_descs(desc: Desc) -> Iterator[Desc]:
    """A desc with every choice and one that is none, and with numbers that are hard to write; C++ can say all."""
    for field in desc.ATTRIBUTES:
        others: list[Any] = [*(choice.name for choice in field.choices()), 99] if field.choices() else []
        if field.c_type == "FLOAT":
            others = [0.1, -0.0, 1e-45, math.inf, -math.inf, math.nan]
        elif field.bounds is not None:
            ends = (field.bounds.low, field.bounds.high)
            others = [(end,) * len(desc.get(field.name)) if field.is_list else end for end in ends]
        yield from (desc.replace({field.name: other}) for other in others)


@check
def texts_come_back(kind: str) -> None:
    """Tokens, sessions, C++, DxDispatch and Markdown are read as the descs they were made of; so is the form."""
    for desc in all_descs(kind):
        experiment = named(desc)
        (*_, again) = experiments_of(to_token(experiment))
        assert (again.desc, again.desc.inferred) == (desc, desc.inferred)
        texts = {"session.json": dump(Session((experiment,))).encode()}
        for target, name in (("cpp", "it.cpp"), ("dxdispatch", "it.json"), ("markdown", "it.md")):
            texts[name] = exporting.export(Session((experiment,)), target).data
        for name, text in texts.items():
            assert [found.desc for found in importing.read(text, name).experiments] == [desc], name
    for desc in (*cases_of(kind).VALID, *cases_of(kind).BROKEN.values()):
        experiment = named(desc)
        rows = {row.key: row for row in form_rows(experiment)}
        assert {field.name for field in desc.FIELDS if field not in desc.TENSORS} <= rows.keys()
        for row in rows.values():
            if row.key != "Operator" and not row.key.endswith(".add") and row.text:
                assert edited(experiment, row.key, row.text) == experiment, row.key
            elif row.inferred and row.key in desc.inferred and "?" not in row.inferred:
                given = edited(experiment, row.key, row.inferred)
                assert (given.desc, edited(given, row.key, "")) == (desc, experiment)


@check
def idioms_are_there_or_refused(kind: str) -> None:
    """A target without an idiom says so in a sentence, and what needs no idiom is written."""
    desc, name = cases_of(kind).VALID[0], operator_of(kind).name
    for target in exporting.targets():
        if not has_idiom(desc, target):
            with pytest.raises(DmlvizError, match=rf"{name} has no \w+ idiom, expected one of [A-Z_, 0-9]+\.$"):
                exporting.export(Session((named(desc),)), target)
        elif target != "onnx" or pytest.importorskip("onnx", reason="onnx isn't installed"):
            assert exporting.export(Session((named(desc),)), target).data
