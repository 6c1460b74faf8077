// Session "GATHER, example 2"
// C++ on DirectMLX.h, exported by dmlviz: one function for each experiment.
// DirectMLX checks some of an operator's rules by assert(), which a release build (NDEBUG) leaves out: a mistake then
// goes on to CompileGraph, which may answer E_INVALIDARG, or writes where it shouldn't. These descs were checked.
// A device: DMLCreateDevice1(d3d12Device, DML_CREATE_DEVICE_FLAG_NONE, level, IID_PPV_ARGS(&device)), where level is
// the DML_FEATURE_LEVEL that stands above a function. It takes C++17.

#include <DirectMLX.h>

// Experiment "row gather"
// at DML_FEATURE_LEVEL_3_0; it is valid from 3_0 on.
Microsoft::WRL::ComPtr<IDMLCompiledOperator> gather_1(IDMLDevice* device)
{
    dml::Graph graph(device);

    // InputTensor holds 6 listed values.
    // IndicesTensor holds {0, 1, 1, 2}.
    const dml::Expression inputTensor =
        dml::InputTensor(graph, 0, dml::TensorDesc(DML_TENSOR_DATA_TYPE_FLOAT32, {3, 2}));
    const dml::Expression indicesTensor =
        dml::InputTensor(graph, 1, dml::TensorDesc(DML_TENSOR_DATA_TYPE_UINT32, {1, 4}));

    const dml::Expression outputs[] = {dml::Gather(inputTensor, indicesTensor, /*axis*/ 0, /*indexDimensions*/ 1)};
    // OutputTensor: FLOAT32 {4, 2}
    return graph.Compile(DML_EXECUTION_FLAG_NONE, outputs);
}
