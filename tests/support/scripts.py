"""Random sessions to export, and exported scripts that are run."""

from __future__ import annotations

import ast
import contextlib
import hashlib
import io
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

from dmlviz.desc.levels import LEVELS
from dmlviz.desc.tensors import TensorDesc
from dmlviz.desc.value_sources import Listed, Npy, ValueSource
from dmlviz.desc.values import Constant, Iota, Random
from dmlviz.exporters.lib.writing import Export
from dmlviz.operators.checking import check
from dmlviz.session.experiments import Experiment, Session
from dmlviz.teaching.questions.subject import values_of
from support.strategies import Case, cases


def written(export: Export, path: Path) -> Path:
    """`path`, with the exported file in it and its arrays beside it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(export.data)
    for name, array in export.files.items():
        np.save(path.parent / name, array)
    return path


def run_script(path: Path) -> None:
    """Runs a script as a terminal without UTF-8 would have it: it prints on any."""
    with contextlib.redirect_stdout(io.TextIOWrapper(io.BytesIO(), "ascii")):
        exec(compile(path.read_bytes(), str(path), "exec"), {"__name__": "__main__", "__file__": str(path)})


def structure(text: str) -> str:
    """The syntax tree of Python source, without its texts."""
    tree = ast.parse(text)
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            node.value = ""
    return ast.dump(tree)


# ---- random sessions


def listed(array: NDArray[Any]) -> Listed:
    """An array as a session file lists it; NaNs lose their payload."""
    return Listed(tuple(values_of(array.reshape(-1))), array.shape)


@st.composite
def fills(draw: st.DrawFn, tensor: TensorDesc) -> ValueSource:
    """A fill that fits a tensor."""
    data_type = tensor.data_type
    if data_type.is_float:
        large = float(np.finfo(data_type.dtype).max)
        some = st.one_of(st.integers(-9, 9), st.integers(-(2**70), 2**70), st.floats(-1e300, 1e300), st.floats(-9, 9))
        held: st.SearchStrategy[Any] = st.one_of(
            st.floats(-large, large), st.sampled_from(["nan", "inf", "-inf", -0.0])
        )
    else:
        some = st.one_of(st.integers(-9, 9), st.integers(-(2**70), 2**70))
        held = st.integers(*data_type.integer_range)
    return draw(
        st.one_of(
            st.builds(Iota, some, some),
            st.builds(Constant, held),
            st.builds(Random, st.integers(0, 2**128 - 1)),
        )
    )


@st.composite
def experiments(draw: st.DrawFn, folder: Path, made: st.SearchStrategy[Case] | None = None) -> Experiment:
    """A valid experiment whose inputs are listed, filled, left out, or lie in .npy files in `folder`."""
    case = draw(made if made is not None else cases())
    lowest = check(case.desc).lowest_level
    assert lowest is not None
    level = draw(st.sampled_from([each for each in LEVELS if each >= lowest]))
    values: dict[str, ValueSource] = {}
    for part, array in zip(case.desc.inputs, case.arrays, strict=True):
        kind = draw(st.sampled_from(["list", "list", "npy", "fill", "default"]))
        if kind == "list":
            values[part.path] = listed(array)
        elif kind == "fill":
            values[part.path] = draw(fills(part.tensor))
        elif kind == "npy":
            file = f"{hashlib.sha256(f'{array.dtype} {array.shape}'.encode() + array.tobytes()).hexdigest()}.npy"
            np.save(folder / file, array)
            values[part.path] = Npy(file)
    return Experiment(draw(texts()), case.desc, level, values, draw(texts()), folder)


def sessions(folder: Path, target: str = "") -> st.SearchStrategy[Session]:
    """Valid sessions of one to three experiments, of operators that a target has an idiom for."""
    return st.builds(Session, st.lists(experiments(folder, cases(target)), min_size=1, max_size=3), texts())


HOSTILE: Sequence[str] = (
    "",
    '"',
    "'",
    '"""',
    "'''",
    '"" ""\\"',
    'ends with a quote "',
    "ends with a backslash \\",
    "\\N{BULLET} \\x41 \\u0041 \\",
    "two\nlines\r\nand\rmore",
    "*/ // # <!-- --> ??/ ``` %s {braces} $(id)",
    "??/\nint hidden;",
    "#define device 0",
    'R"(\n)"',
    "\\u000aint x;",
    "\ufeff",
    "# noqa\n# fmt: off\n# type: ignore\n# ruff: noqa",
    "\n    indented\n  less\n        more",
    "\0\a\b\t\x1b[31m\x7f",
    "\u2028\u2029\u0085\v\f\x1c",
    "\u202eright to left\u202c \u2066\u200f",
    "日本語のタイトル 한국어 عربي 🧊",
    "e\u0301\u0301\u0301",
    "<!-- --> ]]> `` ` ``` ```` ~~~ \n```json\n{}\n```",
    "<script>alert(1)</script> &amp; <img src=x> | $x$ @someone #1 [a](b) ![c](d) *e* _f_",
    "> quoted\n# heading\n- list\n\n    code\n***\n===\n",
    'x", "dispatchables": {}, "y": "',
    '"""\nimport os\nos.abort()\n"""',
    "x" * 100_000,
    "\\" * 3_000 + '"' * 3_000,
    "字" * 5_000,
    "a " * 50_000,
    " " * 5_000 + "x",
    "\n" * 5_000,
)


def texts() -> st.SearchStrategy[str]:
    """Names, titles and notes, of strangers too."""
    whole = st.characters(exclude_categories=["Cs"])
    return st.one_of(
        st.just("plain"), st.text(whole, max_size=20), st.sampled_from(HOSTILE), st.text('"\\\n #x', max_size=12)
    )


def renamed(session: Session, text: str) -> Session:
    """`session` with `text` in the place of every name, title and note."""
    items = tuple(replace(each, name=text, notes=text) for each in session.experiments)
    return replace(session, title=text, experiments=items)
