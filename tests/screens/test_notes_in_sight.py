"""Notes that are longer than their room say so, whatever stands above them."""

from __future__ import annotations

import pytest
from support.driver import Driver


@pytest.mark.parametrize(
    "session", ["warning-index-range", "warning-length-clamped", "rule-level-operator", "gather-3-as-printed"]
)
async def test_notes_end_above_the_question_with_what_says_how_much_more_there_is(driver: Driver) -> None:
    notes, left = driver.screen.query_one("#notes"), driver.screen.query_one("#left")
    assert notes.region.bottom <= left.region.bottom, "none of its lines is cut off"
    assert notes.size.height >= 4
    hidden = notes.virtual_size.height > notes.size.height
    assert hidden is ("more line" in driver.text("#notes"))
