"""Index arithmetic: samples of flat indices."""

from __future__ import annotations

import numpy as np
import pytest

from dmlviz.desc.indexing import sample_indices


@pytest.mark.parametrize(
    "count", [1, 255, 256, 257, 300, 4096, 2**16, 2**24, 65535 * 32768, 65535**2, 65536 * 65535, 2**32 - 1]
)
def test_a_sample_has_both_ends_nothing_twice_and_is_not_in_step_with_what_repeats(count: int) -> None:
    found = sample_indices(count)
    assert (found[0], found[-1]) == (0, count - 1)
    assert len(found) <= 256
    assert (np.diff(found) > 0).all()
    for period in (2, 10, 16, 256) if count >= 2**16 else ():
        seen = np.unique(found % period)
        assert len(seen) >= period / 2
        assert seen.max() >= period * 3 // 4 - 1
