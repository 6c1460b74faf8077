UINT whole[2] = { 2, 6 }, half[2] = { 2, 3 };
DML_BUFFER_TENSOR_DESC wholeBuffer = { DML_TENSOR_DATA_TYPE_FLOAT32, DML_TENSOR_FLAG_NONE, 2, whole, nullptr, 48, 0 };
DML_BUFFER_TENSOR_DESC halfBuffer = { DML_TENSOR_DATA_TYPE_FLOAT32, DML_TENSOR_FLAG_NONE, 2, half, nullptr, 24, 0 };
DML_TENSOR_DESC wholeTensor = { DML_TENSOR_TYPE_BUFFER, &wholeBuffer };
DML_TENSOR_DESC halves[2] = { { DML_TENSOR_TYPE_BUFFER, &halfBuffer }, { DML_TENSOR_TYPE_BUFFER, &halfBuffer } };

DML_SPLIT_OPERATOR_DESC split = { &wholeTensor, 2, halves, 1 };
DML_OPERATOR_DESC splitOp = { DML_OPERATOR_SPLIT, &split };

// The two halves change places.
DML_TENSOR_DESC swapped[2] = { halves[1], halves[0] };
DML_JOIN_OPERATOR_DESC join = { 2, swapped, &wholeTensor, 1 };
DML_OPERATOR_DESC joinOp = { DML_OPERATOR_JOIN, &join };

DML_ACTIVATION_RELU_OPERATOR_DESC relu = { &wholeTensor, &wholeTensor };
DML_OPERATOR_DESC reluOp = { DML_OPERATOR_ACTIVATION_RELU, &relu };
