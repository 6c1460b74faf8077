// Looks three tokens up in a table of 40 words.
UINT tableSizes[4]  = { 1, 1, 40, 16 };
UINT tokenSizes[4]  = { 1, 1, 1, 3 };
UINT resultSizes[4] = { 1, 1, 3, 16 };

DML_BUFFER_TENSOR_DESC tableBuffer = {};
tableBuffer.DataType = DML_TENSOR_DATA_TYPE_FLOAT32;
tableBuffer.Flags = DML_TENSOR_FLAG_NONE;
tableBuffer.DimensionCount = ARRAYSIZE(tableSizes);
tableBuffer.Sizes = tableSizes;
tableBuffer.Strides = nullptr;
tableBuffer.TotalTensorSizeInBytes = DMLCalcBufferTensorSize(
    tableBuffer.DataType, tableBuffer.DimensionCount, tableBuffer.Sizes, tableBuffer.Strides);

DML_BUFFER_TENSOR_DESC tokenBuffer = tableBuffer;
tokenBuffer.DataType = DML_TENSOR_DATA_TYPE_UINT32;
tokenBuffer.Sizes = tokenSizes;
tokenBuffer.TotalTensorSizeInBytes = 12;

DML_BUFFER_TENSOR_DESC resultBuffer = tableBuffer;
resultBuffer.Sizes = resultSizes;
resultBuffer.TotalTensorSizeInBytes = 3 * 16 * sizeof(float);

DML_TENSOR_DESC table = { DML_TENSOR_TYPE_BUFFER, &tableBuffer };
DML_TENSOR_DESC tokens = { DML_TENSOR_TYPE_BUFFER, &tokenBuffer };
DML_TENSOR_DESC result = { DML_TENSOR_TYPE_BUFFER, &resultBuffer };

DML_GATHER_OPERATOR_DESC lookup = {};
lookup.InputTensor = &table;
lookup.IndicesTensor = &tokens;
lookup.OutputTensor = &result;
lookup.Axis = 2;
lookup.IndexDimensions = 1;

DML_OPERATOR_DESC op = { DML_OPERATOR_GATHER, &lookup };
THROW_IF_FAILED(device->CreateOperator(&op, IID_PPV_ARGS(&compiled)));
