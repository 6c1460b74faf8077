auto describe = [](DML_TENSOR_DATA_TYPE type, std::vector<UINT> const& sizes, UINT64 bytes) { return 0; };

std::array<UINT, 3> dataSizes{ 1, 7, 4 };
std::array<UINT, 3> indexSizes{ 1, 1, 2 };
std::array<UINT, 3> outputSizes{ 1, 2, 4 };

DML_BUFFER_TENSOR_DESC data = {};
data.DataType = DML_TENSOR_DATA_TYPE_FLOAT16;
data.DimensionCount = static_cast<UINT>(dataSizes.size());
data.Sizes = dataSizes.data();
data.TotalTensorSizeInBytes = 56;
DML_BUFFER_TENSOR_DESC index = {};
index.DataType = DML_TENSOR_DATA_TYPE_INT32;
index.DimensionCount = static_cast<UINT>(indexSizes.size());
index.Sizes = indexSizes.data();
index.TotalTensorSizeInBytes = 8;
DML_BUFFER_TENSOR_DESC output = data;
output.Sizes = outputSizes.data();
output.TotalTensorSizeInBytes = 16;

DML_TENSOR_DESC dataTensor{ DML_TENSOR_TYPE_BUFFER, &data };
DML_TENSOR_DESC indexTensor{ DML_TENSOR_TYPE_BUFFER, &index };
DML_TENSOR_DESC outputTensor{ DML_TENSOR_TYPE_BUFFER, &output };

DML_GATHER_OPERATOR_DESC gatherDesc = {};
gatherDesc.InputTensor = &dataTensor;
gatherDesc.IndicesTensor = &indexTensor;
gatherDesc.OutputTensor = &outputTensor;
gatherDesc.Axis = 1;
