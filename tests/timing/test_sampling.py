"""Timing of calls: samples, their spread, and the plain copy that they are held against."""

from __future__ import annotations

import gc
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from dmlviz.formats.durations import duration
from dmlviz.timing import plain_copy, sampling
from dmlviz.timing.sampling import Spread


def test_a_spread_is_of_its_samples() -> None:
    spread = Spread.of(float(k) for k in range(100, 0, -1))
    assert (spread.median, spread.min, spread.p95, spread.n) == (50.5, 1.0, 95.0, 100)
    assert Spread.of([3.0]) == Spread(3.0, 3.0, 3.0, 1)


def test_a_duration_has_three_digits() -> None:
    shown = {3.83e-8: "38.3 ns", 9.996e-3: "10.0 ms", 9.996e-4: "1.00 ms", 1.276: "1.28 s", 2000: "2,000 s"}
    assert [duration(seconds) for seconds in shown] == [*shown.values()]


class Clock:
    """Stands in for the module `time`; what is called moves it on."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, busy: float = 1.0) -> None:
        self.now, self.busy, self.calls = 0.0, busy, list[str]()
        for module in (sampling, plain_copy):
            monkeypatch.setattr(module, "time", self)

    def perf_counter(self) -> float:
        return self.now

    def process_time(self) -> float:
        return self.now * self.busy

    def call(self, seconds: float, name: str = "") -> Callable[[], None]:
        def wait() -> None:
            assert not gc.isenabled() or self.busy > 1
            self.calls.append(name)
            self.now += seconds

        return wait


def test_calls_are_timed_in_turns_and_the_collector_is_held(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock(monkeypatch)
    calls = [clock.call(0.003, name) for name in "abc"]
    gc.enable()
    try:
        assert [s.n for s in sampling.sample(calls, 0.0)] == [1, 1, 1]
        clock.calls.clear()
        spreads = sampling.sample(calls, 0.03)
        assert gc.isenabled()
        with pytest.raises(ZeroDivisionError):
            sampling.sample([lambda: 1 / 0], 0.001)
        assert gc.isenabled()
    finally:
        gc.disable()
    rounds = "".join(clock.calls[3:])  # after a call of each that isn't timed
    assert len(rounds) == 3 * sampling.FEWEST_ROUNDS == 3 * spreads[0].n
    assert rounds.startswith("abcbcacababc")
    assert all(s.min == pytest.approx(0.003) and s.p95 == pytest.approx(0.003) for s in spreads)


def test_short_calls_are_batched_and_long_ones_timed_a_few_times_only(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock(monkeypatch)
    (spread,) = sampling.sample([clock.call(1e-7)], 0.01)
    assert len(clock.calls) > 200 * spread.n
    assert spread.median == pytest.approx(1e-7)
    for seconds, patience, n in ((2.0, 10, 1), (0.01, 10, sampling.FEWEST_ROUNDS), (0.009, 1, 3)):
        (spread,) = sampling.sample([clock.call(seconds)], 0.02, patience)
        assert spread.n == n


@pytest.mark.parametrize("count", [10, (1 << 20) + 7])
@pytest.mark.parametrize("threads", [1, 2, 3])
def test_a_plain_copy_copies_every_byte(count: int, threads: int, monkeypatch: pytest.MonkeyPatch) -> None:
    blocks: list[Any] = [np.full(count, 1, np.uint8), np.zeros(count, np.uint8)]
    monkeypatch.setattr(plain_copy, "_block", lambda count, value: blocks[1 - value])
    monkeypatch.setattr(plain_copy, "processors", lambda: [0] * threads)
    plain_copy.plain_copy(count, threads)()
    assert blocks[1].all()


def test_threads_are_counted_by_the_processor_time_they_take(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plain_copy, "processors", lambda: [0, 1])
    gc.disable()
    for busy, want in ((1.0, 1), (1.9, 2)):
        assert plain_copy.threads_busy(Clock(monkeypatch, busy).call(1e-3), 1 << 24) == want
    assert plain_copy.threads_busy(lambda: None, 1000) == 1
