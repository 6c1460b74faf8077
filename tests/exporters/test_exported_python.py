"""The exported Python scripts: they run, their asserts hold and can fail, and nothing of a session becomes code."""

from __future__ import annotations

import importlib.util
import runpy
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st
from operator_kit.finding import cases_of
from support import little_torch
from support.effort import tried
from support.one_session import one
from support.reports import f32, tensor
from support.scripts import fills, listed, run_script, sessions, written
from support.strategies import TYPES, generators, has_idiom, random_bits, shapes

import dmlviz as dml
from dmlviz.desc.tensors import TensorDesc
from dmlviz.desc.value_sources import Listed, Npy
from dmlviz.desc.values import Cycle, Filled, Random
from dmlviz.errors import DmlvizError, InvalidDescError, ValuesError
from dmlviz.exporters.lib.exporting import export
from dmlviz.exporters.lib.fills import fill_lines
from dmlviz.exporters.lib.python_text import array_lines
from dmlviz.operators.registry import operators
from dmlviz.session import examples
from dmlviz.session.experiments import Session

pytestmark = pytest.mark.integration

TARGETS = ("numpy", "dmlviz", "torch")
HAS_TORCH = importlib.util.find_spec("torch") is not None


def exported_to(target: str, many: list[Session], folder: Path) -> list[Path]:
    """Each session as a script in `folder`."""
    return [written(export(each, target, stem=f"s{i}"), folder / f"s{i}.py") for i, each in enumerate(many)]


def source(session: Session, target: str) -> str:
    return str(export(session, target).content)


# ---- they run


@pytest.mark.drawn(1)
@pytest.mark.parametrize("target", TARGETS)
def test_every_example_runs(target: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    every = [each.session() for each in examples.all_examples()]
    good = [s for s in every if all(e.check().ok and has_idiom(e.desc, target) for e in s.experiments)]
    assert len(good) > 20
    outside = {"IndicesTensor": [-9, -1, 1, 9]}  # of 3 elements: both ends are clamped
    good.append(one(dml.GatherElements(f32(3), tensor("INT32", 4), 0), values=outside))
    good.append(one(dml.Padding(f32(3), "EDGE", 0, [1], [2])))
    if not HAS_TORCH:
        monkeypatch.setitem(sys.modules, "torch", little_torch.module())
    for path in exported_to(target, good, tmp_path):
        run_script(path)


@pytest.mark.slow
@pytest.mark.parametrize("target", TARGETS if HAS_TORCH else TARGETS[:2])
def test_random_sessions_run(target: str, tmp_path: Path) -> None:
    @tried(300, suppress_health_check=list(HealthCheck))
    @given(sessions(tmp_path, target))
    def run(session: Session) -> None:
        run_script(*exported_to(target, [session], tmp_path))

    run()
    first = [cases_of(kind).VALID[0] for kind in operators()]  # of each operator one, whatever was drawn
    for path in exported_to(target, [one(desc) for desc in first if has_idiom(desc, target)], tmp_path):
        run_script(path)


def test_the_comparison_is_of_bits_dtype_and_shape() -> None:
    text = source(one(dml.Tile(f32(3), [2]), values={"InputTensor": [-0.0, "nan", "-inf"]}), "numpy")
    for old, new in (
        ("expected = np.array([-0.0", "expected = np.array([0.0"),
        ("np.nan", "-np.nan"),
        ("np.float32)\n    assert", "np.float64)\n    assert"),
        ("np.float32)\n    assert", "np.float32).reshape(1, 6)\n    assert"),
    ):
        head, found, tail = text.rpartition(old)
        assert found
        with pytest.raises(AssertionError, match="OutputTensor differs"):
            exec(head + new + tail, {"__name__": "__main__"})


# ---- numbers are what they were


def made_of(lines: list[str]) -> Any:
    """What statements make `x`."""
    found: dict[str, Any] = {"np": np}
    exec("def f():\n" + "\n".join(lines) + "\n    return x\n", found)
    return found["f"]()


@tried(150)
@given(st.sampled_from(TYPES), shapes(200), generators(), st.booleans())
def test_arrays_as_literals_keep_bits(kind: dml.DataType, sizes: tuple[int, ...], bits: Any, special: bool) -> None:
    array = random_bits(bits, kind, sizes)
    if special:
        ends: list[Any] = [0, 1, *((-0.0, np.nan, np.inf, -np.inf, 1e-7) if kind.is_float else kind.integer_range)]
        array = bits.choice(np.array(ends, kind.dtype), sizes)
    made = made_of(array_lines("x", array))
    assert (made.dtype, made.shape, made.tobytes()) == (array.dtype, array.shape, array.tobytes())


@tried(300)
@given(st.data())
def test_fills_are_calls_that_make_every_bit(data: st.DataObject) -> None:
    tensor = TensorDesc(data.draw(st.sampled_from(TYPES)), data.draw(shapes(400)))
    kinds: list[Any] = [fills(tensor)]
    if not tensor.data_type.is_float:
        kinds += [st.builds(Cycle, st.integers(1, 2**70)), st.builds(Random, st.just(2**100), st.integers(1, 2**65))]
    values = Filled(tensor, data.draw(st.one_of(kinds)))
    lines = fill_lines("x", tensor, values.fill)
    assert lines is not None
    made, want = made_of(lines), values.array()
    assert (made.dtype, made.shape, made.tobytes()) == (want.dtype, want.shape, want.tobytes())


def test_torch_moves_as_integers_what_its_operations_lack_or_change(tmp_path: Path) -> None:
    np.save(tmp_path / "nan.npy", np.array([0x7F800001], np.uint32).view(np.float32))
    signals = source(one(dml.Tile(f32(1), [2]), values={"InputTensor": Npy("nan.npy")}, folder=tmp_path), "torch")
    unsigned = source(one(dml.Tile(tensor("UINT16", 3), [2])), "torch")
    for text, names in ((signals, ("int32", "float32")), (unsigned, ("int16", "uint16"))):
        assert all(f".view(torch.{name})" in text for name in names)
    assert ".view(" not in source(one(dml.Tile(f32(3), [2]), values={"InputTensor": ["nan", 1, 2]}), "torch")


# ---- large values, and what is refused


def test_large_values_lie_beside_the_script_or_are_made_in_it(tmp_path: Path) -> None:
    np.save(tmp_path / "own.npy", np.arange(10, dtype=np.float32))
    descs = dml.Join((f32(4097), f32(10), f32(70_000), f32(4096)), 0)
    large = [listed(np.arange(count, dtype=np.float32)) for count in (4097, 4096)]
    named = zip((f"InputTensors[{k}]" for k in range(4)), (large[0], Npy("own.npy"), Random(3), large[1]), strict=True)
    made = export(one(descs, values=dict(named), folder=tmp_path), "numpy", stem="lesson")
    names = ["lesson-1-InputTensors0.npy", "lesson-1-InputTensors1.npy", "lesson-1-OutputTensor.npy"]
    assert sorted(made.files) == names
    assert "random_raw(70000)" in str(made.content)
    run_script(written(made, tmp_path / "out" / "s.py"))


@pytest.mark.parametrize("target", [*TARGETS, "onnx", "directmlx"])
def test_what_can_not_run_is_refused(target: str) -> None:
    with pytest.raises(InvalidDescError, match="can't be exported to"):
        export(examples.example("gather-3-as-printed").session(), target)
    if target in TARGETS:
        large = one(dml.Tile(TensorDesc("UINT8", (65535, 2)), [1, 4096]))
        with pytest.raises(DmlvizError, match=r'"one": OutputTensor has 536,862,720 elements, expected at most 2\^28'):
            export(large, target)
    if target != "directmlx":  # it has no values
        with pytest.raises(ValuesError, match="InputTensor has 2 values, expected 3"):
            export(one(dml.Tile(f32(3), [2]), values={"InputTensor": Listed((1, 2), (2,))}), target)


def test_the_exported_examples_are_up_to_date() -> None:
    """`python docs/exported.py` writes them anew."""
    made = runpy.run_path(str(Path(__file__).parents[2] / "docs" / "exported.py"))
    want = dict(made["exported"]())
    assert len(want) >= 9
    assert {file.name: file.read_bytes() for file in made["FOLDER"].iterdir()} == want
