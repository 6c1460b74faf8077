"""Gives readers whatever bytes: each has to give experiments or one sentence, and soon: what is done for it is counted.

A module `fuzz_NAME.py` beside this one makes the inputs: `inputs(random) -> bytes`. They are read by its own
`read(data)`, if it has one, else by whatever importer knows them.
"""

from __future__ import annotations

import contextlib
import importlib
import signal
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from random import Random
from types import FrameType

from dmlviz.desc.value_sources import Npy
from dmlviz.errors import DmlvizError
from dmlviz.importers.lib import importing
from dmlviz.importers.lib.imported import Imported
from dmlviz.session.experiments import Experiment, Session
from dmlviz.session.reading import parse
from dmlviz.session.wiring import rings
from dmlviz.session.writing import dump
from support.work import Work

MOST_WORK = 1 << 22
"""Work for one input, as `Work` counts it."""
COUNTED = 10
"""One in so many inputs is counted: that takes several times as long."""
HANGS = 60
"""Seconds after which an input is given up."""
LONGEST = 4000
"""Characters of a sentence."""


@dataclass
class Tally:
    """What became of the inputs of one kind."""

    inputs: int = 0
    read: int = 0
    crashes: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Kind:
    """Inputs, and the readers that they are given to."""

    inputs: Callable[[Random], bytes]
    readers: tuple[Callable[[bytes], Sequence[Experiment]], ...]


def names() -> list[str]:
    """Every kind of input there is."""
    return sorted(path.stem.removeprefix("fuzz_") for path in Path(__file__).parent.glob("fuzz_*.py"))


@cache
def kind(name: str) -> Kind:
    """The inputs and readers of that name."""
    module = importlib.import_module(f"support.fuzz_{name}")
    if hasattr(module, "read"):
        return Kind(module.inputs, (module.read,))
    return Kind(module.inputs, (lambda data: _checked(importing.read(data, "input")),))


def _checked(found: Imported) -> Sequence[Experiment]:
    for remark in found.remarks:
        assert remark.text, "an empty remark"
        for text in (remark.where, remark.text):
            assert text.isprintable(), f"a remark that is no line: {text!r}"
            assert len(text) <= LONGEST, f"a remark of {len(text)} characters"
    return found.experiments


def play(name: str, seed: int, start: int, stop: int) -> Tally:
    """Gives inputs `start` to `stop` of a kind to its readers. Input `n` of a seed is always the same."""
    found, tally = kind(name), Tally()
    if found is None:
        return tally
    for number in range(start, stop):
        data = found.inputs(Random(f"{seed}/{name}/{number}"))
        tally.inputs += 1
        error = ""
        work = Work()
        try:
            with _in_time(), contextlib.nullcontext() if number % COUNTED else work:
                results = [_outcome(read, data) for read in found.readers]
            tally.read += any(results)
        except Exception as raised:
            error = f"{type(raised).__name__}: {raised}"
        if not error and work.done > MOST_WORK:
            error = f"took {work.done:,} lines of work, expected at most {MOST_WORK:,}"
        if error:
            tally.crashes.append(f"{name}, input {number} of seed {seed}: {error}\n  {data.hex()}")
    return tally


def _outcome(read: Callable[[bytes], Sequence[Experiment]], data: bytes) -> bool:
    """True if experiments came out, which a session file can hold; False for one sentence. Anything else raises."""
    try:
        found = tuple(read(data))
    except DmlvizError as error:
        said = str(error)
        assert said.isprintable(), f"no line: {said!r}"
        assert said.endswith("."), f"no sentence: {said!r}"
        assert len(said) <= LONGEST, f"{len(said)} characters"
        return False
    assert found, "neither experiments nor a sentence"
    assert all(isinstance(each, Experiment) for each in found)
    if not any(isinstance(spec, Npy) for each in found for spec in each.values.values()):
        session = Session(found)
        text = dump(session)
        back, errors = parse(text.encode(), "it", None)
        # A model may hold a ring of nodes, which is the session's error once and costs no experiment.
        assert len(errors) == len(rings(session.experiments)), f"can't be read back: {errors}"
        assert dump(back) == text, "comes back as something else"
    return True


@contextlib.contextmanager
def _in_time() -> Iterator[None]:
    """Raises TimeoutError where an input takes for ever."""
    if not hasattr(signal, "SIGALRM"):
        yield
        return

    def late(number: int, frame: FrameType | None) -> None:
        raise TimeoutError(f"no end after {HANGS} s")

    before = signal.signal(signal.SIGALRM, late)
    signal.alarm(HANGS)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)
