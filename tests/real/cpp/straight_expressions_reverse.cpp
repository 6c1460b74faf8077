dml::Graph graph(device);
auto words = dml::InputTensor(graph, 0, { DML_TENSOR_DATA_TYPE_FLOAT32, { 2, 5 } });
dml::TensorDesc::Dimensions lengthSizes = { 2, 1 };
auto x = dml::InputTensor(graph, 0, dml::TensorDesc(DML_TENSOR_DATA_TYPE_FLOAT32, { 2, 5 }));
auto lengths = dml::InputTensor(graph, 1, dml::TensorDesc(DML_TENSOR_DATA_TYPE_UINT32, lengthSizes));
auto turned = dml::ReverseSubsequences(x, lengths, 1);
