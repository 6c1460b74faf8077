"""Fuzz inputs for the ONNX importer: models of ours that were damaged, and messages with ONNX's field numbers."""

from __future__ import annotations

import random as std_random
from functools import cache

from dmlviz.exporters.lib.exporting import export, has_idiom
from dmlviz.session import examples
from dmlviz.session.experiments import Session

FIVE = (b"Concat", b"Split", b"Gather", b"Tile", b"ReverseSequence")
KINDS = (
    *(FIVE + FIVE),
    *(b"Cast", b"Clip", b"Reshape", b"Transpose", b"Unsqueeze", b"If", b"Slice", b"Pad", b"Add", b"MatMul", b"Conv"),
    *(b"Constant", b"ConstantOfShape", b"Shape", b"Expand", b"LayerNormalization", b"GatherND"),
)
NAMES = (b"a", b"b", b"c", b"d", b"e", b"f", b"")
HELD = NAMES[:4]
"""What is usually there before any node."""
ATTRIBUTES = (b"axis", b"split", b"num_outputs", b"batch_axis", b"time_axis", b"perm", b"to", b"value")


@cache
def _models() -> list[bytes]:
    """Every valid example as a model."""
    found = []
    for example in examples.all_examples():
        good = tuple(e for e in example.session().experiments if e.check().ok and has_idiom(e.desc, "onnx"))
        if good:
            found.append(export(Session(good[:2]), "onnx").data)
    return found


def inputs(random: std_random.Random) -> bytes:
    """The bytes of one input; the same for the same state of `random`."""
    return _damaged(random) if random.random() < 0.5 else _made(random)


def _damaged(random: std_random.Random) -> bytes:
    models = _models()
    data = bytearray(random.choice(models))
    for _ in range(random.randint(0, 4)):
        at, how = random.randrange(len(data) + 1), random.randrange(6)
        if how == 0 and at < len(data):
            data[at] = random.randrange(256)
        elif how == 1 and at < len(data):
            data[at] ^= 1 << random.randrange(8)
        elif how == 2:
            del data[at : at + random.randint(1, 8)]
        elif how == 3:
            data[at:at] = random.randbytes(random.randint(1, 8))
        elif how == 4:
            other = random.choice(models)
            start = random.randrange(len(other))
            data[at:at] = other[start : start + random.randint(1, 80)]
        else:
            data += random.choice(models)  # one message behind another is both of them merged
    return bytes(data)


# ---- messages from nothing, which begin as a model does


def _number(number: int) -> bytes:
    number %= 2**64
    out = bytearray()
    while number > 127:
        out.append(number & 127 | 128)
        number >>= 7
    out.append(number)
    return bytes(out)


def _int(field: int, number: int) -> bytes:
    return _number(field << 3) + _number(number)


def _bytes(field: int, held: bytes) -> bytes:
    return _number(field << 3 | 2) + _number(len(held)) + held


def _some(random: std_random.Random) -> int:
    return random.choice((0, 0, 1, 1, 2, 3, 7, 12, -1, -2, 2**31, 2**32, 2**63, random.randrange(2**64)))


def _sizes(random: std_random.Random) -> list[int]:
    usual = random.random() < 0.8
    return [random.choice((1, 2, 3)) if usual else _some(random) for _ in range(random.choice((0, 1, 1, 2, 2, 3, 9)))]


def _tensor(random: std_random.Random, name: bytes) -> bytes:
    sizes, kind = _sizes(random), random.choice((1, 1, 6, 7, 7, 7, 12, 13, 9, 10, 16))
    out = b"".join(_int(1, size) for size in sizes) + _int(2, kind) + _bytes(8, name)
    if random.random() < 0.2:
        out += _int(14, 1) + _bytes(13, _bytes(1, b"location") + _bytes(2, b"/etc/hostname"))
    count = 1
    for size in sizes:
        count = count * size % 64
    width = {6: 4, 7: 8, 12: 4, 13: 8, 1: 4, 10: 2}.get(kind, 1)
    if random.random() < 0.5:
        return out + _bytes(7, b"".join(_number(random.randint(0, 3)) for _ in range(count)))
    return out + _bytes(9, random.randbytes(1) * (count * width) if kind == 1 else bytes(count * width))


def _info(random: std_random.Random, name: bytes) -> bytes:
    sizes = b"".join(_bytes(1, _int(1, s) if random.random() < 0.9 else _bytes(2, b"N")) for s in _sizes(random))
    tensor = _int(1, random.choice((1, 7, 12, 13, 9))) + _bytes(2, sizes)
    return _bytes(1, name) + _bytes(2, _bytes(1, tensor))


def _node(random: std_random.Random, depth: int) -> bytes:
    usual = random.random() < 0.8
    out = b"".join(_bytes(1, random.choice(NAMES[:6] if usual else NAMES)) for _ in range(random.choice((1, 2, 2, 3))))
    out += b"".join(_bytes(2, random.choice(NAMES[4:])) for _ in range(random.choice((1, 1, 2, 0))))
    out += _bytes(4, random.choice(KINDS) if random.random() < 0.95 else random.randbytes(4))
    for _ in range(random.randint(0, 2)):
        attribute = _bytes(1, random.choice(ATTRIBUTES))
        how = random.randrange(8)
        if how < 4:
            attribute += _int(3, _some(random)) + _int(20, 2)
        elif how < 6:
            attribute += b"".join(_int(8, random.randint(-1, 4)) for _ in range(random.randint(0, 4))) + _int(20, 7)
        elif how == 6:
            attribute += _bytes(5, _tensor(random, b"")) + _int(20, 4)
        elif depth:
            attribute += _bytes(6, _graph(random, depth - 1)) + _int(20, 5)
        out += _bytes(5, attribute)
    return out


def _graph(random: std_random.Random, depth: int) -> bytes:
    out = b"".join(_bytes(1, _node(random, depth)) for _ in range(random.randint(1, 4)))
    for name in HELD:
        how = random.random()
        if how < 0.6:
            out += _bytes(5, _tensor(random, name))
        if how > 0.4:
            out += _bytes(random.choice((11, 11, 12, 13)), _info(random, name))
    return out


def _made(random: std_random.Random) -> bytes:
    opset = _bytes(8, _int(2, random.choice((1, 5, 11, 13, 18, 18, 18, 99, 2**63))))
    return _int(1, 8) + opset + _bytes(7, _graph(random, 1))
