// What the exported C++ needs of Microsoft's DirectMLX.h: functions under its names, with its parameters. Each makes the
// operator at once, on the graph's device, so that a test sees what DirectMLX would have asked for.
#pragma once

#include <DirectML.h>

#include <cstdint>
#include <cstdlib>
#include <deque>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>
#if __has_include(<span>)
#include <span>
#endif

namespace Microsoft
{
namespace WRL
{
template <typename T>
struct ComPtr
{
    T* held = nullptr;
};
} // namespace WRL
} // namespace Microsoft

namespace dml
{
#if __cpp_lib_span
template <typename T>
using Span = std::span<T>;
#else
template <typename T>
class Span
{
public:
    template <std::size_t N>
    Span(T (&items)[N]) : m_begin(items), m_size(N)
    {
    }
    template <typename C>
    Span(const C& items) : m_begin(items.data()), m_size(items.size())
    {
    }
    T* begin() const { return m_begin; }
    T* end() const { return m_begin + m_size; }
    T* data() const { return m_begin; }
    std::size_t size() const { return m_size; }
    T& operator[](std::size_t i) const { return m_begin[i]; }

private:
    T* m_begin;
    std::size_t m_size;
};
#endif

inline void Require(bool holds)
{
    if (!holds)
    {
        std::abort();
    }
}

struct TensorDesc
{
    using Dimensions = std::vector<uint32_t>;

    DML_TENSOR_DATA_TYPE dataType;
    Dimensions sizes;

    TensorDesc(DML_TENSOR_DATA_TYPE type, Dimensions dimensions) : dataType(type), sizes(std::move(dimensions)) {}
};

// The two structs of a tensor; they point to each other and to the tensor, which outlives them.
struct Structs
{
    DML_BUFFER_TENSOR_DESC buffer = {};
    DML_TENSOR_DESC tensor = {};

    explicit Structs(const TensorDesc& desc)
    {
        static const UINT64 bytes[] = {0, 4, 2, 4, 2, 1, 4, 2, 1, 8, 8, 8};
        UINT64 total = bytes[desc.dataType];
        for (uint32_t size : desc.sizes)
        {
            total *= size;
        }
        buffer.DataType = desc.dataType;
        buffer.DimensionCount = static_cast<UINT>(desc.sizes.size());
        buffer.Sizes = desc.sizes.data();
        buffer.TotalTensorSizeInBytes = (total + 3) & ~3ull;
        tensor = {DML_TENSOR_TYPE_BUFFER, &buffer};
    }
    Structs(const Structs&) = delete;
};

struct Node
{
    IDMLDevice* device;
    TensorDesc desc;
    uint32_t output; // which of its operator's, or of the graph's inputs
    std::string told; // the expression: what made it of what
};

inline std::deque<Node>& Nodes()
{
    static std::deque<Node> nodes;
    return nodes;
}

class Expression
{
public:
    Expression(Node* node = nullptr) : m_node(node) {}
    Node* Impl() const { return m_node; }

private:
    Node* m_node;
};

inline std::string Told(const char* name, std::initializer_list<Expression> inputs)
{
    std::string told = name;
    for (const Expression& each : inputs)
    {
        told += ' ' + each.Impl()->told;
    }
    return '(' + told + ')';
}

inline Expression Make(IDMLDevice* device, TensorDesc desc, uint32_t output, const std::string& told)
{
    Nodes().push_back({device, std::move(desc), output, told + '[' + std::to_string(output) + ']'});
    return &Nodes().back();
}

constexpr int NullOpt = 0;

inline Expression Reinterpret(Expression input, TensorDesc::Dimensions newSizes, int)
{
    std::string told = "Reinterpret{";
    uint64_t count = 1, before = 1;
    for (uint32_t size : newSizes)
    {
        told += std::to_string(size) + ' ';
        count *= size;
    }
    for (uint32_t size : input.Impl()->desc.sizes)
    {
        before *= size;
    }
    Require(count == before);
    told += '}';
    const TensorDesc desc(input.Impl()->desc.dataType, std::move(newSizes));
    return Make(input.Impl()->device, desc, 0, Told(told.c_str(), {input}));
}

class Graph
{
public:
    explicit Graph(IDMLDevice* device) : device(device) {}

    Microsoft::WRL::ComPtr<IDMLCompiledOperator> Compile(
        DML_EXECUTION_FLAGS, Span<const Expression> outputs, uint32_t = 0) const
    {
        Outputs().assign(outputs.begin(), outputs.end());
        return {};
    }
    // The outputs of the graph that was compiled last, and the inputs of all that were.
    static std::vector<Expression>& Outputs()
    {
        static std::vector<Expression> outputs;
        return outputs;
    }
    static std::vector<Expression>& Inputs()
    {
        static std::vector<Expression> inputs;
        return inputs;
    }

    IDMLDevice* device;
};

inline Expression InputTensor(Graph& graph, uint32_t inputIndex, TensorDesc desc)
{
    Graph::Inputs().push_back(Make(graph.device, std::move(desc), inputIndex, "input"));
    return Graph::Inputs().back();
}

inline void Create(const Expression& on, DML_OPERATOR_TYPE type, const void* desc)
{
    const DML_OPERATOR_DESC described = {type, desc};
    void* made = nullptr;
    on.Impl()->device->CreateOperator(&described, IDMLOperator::id, &made);
}

inline Expression Join(Span<const Expression> inputs, uint32_t axis)
{
    Require(inputs.size() > 0);
    TensorDesc out = inputs[0].Impl()->desc;
    out.sizes[axis] = 0;
    std::deque<Structs> held;
    std::vector<DML_TENSOR_DESC> tensors;
    for (const Expression& each : inputs)
    {
        out.sizes[axis] += each.Impl()->desc.sizes[axis];
        held.emplace_back(each.Impl()->desc);
        tensors.push_back(held.back().tensor);
    }
    const Structs output(out);
    const DML_JOIN_OPERATOR_DESC desc = {static_cast<UINT>(tensors.size()), tensors.data(), &output.tensor, axis};
    Create(inputs[0], DML_OPERATOR_JOIN, &desc);
    std::string told = "(Join";
    for (const Expression& each : inputs)
    {
        told += ' ' + each.Impl()->told;
    }
    return Make(inputs[0].Impl()->device, out, 0, told + ')');
}

inline std::vector<Expression> Split(Expression input, uint32_t axis, Span<const uint32_t> outputAxisSizes)
{
    std::vector<Expression> made;
    std::deque<Structs> held;
    std::vector<DML_TENSOR_DESC> tensors;
    uint32_t sum = 0;
    for (uint32_t size : outputAxisSizes)
    {
        TensorDesc out = input.Impl()->desc;
        out.sizes[axis] = size;
        sum += size;
        made.push_back(Make(input.Impl()->device, out, static_cast<uint32_t>(made.size()), Told("Split", {input})));
        held.emplace_back(made.back().Impl()->desc);
        tensors.push_back(held.back().tensor);
    }
    Require(sum == input.Impl()->desc.sizes[axis]);
    const Structs whole(input.Impl()->desc);
    const DML_SPLIT_OPERATOR_DESC desc = {&whole.tensor, static_cast<UINT>(tensors.size()), tensors.data(), axis};
    Create(input, DML_OPERATOR_SPLIT, &desc);
    return made;
}

inline Expression Tile(Expression input, Span<const uint32_t> repeats)
{
    TensorDesc out = input.Impl()->desc;
    Require(repeats.size() == out.sizes.size());
    for (std::size_t i = 0; i < repeats.size(); ++i)
    {
        out.sizes[i] *= repeats[i];
    }
    const Structs from(input.Impl()->desc), to(out);
    const DML_TILE_OPERATOR_DESC desc = {&from.tensor, &to.tensor, static_cast<UINT>(repeats.size()), repeats.data()};
    Create(input, DML_OPERATOR_TILE, &desc);
    return Make(input.Impl()->device, out, 0, Told("Tile", {input}));
}

inline Expression Slice(
    Expression input, Span<const uint32_t> inputWindowOffsets, Span<const uint32_t> inputWindowSizes,
    Span<const int32_t> inputWindowStrides)
{
    TensorDesc out = input.Impl()->desc;
    const std::size_t count = out.sizes.size();
    Require(inputWindowOffsets.size() == count && inputWindowSizes.size() == count);
    Require(inputWindowStrides.size() == count);
    for (std::size_t i = 0; i < count; ++i)
    {
        out.sizes[i] = (inputWindowSizes[i] - 1) / static_cast<uint32_t>(std::abs(inputWindowStrides[i])) + 1;
    }
    const Structs from(input.Impl()->desc), to(out);
    const DML_SLICE1_OPERATOR_DESC desc = {&from.tensor, &to.tensor, static_cast<UINT>(count),
        inputWindowOffsets.data(), inputWindowSizes.data(), inputWindowStrides.data()};
    Create(input, DML_OPERATOR_SLICE1, &desc);
    return Make(input.Impl()->device, out, 0, Told("Slice", {input}));
}

inline Expression Padding(
    Expression input, DML_PADDING_MODE paddingMode, float paddingValue, Span<const uint32_t> startPadding,
    Span<const uint32_t> endPadding)
{
    TensorDesc out = input.Impl()->desc;
    const std::size_t count = out.sizes.size();
    Require(startPadding.size() == count && endPadding.size() == count);
    for (std::size_t i = 0; i < count; ++i)
    {
        out.sizes[i] += startPadding[i] + endPadding[i];
    }
    const Structs from(input.Impl()->desc), to(out);
    const DML_PADDING_OPERATOR_DESC desc = {&from.tensor, &to.tensor, paddingMode, paddingValue,
        static_cast<UINT>(count), startPadding.data(), endPadding.data()};
    Create(input, DML_OPERATOR_PADDING, &desc);
    return Make(input.Impl()->device, out, 0, Told("Padding", {input}));
}

inline Expression ReverseSubsequences(Expression input, Expression sequenceLengths, uint32_t axis)
{
    const Structs from(input.Impl()->desc), lengths(sequenceLengths.Impl()->desc), to(input.Impl()->desc);
    const DML_REVERSE_SUBSEQUENCES_OPERATOR_DESC desc = {&from.tensor, &lengths.tensor, &to.tensor, axis};
    Create(input, DML_OPERATOR_REVERSE_SUBSEQUENCES, &desc);
    return Make(input.Impl()->device, input.Impl()->desc, 0, Told("ReverseSubsequences", {input, sequenceLengths}));
}

inline Expression GatherElements(Expression input, Expression indices, uint32_t axis)
{
    TensorDesc out = input.Impl()->desc;
    out.sizes = indices.Impl()->desc.sizes;
    const Structs from(input.Impl()->desc), by(indices.Impl()->desc), to(out);
    const DML_GATHER_ELEMENTS_OPERATOR_DESC desc = {&from.tensor, &by.tensor, &to.tensor, axis};
    Create(input, DML_OPERATOR_GATHER_ELEMENTS, &desc);
    return Make(input.Impl()->device, out, 0, Told("GatherElements", {input, indices}));
}

inline Expression Gather(Expression input, Expression indices, uint32_t axis, uint32_t indexDimensions)
{
    const TensorDesc::Dimensions& data = input.Impl()->desc.sizes;
    const TensorDesc::Dimensions& picks = indices.Impl()->desc.sizes;
    Require(picks.size() == data.size() && axis < data.size() && indexDimensions <= data.size());
    // What comes before Axis, the sizes of the indices that count, what comes behind: as many as fit, from the right.
    TensorDesc::Dimensions full(data.begin(), data.begin() + axis);
    full.insert(full.end(), picks.end() - indexDimensions, picks.end());
    full.insert(full.end(), data.begin() + axis + 1, data.end());
    TensorDesc out = input.Impl()->desc;
    for (std::size_t i = 0; i < data.size(); ++i)
    {
        out.sizes[data.size() - 1 - i] = i < full.size() ? full[full.size() - 1 - i] : 1;
    }
    const Structs from(input.Impl()->desc), by(indices.Impl()->desc), to(out);
    const DML_GATHER_OPERATOR_DESC desc = {&from.tensor, &by.tensor, &to.tensor, axis, indexDimensions};
    Create(input, DML_OPERATOR_GATHER, &desc);
    return Make(input.Impl()->device, out, 0, Told("Gather", {input, indices}));
}
} // namespace dml
