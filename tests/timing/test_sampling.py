"""Timing of calls: samples, their spread, and the plain copy that they are held against."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from itertools import repeat
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dmlviz.formats.durations import duration, three_digits
from dmlviz.timing import plain_copy, sampling
from dmlviz.timing.sampling import Spread


def test_a_spread_is_of_its_samples() -> None:
    spread = Spread.of(float(k) for k in range(100, 0, -1))
    assert (spread.median, spread.min, spread.p95, spread.n) == (50.5, 1.0, 95.0, 100)
    assert Spread.of([3.0]) == Spread(3.0, 3.0, 3.0, 1)


@pytest.mark.parametrize(
    ("value", "shown"),
    [(0.38, "0.380"), (0.0383, "0.0383"), (9.996, "10.0"), (41, "41.0"), (127.6, "128"), (999.6, "1,000"), (0, "0")],
)
def test_three_digits(value: float, shown: str) -> None:
    assert three_digits(value) == shown


@given(st.floats(1e-9, 9e3))
def test_a_duration_is_right_to_its_last_digit(seconds: float) -> None:
    number, unit = duration(seconds).replace(",", "").split()
    size = {"s": 1.0, "ms": 1e-3, "µs": 1e-6, "ns": 1e-9}[unit]
    assert float(number) * size == pytest.approx(seconds, rel=0.0051)
    assert unit == "s" or float(number) < 1000
    assert len(number.replace(".", "").lstrip("0")) in (3, 4)


class Clock:
    """Stands in for the module `time`; what is called moves it on."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 0.0
        monkeypatch.setattr(sampling, "time", self)

    def perf_counter(self) -> float:
        return self.now

    def call(self, durations: Iterator[float]) -> Callable[[], None]:
        def wait() -> None:
            self.now += next(durations)

        return wait


def test_calls_are_timed_in_turns_and_the_collector_is_held(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock(monkeypatch)
    said: list[str] = []
    collecting: list[bool] = []

    def call(name: str) -> Callable[[], None]:
        def wait() -> None:
            said.append(name)
            collecting.append(gc.isenabled())
            clock.now += 0.003

        return wait

    spreads = sampling.sample([call("a"), call("b"), call("c")], 0.0)
    assert [s.n for s in spreads] == [1, 1, 1]
    said.clear()
    spreads = sampling.sample([call("a"), call("b"), call("c")], 0.03)
    rounds = said[3:]  # after a call of each that isn't timed
    assert len(rounds) == 3 * sampling.FEWEST_ROUNDS == 3 * spreads[0].n
    turns = ["".join(rounds[k : k + 3]) for k in range(0, len(rounds), 3)]
    assert turns[:4] == ["abc", "bca", "cab", "abc"]
    assert not any(collecting)
    assert gc.isenabled()
    assert all(s.min == pytest.approx(0.003) and s.p95 == pytest.approx(0.003) for s in spreads)


def test_short_calls_are_batched(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock(monkeypatch)
    calls = 0

    def call() -> None:
        nonlocal calls
        calls += 1
        clock.now += 1e-7

    (spread,) = sampling.sample([call], 0.01)
    assert calls > 200 * spread.n
    assert spread.median == pytest.approx(1e-7)


def test_a_long_call_is_timed_a_few_times_only(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock(monkeypatch)
    (spread,) = sampling.sample([clock.call(repeat(2.0))], 0.02)
    assert spread.n == 1
    (spread,) = sampling.sample([clock.call(repeat(0.01))], 0.02)
    assert spread.n == sampling.FEWEST_ROUNDS
    (spread,) = sampling.sample([clock.call(repeat(0.009))], 0.02, patience=1)
    assert spread.n == 3


def test_the_collector_is_let_go_as_it_was() -> None:
    def fail() -> None:
        assert not gc.isenabled()
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        sampling.sample([fail], 0.001)
    assert gc.isenabled()
    gc.disable()
    try:
        sampling.sample([lambda: None], 0.001)
        assert not gc.isenabled()
    finally:
        gc.enable()


@pytest.mark.parametrize("count", [10, (1 << 20) + 7])
@pytest.mark.parametrize("threads", [1, 2, 3])
def test_a_plain_copy_copies_every_byte(count: int, threads: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plain_copy, "processors", lambda: [0] * threads)
    call: Any = plain_copy.plain_copy(count, threads)
    target, source = call.args[:2]
    assert not target.any()
    call()
    assert len(target) == len(source) == count
    assert target.all()


def test_threads_are_counted_by_the_processor_time_they_take(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plain_copy, "processors", lambda: [0, 1])
    for busy, want in ((1.0, 1), (1.9, 2)):
        clock = Clock(monkeypatch)
        clock.process_time = lambda clock=clock, busy=busy: clock.now * busy  # type: ignore[attr-defined]
        monkeypatch.setattr(plain_copy, "time", clock)
        assert plain_copy.threads_busy(clock.call(repeat(1e-3)), 1 << 24) == want
    assert plain_copy.threads_busy(lambda: None, 1000) == 1
