// Session "GATHER, example 2"
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

// Experiment "row gather"
// at DML_FEATURE_LEVEL_3_0; it is valid from 3_0 on.
// It asks for DML_FEATURE_LEVEL_3_0, for which DML_TARGET_VERSION of DirectML.h has to be at least 0x3000.
HRESULT gather_1(IDMLDevice* device, IDMLOperator** made)
{
    if (!Promises(device, DML_FEATURE_LEVEL_3_0))
    {
        return DXGI_ERROR_UNSUPPORTED;
    }

    // InputTensor holds 6 listed values.
    // IndicesTensor holds {0, 1, 1, 2}.
    // InputTensor: FLOAT32 {3, 2}
    constexpr UINT inputTensorSizes[] = {3, 2};
    DML_BUFFER_TENSOR_DESC inputTensorBuffer = {};
    inputTensorBuffer.DataType = DML_TENSOR_DATA_TYPE_FLOAT32;
    inputTensorBuffer.Flags = DML_TENSOR_FLAG_NONE;
    inputTensorBuffer.DimensionCount = 2;
    inputTensorBuffer.Sizes = inputTensorSizes;
    inputTensorBuffer.Strides = nullptr; // packed
    inputTensorBuffer.TotalTensorSizeInBytes = 24;
    static_assert(PackedBytes(inputTensorSizes, 4) == 24, "TotalTensorSizeInBytes");
    const DML_TENSOR_DESC inputTensorDesc = {DML_TENSOR_TYPE_BUFFER, &inputTensorBuffer};

    // IndicesTensor: UINT32 {1, 4}
    constexpr UINT indicesTensorSizes[] = {1, 4};
    DML_BUFFER_TENSOR_DESC indicesTensorBuffer = {};
    indicesTensorBuffer.DataType = DML_TENSOR_DATA_TYPE_UINT32;
    indicesTensorBuffer.Flags = DML_TENSOR_FLAG_NONE;
    indicesTensorBuffer.DimensionCount = 2;
    indicesTensorBuffer.Sizes = indicesTensorSizes;
    indicesTensorBuffer.Strides = nullptr; // packed
    indicesTensorBuffer.TotalTensorSizeInBytes = 16;
    static_assert(PackedBytes(indicesTensorSizes, 4) == 16, "TotalTensorSizeInBytes");
    const DML_TENSOR_DESC indicesTensorDesc = {DML_TENSOR_TYPE_BUFFER, &indicesTensorBuffer};

    // OutputTensor: FLOAT32 {4, 2}
    constexpr UINT outputTensorSizes[] = {4, 2};
    DML_BUFFER_TENSOR_DESC outputTensorBuffer = {};
    outputTensorBuffer.DataType = DML_TENSOR_DATA_TYPE_FLOAT32;
    outputTensorBuffer.Flags = DML_TENSOR_FLAG_NONE;
    outputTensorBuffer.DimensionCount = 2;
    outputTensorBuffer.Sizes = outputTensorSizes;
    outputTensorBuffer.Strides = nullptr; // packed
    outputTensorBuffer.TotalTensorSizeInBytes = 32;
    static_assert(PackedBytes(outputTensorSizes, 4) == 32, "TotalTensorSizeInBytes");
    const DML_TENSOR_DESC outputTensorDesc = {DML_TENSOR_TYPE_BUFFER, &outputTensorBuffer};

    DML_GATHER_OPERATOR_DESC desc = {};
    desc.InputTensor = &inputTensorDesc;
    desc.IndicesTensor = &indicesTensorDesc;
    desc.OutputTensor = &outputTensorDesc;
    desc.Axis = 0;
    desc.IndexDimensions = 1;
    const DML_OPERATOR_DESC operatorDesc = {DML_OPERATOR_GATHER, &desc};

    // E_INVALIDARG says no more than that a rule is broken; the debug layer may say which.
    return device->CreateOperator(&operatorDesc, IID_PPV_ARGS(made));
}
