const UINT words[]   = { 1, 1, 5, 6 };
const UINT lengths[] = { 1, 1, 5, 6 };
DML_BUFFER_TENSOR_DESC wordBuffer = { DML_TENSOR_DATA_TYPE_FLOAT16, DML_TENSOR_FLAG_NONE, 4, words, nullptr, 60, 0 };
DML_BUFFER_TENSOR_DESC lengthBuffer = { DML_TENSOR_DATA_TYPE_UINT32, DML_TENSOR_FLAG_NONE, 4, lengths, nullptr, 120, 0 };
DML_TENSOR_DESC wordTensor = { DML_TENSOR_TYPE_BUFFER, &wordBuffer };
DML_TENSOR_DESC lengthTensor = { DML_TENSOR_TYPE_BUFFER, &lengthBuffer };
DML_REVERSE_SUBSEQUENCES_OPERATOR_DESC reverse = { &wordTensor, &lengthTensor, &wordTensor, 3 };
