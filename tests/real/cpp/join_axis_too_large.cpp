#define RANK 3
static const UINT kPart[RANK] = { 4, 1, 6 };
static const UINT kWhole[RANK] = { 4, 2, 6 };
DML_BUFFER_TENSOR_DESC partBuffer = { DML_TENSOR_DATA_TYPE_UINT8, DML_TENSOR_FLAG_NONE, RANK, kPart, nullptr, 24, 0 };
DML_BUFFER_TENSOR_DESC wholeBuffer = { DML_TENSOR_DATA_TYPE_UINT8, DML_TENSOR_FLAG_NONE, RANK, kWhole, nullptr, 48, 0 };
DML_TENSOR_DESC pair[] = { { DML_TENSOR_TYPE_BUFFER, &partBuffer }, { DML_TENSOR_TYPE_BUFFER, &partBuffer } };
DML_TENSOR_DESC whole = { DML_TENSOR_TYPE_BUFFER, &wholeBuffer };
DML_JOIN_OPERATOR_DESC join{};
join.InputCount = 2;
join.InputTensors = pair;
join.OutputTensor = &whole;
join.Axis = RANK;
