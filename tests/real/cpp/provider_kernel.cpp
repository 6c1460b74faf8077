class DmlOperatorPickRows : public DmlOperator
{
public:
    DmlOperatorPickRows(const MLOperatorKernelCreationContext& context) : DmlOperator(context)
    {
        DmlOperator::Initialize(context);
        std::vector<DML_TENSOR_DESC> inputDescs = GetDmlInputDescs();
        std::vector<DML_TENSOR_DESC> outputDescs = GetDmlOutputDescs();
        assert(inputDescs.size() == 2 && outputDescs.size() == 1);

        DML_GATHER_OPERATOR_DESC operatorDesc = {};
        operatorDesc.InputTensor = &inputDescs[0];
        operatorDesc.IndicesTensor = &inputDescs[1];
        operatorDesc.OutputTensor = outputDescs.data();
        operatorDesc.Axis = static_cast<uint32_t>(HandleNegativeAxis(m_axis, m_rank));
        operatorDesc.IndexDimensions = gsl::narrow_cast<uint32_t>(m_indexRank);
        DML_OPERATOR_DESC opDesc = { DML_OPERATOR_GATHER, &operatorDesc };
        SetDmlOperatorDesc(opDesc, context);
    }
};
