"""A number is what its digits say, wherever text becomes one: `3_0` is no 30."""

from __future__ import annotations

import pytest

from dmlviz.desc.tensors import DataType
from dmlviz.errors import DmlvizError
from dmlviz.workspace.form.form_edits import parse_values


@pytest.mark.parametrize("text", ["1_0", "1_0, 2", "iota 1_0", "constant 1_0", "random 1_0", "constant 1_0.5", "1_0.5"])
@pytest.mark.parametrize("kind", [DataType.FLOAT32, DataType.INT32])
def test_values_are_refused(text: str, kind: DataType) -> None:
    with pytest.raises(DmlvizError, match=r'has "1_0(\.5)?", expected'):
        parse_values(text, "InputTensor", kind)
