DML_SPLIT_OPERATOR_DESC splitDesc = {};
splitDesc.InputTensor = inputDescs.data();
splitDesc.OutputTensors = outputDescs.data();
splitDesc.OutputCount = gsl::narrow_cast<uint32_t>(outputDescs.size());
splitDesc.Axis = dmlAxis;
DML_OPERATOR_DESC opDesc = { DML_OPERATOR_SPLIT, &splitDesc };
SetDmlOperatorDesc(opDesc, kernelInfo);
