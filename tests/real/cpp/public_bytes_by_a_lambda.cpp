UINT rank = 4;
UINT whole[] = { 1, 1, 12, 64 }, half[] = { 1, 1, 12, 32 };
auto bytes = [](UINT64 elements) { return (elements * 2 + 3) & ~3ull; };
DML_BUFFER_TENSOR_DESC wholeDesc = { DML_TENSOR_DATA_TYPE_FLOAT16, DML_TENSOR_FLAG_NONE, rank, whole, nullptr, bytes(768), 0 };
DML_BUFFER_TENSOR_DESC halfDesc = { DML_TENSOR_DATA_TYPE_FLOAT16, DML_TENSOR_FLAG_NONE, rank, half, nullptr, bytes(384), 0 };
DML_TENSOR_DESC wholeTensor = { DML_TENSOR_TYPE_BUFFER, &wholeDesc };
DML_TENSOR_DESC halves[] = { { DML_TENSOR_TYPE_BUFFER, &halfDesc }, { DML_TENSOR_TYPE_BUFFER, &halfDesc } };
DML_SPLIT_OPERATOR_DESC rotate = { &wholeTensor, _countof(halves), halves, rank - 1 };
