"""Fuzz inputs for the ONNX importer: models of ours and of exporters that were damaged or made into other models, and
messages with ONNX's field numbers."""

from __future__ import annotations

import random as std_random
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import onnx
from onnx import helper

from dmlviz.errors import DmlvizError
from dmlviz.exporters.lib.exporting import export
from dmlviz.importers.lib import importing
from dmlviz.importers.lib.found import imported
from dmlviz.importers.lib.imported import Imported
from dmlviz.importers.onnx import source as onnx_model
from dmlviz.session import examples
from dmlviz.session.experiments import Experiment, Session
from support.idioms import has_idiom

FIVE = (b"Concat", b"Split", b"Gather", b"Tile", b"ReverseSequence")
KINDS = (
    *(FIVE + FIVE),
    *(b"Cast", b"Clip", b"Reshape", b"Transpose", b"Unsqueeze", b"If", b"Slice", b"Pad", b"Add", b"MatMul", b"Conv"),
    *(b"Constant", b"ConstantOfShape", b"Shape", b"Expand", b"LayerNormalization", b"GatherND"),
)
NAMES = (b"a", b"b", b"c", b"d", b"e", b"f", b"")
HELD = NAMES[:4]
"""What is usually there before any node."""
REAL = Path(__file__).parents[1] / "real" / "onnx"
LONGEST = 4000
"""Characters of a remark."""
DIMS = ({"batch": 2, "t": 3}, {"x:0": 2}, {"rows": 2, "columns": 2**32 - 1})
ATTRIBUTES = (b"axis", b"split", b"num_outputs", b"batch_axis", b"time_axis", b"perm", b"to", b"value")


@cache
def _models() -> list[bytes]:
    """Every valid example as a model, and those of exporters."""
    found = []
    for example in examples.all_examples():
        good = tuple(e for e in example.session().experiments if e.check().ok and has_idiom(e.desc, "onnx"))
        if good:
            found.append(export(Session(good[:2]), "onnx").data)
    return found + [path.read_bytes() for path in sorted(REAL.glob("*.onnx"))]


def inputs(random: std_random.Random) -> bytes:
    """The bytes of one input; the same for the same state of `random`."""
    how = random.random()
    return _damaged(random) if how < 0.35 else _changed(random) if how < 0.65 else _made(random)


def read(data: bytes) -> Sequence[Experiment]:
    """The experiments in a model, by the importer and by way of all of them, with sizes for free dimensions too."""
    for dims in DIMS:
        said = "."
        try:
            _checked(imported(onnx_model.read_with(data, "input", None, dims)))
        except DmlvizError as error:
            said = str(error)
        assert said.isprintable(), f"no line: {said!r}"
        assert said.endswith("."), f"no sentence: {said!r}"
    _checked(imported(onnx_model.read(data, "input", None)))
    return importing.read(data, "input").experiments


def _checked(found: Imported) -> None:
    for remark in found.remarks:
        assert remark.text, "an empty remark"
        for text in (remark.where, remark.text):
            assert text.isprintable(), f"a remark that is no line: {text!r}"
            assert len(text) <= LONGEST, f"a remark of {len(text)} characters"
    assert not any(each.taken and each.unchecked for each in found.remarks)
    left = [each for each in found.remarks if each.unchecked]
    assert not left or found.remarks[0].where == "", "what isn't checked is said first"


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


# ---- other models of those that there are


def _changed(random: std_random.Random) -> bytes:
    model = onnx.ModelProto.FromString(random.choice(_models()))
    for _ in range(random.randint(1, 5)):
        random.choice(_CHANGES)(random, model)
    data = bytearray(model.SerializeToString())
    if random.random() < 0.1:
        data[random.randrange(len(data))] ^= 1 << random.randrange(8)
    return _nested(random, bytes(data)) if random.random() < 0.05 else bytes(data)


def _graphs(model: Any) -> list[Any]:
    """Every graph and function."""
    found = [model.graph, *model.functions]
    for graph in found:
        for node in graph.node:
            found += [each.g for each in node.attribute if each.HasField("g")]
    return found[:50]


def _drop(random: std_random.Random, model: Any) -> None:
    nodes = random.choice(_graphs(model)).node
    if nodes:
        del nodes[random.randrange(len(nodes))]


def _double(random: std_random.Random, model: Any) -> None:
    graph = random.choice(_graphs(model))
    if graph.node and len(graph.node) < 500:
        graph.node.extend([random.choice(graph.node) for _ in range(random.randint(1, 3))])


def _rewire(random: std_random.Random, model: Any) -> None:
    graph = random.choice(_graphs(model))
    names = [name for each in graph.node for name in (*each.input, *each.output)]
    for node in graph.node:
        for held in (node.input, node.output):
            for i in range(len(held)):
                if random.random() < 0.05:
                    held[i] = random.choice(names)


def _resize(random: std_random.Random, model: Any) -> None:
    graph = random.choice(_graphs(model))
    infos = [*getattr(graph, "input", []), *graph.value_info, *graph.output]
    infos = [each for each in infos if not isinstance(each, str)]
    for each in random.sample(infos, min(len(infos), 3)):
        shape = each.type.tensor_type.shape
        for dim in shape.dim:
            if random.random() < 0.4:
                dim.dim_value = random.choice((0, 1, 2, 3, 5, -1, 2**31, 2**32, 2**62))
            elif random.random() < 0.1:
                dim.dim_param = random.choice(("batch", "t", "", "x"))
        if random.random() < 0.2:
            shape.dim.add(dim_value=2)


def _declare(random: std_random.Random, model: Any) -> None:
    graph = random.choice(_graphs(model))
    names = [name for each in graph.node for name in each.output if name]
    if names:
        sizes = [random.choice((1, 2, 3, 4, None, "t")) for _ in range(random.randint(0, 4))]
        graph.value_info.append(helper.make_tensor_value_info(random.choice(names), random.choice((1, 7)), sizes))


def _steer(random: std_random.Random, model: Any) -> None:
    for node in random.choice(_graphs(model)).node:
        if random.random() < 0.2:
            node.op_type = random.choice(KINDS).decode()
        for each in node.attribute:
            if random.random() < 0.2:
                each.i = random.choice((0, 1, 2, -1, -2, 7, 2**31, -(2**63)))
        if random.random() < 0.1:
            node.attribute.append(helper.make_attribute(random.choice(ATTRIBUTES).decode(), random.randint(-2, 3)))


def _wrap(random: std_random.Random, model: Any) -> None:
    """A graph's nodes become the body of one node."""
    graph = random.choice(_graphs(model))
    if not hasattr(graph, "initializer"):
        return
    inner = onnx.GraphProto(name="inner")
    inner.node.extend(graph.node)
    inner.output.extend(graph.output)
    if random.random() < 0.5:
        inner.input.extend(graph.input)
    kind = random.choice(("If", "If", "Loop", "Scan", "SequenceMap", "Else"))
    names = [each.name for each in graph.input]
    del graph.node[:]
    node = graph.node.add(
        op_type=kind, output=[each.name for each in graph.output], input=random.sample(names, len(names))
    )
    for name in {"If": ("then_branch", "else_branch")}.get(kind, ("body",)):
        node.attribute.append(helper.make_attribute(name, inner))
    if kind == "Scan":
        node.attribute.append(helper.make_attribute("num_scan_inputs", random.randint(0, 2)))


def _call(random: std_random.Random, model: Any) -> None:
    """Functions that call each other, or themselves; the main graph calls the first."""
    graph, count = random.choice(_graphs(model)), random.randint(1, 12)
    names = [name for each in graph.node for name in (*each.input, *each.output)] or ["x"]
    for i in range(count):
        function = model.functions.add(domain=random.choice(("local", "local", "")), name=f"f{i}")
        function.input.extend(["x", "y"])
        function.output.extend(["z"])
        function.attribute.extend(["axis"])
        for _ in range(random.randint(0, 3)):
            node = function.node.add(op_type=random.choice(FIVE).decode(), input=["x", "y"], output=["z"])
            node.attribute.add(name="axis", ref_attr_name=random.choice(("axis", "other")), type=2)
        for _ in range(random.choice((0, 1, 1, 2, 2, 3))):
            function.node.add(op_type=f"f{random.randrange(count)}", domain="local", input=["y", "z"], output=["z"])
    node = graph.node.add(
        op_type="f0", domain="local", input=random.choices(names, k=random.randint(0, 3)), output=["new"]
    )
    if random.random() < 0.5:
        node.attribute.append(helper.make_attribute("axis", random.randint(-1, 2)))


_CHANGES = (_drop, _drop, _double, _rewire, _resize, _resize, _declare, _declare, _steer, _wrap, _call)


def _nested(random: std_random.Random, data: bytes) -> bytes:
    """A model in whose graph stands a node with a graph with a node, and so on."""
    graph = _graph(random, 0)
    for _ in range(random.choice((3, 10, 15, 40, 200))):
        name = random.choice((b"then_branch", b"body"))
        attribute = _bytes(1, name) + _bytes(6, graph) + _int(20, 5)
        graph = _bytes(1, _bytes(4, random.choice((b"If", b"Loop", b"Scan"))) + _bytes(1, b"a") + _bytes(5, attribute))
    return data + _bytes(7, graph)


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
