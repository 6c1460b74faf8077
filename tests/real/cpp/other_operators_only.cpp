UINT sizes[4] = { 1, 1, 2, 2 };
DML_BUFFER_TENSOR_DESC buffer = { DML_TENSOR_DATA_TYPE_FLOAT32, DML_TENSOR_FLAG_NONE, 4, sizes, nullptr, 16, 0 };
DML_TENSOR_DESC tensor = { DML_TENSOR_TYPE_BUFFER, &buffer };
DML_TWIST_OPERATOR_DESC pick = { &tensor, &tensor, &tensor, 0 };
DML_ELEMENT_WISE_ADD_OPERATOR_DESC add = { &tensor, &tensor, &tensor };
