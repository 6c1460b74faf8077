"""Index arithmetic: coordinates beside NumPy's, and samples of flat indices."""

from __future__ import annotations

import numpy as np
import pytest

from dmlviz.desc.indexing import flat_in, index_in, leading_ones, put, ravel, sample_indices, unravel


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


@pytest.mark.parametrize("sizes", [(5,), (2, 3, 4), (1, 4, 1, 3)])
def test_flat_indices_are_numpys(sizes: tuple[int, ...]) -> None:
    flat = np.arange(np.prod(sizes))
    index = unravel(flat, sizes)
    assert [axis.tolist() for axis in index] == [axis.tolist() for axis in np.unravel_index(flat, sizes)]
    assert ravel(index, sizes).tolist() == flat.tolist()
    last = tuple(size - 1 for size in sizes)
    assert (flat_in(last, sizes), index_in(len(flat) - 1, sizes)) == (len(flat) - 1, last)


def test_leading_ones_are_counted_and_one_of_many_is_put_elsewhere() -> None:
    assert [leading_ones(sizes) for sizes in ((1, 1, 2, 1), (3, 1), (1, 1))] == [2, 0, 2]
    assert put((5, 6, 7), 1, 0) == (5, 0, 7)
