"""The exported Python scripts: they run, their asserts hold and can fail, and nothing of a session becomes code."""

from __future__ import annotations

import ast
import hashlib
import importlib.util
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from operator_kit.finding import cases_of
from support import little_torch
from support.effort import part, tried
from support.idioms import has_idiom
from support.pages import random_bits
from support.scripts import (
    HOSTILE,
    fills,
    listed,
    renamed,
    run_scripts,
    sample_of,
    sessions,
    structure,
    texts,
    written,
)
from support.strategies import TYPES, generators, shapes
from support.toy import Toy

import dmlviz as dml
from dmlviz.desc.tensors import TensorDesc
from dmlviz.desc.value_sources import Listed, Npy
from dmlviz.desc.values import Cycle, Filled, Iota, Random
from dmlviz.errors import DmlvizError, InvalidDescError, ValuesError
from dmlviz.exporters.lib.exporting import export
from dmlviz.exporters.lib.fills import fill_lines
from dmlviz.exporters.lib.python_text import array_lines, text_literal
from dmlviz.operators.registry import operators
from dmlviz.session import examples
from dmlviz.session.experiments import Experiment, Session
from dmlviz.session.reading import load

pytestmark = pytest.mark.integration

TARGETS = ("numpy", "dmlviz", "torch")


def runnable(target: str) -> str:
    """`target`, where its library is installed; the test is skipped elsewhere."""
    if target == "torch" and importlib.util.find_spec("torch") is None:
        pytest.skip("PyTorch isn't installed")
    return target


def valid_examples(target: str = "") -> dict[str, Session]:
    """The examples without errors, of operators that a target has an idiom for."""
    found = {each.name: each.session() for each in examples.all_examples()}
    good = {name: s for name, s in found.items() if all(each.check().ok for each in s.experiments)}
    return {name: s for name, s in good.items() if not target or all(has_idiom(e.desc, target) for e in s.experiments)}


def one(desc: Any, values: dict[str, Any] | None = None, **more: Any) -> Session:
    return Session((Experiment("one", desc, values=values or {}, **more),))


def row(count: int, kind: str = "FLOAT32") -> TensorDesc:
    return TensorDesc(kind, (count,))


def run_here(text: str, path: Path) -> dict[str, Any]:
    """What a script leaves behind that was run in this process."""
    found: dict[str, Any] = {"__name__": "__main__", "__file__": str(path)}
    exec(compile(text, str(path), "exec"), found)
    return found


def exported_to(target: str, many: list[Session], folder: Path) -> list[Path]:
    """Each session as a script in `folder`."""
    return [written(export(each, target, stem=f"s{i}"), folder / f"s{i}.py") for i, each in enumerate(many)]


def source(session: Session, target: str) -> str:
    made = export(session, target).content
    assert isinstance(made, str)
    return made


# ---- they run


@pytest.mark.drawn(1)
@pytest.mark.parametrize("target", TARGETS)
def test_every_example_runs(target: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = valid_examples(target)
    assert len(found) > 20
    paths = exported_to(target, list(found.values()), tmp_path)
    for path in paths:
        ast.parse(path.read_bytes())
    if target == "torch" and importlib.util.find_spec("torch") is None:
        monkeypatch.setitem(sys.modules, "torch", little_torch.module())
        for path in paths:
            run_here(path.read_text(encoding="utf-8"), path)
        return
    assert dict(zip(found, run_scripts(paths, tmp_path), strict=True)) == dict.fromkeys(found, "")


@pytest.mark.slow
@pytest.mark.parametrize("target", TARGETS)
def test_random_sessions_run(target: str, tmp_path: Path) -> None:
    many = sample_of(sessions(tmp_path, target), part(300), 1)
    first = [cases_of(kind).VALID[0] for kind in operators()]  # of each operator one, whatever was drawn
    many += [one(desc) for desc in first if has_idiom(desc, target)]
    paths = exported_to(runnable(target), many, tmp_path / "out")
    assert [found for found in run_scripts(paths, tmp_path, processes=2) if found] == []


# ---- their asserts can fail


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("expected = np.array([-0.0", "expected = np.array([0.0"),
        ("np.nan", "-np.nan"),
        ("np.float32)\n    assert", "np.float64)\n    assert"),
        ("np.float32)\n    assert", "np.float32).reshape(1, 6)\n    assert"),
        ("np.float32)\n    assert", "np.float32).view(np.int32)\n    assert"),
    ],
)
def test_the_comparison_is_of_bits_dtype_and_shape(old: str, new: str, tmp_path: Path) -> None:
    text = source(one(dml.Tile(row(3), [2]), {"InputTensor": [-0.0, "nan", "-inf"]}), "numpy")
    run_here(text, tmp_path / "s.py")
    head, found, tail = text.rpartition(old)
    assert found
    with pytest.raises(AssertionError, match="OutputTensor differs"):
        run_here(head + new + tail, tmp_path / "s.py")


def test_a_changed_byte_in_a_file_fails(tmp_path: Path) -> None:
    session = one(dml.Tile(row(3000), [2]), {"InputTensor": Random(1)})
    made = export(session, "numpy", stem="big")
    path = written(made, tmp_path / "s.py")
    (name,) = made.files
    assert run_scripts([path], tmp_path) == [""]
    changed = np.load(tmp_path / name)
    changed.view(np.uint8)[-1] ^= 1
    np.save(tmp_path / name, changed)
    (said,) = run_scripts([path], tmp_path)
    assert said.endswith("AssertionError: OutputTensor differs\n")


# ---- numbers and texts are what they were


@tried(150)
@given(st.sampled_from(TYPES), shapes(200), generators(), st.integers(0, 3))
def test_arrays_as_literals_keep_every_bit(kind: dml.DataType, sizes: tuple[int, ...], bits: Any, special: int) -> None:
    array = random_bits(bits, kind, sizes)
    if kind.is_float and special:
        numbers = [
            0.0,
            -0.0,
            1.0,
            1e-3,
            65504.0,
            np.nan,
            np.inf,
            -np.inf,
            float(np.finfo(kind.dtype).smallest_subnormal),
        ]
        array = bits.choice(np.array(numbers, kind.dtype), sizes)
    elif not kind.is_float and special:
        array = bits.choice(np.array([*kind.integer_range, 0, 1], kind.dtype), sizes)
    found: dict[str, Any] = {"np": np}
    text = "def f():\n" + "\n".join(array_lines("x", array)) + "\n    return x\n"
    exec(text, found)
    made = found["f"]()
    assert (made.dtype, made.shape, made.tobytes()) == (array.dtype, array.shape, array.tobytes())


@pytest.mark.parametrize("kind", ["FLOAT16", "FLOAT32"])
def test_literals_of_floats_are_not_rounded_twice(kind: str) -> None:
    """All of FLOAT16, and as many of FLOAT32 at random."""
    dtype = dml.DataType[kind].dtype
    bits = np.arange(2**16, dtype=np.uint64) if kind == "FLOAT16" else np.random.Philox(key=5).random_raw(2**16)
    array = bits.astype(f"u{dtype.itemsize}").view(dtype)
    array = array[~np.isnan(array)]
    found: dict[str, Any] = {"np": np}
    exec("def f():\n" + "\n".join(array_lines("x", array)) + "\n    return x\n", found)
    assert found["f"]().tobytes() == array.tobytes()


@st.composite
def filled(draw: st.DrawFn) -> Filled:
    tensor = TensorDesc(draw(st.sampled_from(TYPES)), draw(shapes(400)))
    fill: Any = draw(fills(tensor))
    bounded = st.builds(Random, st.integers(0, 9), st.integers(1, 2**64 + 5))
    kinds = (
        [st.just(fill)]
        if tensor.data_type.is_float
        else [st.just(fill), st.builds(Cycle, st.integers(1, 2**70)), bounded]
    )
    return Filled(tensor, draw(st.one_of(kinds)))


@tried(300)
@given(filled())
def test_fills_are_made_bit_for_bit(values: Filled) -> None:
    lines = fill_lines("x", values.tensor, values.fill)
    assert lines is not None
    found: dict[str, Any] = {"np": np}
    exec("def f():\n" + "\n".join(lines) + "\n    return x\n", found)
    made, want = found["f"](), values.array()
    assert (made.dtype, made.shape, made.tobytes()) == (want.dtype, want.shape, want.tobytes())


@pytest.mark.parametrize(
    ("spec", "kind", "line"),
    [
        (Iota(1, 1), "FLOAT32", "np.arange(1, 4, dtype=np.float32)"),
        (Iota(0, 1), "UINT8", "np.arange(3, dtype=np.uint8)"),
        (Iota(9, -2), "INT16", "np.arange(9, 3, -2, dtype=np.int16)"),
        (Random(7), "INT32", "np.random.Philox(key=7).random_raw(3)"),
    ],
)
def test_fills_are_written_as_one_would(spec: Any, kind: str, line: str) -> None:
    assert line in source(one(dml.Tile(row(3, kind), [1]), {"InputTensor": spec}), "numpy")


@given(texts())
def test_text_literals_are_read_back(text: str) -> None:
    made = text_literal(text)
    assert ast.literal_eval(made) == text
    assert made.isprintable()


# ---- what a session says stays data


@pytest.mark.parametrize("target", TARGETS)
def test_hostile_texts_change_no_code(target: str) -> None:
    session = examples.example("warning-index-range").session()
    want = structure(source(renamed(session, "plain"), target))
    for text in HOSTILE:
        made = source(renamed(session, text), target)
        assert structure(made) == want, text[:40]
        assert len(made) < 40_000
        assert all(c.isprintable() or c == "\n" for c in made), text[:40]


@tried(60)
@given(st.sampled_from(TARGETS), texts(), texts(), texts(), texts())
def test_random_texts_change_no_code(target: str, title: str, name: str, notes: str, stem: str) -> None:
    desc = dml.Tile(row(5000, "UINT8"), [1])
    want = structure(source(one(desc), target))
    session = Session((Experiment(name, desc, notes=notes),), title)
    made = export(session, target, stem=stem)
    assert isinstance(made.content, str)
    assert structure(made.content) == want
    assert all(Path(file).name == file for file in made.files)


def test_names_and_notes_are_there_to_read() -> None:
    session = Session(
        (Experiment('the "row" one', dml.Tile(row(2), [2]), notes="# Why\n\n- one\n  - two"),), "Lesson 1"
    )
    tree = ast.parse(source(session, "numpy"))
    assert str(ast.get_docstring(tree)).startswith("A session of dmlviz: Lesson 1.\n")
    function = next(node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == "tile_1")
    assert ast.get_docstring(function) == 'TILE at feature level 6_4: the "row" one.\n\n# Why\n\n- one\n  - two'


@pytest.mark.parametrize("target", TARGETS)
def test_the_same_session_gives_the_same_bytes(target: str) -> None:
    script = (
        "import sys, hashlib\nfrom dmlviz.session import examples\nfrom dmlviz.exporters.lib.exporting import export\n"
        "for name in sys.argv[2:]:\n"
        "    data = export(examples.example(name).session(), sys.argv[1]).data\n"
        "    print(hashlib.sha256(data).hexdigest())\n"
    )
    names = ["gather-2", "reverse-1", "warning-index-range"]
    environment = {**os.environ, "PYTHONHASHSEED": "7"}
    command = [sys.executable, "-c", script, target, *names]
    made = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    here = [hashlib.sha256(export(examples.example(name).session(), target).data).hexdigest() for name in names]
    assert made.stdout.split() == here


# ---- what is in them


@pytest.mark.parametrize("target", ["numpy", "torch"])
@pytest.mark.parametrize(
    ("indices", "kind", "said"),
    [
        ([0, 1, 2], "UINT32", "outside [0, 3) DirectML promises no value: none here."),
        ([0, 3, 7], "UINT32", "outside [0, 3) DirectML promises no value: 2 of 3 here, which dmlviz clamps."),
        ([0, -4, 2], "INT32", "outside [-3, 3) DirectML promises no value: 1 of 3 here, which dmlviz clamps."),
    ],
)
def test_comments_tell_what_happens_here(target: str, indices: list[int], kind: str, said: str) -> None:
    desc = dml.Gather(row(3), row(3, kind), 0, 1)
    assert said in source(one(desc, {"IndicesTensor": indices}), target)


def calls_of(text: str) -> set[str]:
    return {ast.unparse(node.func) for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Call)}


@pytest.mark.parametrize(
    ("name", "numpy", "torch"),
    [
        ("join-1", "np.concatenate", "torch.cat"),
        ("split-1", "np.split", "torch.split"),
        ("reverse-1", "np.take_along_axis", "torch.gather"),
        ("gather-2", "np.take", "torch.index_select"),
        ("tile-1", "np.tile", "torch.tile"),
    ],
)
def test_operations_are_the_idiomatic_ones(name: str, numpy: str, torch: str) -> None:
    session = examples.example(name).session()
    idioms = {"np.concatenate", "np.split", "np.take_along_axis", "np.take", "np.tile", "np.repeat"}
    others = {"torch.cat", "torch.split", "torch.gather", "torch.index_select", "torch.tile"}
    assert calls_of(source(session, "numpy")) & idioms == {numpy}
    assert calls_of(source(session, "torch")) & others == {torch}


@pytest.mark.parametrize("kind", ["UINT16", "UINT32", "UINT64"])
def test_torch_sees_unsigned_types_as_signed_ones(kind: str) -> None:
    text = source(one(dml.Tile(row(3, kind), [2])), "torch")
    assert f"PyTorch lacks operations for {kind}:" in text
    assert f".view(torch.{kind.lower()[1:]})" in text
    assert f".view(torch.{kind.lower()})" in text


# ---- large values


def test_large_values_lie_beside_the_script_or_are_made_in_it(tmp_path: Path) -> None:
    listed_values = listed(np.arange(5000, dtype=np.float32))
    np.save(tmp_path / "own.npy", np.arange(10, dtype=np.float32))
    descs = dml.Join((row(5000), row(10), row(70_000)), 0)
    values = {"InputTensors[0]": listed_values, "InputTensors[1]": Npy("own.npy"), "InputTensors[2]": Random(3)}
    made = export(one(descs, values, folder=tmp_path), "numpy", stem="lesson")
    assert isinstance(made.content, str)
    assert len(made.content.partition('\n"""\n')[2]) < 3000
    names = ["lesson-1-InputTensors0.npy", "lesson-1-InputTensors1.npy", "lesson-1-OutputTensor.npy"]
    assert sorted(made.files) == names
    assert "random_raw(70000)" in made.content
    assert run_scripts([written(made, tmp_path / "out" / "s.py")], tmp_path) == [""]


def test_up_to_4096_elements_are_literals() -> None:
    for count, files in ((4096, 0), (4097, 1)):
        assert len(export(one(dml.Tile(row(count, "UINT8"), [1])), "numpy").files) == files


@pytest.mark.drawn(1)
@pytest.mark.parametrize("target", TARGETS)
def test_what_is_too_large_is_refused(target: str) -> None:
    session = one(dml.Tile(TensorDesc("UINT8", (65535, 2)), [1, 4096]))
    with pytest.raises(
        DmlvizError, match=r'experiment "one": OutputTensor has 536,862,720 elements, expected at most 2\^28'
    ):
        export(session, target)


@pytest.mark.parametrize("target", [*TARGETS, "onnx", "directmlx"])
def test_what_can_not_run_is_refused(target: str) -> None:
    with pytest.raises(InvalidDescError, match="can't be exported to"):
        export(examples.example("gather-3-as-printed").session(), target)
    if target == "directmlx":  # it has no values
        return
    misfit = one(dml.Tile(row(3), [2]), {"InputTensor": Listed((1, 2), (2,))})
    with pytest.raises(ValuesError, match="InputTensor has 2 values, expected 3"):
        export(misfit, target)


# ---- a sixth operator


def test_a_sixth_operator_runs_on_dmlviz_and_is_refused_by_others(toy: Toy, tmp_path: Path) -> None:
    session = load(toy.example)
    own = source(session, "dmlviz")
    assert 'operator_of("DML_OPERATOR_FLIP").desc.build(fields)' in own
    run_here(own, tmp_path / "s.py")
    for target, library in (("numpy", "NumPy"), ("torch", "PyTorch")):
        with pytest.raises(DmlvizError, match=rf": FLIP has no {library} idiom, expected one of JOIN, SPLIT, .*TILE"):
            export(session, target)


# ---- the examples that are kept


def test_the_exported_examples_are_up_to_date() -> None:
    """`python docs/exported.py` writes them anew."""
    path = Path(__file__).parents[2] / "docs" / "exported.py"
    spec = importlib.util.spec_from_file_location("docs_exported", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    want = dict(module.exported())
    assert len(want) >= 9
    assert {file.name: file.read_bytes() for file in module.FOLDER.iterdir()} == want
    assert sum(map(len, want.values())) < 100_000
