"""Whether strides alone could say an output: against NumPy's strided view, and at 2^32 elements."""

from __future__ import annotations

import random

import numpy as np
import pytest
from support.chain_sessions import giant
from support.random_chains import random_chain

import dmlviz as dml
from dmlviz.desc.indexing import index_in
from dmlviz.equality import views
from dmlviz.equality.views import View, view_of, view_through
from dmlviz.operators.maps import NOWHERE
from dmlviz.session import examples
from dmlviz.session.chains import Chain


def first_break(roots: list[int], flats: list[int], sizes: tuple[int, ...]) -> int | None:
    """The first flat index that no strides from the first element's place lead to, by trying each step of the walk."""
    if roots[0] == NOWHERE:
        return 0
    strides: dict[int, int] = {}
    for flat, (root, at) in enumerate(zip(roots, flats, strict=True)):
        index = index_in(flat, sizes)
        moved = [d for d, i in enumerate(index) if i]
        if len(moved) == 1 and index[moved[0]] == 1:
            strides[moved[0]] = at - flats[0]
        wanted = flats[0] + sum(strides[d] * index[d] for d in moved)
        if root != roots[0] or at != wanted or any(strides[d] < 0 for d in moved):
            return flat
    return None


@pytest.mark.parametrize("most", [views.MOST_ASKED, 0], ids=["by asking", "by tables"])
@pytest.mark.parametrize("seed", range(40))
def test_views_of_random_chains_are_what_a_walk_finds(seed: int, most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(views, "MOST_ASKED", most)
    session = random_chain(random.Random(f"views.{seed}"), 5).session(random.Random(seed))
    for experiment in session.experiments:
        chain = Chain(experiment)
        for k, part in enumerate(chain.outputs):
            view, sizes = view_through(chain, k), part.tensor.sizes
            flat = np.arange(part.tensor.element_count, dtype=np.int64)
            roots, flats, _ = chain.addresses(len(chain.stages) - 1, k, flat)
            broken = first_break(roots.tolist(), flats.tolist(), sizes)
            assert view.breaks == (None if broken is None else index_in(broken, sizes)), view.sentence
            assert view.needs_copy is (broken is not None)
            if not view.needs_copy:
                memory = np.arange(chain.inputs[int(roots[0])].part.tensor.element_count)
                shown = np.lib.stride_tricks.as_strided(
                    memory[view.base :], sizes, tuple(8 * stride for stride in view.strides)
                )
                assert shown.reshape(-1).tolist() == flats.tolist()


def view_in(name: str, output: int = 0, stage: int = 0) -> View:
    return view_of(examples.example(name).session().experiments[stage].links, output)


def test_a_part_is_a_view_and_says_whether_a_binding_could_begin_there() -> None:
    first, second = view_in("chain-transpose", 0), view_in("chain-transpose", 1)
    assert (first.strides, first.base, first.is_aligned) == ((3, 1), 0, True)
    assert (second.byte_strides, second.base_bytes, second.is_aligned) == ((12, 4), 4, False)
    assert second.sentence == (
        "No copy needed: OutputTensors[1] is InputTensor with Strides {3,1}, in bytes {12,4}, from element 1 on, "
        "byte 4, no multiple of 16."
    )


def test_a_transpose_by_split_and_join_is_a_view_though_its_join_is_none() -> None:
    chain = examples.example("chain-transpose").session().chain("rows")
    assert view_of(chain.traces[-1]).breaks == (1, 0)
    assert view_through(chain).sentence.startswith("No copy needed: rows is InputTensor of columns with Strides {1,3}")


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("gather-2", "[2,0], which is [1,0] of InputTensor, where they would have [2,0]"),
        ("padding1", "[0,0], which comes from no input"),
        ("join-1", "which is [0,0,0,0] of InputTensors[1], while the first element is of InputTensors[0]"),
        (
            "reverse-1",
            "[0,0,0,1], which is [0,0,0,0] of InputTensor, before the first element, and no stride is negative",
        ),
    ],
)
def test_what_breaks_is_said(name: str, why: str) -> None:
    assert f"{why}." in view_in(name).sentence


def test_repeating_one_element_is_a_stride_of_0() -> None:
    view = view_of(dml.trace(dml.Tile(dml.TensorDesc("FLOAT32", (3, 1)), (1, 5))))
    assert (view.strides, view.needs_copy) == ((1, 0), False)


def bytes_of(*sizes: int) -> dml.TensorDesc:
    return dml.TensorDesc("UINT8", sizes)


@pytest.mark.parametrize(
    ("desc", "breaks"),
    [
        (dml.Join([bytes_of(30000, 65535), bytes_of(35535, 65535)], 0), (30000, 0)),
        (dml.Tile(bytes_of(1, 65535), (65535, 1)), None),
        (dml.Tile(bytes_of(21845, 65535), (3, 1)), (21845, 0)),
        (dml.Gather(bytes_of(65535, 65535), dml.TensorDesc("UINT32", (1, 65535)), 1, 1), None),
        (dml.Padding(bytes_of(65535, 65500), "EDGE", 0, (0, 0), (0, 35)), (0, 65500)),
    ],
)
def test_a_giant_is_decided_by_tables(desc: dml.Desc, breaks: tuple[int, int] | None) -> None:
    view = view_of(dml.trace(desc))
    assert (view.breaks, view.needs_copy) == (breaks, breaks is not None)
    assert view_of(dml.trace(desc), most_tables=1 << 15).needs_copy is None


def test_a_chain_of_giants_goes_by_tables_too() -> None:
    session = giant()
    assert view_through(session.chain("turned")).breaks == (0, 1)
