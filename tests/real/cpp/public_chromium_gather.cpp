DML_GATHER_OPERATOR_DESC gather_operator_desc{
    .InputTensor = &input_tensor_desc.GetDMLTensorDesc(),
    .IndicesTensor = &indices_tensor_desc.GetDMLTensorDesc(),
    .OutputTensor = &output_tensor_desc.GetDMLTensorDesc(),
    .Axis = operation->axis,
    .IndexDimensions = indices_rank};
const GraphNode* gather_node = graph_builder.CreateOperatorNode(DML_OPERATOR_GATHER, &gather_operator_desc, { input, indices });
