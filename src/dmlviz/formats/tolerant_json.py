"""JSON with comments and trailing commas, as models of DxDispatch may have them."""

from __future__ import annotations

import re

from ..errors import ValuesError
from .json_text import parse_json

# Repeats are possessive: an end that is missing costs one pass, not one for each beginning.
_STRING = r'"(?:[^"\\]++|\\.)*+"?'
_COMMENT = re.compile(rf"{_STRING}|//[^\r\n]*+|/\*(?:[^*]++|\*(?!/))*+(?:\*/)?", re.DOTALL)
_COMMA = re.compile(rf"{_STRING}|,(?=[ \t\r\n]*+[\]}}])", re.DOTALL)


def parse_tolerant(data: bytes) -> object:
    """What the JSON in `data` holds. Raises ValuesError with a sentence that gives the line."""
    try:
        return parse_json(strict_text(data.decode("utf-8-sig")))
    except UnicodeDecodeError as error:
        byte = f"byte 0x{data[error.start]:02x} at position {error.start}"
        raise ValuesError(f"found {byte}, which is not UTF-8, expected JSON in UTF-8.") from None


def strict_text(text: str) -> str:
    """`text` with blanks for comments and trailing commas: all else stands where it stood."""
    return _COMMA.sub(_blanked, _COMMENT.sub(_blanked, text))


def _blanked(match: re.Match[str]) -> str:
    """A string as it is; for anything else blanks, and its line breaks, so that lines keep their numbers."""
    if match[0][0] == '"':
        return match[0]
    return re.sub(r"[^\r\n]", " ", match[0])
