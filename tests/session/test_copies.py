"""Sessions, their experiments and reports are pickled and copied whole."""

from __future__ import annotations

import copy
import dataclasses
import pickle
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest

import dmlviz as dml
from dmlviz.desc.value_sources import Listed
from dmlviz.session import examples
from dmlviz.session.experiments import same_file
from dmlviz.session.writing import dump

NAMES = ("gather-2", "join-1", "split-1", "tile-1", "reverse-1")
"""An example of each operator."""
SESSIONS = [pytest.param(each.session(), id=each.name) for each in examples.all_examples()]
PROTOCOLS = range(pickle.HIGHEST_PROTOCOL + 1)


@pytest.mark.parametrize("session", SESSIONS)
def test_every_session_is_pickled_and_copied(session: dml.Session) -> None:
    reports = [each.check() for each in session.experiments]
    made = [pickle.loads(pickle.dumps(session, protocol)) for protocol in PROTOCOLS]
    for each in (*made, copy.copy(session), copy.deepcopy(session)):
        assert each == session
        assert same_file(each, session)
        assert dump(each) == dump(session)
        assert [experiment.check() for experiment in each.experiments] == reports
    assert pickle.loads(pickle.dumps(reports)) == reports
    assert copy.deepcopy(reports) == reports


def test_a_copy_keeps_what_this_version_does_not_know(tmp_path: Path) -> None:
    desc = dml.Tile(dml.TensorDesc("FLOAT32", (2,)), (2,))
    one = dml.Experiment(
        "one", desc, values={"InputTensor": Listed((1, 2), (2,))}, folder=tmp_path, extra={"later": [1, {"a": 2}]}
    )
    session = dml.Session((one, dml.Experiment("two", desc)), "both", tmp_path, {"more": "kept"})
    for made in (pickle.loads(pickle.dumps(session)), copy.deepcopy(session)):
        assert made == session
        assert dump(made) == dump(session)
        assert made.experiments[0].extra == {"later": [1, {"a": 2}]}
        assert made.experiments[0].folder == tmp_path


def test_a_copy_is_as_frozen_as_the_original() -> None:
    desc = dml.Tile(dml.TensorDesc("FLOAT32", (2,)), (2,))
    made = copy.deepcopy(dml.Experiment("one", desc, values={"InputTensor": Listed((1, 2), (2,))}))
    assert isinstance(made.values, MappingProxyType)
    with pytest.raises(dataclasses.FrozenInstanceError):
        made.name = "two"  # type: ignore[misc]


def held_by_users() -> list[Any]:
    session = examples.example("gather-2").session()
    experiment = session.experiments[0]
    report = experiment.check()
    descs = [examples.example(name).session().experiments[0].desc for name in NAMES]
    return [experiment.desc.inputs[0].tensor, *descs, experiment, session, report, report.checks[0]]


@pytest.mark.parametrize("held", held_by_users(), ids=lambda held: type(held).__name__)
def test_what_users_hold_is_a_frozen_dataclass(held: Any) -> None:
    assert dataclasses.is_dataclass(held)
    names = [each.name for each in dataclasses.fields(held)]
    for name in names:
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(held, name, None)
        with pytest.raises(dataclasses.FrozenInstanceError):
            delattr(held, name)
    made = [pickle.loads(pickle.dumps(held, protocol)) for protocol in PROTOCOLS]
    for each in (*made, copy.copy(held), copy.deepcopy(held)):
        assert type(each) is type(held)
        assert each == held
        assert [getattr(each, name) for name in names if name != "view"] == [
            getattr(held, name) for name in names if name != "view"
        ]


CHANGES: Mapping[str, dict[str, Any]] = {
    "Experiment": {"name": "other"},
    "Session": {"title": "other"},
    "Report": {"lowest_level": None},
    "Check": {"message": "other"},
    "Split": {"axis": 3},
    "Join": {"axis": 2},
    "Gather": {"axis": 2},
    "Tile": {"repeats": (7, 7)},
    "ReverseSubsequences": {"axis": 2},
}


@pytest.mark.parametrize("held", held_by_users()[1:], ids=lambda held: type(held).__name__)
def test_what_users_hold_is_replaced_by_field(held: Any) -> None:
    changes = CHANGES[type(held).__name__]
    other = dataclasses.replace(held, **changes)
    assert type(other) is type(held)
    assert {name: getattr(other, name) for name in changes} == changes
    assert other != held
    assert dataclasses.replace(held) == held


@pytest.mark.parametrize(
    "held", [each for each in held_by_users() if not hasattr(each, "extra")], ids=lambda held: type(held).__name__
)
def test_what_users_hold_is_told_as_a_dict(held: Any) -> None:
    told = dataclasses.asdict(held)
    assert set(told) == {each.name for each in dataclasses.fields(held)}
    for tensor in (each for name, each in told.items() if name.endswith("_tensor")):
        assert {"data_type", "sizes"} <= set(tensor)  # dicts all the way down
    assert all(set(check) >= {"id", "ok", "message", "fixes"} for check in told.get("checks", ()))
