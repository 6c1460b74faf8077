// What the exported C++ needs of the public DirectML API, so that it can be compiled and run without Windows.
// Names, members and their order, and the values of DML_TENSOR_DATA_TYPE and DML_FEATURE_LEVEL are those of the
// public documentation; DML_OPERATOR_TYPE is numbered anew.
#pragma once

#include <cstdint>

#ifndef DML_TARGET_VERSION
#define DML_TARGET_VERSION 0x6400
#endif

using BYTE = unsigned char;
using INT8 = signed char;
using UINT8 = unsigned char;
using INT16 = short;
using UINT16 = unsigned short;
using INT32 = int;
using UINT32 = unsigned int;
using INT64 = long long;
using UINT = unsigned int;
using INT = int;
using UINT64 = unsigned long long;
using FLOAT = float;
using DOUBLE = double;
using HRESULT = int;

constexpr HRESULT S_OK = 0;
constexpr HRESULT E_INVALIDARG = static_cast<HRESULT>(0x80070057u);
constexpr HRESULT DXGI_ERROR_UNSUPPORTED = static_cast<HRESULT>(0x887A0004u);
#define SUCCEEDED(hr) (((HRESULT)(hr)) >= 0)
#define FAILED(hr) (((HRESULT)(hr)) < 0)

struct GUID
{
    int number;
};
using IID = GUID;
using REFIID = const IID&;

enum DML_TENSOR_DATA_TYPE
{
    DML_TENSOR_DATA_TYPE_UNKNOWN = 0,
    DML_TENSOR_DATA_TYPE_FLOAT32 = 1,
    DML_TENSOR_DATA_TYPE_FLOAT16 = 2,
    DML_TENSOR_DATA_TYPE_UINT32 = 3,
    DML_TENSOR_DATA_TYPE_UINT16 = 4,
    DML_TENSOR_DATA_TYPE_UINT8 = 5,
    DML_TENSOR_DATA_TYPE_INT32 = 6,
    DML_TENSOR_DATA_TYPE_INT16 = 7,
    DML_TENSOR_DATA_TYPE_INT8 = 8,
    DML_TENSOR_DATA_TYPE_FLOAT64 = 9,
    DML_TENSOR_DATA_TYPE_UINT64 = 10,
    DML_TENSOR_DATA_TYPE_INT64 = 11,
};

enum DML_TENSOR_TYPE
{
    DML_TENSOR_TYPE_INVALID = 0,
    DML_TENSOR_TYPE_BUFFER = 1,
};

enum DML_TENSOR_FLAGS
{
    DML_TENSOR_FLAG_NONE = 0x0,
    DML_TENSOR_FLAG_OWNED_BY_DML = 0x1,
};

struct DML_BUFFER_TENSOR_DESC
{
    DML_TENSOR_DATA_TYPE DataType;
    DML_TENSOR_FLAGS Flags;
    UINT DimensionCount;
    const UINT* Sizes;
    const UINT* Strides;
    UINT64 TotalTensorSizeInBytes;
    UINT GuaranteedBaseOffsetAlignment;
};

struct DML_TENSOR_DESC
{
    DML_TENSOR_TYPE Type;
    const void* Desc;
};

enum DML_OPERATOR_TYPE
{
    DML_OPERATOR_INVALID,
    DML_OPERATOR_JOIN,
    DML_OPERATOR_SPLIT,
#if DML_TARGET_VERSION >= 0x2100
    DML_OPERATOR_REVERSE_SUBSEQUENCES,
#endif
    DML_OPERATOR_GATHER,
    DML_OPERATOR_TILE,
#if DML_TARGET_VERSION >= 0x2100
    DML_OPERATOR_SLICE1,
#endif
    DML_OPERATOR_PADDING,
#if DML_TARGET_VERSION >= 0x2100
    DML_OPERATOR_GATHER_ELEMENTS,
#endif
    DML_OPERATOR_FLIP, // no operator of DirectML's: the tests' own
};

struct DML_OPERATOR_DESC
{
    DML_OPERATOR_TYPE Type;
    const void* Desc;
};

struct DML_JOIN_OPERATOR_DESC
{
    UINT InputCount;
    const DML_TENSOR_DESC* InputTensors;
    const DML_TENSOR_DESC* OutputTensor;
    UINT Axis;
};

struct DML_SPLIT_OPERATOR_DESC
{
    const DML_TENSOR_DESC* InputTensor;
    UINT OutputCount;
    const DML_TENSOR_DESC* OutputTensors;
    UINT Axis;
};

#if DML_TARGET_VERSION >= 0x2100
struct DML_REVERSE_SUBSEQUENCES_OPERATOR_DESC
{
    const DML_TENSOR_DESC* InputTensor;
    const DML_TENSOR_DESC* SequenceLengthsTensor;
    const DML_TENSOR_DESC* OutputTensor;
    UINT Axis;
};
#endif

#if DML_TARGET_VERSION >= 0x2100
struct DML_GATHER_ELEMENTS_OPERATOR_DESC
{
    const DML_TENSOR_DESC* InputTensor;
    const DML_TENSOR_DESC* IndicesTensor;
    const DML_TENSOR_DESC* OutputTensor;
    UINT Axis;
};
#endif

struct DML_GATHER_OPERATOR_DESC
{
    const DML_TENSOR_DESC* InputTensor;
    const DML_TENSOR_DESC* IndicesTensor;
    const DML_TENSOR_DESC* OutputTensor;
    UINT Axis;
    UINT IndexDimensions;
};

struct DML_TILE_OPERATOR_DESC
{
    const DML_TENSOR_DESC* InputTensor;
    const DML_TENSOR_DESC* OutputTensor;
    UINT RepeatsCount;
    const UINT* Repeats;
};

#if DML_TARGET_VERSION >= 0x2100
struct DML_SLICE1_OPERATOR_DESC
{
    const DML_TENSOR_DESC* InputTensor;
    const DML_TENSOR_DESC* OutputTensor;
    UINT DimensionCount;
    const UINT* InputWindowOffsets;
    const UINT* InputWindowSizes;
    const INT* InputWindowStrides;
};
#endif

enum DML_PADDING_MODE
{
    DML_PADDING_MODE_CONSTANT = 0,
    DML_PADDING_MODE_EDGE = 1,
    DML_PADDING_MODE_REFLECTION = 2,
    DML_PADDING_MODE_SYMMETRIC = 3,
};

struct DML_PADDING_OPERATOR_DESC
{
    const DML_TENSOR_DESC* InputTensor;
    const DML_TENSOR_DESC* OutputTensor;
    DML_PADDING_MODE PaddingMode;
    FLOAT PaddingValue;
    UINT DimensionCount;
    const UINT* StartPadding;
    const UINT* EndPadding;
};

enum DML_FEATURE_LEVEL
{
    DML_FEATURE_LEVEL_1_0 = 0x1000,
    DML_FEATURE_LEVEL_2_0 = 0x2000,
    DML_FEATURE_LEVEL_2_1 = 0x2100,
    DML_FEATURE_LEVEL_3_0 = 0x3000,
    DML_FEATURE_LEVEL_3_1 = 0x3100,
    DML_FEATURE_LEVEL_4_0 = 0x4000,
    DML_FEATURE_LEVEL_4_1 = 0x4100,
    DML_FEATURE_LEVEL_5_0 = 0x5000,
    DML_FEATURE_LEVEL_5_1 = 0x5100,
    DML_FEATURE_LEVEL_5_2 = 0x5200,
    DML_FEATURE_LEVEL_6_0 = 0x6000,
    DML_FEATURE_LEVEL_6_1 = 0x6100,
    DML_FEATURE_LEVEL_6_2 = 0x6200,
    DML_FEATURE_LEVEL_6_3 = 0x6300,
    DML_FEATURE_LEVEL_6_4 = 0x6400,
};

enum DML_FEATURE
{
    DML_FEATURE_TENSOR_DATA_TYPE_SUPPORT,
    DML_FEATURE_FEATURE_LEVELS,
};

struct DML_FEATURE_QUERY_FEATURE_LEVELS
{
    UINT RequestedFeatureLevelCount;
    const DML_FEATURE_LEVEL* RequestedFeatureLevels;
};

struct DML_FEATURE_DATA_FEATURE_LEVELS
{
    DML_FEATURE_LEVEL MaxSupportedFeatureLevel;
};

enum DML_EXECUTION_FLAGS
{
    DML_EXECUTION_FLAG_NONE = 0,
};

struct IDMLOperator
{
    static constexpr IID id = {1};
    virtual UINT Release() = 0;

protected:
    ~IDMLOperator() = default;
};

struct IDMLCompiledOperator
{
    static constexpr IID id = {2};
};

struct IDMLDevice
{
    virtual HRESULT CheckFeatureSupport(
        DML_FEATURE feature,
        UINT featureQueryDataSize,
        const void* featureQueryData,
        UINT featureSupportDataSize,
        void* featureSupportData) = 0;
    virtual HRESULT CreateOperator(const DML_OPERATOR_DESC* desc, REFIID riid, void** ppv) = 0;

protected:
    ~IDMLDevice() = default;
};

template <typename T>
constexpr IID IdOf(T**)
{
    return T::id;
}
#define IID_PPV_ARGS(pp) IdOf(pp), reinterpret_cast<void**>(pp)
