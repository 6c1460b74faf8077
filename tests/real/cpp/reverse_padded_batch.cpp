// Sentences of different lengths in a batch: only the words are turned round, the padding stays.
const UINT words[]   = { 3, 7, 4 };
const UINT lengths[] = { 3, 1, 4 };
DML_BUFFER_TENSOR_DESC wordBuffer = { DML_TENSOR_DATA_TYPE_FLOAT32, DML_TENSOR_FLAG_NONE, 3, words, nullptr, 336, 0 };
DML_BUFFER_TENSOR_DESC lengthBuffer = { DML_TENSOR_DATA_TYPE_UINT32, DML_TENSOR_FLAG_NONE, 3, lengths, nullptr, 48, 0 };
DML_TENSOR_DESC wordTensor = { DML_TENSOR_TYPE_BUFFER, &wordBuffer };
DML_TENSOR_DESC lengthTensor = { DML_TENSOR_TYPE_BUFFER, &lengthBuffer };
DML_REVERSE_SUBSEQUENCES_OPERATOR_DESC reverse = {};
reverse.InputTensor = &wordTensor;
reverse.SequenceLengthsTensor = &lengthTensor;
reverse.OutputTensor = &wordTensor;
reverse.Axis = 1;
DML_OPERATOR_DESC reverseOp = { DML_OPERATOR_REVERSE_SUBSEQUENCES, &reverse };
