// Session "JOIN, example 1"
// C++ on DirectML.h, exported by dmlviz: one function for each experiment.
// A device: DMLCreateDevice1(d3d12Device, DML_CREATE_DEVICE_FLAG_NONE, level, IID_PPV_ARGS(&device)), where level is
// the DML_FEATURE_LEVEL that a function asks for. It takes C++14.

#include <DirectML.h>

// True if the device promises all that the feature level has.
static bool Promises(IDMLDevice* device, DML_FEATURE_LEVEL level)
{
    const DML_FEATURE_QUERY_FEATURE_LEVELS query = {1, &level};
    DML_FEATURE_DATA_FEATURE_LEVELS found = {};
    const HRESULT hr = device->CheckFeatureSupport(
        DML_FEATURE_FEATURE_LEVELS, sizeof(query), &query, sizeof(found), &found);
    return SUCCEEDED(hr) && found.MaxSupportedFeatureLevel >= level;
}

// The bytes of a packed tensor, rounded up to a multiple of 4: the least that TotalTensorSizeInBytes may be.
template <UINT N>
constexpr UINT64 PackedBytes(const UINT (&sizes)[N], UINT64 elementBytes)
{
    UINT64 bytes = elementBytes;
    for (UINT i = 0; i < N; ++i)
    {
        bytes *= sizes[i];
    }
    return (bytes + 3) & ~3ull;
}

// Experiment "two tensors, side by side"
// at DML_FEATURE_LEVEL_1_0; it is valid from 1_0 on.
// It asks for DML_FEATURE_LEVEL_1_0, for which DML_TARGET_VERSION of DirectML.h has to be at least 0x1000.
HRESULT join_1(IDMLDevice* device, IDMLOperator** made)
{
    if (!Promises(device, DML_FEATURE_LEVEL_1_0))
    {
        return DXGI_ERROR_UNSUPPORTED;
    }

    // InputTensors[0] holds 6 listed values.
    // InputTensors[1] holds 8 listed values.
    // InputTensors[0]: FLOAT32 {1, 1, 2, 3}
    constexpr UINT inputTensorsSizes0[] = {1, 1, 2, 3};
    DML_BUFFER_TENSOR_DESC inputTensorsBuffer0 = {};
    inputTensorsBuffer0.DataType = DML_TENSOR_DATA_TYPE_FLOAT32;
    inputTensorsBuffer0.Flags = DML_TENSOR_FLAG_NONE;
    inputTensorsBuffer0.DimensionCount = 4;
    inputTensorsBuffer0.Sizes = inputTensorsSizes0;
    inputTensorsBuffer0.Strides = nullptr; // packed
    inputTensorsBuffer0.TotalTensorSizeInBytes = 24;
    static_assert(PackedBytes(inputTensorsSizes0, 4) == 24, "TotalTensorSizeInBytes");

    // InputTensors[1]: FLOAT32 {1, 1, 2, 4}
    constexpr UINT inputTensorsSizes1[] = {1, 1, 2, 4};
    DML_BUFFER_TENSOR_DESC inputTensorsBuffer1 = {};
    inputTensorsBuffer1.DataType = DML_TENSOR_DATA_TYPE_FLOAT32;
    inputTensorsBuffer1.Flags = DML_TENSOR_FLAG_NONE;
    inputTensorsBuffer1.DimensionCount = 4;
    inputTensorsBuffer1.Sizes = inputTensorsSizes1;
    inputTensorsBuffer1.Strides = nullptr; // packed
    inputTensorsBuffer1.TotalTensorSizeInBytes = 32;
    static_assert(PackedBytes(inputTensorsSizes1, 4) == 32, "TotalTensorSizeInBytes");

    const DML_TENSOR_DESC inputTensorsDescs[] = {
        {DML_TENSOR_TYPE_BUFFER, &inputTensorsBuffer0}, {DML_TENSOR_TYPE_BUFFER, &inputTensorsBuffer1},
    };

    // OutputTensor: FLOAT32 {1, 1, 2, 7}
    constexpr UINT outputTensorSizes[] = {1, 1, 2, 7};
    DML_BUFFER_TENSOR_DESC outputTensorBuffer = {};
    outputTensorBuffer.DataType = DML_TENSOR_DATA_TYPE_FLOAT32;
    outputTensorBuffer.Flags = DML_TENSOR_FLAG_NONE;
    outputTensorBuffer.DimensionCount = 4;
    outputTensorBuffer.Sizes = outputTensorSizes;
    outputTensorBuffer.Strides = nullptr; // packed
    outputTensorBuffer.TotalTensorSizeInBytes = 56;
    static_assert(PackedBytes(outputTensorSizes, 4) == 56, "TotalTensorSizeInBytes");
    const DML_TENSOR_DESC outputTensorDesc = {DML_TENSOR_TYPE_BUFFER, &outputTensorBuffer};

    DML_JOIN_OPERATOR_DESC desc = {};
    desc.InputCount = 2;
    desc.InputTensors = inputTensorsDescs;
    desc.OutputTensor = &outputTensorDesc;
    desc.Axis = 3;
    const DML_OPERATOR_DESC operatorDesc = {DML_OPERATOR_JOIN, &desc};

    // E_INVALIDARG says no more than that a rule is broken; the debug layer may say which.
    return device->CreateOperator(&operatorDesc, IID_PPV_ARGS(made));
}
