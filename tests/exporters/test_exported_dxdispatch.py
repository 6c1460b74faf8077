"""DxDispatch models as they are written: read back by dmlviz, and by a reader that knows DxDispatch's rules alone."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import dxdispatch_reader
from support.effort import tried
from support.filled import HOSTILE, scratch, sessions

import dmlviz as dml
from dmlviz.desc.value_sources import Listed, Wired
from dmlviz.desc.values import Constant, Iota
from dmlviz.exporters.lib import exporting
from dmlviz.exporters.lib.writing import Export
from dmlviz.importers.lib import importing
from dmlviz.session.dxdispatch_names import adds_exactly
from dmlviz.session.examples import all_examples
from dmlviz.session.experiments import Experiment, Session
from dmlviz.session.reading import load


def exported(session: Session, stem: str = "values") -> Export:
    return exporting.export(session, "dxdispatch", stem=stem)


def back(made: Export, folder: Path | None = None) -> list[Experiment]:
    """What dmlviz reads back; files are put where they are looked for."""
    for name, array in made.files.items():
        assert folder is not None
        np.save(folder / name, array)
    return list(importing.read(made.data, "model.json", folder).experiments)


def same(one: Experiment, other: Experiment) -> None:
    """Holds an experiment against what came back of it, bit by bit."""
    assert one.desc == other.desc
    assert (one.feature_level, one.name, one.notes) == (other.feature_level, other.name, other.notes)
    parts = zip(one.desc.inputs, one.sources_or_defaults()[0], other.sources_or_defaults()[0], strict=True)
    for part, mine, theirs in parts:
        is_read = isinstance(one.values.get(part.path), Wired)  # from a buffer that a dispatch before it wrote
        if part.tensor.can_exist and part.tensor.element_count < 1 << 20 and not is_read:
            assert mine.array().tobytes() == theirs.array().tobytes()


@pytest.mark.parametrize("example", all_examples(), ids=lambda example: str(example.name))
def test_every_example_comes_back(example: Any) -> None:
    session = example.session()
    found = back(exported(session))
    for one, other in zip(session.experiments, found, strict=True):
        same(one, other)


def comes_back(data: st.DataObject) -> None:
    with scratch() as folder, scratch() as beside:
        session = data.draw(sessions(folder))
        made = exported(session)
        for one, other in zip(session.experiments, back(made, beside), strict=True):
            same(one, other)
        bound = dxdispatch_reader.load(made.data.decode(), beside)
        for one, found in zip(session.experiments, bound, strict=True):
            assert found.kind == one.desc.TYPE
            for part, values in zip(one.desc.inputs, one.sources(), strict=True):
                assert found.arrays[part.path].tobytes() == values.array().tobytes()
                assert found.arrays[part.path].shape == part.tensor.sizes


@given(st.data())
@tried(300)
def test_any_session_comes_back_and_is_what_dxdispatch_makes_of_it(data: st.DataObject) -> None:
    comes_back(data)


FLOATS = [dml.DataType.FLOAT16, dml.DataType.FLOAT32, dml.DataType.FLOAT64]


@given(
    st.sampled_from(FLOATS),
    st.one_of(st.integers(-300, 300), st.floats(-1e5, 1e5), st.integers(-3000, 3000).map(lambda x: x / 16)),
    st.one_of(st.integers(-300, 300), st.floats(-1e3, 1e3), st.integers(-3000, 3000).map(lambda x: x / 16)),
    st.integers(1, 3000),
)
@tried(200)
def test_where_a_sequence_adds_exactly_both_ways_to_make_it_agree(
    kind: dml.DataType, start: float, step: float, count: int
) -> None:
    if not adds_exactly(start, step, count, kind):
        return
    made = np.full(count, step, kind.dtype)
    made[0] = start
    added = np.add.accumulate(made, dtype=kind.dtype)
    assert added.tobytes() == Iota(start, step).make(np.arange(count, dtype=np.int64), kind).tobytes()


def initial(session: Session) -> list[Any]:
    """The initial values of each buffer of a model."""
    return [each["initialValues"] for each in json.loads(exported(session).content)["resources"].values()]


def tiled(kind: str, sizes: tuple[int, ...], spec: Any, name: str = "t") -> Session:
    desc = dml.Tile(dml.TensorDesc(kind, sizes), (1,) * len(sizes))
    return Session((Experiment(name, desc, values={} if spec is None else {"InputTensor": spec}),))


@pytest.mark.parametrize(
    ("kind", "spec", "expected"),
    [
        ("FLOAT32", Constant(2.5), {"valueCount": 4, "value": 2.5}),
        ("FLOAT32", Constant("-inf"), {"valueCount": 4, "value": "-inf"}),
        ("FLOAT32", Iota(1, 0.5), {"valueCount": 4, "valueStart": 1, "valueDelta": 0.5}),
        ("FLOAT32", Iota(0, 0.1), [0, 0.1, 0.2, 0.3]),  # 0.1 is rounded, so sums of it drift
        ("FLOAT32", Iota(-0.0, 1), [0, 1, 2, 3]),  # as the start of a sum it would stay -0
        ("FLOAT16", Iota(2046, 1), [2046, 2047, 2048, 2048]),
        ("INT8", Iota(126, 1), {"valueCount": 4, "valueStart": 126, "valueDelta": 1}),  # wraps, as C++ does there
        ("UINT8", Iota(1, -1), {"valueCount": 4, "valueStart": 1, "valueDelta": 255}),
        ("INT32", Iota(2**31 - 2, 1), [2**31 - 2, 2**31 - 1, -(2**31), -(2**31) + 1]),  # C++ leaves the sum open
        ("FLOAT64", None, {"valueCount": 4, "valueStart": 1, "valueDelta": 1}),
        ("FLOAT32", Listed((-0.0, "nan", 1e-45, 0.1), (4,)), [-0.0, "nan", 1e-45, 0.1]),
    ],
)
def test_values_are_written_in_the_form_that_fits(kind: str, spec: Any, expected: Any) -> None:
    session = tiled(kind, (4,), spec)
    found = initial(session)[0]
    assert found == expected
    assert json.dumps(found) == json.dumps(expected)  # -0.0 is not 0
    same(session.experiments[0], back(exported(session))[0])


def test_files_of_the_session_come_along_bit_by_bit(tmp_path: Path) -> None:
    bits = np.arange(0x7F800000, 0x7F800000 + 6, dtype=np.uint32)  # an infinity, then NaNs that differ
    (tmp_path / "in").mkdir()
    np.save(tmp_path / "in" / 'a "name".npy', bits.view(np.float32))
    (tmp_path / "s.json").write_text(
        json.dumps(
            {
                "dmlviz": 1,
                "experiments": [
                    {
                        "name": "n",
                        "type": "DML_OPERATOR_TILE",
                        "feature_level": "5_0",
                        "desc": {"InputTensor": {"DataType": "FLOAT32", "Sizes": [6]}, "Repeats": [2]},
                        "values": {"InputTensor": {"npy": 'in/a "name".npy'}},
                    }
                ],
            }
        )
    )
    made = exported(load(tmp_path / "s.json"))
    assert list(made.files) == ["values-tile_1_InputTensor.npy"]
    found = back(made, tmp_path)[0]
    assert found.sources()[0].array().tobytes() == bits.tobytes()
    assert b"name" not in made.data.partition(b'"$dmlviz"')[0].replace(b'"name"', b"")


def skeleton(found: Any) -> Any:
    """A model without what came from the session's names."""
    found = json.loads(found)
    for each in found["$dmlviz"]["operators"]:
        each["name"] = each["notes"] = ""
    found["$dmlviz"]["title"] = ""
    return found


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_names_are_data(text: str) -> None:
    plain = Session((tiled("INT8", (3,), None).experiments[0],), "title")
    desc = plain.experiments[0].desc
    hostile = Session((Experiment(text, desc, notes=text or "n"),), text)
    made = exported(hostile)
    noted = skeleton(exported(Session((Experiment("a", desc, notes="n"),), "t")).content)
    assert skeleton(made.content) == noted
    assert all(line.isprintable() for line in str(made.content).split("\n"))
    assert back(made)[0].name == text


def test_values_that_do_not_fit_are_told() -> None:
    session = tiled("INT8", (3,), Listed((1, 2), (2,)))
    (noted,) = json.loads(exported(session).content)["$dmlviz"]["operators"]
    assert noted["problems"] == ["InputTensor has 2 values, expected 3 for Sizes {3}."]
    assert initial(session)[0] == [1, 2, 3]  # fitted, as the explorer does it


def test_what_cannot_exist_is_written_all_the_same() -> None:
    desc = dml.Tile(dml.TensorDesc("FLOAT32", (2, -3)), (1, 0), dml.TensorDesc("FLOAT32", ()), 7)
    values = {"InputTensor": Listed((1, 2.5, "nan"), (3,))}
    session = Session((Experiment("broken", desc, values=values), Experiment("none", dml.Join((), 9))))
    one, other = back(exported(session))
    same(session.experiments[0], one)
    same(session.experiments[1], other)
    assert one.desc.get("RepeatsCount") == 7
