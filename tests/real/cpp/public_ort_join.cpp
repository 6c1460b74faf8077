class DmlOperatorConcat : public DmlOperator, public ConcatHelper
{
public:
    DmlOperatorConcat(const MLOperatorKernelCreationContext& context) : DmlOperator(context), ConcatHelper(context)
    {
        std::vector<std::optional<uint32_t>> inputIndices = GetPresentInputs(context);
        DmlOperator::Initialize(context, inputIndices);
        uint32_t axis = static_cast<uint32_t>(HandleNegativeAxis(m_axis, GetRank(context)));
        std::vector<DML_TENSOR_DESC> inputDescs = GetDmlInputDescs();
        std::vector<DML_TENSOR_DESC> outputDescs = GetDmlOutputDescs();
        DML_JOIN_OPERATOR_DESC joinDesc = {};
        joinDesc.InputCount = gsl::narrow_cast<uint32_t>(inputDescs.size());
        joinDesc.InputTensors = inputDescs.data();
        joinDesc.OutputTensor = outputDescs.data();
        joinDesc.Axis = axis;
        DML_OPERATOR_DESC opDesc = { DML_OPERATOR_JOIN, &joinDesc };
        SetDmlOperatorDesc(opDesc, context);
    }
};
