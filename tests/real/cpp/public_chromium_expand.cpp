const std::array<uint32_t, 2> dims = { 1, 3 };
const std::array<uint32_t, 2> repeated = { 5, 3 };
const std::array<uint32_t, 2> strides = { 0, 1 };
DML_BUFFER_TENSOR_DESC buffer{ .DataType = DML_TENSOR_DATA_TYPE_FLOAT32, .DimensionCount = 2, .Sizes = dims.data(), .TotalTensorSizeInBytes = 12 };
DML_BUFFER_TENSOR_DESC output_buffer = buffer;
output_buffer.Sizes = repeated.data();
output_buffer.TotalTensorSizeInBytes = 60;
DML_TENSOR_DESC input_desc{ DML_TENSOR_TYPE_BUFFER, &buffer }, output_desc{ DML_TENSOR_TYPE_BUFFER, &output_buffer };
const uint32_t repeats[] = { 5, 1 };
DML_TILE_OPERATOR_DESC tile_operator_desc{
    .InputTensor = &input_desc,
    .OutputTensor = &output_desc,
    .RepeatsCount = base::checked_cast<uint32_t>(std::size(repeats)),
    .Repeats = repeats};
const GraphNode* tile_node = graph_builder.CreateOperatorNode(DML_OPERATOR_TILE, &tile_operator_desc, input);
