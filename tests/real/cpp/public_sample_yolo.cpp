dml::Graph graph(m_dmlDevice.Get());
auto small = dml::InputTensor(graph, 0, dml::TensorDesc(dataType, { 1, 256, 13, 13 }, policy));
auto route = dml::InputTensor(graph, 1, dml::TensorDesc(dataType, { 1, 256, 26, 26 }, policy));
auto up = dml::Upsample2D(small, DML_SIZE_2D{ 2, 2 }, DML_INTERPOLATION_MODE_NEAREST_NEIGHBOR);
auto both = dml::Join({ up, route }, 1);
