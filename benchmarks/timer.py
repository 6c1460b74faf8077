"""Timers: objects in processes of their own, which time calls one at a time as the program that started them asks.

A library's threads spin for a while after its turn: in one process, or right after it, they would take the second core
from whoever is timed. A sample's answer comes when its process is quiet.
"""

from __future__ import annotations

import contextlib
import gc
import hashlib
import importlib
import math
import multiprocessing
import os
import signal
import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

import cells
import numpy as np

import dmlviz as dml
from dmlviz.desc.values import Array
from dmlviz.running.engine import memory_needed
from dmlviz.timing.numpy_calls import numpy_call
from dmlviz.timing.plain_copy import LEAST, plain_copy, processors
from dmlviz.timing.sampling import collector_held, seconds_of

OURS, COPY = "dmlviz", "copy"
PEERS = {"numpy": "numpy", "torch": "torch_peer", "onnxruntime": "onnxruntime_peer"}
"""The libraries, in the order in which results show them, and the module that knows each one's ways."""
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

Call = Callable[[], object]
Outputs = Callable[[], Sequence[Array]]


class Way(NamedTuple):
    """A function of a library."""

    name: str
    call: Call
    outputs: Outputs
    """Calls it and returns the outputs."""


class CannotTimeError(Exception):
    """A timer can't do what was asked; the message is the reason, in a few words."""


class EndedError(CannotTimeError):
    """A timer's process has ended."""


class CannotExpressError(CannotTimeError):
    """A library has no function for a desc."""


# ---- an object in a process of its own --------------------------------------------------------------------------


class Remote:
    """A `kind(*arguments)` in a process of its own, whose methods `ask` calls there."""

    def __init__(self, kind: Callable[..., Any], *arguments: Any) -> None:
        context = multiprocessing.get_context("spawn")
        self._pipe, theirs = context.Pipe()
        self._process = context.Process(target=_serve, args=(theirs, kind, arguments), daemon=True)
        self._process.start()
        theirs.close()

    def ask(self, method: str, *arguments: Any) -> Any:
        """What the method returns. Raises CannotTimeError where it raises, EndedError where its process ends."""
        self.tell(method, *arguments)
        return self.hear()

    def tell(self, method: str, *arguments: Any) -> None:
        """Asks, and lets `hear` wait for the answer."""
        with contextlib.suppress(OSError):  # `hear` will notice
            self._pipe.send((method, arguments))

    def hear(self) -> Any:
        try:
            trouble, answer = self._pipe.recv()
        except (EOFError, OSError):
            raise EndedError("its process ended") from None
        if trouble:
            raise CannotTimeError(trouble)
        return answer

    def end(self) -> None:
        self._process.kill()
        self._process.join()
        self._pipe.close()


def _serve(pipe: Any, kind: Callable[..., Any], arguments: tuple[Any, ...]) -> None:
    """Answers until the other end is closed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # ctrl+c is for the program, which asks for nothing more then
    os.dup2(2, 1)  # whatever a library prints is no figure
    served = None
    with contextlib.suppress(EOFError, OSError):
        while True:
            method, words = pipe.recv()
            try:
                served = served or kind(*arguments)
                answer = "", getattr(served, method)(*words)
            except CannotTimeError as error:
                answer = str(error), None
            except MemoryError:
                answer = "ran out of memory", None
            except Exception as error:  # a library's own, of any kind
                answer = f"{type(error).__name__}: {' '.join(str(error).split())[:200]}", None
            pipe.send(answer)


# ---- samples ----------------------------------------------------------------------------------------------------


class Sample(NamedTuple):
    """Seconds of a call."""

    first: float
    """After the idle time of the others' turns."""
    warm: float
    """The mean of a batch of calls, one right after the other."""
    threads: float
    """The processor time that the batch took, as a multiple of its duration."""


def batch(call: Call) -> tuple[int, float]:
    """How many calls make a sample, and about how many seconds one takes."""
    least = seconds_of(call, 1)
    if least < LONG_CALL:
        least = min(least, *(seconds_of(call, 1) for _ in range(2)))
    if least < 1e-4:
        least = seconds_of(call, 20)
    return max(1, min(1 << 16, math.ceil(SAMPLE / least))), least


def timed(call: Call, count: int) -> Sample:
    """A first call; a warm-up; a batch of `count` warm calls. Returns when the process is quiet."""
    with collector_held():
        spent = time.process_time()
        first = warm = seconds_of(call, 1)
        if first < LONG_CALL:
            seconds_of(call, -(-count // 4))
        if first < LONGER_CALL:
            spent = time.process_time()
            warm = seconds_of(call, count)
        threads = (time.process_time() - spent) / (warm * count)
    settle()
    return Sample(first, warm, round(threads, 3))


def settle() -> None:
    """Returns when the process has been quiet for `QUIET` seconds, with all its threads."""
    end = time.monotonic() + RESTLESS
    while time.monotonic() < end:
        spent = time.process_time()
        time.sleep(QUIET)
        if time.process_time() - spent < QUIET / 8:
            return


# ---- one library ------------------------------------------------------------------------------------------------


class Timer:
    """Times one library's ways to a cell, the kernels (`OURS`), or plain copies (`COPY`)."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._ways: list[Way] = []
        self._counts: list[int] = []

    def version(self) -> str:
        """Raises CannotTimeError where the library isn't there."""
        if self.name not in PEERS:
            return dml.__version__
        try:
            library = importlib.import_module(PEERS[self.name])
            return str(library.__version__ if self.name == "numpy" else library.version())
        except ModuleNotFoundError as error:
            raise CannotTimeError(f"{error.name or self.name} is not installed") from None
        except ImportError as error:
            raise CannotTimeError(f"it can't be imported: {' '.join(str(error).split())[:200]}") from None

    def source(self) -> str:
        """The file that dmlviz was imported from."""
        return str(dml.__file__)

    def prepare(self, cell_id: str, most: int | None = None) -> dict[str, str]:
        """Makes the arrays and every way; a digest of each one's outputs, which held something else before."""
        self._ways = []
        cell = cells.grid(most)[cell_id]
        arrays = cell.arrays() if self.name != COPY else []
        outs = None if cell.regime.allocates else [cells.aligned(part.tensor) for part in cell.desc.outputs]
        self._ways = list(self._ways_to(cell, arrays, outs))
        digests = {}
        for name, _, outputs in self._ways:
            for out in outs or ():
                out.view(np.uint8).fill(0xA5)
            digests[name] = _digest(outputs()) if self.name != COPY else ""
        return digests

    def _ways_to(self, cell: cells.Cell, arrays: list[Array], outs: list[Array] | None) -> Sequence[Way]:
        if self.name == COPY:
            return _copies(memory_needed(cell.desc))
        if self.name == "numpy":
            return _numpys_way(cell, arrays, outs)
        if self.name != OURS:
            ways: Sequence[Way] = importlib.import_module(PEERS[self.name]).ways(cell.desc, arrays, outs)
            return ways
        run: Outputs = partial(dml.run, cell.desc, arrays)
        if outs is None:
            return [Way("dml.run", run, run)]
        bound = dml.bind(cell.desc, arrays, outs)
        return [Way("dml.bind", bound, bound), *([Way("dml.run", run, run)] if cell.regime.overhead else [])]

    def choose(self, names: Sequence[str]) -> list[tuple[str, float]]:
        """Keeps the fastest of the named ways; all of ours and of the plain copy's, which are timed apart.

        Returns what is kept, and about how many seconds a call of it takes.
        """
        ways = [way for way in self._ways if way[0] in names]
        if self.name in PEERS:
            ways = [min(ways, key=lambda way: seconds_of(way.call, 2))]
        with collector_held():
            batches = [batch(call) for _, call, _ in ways]
        self._ways, self._counts = ways, [count for count, _ in batches]
        settle()
        return [(name, seconds) for (name, *_), (_, seconds) in zip(ways, batches, strict=True)]

    def time(self, k: int) -> Sample:
        """A sample of way `k` of those that were chosen."""
        return timed(self._ways[k][1], self._counts[k])

    def release(self) -> None:
        """Lets go of the arrays."""
        self._ways = []
        gc.collect()


def _copies(count: int) -> list[Way]:
    several = len(processors())
    threads = [1, several] if count >= LEAST and several > 1 else [1]
    return [Way(f"{n} thread{'s' * (n > 1)}", plain_copy(count, n), list) for n in threads]


def _numpys_way(cell: cells.Cell, arrays: list[Array], outs: list[Array] | None) -> list[Way]:
    """The call that the operator names, into `outs` or into arrays of its own."""

    def fresh() -> Sequence[Array]:
        made = numpy_call(cell.desc, arrays, [np.empty(p.tensor.sizes, p.tensor.data_type.dtype) for p in parts])
        return made.call() if made is not None else []

    parts = cell.desc.outputs
    named = numpy_call(cell.desc, arrays, outs if outs is not None else fresh())
    if named is None:
        raise CannotExpressError("has no such function")
    call = fresh if outs is None else named.call
    return [Way(named.name, call, call)]


def _digest(arrays: Sequence[Array]) -> str:
    digest = hashlib.sha256()
    for array in arrays:
        flat = np.ascontiguousarray(array).reshape(-1).view(np.uint8)
        for at in range(0, len(flat), BLOCK):
            digest.update(flat[at : at + BLOCK].data)
    return digest.hexdigest()
