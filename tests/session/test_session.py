"""Sessions: what is written is read back, edits lose nothing that still fits, files are saved whole or not at all."""

from __future__ import annotations

import errno
import itertools
import json
import math
import os
import random
import re
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.random_sessions import sessions_of_all_kinds

import dmlviz as dml
from dmlviz.desc.tensors import DataType, TensorDesc
from dmlviz.desc.value_sources import Listed, Npy, ValueSource
from dmlviz.desc.values import Constant, Iota, Random
from dmlviz.errors import SessionError
from dmlviz.session.experiments import Experiment, Session
from dmlviz.session.reading import parse
from dmlviz.session.writing import dump

TYPES = list(DataType)


def spec(tensor: TensorDesc, made: random.Random) -> ValueSource:
    """Values that fit `tensor`; any where it can't exist."""

    def element() -> int | float | str:
        if not tensor.data_type.is_float:
            return made.randint(*tensor.data_type.integer_range)
        return made.choice((made.uniform(-9, 9), made.randint(-1000, 1000), -0.0, "nan", "inf", "-inf"))

    kind = made.choice(["list", "list", "iota", "constant", "random"])
    if kind == "list" and (not tensor.can_exist or tensor.element_count <= 40):
        count = tensor.element_count if tensor.can_exist else made.randint(0, 4)
        shape = tensor.sizes if tensor.can_exist and made.random() < 0.5 else (count,)
        return Listed(tuple(element() for _ in range(count)), shape)
    if kind == "constant":
        return Constant(element())
    if kind == "random":
        return Random(made.getrandbits(128))
    return Iota(made.randint(-(2**70), 2**70), made.uniform(-9, 9) if tensor.data_type.is_float else -(2**66))


@cache
def sessions() -> list[Session]:
    """Random sessions of any descs, with values that fit, notes, and keys that no version knows."""
    made = random.Random(7)
    unknown = {"x": [1, -(2**63), 2**64 - 1, 0.1, None, True, {"\u2028": "é 数 \U0001f600 \x1b"}], "": []}
    found = []
    for session in sessions_of_all_kinds(120, members=0.3):
        items = tuple(
            replace(
                one,
                values={p.path: spec(p.tensor, made) for p in one.desc.inputs if made.random() < 0.5},
                notes=one.name[::-1],
                extra=unknown if made.random() < 0.3 else {},
            )
            for one in session.experiments
        )
        found.append(replace(session, experiments=items, extra=unknown if made.random() < 0.3 else {}))
    return found


def reread(found: Session, folder: Path | None = None) -> Session:
    again, errors = parse(dump(found).encode(), "again", folder)
    assert not errors
    return again


@pytest.mark.drawn(25)
@pytest.mark.parametrize("number", range(100))
def test_what_is_written_is_read_back_and_checked_and_looked_at(number: int) -> None:
    found = sessions()[number]
    again = reread(found)
    assert again == found
    assert [each.desc.inferred for each in again.experiments] == [each.desc.inferred for each in found.experiments]
    assert dump(again) == dump(found)
    for each in found.experiments:
        assert all("\n" not in c.message and c.message.endswith(".") for c in each.check().checks)
        made, said = each.sources_or_defaults()
        assert not said
        for part, values in zip(each.desc.inputs, made, strict=True):
            last = values.tensor.element_count - 1
            assert values.read(np.array([0, last // 2, last])).dtype == part.tensor.data_type.dtype


def test_a_session_written_by_hand() -> None:
    tensor = {"DataType": "FLOAT32", "Sizes": [2]}
    text = {
        "dmlviz": 1,
        "lesson": 7,
        "experiments": [
            {
                "name": "数 · é",
                "feature_level": "5_0",
                "type": "DML_OPERATOR_JOIN",
                "desc": {"InputTensors": [tensor, tensor, tensor], "Axis": 0},
                "values": {"InputTensors": [[1, 2.5], None, {"fill": "constant", "value": "nan"}]},
                "author": {"name": "x"},
            }
        ],
    }
    (found, errors) = parse(b"\xef\xbb\xbf" + json.dumps(text).encode("utf-8"), "by hand", None)
    assert not errors
    assert (found.title, found.extra) == ("", {"lesson": 7})
    (each,) = found.experiments
    assert (each.name, each.notes, each.extra) == ("数 · é", "", {"author": {"name": "x"}})
    assert each.values == {"InputTensors[0]": Listed((1, 2.5), (2,)), "InputTensors[2]": Constant("nan")}
    assert [values.array().tolist() for values in each.sources()][:2] == [[1, 2.5], [1, 2]]
    assert each.desc.inferred == {"InputCount", "OutputTensor"}
    assert json.loads(dump(found))["experiments"][0]["values"]["InputTensors"][1] is None


# ---- values -----------------------------------------------------------------------------------------------------


def filled(spec: ValueSource, tensor: TensorDesc, folder: Path | None = None) -> Any:
    """What `spec`, written and read again, fills `tensor` with."""
    found = reread(Session((tiled(tensor, spec, folder),)), folder)
    return found.experiments[0].sources()[0]


def tiled(tensor: TensorDesc, spec: ValueSource, folder: Path | None = None) -> Experiment:
    desc = dml.Tile(tensor, (1,) * tensor.dimension_count)
    return Experiment("n", desc, values={"InputTensor": spec}, folder=folder)


@pytest.mark.parametrize("data_type", TYPES, ids=str)
def test_lists_and_npy_files_hold_every_type(tmp_path: Path, data_type: DataType) -> None:
    tensor, want = TensorDesc(data_type, (2, 1, 3)), np.arange(6).astype(data_type.dtype).reshape(2, 1, 3)
    (tmp_path / "sub").mkdir()
    np.save(tmp_path / "sub" / "x.npy", want)
    for spec in (Listed(tuple(range(6)), (2, 1, 3)), Listed(tuple(range(6)), (6,)), Npy("sub/x.npy")):
        values = filled(spec, tensor, tmp_path)
        assert values.array().dtype == data_type.dtype
        assert np.array_equal(values.array(), want)
        assert values.read(np.array([5, 0])).tolist() == [5, 0]
    if data_type.is_float:
        array = filled(Listed(("nan", "inf", "-inf", -0.0, 0.1), (5,)), TensorDesc(data_type, (5,))).array()
        assert [math.isnan(array[0]), *array[1:3].tolist()] == [True, math.inf, -math.inf]
        assert np.signbit(array[3])
        assert array[4] == data_type.dtype.type(0.1)
    else:
        low, high = data_type.integer_range
        items = (low, low + 1, high - 1, high)
        assert filled(Listed(items, (4,)), TensorDesc(data_type, (4,))).array().tolist() == list(items)


@pytest.mark.parametrize("fill", [Iota(3, -7), Constant(2), Random(9), Random(2**100)], ids=repr)
@pytest.mark.parametrize("name", ["FLOAT16", "INT8", "UINT64"])
def test_a_window_equals_the_whole_and_nothing_of_any_size_is_allocated(fill: ValueSource, name: str) -> None:
    values = filled(fill, TensorDesc(name, (7, 11)))
    whole = values.array().reshape(-1)
    at = np.array([76, 0, 40, 41, 3])
    assert np.array_equal(values.read(at), whole[at])
    assert np.array_equal(np.concatenate([part for _, part in values.chunks()]), whole)
    assert len(filled(fill, TensorDesc(name, (65535, 65535))).read(np.array([65535 * 65535 - 1]))) == 1


# ---- editing ----------------------------------------------------------------------------------------------------

DATA = TensorDesc("INT16", (2, 3))


def listed(*rows: list[Any]) -> Listed:
    return Listed(tuple(x for row in rows for x in row), (len(rows), len(rows[0])))


TWO_ROWS = listed([9, 8, 7], [6, 5, 4])


@pytest.mark.parametrize(
    ("spec", "tensor", "want"),
    [
        (TWO_ROWS, TensorDesc("INT16", (2, 2)), [[9, 8], [6, 5]]),
        (TWO_ROWS, TensorDesc("INT16", (3, 4)), [[9, 8, 7, 4], [6, 5, 4, 8], [9, 10, 11, 12]]),
        (TWO_ROWS, TensorDesc("INT16", (3, 2)), [[9, 8], [7, 6], [5, 4]]),
        (TWO_ROWS, TensorDesc("INT16", (1, 2, 3)), [[[9, 8, 7], [6, 5, 4]]]),
        (TWO_ROWS, TensorDesc("INT16", (7,)), [9, 8, 7, 6, 5, 4, 7]),
        (listed([-300, 8, 300]), TensorDesc("INT8", (1, 3)), [[-128, 8, 127]]),
        (listed([1.75, "nan", "inf"]), TensorDesc("INT32", (1, 3)), [[1, 0, 0]]),
        (listed([1e5, -1e300, "inf"]), TensorDesc("FLOAT16", (1, 3)), [[65504, -65504, math.inf]]),
        (Listed((5, 6), (2,)), TensorDesc("INT16", (2, 3)), [[5, 6, 3], [4, 5, 6]]),
        (Npy("x.npy"), TensorDesc("INT16", (2, 2)), [[1, 2], [3, 4]]),
        (Constant(300), TensorDesc("INT8", (2, 2)), [[1, 2], [3, 4]]),
        (Iota(0.5, 1), TensorDesc("INT8", (2, 2)), [[1, 2], [3, 4]]),
    ],
)
def test_an_edit_keeps_what_still_fits_and_the_rest_gives_way_to_the_default(
    tmp_path: Path, spec: ValueSource, tensor: TensorDesc, want: list[Any]
) -> None:
    np.save(tmp_path / "x.npy", np.zeros((2, 3), np.int16))
    each = tiled(tensor, spec, tmp_path)
    made, said = each.sources_or_defaults()
    assert made[0].array().tolist() == want
    assert all(sentence.startswith("InputTensor") and sentence.endswith(".") for sentence in said)
    again = reread(Session((each,)), tmp_path).experiments[0]
    assert again.sources()[0].array().tolist() == want
    assert isinstance(spec, Listed) or (len(said), again.values) == (1, {})


def test_values_of_any_edited_desc_are_shown_and_saved() -> None:
    every = [each for found in sessions() for each in found.experiments]
    for each, other in itertools.pairwise(every):
        pairs = zip(other.desc.inputs, each.desc.inputs, strict=False)
        moved = {part.path: each.values[its.path] for part, its in pairs if its.path in each.values}
        found = replace(each, desc=other.desc, values=moved)
        made, _ = found.sources_or_defaults()
        again = reread(Session((found,))).experiments[0]
        for part, before, after in zip(other.desc.inputs, made, again.sources_or_defaults()[0], strict=True):
            shown = part.tensor if part.tensor.can_exist else TensorDesc(part.tensor.data_type, (1,))
            assert before.tensor == shown
            if part.tensor.can_exist:
                at = np.arange(min(50, part.tensor.element_count))
                assert before.read(at).tobytes() == after.read(at).tobytes()


# ---- saving -----------------------------------------------------------------------------------------------------

SESSION = Session((tiled(DATA, Constant(3)),), "saved")


def files(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def refuses(path: Any, found: Any = SESSION) -> str:
    with pytest.raises(SessionError) as caught:
        dml.save(found, path)
    message = str(caught.value)
    assert message.endswith(".")
    assert "\n" not in message
    return message


def test_saving_and_loading_follows_a_link(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    link, target = tmp_path / "link.json", tmp_path / "real" / "é 数.json"
    link.symlink_to(target)
    dml.save(SESSION, str(link))
    assert link.is_symlink()
    assert target.read_bytes() == dump(SESSION).encode()
    folder = target.parent
    assert dml.load(link) == replace(SESSION, folder=folder, experiments=(tiled(DATA, Constant(3), folder),))


@pytest.mark.parametrize("name", ["fsync", "replace", "chmod"])
def test_a_failing_write_leaves_what_was_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    def full(*_: Any) -> Any:
        raise OSError(errno.ENOSPC, "No space left on device")

    file = tmp_path / "old.json"
    file.write_text("old")
    monkeypatch.setattr(os, name, full)
    assert refuses(file) == f"{file} can't be written: No space left on device."
    assert files(tmp_path) == {"old.json": b"old"}


def test_what_cannot_be_saved_is_refused_in_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("old")
    (tmp_path / "loop").symlink_to("loop")
    os.mkfifo(tmp_path / "pipe")
    said: dict[Any, str] = {
        tmp_path: "is a directory, expected a file to write",
        tmp_path / "missing" / "x.json": "No such file or directory",
        tmp_path / "loop": "can't be written: Too many levels of symbolic links",
        tmp_path / "pipe": "it is no regular file",
        f"{tmp_path}/nul\0.json": "not a file name",
        5: "path is 5, expected the name of a session file",
    }
    for path, why in said.items():
        assert why in refuses(path)
    far = Session((tiled(DATA, Npy("x.npy"), tmp_path / "far"),))
    for found in (replace(SESSION, extra={"x": math.nan}), replace(SESSION, extra={"x": object()}), "text", far):
        refuses(tmp_path / "x.json", found)
    assert files(tmp_path) == {"file": b"old"}
    assert "reads x.npy in" in refuses(tmp_path / "x.json", far)
    (tmp_path / "far").mkdir()
    dml.save(far, tmp_path / "far" / "beside.json")


def test_what_is_no_session_is_told_by_what_it_lacks() -> None:
    version = "expected the format's version, 1"
    for text, said in {
        "{}": f"the key dmlviz is missing, {version}.",
        '{"dmlviz": 2}': f"the key dmlviz is 2, {version}; a newer version of dmlviz may read the file.",
        '{"dmlviz": 1}': "experiments is missing, expected a list of at least one experiment.",
    }.items():
        with pytest.raises(SessionError, match=f"^x: {re.escape(said)}$"):
            parse(text.encode(), "x", None)


def test_what_no_file_could_say_is_refused_at_once() -> None:
    tile = SESSION.experiments[0]
    for wrong in ({"name": 3}, {"desc": None}, {"feature_level": "9_9"}, {"notes": 5}, {"values": {"x": object()}}):
        with pytest.raises(dml.DmlvizError, match=r"expected.*\.$"):
            replace(tile, **wrong)
    for changes in ({"experiments": (None,)}, {"title": "half \ud800"}):
        with pytest.raises(dml.DmlvizError, match=r"expected.*\.$"):
            replace(SESSION, **changes)
    with pytest.raises(dml.DmlvizError, match=r"expected at least one\.$"):
        dml.save(Session(()), "never.json")
    assert not Path("never.json").exists()
