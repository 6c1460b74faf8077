"""Makes the ONNX models beside this file as exporters make them, and what each of their nodes is given and makes.

`python tests/real/make_onnx_models.py` in an environment with torch, onnx, onnxscript and numpy. The answers come from
ONNX's reference evaluator, which runs each model: nothing of dmlviz takes part.
"""

# mypy: ignore-errors
# ruff: noqa: UP037, F821  (onnxscript reads its own words in annotations)

from __future__ import annotations

import io
import json
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnx.reference.op_run as op_run
import torch
from onnx.reference import ReferenceEvaluator
from onnxscript import FLOAT, INT64, script
from onnxscript import opset18 as op
from onnxscript.values import Opset
from torch import Tensor, nn

FOLDER = Path(__file__).parent / "onnx"
NAMED = ("Concat", "Split", "Gather", "Tile", "ReverseSequence", "Pad", "GatherElements", "Slice")
Feeds = Mapping[str, np.ndarray]
Dims = dict[int, str]

warnings.filterwarnings("ignore")
torch.manual_seed(5)


# ---- modules ----------------------------------------------------------------------------------------------------


class Tokens(nn.Module):
    """Embeddings with a class token before them, split and put together again."""

    def __init__(self) -> None:
        super().__init__()
        self.words, self.places = nn.Embedding(11, 4), nn.Embedding(16, 4)

    def forward(self, ids: Tensor) -> Tensor:
        b, t = ids.shape
        x = self.words(ids) + self.places(torch.arange(t))[None]
        first = x.new_zeros(1, 1, 4).repeat(b, 1, 1)
        x = torch.cat([first, x], 1)
        left, right = x.split([1, 3], -1)
        return torch.cat([right.reshape(b, -1), left.reshape(b, -1)], 1)


class Attention(nn.Module):
    """One projection for queries, keys and values, cut in heads by shapes that the model computes."""

    def __init__(self) -> None:
        super().__init__()
        self.qkv, self.out = nn.Linear(8, 24), nn.Linear(8, 8)

    def forward(self, x: Tensor) -> Tensor:
        b, t, _ = x.shape
        q, k, v = (part.view(b, t, 2, 4).transpose(1, 2) for part in self.qkv(x).chunk(3, -1))
        weights = torch.softmax(q @ k.transpose(-1, -2) / 2.0, -1)
        return self.out((weights @ v).transpose(1, 2).reshape(b, t, 8))


class Decoder(nn.Module):
    """One step with keys and values of the steps before."""

    def __init__(self) -> None:
        super().__init__()
        self.word, self.kv = nn.Embedding(7, 4), nn.Linear(4, 8)

    def forward(self, ids: Tensor, past_k: Tensor, past_v: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        x = self.word(ids)
        k, v = self.kv(x).split(4, -1)
        k, v = torch.cat([past_k, k], 1), torch.cat([past_v, v], 1)
        return torch.softmax(x @ k.transpose(1, 2), -1) @ v, k, v


class Recurrent(nn.Module):
    """A network that reads both ways, over padded sequences of their own lengths."""

    def __init__(self) -> None:
        super().__init__()
        self.rnn = nn.LSTM(3, 2, batch_first=True, bidirectional=True)

    def forward(self, x: Tensor, lengths: Tensor) -> Tensor:
        packed = nn.utils.rnn.pack_padded_sequence(x, lengths, batch_first=True, enforce_sorted=False)
        y, _ = nn.utils.rnn.pad_packed_sequence(self.rnn(packed)[0], batch_first=True)
        return torch.cat([y, y.flip(1)], -1)


class LastStates(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.rnn = nn.GRU(3, 2, num_layers=2, batch_first=True, bidirectional=True)

    def forward(self, x: Tensor) -> Tensor:
        y, h = self.rnn(x)
        return torch.cat([y[:, -1], h[-1], h[-2]], 1)


class Detector(nn.Module):
    """Features of two scales, the smaller one enlarged to the other's size."""

    def __init__(self) -> None:
        super().__init__()
        self.a, self.b = nn.Conv2d(3, 2, 3, 2, 1), nn.Conv2d(2, 2, 3, 2, 1)

    def forward(self, x: Tensor) -> Tensor:
        p = self.a(x)
        q = self.b(p)
        up = nn.functional.interpolate(q, size=p.shape[-2:], mode="nearest")
        y = torch.cat([p, up], 1)
        b = x.shape[0]
        return torch.cat([y.view(b, 4, -1), q.view(b, 2, -1).repeat(1, 2, 1)], 2)


class Picks(nn.Module):
    """Rows by index, in the ways of PyTorch."""

    def forward(self, x: Tensor, i: Tensor) -> tuple[Tensor, ...]:
        return x[:, i], torch.index_select(x, 2, i[0]), x[:, -1], torch.stack(x.unbind(1)[:2], -1)


class Repeats(nn.Module):
    def forward(self, x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        b, n = x.shape
        grid = torch.stack(torch.meshgrid(torch.arange(b), torch.arange(n), indexing="ij"), -1)
        return x.repeat(2, 3), x[None].repeat(b, 1, 2), grid


class Chunks(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        a, b = x.chunk(2, 1)
        return torch.cat(torch.split(torch.cat([b, a], 1), 2, dim=-1), 0)


class Scripted(nn.Module):
    """A branch on a size that is known when it runs."""

    def __init__(self) -> None:
        super().__init__()
        self.e = nn.Embedding(9, 4)

    def forward(self, ids: Tensor, wide: Tensor) -> Tensor:
        x = self.e(ids)
        if bool(wide.sum() > 0):
            x = torch.cat([x, x], -1)
        else:
            x = torch.cat([x[:, :2], x], 1).repeat(1, 1, 2)
        return x


class Grows(nn.Module):
    """A tensor that a loop makes longer at each turn, and one that it leaves as large as it is."""

    def __init__(self) -> None:
        super().__init__()
        self.cell = nn.Linear(3, 3)

    def forward(self, x: Tensor, steps: Tensor) -> tuple[Tensor, Tensor]:
        out = x[:, :1]
        h = x[:, 0]
        for _ in range(int(steps)):
            h = torch.tanh(self.cell(torch.cat([h[:, 1:], h[:, :1]], 1)))
            out = torch.cat([out, h.unsqueeze(1)], 1)
        return out, h


class Nested(nn.Module):
    def forward(self, x: Tensor, steps: Tensor) -> Tensor:
        for i in range(int(steps)):
            if i % 2 == 0:
                a, b = x.chunk(2, 1)
                x = torch.cat([b, a], 1)
            else:
                x = torch.cat([x[:, 1:], x[:, :1]], 1)
        return x


class Cond(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        return torch.cond(x.sum() > 0, lambda y: torch.cat([y, y + 1], 1), lambda y: y.repeat(1, 2) - 1, (x,))


class ScanSum(nn.Module):
    """A scan along the first axis."""

    def forward(self, xs: Tensor) -> tuple[Tensor, Tensor]:
        from torch._higher_order_ops.scan import scan

        def step(carry: Tensor, x: Tensor) -> tuple[Tensor, Tensor]:
            made = carry + torch.cat([x[1:], x[:1]], 0)
            return made, torch.cat([made, x], 0)

        last, ys = scan(step, torch.zeros(3), xs)
        return last, ys


class Windows(nn.Module):
    """Swin's windows: rolled, cut, and put together again."""

    def forward(self, x: Tensor) -> Tensor:
        b, h, w, c = x.shape
        x = torch.roll(x, (-1, -1), (1, 2))
        x = x.view(b, h // 2, 2, w // 2, 2, c).permute(0, 1, 3, 2, 4, 5).reshape(-1, 4, c)
        return torch.cat([x, x.mean(1, keepdim=True)], 1)


LOCAL = Opset("local", 1)


@script(LOCAL, default_opset=op)
def rotate_half(x, axis: int):
    """What rotary embeddings do: a call's own axis is an attribute of the nodes."""
    a, b = op.Split(x, num_outputs=2, axis=axis)
    return op.Concat(op.Neg(b), a, axis=axis)


@script(LOCAL, default_opset=op)
def twice(x, axis: int):
    y = rotate_half(x, axis=axis)
    return rotate_half(op.Concat(y, x, axis=0), axis=axis)


@script(default_opset=op)
def rotary(x: FLOAT["batch", "t", 4], i: INT64["picked"]) -> FLOAT[...]:
    y = rotate_half(x, axis=2)
    z = twice(y, axis=-1)
    return op.Gather(z, i, axis=1)


@script(default_opset=op)
def backwards(x: FLOAT["t", "batch", 3], lengths: INT64["batch"]) -> FLOAT[...]:
    """Both ways of a network without one: sequences turned round by their lengths."""
    turned = op.ReverseSequence(x, lengths, batch_axis=1, time_axis=0)
    both = op.Concat(x, turned, axis=-1)
    flat = op.Transpose(both, perm=[1, 0, 2])
    return op.ReverseSequence(flat, lengths, batch_axis=0, time_axis=1)


@script(default_opset=op)
def backwards_fixed(x: FLOAT[4, 2, 3], lengths: INT64[2]) -> FLOAT[...]:
    turned = op.ReverseSequence(x, lengths)
    return op.Tile(op.Concat(x, turned, axis=-1), op.Constant(value_ints=[1, 1, 2]))


@script(default_opset=op)
def beams(x: FLOAT["n", 4], steps: INT64) -> FLOAT[...]:
    """A loop whose state keeps its sizes."""
    order = op.Constant(value_ints=[3, 2, 1, 0])
    y = op.Identity(x)
    for _ in range(steps):
        y = op.Gather(op.Concat(y, x, axis=0), op.Range(0, op.Gather(op.Shape(x), 0), 1), axis=0)
        y = op.Gather(y, order, axis=1)
    return y


# ---- exporting --------------------------------------------------------------------------------------------------


def traced(
    module: nn.Module,
    args: Sequence[Tensor],
    names: Sequence[str],
    free: Mapping[str, Dims] | None = None,
    opset: int = 17,
    fold: bool = True,
) -> Any:
    """By torch.onnx's exporter of traces, and of scripts."""
    held = io.BytesIO()
    torch.onnx.export(
        module,
        tuple(args),
        held,
        dynamo=False,
        input_names=list(names),
        dynamic_axes=dict(free or {}),
        opset_version=opset,
        do_constant_folding=fold,
    )
    return onnx.load_from_string(held.getvalue())


def exported(
    module: nn.Module,
    args: Sequence[Tensor],
    names: Sequence[str],
    free: Mapping[str, Dims] | None = None,
    optimize: bool = True,
    opset: int | None = None,
) -> Any:
    """By torch.onnx's exporter of torch.export's programs."""
    shapes = tuple(dict((free or {}).get(name, {})) for name in names) if free else None
    made = torch.onnx.export(
        module.eval(),
        tuple(args),
        dynamo=True,
        input_names=list(names),
        dynamic_shapes=shapes,
        optimize=optimize,
        opset_version=opset,
        verbose=False,
    )
    assert made is not None
    return made.model_proto


def scripted(made: Any) -> Any:
    """By onnxscript."""
    return made.to_model_proto()


def long(*sizes: int, most: int = 6) -> Tensor:
    return torch.randint(0, most, sizes)


IDS, X = long(2, 5), torch.randn(2, 5, 8)
B, T = "batch", "t"
KV = (long(2, 1), torch.randn(2, 3, 4), torch.randn(2, 3, 4))
KV_NAMES, KV_FREE = (
    ("ids", "past_k", "past_v"),
    {"ids": {0: B}, "past_k": {0: B, 1: "past"}, "past_v": {0: B, 1: "past"}},
)
PACKED = (torch.randn(2, 4, 3), torch.tensor([4, 2]))
IMAGE, WINDOWS = torch.randn(1, 3, 8, 8), torch.randn(1, 4, 4, 2)
MODELS: dict[str, tuple[Callable[[], Any], dict[str, int], list[dict[str, Any]]]] = {
    "tokens_traced": (lambda: traced(Tokens(), [IDS], ["ids"]), {}, [{"ids": IDS}]),
    "tokens_traced_free": (
        lambda: traced(Tokens(), [IDS], ["ids"], {"ids": {0: B, 1: T}}),
        {B: 3, T: 7},
        [{"ids": long(3, 7)}],
    ),
    "tokens_traced_unfolded": (
        lambda: traced(Tokens(), [IDS], ["ids"], {"ids": {0: B}}, fold=False, opset=11),
        {B: 1},
        [{"ids": long(1, 5)}],
    ),
    "tokens_exported": (lambda: exported(Tokens(), [IDS], ["ids"]), {}, [{"ids": IDS}]),
    "tokens_exported_free": (
        lambda: exported(Tokens(), [IDS], ["ids"], {"ids": {0: B, 1: T}}),
        {B: 3, T: 7},
        [{"ids": long(3, 7)}],
    ),
    "attention_traced": (lambda: traced(Attention(), [X], ["x"]), {}, [{"x": X}]),
    "attention_traced_free": (
        lambda: traced(Attention(), [X], ["x"], {"x": {0: B, 1: T}}),
        {B: 1, T: 3},
        [{"x": torch.randn(1, 3, 8)}],
    ),
    "attention_exported_free": (
        lambda: exported(Attention(), [X], ["x"], {"x": {0: B, 1: T}}),
        {B: 4, T: 3},
        [{"x": torch.randn(4, 3, 8)}],
    ),
    "decoder_traced_free": (
        lambda: traced(Decoder(), KV, KV_NAMES, KV_FREE),
        {B: 2, "past": 6},
        [{"ids": long(2, 1), "past_k": torch.randn(2, 6, 4), "past_v": torch.randn(2, 6, 4)}],
    ),
    "decoder_exported_free": (
        lambda: exported(Decoder(), KV, KV_NAMES, KV_FREE),
        {B: 2, "past": 6},
        [{"ids": long(2, 1), "past_k": torch.randn(2, 6, 4), "past_v": torch.randn(2, 6, 4)}],
    ),
    "recurrent_traced_free": (
        lambda: traced(Recurrent(), PACKED, ["x", "lengths"], {"x": {0: B, 1: T}, "lengths": {0: B}}),
        {B: 2, T: 4},
        [{"x": PACKED[0], "lengths": PACKED[1]}],
    ),
    "states_traced": (lambda: traced(LastStates(), [PACKED[0]], ["x"]), {}, [{"x": PACKED[0]}]),
    "states_traced_free": (
        lambda: traced(LastStates(), [PACKED[0]], ["x"], {"x": {0: B, 1: T}}),
        {B: 3, T: 2},
        [{"x": torch.randn(3, 2, 3)}],
    ),
    "detector_traced_free": (
        lambda: traced(Detector(), [IMAGE], ["image"], {"image": {0: B, 2: "h", 3: "w"}}),
        {B: 2, "h": 16, "w": 8},
        [{"image": torch.randn(2, 3, 16, 8)}],
    ),
    "detector_exported": (lambda: exported(Detector(), [IMAGE], ["image"]), {}, [{"image": IMAGE}]),
    "picks_traced_unnamed": (
        lambda: unnamed(traced(Picks(), [X, long(3, 2, most=5)], ["x", "i"], {"x": {0: B}, "i": {0: "m"}})),
        {"x:0": 4, "i:0": 2},
        [{"x": torch.randn(4, 5, 8), "i": long(2, 2, most=5)}],
    ),
    "repeats_traced_free": (
        lambda: traced(Repeats(), [X[0]], ["x"], {"x": {0: "rows", 1: "columns"}}),
        {"rows": 3, "columns": 2},
        [{"x": torch.randn(3, 2)}],
    ),
    "repeats_exported_free": (
        lambda: exported(Repeats(), [X[0]], ["x"], {"x": {0: "rows", 1: "columns"}}),
        {"rows": 3, "columns": 2},
        [{"x": torch.randn(3, 2)}],
    ),
    "chunks_traced_free": (
        lambda: traced(Chunks(), [torch.randn(2, 4, 6)], ["x"], {"x": {1: "width"}}, opset=13),
        {"width": 6},
        [{"x": torch.randn(2, 6, 6)}],
    ),
    "windows_traced_free": (
        lambda: traced(Windows(), [WINDOWS], ["x"], {"x": {0: B, 1: "h", 2: "w"}}),
        {B: 1, "h": 4, "w": 6},
        [{"x": torch.randn(1, 4, 6, 2)}],
    ),
    "branches_scripted": (
        lambda: traced(torch.jit.script(Scripted()), [IDS, torch.ones(1)], ["ids", "wide"]),
        {},
        [{"ids": IDS, "wide": torch.ones(1)}, {"ids": IDS, "wide": -torch.ones(1)}],
    ),
    "branches_scripted_free": (
        lambda: traced(torch.jit.script(Scripted()), [IDS, torch.ones(1)], ["ids", "wide"], {"ids": {0: B, 1: T}}),
        {B: 3, T: 4},
        [{"ids": long(3, 4), "wide": torch.ones(1)}, {"ids": long(3, 4), "wide": -torch.ones(1)}],
    ),
    "grows_scripted": (
        lambda: traced(torch.jit.script(Grows()), [torch.randn(2, 4, 3), torch.tensor(3)], ["x", "steps"]),
        {},
        [{"x": torch.randn(2, 4, 3), "steps": torch.tensor(3)}],
    ),
    "grows_scripted_free": (
        lambda: traced(
            torch.jit.script(Grows()), [torch.randn(2, 4, 3), torch.tensor(3)], ["x", "steps"], {"x": {0: B, 1: T}}
        ),
        {B: 1, T: 2},
        [{"x": torch.randn(1, 2, 3), "steps": torch.tensor(3)}],
    ),
    "nested_scripted": (
        lambda: traced(torch.jit.script(Nested()), [torch.randn(2, 4), torch.tensor(3)], ["x", "steps"]),
        {},
        [{"x": torch.randn(2, 4), "steps": torch.tensor(3)}],
    ),
    "cond_exported": (
        lambda: exported(Cond(), [X[0]], ["x"]),
        {},
        [{"x": torch.ones(5, 8)}, {"x": -torch.ones(5, 8)}],
    ),
    "cond_exported_free": (
        lambda: exported(Cond(), [X[0]], ["x"], {"x": {0: B}}),
        {B: 3},
        [{"x": torch.ones(3, 8)}, {"x": -torch.ones(3, 8)}],
    ),
    "scan_exported": (lambda: exported(ScanSum(), [torch.randn(4, 3)], ["xs"]), {}, [{"xs": torch.randn(4, 3)}]),
    "tokens_functions_free": (
        lambda: exported(Tokens(), [IDS], ["ids"], {"ids": {0: B, 1: T}}, optimize=False),
        {B: 3, T: 7},
        [{"ids": long(3, 7)}],
    ),
    "rotary_functions": (
        lambda: scripted(rotary),
        {B: 2, T: 3, "picked": 5},
        [{"x": torch.randn(2, 3, 4), "i": long(5, most=3)}],
    ),
    "backwards_free": (
        lambda: scripted(backwards),
        {T: 4, B: 2},
        [{"x": torch.randn(4, 2, 3), "lengths": torch.tensor([4, 2])}],
    ),
    "backwards_fixed": (
        lambda: scripted(backwards_fixed),
        {},
        [{"x": torch.randn(4, 2, 3), "lengths": torch.tensor([4, 2])}],
    ),
    "beams_loop": (
        lambda: scripted(beams),
        {"n": 2},
        [{"x": torch.randn(2, 4), "steps": torch.tensor(2)}],
    ),
}
"""By name: the model, sizes for its free dimensions, and what it is run on, so that every branch is."""


def unnamed(model: Any) -> Any:
    """A model whose free dimensions have no names, as some exporters leave them."""
    for info in [*model.graph.input, *model.graph.output, *model.graph.value_info]:
        for dim in info.type.tensor_type.shape.dim:
            if not dim.HasField("dim_value"):
                dim.Clear()
    return model


def bare(model: Any) -> Any:
    """The model without what was noted about where each node comes from."""
    model.ClearField("metadata_props")
    for function in model.functions:
        function.ClearField("doc_string")
        function.ClearField("metadata_props")
        _bare_graph(function)
    _bare_graph(model.graph)
    model.doc_string = ""
    return model


def _bare_graph(graph: Any) -> None:
    graph.ClearField("doc_string")
    graph.ClearField("metadata_props")
    for field in ("value_info", "input", "output", "initializer"):
        for each in getattr(graph, field, []):
            if not isinstance(each, str):
                each.ClearField("doc_string")
                each.ClearField("metadata_props")
    for node in graph.node:
        node.ClearField("doc_string")
        node.ClearField("metadata_props")
        for attribute in node.attribute:
            if attribute.HasField("g"):
                _bare_graph(attribute.g)


# ---- answers ----------------------------------------------------------------------------------------------------


class Watched:
    """Notes what each node that is read is given and makes while the reference evaluator runs."""

    def __init__(self) -> None:
        self.seen: dict[str, list[dict[str, Any]]] = {}

    def __enter__(self) -> Watched:
        self._run = op_run.OpRun.run

        def run(op_self: Any, *args: Any, **more: Any) -> Any:
            found = self._run(op_self, *args, **more)
            node = op_self.onnx_node
            if node.op_type in NAMED and node.domain in ("", "ai.onnx"):
                self._note(op_self, node, args, found, more.get("linked_attributes") or {})
            return found

        op_run.OpRun.run = run
        return self

    def __exit__(self, *_: object) -> None:
        op_run.OpRun.run = self._run

    def _note(
        self, op_self: Any, node: Any, args: Sequence[Any], found: Sequence[Any], given: Mapping[str, Any]
    ) -> None:
        axis = {"ReverseSequence": "time_axis", "Tile": "", "Slice": "", "Pad": ""}.get(node.op_type, "axis")
        sizes = [list(np.shape(each)) for each in args]
        one = {
            "operator": node.op_type,
            "inputs": sizes
            if node.op_type == "Concat"
            else sizes[: 1 + (node.op_type in ("Gather", "ReverseSequence", "GatherElements"))],
            "outputs": [list(np.shape(each)) for each in found],
        }
        if axis:
            ours = next((each.ref_attr_name for each in node.attribute if each.name == axis), "")
            at = int(given[ours] if ours else getattr(op_self, axis))
            one["axis"] = at if at >= 0 else at + len(sizes[0])
        if node.op_type == "Slice":
            starts, ends, *more = (np.asarray(each).tolist() for each in args[1:])
            axes, steps = more[0] if more else range(len(starts)), more[1] if more[1:] else [1] * len(starts)
            cuts = [[0, size, 1] for size in sizes[0]]
            for d, *cut in zip(axes, starts, ends, steps, strict=True):
                cuts[d] = cut
            one["cuts"] = cuts
        self.seen.setdefault(node.output[0], []).append(one)


def labels(model: Any) -> Iterator[tuple[str, str]]:
    """The label of each node that is read, and the name of its first output."""
    functions = {(each.domain, each.name): each for each in model.functions}

    def walk(nodes: Any, before: str) -> Iterator[tuple[str, str]]:
        for i, node in enumerate(nodes, 1):
            label = f"{before}node {i} ({node.op_type})"
            if node.op_type in NAMED and node.domain in ("", "ai.onnx"):
                yield label, node.output[0]
            if (node.domain, node.op_type) in functions:
                yield from walk(functions[node.domain, node.op_type].node, f"{label}.function ")
            for attribute in node.attribute:
                if attribute.HasField("g"):
                    yield from walk(attribute.g.node, f"{label}.{attribute.name} ")

    yield from walk(model.graph.node, "")


def answers(model: Any, feeds: Sequence[Mapping[str, Any]]) -> dict[str, list[dict[str, Any]]]:
    """What each node is given and makes, by label: several answers where sizes change, none where it never ran."""
    run = onnx.ModelProto()
    run.CopyFrom(model)
    for node in run.graph.node:
        if node.op_type == "Loop" and not node.input[1]:  # which the evaluator takes for False
            node.input[1] = "always"
            run.graph.initializer.append(onnx.numpy_helper.from_array(np.array(True), "always"))
    with Watched() as watched:
        for feed in feeds:
            ReferenceEvaluator(run).run(None, {name: np.asarray(each) for name, each in feed.items()})
    told: dict[str, list[dict[str, Any]]] = {}
    named = list(labels(model))
    for label, name in named:
        calls = [each for each, other in named if other == name]
        seen = watched.seen.get(name, [])
        if len(calls) > 1:  # a function's node, at each of its calls in their order
            assert len(seen) == len(calls)
            seen = [seen[calls.index(label)]]
        told[label] = [one for i, one in enumerate(seen) if one not in seen[:i]]
    return told


def main() -> None:
    FOLDER.mkdir(exist_ok=True)
    told: dict[str, Any] = {}
    for name, (make, dims, feeds) in MODELS.items():
        model = bare(make())
        (FOLDER / f"{name}.onnx").write_bytes(model.SerializeToString())
        told[name] = {"dims": dims, "nodes": answers(model, feeds)}
    lines = [f'"{name}": {json.dumps(each)}' for name, each in told.items()]
    (FOLDER / "answers.json").write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
