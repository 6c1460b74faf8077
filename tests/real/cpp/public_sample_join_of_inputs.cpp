dml::Graph graph(device);
auto left = dml::InputTensor(graph, 0, dml::TensorDesc(DML_TENSOR_DATA_TYPE_FLOAT32, { 1, 256, 26, 26 }));
auto right = dml::InputTensor(graph, 1, dml::TensorDesc(DML_TENSOR_DATA_TYPE_FLOAT32, { 1, 512, 26, 26 }));
std::vector<dml::Expression> parts = { left, right };
auto both = dml::Join(parts, 1);
auto compiled = graph.Compile(DML_EXECUTION_FLAG_ALLOW_HALF_PRECISION_COMPUTATION, { both });
