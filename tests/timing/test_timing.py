"""Timing: what is measured, what it is held against, the process it happens in, and the panel that shows it."""

from __future__ import annotations

import dataclasses
import gc
import json
import os
import re
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from inspect import isawaitable
from itertools import chain, cycle, repeat
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.driver import Driver, explore, panel
from support.effort import tried
from support.one_session import one
from support.real_terminal import Terminal
from support.runs import Told, experiment, gone, wait_until
from support.strategies import Case, cases
from support.toy import Toy
from support.worker_processes import worker

import dmlviz as dml
from dmlviz.app import DmlvizApp
from dmlviz.desc.fields import NumberField
from dmlviz.errors import DmlvizError, ResourceError
from dmlviz.kernels.lib import loading
from dmlviz.kernels.lib.kernel import KernelState
from dmlviz.running import memory
from dmlviz.session import examples
from dmlviz.session.experiments import Experiment
from dmlviz.timing import comparison, plain_copy, sampling
from dmlviz.timing.comparison import Comparison, Point, Textbook, against_size, against_textbook, compare, scaled
from dmlviz.timing.peers import libraries
from dmlviz.timing.peers.libraries import Way
from dmlviz.timing.sampling import Spread, duration, three_digits
from dmlviz.widgets.inks import inks_of
from dmlviz.widgets.kernel_panel import KernelPanel, result_lines
from dmlviz.worker import client
from dmlviz.worker.client import Runner
from dmlviz.worker.states import Running

EXAMPLES = {
    "gather-2": {"take"},
    "join-1": {"concatenate", "copyto"},
    "split-1": {"split"},
    "reverse-1": {"take_along_axis", "take", "take of a table", "slices"},
    "tile-1": {"tile", "copyto"},
}
"""What may be NumPy's fastest way."""
F32 = dml.TensorDesc("FLOAT32", (4, 8))


# ---- measuring


def test_a_spread_is_of_its_samples() -> None:
    found = Spread.of(float(k) for k in range(100, 0, -1))
    assert (found.median, found.min, found.p95, found.n) == (50.5, 1.0, 95.0, 100)
    assert found.samples[0] == 100.0
    assert Spread.of([3.0]) == Spread(3.0, 3.0, 3.0, 1)
    assert Spread.from_json(json.loads(json.dumps(found.to_json()))) == found


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


def test_calls_are_timed_in_turns_and_the_collector_is_held() -> None:
    said: list[str] = []
    collecting: list[bool] = []

    def call(name: str) -> Callable[[], None]:
        def wait() -> None:
            said.append(name)
            collecting.append(gc.isenabled())
            time.sleep(0.003)

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
    assert all(0.003 <= s.min <= s.median <= s.p95 < 0.1 for s in spreads)


def test_short_calls_are_batched() -> None:
    calls = 0

    def call() -> None:
        nonlocal calls
        calls += 1

    (spread,) = sampling.sample([call], 0.01)
    assert calls > 50 * spread.n
    assert 1e-9 < spread.median < 5e-6


class Clock:
    """Stands in for the module `time`; what is called moves it on."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 0.0
        self.slept: list[float] = []
        monkeypatch.setattr(sampling, "time", self)

    def perf_counter(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds

    def call(self, durations: Iterator[float]) -> Callable[[], None]:
        def wait() -> None:
            self.now += next(durations)

        return wait


def test_a_steady_call_is_timed_no_longer_than_it_needs(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock(monkeypatch)
    (spread,) = sampling.sample([clock.call(repeat(1e-4))], 1.0)
    assert spread.n >= sampling.STEADY_SAMPLES
    assert spread.median == pytest.approx(1e-4)
    assert 0.2 <= clock.now < 0.4


def test_an_unsteady_call_is_timed_until_the_budget_is_spent(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock(monkeypatch)
    uneven = cycle(np.random.default_rng(1).uniform(1e-4, 1e-3, 1001).tolist())
    (spread,) = sampling.sample([clock.call(uneven)], 0.5)
    assert spread.n > sampling.STEADY_SAMPLES
    assert clock.now == pytest.approx(0.5, rel=0.01)
    began = clock.now
    steady, unsteady = sampling.sample([clock.call(repeat(1e-4)), clock.call(uneven)], 0.5)
    assert steady.n == unsteady.n
    assert clock.now - began == pytest.approx(0.5, rel=0.01)  # one of them is enough to go on


def test_a_long_call_is_timed_a_few_times_only(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock(monkeypatch)
    (spread,) = sampling.sample([clock.call(repeat(2.0))], 0.02)
    assert spread.n == 1
    (spread,) = sampling.sample([clock.call(repeat(0.01))], 0.02)
    assert spread.n == sampling.FEWEST_ROUNDS
    (spread,) = sampling.sample([clock.call(repeat(0.009))], 0.02, patience=1)
    assert spread.n == 3


@settings(max_examples=20)
@given(st.integers(0, 2**32), st.sampled_from(["exponential", "lognormal", "uniform"]))
def test_the_interval_holds_the_true_median_in_most_runs(seed: int, kind: str) -> None:
    random = np.random.default_rng(seed)
    draw = getattr(random, kind)
    true = {"exponential": np.log(2), "lognormal": 1.0, "uniform": 0.5}[kind]
    for n in (6, 15, 100):
        runs = [sampling.interval(draw(size=n).tolist()) for _ in range(200)]
        assert sum(low <= true <= high for low, high in runs) >= 175, n  # 190 of 200 on average at least
    assert sampling.interval([1.0] * 5) == (0.0, float("inf"))


def test_first_calls_come_after_idle_times(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock(monkeypatch)
    assert sampling.first_after_idle(clock.call(iter([3e-3, 1e-3, 2e-3]))) == pytest.approx(2e-3)
    assert clock.slept == [sampling.IDLE] * 3


def test_the_fastest_is_found_and_a_hopeless_one_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock(monkeypatch)
    calls = 0

    def hopeless() -> None:
        nonlocal calls
        calls += 1
        clock.now += 5.0

    late = chain([1e-2], repeat(1e-5))  # the first call of it loads something
    found = sampling.fastest([hopeless, clock.call(repeat(3e-5)), clock.call(late), clock.call(repeat(2e-5))])
    assert (found, calls) == (2, 1)


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
    target, source = call.args
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


# ---- NumPy's way


@tried(150)
@given(cases("numpy"))
def test_numpys_way_makes_the_same_bytes(case: Case) -> None:
    trace = dml.trace(case.desc, case.arrays)
    want = [trace.reference(k).tobytes() for k in range(len(case.desc.outputs))]
    outs = [np.zeros(part.tensor.sizes, part.tensor.data_type.dtype) for part in case.desc.outputs]
    library = libraries.library("numpy")
    for way in [*library.ways(case.desc, case.arrays, None), *library.ways(case.desc, case.arrays, outs)]:
        for _ in range(2):
            found = [np.ascontiguousarray(array).tobytes() for array in way.outputs()]
            assert found == want, way.name


# ---- larger ones


@tried(150)
@given(cases(), st.integers(2, 5000))
def test_a_scaled_desc_is_valid_and_as_large_as_asked(case: Case, factor: int) -> None:
    own = sum(p.tensor.element_count for p in case.desc.outputs)
    assert scaled(case.desc, own) == case.desc
    assert scaled(case.desc, 1) == case.desc
    made = scaled(case.desc, own * factor)
    if isinstance(case.desc, dml.Gather) and (case.desc.index_dimensions, len(case.desc.input_tensor.sizes)) == (0, 1):
        assert made is None  # one index picks one element, however long the axis is
        return
    assert made is not None
    assert type(made) is type(case.desc)
    assert dml.check(made).ok
    assert sum(p.tensor.element_count for p in made.outputs) == own * factor
    assert made.inputs[0].tensor.data_type is case.desc.inputs[0].tensor.data_type
    assert [len(p.tensor.sizes) for p in made.parts] == [len(p.tensor.sizes) for p in case.desc.parts]
    numbers = [field.name for field in made.FIELDS if isinstance(field, NumberField)]
    assert [made.get(name) for name in numbers] == [case.desc.get(name) for name in numbers]
    if isinstance(case.desc, dml.Tile):
        assert made.get("Repeats") == case.desc.repeats
    assert scaled(case.desc, 2**33) is None


def test_a_row_gather_grows_by_rows() -> None:
    made = scaled(experiment().desc, 80)
    assert made is not None
    assert [p.tensor.sizes for p in made.parts] == [(30, 2), (1, 40), (40, 2)]


def test_a_sixth_operator_grows_too_and_has_no_peer(toy: Toy) -> None:
    desc = toy.desc(dml.TensorDesc("FLOAT32", (2, 3)), 1)
    made = scaled(desc, 60)
    assert made is not None
    assert made.inputs[0].tensor.sizes == (20, 3)
    found = compare(desc, Experiment("n", desc).sources(), budget=0.002)
    assert found.peer is None
    assert found.copy is not None


# ---- comparing


@pytest.mark.parametrize("name", EXAMPLES)
def test_a_desc_is_held_against_a_copy_and_numpy(name: str) -> None:
    each = experiment(name)
    stages: list[str] = []
    seen: list[Any] = []
    found = compare(
        each.desc,
        each.sources(),
        each.feature_level,
        budget=0.01,
        tell=lambda stage, share: stages.append(stage),
        verify=lambda outputs: seen.extend(array.copy() for array in outputs),
    )
    assert list(dict.fromkeys(stages)) == ["compiling", "allocating", "running", "timing"]
    assert [array.tolist() for array in seen] == [
        each.trace().reference(k).tolist() for k in range(len(each.desc.outputs))
    ]
    assert found.peer_name in EXAMPLES[name]
    assert found.peer is not None
    assert found.copy is not None
    assert found.copy_share == found.copy.median / found.ours.median
    assert found.ours.n == found.copy.n == found.peer.n
    assert found.elements == sum(array.size for array in seen)
    assert found.ours.bytes_written == sum(array.nbytes for array in seen)
    assert found.ours.opening >= found.ours.kernel_seconds
    again = Comparison.from_json(json.loads(json.dumps(found.to_json())))
    assert again == found


def test_the_first_call_counts_getting_the_kernel_ready_once(monkeypatch: pytest.MonkeyPatch) -> None:
    each = experiment("join-1")
    monkeypatch.setattr(loading, "_loaded", {})
    # The module stays imported, so this is quick; that it was got ready now is told all the same.
    first = compare(each.desc, each.sources(), budget=0.001)
    second = compare(each.desc, each.sources(), budget=0.001)
    assert first.ours.kernel is not KernelState.READY
    assert first.ours.opening > first.ours.kernel_seconds > 0
    assert second.ours.kernel is KernelState.READY
    assert second.ours.kernel_seconds == 0


def test_numpy_is_timed_only_where_it_agrees(monkeypatch: pytest.MonkeyPatch) -> None:
    each = experiment()
    wrong = [np.zeros((4, 2), np.float32)]
    own = libraries.library("numpy")
    monkeypatch.setattr(own, "ways", lambda *_: [Way("wrong", lambda: wrong, lambda: wrong)])
    assert compare(each.desc, each.sources(), budget=0.001).peer is None


def test_without_room_there_is_no_copy_and_without_more_no_run(monkeypatch: pytest.MonkeyPatch) -> None:
    each = experiment("join-1")  # 56 bytes in, 56 out
    monkeypatch.setattr(memory, "available_memory", lambda: 120)
    found = compare(each.desc, each.sources(), budget=0.001)
    assert found.copy is None
    assert found.copy_share is None
    assert found.peer is None
    assert list(against_size(each.desc, found)) == []
    monkeypatch.setattr(memory, "available_memory", lambda: 50)
    with pytest.raises(ResourceError, match="needs 56 bytes of memory"):
        compare(each.desc, each.sources())


def test_what_verify_refuses_is_not_timed() -> None:
    each = experiment()

    def refuse(outputs: Sequence[Any]) -> None:
        raise DmlvizError("no.")

    with pytest.raises(DmlvizError, match=r"^no\.$"):
        compare(each.desc, each.sources(), verify=refuse)


@pytest.mark.parametrize("name", EXAMPLES)
def test_time_against_size(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(comparison, "POINT_BUDGET", 0.001)
    monkeypatch.setattr(comparison, "LARGEST", 1 << 18)
    each = experiment(name)
    first = compare(each.desc, each.sources(), each.feature_level, budget=0.001)
    points = list(against_size(each.desc, first, each.feature_level))
    elements = [p.elements for p in points]
    growth = elements[1] // elements[0]
    assert growth in comparison.GROWTH
    assert elements == [first.elements * growth**k for k in range(len(points))]
    assert len(points) >= 4
    item = each.desc.outputs[0].tensor.data_type.item_size
    assert elements[-1] * item <= 1 << 18 < elements[-1] * item * growth
    assert points[0].median == first.ours.median
    assert points[-1].median > points[0].median
    for p in points:
        # Each element is read and written once, and indices and lengths are read.
        assert 2 * p.elements * item <= p.bytes_moved <= 4 * p.elements * item


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_textbook_loop_is_timed_beside_the_kernel(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(comparison, "TEXTBOOK_BUDGET", 0.002)
    each = experiment(name)
    found = against_textbook(each.desc, each.sources(), each.feature_level)
    assert found is not None
    assert found.ratio == found.loop / found.ours > 0
    monkeypatch.setattr(comparison, "LARGEST", 1)
    assert against_textbook(each.desc, each.sources(), each.feature_level) is None


def test_a_loop_that_is_wrong_or_not_there_is_not_timed(toy: Toy, monkeypatch: pytest.MonkeyPatch) -> None:
    desc = toy.desc(F32, 1)
    assert against_textbook(desc, Experiment("flip", desc).sources()) is None
    each = experiment()
    monkeypatch.setattr(comparison, "_same", lambda found, want: False)
    assert against_textbook(each.desc, each.sources()) is None


# ---- the process


def test_a_run_tells_its_stages_and_the_next_is_quick(running: Runner) -> None:
    told = Told()
    running.start(experiment(), told)
    end = told.end()
    assert end.trouble == ""
    assert end.comparison is not None
    assert end.agreed == 8
    assert len(end.comparison.growth) > 3
    stages = list(dict.fromkeys(state.stage for state in told.states))
    assert stages == ["starting", "compiling", "allocating", "running", "timing", "sizes", "textbook", ""]
    shown_early = next(state for state in told.states if state.comparison)
    assert shown_early.busy
    assert not shown_early.comparison.growth  # type: ignore[union-attr]
    late = next(state.comparison for state in told.states if state.stage == "textbook")
    assert late is not None
    assert (len(late.growth) > 3, late.textbook) == (True, None)
    assert end.comparison.textbook is not None
    assert end.comparison.textbook.ratio > 0
    process = worker()
    again = Told()
    running.start(experiment(), again)
    assert again.end().timing.kernel is KernelState.READY  # type: ignore[union-attr]
    assert worker() == process is not None
    running.close()
    assert worker() is None
    assert gone(process)


def test_a_cancelled_run_says_nothing_more_and_its_process_ends(running: Runner) -> None:
    told = Told()
    running.start(experiment(), told)
    told.until(lambda state: state.stage == "starting")
    process = worker()
    assert process is not None
    began = time.monotonic()
    running.cancel()
    assert time.monotonic() - began < 0.5
    assert wait_until(lambda: gone(process))
    count = len(told.states)
    again = Told()
    running.start(experiment("tile-1"), again)  # a new process; the old one's words reach nobody
    assert again.end().comparison is not None
    assert len(told.states) <= count + 1
    assert all(state.busy for state in told.states)


def test_a_run_replaces_the_one_before(running: Runner) -> None:
    first, second = Told(), Told()
    running.start(experiment(), first)
    running.start(experiment("join-1"), second)
    found = second.end().comparison
    assert found is not None
    assert found.peer_name in EXAMPLES["join-1"]
    assert all(state.busy for state in first.states)


@pytest.mark.slow
@pytest.mark.parametrize(("sent", "words"), [(signal.SIGKILL, "was killed"), (signal.SIGSEGV, "crashed with SIGSEGV")])
def test_a_process_that_dies_is_one_sentence_and_the_next_run_works(
    running: Runner, sent: signal.Signals, words: str
) -> None:
    told = Told()
    running.start(experiment(), told)
    told.until(lambda state: state.stage == "starting")
    process = worker()
    assert process is not None
    os.kill(process, sent)
    trouble = told.end().trouble
    assert words in trouble
    assert trouble.count(".") == 1
    again = Told()
    running.start(experiment(), again)
    assert again.end().comparison is not None
    kept = worker()
    assert kept is not None
    os.kill(kept, signal.SIGKILL)  # while nothing runs
    assert wait_until(lambda: gone(kept))
    third = Told()
    running.start(experiment(), third)
    assert third.end().comparison is not None


PARENT = """
import sys, time
from dmlviz.session import examples
from dmlviz.worker.client import Runner
runner = Runner()
def tell(state):
    if state.stage == sys.argv[1] or not state.busy:
        print(state.stage, flush=True)
runner.start(examples.example("gather-2").session().experiments[0], tell)
time.sleep(100)
"""


@pytest.mark.slow
@pytest.mark.parametrize("stage", ["starting", "compiling", "sizes"])
def test_the_process_ends_with_a_parent_that_is_killed(stage: str, tmp_path: Path) -> None:
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
    parent = subprocess.Popen([sys.executable, "-c", PARENT, stage], stdout=subprocess.PIPE, env=environment)
    assert parent.stdout is not None
    assert parent.stdout.readline().strip().decode() == stage
    process = worker(parent.pid)
    assert process is not None
    parent.kill()
    parent.wait()
    parent.stdout.close()
    assert wait_until(lambda: gone(process))


def test_what_does_not_fit_is_not_started(running: Runner, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "available_memory", lambda: 2**30)
    tensor = dml.TensorDesc("UINT64", (32767, 65535))
    told = Told()
    running.start(Experiment("huge", dml.Join((tensor, tensor), 0)), told)
    assert told.end().trouble == "running JOIN needs 64.0 GiB of memory, but only 1.0 GiB is available."
    assert worker() is None


def test_a_large_run_gives_its_memory_back(running: Runner, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client, "LARGE", 1 << 9)
    told = Told()
    running.start(Experiment("large", dml.Join((F32, F32, F32, F32), 0)), told)
    assert told.end().comparison is not None
    assert worker() is None


def test_values_of_files_are_found_and_memory_they_need_is_not_counted(running: Runner, tmp_path: Path) -> None:
    np.save(tmp_path / "x.npy", np.arange(32, dtype=np.float32).reshape(4, 8))
    each = Experiment("npy", dml.Join((F32,), 0), values={"InputTensors[0]": {"npy": "x.npy"}}, folder=tmp_path)  # type: ignore[dict-item]
    assert client.memory_needed(each) == 128
    assert client.memory_needed(dataclasses.replace(each, values={})) == 256
    told = Told()
    running.start(each, told)
    assert told.end().agreed == 32


def test_a_sixth_operator_runs_in_the_process(running: Runner, toy: Toy) -> None:
    told = Told()
    running.start(Experiment("flip", toy.desc(dml.TensorDesc("FLOAT32", (2, 3)), 1)), told)
    end = told.end()
    assert end.agreed == 6
    assert end.comparison is not None
    assert end.comparison.peer is None


def test_a_folder_of_misleading_modules_does_no_harm(tmp_path: Path) -> None:
    (tmp_path / "json.py").write_text("raise SystemExit(3)")
    (tmp_path / "numpy.py").write_text("raise SystemExit(3)")
    script = (
        "import sys, threading\n"
        "from dmlviz.session import examples\n"
        "from dmlviz.worker.client import Runner\n"
        "done = threading.Event()\n"
        "def tell(state):\n"
        "    if not state.busy: print(state.trouble or state.agreed); done.set()\n"
        "runner = Runner(); runner.start(examples.example('join-1').session().experiments[0], tell)\n"
        "done.wait(60); runner.close()\n"
    )
    folder = str(Path(dml.__file__).parents[1])
    found = subprocess.run(
        [sys.executable, "-P", "-c", script],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": folder},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (found.stdout, found.stderr) == ("14\n", "")


@pytest.mark.slow
def test_a_session_from_standard_input_runs_in_a_real_terminal(tmp_path: Path) -> None:
    path = examples.example("tile-1").path
    line = f"cat {shlex.quote(str(path))} | {shlex.quote(sys.executable)} -m dmlviz -"
    terminal = Terminal(["/bin/sh", "-c", line], 120, 36, tmp_path)
    try:
        terminal.until("54 of 54")
        terminal.send("r")
        terminal.until("cancels")
        terminal.until("then warm", 60)
        terminal.send("q")
        assert terminal.ends() == 0
    finally:
        terminal.process.close(force=True)


# ---- the panel


def compared(
    kind: KernelState, median: float, copy: float | None, peer: float | None, growth: int, textbook: float | None = None
) -> Comparison:
    def spread(value: float) -> Spread:
        return Spread(value, value * 0.93, value * 1.2, 4096)

    ours = sampling.Timing(1.25, kind, spread(median), 48, 32, 0.7)
    points = tuple(Point(8 * 16**k, 80 * 16**k, median * 9**k, (copy or median) * 7**k) for k in range(growth))
    copied, other = spread(copy) if copy else None, spread(peer) if peer else None
    loop = Textbook(textbook, median) if textbook else None
    return Comparison(ours, 8, copied, "take_along_axis" if peer else "", other, points, textbook=loop)


INKS = inks_of(DmlvizApp(examples.example("gather-2").session()).theme_variables, "surface")
TIMES = st.floats(1e-8, 100)
COMPARISONS = st.builds(
    compared,
    st.sampled_from(KernelState),
    TIMES,
    st.none() | TIMES,
    st.none() | TIMES,
    st.integers(0, 7),
    st.none() | TIMES,
)


@tried(200)
@given(COMPARISONS, st.integers(60, 160), st.integers(3, 16), st.booleans())
def test_nothing_of_a_result_is_clipped(found: Comparison, width: int, height: int, busy: bool) -> None:
    state = Running("sizes" if busy else "", 0.4, comparison=found, agreed=8)
    lines = result_lines(state, found, width, height, INKS)
    assert len(lines) <= height
    assert all(line.cell_len <= width for line in lines), [line.plain for line in lines]
    text = "\n".join(line.plain for line in lines)
    assert "this desc" in text
    assert "plain copy" in text
    assert ("NumPy" in text) == (found.peer is not None)
    assert "min" in text
    if found.peer is not None:
        assert any(word in text for word in ("slower", "faster", "as fast"))


@pytest.mark.parametrize("width", [72, 76, 120])
def test_a_copy_that_is_slower_than_the_desc_says_why(width: int) -> None:
    def text(copy: float) -> str:
        found = compared(KernelState.READY, 1e-6, copy, None, 0)
        lines = result_lines(Running("", 0.4, comparison=found, agreed=8), found, width, 6, INKS)
        return "\n".join(line.plain for line in lines)

    assert "of the same 32 bytes  mostly the call" in text(2e-6)
    assert "mostly the call" not in text(0.9e-6)


@pytest.mark.parametrize("size", [(80, 24), (120, 36), pytest.param((200, 50), marks=pytest.mark.slow)])
def test_the_panel_tells_what_to_do_then_what_was_found(size: tuple[int, int]) -> None:
    async def script(driver: Driver) -> None:
        screen = driver.screen
        low = size[1] < 32
        # Where lines are short, the footer's word is all there is until there is a run to show.
        assert ("r runs and times it; needs 72 bytes" in panel(driver)) is not low
        assert not low or "r run" in driver.text("#footer")
        before = screen.query_one(KernelPanel).size.height
        await driver.press("r")
        assert screen.state.run.running.busy
        assert "r cancels" in panel(driver) or not low
        await driver.until(lambda: not screen.state.run.running.busy)
        words = panel(driver)
        assert "this desc" in words
        assert "of the same 32 bytes" in words
        if size[1] >= 36:
            assert re.search("textbook loop .*(slower|faster|as fast)", words)
        assert "NumPy take" in words
        assert ", then warm:" in words
        assert "median min" in words
        if size[1] >= 36:
            assert screen.query_one(KernelPanel).size.height > before
            assert "64 bytes" not in words
            assert "48 bytes read, 32 written" in words
            assert "8 elements as pictured" in words
        if size[1] >= 50:
            assert "time against size" in words
            assert "0.1 µs" in words
        assert driver.side(True).size.height >= 6
        await driver.press("down")
        assert "this desc" in panel(driver)  # the cursor changes nothing about it

    explore(script, size=size)


@pytest.mark.parametrize(
    "way", ["r", "click", pytest.param("f5", marks=pytest.mark.slow), pytest.param("palette", marks=pytest.mark.slow)]
)
def test_a_run_is_cancelled_by_key_click_and_command(way: str) -> None:
    async def script(driver: Driver) -> None:
        screen = driver.screen

        async def go(command: str) -> None:
            if way == "click":
                await driver.click("#kernel", 5, 1)
            elif way == "palette":
                found = {c.title: c.callback for c in driver.app.get_system_commands(cast(Any, screen))}
                done = found[command]()
                if isawaitable(done):
                    await done
                await driver.settle()
            else:
                await driver.press(way)

        await go("Run")
        assert screen.state.run.running.busy
        assert "cancels" in panel(driver)
        await go("Cancel run")
        assert not screen.state.run.running.busy
        assert "r runs and times it" in panel(driver)
        await go("Run")
        await driver.until(lambda: not screen.state.run.running.busy)
        assert screen.state.run.running.timing is not None

    explore(script)


def test_an_edit_ends_the_run_and_no_time_is_shown_for_another_desc() -> None:
    async def script(driver: Driver) -> None:
        screen = driver.screen
        await driver.press("r")
        assert screen.state.run.running.busy
        await driver.choose("DataType", "FLOAT16")
        assert not screen.state.run.running.busy
        assert "needs 44 bytes" in panel(driver)
        driver.side(True).focus()
        await driver.press("r")
        await driver.until(lambda: not screen.state.run.running.busy)
        timing = screen.state.run.running.timing
        assert timing is not None
        assert timing.bytes_written == 16
        # What says nothing about the run leaves its result.
        driver.edit(dataclasses.replace(screen.workspace.experiment, notes="other notes"))
        await driver.settle()
        assert screen.state.run.running.timing is timing
        await driver.press("ctrl+z", "ctrl+z")
        assert screen.state.run.running.timing is None
        assert "needs 72 bytes" in panel(driver)

    explore(script)


def test_a_late_word_of_a_cancelled_run_is_not_heard() -> None:
    async def script(driver: Driver) -> None:
        screen = driver.screen
        await driver.press("r")
        number = screen.workspace.runs.number
        await driver.press("r")
        screen.post_message(screen.RunHeard(number, Running(comparison=compared(KernelState.READY, 1, 1, 1, 3))))
        await driver.settle()
        assert screen.state.run.running.timing is None

    explore(script)


def test_a_huge_desc_says_that_it_will_not_start(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "available_memory", lambda: 3 * 2**30)
    tensor = dml.TensorDesc("UINT8", (65535, 65535))

    async def script(driver: Driver) -> None:
        assert "needs 8.0 GiB, 3.0 GiB available: it won't start" in panel(driver)
        await driver.press("r")
        await driver.until(lambda: not driver.screen.state.run.running.busy)
        assert "running TILE needs 8.0 GiB of memory, but only 3.0 GiB is available." in panel(driver)
        assert worker() is None

    assert wait_until(lambda: worker() is None)
    explore(script, one(dml.Tile(tensor, (1, 1))))


def test_the_process_ends_with_the_explorer() -> None:
    processes: list[int] = []

    async def script(driver: Driver) -> None:
        await driver.press("r")
        await driver.until(lambda: worker() is not None)
        processes.append(worker() or 0)

    assert wait_until(lambda: worker() is None)
    explore(script)
    assert wait_until(lambda: gone(processes[0]))
