// The table is a weight: DirectML is to keep it.
UINT table[2] = { 9, 3 }, ids[2] = { 1, 2 }, rows[2] = { 2, 3 };
DML_BUFFER_TENSOR_DESC tableBuffer = { DML_TENSOR_DATA_TYPE_FLOAT32, DML_TENSOR_FLAG_OWNED_BY_DML, 2, table, nullptr, 108, 0 };
DML_BUFFER_TENSOR_DESC idBuffer = { DML_TENSOR_DATA_TYPE_UINT32, DML_TENSOR_FLAG_NONE, 2, ids, nullptr, 8, 0 };
DML_BUFFER_TENSOR_DESC rowBuffer = { DML_TENSOR_DATA_TYPE_FLOAT32, DML_TENSOR_FLAG_NONE, 2, rows, nullptr, 24, 0 };
DML_TENSOR_DESC tableTensor = { DML_TENSOR_TYPE_BUFFER, &tableBuffer };
DML_TENSOR_DESC idTensor = { DML_TENSOR_TYPE_BUFFER, &idBuffer };
DML_TENSOR_DESC rowTensor = { DML_TENSOR_TYPE_BUFFER, &rowBuffer };
DML_GATHER_OPERATOR_DESC gather = { &tableTensor, &idTensor, &rowTensor, 0, 1 };
