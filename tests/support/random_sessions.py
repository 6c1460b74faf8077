"""Random sessions, made quickly and by number: valid ones, and ones whose descs are broken in any way; strange ones."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

import dmlviz as dml
from dmlviz.desc.base import Desc
from dmlviz.desc.fields import CountField, Field, NumbersField, TensorField
from dmlviz.desc.levels import LEVELS, NEWEST
from dmlviz.operators.checking import check
from dmlviz.operators.desc_edits import with_data_type, with_tensor
from dmlviz.session.experiments import Experiment, Session
from dmlviz.session.new_experiments import fresh
from dmlviz.teaching import varying
from support.strategies import Case, Sizes

F32 = dml.DataType.FLOAT32
FIVE = ("JOIN", "SPLIT", "REVERSE_SUBSEQUENCES", "GATHER", "TILE")
RANDOM = st.integers(0, 2**32).map(random.Random)
TYPES = list(dml.DataType)
NUMBERS = (0, -1, -7, 2**31 - 1, 2**31, 2**32 - 1, 2**32, 2**33 + 5, -(2**31), 2**63, 2**64 - 1, -(2**63))


def _varied(name: str, made: random.Random, how: Any = varying.varied) -> Experiment:
    """An experiment of an operator, as practice varies it."""
    one: Experiment | None = how(fresh(f"DML_OPERATOR_{name}"), made)
    assert one is not None
    return one


def valid_desc(made: random.Random) -> Any:
    """A valid desc of any of the five operators, as practice varies them, of any type that it takes."""
    one = _varied(made.choice(FIVE), made)
    desc = with_data_type(one.desc, made.choice(TYPES))
    return desc if check(desc).ok else one.desc


def broken(desc: Desc, made: random.Random) -> Desc:
    """`desc` with some of its fields changed, whatever rules that breaks."""
    changes: dict[str, Any] = {}
    for field in desc.FIELDS:
        held = desc.get(field.name)
        if made.random() < 0.6 or held is None:
            continue
        if type(field) in (Field, CountField):
            changes[field.name] = made.choice((held + 1, made.choice(NUMBERS)))
        elif isinstance(field, NumbersField):
            changes[field.name] = numbers(list(held), made)
        elif isinstance(field, TensorField):
            tensors = [tensor(each, made) for each in (held if field.many else [held])]
            changes[field.name] = made.choice((tensors, tensors[1:], tensors * 2, [])) if field.many else tensors[0]
    return desc.replace(changes)


def numbers(held: list[int], made: random.Random) -> list[int]:
    """`held` with numbers changed, added or dropped."""
    changed = [made.choice((n, n, n, made.choice(NUMBERS))) for n in held]
    return made.choice((changed, changed[1:], [*changed, made.choice(NUMBERS)], []))


def tensor(held: dml.TensorDesc, made: random.Random) -> dml.TensorDesc:
    return dml.TensorDesc(made.choice((held.data_type, made.choice(TYPES))), numbers(list(held.sizes), made))


def name(made: random.Random) -> str:
    """A name: words, signs, and what is dangerous in a comment."""
    pieces = ("row", " ", "*/", "//", '"', "\\", "??/", "\n", "\u2028", "\u202e", "名前", "é", "\x00", "😀", "'", "/*")
    return "".join(made.choice(pieces) for _ in range(made.randint(0, 6)))


def with_members(desc: Any, made: random.Random) -> Any:
    """`desc` with one tensor that says more than DataType and Sizes."""
    given = [p for p in desc.parts if p.field.name not in desc.inferred]
    if not given:
        return desc
    part = made.choice(given)
    sizes = part.tensor.sizes
    told: dict[str, Any] = {
        "dimension_count": made.randint(0, len(sizes) + 2),
        "strides": [made.randint(0, 9) for _ in range(made.randint(1, len(sizes) + 1))],
        "total_tensor_size_in_bytes": made.choice((1, 20, 24, 4096, 2**40)),
        "flags": ["DML_TENSOR_FLAG_OWNED_BY_DML"],
        "guaranteed_base_offset_alignment": made.choice((0, 16, 256)),
    }
    tensor = part.tensor
    for member in made.sample(list(told), made.randint(1, 3)):
        tensor = tensor.changed(**{member: told[member]})
    return desc.replace(with_tensor(desc, part, tensor))


def sessions_of_all_kinds(count: int, seed: int = 2, *, wrong: float = 0.5, members: float = 0.0) -> Iterator[Session]:
    """`count` sessions of one to three experiments at any level, valid ones at the newest where none is `wrong`.

    `wrong` is the share of descs with fields changed, `members` that of those with a tensor that says more than
    DataType and Sizes.
    """
    made = random.Random(seed)
    for _ in range(count):
        experiments = []
        for _ in range(made.randint(1, 3)):
            desc = valid_desc(made)
            desc = broken(desc, made) if made.random() < wrong else desc
            desc = with_members(desc, made) if made.random() < members else desc
            experiments.append(Experiment(name(made), desc, made.choice(LEVELS) if wrong else NEWEST))
        yield Session(tuple(experiments), name(made))


def session_of(*descs: Any, level: str = "6_4") -> Session:
    return Session(tuple(Experiment(f"e{i}", desc, dml.FeatureLevel.of(level)) for i, desc in enumerate(descs)))


STRANGE = (
    dml.Tile(dml.TensorDesc(F32, (2, 2**32, 3)), (1, 2**31, 2**32 - 1)),
    dml.Tile(dml.TensorDesc(F32, (-1, -(2**31), -(2**32))), (-(2**63), 2**63, 2**64 - 1)),
    dml.Tile(dml.TensorDesc(F32, ()), ()),
    dml.Tile(dml.TensorDesc("UINT8", (2**32 - 1,) * 8), (2**31 - 1, 2**31) * 20),
    dml.Join((), axis=-5),
    dml.Join((dml.TensorDesc(F32, (0, 2)),) * 3, axis=2**63),
    dml.Split(dml.TensorDesc("FLOAT16", (1, 1, 3)), (), axis=1),
    dml.Gather(dml.TensorDesc(F32, (3, 2)), dml.TensorDesc("INT64", (7,)), axis=-1, index_dimensions=99),
)
"""Descs whose numbers are hard to write as C++."""


# ---- small descs, as practice varies them, and small tensors whose axes are often alike


@st.composite
def small_sizes(draw: st.DrawFn) -> Sizes:
    sizes = draw(st.lists(st.sampled_from([1, 2, 2, 3, 3, 4]), min_size=1, max_size=4))
    if draw(st.booleans()):
        sizes[draw(st.integers(0, len(sizes) - 1))] = draw(st.sampled_from(sizes))
    return tuple(sizes)


def distinct(*sizes: Sizes) -> list[NDArray[Any]]:
    """INT32 arrays whose elements are 1, 2, 3, ... on through all of them."""
    made, first = [], 1
    for each in sizes:
        count = int(np.prod(each))
        made.append(np.arange(first, first + count, dtype=np.int32).reshape(each))
        first += count
    return made


def int32(sizes: Sizes) -> dml.TensorDesc:
    return dml.TensorDesc("INT32", sizes)


def along(sizes: Sizes, axis: int, n: int) -> Sizes:
    return (*sizes[:axis], n, *sizes[axis + 1 :])


def small_cases(*names: str) -> st.SearchStrategy[Case]:
    """Valid descs of these operators, of the five without."""
    return st.builds(_varied, st.sampled_from(names or FIVE), RANDOM).map(_case)


def _case(one: Experiment) -> Case:
    pairs = zip(one.desc.inputs, one.sources(), strict=True)
    return Case(one.desc, [source.array().reshape(part.tensor.sizes) for part, source in pairs])


def perhaps_broken() -> st.SearchStrategy[Desc]:
    """Descs of the five, half of which break a rule."""
    varied = st.sampled_from([varying.varied, varying.broken])
    return st.builds(_varied, st.sampled_from(FIVE), RANDOM, varied).map(lambda one: one.desc)
