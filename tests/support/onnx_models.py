"""What an exported ONNX model makes of its inputs, in ONNX's reference evaluator."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx.reference import ReferenceEvaluator

from dmlviz.exporters.lib.writing import Export

Arrays = list[NDArray[Any]]


def parsed(made: Export) -> Any:
    """The model, checked as ONNX checks one."""
    model = onnx.load_model_from_string(made.data)
    onnx.checker.check_model(model, full_check=True)
    return model


def fed(made: Export, model: Any) -> dict[str, NDArray[Any]]:
    """What has no default, from the files beside the model."""
    held = {each.name for each in model.graph.initializer}
    by_name = {name.removesuffix(".npy"): array for name, array in made.files.items()}
    return {
        each.name: next(array for name, array in by_name.items() if name.endswith(each.name))
        for each in model.graph.input
        if each.name not in held
    }


def evaluated(made: Export) -> Arrays:
    """The outputs, by ONNX's reference evaluator."""
    model = parsed(made)
    return [np.asarray(each) for each in ReferenceEvaluator(model).run(None, fed(made, model))]


def same(ours: Arrays, theirs: Arrays) -> bool:
    """True if the arrays have the same bits; leading 1s may be more or fewer."""
    return len(ours) == len(theirs) and all(
        a.dtype == b.dtype and _bare(a) == _bare(b) and a.tobytes() == b.tobytes()
        for a, b in zip(ours, theirs, strict=True)
    )


def _bare(array: NDArray[Any]) -> tuple[int, ...]:
    sizes = array.shape
    while sizes and sizes[0] == 1:
        sizes = sizes[1:]
    return sizes
