"""The .npy files beside a session: names that somebody else chose, and files that somebody else changes."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

import dmlviz as dml
from dmlviz.desc import npy_files
from dmlviz.desc.npy_files import locate, read_npy
from dmlviz.desc.value_sources import Npy
from dmlviz.errors import ValuesError
from dmlviz.session.experiments import Experiment, Session

T = dml.TensorDesc("FLOAT32", (256, 256))
ONES = np.ones((256, 256), np.float32)


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        (".ssh/authorized_keys", "is no name of an .npy file"),
        ("keys", "is no name of an .npy file"),
        (".npy", "is no name of an .npy file"),
        ("/etc/x.npy", "lies outside the session's folder"),
        ("../x.npy", "lies outside the session's folder"),
        ("a/../../x.npy", "lies outside the session's folder"),
        (".config/x.npy", "has a hidden part"),
        ("a/.x.npy", "has a hidden part"),
    ],
)
def test_names_that_are_refused(name: str, reason: str, tmp_path: Path) -> None:
    with pytest.raises(ValuesError, match=reason):
        locate(name, "values.InputTensor", tmp_path)
    text = '{"dmlviz": 1, "experiments": [{"name": "n", "feature_level": "5_0", "type": "DML_OPERATOR_TILE", "desc": '
    text += (
        '{"InputTensor": {"DataType": "FLOAT32", "Sizes": [2]}, "Repeats": [1]}, "values": {"InputTensor": {"npy": "'
    )
    (tmp_path / "s.json").write_text(f'{text}{name}"}}}}}}]}}')
    with pytest.raises(dml.DmlvizError, match=reason):
        dml.load(tmp_path / "s.json")


def test_a_session_is_saved_beside_its_arrays_alone(tmp_path: Path) -> None:
    theirs, mine = tmp_path / "theirs", tmp_path / "mine"
    theirs.mkdir()
    mine.mkdir()
    np.save(theirs / "x.npy", ONES)
    desc = dml.Tile(T, (1, 2))
    session = Session((Experiment("n", desc, values={"InputTensor": Npy("x.npy")}, folder=theirs),), folder=theirs)
    with pytest.raises(dml.DmlvizError, match=r'"n" reads x\.npy in .*theirs, expected a session file in that folder'):
        dml.save(session, mine / "s.json")
    assert not [*mine.iterdir()]
    dml.save(session, theirs / "s.json")


@pytest.mark.parametrize("large", [False, True], ids=["in memory", "mapped"])
def test_a_file_may_be_cut_off_while_its_array_is_in_use(
    large: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A mapped page that is gone would end the process."""
    if large:
        monkeypatch.setattr(npy_files, "LARGE", 1)
    np.save(tmp_path / "x.npy", ONES)
    array = read_npy("x.npy", T, "values.InputTensor", tmp_path)
    with (tmp_path / "x.npy").open("wb"):
        assert np.array_equal(array, ONES)
        with pytest.raises(ValuesError, match=r"is no \.npy file"):
            read_npy("x.npy", T, "values.InputTensor", tmp_path)
    np.save(tmp_path / "x.npy", ONES + 1)
    os.truncate(tmp_path / "x.npy", 5000)
    with pytest.raises(ValuesError, match="is truncated or damaged"):
        read_npy("x.npy", T, "values.InputTensor", tmp_path)
    assert float(array.sum()) == 65536


def test_a_file_is_read_once_while_it_is_as_it_was(tmp_path: Path) -> None:
    np.save(tmp_path / "x.npy", ONES)
    first = read_npy("x.npy", T, "x", tmp_path)
    assert read_npy("x.npy", T, "x", tmp_path) is first
    np.save(tmp_path / "x.npy", ONES + 1)
    assert float(read_npy("x.npy", T, "x", tmp_path)[0, 0]) == 2
    assert not first.flags.writeable


@pytest.mark.parametrize("large", [False, True])
def test_every_kind_of_file(large: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(npy_files, "LARGE", 1 if large else 1 << 20)
    array, tensor = np.arange(6, dtype=np.int16).reshape(2, 3), dml.TensorDesc("INT16", (2, 3))
    refused = {
        "Fortran order": np.asfortranarray(array),
        "pickled objects": np.array([{}], object),
        r"holds >i2, expected INT16 \(int16\); save it again": array.astype(">i2"),
        r"has shape \{3, 2\}, expected \{2, 3\}": array.reshape(3, 2),
    }
    np.save(tmp_path / "x.npy", array)
    assert np.array_equal(read_npy("x.npy", tensor, "x", tmp_path), array)
    for said, other in refused.items():
        np.save(tmp_path / "y.npy", other, allow_pickle=True)
        with pytest.raises(ValuesError, match=said):
            read_npy("y.npy", tensor, "x", tmp_path)
