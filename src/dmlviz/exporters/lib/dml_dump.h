// dml_dump.h, made by dmlviz @version@: a DML_OPERATOR_DESC as it is in memory, as the JSON of a DxDispatch model.
// It takes C++17, and nothing but DirectML.h.
//
//     DML_CREATE_OPERATOR(device, &desc, IID_PPV_ARGS(&made))
//         for device->CreateOperator(&desc, IID_PPV_ARGS(&made)): where that fails, the desc is printed to stderr and
//         to the debugger's output, with file and line
//     dml_dump(desc), dml_dump(desc, file)
//         prints it there, or to a FILE*, at any time
//
// Give what was printed, amid any other lines, to `dmlviz check -`: it says what is wrong.
//
// Null pointers are printed as null. A DimensionCount above 8 and another count above 4,096 are printed, and nothing is
// read through them. A count below that which is larger than its array can't be noticed: the memory after the array is
// read. Nothing is allocated. What DML_TARGET_VERSION leaves out of your DirectML.h is left out here.
#pragma once

#include <DirectML.h>

#include <cstddef>
#include <cstdio>
#include <cstring>
#include <utility>

#ifndef DML_DUMP_TO_DEBUGGER
#ifdef _WIN32
extern "C" __declspec(dllimport) void __stdcall OutputDebugStringA(const char*);
#define DML_DUMP_TO_DEBUGGER(text) OutputDebugStringA(text)
#else
#define DML_DUMP_TO_DEBUGGER(text) static_cast<void>(text)
#endif
#endif

#ifndef DML_TARGET_VERSION
#define DML_DUMP_VERSION 0x1000 // a DirectML.h so old that it doesn't tell
#else
#define DML_DUMP_VERSION DML_TARGET_VERSION
#endif

namespace dml_dump_private
{

struct Name
{
    int number;
    const char* name;
};

@names@

// The number of an enumerator, also of one that its enumeration hasn't got.
template <class E>
int NumberOf(const E& value)
{
    static_assert(sizeof(E) == sizeof(int), "an enumeration of DirectML's has the size of an int");
    int number = 0;
    std::memcpy(&number, &value, sizeof(number));
    return number;
}

// Writes JSON in pieces: each goes to a file and to the debugger, which takes no more than 4,095 letters at once.
class Writer
{
public:
    Writer(std::FILE* file, bool debugger) : file_(file), debugger_(debugger)
    {
    }

    void Flush()
    {
        piece_[used_] = '\0';
        if (file_)
        {
            std::fputs(piece_, file_);
            std::fflush(file_);
        }
        if (debugger_)
        {
            DML_DUMP_TO_DEBUGGER(piece_);
        }
        used_ = 0;
    }

    void Put(const char* text)
    {
        for (; *text; ++text)
        {
            if (used_ == sizeof(piece_) - 1)
            {
                Flush();
            }
            piece_[used_++] = last_ = *text;
        }
    }

    // The last part of a path; what is no ASCII and what JSON would have to escape are question marks.
    void PutFile(const char* path)
    {
        const char* name = path;
        for (const char* letter = path; *letter; ++letter)
        {
            name = *letter == '/' || *letter == '\\' ? letter + 1 : name;
        }
        for (; *name; ++name)
        {
            const char letter[] = {*name >= ' ' && *name < 127 && *name != '"' ? *name : '?', '\0'};
            Put(letter);
        }
    }

    template <class... Numbers>
    void Format(const char* format, Numbers... numbers)
    {
        char text[64];
        std::snprintf(text, sizeof(text), format, numbers...);
        for (char* letter = text; *letter; ++letter)
        {
            *letter = *letter == ',' ? '.' : *letter; // the locale's decimal comma
        }
        Put(text);
    }

    void Key(const char* name)
    {
        Put(last_ == '{' ? "\"" : ",\"");
        Put(name);
        Put("\":");
    }

    void Null()
    {
        Put("\"null pointer\"");
    }

    void Number(INT number)
    {
        Format("%d", number);
    }

    void Number(UINT number)
    {
        Format("%u", number);
    }

    void Number(UINT64 number)
    {
        Format("%llu", static_cast<unsigned long long>(number));
    }

    void Number(INT64 number)
    {
        Format("%lld", static_cast<long long>(number));
    }

    void Number(double number, int digits = 17)
    {
        if (number != number)
        {
            Put("\"nan\"");
        }
        else if (number - number != 0)
        {
            Put(number < 0 ? "\"-inf\"" : "\"inf\"");
        }
        else
        {
            Format("%.*g", digits, number);
        }
    }

    void Number(FLOAT number)
    {
        Number(static_cast<double>(number), 9);
    }

    template <std::size_t N>
    void Choice(int number, const Name (&names)[N])
    {
        for (const Name& each : names)
        {
            if (each.number == number)
            {
                Put("\"");
                Put(each.name);
                Put("\"");
                return;
            }
        }
        Number(number);
    }

    // True if that many entries are to be read through a pointer; else it is said why not.
    bool MayRead(const void* entries, const char* counter, UINT count)
    {
        const UINT most = std::strcmp(counter, "DimensionCount") == 0 ? 8 : 4096;
        if (count > most)
        {
            Put("\"not read: ");
            Put(counter);
            Put(" is ");
            Number(count);
            Put(", above ");
            Number(most);
            Put("\"");
        }
        else if (count && !entries)
        {
            Null();
        }
        return count <= most && (entries || !count);
    }

    template <class N>
    void Numbers(const N* numbers, const char* counter, UINT count)
    {
        if (MayRead(numbers, counter, count))
        {
            Put("[");
            for (UINT i = 0; i < count; ++i)
            {
                Put(i ? "," : "");
                Number(numbers[i]);
            }
            Put("]");
        }
    }

    void Tensor(const DML_TENSOR_DESC* tensor)
    {
        if (!tensor)
        {
            Null();
            return;
        }
        Put("{");
        if (NumberOf(tensor->Type) != static_cast<int>(DML_TENSOR_TYPE_BUFFER))
        {
            Key("Type");
            Number(NumberOf(tensor->Type));
        }
        else if (!tensor->Desc)
        {
            Key("Desc");
            Null();
        }
        else
        {
            Buffer(*static_cast<const DML_BUFFER_TENSOR_DESC*>(tensor->Desc));
        }
        Put("}");
    }

    void Tensors(const DML_TENSOR_DESC* tensors, const char* counter, UINT count)
    {
        if (MayRead(tensors, counter, count))
        {
            Put("[");
            for (UINT i = 0; i < count; ++i)
            {
                Put(i ? "," : "");
                Tensor(&tensors[i]);
            }
            Put("]");
        }
    }

private:
    void Buffer(const DML_BUFFER_TENSOR_DESC& buffer)
    {
        Key("DataType");
        Choice(NumberOf(buffer.DataType), DML_TENSOR_DATA_TYPE_Names);
        Key("Flags");
        const int flags = NumberOf(buffer.Flags);
        flags > 1 || flags < 0 ? Format("\"0x%x\"", static_cast<unsigned>(flags)) : Choice(flags, FlagNames);
        Key("DimensionCount");
        Number(buffer.DimensionCount);
        Key("Sizes");
        Numbers(buffer.Sizes, "DimensionCount", buffer.DimensionCount);
        Key("Strides");
        if (buffer.Strides)
        {
            Numbers(buffer.Strides, "DimensionCount", buffer.DimensionCount);
        }
        else
        {
            Put("null");
        }
        Key("TotalTensorSizeInBytes");
        Number(buffer.TotalTensorSizeInBytes);
        Key("GuaranteedBaseOffsetAlignment");
        Number(buffer.GuaranteedBaseOffsetAlignment);
    }

    static constexpr Name FlagNames[] = {{0, "DML_TENSOR_FLAG_NONE"}, {1, "DML_TENSOR_FLAG_OWNED_BY_DML"}};

    std::FILE* file_;
    bool debugger_;
    char last_ = '\0';
    char piece_[4000] = {};
    std::size_t used_ = 0;
};

// Where an operator is created: the end of its name in the JSON.
inline void PutPlace(Writer& out, const char* file, int line)
{
    if (file)
    {
        out.Put(" at ");
        out.PutFile(file);
        out.Format(":%d", line);
    }
}

inline void Begin(Writer& out, const char* name, const char* type, const char* file, int line)
{
    out.Put(name);
    PutPlace(out, file, line);
    out.Put("\":{\"type\":\"");
    out.Put(type);
    out.Put("\",\"desc\":");
}

inline void PutDesc(Writer& out, const DML_OPERATOR_DESC& desc, const char* file, int line)
{
    const int type = NumberOf(desc.Type);
    switch (type)
    {
@operators@
    default:
        out.Format("operator %d", type);
        PutPlace(out, file, line);
        out.Format("\":{\"type\":\"%d\"", type);
        out.Put(",\"desc\":\"not known here\"}");
    }
}

inline void Dump(const DML_OPERATOR_DESC* desc, std::FILE* to, const char* file, int line, bool debugger)
{
    Writer out(to, debugger);
    if (desc)
    {
        out.Put("{");
        out.Put("\"dml_dump\":1,\"dispatchables\":{\""); // in two, lest this file is read as a log
        PutDesc(out, *desc, file, line);
        out.Put("}}");
    }
    else
    {
        out.Put("the DML_OPERATOR_DESC is a null pointer");
    }
    out.Put("\n");
    out.Flush();
}

inline const DML_OPERATOR_DESC* PointerTo(const DML_OPERATOR_DESC* desc)
{
    return desc;
}

inline const DML_OPERATOR_DESC* PointerTo(const DML_OPERATOR_DESC& desc)
{
    return &desc;
}

template <class Device, class Described, class... Rest>
HRESULT Create(const char* file, int line, Device&& device, const Described& described, Rest&&... rest)
{
    const DML_OPERATOR_DESC* desc = PointerTo(described);
    const HRESULT result = device->CreateOperator(desc, std::forward<Rest>(rest)...);
    if (result < 0)
    {
        Writer out(stderr, true);
        out.Put(file);
        out.Format("(%d): CreateOperator gave 0x%08X", line, static_cast<unsigned>(result));
        out.Put("; `dmlviz check -` reads the next line, or all of this, and says why\n");
        out.Flush();
        Dump(desc, stderr, file, line, true);
    }
    return result;
}

} // namespace dml_dump_private

// Prints a desc as one line of JSON to a file, or else to stderr and to the debugger's output.
inline void dml_dump(const DML_OPERATOR_DESC& desc, std::FILE* file = nullptr)
{
    dml_dump_private::Dump(&desc, file ? file : stderr, nullptr, 0, !file);
}

#define DML_CREATE_OPERATOR(device, desc, ...) \
    dml_dump_private::Create(__FILE__, __LINE__, device, desc, __VA_ARGS__)
