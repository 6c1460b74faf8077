"""Sessions, their experiments and reports are pickled and copied whole."""

from __future__ import annotations

import copy
import dataclasses
import pickle
from pathlib import Path
from types import MappingProxyType

import pytest

import dmlviz as dml
from dmlviz.desc.value_sources import Listed
from dmlviz.session import examples
from dmlviz.session.experiments import same_file
from dmlviz.session.writing import dump


def test_every_session_is_pickled_and_copied_with_what_this_version_does_not_know(tmp_path: Path) -> None:
    desc = dml.Tile(dml.TensorDesc("FLOAT32", (2,)), (2,))
    values, extra = {"InputTensor": Listed((1, 2), (2,))}, {"later": [1, {"a": 2}]}
    own = dml.Experiment("one", desc, values=values, folder=tmp_path, extra=extra)
    for session in (dml.Session((own,), "both", tmp_path, {"more": "kept"}), *examples.examples().values()):
        reports = [each.check() for each in session.experiments]
        for made in (pickle.loads(pickle.dumps(session)), copy.copy(session), copy.deepcopy(session)):
            assert made == session
            assert same_file(made, session)
            assert dump(made) == dump(session)
            assert isinstance(made.experiments[0].values, MappingProxyType)
            with pytest.raises(dataclasses.FrozenInstanceError):
                made.experiments[0].name = "two"  # type: ignore[misc]
        assert pickle.loads(pickle.dumps(reports)) == copy.deepcopy(reports) == reports
