for (size_t i = 0; i < outputs.size(); ++i)
{
    std::shared_ptr<DmlTensorDesc> desc(new DmlTensorDesc);
    outputTensorDescs.push_back(desc->tensorDesc);
}
DML_SPLIT_OPERATOR_DESC desc{};
desc.Axis = split->GetAxis();
desc.InputTensor = &inputTensorDesc;
desc.OutputCount = static_cast<uint32_t>(outputTensorDescs.size());
desc.OutputTensors = outputTensorDescs.data();
CREATE_OPERATOR(SPLIT, desc);
