"""A timer: the process that times one library, the kernels or plain copies, a call at a time as the harness asks.

It reads requests from standard input, a line of JSON each, and answers every one with a line on standard output:

    {"do": "hello"}                     {"version": "2.4.6"} or {"absent": "is not installed"}
    {"do": "prepare", "cell": {...}}    {"ways": {"take": "digest of its outputs"}} or {"cannot": "a reason"}
    {"do": "choose", "ways": [...]}     {"ways": ["take"], "seconds": [8e-6]}, the fastest of those
    {"do": "time", "way": 0}            {"first": 1e-5, "warm": 8e-6, "threads": 1.0}, see `Timer.time`
    {"do": "release"}                   {}

When standard input ends the process ends. An interrupt from the terminal is the harness' business.
"""

from __future__ import annotations

import gc
import hashlib
import json
import math
import os
import signal
import sys
import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from dmlviz.desc.values import Array
from dmlviz.running import engine
from dmlviz.timing.peers.ways import CannotExpressError, Way
from dmlviz.timing.plain_copy import LEAST, plain_copy, processors
from dmlviz.timing.sampling import collector_held, fastest, seconds_of
from dmlviz.version import __version__

from . import cells, libraries
from .cells import Cell

OURS, COPY = "dmlviz", "copy"
SAMPLE = 4e-3
"""Short calls are batched until a sample lasts about this many seconds."""
LONG_CALL = 0.03
"""Seconds from which on the first call is warm-up enough."""
LONGER_CALL = 0.1
"""Seconds from which on a call doesn't notice what came before it: the first call is the sample."""
QUIET = 4e-3
"""Seconds that the process must have done next to nothing before another timer's turn."""
RESTLESS = 0.3
"""Seconds after which it isn't waited for any longer."""
BLOCK = 1 << 24


class Timer:
    """Times one library's ways, the kernels (`OURS`), or plain copies (`COPY`)."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._ways: list[Way] = []
        self._counts: list[int] = []

    def hello(self) -> dict[str, Any]:
        if self.name in (OURS, COPY):
            return {"version": __version__ if self.name == OURS else np.__version__}
        try:
            found: Any = libraries.library(self.name)
            return {"version": found.version(), **({"threads": found.threads()} if hasattr(found, "threads") else {})}
        except ImportError as error:
            missing = getattr(error, "name", None) or self.name
            if not isinstance(error, ModuleNotFoundError):
                return {"absent": f"can't be imported: {' '.join(str(error).split())[:200]}"}
            needs = "" if missing == self.name else f"needs {missing}, which "
            return {"absent": f"{needs}is not installed"}

    def prepare(self, cell: dict[str, Any]) -> dict[str, Any]:
        """Makes the arrays and every way; calls each once, on outputs that hold something else before."""
        self._ways = []
        found = cells.find(cell)
        arrays = found.arrays() if self.name != COPY else []
        outs = None if found.regime.allocates else _outs(found)
        try:
            self._ways = self._made(found, arrays, outs)
        except CannotExpressError as error:
            return {"cannot": str(error)}
        digests = {}
        for way in self._ways:
            for out in outs or ():
                out.view(np.uint8).fill(0xA5)
            digests[way.name] = _digest(way.outputs()) if self.name != COPY else ""
        return {"ways": digests}

    def _made(self, cell: Cell, arrays: list[Array], outs: list[Array] | None) -> list[Way]:
        if self.name == OURS:
            return _ours(cell, arrays, outs)
        if self.name == COPY:
            return _copies(engine.memory_needed(cell.desc))
        return libraries.library(self.name).ways(cell.desc, arrays, outs)

    def choose(self, ways: Sequence[str]) -> dict[str, Any]:
        """Keeps the fastest of the named ways; all of ours and of the plain copy's, which are timed apart."""
        held = [way for way in self._ways if way.name in ways]
        if self.name not in (OURS, COPY):
            held = [held[fastest([way.call for way in held])]]
        self._ways = held
        self._counts = []
        seconds = []
        with collector_held():
            for way in held:
                least = seconds_of(way.call, 1)
                if least < LONG_CALL:
                    least = min(least, *(seconds_of(way.call, 1) for _ in range(2)))
                if least < 1e-4:
                    least = seconds_of(way.call, 20)
                self._counts.append(max(1, min(1 << 16, math.ceil(SAMPLE / least))))
                seconds.append(least)
        _settle()
        return {"ways": [way.name for way in held], "seconds": seconds}

    def time(self, way: int) -> dict[str, Any]:
        """A first call, after the idle time of the others' turns; a warm-up; a batch of warm calls.

        `threads` is the processor time that the batch took, as a multiple of its duration. The answer comes when the
        process is quiet: threads that spin for a while after their work would take a core from the next one.
        """
        call, count = self._ways[way].call, self._counts[way]
        with collector_held():
            spent = time.process_time()
            first = warm = seconds_of(call, 1)
            if first < LONG_CALL:
                seconds_of(call, -(-count // 4))
            if first < LONGER_CALL:
                spent = time.process_time()
                warm = seconds_of(call, count)
            threads = (time.process_time() - spent) / (warm * count)
        _settle()
        return {"first": first, "warm": warm, "threads": round(threads, 3)}

    def release(self) -> dict[str, Any]:
        """Lets go of the arrays."""
        self._ways = []
        gc.collect()
        return {}

    def answer(self, request: dict[str, Any]) -> dict[str, Any]:
        given = {key: value for key, value in request.items() if key != "do"}
        try:
            found: dict[str, Any] = getattr(self, request["do"])(**given)
            return found
        except MemoryError:
            self.release()
            return {"cannot": "ran out of memory"}
        except Exception as error:  # a library's own, of any kind
            self.release()
            return {"cannot": f"{type(error).__name__}: {' '.join(str(error).split())[:200]}"}


def _outs(cell: Cell) -> list[Array]:
    return [cells.aligned(part.tensor) for part in cell.desc.outputs]


def _ours(cell: Cell, arrays: list[Array], outs: list[Array] | None) -> list[Way]:
    bound = engine.bind(cell.desc, arrays, outs) if outs is not None else None
    found = [Way("dml.bind", bound, bound)] if bound is not None else []
    if bound is None or cell.regime.overhead:
        run: Callable[[], list[Array]] = partial(engine.run, cell.desc, arrays)
        found.append(Way("dml.run", run, run))
    return found


def _copies(count: int) -> list[Way]:
    several = len(processors())
    threads = [1, several] if count >= LEAST and several > 1 else [1]
    return [Way(f"{n} thread{'s' * (n > 1)}", plain_copy(count, n), list) for n in threads]


def _digest(arrays: Sequence[Array]) -> str:
    found = hashlib.sha256()
    for array in arrays:
        flat = np.ascontiguousarray(array).reshape(-1).view(np.uint8)
        for at in range(0, len(flat), BLOCK):
            found.update(flat[at : at + BLOCK].data)
    return found.hexdigest()


def _settle() -> None:
    """Returns when the process has been quiet for `QUIET` seconds, with all its threads."""
    end = time.monotonic() + RESTLESS
    while time.monotonic() < end:
        spent = time.process_time()
        time.sleep(QUIET)
        if time.process_time() - spent < QUIET / 8:
            return


def main(name: str) -> None:
    """Answers requests until standard input ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    sys.set_int_max_str_digits(100_000)
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # whatever a library prints is no answer
    timer = Timer(name)
    for line in sys.stdin:
        found = timer.answer(json.loads(line))
        try:
            answers.write(json.dumps(found) + "\n")
            answers.flush()
        except OSError:
            return
