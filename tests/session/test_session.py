"""Sessions: what is written is read back, edits lose nothing that still fits, files are saved whole or not at all."""

from __future__ import annotations

import errno
import json
import math
import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.effort import tried

import dmlviz as dml
from dmlviz.desc.base import Desc, Part
from dmlviz.desc.tensors import DataType, TensorDesc
from dmlviz.desc.value_sources import Listed, Npy, ValueSource, dump_source, parse_source
from dmlviz.desc.values import Constant, Fill, Iota, Random
from dmlviz.errors import SessionError
from dmlviz.operators.registry import operators
from dmlviz.session.document import History
from dmlviz.session.experiments import Experiment, Session
from dmlviz.session.reading import parse
from dmlviz.session.writing import dump

TYPES = list(DataType)
SIZES = st.one_of(st.integers(1, 4), st.sampled_from([-1, 0, 7, 65535, 2**31, 2**32, -(2**63), 2**64 - 1]))
WHOLE = st.integers(-(2**63), 2**64 - 1)
NUMBERS = st.one_of(st.integers(0, 4), WHOLE)

# ---- random sessions --------------------------------------------------------------------------------------------


def tensors(sizes: st.SearchStrategy[int] = SIZES) -> st.SearchStrategy[TensorDesc]:
    small = st.lists(st.integers(1, 3), min_size=1, max_size=4)
    return st.builds(TensorDesc, st.sampled_from(TYPES), st.one_of(small, st.lists(sizes, max_size=9)))


@st.composite
def descs(draw: st.DrawFn) -> Desc:
    """A desc of any operator, valid or not; outputs and counts are sometimes left out."""
    operator = draw(st.sampled_from(list(operators().values())))
    made: dict[str, Any] = {}
    for field in operator.desc.FIELDS:
        if field.can_be_inferred and draw(st.booleans()):
            continue
        if field in operator.desc.TENSORS:
            made[field.name] = draw(st.lists(tensors(), max_size=3) if field.many else tensors())
        elif field.is_list:
            made[field.name] = draw(st.lists(NUMBERS, max_size=5))
        elif field.choices():
            made[field.name] = draw(st.sampled_from([choice.name for choice in field.choices()]) | st.integers(0, 99))
        else:
            made[field.name] = draw(NUMBERS if field.limits and field.c_type != "FLOAT" else st.floats())
    built: Desc = operator.desc.build(made)
    return built


def elements(data_type: DataType) -> st.SearchStrategy[int | float | str]:
    if not data_type.is_float:
        return st.integers(*data_type.integer_range)
    width = data_type.item_size * 8
    real = st.floats(allow_nan=False, allow_infinity=False, width=width)  # type: ignore[arg-type]
    return st.one_of(real, st.integers(-1000, 1000), st.sampled_from(["nan", "inf", "-inf"]))


@st.composite
def specs(draw: st.DrawFn, tensor: TensorDesc) -> ValueSource:
    """Values that fit `tensor`; any where it can't exist."""
    fits = tensor.can_exist
    kind = draw(st.sampled_from(["list", "list", "iota", "constant", "random"]))
    item = elements(tensor.data_type)
    if kind == "list" and (not fits or tensor.element_count <= 40):
        count = tensor.element_count if fits else draw(st.integers(0, 4))
        items = tuple(draw(st.lists(item, min_size=count, max_size=count)))
        return Listed(items, tensor.sizes if fits and draw(st.booleans()) else (count,))
    if kind == "constant":
        return Constant(draw(item))
    if kind == "random":
        return Random(draw(st.integers(0, 2**128 - 1)))
    whole = st.integers(-(2**70), 2**70)
    number = st.one_of(whole, st.floats(-1e9, 1e9)) if tensor.data_type.is_float else whole
    return Iota(draw(number), draw(number))


JSON = st.recursive(
    st.one_of(st.none(), st.booleans(), WHOLE, st.floats(allow_nan=False, allow_infinity=False), st.text()),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.text(), inner, max_size=3)),
    max_leaves=6,
)


def extras(*known: str) -> st.SearchStrategy[dict[str, Any]]:
    return st.dictionaries(st.text().filter(lambda key: key not in known), JSON, max_size=2)


@st.composite
def experiments(draw: st.DrawFn) -> Experiment:
    desc = draw(descs())
    values = {part.path: draw(specs(part.tensor)) for part in desc.inputs if draw(st.booleans())}
    extra = draw(extras("name", "feature_level", "type", "desc", "values", "notes"))
    level = draw(st.sampled_from(list(dml.FeatureLevel)))
    return Experiment(draw(st.text()), desc, level, values, draw(st.text()), None, extra)


@st.composite
def documents(draw: st.DrawFn) -> Session:
    held = tuple(draw(st.lists(experiments(), min_size=1, max_size=3)))
    return Session(held, draw(st.text()), None, draw(extras("dmlviz", "title", "experiments")))


def reread(found: Session, folder: Path | None = None) -> Session:
    again, errors = parse(dump(found).encode(), "again", folder)
    assert not errors
    return again


@given(documents())
@tried(150)
def test_what_is_written_is_read_back(found: Session) -> None:
    again = reread(found)
    assert again == found
    assert [each.desc.inferred for each in again.experiments] == [each.desc.inferred for each in found.experiments]
    assert dump(again) == dump(found)


@given(documents())
@tried(60)
def test_any_session_can_be_checked_and_looked_at(found: Session) -> None:
    for each in found.experiments:
        report = each.check()
        assert all("\n" not in c.message and c.message.endswith(".") for c in report.checks)
        made, said = each.sources_or_defaults()
        assert not said
        for part, values in zip(each.desc.inputs, made, strict=True):
            last = values.tensor.element_count - 1
            window = values.read(np.array([0, last // 2, last]))
            assert window.dtype == part.tensor.data_type.dtype


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


def filled(spec: ValueSource | None, tensor: TensorDesc, folder: Path | None = None) -> Any:
    """What `spec`, written and read again, fills `tensor` with."""
    values = {} if spec is None else {"InputTensor": spec}
    desc = dml.Tile(tensor, (1,) * tensor.dimension_count)
    found = reread(Session((Experiment("n", desc, values=values, folder=folder),)), folder)
    return found.experiments[0].sources()[0]


@pytest.mark.parametrize("data_type", TYPES, ids=str)
def test_nested_and_flat_lists(data_type: DataType) -> None:
    tensor = TensorDesc(data_type, (2, 1, 3))
    want = np.arange(6).reshape(2, 1, 3)
    for shape in ((2, 1, 3), (6,)):
        array = filled(Listed(tuple(range(6)), shape), tensor).array()
        assert array.dtype == data_type.dtype
        assert np.array_equal(array, want)


@pytest.mark.parametrize("name", ["INT64", "UINT64"])
def test_integers_beyond_2_53_are_exact(name: str) -> None:
    low, high = DataType[name].integer_range
    items = (low, low + 1, 2**53 + 1, 2**62 + 1, high - 1, high)
    assert filled(Listed(items, (6,)), TensorDesc(name, (6,))).array().tolist() == list(items)
    assert filled(Constant(high - 1), TensorDesc(name, (2,))).array().tolist() == [high - 1] * 2


@pytest.mark.parametrize("name", ["FLOAT16", "FLOAT32", "FLOAT64"])
def test_nan_and_infinities_are_strings(name: str) -> None:
    array = filled(Listed(("nan", "inf", "-inf", -0.0, 0.1), (5,)), TensorDesc(name, (5,))).array()
    assert [math.isnan(array[0]), *array[1:3].tolist()] == [True, math.inf, -math.inf]
    assert np.signbit(array[3])
    assert array[4] == DataType[name].dtype.type(0.1)
    assert filled(Constant("-inf"), TensorDesc(name, (1,))).array().tolist() == [-math.inf]


@pytest.mark.parametrize("name", ["INT8", "UINT8", "INT16", "UINT32", "INT64", "UINT64"])
@given(st.integers(-(2**66), 2**66), st.integers(-(2**66), 2**66), st.integers(0, 2**32 - 100))
@tried(30)
def test_iota_wraps_in_integers(name: str, start: int, step: int, at: int) -> None:
    data_type = DataType[name]
    bits = data_type.item_size * 8
    made = Iota(start, step).make(np.arange(at, at + 3), data_type)
    assert [int(x) % 2**bits for x in made] == [(start + step * i) % 2**bits for i in range(at, at + 3)]


@pytest.mark.parametrize("name", ["FLOAT16", "FLOAT32", "FLOAT64"])
@given(st.integers(-(2**20), 2**20), st.integers(-1000, 1000))
@tried(30)
def test_iota_rounds_in_floats(name: str, start: int, step: int) -> None:
    dtype = DataType[name].dtype
    flat = np.arange(0, 100_000, 999)
    with np.errstate(over="ignore"):
        want = (start + step * flat).astype(dtype)
        halves = (start / 4 + step / 4 * flat).astype(dtype)
    assert np.array_equal(Iota(start, step).make(flat, DataType[name]), want)
    assert np.array_equal(Iota(start / 4, step / 4).make(flat, DataType[name]), halves)


@given(st.integers(0, 2**128 - 1), st.integers(1, 500))
@tried(40)
def test_random_is_numpys_philox_by_index(seed: int, count: int) -> None:
    words = np.random.Philox(key=seed).random_raw(count)
    flat = np.arange(count)
    assert np.array_equal(Random(seed).make(flat, DataType.UINT64), words)
    assert np.array_equal(Random(seed).make(flat[::-1], DataType.INT8), words[::-1].astype(np.int8))
    assert np.array_equal(Random(seed).make(flat, DataType.FLOAT64), (words >> np.uint64(11)) * 2.0**-53)
    assert np.array_equal(Random(seed, 7).make(flat, DataType.UINT32), words % np.uint64(7))


@pytest.mark.parametrize("fill", [Iota(3, -7), Iota(0.5, 0.1), Constant(2), Random(9), Random(2**100)], ids=repr)
@pytest.mark.parametrize("name", ["FLOAT16", "FLOAT64", "INT8", "UINT64"])
def test_a_window_equals_the_whole(fill: Fill, name: str) -> None:
    tensor = TensorDesc(name, (7, 11))
    if isinstance(fill, Iota) and isinstance(fill.start, float) and not tensor.data_type.is_float:
        return
    values = filled(fill, tensor)  # type: ignore[arg-type]
    whole = values.array().reshape(-1)
    at = np.array([76, 0, 40, 41, 3])
    assert np.array_equal(values.read(at), whole[at])
    assert np.array_equal(np.concatenate([part for _, part in values.chunks(13)]), whole)


def test_a_fill_of_any_size_is_not_allocated() -> None:
    tensor = TensorDesc("INT8", (65535, 65535))
    for fill in (Iota(1, 1), Constant(3), Random(5)):
        assert len(filled(fill, tensor).read(np.array([65535 * 65535 - 1]))) == 1


def test_defaults() -> None:
    data, indices = TensorDesc("INT16", (3, 2)), TensorDesc("UINT32", (1, 5))
    gather = Experiment("n", dml.Gather(data, indices, 0, 1)).sources()
    assert [values.array().tolist() for values in gather] == [[[1, 2], [3, 4], [5, 6]], [[0, 1, 2, 0, 1]]]
    lengths = TensorDesc("UINT64", (1, 2))
    reverse = Experiment("n", dml.ReverseSubsequences(data, lengths, 0)).sources()
    assert reverse[1].array().tolist() == [[3, 3]]
    drawn = Experiment("n", dml.Gather(data, indices, 0, 1), values={"IndicesTensor": Random(4)}).sources()
    assert set(drawn[1].array().reshape(-1).tolist()) <= {0, 1, 2}


@pytest.mark.parametrize("data_type", TYPES, ids=str)
def test_npy_files(tmp_path: Path, data_type: DataType) -> None:
    array = np.arange(6).astype(data_type.dtype).reshape(2, 3)
    (tmp_path / "sub").mkdir()
    np.save(tmp_path / "sub" / "x.npy", array)
    found = filled(Npy("sub/x.npy"), TensorDesc(data_type, (2, 3)), tmp_path)
    assert np.array_equal(found.array(), array)
    assert np.array_equal(found.read(np.array([5, 0])), array.reshape(-1)[[5, 0]])


@given(st.data())
@tried(60)
def test_a_spec_is_written_as_it_is_read(data: st.DataObject) -> None:
    spec = data.draw(specs(TensorDesc(data.draw(st.sampled_from(TYPES)), (2, 3))))
    assert parse_source(json.loads(json.dumps(dump_source(spec))), "InputTensor") == spec


# ---- editing ----------------------------------------------------------------------------------------------------

DATA = TensorDesc("INT16", (2, 3))


def listed(*rows: list[Any]) -> Listed:
    return Listed(tuple(x for row in rows for x in row), (len(rows), len(rows[0])))


def edited(tensor: TensorDesc, spec: ValueSource, folder: Path | None = None) -> Experiment:
    desc = dml.Tile(tensor, (1,) * tensor.dimension_count)
    return Experiment("n", desc, values={"InputTensor": spec}, folder=folder)


@pytest.mark.parametrize(
    ("spec", "tensor", "want"),
    [
        (listed([9, 8, 7], [6, 5, 4]), TensorDesc("INT16", (2, 2)), [[9, 8], [6, 5]]),
        (listed([9, 8, 7], [6, 5, 4]), TensorDesc("INT16", (3, 4)), [[9, 8, 7, 4], [6, 5, 4, 8], [9, 10, 11, 12]]),
        (listed([9, 8, 7], [6, 5, 4]), TensorDesc("INT16", (3, 2)), [[9, 8], [7, 6], [5, 4]]),
        (listed([9, 8, 7], [6, 5, 4]), TensorDesc("INT16", (1, 2, 3)), [[[9, 8, 7], [6, 5, 4]]]),
        (listed([9, 8, 7], [6, 5, 4]), TensorDesc("INT16", (4,)), [9, 8, 7, 6]),
        (listed([9, 8, 7], [6, 5, 4]), TensorDesc("INT16", (7,)), [9, 8, 7, 6, 5, 4, 7]),
        (listed([-300, 8, 300]), TensorDesc("INT8", (1, 3)), [[-128, 8, 127]]),
        (listed([-300, 8, 300]), TensorDesc("UINT16", (1, 2)), [[0, 8]]),
        (listed([1.75, "nan", "inf"]), TensorDesc("INT32", (1, 3)), [[1, 0, 0]]),
        (listed([1e5, -1e300, "inf"]), TensorDesc("FLOAT16", (1, 3)), [[65504, -65504, math.inf]]),
        (listed([10**400, 1]), TensorDesc("INT64", (1, 2)), [[2**63 - 1, 1]]),
        (Listed((5, 6), (2,)), TensorDesc("INT16", (2, 3)), [[5, 6, 3], [4, 5, 6]]),
    ],
)
def test_an_edit_keeps_what_still_fits(spec: Listed, tensor: TensorDesc, want: list[Any]) -> None:
    each = edited(tensor, spec)
    made, said = each.sources_or_defaults()
    assert made[0].array().tolist() == want
    assert all(sentence.startswith("InputTensor") and sentence.endswith(".") for sentence in said)
    again = reread(Session((each,))).experiments[0]
    assert again.sources()[0].array().tolist() == want


def test_fills_and_files_that_do_not_fit_any_more_give_way_to_the_default(tmp_path: Path) -> None:
    np.save(tmp_path / "x.npy", np.zeros((2, 3), np.int16))
    cases: list[tuple[ValueSource, TensorDesc]] = [
        (Npy("x.npy"), TensorDesc("INT16", (2, 2))),
        (Constant(300), TensorDesc("INT8", (2, 2))),
        (Iota(0.5, 1), TensorDesc("INT8", (2, 2))),
    ]
    for spec, tensor in cases:
        each = edited(tensor, spec, tmp_path)
        made, said = each.sources_or_defaults()
        assert len(said) == 1
        assert made[0].array().tolist() == [[1, 2], [3, 4]]
        assert reread(Session((each,)), tmp_path).experiments[0].values == {}


@given(experiments(), descs())
@tried(120)
def test_values_of_any_edited_desc_are_shown_and_saved(each: Experiment, desc: Desc) -> None:
    moved: dict[str, Any] = {}
    for part, other in zip(desc.inputs, each.desc.inputs, strict=False):
        if other.path in each.values:
            moved[part.path] = each.values[other.path]
    found = replace(each, desc=desc, values=moved)
    made, _ = found.sources_or_defaults()

    def shown(part: Part) -> TensorDesc:
        return part.tensor if part.tensor.can_exist else TensorDesc(part.tensor.data_type, (1,))

    assert [values.tensor for values in made] == [shown(part) for part in desc.inputs]
    again = reread(Session((found,))).experiments[0]
    for part, before, after in zip(desc.inputs, made, again.sources_or_defaults()[0], strict=True):
        if part.tensor.can_exist:
            at = np.arange(min(50, part.tensor.element_count))
            assert before.read(at).tobytes() == after.read(at).tobytes()


def test_edits_of_one_key_count_as_one() -> None:
    history = History(Session((edited(DATA, Constant(0)),), "0"))

    def type_in(text: str, key: object) -> None:
        for title in text:
            history.edit(replace(history.now, title=title), key)

    type_in("ab", "left")
    type_in("cd", "right")
    history.pause()
    type_in("e", "right")
    seen = [history.now.title]
    while history.undo():
        seen.append(history.now.title)
    assert seen == ["e", "d", "b", "0"]
    assert history.redo()
    type_in("f", "left")  # undoing ends the run, so this is an edit of its own
    assert history.undo()
    assert history.now.title == "b"


# ---- saving -----------------------------------------------------------------------------------------------------

SESSION = Session((edited(DATA, Constant(3)),), "saved")


def files(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def refuses(path: Any, found: Session = SESSION) -> str:
    with pytest.raises(SessionError) as caught:
        dml.save(found, path)
    message = str(caught.value)
    assert message.endswith(".")
    assert "\n" not in message
    return message


def test_saving_and_loading(tmp_path: Path) -> None:
    file = tmp_path / "é 数.json"
    dml.save(SESSION, str(file))
    assert files(tmp_path) == {file.name: dump(SESSION).encode()}
    again = dml.load(file)
    assert again == replace(SESSION, folder=tmp_path, experiments=(replace(SESSION.experiments[0], folder=tmp_path),))


def test_saving_follows_a_link(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    link, target = tmp_path / "link.json", tmp_path / "real" / "target.json"
    link.symlink_to(target)
    dml.save(SESSION, link)
    assert link.is_symlink()
    assert dml.load(target).title == "saved"
    assert dml.load(link).folder == tmp_path / "real"


def full(*_: Any) -> Any:
    raise OSError(errno.ENOSPC, "No space left on device")


@pytest.mark.parametrize("name", ["fsync", "replace", "chmod"])
def test_a_failing_write_leaves_what_was_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    file = tmp_path / "old.json"
    file.write_text("old")
    monkeypatch.setattr(os, name, full)
    assert refuses(file) == f"{file} can't be written: No space left on device."
    assert files(tmp_path) == {"old.json": b"old"}
    if name != "chmod":  # a new file has its mode from the system
        refuses(tmp_path / "new.json")
        assert files(tmp_path) == {"old.json": b"old"}


def test_places_where_nothing_can_be_saved(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("old")
    (tmp_path / "loop").symlink_to("loop")
    os.mkfifo(tmp_path / "pipe")
    said = {
        tmp_path: "is a directory, expected a file to write",
        tmp_path / "missing" / "x.json": "No such file or directory",
        tmp_path / "file" / "x.json": "Not a directory",
        tmp_path / "loop": "can't be written: Too many levels of symbolic links",
        tmp_path / "pipe": "it is no regular file",
        tmp_path / ("x" * 300): "File name too long",
        f"{tmp_path}/nul\0.json": "not a file name",
        5: "path is 5, expected the name of a session file",
    }
    for path, why in said.items():
        assert why in refuses(path)
    assert files(tmp_path) == {"file": b"old"}


@pytest.mark.parametrize(
    "found",
    [
        replace(SESSION, extra={"x": math.nan}),
        replace(SESSION, extra={"x": object()}),
        "text",
    ],
    ids=["nan", "object", "no session"],
)
def test_what_is_no_json_is_not_saved(tmp_path: Path, found: Any) -> None:
    refuses(tmp_path / "x.json", found)
    assert files(tmp_path) == {}


DESC = dml.Tile(dml.TensorDesc("FLOAT32", (2, 3)), (1, 1))


@pytest.mark.parametrize(
    "make",
    [
        lambda: Experiment(3, DESC),  # type: ignore[arg-type]
        lambda: Experiment("n", None),  # type: ignore[arg-type]
        lambda: Experiment("n", DESC, feature_level="9_9"),  # type: ignore[arg-type]
        lambda: Experiment("n", DESC, notes=5),  # type: ignore[arg-type]
        lambda: Experiment("n", DESC, values={"InputTensor": object()}),  # type: ignore[dict-item]
        lambda: Session((None,)),  # type: ignore[arg-type]
        lambda: replace(SESSION, title="half \ud800"),
        lambda: dml.save(Session(()), "never.json"),
    ],
)
def test_what_no_file_could_say_is_refused_at_once(make: Callable[[], object]) -> None:
    with pytest.raises(dml.DmlvizError, match=r"expected.*\.$"):
        make()
    assert not Path("never.json").exists()


# ---- .npy files beside the session ------------------------------------------------------------------------------


def with_files(folder: Path) -> Session:
    """A session with two .npy files, loaded from `folder`."""
    (folder / "sub").mkdir(parents=True)
    for name, value in (("a.npy", 1), ("sub/b.npy", 2)):
        np.save(folder / name, np.full((2, 3), value, np.int16))
    values = {"InputTensors[0]": Npy("a.npy"), "InputTensors[1]": Npy("sub/b.npy")}
    dml.save(Session((Experiment("n", dml.Join((DATA, DATA), 0), values=values, folder=folder),)), folder / "s.json")
    return dml.load(folder / "s.json")


def test_saving_elsewhere_brings_the_npy_files_along(tmp_path: Path) -> None:
    old, new = tmp_path / "old", tmp_path / "new"
    found = with_files(old)
    new.mkdir()
    for _ in range(2):  # the second time they are there already
        dml.save(found, new / "s.json")
    assert files(new) == files(old)
    assert [values.array()[0, 0] for values in dml.load(new / "s.json").experiments[0].sources()] == [1, 2]
