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
