"""The process that runs happen in: its stages, its end, and what it leaves behind."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import numpy as np
import pytest
from support.one_session import experiment_of
from support.outside import Toy
from support.processes import Told, gone, wait_until, worker

import dmlviz as dml
from dmlviz.kernels.lib.kernel import KernelState
from dmlviz.running import memory
from dmlviz.session.experiments import Experiment
from dmlviz.worker import client
from dmlviz.worker.client import Runner

F32 = dml.TensorDesc("FLOAT32", (4, 8))


def test_a_run_tells_its_stages_and_the_next_is_quick(running: Runner) -> None:
    told, again = Told(), Told()
    running.start(experiment_of(), told)
    end = told.end()
    assert (end.trouble, end.agreed) == ("", 8)
    stages = list(dict.fromkeys(state.stage for state in told.states))
    assert stages == ["starting", "compiling", "allocating", "running", "timing", "textbook", ""]
    assert next(state for state in told.states if state.comparison).busy
    late = next(state.comparison for state in told.states if state.stage == "textbook")
    assert late.textbook is None
    assert min(end.comparison.textbook) > 0
    process = worker()
    running.start(experiment_of(), again)
    assert again.end().comparison.ours.kernel is KernelState.READY
    assert worker() == process is not None
    running.close()
    assert worker() is None
    assert gone(process)


def test_a_cancelled_run_says_nothing_more_and_its_process_ends(running: Runner) -> None:
    told, again = Told(), Told()
    running.start(experiment_of(), told)
    told.until(lambda state: state.stage == "starting")
    process = worker()
    assert process is not None
    running.cancel()
    wait_until(lambda: gone(process), "the process to end")
    count = len(told.states)
    running.start(experiment_of("tile-1"), again)  # a new process; the old one's words reach nobody
    assert again.end().comparison is not None
    assert len(told.states) <= count + 1
    assert all(state.busy for state in told.states)


def test_a_run_that_nobody_asked_for_tells_who_waits_for_it_and_leaves_its_kernel(running: Runner) -> None:
    told, given_up, other = Told(), Told(), Told()
    running.get_ready(experiment_of())
    running.start(experiment_of("gather-2"), given_up)
    given_up.until(lambda state: state.stage == "compiling")
    process = worker()
    running.cancel()  # the compiler goes on
    running.start(experiment_of("gather-2"), told)
    assert told.end().comparison.ours.kernel is KernelState.READY
    assert told.states[0].stage
    assert worker() == process is not None
    running.close()
    running.get_ready(experiment_of())
    running.start(experiment_of("tile-1"), other)  # waits for no other kernel
    assert other.end().comparison.ours.kernel is not KernelState.READY
    assert all(state.busy for state in given_up.states)


@pytest.mark.slow
@pytest.mark.parametrize(("sent", "words"), [(signal.SIGKILL, "was killed"), (signal.SIGSEGV, "crashed with SIGSEGV")])
def test_a_process_that_dies_is_one_sentence_and_the_next_run_works(
    running: Runner, sent: signal.Signals, words: str
) -> None:
    told, again, third = Told(), Told(), Told()
    running.start(experiment_of(), told)
    told.until(lambda state: state.stage == "starting")
    os.kill(worker() or 0, sent)
    trouble = told.end().trouble
    assert words in trouble
    assert trouble.count(".") == 1
    running.start(experiment_of(), again)
    assert again.end().comparison is not None
    kept = worker()
    assert kept is not None
    os.kill(kept, signal.SIGKILL)  # while nothing runs
    wait_until(lambda: gone(kept), "the process to end")
    running.start(experiment_of(), third)
    assert third.end().comparison is not None


def test_a_kernel_that_raises_is_one_sentence(running: Runner, toy: Toy) -> None:
    (toy.example.parents[1] / "kernels" / "flip.py").write_text("def run(*_):\n    1 / 0\n")
    told = Told()
    running.start(Experiment("flip", toy.desc(dml.TensorDesc("FLOAT32", (2, 3)), 1)), told)
    assert told.end().trouble == "the kernel failed with ZeroDivisionError: please report this desc."


def test_what_does_not_fit_is_not_started(running: Runner, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "available_memory", lambda: 2**30)
    tensor, told = dml.TensorDesc("UINT64", (32767, 65535)), Told()
    running.start(Experiment("huge", dml.Join((tensor, tensor), 0)), told)
    assert told.end().trouble == "running JOIN needs 64.0 GiB of memory, but only 1.0 GiB is available."
    assert worker() is None


def test_values_of_files_are_found_and_a_large_run_gives_its_memory_back(
    running: Runner, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    np.save(tmp_path / "x.npy", np.arange(32, dtype=np.float32).reshape(4, 8))
    each = Experiment("npy", dml.Join((F32,), 0), values={"InputTensors[0]": {"npy": "x.npy"}}, folder=tmp_path)  # type: ignore[dict-item]
    assert client.memory_needed(each) == 256
    monkeypatch.setattr(client, "LARGE", 100)
    told = Told()
    running.start(each, told)
    assert told.end().agreed == 32
    assert worker() is None
