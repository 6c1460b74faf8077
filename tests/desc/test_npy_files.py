"""The .npy files beside a session: names that somebody else chose, and files that somebody else changes."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

import dmlviz as dml
from dmlviz.desc.npy_files import locate, read_npy
from dmlviz.errors import ValuesError

T = dml.TensorDesc("FLOAT32", (256, 256))
ONES = np.ones((256, 256), np.float32)


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        (".ssh/authorized_keys", "is no name of an .npy file"),
        ("keys", "is no name of an .npy file"),
        (".npy", "is no name of an .npy file"),
        ("/etc/x.npy", "is outside the session's folder"),
        ("../x.npy", "is outside the session's folder"),
        ("a/../../x.npy", "is outside the session's folder"),
        (".config/x.npy", "has a hidden part"),
        ("a/.x.npy", "has a hidden part"),
    ],
)
def test_names_that_are_refused(name: str, reason: str, tmp_path: Path) -> None:
    with pytest.raises(ValuesError, match=reason):
        locate(name, "values.InputTensor", tmp_path)


def test_a_file_may_be_cut_off_while_its_array_is_in_use(tmp_path: Path) -> None:
    """A mapped page that is gone would end the process."""
    np.save(tmp_path / "x.npy", ONES)
    array = read_npy("x.npy", T, "values.InputTensor", tmp_path)
    assert read_npy("x.npy", T, "x", tmp_path) is array  # read once while it is as it was
    assert not array.flags.writeable
    for length in (0, 5000):
        os.truncate(tmp_path / "x.npy", length)
        with pytest.raises(ValuesError, match="is damaged or no array of numbers"):
            read_npy("x.npy", T, "values.InputTensor", tmp_path)
        assert np.array_equal(array, ONES)


def test_every_kind_of_file(tmp_path: Path) -> None:
    array, tensor = np.arange(6, dtype=np.int16).reshape(2, 3), dml.TensorDesc("INT16", (2, 3))
    refused = {
        "Fortran order": np.asfortranarray(array),
        "no array of numbers": np.array([{}], object),
        r"holds >i2, expected INT16 \(int16\)\.": array.astype(">i2"),
        r"has shape \{3, 2\}, expected \{2, 3\}": array.reshape(3, 2),
    }
    np.save(tmp_path / "x.npy", array)
    assert np.array_equal(read_npy("x.npy", tensor, "x", tmp_path), array)
    for said, other in refused.items():
        np.save(tmp_path / "y.npy", other, allow_pickle=True)
        with pytest.raises(ValuesError, match=said):
            read_npy("y.npy", tensor, "x", tmp_path)
