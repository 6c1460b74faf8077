"""Good texts and files with bytes, words or values of their JSON damaged, and what readers owe for them."""

from __future__ import annotations

import json
import re
import zlib
from collections.abc import Callable, Sequence
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
from support.strategies import has_idiom

REAL = Path(__file__).parents[1] / "real"
STRAIGHT = [t for p in sorted((REAL / "cpp").glob("straight_*")) if "_OPERATOR_DESC" in (t := p.read_text())]
"""Texts in C++ that are read whole."""
LONGEST = 4000
"""Characters of a sentence."""
KINDS = ("session", "tokens", "dxdispatch", "cpp", "calls", "onnx", "pasted")
_WORD = re.compile(rb"\s+|\w+|[^\w\s]")
RAW = (
    *("null", "true", "-1", "0", "-0.0", "1.5", "1e400", "NaN", '"nan"', '"-inf"', str(2**32), str(2**64)),
    *("9" * 5000, "[]", "{}", '""', "[[1,2],[3]]", "[" * 3000 + "]" * 3000, "[65535,65535]", '"FLOAT64"', '"6_4"'),
    *('"\\ud800"', '"\\u0000\\u001b[31m\\n\\u202e\\u2028"', '"' + "x" * 3000 + '"', '"DML_OPERATOR_TILE"'),
    *('{"fill":"random","seed":-1}', '{"fill":"iota","start":1e300,"step":1}', '{"fill":1}', '{"a":1,"a":2}'),
    *('{"npy":"../x.npy"}', '{"npy":"\\u0000"}'),
)
"""JSON texts in place of a value, some of which are none."""
_MARK = "@raw:"


def fenced(text: str, fence: str = "```", language: str = "") -> str:
    """A block of code."""
    return f"{fence}{language}\n{text}\n{fence}\n"


def before_lines(text: str, mark: str) -> str:
    """A mark in front of every line."""
    return "".join(f"{mark}{line}\n" for line in text.split("\n"))


def prompted(text: str) -> str:
    """A dialogue in which every line was typed."""
    return "".join(f"In [{n}]: {line}\nOut[{n}]: \n" for n, line in enumerate(text.split("\n"), 1))


WRAPPINGS: tuple[Callable[[str], str], ...] = (
    lambda text: text,
    fenced,
    lambda text: fenced(text, "~~~~", "cpp"),
    lambda text: fenced(text, language="python"),
    lambda text: before_lines(text, "> "),
    lambda text: before_lines(text, "> > "),
    lambda text: before_lines(fenced(text), "> "),
    lambda text: fenced(before_lines(text, ">")),
    prompted,
    lambda text: before_lines(text, ">>> "),
    lambda text: before_lines(text, "    "),
    lambda text: text.replace("\n", "\r\n"),
)
"""What people paste code in: fences, quotes, prompts."""


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


def damaged(random: Random, data: bytes) -> bytes:
    """`data` with a few bytes replaced by others, by nothing, or by some of its own."""
    for _ in range(random.randint(1, 4)):
        at, own = random.randrange(len(data) + 1), random.randrange(len(data) + 1)
        kinds = (b"", random.randbytes(random.randint(1, 6)), data[own : own + random.randint(1, 60)])
        new = random.choice((*kinds, bytes(random.choices(b'{}[]",:0123456789-+.eE_ \n\tdml'))))
        data = data[:at] + new + data[at + random.choice((0, len(new), random.randint(1, 12), len(data))) :]
    return data


def hostile(random: Random, tree: Any) -> str:
    """JSON of `tree` with up to three of its values, or keys, replaced, doubled or taken out."""
    made = tree
    for _ in range(random.choice((1, 1, 2, 3))):
        made = _changed(random, made)
    text = json.dumps(made, ensure_ascii=random.random() < 0.5)
    for number, raw in enumerate(RAW):
        text = text.replace(f'"{_MARK}{number}@"', raw)
    return text


def _changed(random: Random, tree: Any) -> Any:
    """A copy with one node changed, deeper ones more often than not."""
    if isinstance(tree, int) and random.random() < 0.6:
        return random.randrange(-3, 10)
    if not isinstance(tree, (dict, list)) or not tree or random.random() < 0.05:
        return f"{_MARK}{random.randrange(len(RAW))}@"
    keys = list(tree) if isinstance(tree, dict) else list(range(len(tree)))
    key, how = random.choice(keys), random.random()
    if how < 0.75:
        tree[key] = _changed(random, tree[key])
    elif how < 0.85:
        del tree[key]
    elif isinstance(tree, list):
        tree.extend(tree[:] if how < 0.9 else [tree[key]])
    else:
        tree[random.choice(("npy", "fill", "extra", "Axis", "values", "dmlviz", "\u202e", key))] = tree.pop(key)
    return tree


def made(name: str, random: Random) -> bytes:
    """One input of a kind; the same for the same state of `random`."""
    data = random.choice(_seeds(name))
    if name in ("session", "tokens", "dxdispatch") and random.random() < 0.6:
        data = hostile(random, json.loads(data)).encode("utf-8", "surrogatepass")
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
