#pragma once
/*
   Don't include this twice; it's the layout of the "rotate" kernel, which
   fills a DML_REVERSE_SUBSEQUENCES_OPERATOR_DESC (see below).
*/
static constexpr UINT kRotateSizes[3] = { 1, 2, 8 };
static constexpr UINT kRotateLengths[3] = { 1, 2, 1 };
inline void Rotate(IDMLDevice* device, IDMLOperator** made)
{
    DML_BUFFER_TENSOR_DESC data = { DML_TENSOR_DATA_TYPE_INT16, DML_TENSOR_FLAG_NONE, 3, kRotateSizes, nullptr, 32, 0 };
    DML_BUFFER_TENSOR_DESC lens = { DML_TENSOR_DATA_TYPE_UINT32, DML_TENSOR_FLAG_NONE, 3, kRotateLengths, nullptr, 8, 0 };
    DML_TENSOR_DESC dataTensor = { DML_TENSOR_TYPE_BUFFER, &data }, lensTensor = { DML_TENSOR_TYPE_BUFFER, &lens };
    DML_REVERSE_SUBSEQUENCES_OPERATOR_DESC desc = { &dataTensor, &lensTensor, &dataTensor, 2 };
    DML_OPERATOR_DESC op = { DML_OPERATOR_REVERSE_SUBSEQUENCES, &desc };
    device->CreateOperator(&op, IID_PPV_ARGS(made));
}
