const UINT count = 3;
UINT partSizes[2] = { 5, 2 };
UINT wholeSizes[2] = { 5, 6 };
DML_BUFFER_TENSOR_DESC part = { DML_TENSOR_DATA_TYPE_FLOAT32, DML_TENSOR_FLAG_NONE, 2, partSizes, nullptr, 40, 0 };
DML_BUFFER_TENSOR_DESC whole = { DML_TENSOR_DATA_TYPE_FLOAT32, DML_TENSOR_FLAG_NONE, 2, wholeSizes, nullptr, 120, 0 };
DML_TENSOR_DESC wholeTensor = { DML_TENSOR_TYPE_BUFFER, &whole };
std::vector<DML_TENSOR_DESC> parts(count);
for (UINT i = 0; i < count; ++i)
{
    parts[i].Type = DML_TENSOR_TYPE_BUFFER;
    parts[i].Desc = &part;
}
DML_JOIN_OPERATOR_DESC join = {};
join.InputCount = count;
join.InputTensors = parts.data();
join.OutputTensor = &wholeTensor;
join.Axis = 1;
