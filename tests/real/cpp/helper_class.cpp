TensorDesc input_desc(DML_TENSOR_DATA_TYPE_FLOAT32, std::vector<uint32_t>{1, 4, 9, 2});
TensorDesc output_desc0(DML_TENSOR_DATA_TYPE_FLOAT32, std::vector<uint32_t>{1, 4, 5, 2});
TensorDesc output_desc1(DML_TENSOR_DATA_TYPE_FLOAT32, std::vector<uint32_t>{1, 4, 4, 2});
std::vector<DML_TENSOR_DESC> output_descs;
output_descs.reserve(2);
output_descs.push_back(output_desc0.GetDMLTensorDesc());
output_descs.push_back(output_desc1.GetDMLTensorDesc());

DML_SPLIT_OPERATOR_DESC split_desc{
    .InputTensor = &input_desc.GetDMLTensorDesc(),
    .OutputCount = 2u,
    .OutputTensors = output_descs.data(),
    .Axis = 2};
NodeInfo node = builder.CreateOperatorNode(DML_OPERATOR_SPLIT, &split_desc, {input});
