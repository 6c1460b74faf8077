std::vector<UINT> leftSizes = { 1, 3, 20, 20 };
std::vector<UINT> rightSizes = { 1, 5, 20, 20 };
std::vector<UINT> joinedSizes = { 1, 8, 20, 20 };

DML_BUFFER_TENSOR_DESC left = { DML_TENSOR_DATA_TYPE_FLOAT32, DML_TENSOR_FLAG_NONE,
    static_cast<UINT>(leftSizes.size()), leftSizes.data(), nullptr, 4800, 0 };
DML_BUFFER_TENSOR_DESC right = { DML_TENSOR_DATA_TYPE_FLOAT32, DML_TENSOR_FLAG_NONE,
    static_cast<UINT>(rightSizes.size()), rightSizes.data(), nullptr, 8000, 0 };
DML_BUFFER_TENSOR_DESC joined = { DML_TENSOR_DATA_TYPE_FLOAT32, DML_TENSOR_FLAG_NONE,
    static_cast<UINT>(joinedSizes.size()), joinedSizes.data(), nullptr, 12800, 0 };

std::vector<DML_TENSOR_DESC> inputs;
inputs.push_back({ DML_TENSOR_TYPE_BUFFER, &left });
inputs.push_back({ DML_TENSOR_TYPE_BUFFER, &right });
DML_TENSOR_DESC output = { DML_TENSOR_TYPE_BUFFER, &joined };

DML_JOIN_OPERATOR_DESC concat = {};
concat.InputCount = gsl::narrow_cast<uint32_t>(inputs.size());
concat.InputTensors = inputs.data();
concat.OutputTensor = &output;
concat.Axis = 1;
