"""The process that runs happen in: its stages, its end, and what it leaves behind."""

from __future__ import annotations

import dataclasses
import os
import shlex
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from support.one_session import experiment_of
from support.real_terminal import Terminal
from support.runs import Told, gone, wait_until
from support.toy import Toy
from support.worker_processes import worker

import dmlviz as dml
from dmlviz.kernels.lib.kernel import KernelState
from dmlviz.running import memory
from dmlviz.session import examples
from dmlviz.session.experiments import Experiment
from dmlviz.worker import client
from dmlviz.worker.client import Runner

F32 = dml.TensorDesc("FLOAT32", (4, 8))


def test_a_run_tells_its_stages_and_the_next_is_quick(running: Runner) -> None:
    told = Told()
    running.start(experiment_of(), told)
    end = told.end()
    assert end.trouble == ""
    assert end.comparison is not None
    assert end.agreed == 8
    stages = list(dict.fromkeys(state.stage for state in told.states))
    assert stages == ["starting", "compiling", "allocating", "running", "timing", "textbook", ""]
    shown_early = next(state for state in told.states if state.comparison)
    assert shown_early.busy
    late = next(state.comparison for state in told.states if state.stage == "textbook")
    assert late is not None
    assert late.textbook is None
    assert end.comparison.textbook is not None
    assert end.comparison.textbook.ratio > 0
    process = worker()
    again = Told()
    running.start(experiment_of(), again)
    assert again.end().timing.kernel is KernelState.READY  # type: ignore[union-attr]
    assert worker() == process is not None
    running.close()
    assert worker() is None
    assert gone(process)


def test_a_cancelled_run_says_nothing_more_and_its_process_ends(running: Runner) -> None:
    told = Told()
    running.start(experiment_of(), told)
    told.until(lambda state: state.stage == "starting")
    process = worker()
    assert process is not None
    running.cancel()
    wait_until(lambda: gone(process), "the process to end")
    count = len(told.states)
    again = Told()
    running.start(experiment_of("tile-1"), again)  # a new process; the old one's words reach nobody
    assert again.end().comparison is not None
    assert len(told.states) <= count + 1
    assert all(state.busy for state in told.states)


def test_a_run_replaces_the_one_before(running: Runner) -> None:
    first, second = Told(), Told()
    running.start(experiment_of(), first)
    running.start(experiment_of("join-1"), second)
    found = second.end().comparison
    assert found is not None
    assert found.peer_name in {"concatenate", "copyto"}
    assert all(state.busy for state in first.states)


@pytest.mark.slow
@pytest.mark.parametrize(("sent", "words"), [(signal.SIGKILL, "was killed"), (signal.SIGSEGV, "crashed with SIGSEGV")])
def test_a_process_that_dies_is_one_sentence_and_the_next_run_works(
    running: Runner, sent: signal.Signals, words: str
) -> None:
    told = Told()
    running.start(experiment_of(), told)
    told.until(lambda state: state.stage == "starting")
    process = worker()
    assert process is not None
    os.kill(process, sent)
    trouble = told.end().trouble
    assert words in trouble
    assert trouble.count(".") == 1
    again = Told()
    running.start(experiment_of(), again)
    assert again.end().comparison is not None
    kept = worker()
    assert kept is not None
    os.kill(kept, signal.SIGKILL)  # while nothing runs
    wait_until(lambda: gone(kept), "the process to end")
    third = Told()
    running.start(experiment_of(), third)
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
@pytest.mark.parametrize("stage", ["starting", "compiling", "timing"])
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
    wait_until(lambda: gone(process), "the process to end")


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
        terminal.until("then warm")
        terminal.send("q")
        assert terminal.ends() == 0
    finally:
        terminal.process.close(force=True)
