constexpr UINT tensorSizes[4] = { 1, 2, 3, 4 };
constexpr UINT tensorElementCount = tensorSizes[0] * tensorSizes[1] * tensorSizes[2] * tensorSizes[3];
DML_BUFFER_TENSOR_DESC dmlBufferTensorDesc = {};
dmlBufferTensorDesc.DataType = DML_TENSOR_DATA_TYPE_FLOAT32;
dmlBufferTensorDesc.Flags = DML_TENSOR_FLAG_NONE;
dmlBufferTensorDesc.DimensionCount = ARRAYSIZE(tensorSizes);
dmlBufferTensorDesc.Sizes = tensorSizes;
dmlBufferTensorDesc.Strides = nullptr;
dmlBufferTensorDesc.TotalTensorSizeInBytes = DMLCalcBufferTensorSize(
    dmlBufferTensorDesc.DataType, dmlBufferTensorDesc.DimensionCount, dmlBufferTensorDesc.Sizes, dmlBufferTensorDesc.Strides);
com_ptr<IDMLOperator> dmlOperator;
{
    DML_TENSOR_DESC dmlTensorDesc{};
    dmlTensorDesc.Type = DML_TENSOR_TYPE_BUFFER;
    dmlTensorDesc.Desc = &dmlBufferTensorDesc;
    const UINT once[4] = { 1, 1, 1, 1 };
    DML_TILE_OPERATOR_DESC tileOperatorDesc{};
    tileOperatorDesc.InputTensor = &dmlTensorDesc;
    tileOperatorDesc.OutputTensor = &dmlTensorDesc;
    tileOperatorDesc.RepeatsCount = 4;
    tileOperatorDesc.Repeats = once;
    DML_OPERATOR_DESC dmlOperatorDesc{};
    dmlOperatorDesc.Type = DML_OPERATOR_TILE;
    dmlOperatorDesc.Desc = &tileOperatorDesc;
    check_hresult(dmlDevice->CreateOperator(&dmlOperatorDesc, __uuidof(dmlOperator), dmlOperator.put_void()));
}
