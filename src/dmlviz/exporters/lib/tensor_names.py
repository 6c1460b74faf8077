"""What an experiment's operator and its tensors are called in a file of their own: never after a session's names."""

from __future__ import annotations

from ...desc.base import Desc, Part


def operator_name(desc: Desc, number: int) -> str:
    """`gather_1`: the operator, and the experiment's number in its session."""
    return f"{desc.TYPE.removeprefix('DML_OPERATOR_').lower()}_{number}"


def tensor_name(part: Part, operator: str) -> str:
    """What a tensor is called in a file: `gather_1_InputTensor`, `join_2_InputTensors_0`; never as in a session."""
    return f"{operator}_{part.path.replace('[', '_').removesuffix(']')}"
