// Axis -1 of ONNX, not yet turned into DirectML's.
int64_t axis = -1;
UINT partSizes[] = { 2, 9 };
UINT wholeSizes[] = { 2, 18 };
DML_BUFFER_TENSOR_DESC part = { DML_TENSOR_DATA_TYPE_INT8, DML_TENSOR_FLAG_NONE, 2, partSizes, nullptr, 20, 0 };
DML_BUFFER_TENSOR_DESC whole = { DML_TENSOR_DATA_TYPE_INT8, DML_TENSOR_FLAG_NONE, 2, wholeSizes, nullptr, 36, 0 };
DML_TENSOR_DESC inputs[2] = { { DML_TENSOR_TYPE_BUFFER, &part }, { DML_TENSOR_TYPE_BUFFER, &part } };
DML_TENSOR_DESC output = { DML_TENSOR_TYPE_BUFFER, &whole };
DML_JOIN_OPERATOR_DESC desc = {};
desc.InputCount = _countof(inputs);
desc.InputTensors = inputs;
desc.OutputTensor = &output;
desc.Axis = static_cast<UINT>(axis);
