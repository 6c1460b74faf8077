using namespace dml;
dml::Graph graph(device);
auto x = InputTensor(graph, 0, TensorDesc(DML_TENSOR_DATA_TYPE_INT32, { 2, 3 }));
const uint32_t repeats[] = { 3, 1 };
auto y = Tile(x, repeats);
