TEST(Gather, PicksRows)
{
    const UINT tableSizes[] = { 1, 1, 8, 4 }, idSizes[] = { 1, 1, 1, 3 }, rowSizes[] = { 1, 1, 3, 4 };
    const DML_BUFFER_TENSOR_DESC table = { DML_TENSOR_DATA_TYPE_FLOAT32, DML_TENSOR_FLAG_NONE, 4, tableSizes, nullptr, 128 };
    const DML_BUFFER_TENSOR_DESC ids = { DML_TENSOR_DATA_TYPE_UINT32, DML_TENSOR_FLAG_NONE, 4, idSizes, nullptr, 12 };
    const DML_BUFFER_TENSOR_DESC rows = { DML_TENSOR_DATA_TYPE_FLOAT32, DML_TENSOR_FLAG_NONE, 4, rowSizes, nullptr, 48 };
    const DML_TENSOR_DESC tableDesc = { DML_TENSOR_TYPE_BUFFER, &table };
    const DML_TENSOR_DESC idsDesc = { DML_TENSOR_TYPE_BUFFER, &ids };
    const DML_TENSOR_DESC rowsDesc = { DML_TENSOR_TYPE_BUFFER, &rows };
    const DML_GATHER_OPERATOR_DESC gather = { &tableDesc, &idsDesc, &rowsDesc, 2, 1 };
    const DML_OPERATOR_DESC desc = { DML_OPERATOR_GATHER, &gather };
    ASSERT_HRESULT_SUCCEEDED(device->CreateOperator(&desc, IID_PPV_ARGS(&op)));
}
