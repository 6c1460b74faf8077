void CreateTileLayer(IDMLDevice* device, _In_reads_(4) const UINT* inputSizes, _Inout_updates_(4) UINT* outputSizes)
{
    UINT repeats[4] = { 1, 1, 2, 2 };
    for (int i = 0; i < 4; i++)
    {
        outputSizes[i] = inputSizes[i] * repeats[i];
    }
    DML_BUFFER_TENSOR_DESC inputBufferDesc = { m_tensorType, DML_TENSOR_FLAG_NONE, 4, inputSizes, m_strides, m_bytes };
    DML_BUFFER_TENSOR_DESC outputBufferDesc = { m_tensorType, DML_TENSOR_FLAG_NONE, 4, outputSizes, m_strides, m_bytes };
    DML_TENSOR_DESC inputDesc = { DML_TENSOR_TYPE_BUFFER, &inputBufferDesc };
    DML_TENSOR_DESC outputDesc = { DML_TENSOR_TYPE_BUFFER, &outputBufferDesc };
    DML_TILE_OPERATOR_DESC tileDesc = { &inputDesc, &outputDesc, 4, repeats };
    DML_OPERATOR_DESC opDesc = { DML_OPERATOR_TILE, &tileDesc };
    DX::ThrowIfFailed(device->CreateOperator(&opDesc, IID_PPV_ARGS(&m_tile)));
}
