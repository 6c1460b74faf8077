"""What an operator means: one sentence, and where its elements come from in one line with the desc's numbers."""

from __future__ import annotations

import re
from typing import Any

from msgspec import Struct

from ...desc.base import Desc
from ...operators.base import Operator
from ...operators.maps import Place
from ...operators.registry import operator_of
from ...tracing import Trace
from ..elements.cursor import Cursor
from ..elements.known import EVERYTHING, Known
from ..elements.lookup import filled_by, some_moved
from ..names import shortened


class Meaning(Struct, frozen=True):
    """An operator in a sentence, and its map as pseudo-code."""

    sentence: str
    code: str = ""
    """`OutputTensor[i,j] = InputTensor[IndicesTensor[0,i],j]`; "" while the desc is broken."""

    @property
    def short_code(self) -> str:
        """`code` with tensors called by shorter names."""
        return shortened(self.code, re.findall(r"\w*Tensors?\b", self.code))

    def lines(self, width: int) -> list[tuple[str, str]]:
        """(sentence, code) of each line of at most `width` columns: one, or two where both don't fit beside each other.

        Tensors are called by shorter names before that; code that is longer than a line is cut there.
        """
        for code in dict.fromkeys((self.code, self.short_code)):
            if len(self.sentence) + len(GAP) * bool(code) + len(code) <= width:
                return [(self.sentence, code)]
        if not self.code:
            return [(self.sentence, "")]
        code = self.code if len(self.code) <= width else self.short_code
        return [(self.sentence, ""), ("", code)]


GAP = "   "
"""What stands between a sentence and the code behind it."""


def meaning(desc: Desc, trace: Trace | None, known: Known = EVERYTHING) -> Meaning:
    """What the operator of a desc means. `trace` has its links; None while the desc is broken.

    Of what isn't `known`, nothing is told but what follows from the desc.
    """
    op = operator_of(desc)
    return Meaning(op.title, _code(op, trace, known) if trace is not None else "")


def _code(op: Operator[Any], trace: Trace, known: Known) -> str:
    """The map as pseudo-code; where the operator has none, the last element's formula, "" while that isn't known."""
    code = op.map_code(trace.desc)
    if code is not None:
        return f"{code.target} = {code.source}{f', {code.where}' if code.where else ''}"
    last = Cursor(Place(True, 0), tuple(n - 1 for n in trace.outputs[0].tensor.sizes))
    if filled_by(trace):
        last = some_moved(trace) or last
    if not known.tells(last):
        return ""
    pairs = trace.formula(last.place.number, last.index)
    behind = 1 + next((k for k, (_, kind) in enumerate(pairs) if kind == "source"), len(pairs))
    where = "".join(text for text, _ in pairs[behind:]).strip()
    return f"such as {''.join(text for text, _ in pairs[:behind])}{f', where {where}' if where else ''}"
