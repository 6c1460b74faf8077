dml::Graph graph(device);
const dml::TensorDesc desc = { DML_TENSOR_DATA_TYPE_FLOAT16, { 1, 8, 2 } };
auto x = dml::InputTensor(graph, 0, desc);
std::vector<dml::Expression> parts = dml::Split(x, 1, { 2, 6 });
auto again = dml::Join(parts, 1);
