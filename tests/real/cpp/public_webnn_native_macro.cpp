#define CREATE_OPERATOR(type, specific)                \
    DML_OPERATOR_DESC operatorDesc = {};               \
    operatorDesc.Type = DML_OPERATOR_##type;           \
    operatorDesc.Desc = &specific;                     \
    CHECK(device->CreateOperator(&operatorDesc, IID_PPV_ARGS(&made)));

std::vector<UINT> dims = { 1, 4, 2 }, joinedDims = { 1, 8, 2 };
DML_BUFFER_TENSOR_DESC half = { DML_TENSOR_DATA_TYPE_FLOAT32, DML_TENSOR_FLAG_NONE, 3, dims.data(), nullptr, 32, 0 };
DML_BUFFER_TENSOR_DESC full = { DML_TENSOR_DATA_TYPE_FLOAT32, DML_TENSOR_FLAG_NONE, 3, joinedDims.data(), nullptr, 64, 0 };
std::vector<DML_TENSOR_DESC> inputs(2, DML_TENSOR_DESC{ DML_TENSOR_TYPE_BUFFER, &half });
DML_TENSOR_DESC output = { DML_TENSOR_TYPE_BUFFER, &full };
DML_JOIN_OPERATOR_DESC concat = { 2, inputs.data(), &output, 1 };
CREATE_OPERATOR(JOIN, concat)
