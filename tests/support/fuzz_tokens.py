"""Fuzz inputs for tokens: changed text, and good checksums over what no honest token holds."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from functools import cache
from random import Random
from typing import Any

from dmlviz.importers.lib import importing
from dmlviz.session import examples, tokens
from dmlviz.session.experiments import Experiment
from dmlviz.session.writing import dump_experiment
from support.mutations import damaged, hostile


@cache
def _shipped() -> list[tuple[str, Any]]:
    """Tokens, and the JSON that each holds."""
    held = [each for example in examples.all_examples() for each in example.session().experiments]
    return [(tokens.to_token(each), dump_experiment(each)) for each in held]


def inputs(random: Random) -> bytes:
    """The bytes of one input; the same for the same state of `random`."""
    token, tree = random.choice(_shipped())
    how = random.random()
    if how < 0.25:
        return damaged(random, token.encode())
    if how < 0.65:
        return tokens._token_of(_deflated(hostile(random, tree).encode("utf-8", "surrogatepass"))).encode()
    if how < 0.75:
        return tokens._token_of(_deflated(damaged(random, hostile(random, tree).encode()))).encode()
    if how < 0.85:
        return tokens._token_of(damaged(random, _deflated(hostile(random, tree).encode()))).encode()
    if how < 0.95:
        version = random.choice((b"dml1:", b"dml1:", b"dml2:", b"dml0:", b"dml99999999999:", b"dml:", b" dml1 :"))
        letters = bytes(random.choices(b"ABCabc019-_= \n", k=random.randrange(200)))
        return version + (letters if how < 0.9 else random.randbytes(random.randrange(200)))
    if how < 0.951:
        return tokens._token_of(_deflated(b"[" * random.randrange(3 << 20))).encode()
    return token[: random.randrange(len(token))].encode()


def read(data: bytes) -> Sequence[Experiment]:
    """What is fuzzed."""
    if data[:1] == b"d":
        return importing.read(data, "token").experiments
    return (tokens.experiments_of(data.decode("utf-8", "replace"))[-1],)


def _deflated(data: bytes) -> bytes:
    deflate = zlib.compressobj(1, zlib.DEFLATED, -15, 9, zlib.Z_DEFAULT_STRATEGY, tokens.DICTIONARY)
    return deflate.compress(data) + deflate.flush()
