"""Both sides of a picture have the columns that a terminal of this size gives them, whatever it was before."""

from __future__ import annotations

import pytest
from support.driver import Driver, explore

SIZES = [(100, 30), (120, 36), (140, 40), (160, 45)]


def sides(driver: Driver) -> list[tuple[int, int]]:
    """Where each side begins, and its columns."""
    return [(side.region.x, side.region.width) for side in (driver.side(False), driver.side(True))]


@pytest.mark.parametrize(
    "name", ["gather-1", "gather-2", "join-1", "reverse-1", "split-1", "tile-1", "warning-index-range"]
)
def test_a_new_size_shares_the_columns_as_if_it_had_been_opened_so(name: str) -> None:
    found: dict[tuple[int, int], list[tuple[int, int]]] = {}

    async def fresh(driver: Driver) -> None:
        found[driver.app.size.width, driver.app.size.height] = sides(driver)

    async def resized(driver: Driver) -> None:
        for size in (*SIZES, *reversed(SIZES)):
            await driver.resize(size)
            assert sides(driver) == found[size], size

    for size in SIZES:
        explore(fresh, name, size)
    explore(resized, name, SIZES[0])
