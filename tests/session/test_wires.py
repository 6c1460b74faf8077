"""Wires: how they are written, where they lead, what their rules say, and what mends them."""

from __future__ import annotations

import copy
import json
import pickle
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from support.commands import call

import dmlviz as dml
from dmlviz.desc.value_sources import Listed, Wired
from dmlviz.errors import SessionError
from dmlviz.operators.report import Severity, Verdict
from dmlviz.session import examples
from dmlviz.session.experiments import Experiment, Session
from dmlviz.session.reading import load, parse, read_file
from dmlviz.session.writing import dump
from dmlviz.teaching.lessons.lessons import faults

WIRE, PARTS = "twice/values/InputTensor", "halves/desc/OutputTensors"
UNEVEN = {f"{PARTS}/0/Sizes": [1, 3], f"{PARTS}/1/Sizes": [1, 5]}


def text(changes: dict[str, Any]) -> str:
    """A session of halves, swapped and twice, a SPLIT, a JOIN of its parts and a TILE of that, readers first, with
    other things at some paths."""
    tree = json.loads(dump(examples.example("chain-rotate-half").session()))
    stages = {stage["name"]: stage for stage in tree["experiments"]}
    for path, new in changes.items():
        *way, last = path.split("/")
        at: Any = stages
        for key in way:
            at = at[int(key) if key.isdecimal() else key]
        at[int(last) if last.isdecimal() else last] = new
    return json.dumps({**tree, "experiments": [*stages.values()][::-1]})


def read(changes: dict[str, Any]) -> Session:
    session, errors = parse(text(changes).encode(), "it", None)
    assert not errors
    return session


def report_of(session: Session, name: str) -> dml.Report:
    return next(one for one in session.experiments if one.name == name).check()


def failing(session: Session, name: str) -> dict[str, Any]:
    """By id, the checks that fail in an experiment."""
    return {check.id: check for check in report_of(session, name).failures}


def fixes_of(session: Session, name: str) -> dict[str, Any]:
    return {fix.text: fix for check in report_of(session, name).errors for fix in check.fixes}


# ---- reading and writing


def test_a_session_is_read_in_any_order_and_back_and_copies_are_equal() -> None:
    session = read({})
    assert [one.check().verdict for one in session.experiments] == [Verdict.VALID] * 3
    assert parse(dump(session).encode(), "it", None)[0] == session
    assert '"InputTensor": {"from": "swapped"}' in dump(session)
    for one in (session, copy.deepcopy(session), pickle.loads(pickle.dumps(session))):
        assert one == session
        assert one.chain("twice").run()[0].tolist() == [[5, 6, 7, 8, 1, 2, 3, 4] * 2]
        assert one.experiments[0].trace().reference(0).tolist() == [[5, 6, 7, 8, 1, 2, 3, 4] * 2]


def test_what_is_no_wire_is_told_by_its_field() -> None:
    for entry, said in (
        ({"from": 3}, "values.InputTensor.from is 3, expected an experiment's name."),
        ({"from": "a", "output": 1}, 'values.InputTensor.output is 1, expected an output such as "OutputTensor".'),
        ({"from": "a", "outputs": "x"}, 'values.InputTensor has "outputs", expected only from and output.'),
    ):
        _, errors = parse(text({WIRE: entry}).encode(), "it", None)
        assert said in str(errors[0])


def test_an_experiment_alone_reads_on_and_one_that_no_session_has_says_so() -> None:
    reader = read({}).experiments[0]
    assert [stage.name for stage in reader.stages] == ["halves", "swapped", "twice"]
    assert replace(reader, notes="x").trace().reference(0)[0, 0] == 5
    alone = replace(reader, values={"InputTensor": Wired("swapped")})
    assert [check.id for check in alone.check().errors] == ["chain.source"]
    with pytest.raises(dml.DmlvizError, match='InputTensor is from "swapped", expected it in a session'):
        alone.sources()


# ---- rules


BROKEN: list[tuple[str, dict[str, Any], str]] = [
    ("chain.source", {f"{WIRE}/from": "nowhere"}, "no experiment is called so"),
    ("chain.source", {WIRE: {"from": "halves"}}, "OutputTensors[0] or OutputTensors[1]"),
    ("chain.source", {WIRE: {"from": "swapped", "output": "\x1b[31m"}}, '"\\u001b[31m"'),
    ("chain.data_type", {"twice/desc/InputTensor/DataType": "FLOAT16"}, "FLOAT16, expected FLOAT32"),
    ("chain.elements", {"twice/desc/InputTensor/Sizes": [1, 6]}, "expected the 8 of"),
    ("chain.reinterpreted", {"twice/desc/InputTensor/Sizes": [2, 4]}, "{1, 8}, as {2, 4}"),
    ("chain.level", {"twice/feature_level": "6_0"}, "6_0"),
]


@pytest.mark.parametrize(("id_", "changes", "said"), BROKEN)
def test_each_rule_is_broken_by_its_own_desc_alone(id_: str, changes: dict[str, Any], said: str) -> None:
    session = read(changes)
    ((key, check),) = failing(session, "twice").items()
    assert key == id_
    assert said in check.message
    assert not failing(session, "halves")
    assert not failing(session, "swapped")


def test_a_name_that_stands_twice_leads_nowhere() -> None:
    halves, swapped, twice = read({}).experiments[::-1]
    session = Session((halves, halves, swapped, twice))
    assert failing(session, "swapped")["chain.source"].message.endswith("but 2 experiments are called so.")


def test_a_wrong_type_is_told_once_and_a_task_behind_it_waits() -> None:
    task = {"id": "t", "ask": {"kind": "through", "at": [0, 9]}}
    session = read({"swapped/desc/InputTensors/0/DataType": "FLOAT16", "twice/task": task})
    assert [*failing(session, "swapped")] == ["chain.data_type"]
    assert {("dtype.equal", "chain.data_type")} <= {(w.id, w.on) for w in report_of(session, "swapped").waiting}
    assert not faults(session)
    assert [fault.sentence for fault in faults(read({"twice/task": {"ask": {"kind": "through", "at": [0, 99]}}}))]


def test_readers_of_a_broken_source_wait_for_it_and_are_not_failed() -> None:
    session = read({f"{PARTS}/0/Sizes": [1, 3]})
    for name in ("swapped", "twice"):
        report = report_of(session, name)
        assert (report.verdict, report.ok, report.waits_for, report.failures) == (Verdict.WAITS, None, "halves", ())
        assert {(w.id, w.on) for w in report.waiting} == {("chain.data_type", "halves"), ("chain.elements", "halves")}
    assert [check.id for check in report_of(session, "halves").errors] == ["sizes.sum"]
    with pytest.raises(dml.DmlvizError, match='reads "halves", which is not valid'):
        session.experiments[0].sources()
    with pytest.raises(dml.DmlvizError, match='"halves" is not valid'):
        session.chain("twice")


def test_computed_indices_outside_are_one_warning_at_the_wire_and_flagged_to_the_end() -> None:
    cells = dml.TensorDesc("INT32", (1, 3))
    rows = dml.Gather(dml.TensorDesc("FLOAT32", (1, 4)), cells, 1, 1)
    end = Experiment("end", dml.Tile(rows.output_tensor, (1, 2)), values={"InputTensor": Wired("rows")})  # type: ignore[arg-type]

    def picked(*sizes: int, **indices: Any) -> Session:
        picks = Experiment("picks", dml.Tile(dml.TensorDesc("INT32", sizes), (1, 1)), values=indices)
        return Session((picks, Experiment("rows", rows, values={"IndicesTensor": Wired("picks")}), end))

    session = picked(1, 3, InputTensor=Listed((0, 9, 2), (3,)))
    check = failing(session, "rows")["chain.clamped"]
    assert check.severity is Severity.WARNING
    assert "1 of 3 indices is outside [-4, 4), the first is 9 at IndicesTensor[0,1]" in check.message
    assert '"picks" computes these indices' in check.message
    assert [(w.id, w.on) for w in report_of(session, "rows").waiting] == [("values.index_range", "chain.clamped")]
    assert not failing(session, "end")
    chain = session.chain("end")
    assert [chain.source(0, (0, k)).clamped for k in range(6)] == [False, True, False] * 2
    assert chain.path_text(chain.source(0, (0, 4))).endswith("!")
    assert not failing(picked(1, 3), "rows")  # of values that nobody gave
    other = picked(3, 1, InputTensor=Listed((0, 9, 2), (3,)))
    assert {*failing(other, "rows")} == {"chain.clamped", "chain.reinterpreted"}


# ---- rings


def test_a_ring_is_the_sessions_error_once_and_the_rest_waits_or_is_reported(tmp_path: Path) -> None:
    file = tmp_path / "ring.json"
    file.write_text(text({"halves/values/InputTensor": {"from": "swapped"}}))
    with pytest.raises(SessionError, match=r"chain.cycle: swapped ⇠ halves ⇠ swapped, expected no way back"):
        load(file)
    session, errors = parse(*read_file(file))
    assert (len(session.experiments), len(errors)) == (3, 1)
    told = call("check", file)
    assert told.code == 2
    assert told.out.count("✘") == 2  # the ring's own line, and its reason
    assert "… twice · TILE at 4_1: blocked by halves" in told.out
    assert [one.check().verdict for one in session.experiments].count(Verdict.INVALID) == 1


def reading_twice(count: int) -> Session:
    cells = dml.TensorDesc("UINT32", (1, 4))
    desc, made = dml.Gather(cells, cells, 1, 1), [Experiment("s0", dml.Tile(cells, (1, 1)))]
    for n in range(1, count):
        both: Any = {path: Wired(f"s{n - 1}") for path in ("InputTensor", "IndicesTensor")}
        made.append(Experiment(f"s{n}", desc, values=both))
    return Session(tuple(made))


def test_many_ways_through_few_experiments_take_no_time_and_the_65th_stage_is_told_where_it_reads() -> None:
    session = reading_twice(66)
    assert reading_twice(66) == session
    assert report_of(session, "s63").ok
    assert session.chain("s63").run()[0].tolist() == session.experiments[63].trace().reference(0).tolist()
    message = failing(session, "s64")["chain.source"].message
    assert message.endswith('Tensor is from "s63", through which it reads 65 experiments, expected at most 64.')
    assert report_of(session, "s65").waits_for == "s64"


# ---- fixes


def test_a_wire_is_mended_by_what_the_source_says_and_no_fix_breaks_one() -> None:
    session = read(UNEVEN)
    fixes = fixes_of(session, "swapped")
    assert [*fixes] == ["InputTensors[0] {1, 4} → {1, 5}, InputTensors[1] {1, 4} → {1, 3}"]
    mended = session.experiments[1].mended(*fixes.values())
    assert not mended.check().errors
    assert mended.trace().reference(0).shape == (1, 8)
    other = read({"swapped/desc/InputTensors/1/Sizes": [2, 4], "swapped/values/InputTensors/1": None})
    fixes = fixes_of(other, "swapped")
    assert fixes
    for fix in fixes.values():
        assert fix.mends_all == (not other.experiments[1].mended(fix).check().errors)
