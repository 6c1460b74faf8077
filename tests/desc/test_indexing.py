"""Index arithmetic: samples of flat indices."""

from __future__ import annotations

import numpy as np
import pytest

from dmlviz.desc.indexing import sample_indices


@pytest.mark.parametrize("count", [1, 255, 256, 257, 300, 4096, 65535**2, 65536 * 65535, 2**32 - 1])
def test_a_sample_has_both_ends_and_nothing_twice(count: int) -> None:
    found = sample_indices(count)
    assert (found[0], found[-1]) == (0, count - 1)
    assert len(found) <= 256
    assert (np.diff(found) > 0).all()


@pytest.mark.parametrize("count", [2**16, 2**24, 65535**2, 65536 * 65535, 65535 * 32768])
@pytest.mark.parametrize("period", [2, 10, 16, 256])
def test_a_sample_is_not_in_step_with_values_that_repeat(count: int, period: int) -> None:
    seen = np.unique(sample_indices(count) % period)
    assert len(seen) >= period / 2
    assert seen.max() >= period * 3 // 4 - 1
