"""Gives readers whatever bytes: each has to give experiments or one sentence, and soon: what is done for it is counted.

Inputs are good texts of a kind with bytes, tokens or values of their JSON damaged.
"""

from __future__ import annotations

import contextlib
import json
import re
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache, partial
from pathlib import Path
from random import Random
from typing import Any

from real.calls.answers import CALLS

from dmlviz.desc.value_sources import Npy
from dmlviz.errors import DmlvizError
from dmlviz.exporters.lib.exporting import export
from dmlviz.importers.lib import importing
from dmlviz.importers.lib.found import imported
from dmlviz.importers.lib.imported import Imported
from dmlviz.importers.onnx import source as onnx_model
from dmlviz.session import examples, tokens
from dmlviz.session.experiments import Experiment, Session
from dmlviz.session.reading import parse
from dmlviz.session.wiring import rings
from dmlviz.session.writing import dump, dump_experiment
from support.idioms import has_idiom
from support.mutations import damaged, hostile
from support.random_sessions import sessions_of_all_kinds
from support.snippets_cpp import SNIPPETS
from support.work import Work
from support.wrappings import WRAPPINGS

MOST_WORK = 1 << 22
"""Work for one input, as `Work` counts it."""
COUNTED = 10
"""One in so many inputs is counted: that takes several times as long."""
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
    """Good inputs to damage, and the reader that they are given to."""

    seeds: Callable[[], Sequence[bytes]]
    read: Callable[[bytes], Sequence[Experiment]]


def inputs(name: str, random: Random) -> bytes:
    """One input of a kind; the same for the same state of `random`."""
    data = random.choice(_seeds(name))
    tree = _tree(data)
    if tree is not None and random.random() < 0.6:
        data = hostile(random, tree).encode("utf-8", "surrogatepass")
    elif name != "onnx" and random.random() < 0.8:
        data = _retold(name, random, data)
    if random.random() < 0.3:
        data = damaged(random, data)
    if name == "tokens" and random.random() < 0.9:  # a good checksum over what no honest token holds
        deflate = zlib.compressobj(1, zlib.DEFLATED, -15, 9, zlib.Z_DEFAULT_STRATEGY, tokens.DICTIONARY)
        packed = deflate.compress(data) + deflate.flush()
        data = tokens._token_of(packed if random.random() < 0.9 else damaged(random, packed)).encode()
    return data


def _retold(name: str, random: Random, data: bytes) -> bytes:
    """A text with a few tokens taken out, doubled, or replaced by one of another text."""
    found = _TOKEN.findall(data)
    for _ in range(random.randint(0, 3)):
        if found:
            at, how = random.randrange(len(found)), random.randrange(3)
            other = random.choice(_TOKEN.findall(random.choice(_seeds(name))) or [b""])
            found[at] = (b"", found[at] * 2, other)[how]
    return b"".join(found)


_TOKEN = re.compile(rb"\s+|\w+|[^\w\s]")


@cache
def _tree(data: bytes) -> Any:
    """The JSON that a seed holds; None where it holds none."""
    try:
        return json.loads(data)
    except ValueError:
        return None


@cache
def _seeds(name: str) -> tuple[bytes, ...]:
    return tuple(KINDS[name].seeds())


def _files() -> list[bytes]:
    return [each.path.read_bytes() for each in examples.all_examples()]


def _experiments() -> list[bytes]:
    held = [each for example in examples.all_examples() for each in example.session().experiments]
    return [json.dumps(dump_experiment(each)).encode() for each in held]


def _exported(target: str) -> list[bytes]:
    return [export(each.session(), target).data for each in examples.all_examples()[::5]]


def _cpp() -> list[bytes]:
    texts = [export(each, "cpp").data for each in sessions_of_all_kinds(24, seed=5)]
    return [text for text in texts if len(text) < 6000] + [each.text.encode() for each in SNIPPETS]


def _calls() -> list[bytes]:
    return [text.encode() for text, _ in CALLS.values()]


def _models() -> list[bytes]:
    """Every valid example as a model, and those of exporters."""
    found = []
    for example in examples.all_examples():
        good = tuple(e for e in example.session().experiments if e.check().ok and has_idiom(e.desc, "onnx"))
        if good:
            found.append(export(Session(good[:2]), "onnx").data)
    real = Path(__file__).parents[1] / "real" / "onnx"
    return found + [path.read_bytes() for path in sorted(real.glob("*.onnx"))]


def _pasted() -> list[bytes]:
    texts = [text.decode() for text in (*_calls()[:40], *_exported("dxdispatch")[:6])]
    texts += [each.text for each in SNIPPETS]
    wrapped = [wrap(text) for wrap in WRAPPINGS for text in texts]
    return [f"It's E_INVALIDARG (0x80070057), isn't it?\n{text}\nOutput: 1, 2 }} )".encode() for text in wrapped]


def _read_session(data: bytes) -> Sequence[Experiment]:
    session, errors = parse(data, "it", None)
    if not session.experiments:
        raise errors[0]
    return session.experiments


def _read_token(data: bytes) -> Sequence[Experiment]:
    return (tokens.experiments_of(data.decode("utf-8", "replace"))[-1],)


def _read_model(data: bytes) -> Sequence[Experiment]:
    """By the importer with sizes for free dimensions, and by way of all of them."""
    for dims in ({"batch": 2, "t": 3}, {"rows": 2, "columns": 2**32 - 1}):
        with contextlib.suppress(DmlvizError):
            _checked(imported(onnx_model.read_with(data, "input", None, dims)))
    return _read(data)


def _read(data: bytes) -> Sequence[Experiment]:
    return _checked(importing.read(data, "input"))


KINDS = {
    "session": Kind(_files, _read_session),
    "tokens": Kind(_experiments, _read_token),
    "dxdispatch": Kind(partial(_exported, "dxdispatch"), _read),
    "cpp": Kind(_cpp, _read),
    "calls": Kind(_calls, _read),
    "onnx": Kind(_models, _read_model),
    "pasted": Kind(_pasted, _read),
}


def _checked(found: Imported) -> Sequence[Experiment]:
    for remark in found.remarks:
        assert remark.text, "an empty remark"
        for text in (remark.where, remark.text):
            assert text.isprintable(), f"a remark that is no line: {text!r}"
            assert len(text) <= LONGEST, f"a remark of {len(text)} characters"
    return found.experiments


def play(name: str, seed: int, start: int, stop: int) -> Tally:
    """Gives inputs `start` to `stop` of a kind to its reader. Input `n` of a seed is always the same."""
    tally = Tally()
    for number in range(start, stop):
        data = inputs(name, Random(f"{seed}/{name}/{number}"))
        tally.inputs += 1
        error = ""
        work = Work()
        try:
            with contextlib.nullcontext() if number % COUNTED else work:
                tally.read += outcome(KINDS[name].read, data)
        except Exception as raised:
            error = f"{type(raised).__name__}: {raised}"
        if not error and work.done > MOST_WORK:
            error = f"took {work.done:,} lines of work, expected at most {MOST_WORK:,}"
        if error:
            tally.crashes.append(f"{name}, input {number} of seed {seed}: {error}\n  {data.hex()}")
    return tally


def outcome(read: Callable[[bytes], Sequence[Experiment]], data: bytes) -> bool:
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
    for each in found[:50]:
        each.check()
    if not any(isinstance(spec, Npy) for each in found for spec in each.values.values()):
        session = Session(found)
        text = dump(session)
        back, errors = parse(text.encode(), "it", None)
        # A model may hold a ring of nodes, which is the session's error once and costs no experiment.
        assert len(errors) == len(rings(session.experiments)), f"can't be read back: {errors}"
        assert dump(back) == text, "comes back as something else"
    return True
