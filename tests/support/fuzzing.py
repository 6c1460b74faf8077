"""Good texts and files with bytes, words or values of their JSON damaged, and what readers owe for them."""

from __future__ import annotations

import json
import re
import zlib
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

from real.calls.answers import CALLS

from dmlviz.desc.value_sources import Npy
from dmlviz.errors import DmlvizError
from dmlviz.exporters.lib.exporting import export
from dmlviz.importers.lib import importing
from dmlviz.session import examples, tokens
from dmlviz.session.experiments import Experiment, Session
from dmlviz.session.reading import parse
from dmlviz.session.wiring import rings
from dmlviz.session.writing import dump, dump_experiment
from support.idioms import has_idiom
from support.mutations import damaged, hostile
from support.wrappings import WRAPPINGS

REAL = Path(__file__).parents[1] / "real"
STRAIGHT = [t for p in sorted((REAL / "cpp").glob("straight_*")) if "_OPERATOR_DESC" in (t := p.read_text())]
"""Texts in C++ that are read whole."""
LONGEST = 4000
"""Characters of a sentence."""
KINDS = ("session", "tokens", "dxdispatch", "cpp", "calls", "onnx", "pasted")
_WORD = re.compile(rb"\s+|\w+|[^\w\s]")


@cache
def _seeds(name: str) -> Sequence[bytes]:
    every = [one for each in examples.all_examples() for one in each.session().experiments]
    if name == "session":
        return [each.path.read_bytes() for each in examples.all_examples()]
    if name == "tokens":
        return [json.dumps(dump_experiment(one)).encode() for one in every]
    if name == "cpp":
        return [path.read_bytes() for path in sorted((REAL / "cpp").glob("*.cpp"))]
    if name == "calls":
        return [text.encode() for text, _ in CALLS.values()]
    if name == "pasted":
        texts = [data.decode() for kind in ("cpp", "calls", "dxdispatch") for data in _seeds(kind)[::4]]
        return [f"It's 0x80070057, isn't it?\n{wrap(text)}\n1 }} )".encode() for wrap in WRAPPINGS for text in texts]
    valid = [Session((one,)) for one in every[::2] if one.check().ok and has_idiom(one.desc, name) and not one.is_wired]
    real = (REAL / "onnx").glob("*.onnx") if name == "onnx" else ()
    return [*(export(each, name).data for each in valid), *(path.read_bytes() for path in sorted(real))]


@cache
def _tree(data: bytes) -> Any:
    """The JSON that a seed holds; None where it holds none."""
    try:
        return json.loads(data)
    except ValueError:
        return None


def made(name: str, random: Random) -> bytes:
    """One input of a kind; the same for the same state of `random`."""
    data = random.choice(_seeds(name))
    tree = _tree(data)
    if tree is not None and random.random() < 0.6:
        data = hostile(random, tree).encode("utf-8", "surrogatepass")
    elif name != "onnx" and random.random() < 0.8:
        words = _WORD.findall(data)
        for _ in range(random.randint(0, 3)):
            at = random.randrange(len(words))
            other = random.choice(_WORD.findall(random.choice(_seeds(name))))
            words[at] = random.choice((b"", words[at] * 2, other))
        data = b"".join(words)
    if random.random() < 0.3:
        data = damaged(random, data)
    if name == "tokens" and random.random() < 0.9:  # a good checksum over what no honest token holds
        deflate = zlib.compressobj(1, zlib.DEFLATED, -15, 9, zlib.Z_DEFAULT_STRATEGY, tokens.DICTIONARY)
        data = tokens._token_of(deflate.compress(data) + deflate.flush()).encode()
    return data


def outcome(data: bytes, dims: dict[str, int] | None = None) -> Sequence[Experiment]:
    """The experiments that came out, which a session file can hold; none for one sentence. Anything else raises."""
    try:
        found = importing.read(data, "input", None, dims)
    except DmlvizError as error:
        said = str(error)
        assert said.isprintable(), f"no line: {said!r}"
        assert said.endswith("."), f"no sentence: {said!r}"
        assert len(said) <= LONGEST, f"{len(said)} characters"
        return ()
    assert found.experiments, "neither experiments nor a sentence"
    for remark in found.remarks:
        assert remark.text, "an empty remark"
        assert (remark.where + remark.text).isprintable(), f"a remark that is no line: {remark!r}"
        assert len(remark.text) <= LONGEST, f"a remark of {len(remark.text)} characters"
    for each in found.experiments[:50]:
        each.check()
    if not any(isinstance(spec, Npy) for each in found.experiments for spec in each.values.values()):
        session = Session(tuple(found.experiments))
        text = dump(session)
        back, errors = parse(text.encode(), "it", None)
        # A model may hold a ring of nodes, which is the session's error once and costs no experiment.
        assert len(errors) == len(rings(session.experiments)), f"can't be read back: {errors}"
        assert dump(back) == text, "comes back as something else"
    return found.experiments
