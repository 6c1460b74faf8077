"""C++ with structs of DirectML, and DirectMLX."""


def function_of(kind: str) -> str:
    """The function of an operator's type in DirectMLX: `ReverseSubsequences`; `Slice` of SLICE1."""
    return kind.removeprefix("DML_OPERATOR_").title().replace("_", "").rstrip("0123456789")
