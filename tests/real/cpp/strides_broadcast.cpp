const std::array<uint32_t, 4> gammaSizes = { 1, 4, 2, 2 };
const std::array<uint32_t, 4> gammaStrides = { 0, 1, 0, 0 };
const std::array<uint32_t, 4> halfSizes = { 1, 2, 2, 2 };
DML_BUFFER_TENSOR_DESC gamma = { DML_TENSOR_DATA_TYPE_FLOAT32, DML_TENSOR_FLAG_NONE, 4, gammaSizes.data(), gammaStrides.data(), 16, 0 };
DML_BUFFER_TENSOR_DESC half = { DML_TENSOR_DATA_TYPE_FLOAT32, DML_TENSOR_FLAG_NONE, 4, halfSizes.data(), nullptr, 32, 0 };
DML_TENSOR_DESC gammaTensor = { DML_TENSOR_TYPE_BUFFER, &gamma };
DML_TENSOR_DESC halves[2] = { { DML_TENSOR_TYPE_BUFFER, &half }, { DML_TENSOR_TYPE_BUFFER, &half } };
DML_SPLIT_OPERATOR_DESC split = { &gammaTensor, 2, halves, 1 };
