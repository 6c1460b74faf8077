"""DxDispatch models as they are written, and read back by dmlviz; reports in Markdown are, too."""

from __future__ import annotations

import json
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.effort import tried
from support.scripts import sessions

import dmlviz as dml
from dmlviz.desc.value_sources import Listed, Wired
from dmlviz.desc.values import Constant, Iota
from dmlviz.errors import cut
from dmlviz.exporters.dxdispatch import MOST_NAME, MOST_NOTES
from dmlviz.exporters.lib import exporting
from dmlviz.exporters.lib.writing import Export
from dmlviz.importers.lib import importing
from dmlviz.session.experiments import Experiment, Session


def exported(session: Session, target: str = "dxdispatch") -> Export:
    return exporting.export(session, target)


def back(made: Export, folder: Path | None = None) -> list[Experiment]:
    """What dmlviz reads back; files are put where they are looked for."""
    for name, array in made.files.items():
        np.save((folder or Path()) / name, array)
    return list(importing.read(made.data, "model", folder).experiments)


def same(one: Experiment, other: Experiment) -> None:
    """Holds an experiment against what came back of it, bit by bit."""
    assert one.desc == other.desc
    assert other.feature_level == one.feature_level
    assert (cut(other.name, MOST_NAME), cut(other.notes, MOST_NOTES)) == (
        cut(one.name, MOST_NAME),
        cut(one.notes, MOST_NOTES),
    )
    parts = zip(one.desc.inputs, one.sources_or_defaults()[0], other.sources_or_defaults()[0], strict=True)
    for part, mine, theirs in parts:
        is_read = isinstance(one.values.get(part.path), Wired)  # from a buffer that a dispatch before it wrote
        if part.tensor.can_exist and part.tensor.element_count < 1 << 20 and not is_read:
            assert mine.array().tobytes() == theirs.array().tobytes()


@given(st.data(), st.sampled_from(["dxdispatch", "markdown"]))
@tried(400)
def test_any_session_comes_back(data: st.DataObject, target: str) -> None:
    with TemporaryDirectory() as folder, TemporaryDirectory() as beside:
        session = data.draw(sessions(Path(folder)))
        made = exported(session, target)
        for one, other in zip(session.experiments, back(made, Path(beside)), strict=True):
            same(one, other)


def tiled(kind: str, sizes: tuple[int, ...], spec: Any, name: str = "t", **more: Any) -> Session:
    desc = dml.Tile(dml.TensorDesc(kind, sizes), (1,) * len(sizes))
    return Session((Experiment(name, desc, values={} if spec is None else {"InputTensor": spec}, **more),))


@pytest.mark.parametrize(
    ("kind", "spec", "expected"),
    [
        ("FLOAT32", Constant("-inf"), {"valueCount": 4, "value": "-inf"}),
        ("FLOAT32", Iota(1, 0.5), {"valueCount": 4, "valueStart": 1, "valueDelta": 0.5}),
        ("FLOAT32", Iota(0, 0.1), [0, 0.1, 0.2, 0.3]),  # 0.1 is rounded, so sums of it drift
        ("FLOAT32", Iota(-0.0, 1), [0, 1, 2, 3]),  # as the start of a sum it would stay -0
        ("INT8", Iota(126, 1), {"valueCount": 4, "valueStart": 126, "valueDelta": 1}),  # wraps, as C++ does there
        ("UINT8", Iota(1, -1), {"valueCount": 4, "valueStart": 1, "valueDelta": 255}),
        ("INT32", Iota(2**31 - 2, 1), [2**31 - 2, 2**31 - 1, -(2**31), -(2**31) + 1]),  # C++ leaves the sum open
        ("FLOAT32", Listed((-0.0, "nan", 1e-45, 0.1), (4,)), [-0.0, "nan", 1e-45, 0.1]),
    ],
)
def test_values_are_written_in_the_form_that_fits(kind: str, spec: Any, expected: Any) -> None:
    session = tiled(kind, (4,), spec)
    made = exported(session)
    found = json.loads(made.content)["resources"]["tile_1_InputTensor"]["initialValues"]
    assert json.dumps(found) == json.dumps(expected)  # -0.0 is not 0
    same(session.experiments[0], back(made)[0])


def test_what_does_not_fit_or_cannot_exist_is_written_all_the_same() -> None:
    model = json.loads(exported(tiled("INT8", (3,), Listed((1, 2), (2,)))).content)
    assert model["$dmlviz"]["operators"][0]["problems"] == ["InputTensor has 2 values, expected 3 for Sizes {3}."]
    assert model["resources"]["tile_1_InputTensor"]["initialValues"] == [1, 2, 3]  # fitted, as the explorer does it
    desc = dml.Tile(dml.TensorDesc("FLOAT32", (2, -3)), (1, 0), dml.TensorDesc("FLOAT32", ()), 7)
    values = {"InputTensor": Listed((1, 2.5, "nan"), (3,))}
    session = Session((Experiment("broken", desc, values=values), Experiment("none", dml.Join((), 9))))
    made = exported(session)
    assert json.loads(made.content)["resources"]["tile_1_InputTensor"]["initialValues"] == [1, 2.5, "nan"]
    for one, other in zip(session.experiments, back(made), strict=True):
        same(one, other)
