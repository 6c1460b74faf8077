std::vector<uint32_t> repeats(m_repeats);
if (repeats.size() < m_inputDims.size())
{
    repeats.insert(repeats.begin(), m_inputDims.size() - repeats.size(), 1);
}
DML_TILE_OPERATOR_DESC operatorDesc = {};
operatorDesc.InputTensor = inputDescs.data();
operatorDesc.OutputTensor = outputDescs.data();
operatorDesc.RepeatsCount = gsl::narrow_cast<uint32_t>(repeats.size());
operatorDesc.Repeats = repeats.data();
