dml::Graph graph(device.Get());
auto x = dml::InputTensor(graph, 0, dml::TensorDesc(DML_TENSOR_DATA_TYPE_FLOAT32, { 1, 1, 5, 4 }));
auto i = dml::InputTensor(graph, 1, dml::TensorDesc(DML_TENSOR_DATA_TYPE_UINT32, { 1, 1, 1, 2 }));
auto y = dml::Gather(x, i, /*axis*/ 2, /*indexDimensions*/ 1);
auto compiled = graph.Compile(DML_EXECUTION_FLAG_NONE, { y });
