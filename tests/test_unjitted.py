"""The kernels as plain Python, where every byte that is read or written is looked at, and every branch is run.

NUMBA_BOUNDSCHECK has nothing to check in kernels that know addresses only; the regions of the twins are what stands in
for it.
"""

from __future__ import annotations

import os
import subprocess
import sys
from typing import Any

import numpy as np
import pytest
from folded import SMALL, Work, join, word_works, works
from hypothesis import given, settings
from hypothesis import strategies as st
from pages import outputs
from strategies import Case, cases
from twins import KERNELS, AstrayError, Coverage, Memory, Unjitted

from dmlviz.operators import operator_of


@pytest.fixture(scope="module")
def small() -> Unjitted:
    return Unjitted(SMALL)


def check(kernels: Unjitted, work: Work, threads: int, step: int, alignments: list[int]) -> None:
    sizes, inputs = [each.nbytes for each in work.outputs], [each.tobytes() for each in work.inputs]
    made = kernels.run(work.kernel, work.folded, sizes, inputs, threads, step, alignments)
    assert made == [each.tobytes() for each in work.outputs], f"{work}, {threads} threads, {step}"


@given(cases(), st.integers(0, 3), st.integers(0, 2), st.lists(st.integers(0, 63), min_size=1, max_size=4))
@settings(max_examples=300, deadline=None)
def test_small_thresholds(case: Case, threads: int, step: int, alignments: list[int]) -> None:
    operator = operator_of(case.desc)
    sizes = [part.tensor.byte_count for part in case.desc.outputs]
    inputs = [array.tobytes() for array in case.arrays]
    kernels, folded = Unjitted.with_constants(SMALL), operator.kernel_numbers(case.desc)
    made = kernels.run(operator.name.lower(), folded, sizes, inputs, threads, step, alignments)
    assert made == outputs(case.desc, case.arrays)


def test_every_branch_is_run() -> None:
    generator, coverage = np.random.default_rng(5), Coverage()
    for kernels, some in ((Unjitted(SMALL, coverage), works), (Unjitted({}, coverage), word_works)):
        for k, work in enumerate(some(generator)):
            check(kernels, work, k % 4, k // 4 % 3, [k % 64, 3 * k % 64, 5 * k % 64])
    other_widths(kernels)
    missed = coverage.missed()
    assert not missed, "\n".join(["", *missed])
    assert len(coverage.wanted) > 500


def other_widths(kernels: Unjitted) -> None:
    """Words of 16 bytes, which no vector does: nothing is done to them."""
    data = bytes(range(256))
    for parts in (2, 4, 8):
        memory = kernels.on(Memory([b""], [data] * parts))
        assert kernels.function("_blocks", "woven")(memory.outputs[0].base, memory.arrays, parts, 16, 3, 9) == 3
        memory = kernels.on(Memory([b""] * parts, [data]))
        assert kernels.function("_blocks", "unwoven")(memory.arrays, memory.inputs[0].base, parts, 16, 3, 9) == 3
    memory = kernels.on(Memory([b""], [data, bytes(64)]))
    for n in (1, 2, 4):
        assert (
            kernels.function("reverse_subsequences", "backwards")(*[r.base for r in memory.arrays], 8, 16, n, 0, 2) == 1
        )


# ---- the model itself -------------------------------------------------------------------------------------------


def test_a_kernel_that_goes_astray_is_caught(small: Unjitted) -> None:
    """Every rule of the model, broken once."""
    memory = small.on(Memory([bytes(8)], [bytes(8), bytes(8)], [1, 2]))
    out, one, other = (region.base for region in memory.arrays)
    does = small.primitives
    memory.claimed()
    does.move4(out, 0, one, 4)
    for astray in (
        lambda: does.move4(out, 5, one, 0),
        lambda: does.move4(out, 0, one, -1),
        lambda: does.move4(out, 0, one, other - one + 1 - 8),
        lambda: does.move4(one, 0, other, 0),
        lambda: does.move4(out, 4, out, 2),
        lambda: does.move1(out, 7, does.scratch(), 0),
        lambda: does.put8(does.scratch(), small.scratch_size, 1),
        lambda: does.put64(out, 0, 2**63),
        lambda: does.uint8(5, 0),
        lambda: does.number(memory.numbers, 2),
        lambda: does.number(memory.numbers, -1),
        lambda: does.address(memory.arrays, 3),
        lambda: does.claim(8, 1, 0),
    ):
        with pytest.raises(AstrayError):
            astray()
    memory.claimed()
    for astray in (lambda: does.put8(out, 0, 1), lambda: does.put8(out, 7, does.uint8(out, 0))):
        with pytest.raises(AstrayError, match="another claim"):
            astray()


def test_branches_that_are_not_run_are_named() -> None:
    kernels = Unjitted(SMALL)
    check(kernels, join(np.random.default_rng(6), 3, [1, 2]), 0, 0, [0])
    missed = kernels.coverage.missed()
    assert any(each.startswith("kernels/join.py:") and each.endswith("never False: segments == 1") for each in missed)
    assert not any("never run: out = address(arrays, 0)" in each and "join.py" in each for each in missed)


def test_constants_that_are_patched_are_there(small: Unjitted) -> None:
    for module, constants in SMALL.items():
        for name, value in constants.items():
            assert module == "_memory" or small.modules[module][name] == value
            assert hasattr(__import__(f"dmlviz.kernels.{module}", fromlist=[name]), name)


# ---- Numba's own check ------------------------------------------------------------------------------------------

CHECKED = """
import sys
import numpy as np
sys.path.insert(0, sys.argv[1])
from folded import gather, join, reverse, some_indices, some_lengths, split, tile
from dmlviz import kernels
generator = np.random.default_rng(7)
for work in (
    join(generator, 99, [4, 4]), split(generator, 99, [3, 5]), tile(generator, 2, [(3, 2), (2, 5)]),
    gather(generator, 3, 5, 4, some_indices(generator, "i8", 99, 5)),
    reverse(generator, 8, 1, 4, some_lengths(generator, "u8", 99, 8)),
    reverse(generator, 8, 9, 4, some_lengths(generator, "u8", 99, 8)),
):
    kernel = kernels.load(work.kernel.upper())
    out = [np.zeros_like(each) for each in work.outputs]
    kernel.run((*out, *work.inputs), np.array(kernel.plan(*work.folded)), 0)
    assert all((a == b).all() for a, b in zip(out, work.outputs)), work
    print(work.kernel)
"""


@pytest.mark.slow
def test_with_numbas_bounds_check(tmp_path: Any) -> None:
    told = {**os.environ, "NUMBA_BOUNDSCHECK": "1", "NUMBA_CACHE_DIR": str(tmp_path)}
    arguments = [sys.executable, "-c", CHECKED, os.path.dirname(__file__)]
    made = subprocess.run(arguments, env=told, capture_output=True, text=True, timeout=300)
    assert made.returncode == 0, made.stderr
    assert set(made.stdout.split()) == set(KERNELS)
