"""C++ as people paste it into an issue, and the descs that it fills."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import dmlviz as dml

F32, F16, U32, I64, U8 = (dml.DataType[name] for name in ("FLOAT32", "FLOAT16", "UINT32", "INT64", "UINT8"))


def t(kind: dml.DataType, *sizes: int) -> dml.TensorDesc:
    return dml.TensorDesc(kind, sizes)


@dataclass(frozen=True)
class Snippet:
    """A text, the descs in it by name, and words that remarks about what was left out hold, by line."""

    about: str
    text: str
    descs: dict[str, Any]
    left: dict[int, str]
    level: str = "6_4"

    def __str__(self) -> str:
        return self.about


SNIPPETS = (
    Snippet(
        about="a whole function with a level, std::array, _countof and a macro",
        text="""
#include <DirectML.h>
#define AXIS 2
#define NUM_OUTPUTS (3)

static HRESULT MakeSplit(ID3D12Device* d3d, IDMLOperator** op)
{
    Microsoft::WRL::ComPtr<IDMLDevice> device;
    RETURN_IF_FAILED(DMLCreateDevice1(d3d, DML_CREATE_DEVICE_FLAG_NONE, DML_FEATURE_LEVEL_3_0, IID_PPV_ARGS(&device)));

    std::array<uint32_t, 4> whole = {{1, 1, 6, 2}};
    UINT32 p0[4] = {1, 1, 2, 2}, p1[4] = {1, 1, 1, 2}, p2[4] = {1, 1, 3, 2};

    DML_BUFFER_TENSOR_DESC wholeDesc = { DML_TENSOR_DATA_TYPE_UINT8, DML_TENSOR_FLAG_NONE, (UINT)whole.size(),
                                         whole.data(), NULL, 12, 0 };
    DML_BUFFER_TENSOR_DESC parts[NUM_OUTPUTS] = {
        { DML_TENSOR_DATA_TYPE_UINT8, DML_TENSOR_FLAG_NONE, _countof(p0), p0, NULL, 4, 0 },
        { DML_TENSOR_DATA_TYPE_UINT8, DML_TENSOR_FLAG_NONE, ARRAYSIZE(p1), p1, NULL, 4, 0 },
        { DML_TENSOR_DATA_TYPE_UINT8, DML_TENSOR_FLAG_NONE, sizeof(p2) / sizeof(p2[0]), p2, NULL, 8, 0 },
    };
    DML_TENSOR_DESC in = { DML_TENSOR_TYPE_BUFFER, &wholeDesc };
    DML_TENSOR_DESC outs[NUM_OUTPUTS];
    outs[0] = { DML_TENSOR_TYPE_BUFFER, &parts[0] };
    outs[1].Type = DML_TENSOR_TYPE_BUFFER;
    outs[1].Desc = &parts[1];
    outs[2] = DML_TENSOR_DESC{DML_TENSOR_TYPE_BUFFER, &parts[2]};
    outs[2].Desc = &parts[2];
    DML_SPLIT_OPERATOR_DESC desc = { &in, NUM_OUTPUTS, outs, AXIS };
    DML_OPERATOR_DESC opDesc = { DML_OPERATOR_SPLIT, &desc };
    return device->CreateOperator(&opDesc, IID_PPV_ARGS(op)); // E_INVALIDARG here!
}
""",
        descs={"desc": dml.Split(t(U8, 1, 1, 6, 2), (t(U8, 1, 1, 2, 2), t(U8, 1, 1, 1, 2), t(U8, 1, 1, 3, 2)), 2)},
        left={},
        level="3_0",
    ),
    Snippet(
        "C style, compound literals",
        """
DML_REVERSE_SUBSEQUENCES_OPERATOR_DESC rev = {
  &(DML_TENSOR_DESC){ DML_TENSOR_TYPE_BUFFER,
    &(DML_BUFFER_TENSOR_DESC){ DML_TENSOR_DATA_TYPE_FLOAT32, 0, 2, (UINT[]){3, 4}, 0, 48 } },
  &(DML_TENSOR_DESC){ DML_TENSOR_TYPE_BUFFER,
    &(DML_BUFFER_TENSOR_DESC){ DML_TENSOR_DATA_TYPE_UINT32, 0, 2, (UINT[]){3, 1}, 0, 12 } },
  &(DML_TENSOR_DESC){ DML_TENSOR_TYPE_BUFFER,
    &(DML_BUFFER_TENSOR_DESC){ DML_TENSOR_DATA_TYPE_FLOAT32, 0, 2, (UINT[]){3, 4}, 0, 48 } },
  1
};
""",
        {"rev": dml.ReverseSubsequences(t(F32, 3, 4), t(U32, 3, 1), 1, t(F32, 3, 4))},
        {},
    ),
    Snippet(
        "strides, flags, a total that is too small, alignment",
        """
UINT sizes[4] = { 1, 1, 2, 3 };
UINT strides[4] = { 24, 24, 8, 1 };
UINT packed[4] = { 6, 6, 3, 1 };
UINT reps[4] = { 1, 1, 1, 1 };
DML_BUFFER_TENSOR_DESC x = { DML_TENSOR_DATA_TYPE_FLOAT32, DML_TENSOR_FLAG_OWNED_BY_DML, 4, sizes, strides, 44, 256 };
DML_BUFFER_TENSOR_DESC y = { DML_TENSOR_DATA_TYPE_FLOAT32, DML_TENSOR_FLAG_NONE, 4, sizes, packed, 20, 0 };
DML_TENSOR_DESC xt = { DML_TENSOR_TYPE_BUFFER, &x }, yt = { DML_TENSOR_TYPE_BUFFER, &y };
DML_TILE_OPERATOR_DESC op = { &xt, &yt, 4, reps };
""",
        {
            "op": dml.Tile(
                dml.TensorDesc(
                    F32,
                    (1, 1, 2, 3),
                    strides=(24, 24, 8, 1),
                    flags="DML_TENSOR_FLAG_OWNED_BY_DML",
                    guaranteed_base_offset_alignment=256,
                ),
                (1, 1, 1, 1),
                dml.TensorDesc(F32, (1, 1, 2, 3), total_tensor_size_in_bytes=20),
            )
        },
        {},
    ),
    Snippet(
        "what isn't supported is named",
        """
DML_CONVOLUTION_OPERATOR_DESC conv = {};
conv.InputTensor = &convIn;
DML_RNN_OPERATOR_DESC elements = { &a, &b, &c, 0 };
UINT n[] = { 2 };
DML_BUFFER_TENSOR_DESC nb = { DML_TENSOR_DATA_TYPE_FLOAT32, DML_TENSOR_FLAG_NONE, 1, n, nullptr, 8 };
DML_TENSOR_DESC nt = { DML_TENSOR_TYPE_BUFFER, &nb };
const UINT two = 2;
DML_TILE_OPERATOR_DESC tiling = { &nt, nullptr, 1, &two };
UINT again[] = { two };
tiling.Repeats = again;
""",
        {"tiling": dml.Tile(t(F32, 2), (2,))},
        {
            2: "DML_CONVOLUTION_OPERATOR_DESC conv isn't supported",
            4: "DML_RNN_OPERATOR_DESC elements isn't supported",
            9: "OutputTensor isn't given",
        },
    ),
    Snippet(
        "one operator after the other in the same struct, Windows line ends",
        """
UINT s[] = {4};\r
UINT once[] = {1}, twice[] = {2};\r
DML_BUFFER_TENSOR_DESC b = {DML_TENSOR_DATA_TYPE_UINT32, DML_TENSOR_FLAG_NONE, 1, s, nullptr, 16, 0};\r
DML_TENSOR_DESC t = {DML_TENSOR_TYPE_BUFFER, &b};\r
DML_TILE_OPERATOR_DESC tile = {&t, &t, 1, once};\r
DML_OPERATOR_DESC op = {DML_OPERATOR_TILE, &tile};\r
if (FAILED(device->CreateOperator(&op, IID_PPV_ARGS(&first)))) {\r
    printf("%s", "no { tile");\r
    return -1;\r
}\r
tile.Repeats = twice;\r
ThrowIfFailed(device->CreateOperator(&op, IID_PPV_ARGS(&second)));\r
""",
        {"tile": dml.Tile(t(U32, 4), (1,), t(U32, 4)), "tile#2": dml.Tile(t(U32, 4), (2,), t(U32, 4))},
        {},
    ),
    Snippet(
        "a class with helpers of its own, comments and raw strings full of code",
        """
// DML_JOIN_OPERATOR_DESC notThis = {};
/* UINT sizes[] = {9, 9};
   DML_TILE_OPERATOR_DESC norThis = {}; */
static const char* shader = R"hlsl(
    UINT sizes[] = {7}; DML_TILE_OPERATOR_DESC inShader = {};
)hlsl";
class GatherOp : public Op
{
public:
    explicit GatherOp(IDMLDevice* device) : m_device(device)
    {
        const auto inputSizes = std::array<UINT, 3>{1, 3, 2};
        auto indexSizes = std::vector<uint32_t>{1, 2, 2};
        UINT outputSizes[] = {2, 2, 2};
        const DML_BUFFER_TENSOR_DESC buffers[] = {
            {DML_TENSOR_DATA_TYPE_FLOAT32, DML_TENSOR_FLAG_NONE, 3, inputSizes.data(), nullptr, 24, 0},
            {DML_TENSOR_DATA_TYPE_INT64, DML_TENSOR_FLAG_NONE, 3, std::data(indexSizes), nullptr, 32, 0},
            {DML_TENSOR_DATA_TYPE_FLOAT32, DML_TENSOR_FLAG_NONE, 3, outputSizes, nullptr, 32, 0},
        };
        const DML_TENSOR_DESC tensors[3] = {
            {DML_TENSOR_TYPE_BUFFER, &buffers[0]}, {DML_TENSOR_TYPE_BUFFER, &buffers[1]},
            {DML_TENSOR_TYPE_BUFFER, &buffers[2]}};
        auto desc = DML_GATHER_OPERATOR_DESC{};
        desc.InputTensor   = &tensors[0];
        desc.IndicesTensor = &tensors[1];
        desc.OutputTensor  = &tensors[2];
        desc.Axis = 1;
        desc.IndexDimensions = UINT{2};
        m_op = Create(DML_OPERATOR_DESC{DML_OPERATOR_GATHER, &desc});
    }
};
""",
        {"desc": dml.Gather(t(F32, 1, 3, 2), t(I64, 1, 2, 2), 1, 2, t(F32, 2, 2, 2))},
        {},
    ),
)
