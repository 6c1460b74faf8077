struct Tensor
{
    std::vector<UINT> sizes;
    DML_BUFFER_TENSOR_DESC buffer{};
    DML_TENSOR_DESC desc{};
};

void Describe(Tensor& t, DML_TENSOR_DATA_TYPE type, std::vector<UINT> sizes)
{
    t.sizes = std::move(sizes);
    t.buffer.DataType = type;
    t.buffer.DimensionCount = (UINT)t.sizes.size();
    t.buffer.Sizes = t.sizes.data();
    t.buffer.TotalTensorSizeInBytes = DMLCalcBufferTensorSize(type, t.buffer.DimensionCount, t.buffer.Sizes, nullptr);
    t.desc = { DML_TENSOR_TYPE_BUFFER, &t.buffer };
}

void Make(IDMLDevice* device)
{
    Tensor a, b, c;
    Describe(a, DML_TENSOR_DATA_TYPE_FLOAT32, { 1, 1, 4, 5 });
    Describe(b, DML_TENSOR_DATA_TYPE_FLOAT32, { 1, 1, 2, 5 });
    Describe(c, DML_TENSOR_DATA_TYPE_FLOAT32, { 1, 1, 6, 5 });
    DML_TENSOR_DESC inputs[] = { a.desc, b.desc };
    DML_JOIN_OPERATOR_DESC join = { 2, inputs, &c.desc, 2 };
    DML_OPERATOR_DESC op = { DML_OPERATOR_JOIN, &join };
    device->CreateOperator(&op, IID_PPV_ARGS(&m_join));
}
