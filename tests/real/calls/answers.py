"""Lines of NumPy and PyTorch as people write them, each with what it is worth, worked out by hand."""

from __future__ import annotations

import dmlviz as dml
from real.judging import F16, F32, F64, I8, I32, I64, NOT_CHECKED, U8, U32, VALID, Answer, broken, one, t

NP = "import numpy as np\n"
PT = "import torch\n"
FN = "import torch\nimport torch.nn as nn\nimport torch.nn.functional as F\n"
UNKNOWN = Answer(((dml.Tile(t(F32, 1), (1,)), NOT_CHECKED),))
"""One of the operators, of which nothing can be said."""

CALLS: dict[str, tuple[str, Answer]] = {
    "rows of a table": (
        NP + "table = np.zeros((50, 8), dtype=np.float32)\nrows = np.take(table, [4, 7, 4], axis=0)",
        one(dml.Gather(t(F32, 50, 8), t(I64, 1, 3), 0, 1, t(F32, 3, 8))),
    ),
    "a block of indices": (
        NP + "w = np.ones((30, 4), np.float16)\nids = np.zeros((2, 5), np.int64)\ny = w[ids]",
        one(dml.Gather(t(F16, 1, 30, 4), t(I64, 1, 2, 5), 1, 2, t(F16, 2, 5, 4))),
    ),
    "columns by a list": (
        NP + "x = np.random.rand(3, 6).astype(np.float32)\nx[:, [5, 0]]",
        one(dml.Gather(t(F32, 3, 6), t(I64, 1, 2), 1, 1, t(F32, 3, 2))),
    ),
    "the flattened array": (
        "np.take(x, [1, 3])  # x: float32 (2, 3)",
        one(dml.Gather(t(F32, 6), t(I64, 2), 0, 1, t(F32, 2))),
    ),
    "one index drops the axis": (
        "np.take(x, 2, axis=1)  # x: float32 (4, 5)",
        one(dml.Gather(t(F32, 4, 5), t(I64, 1, 1), 1, 0, t(F32, 1, 4))),
    ),
    "an index of bytes": (
        NP + "lut = np.arange(256, dtype=np.float32)\nimage = np.zeros((4, 4), np.uint8)\nlut[image]",
        one(dml.Gather(t(F32, 1, 256), t(U32, 4, 4), 1, 2, t(F32, 4, 4))),
    ),
    "index_select": (
        PT + "x = torch.randn(3, 4)\nindices = torch.tensor([0, 2])\ntorch.index_select(x, 1, indices)",
        one(dml.Gather(t(F32, 3, 4), t(I64, 1, 2), 1, 1, t(F32, 3, 2))),
    ),
    "index_select on a device": (
        "import torch\nimport torch_directml\ndml = torch_directml.device()\n"
        "x = torch.randn(8, 2).to(dml)\ni = torch.tensor([1, 1, 7], dtype=torch.int32, device=dml)\n"
        "y = x.index_select(0, i)",
        one(dml.Gather(t(F32, 8, 2), t(I32, 1, 3), 0, 1, t(F32, 3, 2))),
    ),
    "F.embedding": (
        FN + "weight = torch.rand(10, 3)\ninput = torch.tensor([[1, 2, 4, 5], [4, 3, 2, 9]])\n"
        "F.embedding(input, weight)",
        one(dml.Gather(t(F32, 1, 10, 3), t(I64, 1, 2, 4), 1, 2, t(F32, 2, 4, 3))),
    ),
    "nn.Embedding": (
        FN + "emb = nn.Embedding(100, 16, padding_idx=0)\nids = torch.randint(0, 100, (7,))\nout = emb(ids)",
        one(dml.Gather(t(F32, 100, 16), t(I64, 1, 7), 0, 1, t(F32, 7, 16))),
    ),
    "torch.embedding": (
        PT + "torch.embedding(torch.zeros(5, 2), torch.tensor([3]))",
        one(dml.Gather(t(F32, 5, 2), t(I64, 1, 1), 0, 1, t(F32, 1, 2))),
    ),
    "torch.gather": (
        PT + "x = torch.randn(2, 3)\ni = torch.zeros(2, 1).long()\nx.gather(1, i)",
        one(dml.GatherElements(t(F32, 2, 3), t(I64, 2, 1), 1, t(F32, 2, 1))),
    ),
    "torch.gather of fewer lines": (
        PT + "x = torch.randn(2, 3)\ntorch.gather(x, 1, torch.tensor([[2, 0]]))",
        one(
            dml.GatherElements(t(F32, 2, 3), t(I64, 1, 2), 1, t(F32, 1, 2)),
            broken("gather_elements.indices IndicesTensor.Sizes[0]"),
        ),
    ),
    "take_along_axis": (
        "np.take_along_axis(x, np.array([[0, 2], [1, 1]]), axis=-1)  # x: float32 (2, 3)",
        one(dml.GatherElements(t(F32, 2, 3), t(I64, 2, 2), 1, t(F32, 2, 2))),
    ),
    "channels joined": (
        PT + "skip = torch.zeros(1, 16, 32, 32)\nup = torch.zeros(1, 8, 32, 32)\nx = torch.cat([up, skip], dim=1)",
        one(dml.Join((t(F32, 1, 8, 32, 32), t(F32, 1, 16, 32, 32)), 1, t(F32, 1, 24, 32, 32))),
    ),
    "channels that don't fit": (
        PT + "skip = torch.zeros(1, 16, 31, 32)\nup = torch.zeros(1, 8, 32, 32)\nx = torch.cat((up, skip), 1)",
        one(
            dml.Join((t(F32, 1, 8, 32, 32), t(F32, 1, 16, 31, 32)), 1, t(F32, 1, 24, 32, 32)),
            broken("sizes.match InputTensors[1].Sizes[2]"),
        ),
    ),
    "ranks that don't fit": (
        NP + "a = np.zeros((2, 3), np.float32)\nb = np.zeros(3, np.float32)\nnp.concatenate([a, b])",
        one(
            dml.Join((t(F32, 2, 3), t(F32, 3)), 0, t(F32, 2, 3)),
            broken("dimension_count.equal InputTensors[1].DimensionCount"),
        ),
    ),
    "promoted by NumPy": (
        NP + "np.concatenate([np.zeros(2, np.float32), np.arange(3)])",
        one(dml.Join((t(F64, 2), t(F64, 3)), 0, t(F64, 5))),
    ),
    "promoted by PyTorch": (
        PT + "torch.cat([torch.zeros(2, dtype=torch.float16), torch.arange(3)])",
        one(dml.Join((t(F16, 2), t(F16, 3)), 0, t(F16, 5))),
    ),
    "bytes promoted by PyTorch": (
        PT + "torch.cat([torch.zeros(2, dtype=torch.uint8), torch.zeros(2, dtype=torch.int8)])",
        one(dml.Join((t("INT16", 2), t("INT16", 2)), 0, t("INT16", 4))),
    ),
    "the same one three times": (
        PT + "x = torch.ones(2, 2)\ntorch.cat([x] * 3, dim=-1)",
        one(dml.Join((t(F32, 2, 2),) * 3, 1, t(F32, 2, 6))),
    ),
    "vstack of rows": (
        NP + "np.vstack([np.zeros(4, np.int32), np.zeros((2, 4), np.int32)])",
        one(dml.Join((t(I32, 1, 4), t(I32, 2, 4)), 0, t(I32, 3, 4))),
    ),
    "stack is none of them": (PT + "a = torch.zeros(3)\ntorch.stack([a, a])", Answer(())),
    "halves": (
        PT + "h = torch.zeros(1, 10, 64)\na, gate = h.chunk(2, dim=-1)",
        one(dml.Split(t(F32, 1, 10, 64), (t(F32, 1, 10, 32),) * 2, 2)),
    ),
    "pieces of a size": (
        PT + "torch.split(torch.zeros(7, 2, dtype=torch.int8), 3)",
        one(dml.Split(t(I8, 7, 2), (t(I8, 3, 2), t(I8, 3, 2), t(I8, 1, 2)), 0)),
    ),
    "pieces that don't add up": (
        PT + "qkv = torch.zeros(4, 90)\nq, k, v = torch.split(qkv, [32, 32, 32], dim=1)",
        one(dml.Split(t(F32, 4, 90), (t(F32, 4, 32),) * 3, 1), broken("sizes.sum InputTensor.Sizes[1]")),
    ),
    "places to cut at": (
        "np.split(x, [1, 4], axis=1)  # x: float32 (2, 6)",
        one(dml.Split(t(F32, 2, 6), (t(F32, 2, 1), t(F32, 2, 3), t(F32, 2, 2)), 1)),
    ),
    "parts of nearly one size": (
        NP + "np.array_split(np.zeros(8, np.float32), 3)",
        one(dml.Split(t(F32, 8), (t(F32, 3), t(F32, 3), t(F32, 2)), 0)),
    ),
    "a part of nothing": (NP + "np.split(np.zeros(4, np.float32), [4])", UNKNOWN),
    "tiles": (
        NP + "np.tile(np.zeros((2, 3), np.float32), (2, 1))",
        one(dml.Tile(t(F32, 2, 3), (2, 1), t(F32, 4, 3))),
    ),
    "tiles on more axes": (
        "np.tile(x, (4, 1, 1))  # x: uint8 (2, 3)",
        one(dml.Tile(t(U8, 1, 2, 3), (4, 1, 1), t(U8, 4, 2, 3))),
    ),
    "tiles of doubles": (
        NP + "np.tile(np.zeros(3), 2)",
        one(
            dml.Tile(t(F64, 3), (2,), t(F64, 6)),
            broken("dtype.supported InputTensor.DataType", "dtype.supported OutputTensor.DataType"),
        ),
    ),
    "repeat": (
        PT + "x = torch.tensor([1, 2, 3], dtype=torch.int32)\nx.repeat(4, 2)",
        one(dml.Tile(t(I32, 1, 3), (4, 2), t(I32, 4, 6))),
    ),
    "too few repeats": (
        PT + "x = torch.zeros(2, 3, 4)\nx.repeat(2, 2)",
        one(dml.Tile(t(F32, 2, 3, 4), (2, 2), t(F32, 2, 6, 8)), broken("repeats.count RepeatsCount")),
    ),
    "NumPy's repeat is none of them": (NP + "np.repeat(np.zeros((2, 3)), 2, axis=0)", Answer(())),
    "turned round": (
        NP + "x = np.zeros((3, 5), np.float32)\nx[:, ::-1]",
        one(dml.ReverseSubsequences(t(F32, 3, 5), t(U32, 3, 1), 1, t(F32, 3, 5))),
    ),
    "flip": (
        PT + "torch.flip(torch.zeros(2, 4), dims=[0])",
        one(dml.ReverseSubsequences(t(F32, 2, 4), t(U32, 1, 4), 0, t(F32, 2, 4))),
    ),
    "flip of two axes": (PT + "torch.flip(torch.zeros(2, 4), [0, 1])", UNKNOWN),
    "shapes nobody told": (PT + "out = torch.cat([hidden, context], dim=-1)", UNKNOWN),
    "in a function": (PT + "def forward(a, b):\n    return torch.cat([a, b], dim=1)", UNKNOWN),
    "in a dialogue": (
        "In [1]: import numpy as np\n\nIn [2]: x = np.zeros((2, 2),\n   ...:              np.float32)\n\n"
        "In [3]: np.tile(x, 2).shape\nOut[3]: (2, 4)\n",
        one(dml.Tile(t(F32, 2, 2), (1, 2), t(F32, 2, 4))),
    ),
    "in an issue": (
        "### Describe the bug\n\nIt's slow (very!) on my card. What I run:\n\n```python\nimport torch\n"
        "with torch.no_grad():\n    x = torch.zeros(4, 4, dtype=torch.half)\n    y = torch.tile(x, (1, 2))\n```\n\n"
        "torch.tile isn't the only one, I can't use torch.cat either.\n",
        one(dml.Tile(t(F16, 4, 4), (1, 2), t(F16, 4, 8))),
    ),
    "amid sentences": (
        "Hi, what's wrong here (see below)?\n\nx = torch.zeros(6, 2)\na, b = torch.split(x, 3)\n\n"
        "It isn't what I'd expect: two parts of (3, 2).\n",
        one(dml.Split(t(F32, 6, 2), (t(F32, 3, 2), t(F32, 3, 2)), 0), VALID),
    ),
    "cut off": (
        NP + "x = np.zeros((2, 2), np.float32)\nnp.tile(x, 2)\ny = np.take(x, [0,",
        Answer(((dml.Tile(t(F32, 2, 2), (1, 2), t(F32, 2, 4)), NOT_CHECKED),)),
    ),
}
