"""Numbers and values as a person types them."""

from __future__ import annotations

import re

from ...desc.tensors import DataType
from ...desc.value_sources import Listed, Npy, ValueSource, Wired, parse_source
from ...desc.values import Constant, Iota, Random
from ...errors import DmlvizError, quote
from ...formats.json_text import parse_json
from ...formats.number_text import words_of
from ...session.cell_edits import typed


def parse_values(text: str, field: str, data_type: DataType) -> ValueSource:
    """`0, 1, 1, 2`, `[[0, 1], [1, 2]]`, `iota 0 2`, `constant 3`, `random 7`, `file x.npy` or `from halves`.

    Floats, exponents, nan and inf for the types that have them. Raises DmlvizError with a sentence.
    """
    words = text.replace(",", " ").split()
    kind, numbers = words[0].lower() if words else "", words[1:]
    rest = text.strip()[len(kind) :].strip()
    if kind == "file" or text.strip().endswith(".npy"):
        name = rest if kind == "file" else text.strip()
        if not name:
            raise DmlvizError(f"{field} has no name after file, expected an .npy file beside the session.")
        return Npy(name)
    if kind == "from" and numbers:
        name, _, out = rest.rpartition(" ")
        is_path = bool(name) and re.fullmatch(r"Output\w*(\[\d+\])?", out) is not None
        return Wired(name.strip(), out) if is_path else Wired(rest)
    most = {"iota": 2, "constant": 1, "random": 1}.get(kind)
    whole = {"iota": DataType.INT64, "random": DataType.UINT64}
    own = data_type if data_type.is_float and kind != "random" else whole.get(kind, data_type)
    example = "numbers such as 1, 2.5, -3e2, nan" if own.is_float else "integers such as 0, 1, 1, 2"
    if most is not None:
        given = [typed(word, own, field) for word in (words_of(" ".join(numbers), field, example) if numbers else ())]
        if len(given) > most:
            raise DmlvizError(f"{field} has {len(given)} numbers after {kind}, expected {most} at most.")
        if kind == "constant":
            return Constant(*given or [0])
        finite = [x for x in given if not isinstance(x, str)]
        if len(finite) < len(given):
            raise DmlvizError(f"{field} has {quote(text)}, expected finite numbers after {kind}.")
        return Iota(*finite) if kind == "iota" else Random(*map(int, finite))
    if text.lstrip().startswith("["):
        try:
            parsed = parse_json(text)
        except DmlvizError:
            raise DmlvizError(f"{field} has {quote(text)}, expected a list such as [[0, 1], [1, 2]].") from None
        return parse_source(parsed, field)
    listed = [typed(word, data_type, field) for word in words_of(text, field, example)]
    return Listed(tuple(listed), (len(listed),))
