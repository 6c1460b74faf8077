UINT inSizes[4] = { 1, 1, 2, 3 };
UINT outSizes[4] = { 1, 1, 4, 3 };
UINT repeats[4] = { 1, 1, 2, 1 };
DML_BUFFER_TENSOR_DESC in = { DML_TENSOR_DATA_TYPE_FLOAT32, DML_TENSOR_FLAG_NONE, 5, inSizes, nullptr, 24, 0 };
DML_BUFFER_TENSOR_DESC out = { DML_TENSOR_DATA_TYPE_FLOAT32, DML_TENSOR_FLAG_NONE, 4, outSizes, nullptr, 48, 0 };
DML_TENSOR_DESC inTensor = { DML_TENSOR_TYPE_BUFFER, &in };
DML_TENSOR_DESC outTensor = { DML_TENSOR_TYPE_BUFFER, &out };
DML_TILE_OPERATOR_DESC tile = { &inTensor, &outTensor, 4, repeats };
