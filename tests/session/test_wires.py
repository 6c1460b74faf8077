"""Wires: how they are written, where they lead, what their rules say, and what mends them."""

from __future__ import annotations

import copy
import json
import pickle
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.commands import call

import dmlviz as dml
from dmlviz.desc.value_sources import Listed, Wired
from dmlviz.errors import SessionError
from dmlviz.operators.report import Severity, Verdict
from dmlviz.session.document import Document
from dmlviz.session.experiments import Experiment, Session
from dmlviz.session.reading import load, parse, read_file
from dmlviz.session.writing import dump
from dmlviz.teaching.lessons.task_checks import faults
from dmlviz.tracing import Trace

Json = dict[str, Any]


def tensor(*sizes: int, kind: str = "FLOAT32") -> Json:
    return {"DataType": kind, "Sizes": list(sizes)}


def written(name: str, operator: str, desc: Json, level: str = "5_0", **values: Any) -> Json:
    return {"name": name, "feature_level": level, "type": f"DML_OPERATOR_{operator}", "desc": desc, "values": values}


def wired(name: str, output: str = "") -> Json:
    return {"from": name, "output": output} if output else {"from": name}


def halves(*cut: int, name: str = "halves", **values: Any) -> Json:
    parts = [tensor(1, n) for n in cut or (4, 4)]
    return written(name, "SPLIT", {"InputTensor": tensor(1, 8), "OutputTensors": parts, "Axis": 1}, **values)


def swapped(*sizes: int) -> Json:
    desc = {"InputTensors": [tensor(1, n) for n in sizes or (4, 4)], "Axis": 1}
    return written(
        "swapped", "JOIN", desc, InputTensors=[wired("halves", "OutputTensors[1]"), wired("halves", "OutputTensors[0]")]
    )


def twice(sizes: tuple[int, ...] = (1, 8), source: str = "swapped", kind: str = "FLOAT32", level: str = "5_0") -> Json:
    repeats = [1] * (len(sizes) - 1) + [2]
    desc = {"InputTensor": tensor(*sizes, kind=kind), "Repeats": repeats}
    return written("twice", "TILE", desc, level, InputTensor=wired(source))


def session_text(*experiments: Json) -> str:
    return json.dumps({"dmlviz": 1, "experiments": experiments})


def read(*experiments: Json) -> Session:
    session, errors = parse(session_text(*experiments).encode(), "it", None)
    assert not errors
    return session


def failing(session: Session, name: str) -> dict[str, Any]:
    """By id, the checks that fail in an experiment."""
    return {check.id: check for check in report_of(session, name).failures}


def report_of(session: Session, name: str) -> dml.Report:
    return next(one for one in session.experiments if one.name == name).check()


# ---- reading and writing


def test_a_chain_reads_its_sources_in_any_order_of_the_file() -> None:
    session = read(twice(), swapped(), halves())
    assert session.chain("twice").run()[0].tolist() == [[5, 6, 7, 8, 1, 2, 3, 4] * 2]
    assert [report.verdict for report in map(Experiment.check, session.experiments)] == [Verdict.VALID] * 3
    assert session.experiments[0].trace().reference(0).tolist() == [[5, 6, 7, 8, 1, 2, 3, 4] * 2]


def test_a_session_is_written_and_read_back_and_copies_are_equal() -> None:
    session = read(twice(), swapped(), halves())
    assert parse(dump(session).encode(), "it", None)[0] == session
    assert '"InputTensor": {"from": "swapped"}' in dump(session)
    for copied in (copy.deepcopy(session), pickle.loads(pickle.dumps(session))):
        assert copied == session
        assert copied.chain("twice").run()[0].tolist() == session.chain("twice").run()[0].tolist()


def test_what_is_no_wire_is_told_by_its_field() -> None:
    for entry, said in (
        ({"from": 3}, "values.InputTensor.from is 3, expected an experiment's name."),
        ({"from": "a", "output": 1}, 'values.InputTensor.output is 1, expected an output such as "OutputTensor".'),
        ({"from": "a", "outputs": "x"}, 'values.InputTensor has "outputs", expected only output beside from.'),
    ):
        _, errors = parse(session_text(halves(InputTensor=entry)).encode(), "it", None)
        assert said in str(errors[0])


def test_an_experiment_alone_reads_on_and_one_that_no_session_has_says_so() -> None:
    reader = read(twice(), swapped(), halves()).experiments[0]
    assert [stage.name for stage in reader.stages] == ["halves", "swapped", "twice"]
    assert replace(reader, notes="x").trace().reference(0)[0, 0] == 5
    alone = replace(reader, values={"InputTensor": Wired("swapped")})
    assert [check.id for check in alone.check().errors] == ["chain.source"]
    with pytest.raises(dml.DmlvizError, match='InputTensor is from "swapped", expected it in a session'):
        alone.sources()


# ---- rules


BROKEN = {
    "chain.source": (twice(source="nowhere"), 'InputTensor is from "nowhere", but no experiment is called so.'),
    "chain.data_type": (
        twice(kind="FLOAT16"),
        'InputTensor.DataType is FLOAT16, expected FLOAT32, as has OutputTensor of "swapped".',
    ),
    "chain.elements": (
        twice((1, 6)),
        'InputTensor has 6 elements, Sizes {1, 6}, expected the 8 of OutputTensor of "swapped", {1, 8}.',
    ),
    "chain.reinterpreted": (
        twice((2, 4)),
        'InputTensor reads OutputTensor of "swapped", {1, 8}, as {2, 4}: the same packed memory with other sizes, '
        "which moves nothing.",
    ),
    "chain.level": (
        twice(level="6_0"),
        'FeatureLevel is 6_0, and it reads "swapped" at 5_0: one device runs them all, at 6_0 or above.',
    ),
}


@pytest.mark.parametrize("id_", BROKEN)
def test_each_rule_is_broken_by_its_own_desc_alone(id_: str) -> None:
    reader, message = BROKEN[id_]
    session = read(halves(), reader, swapped())
    assert {key: check.message for key, check in failing(session, "twice").items()} == {id_: message}
    assert not failing(session, "halves")
    assert not failing(session, "swapped")


def test_a_wrong_type_is_told_once_and_a_task_behind_it_waits() -> None:
    broken, end = swapped(), twice()
    broken["desc"]["InputTensors"][0]["DataType"] = "FLOAT16"
    end["task"] = {"id": "t", "ask": {"kind": "through", "at": [0, 9]}}
    session = read(halves(), broken, end)
    assert [*failing(session, "swapped")] == ["chain.data_type"]
    assert {("dtype.equal", "chain.data_type")} <= {(w.id, w.on) for w in report_of(session, "swapped").waiting}
    assert not faults(session)
    end["task"]["ask"]["at"] = [0, 99]
    assert [fault.sentence for fault in faults(read(halves(), swapped(), end))]


def test_an_output_that_there_is_not_is_told_at_the_wire_as_is_a_name_that_stands_twice() -> None:
    for output, said in (
        ("", 'is from no output in particular of "halves", expected OutputTensors[0] or OutputTensors[1].'),
        ("OutputTensors[2]", 'is from output "OutputTensors[2]" of "halves", expected OutputTensors[0] or'),
        ("\x1b[31m", 'is from output "\\u001b[31m" of "halves"'),
    ):
        reader = twice((1, 4))
        reader["values"] = {"InputTensor": wired("halves", output)}
        check = failing(read(halves(), reader), "twice")["chain.source"]
        assert check.message.startswith(f"InputTensor {said}")
        assert not check.fixes
    message = failing(read(halves(), halves(), twice(source="halves")), "twice")["chain.source"].message
    assert message == 'InputTensor is from "halves", but 2 experiments are called so.'


def test_readers_of_a_broken_source_wait_for_it_and_are_not_failed() -> None:
    session = read(twice(), swapped(4, 4), halves(3, 4))
    for name in ("swapped", "twice"):
        report = report_of(session, name)
        assert (report.verdict, report.ok, report.waits_for, report.failures) == (Verdict.WAITS, None, "halves", ())
        assert {(w.id, w.on) for w in report.waiting} == {("chain.data_type", "halves"), ("chain.elements", "halves")}
    assert [check.id for check in report_of(session, "halves").errors] == ["sizes.sum"]
    with pytest.raises(dml.DmlvizError, match='waits for "halves", which is not valid'):
        session.experiments[0].sources()
    with pytest.raises(dml.DmlvizError, match='"halves" is not valid'):
        session.chain("twice")


def picked(indices: list[int], size: int = 4) -> tuple[Json, Json]:
    """A GATHER of numbers, and one that picks by what that gives."""
    cells = tensor(1, len(indices), kind="INT32")
    first = written("picks", "TILE", {"InputTensor": cells, "Repeats": [1, 1]}, InputTensor=[indices])
    desc = {"InputTensor": tensor(1, size), "IndicesTensor": cells, "Axis": 1, "IndexDimensions": 1}
    return first, written("rows", "GATHER", desc, IndicesTensor=wired("picks"))


def test_indices_that_are_computed_of_values_that_nobody_gave_raise_no_warning() -> None:
    first, rows = picked([0, 1, 2], size=2)
    assert "chain.clamped" in failing(read(first, rows), "rows")
    del first["values"]
    assert not failing(read(first, rows), "rows")


def test_indices_that_are_read_with_other_sizes_are_warned_of_as_well() -> None:
    first, rows = picked([0, 9, 2])
    first["desc"]["InputTensor"], first["values"]["InputTensor"] = tensor(3, 1, kind="INT32"), [[0], [9], [2]]
    assert set(failing(read(first, rows), "rows")) == {"chain.clamped", "chain.reinterpreted"}


def test_computed_indices_outside_are_one_warning_at_the_wire_and_flagged_to_the_end() -> None:
    end = written("end", "TILE", {"InputTensor": tensor(1, 3), "Repeats": [1, 2]}, InputTensor=wired("rows"))
    session = read(*picked([0, 9, 2]), end)
    check = failing(session, "rows")["chain.clamped"]
    assert check.severity is Severity.WARNING
    assert "1 of 3 indices lie outside [-4, 4), the first is 9 at IndicesTensor[0,1]" in check.message
    assert '"picks" computes these indices' in check.message
    assert [(w.id, w.on) for w in report_of(session, "rows").waiting] == [("values.index_range", "chain.clamped")]
    assert not failing(session, "end")
    chain = session.chain("end")
    assert [chain.source(0, (0, k)).clamped for k in range(6)] == [False, True, False] * 2
    assert chain.path_text(chain.source(0, (0, 4))).endswith("!")


# ---- rings


def test_a_ring_is_the_sessions_error_once_and_the_rest_waits_or_is_reported(tmp_path: Path) -> None:
    file = tmp_path / "ring.json"
    file.write_text(session_text(twice(), swapped(), halves(InputTensor=wired("swapped")), halves(name="alone")))
    with pytest.raises(SessionError, match=r"chain.cycle: swapped ⇠ halves ⇠ swapped, expected no way back"):
        load(file)
    session, errors = parse(*read_file(file))
    assert (len(session.experiments), len(errors)) == (4, 1)
    told = call("check", file)
    assert told.code == 2
    assert "✔ alone" in told.out
    assert told.out.count("✘") == 2  # the ring's own line, and its reason
    assert "… twice · TILE at 5_0: waits for halves" in told.out
    assert [one.check().verdict for one in session.experiments].count(Verdict.INVALID) == 1


def test_the_65th_stage_is_told_where_it_reads_and_the_next_waits() -> None:
    desc = {"InputTensor": tensor(1, 2), "Repeats": [1, 1]}
    chain = [written("s0", "TILE", desc)]
    chain += [written(f"s{n}", "TILE", desc, InputTensor=wired(f"s{n - 1}")) for n in range(1, 66)]
    session = read(*chain)
    assert report_of(session, "s63").ok
    message = failing(session, "s64")["chain.source"].message
    assert message == 'InputTensor is from "s63", through which it reads 65 experiments, expected at most 64.'
    assert report_of(session, "s65").waits_for == "s64"
    assert session.chain("s63").run()[0].tolist() == [[1, 2]]


def test_many_ways_through_few_experiments_take_no_time() -> None:
    cells = tensor(1, 4, kind="UINT32")
    desc = {"InputTensor": cells, "IndicesTensor": cells, "Axis": 1, "IndexDimensions": 1}
    stages = [written("s0", "TILE", {"InputTensor": cells, "Repeats": [1, 1]}, InputTensor=[[3, 2, 1, 0]])]
    for n in range(1, 64):
        source = wired(f"s{n - 1}")
        stages.append(written(f"s{n}", "GATHER", desc, InputTensor=source, IndicesTensor=source))
    session = read(*stages)
    assert read(*stages) == session
    assert [report_of(session, f"s{n}").ok for n in (1, 63)] == [True, True]
    assert session.chain("s63").run()[0].tolist() == session.experiments[63].trace().reference(0).tolist()


def test_indices_and_data_of_one_source_are_read_in_windows_that_grow_with_stages_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rows, n, stages = 1 << 16, 32, 40  # more cells than are kept whole
    cells = dml.TensorDesc("UINT32", (rows, n))
    desc = dml.GatherElements(cells, cells, 1)
    row = np.random.default_rng(3).integers(0, n, n)
    tile = dml.Tile(dml.TensorDesc("UINT32", (1, n)), (rows, 1))
    root = Experiment("s0", tile, values={"InputTensor": Listed(tuple(row.tolist()), (1, n))})
    wires = [{path: Wired(f"s{k}") for path in ("InputTensor", "IndicesTensor")} for k in range(stages - 1)]
    made = [Experiment(f"s{k}", desc, values={**both}) for k, both in enumerate(wires, 1)]
    session = Session((root, *made))
    read_of: Counter[int] = Counter()
    window = Trace.window

    def counted(trace: Trace, output: int, index: tuple[Any, ...]) -> Any:
        read_of[id(trace)] += len(index[0])
        return window(trace, output, index)

    monkeypatch.setattr(Trace, "window", counted)
    at = np.repeat(np.arange(10) * 6001, n), np.tile(np.arange(n), 10)
    found = session.experiments[-1].links.window(0, at)
    assert len(read_of) == stages
    assert max(read_of.values()) <= 2 * found.size
    for _ in range(stages - 1):
        row = row[row]
    assert found.tolist() == row.tolist() * 10
    read_of.clear()
    assert session.experiments[-1].links.window(0, at).tolist() == found.tolist()
    assert sum(read_of.values()) == found.size  # all that the last stage asks for is known


# ---- fixes


def test_a_misspelt_wire_is_led_to_the_one_name_that_is_near() -> None:
    misspelt = swapped(3, 5)
    for wire in misspelt["values"]["InputTensors"]:
        wire["from"] = "halfs"
    session = read(twice(source="swaped"), misspelt, halves(3, 5))
    assert not failing(session, "twice")["chain.source"].fixes  # what it would read is broken
    fixes = fixes_of(session, "swapped")
    both = ", ".join(f'InputTensors[{k}] from "halfs" → "halves"' for k in (0, 1))
    assert [*fixes] == [f"{both}, InputTensors[0] {{1, 3}} → {{1, 5}}, InputTensors[1] {{1, 5}} → {{1, 3}}"]
    document = Document(session)
    document.go(1)
    document.edit(document.experiment.mended(*fixes.values()))
    (fix,) = fixes_of(document.session, "twice").values()
    document.go(0)
    document.edit(document.experiment.mended(fix))
    assert [one.check().ok for one in document.session.experiments] == [True] * 3
    assert not fixes_of(read(twice(source="halfs"), halves(name="halve"), halves()), "twice")


def fixes_of(session: Session, name: str) -> dict[str, Any]:
    return {fix.text: fix for check in report_of(session, name).errors for fix in check.fixes}


def test_a_wire_is_mended_by_what_the_source_says_and_no_fix_breaks_one() -> None:
    session = read(twice(), swapped(), halves(3, 5))
    fixes = fixes_of(session, "swapped")
    both = "InputTensors[0] {1, 4} → {1, 5}, InputTensors[1] {1, 4} → {1, 3}"
    assert {text for text, fix in fixes.items() if fix.mends_all} == {both}
    mended = session.experiments[1].mended(fixes[both])
    assert not mended.check().errors
    assert mended.trace().reference(0).shape == (1, 8)
    other = swapped()
    other["desc"]["InputTensors"][1]["Sizes"] = [2, 4]
    other["values"] = {"InputTensors": [wired("halves", "OutputTensors[0]"), None]}
    fixes = fixes_of(read(other, halves()), "swapped")
    assert fixes
    for fix in fixes.values():
        assert fix.mends_all == (not read(other, halves()).experiments[0].mended(fix).check().errors)
