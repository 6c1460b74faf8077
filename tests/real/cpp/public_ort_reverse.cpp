DML_REVERSE_SUBSEQUENCES_OPERATOR_DESC operatorDesc = {};
operatorDesc.InputTensor = &inputDescs[0];
operatorDesc.SequenceLengthsTensor = &inputDescs[1];
operatorDesc.OutputTensor = &outputDescs[0];
operatorDesc.Axis = timeAxis;
