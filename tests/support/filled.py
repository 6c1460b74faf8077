"""Random experiments: valid descs whose inputs are filled in every way that a session file knows, badly named."""

from __future__ import annotations

import math
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

import dmlviz as dml
from dmlviz.desc.value_sources import Listed, Npy, ValueSource
from dmlviz.desc.values import Constant, Iota, Random
from dmlviz.session.experiments import Experiment, Session
from support.strategies import Case, cases

HOSTILE = (
    'a "quoted" name',
    "three \"\"\" and ''' quotes",
    "ends with a backslash \\",
    "*/ // /* <!-- --> ]]> ??/ ??)",
    "`` ` ``` ```` ~~~ \n```json\n{}\n```",
    "line\nbreak\r\nand\ttab\rand \u2028 \u2029 \x85",
    "\x00\x07\x1b[31m\x7f\x9b",
    "\u202eright to left\u202c \u200f \ufeff \u200b",
    "<script>alert(1)</script> &amp; <img src=x> | $x$ @someone #1 [a](b) ![c](d) *e* _f_",
    "> quoted\n# heading\n- list\n\n    code\n***\n===\n",
    'x", "dispatchables": {}, "y": "',
    "\\u0000 \\x00 \\N{BULLET} %s {0} ${HOME} $(rm)",
    "\U0001f9d1\u200d\U0001f680 e\u0301 \U000e0041",
    "日本語 한국어",
    "",
    " ",
)


def texts() -> st.SearchStrategy[str]:
    """Names and notes that nobody would want in a file of code."""
    return st.one_of(st.sampled_from(HOSTILE), st.text(st.characters(codec="utf-8"), max_size=40))


def listed(array: NDArray[Any]) -> Listed:
    """An array as the list that a session file would have for it."""
    items = tuple(
        x if not isinstance(x, float) or math.isfinite(x) else "nan" if x != x else "inf" if x > 0 else "-inf"
        for x in array.reshape(-1).tolist()
    )
    return Listed(items, array.shape)


@st.composite
def sources(draw: st.DrawFn, tensor: dml.TensorDesc, array: NDArray[Any], folder: Path | None) -> ValueSource | None:
    """What fills a tensor; `array` in a list or, where there is a folder, in a file of it."""
    kind = tensor.data_type
    if kind.is_float:
        numbers: st.SearchStrategy[Any] = st.one_of(
            st.integers(-50, 50),
            st.floats(-1e4, 1e4, width=16),
            st.floats(allow_nan=False, allow_infinity=False, min_value=-6e4, max_value=6e4),
        )
    else:
        low, high = kind.integer_range
        numbers = st.one_of(st.integers(max(-20, low), 20), st.integers(low, high), st.integers(-(2**70), 2**70))
    constants = numbers if kind.is_float else st.integers(low, high)
    if kind.is_float:
        constants = st.one_of(constants, st.sampled_from(["nan", "inf", "-inf", -0.0]))
    ways: list[st.SearchStrategy[ValueSource | None]] = [
        st.just(listed(array)),
        st.none(),
        st.builds(Constant, constants),
        st.builds(Iota, numbers, numbers),
        st.builds(Random, st.integers(0, 2**128 - 1)),
    ]
    if folder is not None:
        ways.append(st.just(Npy(_saved(array, folder))))
    return draw(st.one_of(ways))


def _saved(array: NDArray[Any], folder: Path) -> str:
    name = f"{len(list(folder.iterdir()))}.npy"
    np.save(folder / name, array)
    return name


@st.composite
def experiments(draw: st.DrawFn, folder: Path | None = None) -> Experiment:
    """A valid desc of any operator at the newest level, filled in any way."""
    case: Case = draw(cases())
    values = {}
    for part, array in zip(case.desc.inputs, case.arrays, strict=True):
        source = draw(sources(part.tensor, array, folder))
        if source is not None:
            values[part.path] = source
    return Experiment(draw(texts()), case.desc, values=values, notes=draw(texts()), folder=folder)


@st.composite
def sessions(draw: st.DrawFn, folder: Path | None = None) -> Session:
    """One to three experiments."""
    held = draw(st.lists(experiments(folder), min_size=1, max_size=3))
    return Session(tuple(held), draw(texts()), folder)


@contextmanager
def scratch() -> Iterator[Path]:
    """A folder that is gone afterwards."""
    with tempfile.TemporaryDirectory() as name:
        yield Path(name)
