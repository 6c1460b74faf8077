"""Textbook loops: they make what the page says, as the kernels beside them do, whatever the desc."""

from __future__ import annotations

import ast
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from support.effort import tried
from support.folded import HOSTILE, KERNELS
from support.strategies import Case, cases, outputs

import dmlviz as dml
from dmlviz import kernels
from dmlviz.kernels.lib import cache, loading, textbook
from dmlviz.operators.registry import operator_of


def loop_in(name: str) -> ast.FunctionDef | None:
    """The loop in a kernel's file, which is read: where it's imported, a kernel is compiled, which takes seconds."""
    tree = ast.parse(Path(kernels.__path__[0], f"{name}.py").read_text("utf-8"))
    loops = (node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == "textbook")
    return next(loops, None)


LOOPS = {name: loop for name in KERNELS if (loop := loop_in(name)) is not None}
LINES = 12
"""Lines of code that a student reads at once."""


def has_loop(case: Case) -> bool:
    """True where the operator's kernel has a loop beside it."""
    return operator_of(case.desc).name.lower() in LOOPS


def blank(desc: Any) -> list[Any]:
    """Arrays for the outputs of a desc that hold something else."""
    return [np.full(part.tensor.byte_count, 0xA5, np.uint8).view(part.tensor.data_type.dtype) for part in desc.outputs]


def plain_python(desc: Any, arrays: list[Any]) -> list[bytes]:
    """What the loop makes that isn't compiled."""
    made, operator = blank(desc), operator_of(desc)
    found = textbook.arguments(operator.name, operator.kernel_numbers(desc), made, arrays)
    assert found is not None
    loop, calls = found
    for each in calls:
        loop.py_func(*each)
    return [each.tobytes() for each in made]


def compiled(desc: Any, arrays: list[Any]) -> list[bytes]:
    made, operator = blank(desc), operator_of(desc)
    call = textbook.bind(operator.name, operator.kernel_numbers(desc), made, arrays)
    assert call is not None
    call()
    return [each.tobytes() for each in made]


MADE = pytest.mark.parametrize("made", [plain_python, pytest.param(compiled, marks=pytest.mark.slow)])
"""What isn't compiled, and what is, for each type anew."""


@MADE
@given(cases().filter(has_loop))
@tried(200)
def test_a_loop_makes_what_the_page_says(made: Callable[[Any, list[Any]], list[bytes]], case: Case) -> None:
    assert made(case.desc, case.arrays) == outputs(case.desc, case.arrays)


def hostile() -> list[tuple[Any, list[Any]]]:
    """Indices and lengths of every type that tempt a loop to read elsewhere."""
    data, found = np.arange(12, dtype=np.float32).reshape(4, 3), list[tuple[Any, list[Any]]]()
    tensor = dml.TensorDesc("FLOAT32", data.shape)
    for kind, name in (("i4", "INT32"), ("u4", "UINT32"), ("i8", "INT64"), ("u8", "UINT64")):
        indices = np.array([[0, 3, 4, *([-1, -4, -5] if kind[0] == "i" else []), *HOSTILE[kind]]], kind)
        found.append((dml.Gather(tensor, dml.TensorDesc(name, indices.shape), 0, 1), [data, indices]))
        if kind[0] == "u":
            lengths = np.array([HOSTILE[kind][1:4]], kind)
            found.append((dml.ReverseSubsequences(tensor, dml.TensorDesc(name, (1, 3)), 0), [data, lengths]))
    return found


@MADE
def test_values_outside_are_clamped_as_the_kernel_does(made: Callable[[Any, list[Any]], list[bytes]]) -> None:
    for desc, arrays in hostile():
        assert made(desc, arrays) == [array.tobytes() for array in dml.run(desc, arrays)], desc


def test_inputs_that_are_read_only_or_not_aligned_are_taken() -> None:
    data = np.zeros(4 * 6 + 1, np.uint8)[1:].view(np.float32).reshape(2, 3)
    data[...] = np.arange(6).reshape(2, 3)
    data.flags.writeable = False
    assert not data.flags.aligned
    desc = dml.Join((dml.TensorDesc("FLOAT32", (2, 3)), dml.TensorDesc("FLOAT32", (2, 3))), 1)
    assert compiled(desc, [data, data]) == [np.concatenate([data, data], 1).tobytes()]


@pytest.mark.parametrize("name", LOOPS)
def test_a_loop_is_as_short_as_a_student_reads_at_once(name: str) -> None:
    docstring, *body = LOOPS[name].body
    assert body[-1].end_lineno is not None
    assert body[-1].end_lineno - body[0].lineno < LINES
    assert isinstance(docstring, ast.Expr)


def test_the_page_that_explains_a_loop_shows_the_one_there_is() -> None:
    page = (Path(__file__).parents[2] / "benchmarks" / "README.md").read_text("utf-8")
    assert f"```python\n{ast.unparse(ast.Module(LOOPS['join'].body[1:], []))}\n```" in page


def test_a_loop_that_is_kept_does_not_pass_for_its_kernel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    textbook._compiled.cache_clear()
    x = np.arange(6, dtype=np.uint8).reshape(2, 3)
    assert compiled(dml.Tile(dml.TensorDesc("UINT8", (2, 3)), (2, 1)), [x]) == [np.tile(x, (2, 1)).tobytes()]
    assert list(tmp_path.rglob("tile.textbook-*.nbc"))
    assert not cache.is_kept("TILE")


def test_a_kernel_needs_no_loop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "toy_alone.py").write_text("def run(arrays, numbers, turn):\n    arrays[0][:] = arrays[1]\n")
    monkeypatch.setattr(kernels, "__path__", [*kernels.__path__, str(tmp_path)])
    x = np.zeros(3, np.uint8)
    assert textbook.bind("TOY_ALONE", (3,), [x], [x]) is None
    assert loading.is_loaded("TOY_ALONE")
