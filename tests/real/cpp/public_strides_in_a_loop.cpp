UINT sizes[] = { 1, 1, 4, 8 };
UINT strides[4];
UINT64 packed = 1;
for (int i = 3; i >= 0; --i)
{
    strides[i] = packed;
    packed *= sizes[i];
}
DML_BUFFER_TENSOR_DESC desc = { DML_TENSOR_DATA_TYPE_FLOAT32, DML_TENSOR_FLAG_NONE, 4, sizes, strides, packed * 4, 0 };
DML_TENSOR_DESC tensor = { DML_TENSOR_TYPE_BUFFER, &desc };
UINT once[] = { 1, 1, 1, 1 };
DML_TILE_OPERATOR_DESC tile = { &tensor, &tensor, 4, once };
