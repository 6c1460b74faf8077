base::expected<void, mojom::ErrorPtr> CreateOperatorNodeForConcat(const OperandMap& operands, GraphBuilder& builder)
{
    std::vector<DML_TENSOR_DESC> input_dml_tensor_descs;
    input_dml_tensor_descs.reserve(inputs.size());
    for (const auto* input : inputs)
    {
        input_dml_tensor_descs.push_back(input->GetTensorDesc().GetDMLTensorDesc());
    }
    DML_JOIN_OPERATOR_DESC concat_desc{
        .InputCount = base::checked_cast<uint32_t>(input_dml_tensor_descs.size()),
        .InputTensors = input_dml_tensor_descs.data(),
        .OutputTensor = &output_tensor_desc.GetDMLTensorDesc(),
        .Axis = concat->axis};
    const GraphNode* node = builder.CreateOperatorNode(DML_OPERATOR_JOIN, &concat_desc, inputs, concat->label);
    return base::ok();
}
