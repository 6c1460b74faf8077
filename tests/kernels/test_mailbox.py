"""How callers hand work to helpers, in every order that chance finds: plain Python, one memory access at a time."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable

import pytest
from support.mailbox_play import Play, fails

from dmlviz.kernels.lib import thread_pool
from dmlviz.kernels.lib.mailbox import FREE, POSTED

pytestmark = pytest.mark.integration


@pytest.mark.drawn(2)
@pytest.mark.parametrize(("callers", "helpers"), [(1, 1), (1, 3), (2, 1), (3, 2)])
def test_no_order_of_steps_does_harm(callers: int, helpers: int) -> None:
    """Nobody works for a caller that has gone on, with what it did not ask for, or twice; and nobody waits for ever."""
    seen: Counter[str] = Counter()
    for seed in range(30):
        play = Play(seed, callers, helpers, calls=3)
        play.run()
        seen += play.seen
        assert play.seen["caller"] == 3 * callers
        assert play.seen["helper"] == play.seen["taken"]
        assert play.seen["asked"] == play.seen["taken"] + play.seen["withdrawn"]
    wanted = {"asleep", "woken", "over", "not yet over", "withdrawn", "asked", "taken", "too late", "helper"}
    assert set(seen) >= wanted | ({"busy"} if callers > 1 else set())


@pytest.mark.drawn(1)
@pytest.mark.parametrize(("callers", "helpers"), [(1, 1), (1, 3), (2, 1), (3, 2)])
def test_no_order_of_steps_does_harm_to_callers_who_hear_ctrl_c(callers: int, helpers: int) -> None:
    """A helper that has begun is waited for, and one that has not never does: nobody touches the memory of a call that
    was left, also where the next one has it.
    """
    seen: Counter[str] = Counter()
    for seed in range(60):
        play = Play(seed, callers, helpers, calls=5, interrupted=(0.02, 0.1, 0.4)[seed % 3])
        play.run()
        seen += play.seen
        assert play.seen["helper"] == play.seen["taken"]
        assert play.seen["asked"] == play.seen["taken"] + play.seen["withdrawn"]
    assert set(seen) >= {"left", "woken", "over", "not yet over", "withdrawn", "asked", "taken", "too late", "helper"}


def test_a_helper_that_is_free_comes() -> None:
    """Asleep, about to sleep or awake: where the caller's part lasts long enough, every helper has one too."""

    class Long(Play):
        def call(self, code: int, arrays: int, numbers: int, turn: int) -> None:
            super().call(code, arrays, numbers, turn)
            if threading.current_thread().name.startswith("caller"):
                while self.seen["helper"] < len(self.boxes) * (1 + self.seen["woken or not"]):
                    self.step()
                self.seen["woken or not"] += 1

    for seed in range(20):
        play = Long(seed, 1, 2, calls=3)
        play.run()
        assert play.seen["helper"] == 6


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
