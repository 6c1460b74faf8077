// The number of elements where the number of bytes is wanted, rounded up to 4: 5 of INT8 need 8.
UINT a[1] = { 5 };
UINT b[1] = { 10 };
DML_BUFFER_TENSOR_DESC aBuffer = { DML_TENSOR_DATA_TYPE_INT8, DML_TENSOR_FLAG_NONE, 1, a, nullptr, 5, 0 };
DML_BUFFER_TENSOR_DESC bBuffer = { DML_TENSOR_DATA_TYPE_INT8, DML_TENSOR_FLAG_NONE, 1, b, nullptr, 12, 0 };
DML_TENSOR_DESC both[2] = { { DML_TENSOR_TYPE_BUFFER, &aBuffer }, { DML_TENSOR_TYPE_BUFFER, &aBuffer } };
DML_TENSOR_DESC sum = { DML_TENSOR_TYPE_BUFFER, &bBuffer };
DML_JOIN_OPERATOR_DESC join = { 2, both, &sum, 0 };
