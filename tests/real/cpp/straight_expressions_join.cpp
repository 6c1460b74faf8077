dml::Graph graph(device);
dml::Expression a = dml::InputTensor(graph, 0, dml::TensorDesc(DML_TENSOR_DATA_TYPE_FLOAT32, { 1, 2, 3 }));
dml::Expression b = dml::InputTensor(graph, 1, dml::TensorDesc(DML_TENSOR_DATA_TYPE_FLOAT32, { 1, 4, 3 }));
auto joined = dml::Join({ a, b }, 1);
