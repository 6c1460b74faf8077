"""Whatever bytes a reader is given, it gives experiments or one sentence, and soon: what is done for it is counted."""

from __future__ import annotations

import contextlib
from random import Random

import pytest
from support.effort import part
from support.fuzzing import KINDS, made, outcome
from support.work import Work

pytestmark = pytest.mark.integration
COUNT = part(4_800)
MOST_WORK = 1 << 22
"""Work for one input, as `Work` counts it."""
COUNTED = 10
"""One in so many inputs is counted: that takes several times as long."""
DIMS = ({"batch": 2, "t": 3}, {"rows": 2, "columns": 2**32 - 1})


@pytest.mark.parametrize("name", [pytest.param(k, marks=[pytest.mark.slow] * (k == "onnx")) for k in KINDS])
def test_no_bytes_crash_a_reader(name: str) -> None:
    read = 0
    for number in range(COUNT):
        data, work = made(name, Random(f"5/{name}/{number}")), Work()
        try:
            with contextlib.nullcontext() if number % COUNTED else work:
                read += bool(outcome(data))
            for dims in DIMS if name == "onnx" else ():
                outcome(data, dims)
            assert work.done <= MOST_WORK
        except Exception as error:
            raise AssertionError(f"{name}, input {number}: {data.hex()}") from error
    assert 10 < read < COUNT - 10  # the inputs get somewhere, and not everything is taken
