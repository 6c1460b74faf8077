MLOperatorGraphDesc operatorGraphDesc = {};
std::vector<const DML_OPERATOR_DESC*> opDescs;
const uint32_t sizes[] = { 2, 8, 16 };
const uint32_t thirdSizes[] = { 2, 8, 48 };
DML_BUFFER_TENSOR_DESC buffer = { DML_TENSOR_DATA_TYPE_FLOAT16, DML_TENSOR_FLAG_NONE, 3, thirdSizes, nullptr, 1536 };
DML_BUFFER_TENSOR_DESC headBuffer = { DML_TENSOR_DATA_TYPE_FLOAT16, DML_TENSOR_FLAG_NONE, 3, sizes, nullptr, 512 };
const DML_TENSOR_DESC qkv = { DML_TENSOR_TYPE_BUFFER, &buffer };
const std::array<DML_TENSOR_DESC, 3> heads = {{
    { DML_TENSOR_TYPE_BUFFER, &headBuffer },
    { DML_TENSOR_TYPE_BUFFER, &headBuffer },
    { DML_TENSOR_TYPE_BUFFER, &headBuffer },
}};
DML_SPLIT_OPERATOR_DESC split = { &qkv, gsl::narrow_cast<uint32_t>(heads.size()), heads.data(), 2 };
const DML_OPERATOR_DESC splitDesc = { DML_OPERATOR_SPLIT, &split };
opDescs.push_back(&splitDesc);
operatorGraphDesc.nodeCount = gsl::narrow_cast<uint32_t>(opDescs.size());
SetDmlOperatorGraphDesc(std::move(operatorGraphDesc), context);
