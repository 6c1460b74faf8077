auto inputs = GetDmlTensorDescs(tensors.inputs);
auto scope = dml::Graph(ctx->GetDmlDevice());
absl::InlinedVector<dml::Expression, 5> input_tensors;
for (uint32_t i = 0; i < inputs.size(); ++i)
{
    input_tensors.push_back(dml::InputTensor(scope, i, inputs[i]));
}
auto result = dml::Join(input_tensors, axis);
