std::array<UINT, 4> inSizes = { 1, 1, 2, 3 };
std::array<UINT, 4> outSizes = { 1, 1, 2, 3 };
std::array<UINT, 4> repeats = { 1, 1, 2, 1 };
for (UINT i = 0; i < 4; ++i)
{
    outSizes[i] = inSizes[i] * repeats[i];
}

DML_BUFFER_TENSOR_DESC in = { DML_TENSOR_DATA_TYPE_FLOAT32, DML_TENSOR_FLAG_NONE, 4, inSizes.data(), nullptr, 24, 0 };
DML_BUFFER_TENSOR_DESC out = { DML_TENSOR_DATA_TYPE_FLOAT32, DML_TENSOR_FLAG_NONE, 4, outSizes.data(), nullptr, 48, 0 };
DML_TENSOR_DESC inTensor = { DML_TENSOR_TYPE_BUFFER, &in };
DML_TENSOR_DESC outTensor = { DML_TENSOR_TYPE_BUFFER, &out };
DML_TILE_OPERATOR_DESC tile = { &inTensor, &outTensor, 4, repeats.data() };
