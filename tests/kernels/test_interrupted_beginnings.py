"""An exception out of a signal in the first call of a kernel: it comes out as itself, and the next call works."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

pytestmark = pytest.mark.integration

CODE = """
    import importlib, os, signal, sys
    import numpy as np
    import dmlviz as dml
    from dmlviz.kernels.lib import loading
    from dmlviz.running import engine

    loading.import_numba()
    importlib.import_module("dmlviz.kernels.lib.compiled")
    x = np.arange(1 << 18, dtype=np.uint8).reshape(1, -1)
    desc = dml.Tile(dml.TensorDesc("UINT8", x.shape), (8, 1))
    out, want = np.zeros((8, x.size), np.uint8), np.tile(x, (8, 1))

    class Told(BaseException):
        pass

    class Intruder:
        '''Raises before the `at`-th line that Python runs in this thread; never if 0.'''
        def __init__(self, at):
            self.at, self.count = at, 0
        def __call__(self, frame, event, argument):
            self.count += event == "line"
            if event == "line" and self.count == self.at:
                raise Told(f"{frame.f_code.co_filename}, line {frame.f_lineno}")
            return self

    def first_calls(at):
        '''What is wrong with a call that is broken into, and with the one behind it; else the number of lines.'''
        plan, intruder = engine.Plan(desc), Intruder(at)
        try:
            sys.settrace(intruder)
            try:
                plan.call((out, x))
            finally:
                sys.settrace(None)
            told = intruder.count < at or at == 0  # how often it waits for a helper, that is for time to tell
        except Told as error:
            told, at = True, error
        assert told, f"{at} was lost"
        out.fill(0)
        plan.call((out, x))
        assert (out == want).all() and plan.shared, f"after {at}"
        return str(intruder.count)

    def in_a_process(at):
        reads, writes = os.pipe()
        if not (child := os.fork()):
            signal.alarm(300)  # it hangs
            try:
                said = first_calls(at)
            except BaseException as error:
                said = f"{type(error).__name__}: {error}"
            os.write(writes, said.encode())
            os._exit(0)
        os.close(writes)
        with os.fdopen(reads, "rb") as pipe:
            said = pipe.read().decode()
        os.waitpid(child, 0)
        return said

    lines = int(in_a_process(0))
    tried = range(1, lines + 1, max(1, lines // 60))
    for at in tried:
        said = in_a_process(at)
        assert said.isdecimal(), f"{at} of {lines}: {said}"
    print("done")
"""


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs processes that begin alike")
def test_an_exception_at_any_line_of_the_first_shared_call_is_the_one_that_comes_out(tmp_path: Path) -> None:
    environ = {**os.environ, "DMLVIZ_THREADS": "2", "PYTHONWARNINGS": "ignore::DeprecationWarning"}
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(CODE)], capture_output=True, text=True, cwd=tmp_path, env=environ
    )
    assert done.stdout == "done\n", done.stderr
