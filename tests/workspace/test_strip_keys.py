"""The rows that stand in the line above the picture: what the operator declares, and nothing twice."""

from __future__ import annotations

import pytest

from dmlviz.session import examples
from dmlviz.workspace.form.form_rows import form_rows, strip_keys


@pytest.mark.parametrize("name", [each.name for each in examples.all_examples()])
def test_numbers_come_first_then_every_tensor_and_counts_that_were_given(name: str) -> None:
    for experiment in examples.example(name).session().experiments:
        desc, rows = experiment.desc, form_rows(experiment)
        keys = strip_keys(desc, rows)
        numbers = [each.name for each in desc.ATTRIBUTES]
        tensors = [row.key for row in rows if row.is_sizes]
        counts = [each.name for each in desc.COUNTS if each.name not in desc.inferred]
        assert keys[: len(numbers)] == tuple(numbers)
        assert sorted(keys) == sorted((*numbers, *tensors, *counts))
        held = {row.key: row for row in rows}
        assert all(held[key].is_typed or key in numbers for key in keys)
        sizes = [key for key in keys if held[key].is_sizes]
        outputs = {part.path for part in desc.outputs}
        assert [key in outputs for key in sizes] == sorted((key in outputs for key in sizes), reverse=True)
