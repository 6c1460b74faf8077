class Upscale
{
    UINT m_in[4] = { 1, 3, 8, 8 };
    UINT m_out[4] = { 1, 3, 16, 8 };
    UINT m_repeats[4] = { 1, 1, 2, 1 };

    void Build()
    {
        DML_BUFFER_TENSOR_DESC in = { DML_TENSOR_DATA_TYPE_UINT8, DML_TENSOR_FLAG_NONE, 4, m_in, nullptr, 192, 0 };
        DML_BUFFER_TENSOR_DESC out = { DML_TENSOR_DATA_TYPE_UINT8, DML_TENSOR_FLAG_NONE, 4, m_out, nullptr, 384, 0 };
        DML_TENSOR_DESC inTensor = { DML_TENSOR_TYPE_BUFFER, &in };
        DML_TENSOR_DESC outTensor = { DML_TENSOR_TYPE_BUFFER, &out };
        DML_TILE_OPERATOR_DESC tile = { &inTensor, &outTensor, 4, m_repeats };
        DML_OPERATOR_DESC op = { DML_OPERATOR_TILE, &tile };
        m_device->CreateOperator(&op, IID_PPV_ARGS(&m_tile));
    }
};
