"""Numbers and values as a person types them."""

from __future__ import annotations

import math
import re

from ...desc.tensors import DataType
from ...desc.value_sources import Listed, Npy, ValueSource, Wired, parse_source
from ...desc.values import SPECIAL, Constant, Iota, Random
from ...errors import DmlvizError, quote
from ...formats.json_text import parse_json
from ...formats.number_text import words_of


def parse_values(text: str, field: str, data_type: DataType) -> ValueSource:
    """`0, 1, 1, 2`, `[[0, 1], [1, 2]]`, `iota 0 2`, `constant 3`, `random 7`, `file x.npy` or `from halves`.

    Floats, exponents, nan and inf for the types that have them. Raises DmlvizError with a sentence.
    """
    words = text.replace(",", " ").split()
    kind, numbers = words[0].lower() if words else "", words[1:]
    if kind == "file" or text.strip().endswith(".npy"):
        name = text.strip()[4:].strip() if kind == "file" else text.strip()
        if not name:
            raise DmlvizError(f"{field} has no name after file, expected an .npy file beside the session.")
        return Npy(name)
    if kind == "from" and numbers:
        name, _, out = text.strip()[4:].strip().rpartition(" ")
        is_path = bool(name) and re.fullmatch(r"Output\w*(\[\d+\])?", out) is not None
        return Wired(name.strip(), out) if is_path else Wired(text.strip()[4:].strip())
    most = {"iota": 2, "constant": 1, "random": 1}.get(kind)
    if most is not None:
        example = "numbers" if data_type.is_float and kind != "random" else "integers"
        given = [
            _number_in_word(word, field, data_type if kind != "random" else DataType.INT64, example)
            for word in (words_of(" ".join(numbers), field, example) if numbers else ())
        ]
        if len(given) > most:
            raise DmlvizError(f"{field} has {len(given)} numbers after {kind}, expected {most} at most.")
        if kind == "constant":
            return Constant(*given or [0])
        finite = [x for x in given if not isinstance(x, str)]
        if len(finite) < len(given):
            raise DmlvizError(f"{field} has {quote(text)}, expected finite numbers after {kind}.")
        if kind == "iota":
            return Iota(*finite)
        seeds = [x for x in finite if isinstance(x, int)]
        if seeds and not 0 <= seeds[0] < 2**128:
            raise DmlvizError(f"{field} has seed {seeds[0]}, expected 0 to 2^128 - 1.")
        return Random(*seeds)
    if text.lstrip().startswith("["):
        try:
            parsed = parse_json(text)
        except DmlvizError:
            raise DmlvizError(f"{field} has {quote(text)}, expected a list such as [[0, 1], [1, 2]].") from None
        return parse_source(parsed, field)
    example = "numbers such as 1, 2.5, -3e2, nan" if data_type.is_float else "integers such as 0, 1, 1, 2"
    listed = [_number_in_word(word, field, data_type, example) for word in words_of(text, field, example)]
    return Listed(tuple(listed), (len(listed),))


def _number_in_word(word: str, field: str, kind: DataType, example: str) -> int | float | str:
    """One value as it was typed: integers exact, floats only for a type that has them."""
    try:
        return int(word)
    except ValueError:
        pass
    if kind.is_float:
        special = word.lower().replace("infinity", "inf").removeprefix("+")
        if special in SPECIAL:
            return special
        try:
            number = float(word)
        except ValueError:
            number = math.inf
        if math.isfinite(number):
            return number
    raise DmlvizError(f"{field} has {quote(word)}, expected {example}.")
