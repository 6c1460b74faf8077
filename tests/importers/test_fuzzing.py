"""Whatever bytes a reader is given, it gives experiments or one sentence."""

from __future__ import annotations

from random import Random

import pytest
from support import fuzzing
from support.effort import part

pytestmark = pytest.mark.integration
COUNT = part(4_800)


@pytest.mark.parametrize("name", sorted(fuzzing.KINDS))
def test_no_bytes_crash_a_reader(name: str) -> None:
    tally = fuzzing.play(name, 5, 0, COUNT)
    assert not tally.crashes, tally.crashes[0]
    assert tally.inputs == COUNT
    assert 10 < tally.read < COUNT - 10  # the inputs get somewhere, and not everything is taken


def test_inputs_are_always_the_same() -> None:
    for name in fuzzing.KINDS:
        assert fuzzing.inputs(name, Random("1/x/2")) == fuzzing.inputs(name, Random("1/x/2"))
