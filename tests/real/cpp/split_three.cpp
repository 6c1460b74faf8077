// Query, key and value of one projection.
using Dims = std::array<uint32_t, 3>;
Dims qkvDims{ 1, 12, 96 };
Dims oneDims{ 1, 12, 32 };

DML_BUFFER_TENSOR_DESC qkvBuffer{};
qkvBuffer.DataType = DML_TENSOR_DATA_TYPE_FLOAT16;
qkvBuffer.DimensionCount = static_cast<uint32_t>(qkvDims.size());
qkvBuffer.Sizes = qkvDims.data();
qkvBuffer.TotalTensorSizeInBytes = 2304;
DML_BUFFER_TENSOR_DESC oneBuffer{};
oneBuffer.DataType = DML_TENSOR_DATA_TYPE_FLOAT16;
oneBuffer.DimensionCount = static_cast<uint32_t>(oneDims.size());
oneBuffer.Sizes = oneDims.data();
oneBuffer.TotalTensorSizeInBytes = 768;

const DML_TENSOR_DESC qkvTensor{ DML_TENSOR_TYPE_BUFFER, &qkvBuffer };
const DML_TENSOR_DESC oneTensor{ DML_TENSOR_TYPE_BUFFER, &oneBuffer };
const std::array<DML_TENSOR_DESC, 3> parts{ oneTensor, oneTensor, oneTensor };

DML_SPLIT_OPERATOR_DESC splitQkv{};
splitQkv.InputTensor = &qkvTensor;
splitQkv.OutputCount = gsl::narrow_cast<uint32_t>(parts.size());
splitQkv.OutputTensors = parts.data();
splitQkv.Axis = 2;
const DML_OPERATOR_DESC splitQkvDesc = { DML_OPERATOR_SPLIT, &splitQkv };
