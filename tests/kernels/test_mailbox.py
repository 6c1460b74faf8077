"""How callers hand work to helpers, in every order that chance finds: plain Python, one memory access at a time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import pytest
from support.mailbox_play import Play, fails

from dmlviz.kernels.lib import thread_pool
from dmlviz.kernels.lib.mailbox import FREE, POSTED

pytestmark = pytest.mark.integration


@pytest.mark.drawn(2)
@pytest.mark.parametrize("interrupted", [(0.0,), (0.02, 0.1, 0.4)])
@pytest.mark.parametrize(("callers", "helpers"), [(1, 1), (1, 3), (2, 1), (3, 2)])
def test_no_order_of_steps_does_harm(callers: int, helpers: int, interrupted: tuple[float, ...]) -> None:
    """Nobody works for a caller that has gone on, with what it did not ask for, or twice; and nobody waits for ever. A
    helper that has begun is waited for after ctrl+c too: nobody touches the memory of a call that was left.
    """
    seen: Counter[str] = Counter()
    for seed in range(50):
        play = Play(seed, callers, helpers, calls=4, interrupted=interrupted[seed % len(interrupted)])
        play.run()
        seen += play.seen
        assert interrupted[0] or play.seen["caller"] == 4 * callers
        assert play.seen["helper"] == play.seen["taken"]
        assert play.seen["asked"] == play.seen["taken"] + play.seen["withdrawn"]
    wanted = {"asleep", "woken", "over", "not yet over", "withdrawn", "asked", "taken", "too late", "helper"}
    assert set(seen) >= wanted | ({"busy"} if callers > 1 else set()) | ({"left"} if interrupted[0] else set())


@pytest.mark.slow
def test_the_play_notices_whoever_takes_back_an_order_of_another() -> None:
    """Were an order not told from every other, one caller would withdraw another's, who would wait for ever."""

    class Careless(Play):
        def exchange(self, at: int, old: int, new: int) -> int:
            if new == FREE and self.memory[at] & 3 == POSTED:
                old = self.memory[at]
            return super().exchange(at, old, new)

    assert any(fails(Careless(seed, 4, 1, calls=4)) for seed in range(200))


def test_the_play_notices_whoever_leaves_too_early() -> None:
    """Were helpers not waited for after ctrl+c, they would work on memory that has gone."""

    class Hasty(Play):
        def native(self, name: str) -> Callable[..., int]:
            waits = super().native(name)
            return lambda *given: 1 if given[-1] == thread_pool.FOREVER else waits(*given)

    assert any(fails(Hasty(seed, 1, 2, calls=4, interrupted=0.1)) for seed in range(20))
