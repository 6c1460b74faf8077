std::vector<UINT> inSizes { 2, 3 };
std::vector<UINT> outSizes { 4, 3 };
std::vector<UINT> repeats { 2, 1 };
DML_BUFFER_TENSOR_DESC in = { DML_TENSOR_DATA_TYPE_FLOAT32, DML_TENSOR_FLAG_NONE, 2, inSizes.data(), nullptr, 24, 0 };
DML_BUFFER_TENSOR_DESC out = { DML_TENSOR_DATA_TYPE_FLOAT32, DML_TENSOR_FLAG_NONE, 2, outSizes.data(), nullptr, 48, 0 };
DML_TENSOR_DESC inTensor = { DML_TENSOR_TYPE_BUFFER, &in };
DML_TENSOR_DESC outTensor = { DML_TENSOR_TYPE_BUFFER, &out };
DML_TILE_OPERATOR_DESC tile = { &inTensor, &outTensor, 2, repeats.data() };
