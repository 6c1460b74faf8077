"""Fixes as edits of a text: read again, it holds what the fix says, and nothing else of it has changed."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from support.random_sessions import sessions_of_all_kinds

import dmlviz as dml
from dmlviz.errors import DmlvizError
from dmlviz.exporters import dxdispatch
from dmlviz.formats.json_edits import applied
from dmlviz.importers.lib import importing
from dmlviz.operators.report import Fix
from dmlviz.session import examples
from dmlviz.session.experiments import Experiment, Session
from dmlviz.session.fix_edits import JsonSource
from dmlviz.session.writing import dump

ROOT = Path(__file__).parents[2]


def read(text: str, folder: Path | None = None) -> tuple[Session, JsonSource]:
    found = importing.read(text.encode(), "x.json", folder)
    session = Session(found.experiments, folder=folder)
    return session, JsonSource(text, session, found.places)


def fixes(session: Session) -> Iterator[tuple[int, str, Fix]]:
    """Every fix of each broken experiment, with what it mends: `gather.fits in IndexDimensions`."""
    for number, experiment in enumerate(session.experiments):
        for cause in experiment.check(session).broken:
            for fix in cause.first.fixes:
                yield number, f"{cause.first.id} in {cause.first.field}", fix


def broken(experiment: Experiment, session: Session) -> set[str]:
    return {f"{check.id} in {check.field}" for check in experiment.check(session).errors}


def mended(text: str, folder: Path | None = None) -> int:
    """Holds every fix of what a text holds; gives how many there are."""
    session, source = read(text, folder)
    places = importing.read(text.encode(), "x.json", folder).places
    count = 0
    for number, mends, fix in fixes(session):
        edits = source.edits(number, fix)
        after, _ = read(applied(text, edits), folder)
        names = [experiment.name for experiment in session.experiments]
        changed = number if fix.at is None else names.index(fix.at)
        whole = places[changed][""]
        outside = [edit for edit in edits if not whole.start < edit.start <= edit.end < whole.end]
        assert all('"feature_level"' in text[edit.start - 40 : edit.end] for edit in outside), "what dmlviz noted alone"
        assert '"dispatchables"' in text or not outside
        for i, (old, new) in enumerate(zip(session.experiments, after.experiments, strict=True)):
            assert (new.desc, new.feature_level) == (
                (fix.desc, fix.feature_level) if i == changed else (old.desc, old.feature_level)
            )
        assert mends not in broken(after.experiments[number], after), (mends, fix.label)
        if '"dispatchables"' not in text and fix.at is None:
            assert after.experiments[number].values == session.experiments[number].mended(fix).settled().values
        count += 1
    return count


@pytest.mark.parametrize(
    "name", [name for name in dml.examples() if name.startswith(("rule-", "erratum-", "gather-3"))]
)
def test_each_fix_of_each_example_is_written_however_the_file_is_laid_out(name: str) -> None:
    path = examples.example(name).path
    text = path.read_text("utf-8")
    tree = json.loads(text)
    model = dxdispatch.export(examples.example(name).session(), "x").data.decode()
    texts = (text, json.dumps(tree, separators=(",", ":")), json.dumps(tree, indent=4), model)
    counts = {mended(each, path.parent) for each in texts}
    assert len(counts) == 1, "as many whatever it looks like"


@pytest.mark.parametrize(("sessions", "least"), [(10, 60), pytest.param(60, 500, marks=pytest.mark.slow)])
def test_the_fixes_of_random_descs_mend_what_they_say(sessions: int, least: int) -> None:
    count = 0
    for session in sessions_of_all_kinds(sessions, 7, members=True):
        text = dump(session)
        count += mended(text)
        count += mended(dxdispatch.export(read(text)[0], "x").data.decode())
    assert count >= least


LONG_FORM = """{ // a model of somebody else's
  "resources": {},
  "dispatchables": {
    "a/b": { "type": "GATHER", "desc": {
        "InputTensor": { "Type": "DML_TENSOR_TYPE_BUFFER", "Desc": {
            "DataType": "DML_TENSOR_DATA_TYPE_FLOAT32", /* as trained */ "Flags": "NONE",
            "DimensionCount": 2, "Sizes": [ 5, 2 ], "TotalTensorSizeInBytes": 40 } },
        "IndicesTensor": { "DataType": "UINT32", "Sizes": [2, 3], "DimensionCount": 2 },
        "OutputTensor": { "DataType": "FLOAT32", "Sizes": [6, 2] },
        "Axis": 0, "IndexDimensions": 2, } }
  },
  "commands": [],
}
"""


def test_what_a_text_says_in_its_own_way_stays_said_so() -> None:
    session, source = read(LONG_FORM)
    number, _, fix = next(fixes(session))
    assert "InputTensor {5, 2} → {1, 5, 2}" in fix.label
    after = applied(LONG_FORM, source.edits(number, fix))
    expected = LONG_FORM
    for old, new in (
        ('"DimensionCount": 2, "Sizes": [ 5, 2 ]', '"DimensionCount": 3, "Sizes": [ 1, 5, 2 ]'),
        ('[2, 3], "DimensionCount": 2', '[1, 2, 3], "DimensionCount": 3'),
        ("[6, 2]", "[2, 3, 2]"),
        ('"Axis": 0', '"Axis": 1'),
    ):
        expected = expected.replace(old, new)
    assert after == expected


def test_a_type_in_its_long_form_stays_in_it_and_an_operator_too() -> None:
    text = (
        LONG_FORM.replace("TYPE_FLOAT32", "TYPE_FLOAT16").replace("[6, 2]", "[2, 3, 2]").replace("[2, 3],", "[1, 3],")
    )
    session, source = read(text)
    labels = {fix.label: source.edits(number, fix) for number, _, fix in fixes(session)}
    typed = next(edits for label, edits in labels.items() if label.startswith("InputTensor FLOAT16"))
    assert [edit.text for edit in typed] == ['"DML_TENSOR_DATA_TYPE_FLOAT32"']


def test_a_model_without_a_note_has_no_level_to_raise() -> None:
    model: dict[str, Any] = json.loads(dxdispatch.export(examples.example("rule-level-operator").session(), "x").data)
    text = json.dumps(model)
    session, source = read(text)
    raised = next((number, fix) for number, _, fix in fixes(session) if fix.label.startswith("feature level"))
    assert [edit.text for edit in source.edits(*raised)] == [f'"{raised[1].feature_level.value}"']
    unnoted = {key: value for key, value in model.items() if key in ("resources", "dispatchables", "commands")}
    other = JsonSource(
        json.dumps(unnoted), session, importing.read(json.dumps(unnoted).encode(), "x.json", None).places
    )
    with pytest.raises(DmlvizError, match="has no feature level that could be raised"):
        other.edits(*raised)


def test_a_text_that_is_no_json_or_holds_no_places_is_refused_in_a_sentence() -> None:
    session = examples.example("rule-axis-range").session()
    (number, _, fix), *_ = fixes(session)
    with pytest.raises(DmlvizError, match=r"stands at no place of the text that can be edited\."):
        JsonSource("{}", session, {}).edits(number, fix)
    with pytest.raises(DmlvizError, match="expected JSON"):
        JsonSource("Axis = 4;", session, {})


def test_a_fix_of_several_stages_or_of_a_wire_is_written_whole() -> None:
    tile = '"type": "DML_OPERATOR_TILE", "desc": {"InputTensor": {"DataType": "FLOAT32", "Sizes": [1, 2]}'
    stages = (
        f'{{"name": "once", {tile}, "Repeats": [1, 1]}}, "values": {{"InputTensor": [[5, 6]]}}, '
        '"feature_level": "2_1"}',
        f'{{"name": "twice", {tile}, "Repeats": [1, 2]}}, "values": {{"InputTensor": {{"from": "once"}}}}, '
        '"feature_level": "2_1"}',
    )
    for misspelled in (False, True):
        text = f'{{"dmlviz": 1, "experiments": [{", ".join(stages)}]}}'
        text = text.replace('"from": "once"', '"from": "onze"').replace("2_1", "5_0") if misspelled else text
        session, source = read(text)
        number, _, fix = next(one for one in fixes(session) if one[2].values or one[2].also)
        after, _ = read(applied(text, source.edits(number, fix)))
        assert [check for one in after.experiments for check in one.check(after).errors] == []
        assert after.chain("twice").run()[0].reshape(-1).tolist() == [5, 6, 5, 6]
