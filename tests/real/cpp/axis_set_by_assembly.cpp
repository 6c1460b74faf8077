UINT partSizes[2] = { 4, 4 }, wholeSizes[2] = { 8, 4 };
DML_BUFFER_TENSOR_DESC part = { DML_TENSOR_DATA_TYPE_FLOAT32, DML_TENSOR_FLAG_NONE, 2, partSizes, nullptr, 64, 0 };
DML_BUFFER_TENSOR_DESC whole = { DML_TENSOR_DATA_TYPE_FLOAT32, DML_TENSOR_FLAG_NONE, 2, wholeSizes, nullptr, 128, 0 };
DML_TENSOR_DESC parts[2] = { { DML_TENSOR_TYPE_BUFFER, &part }, { DML_TENSOR_TYPE_BUFFER, &part } };
DML_TENSOR_DESC out = { DML_TENSOR_TYPE_BUFFER, &whole };
UINT axis = 0;
__asm { mov axis, 1 }
DML_JOIN_OPERATOR_DESC join = { 2, parts, &out, axis };
DML_OPERATOR_DESC op = { DML_OPERATOR_JOIN, &join };
THROW_IF_FAILED(device->CreateOperator(&op, IID_PPV_ARGS(&m_join)));
