constexpr UINT kVocabulary = 32;
constexpr UINT kWidth = 8;
constexpr UINT kBatch = 2;
constexpr UINT kLength = 5;

const UINT weight_dims[] = {1, 1, kVocabulary, kWidth};
const UINT ids_dims[] = {1, 1, kBatch, kLength};
const UINT out_dims[] = {1, kBatch, kLength, kWidth};

const DML_BUFFER_TENSOR_DESC weight_buffer = {
    .DataType = DML_TENSOR_DATA_TYPE_FLOAT16,
    .Flags = DML_TENSOR_FLAG_NONE,
    .DimensionCount = std::size(weight_dims),
    .Sizes = weight_dims,
    .TotalTensorSizeInBytes = kVocabulary * kWidth * 2};
const DML_BUFFER_TENSOR_DESC ids_buffer = {
    .DataType = DML_TENSOR_DATA_TYPE_INT64,
    .DimensionCount = std::size(ids_dims),
    .Sizes = ids_dims,
    .TotalTensorSizeInBytes = kBatch * kLength * sizeof(int64_t)};
const DML_BUFFER_TENSOR_DESC out_buffer = {
    .DataType = DML_TENSOR_DATA_TYPE_FLOAT16,
    .DimensionCount = std::size(out_dims),
    .Sizes = out_dims,
    .TotalTensorSizeInBytes = kBatch * kLength * kWidth * 2};
const DML_TENSOR_DESC weight = {.Type = DML_TENSOR_TYPE_BUFFER, .Desc = &weight_buffer};
const DML_TENSOR_DESC ids = {.Type = DML_TENSOR_TYPE_BUFFER, .Desc = &ids_buffer};
const DML_TENSOR_DESC out = {.Type = DML_TENSOR_TYPE_BUFFER, .Desc = &out_buffer};

const DML_GATHER_OPERATOR_DESC embedding = {
    .InputTensor = &weight, .IndicesTensor = &ids, .OutputTensor = &out, .Axis = 2, .IndexDimensions = 2};
const DML_OPERATOR_DESC embedding_op = {.Type = DML_OPERATOR_GATHER, .Desc = &embedding};
