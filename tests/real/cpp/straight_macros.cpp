#define RANK 2
#define ROWS 2
#define TYPE DML_TENSOR_DATA_TYPE_FLOAT32
UINT inSizes[RANK] = { ROWS, 3 };
UINT outSizes[RANK] = { ROWS * 2, 3 };
UINT repeats[RANK] = { 2, 1 };
DML_BUFFER_TENSOR_DESC in = { TYPE, DML_TENSOR_FLAG_NONE, RANK, inSizes, nullptr, 24, 0 };
DML_BUFFER_TENSOR_DESC out = { TYPE, DML_TENSOR_FLAG_NONE, RANK, outSizes, nullptr, 48, 0 };
DML_TENSOR_DESC inTensor = { DML_TENSOR_TYPE_BUFFER, &in };
DML_TENSOR_DESC outTensor = { DML_TENSOR_TYPE_BUFFER, &out };
DML_TILE_OPERATOR_DESC tile = { &inTensor, &outTensor, RANK, repeats };
