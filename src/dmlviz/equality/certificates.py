"""What proves that two outputs are the same map: the pieces, how they were cut, and where their elements come from.

`verify` checks it and knows nothing of all this.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..errors import DmlvizError
from ..operators.maps import NOWHERE
from ..session.chains import Chain
from .deciding import Compared, Inputs, Verdict
from .tables import Node, NotDecided, Piece, Table, Variable

MOST_NUMBERS = 1 << 21
"""Numbers in a certificate, which is 15 MB then."""


def certificate_of(verdict: Verdict, left: Chain, right: Chain, left_output: int, right_output: int) -> dict[str, Any]:
    """What proves that two outputs are the same map, as plain values. Raises DmlvizError where they aren't.

    Raises NotDecided where it would have too many numbers.
    """
    if not verdict:
        raise DmlvizError("a certificate is of the same map, expected two experiments that are.")
    inputs = Inputs(left, right)
    compared = Compared(left, right, (left_output, right_output), inputs)
    for_all = verdict.answer.name == "FOR_ALL"
    compared.equal(for_all_values=for_all)
    names = {inputs.numbers[1][root.stage, root.tensor]: [*_name(right, root), 1] for root in right.inputs}
    names |= {inputs.numbers[0][root.stage, root.tensor]: [*_name(left, root), 0] for root in reversed(left.inputs)}
    written = _Written(names)
    tree = written.node(compared.root)
    return {
        "dmlviz_certificate": 1,
        "says": verdict.sentence,
        "outputs": [[left.stages[-1].name, left_output], [right.stages[-1].name, right_output]],
        "values": "for all" if for_all else "for these",
        "tree": tree,
    }


def _name(chain: Chain, root: Any) -> tuple[str, str]:
    return chain.stages[root.stage].name, root.part.path


class _Written:
    """Pieces and tables as plain values."""

    def __init__(self, names: dict[int, list[Any]]) -> None:
        self._names, self._count = names, 0

    def _numbers(self, array: Any) -> list[int]:
        self._count += array.size
        if self._count > MOST_NUMBERS:
            raise NotDecided(f"a certificate of more than {MOST_NUMBERS:,} numbers.")
        numbers: list[int] = array.reshape(-1).tolist()
        return numbers

    def node(self, root: Node) -> dict[str, Any]:
        made: dict[str, Any] = {}
        stack = [(root, made)]
        while stack:
            node, tree = stack.pop()
            if node.new:
                tree["variables"] = [self._variable(node.piece, variable) for variable in node.new]
            if node.leaf is None:
                then: list[dict[str, Any]] = [{} for _ in node.then]
                stack += zip(node.then, then, strict=True)
                tree |= {"cut": list(node.cut), "parts": [self._numbers(part) for part in node.parts], "then": then}
            elif node.leaf.root == NOWHERE:
                tree["input"] = None
            else:
                tree |= {"input": self._names[node.leaf.root], "tables": [self._table(t) for t in node.leaf.tables]}
        return made

    def _table(self, table: Table) -> list[Any]:
        """[factors that it depends on, the last one first; its cells, row-major over these]."""
        over = [table.ndim - 1 - d for d in range(table.ndim) if table.shape[d] > 1]
        return [over, self._numbers(table)]

    def _variable(self, piece: Piece, variable: Variable) -> dict[str, Any]:
        cells = []
        for table in variable.cells:
            over = [j for j in range(table.ndim) if table.shape[-1 - j] > 1]
            keys = [key for j in over for key in piece.factors[j]]
            columns = [np.broadcast_to(piece.column(key), table.shape) for key in keys]
            rows = np.stack([column.reshape(-1) for column in (*columns, table)], 1)
            self._numbers(rows)
            cells.append([keys, rows.tolist()])
        return {"input": self._names[variable.root], "size": variable.size, "cells": cells}
