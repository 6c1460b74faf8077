"""JSON with comments and trailing commas, as models of DxDispatch may have them."""

from __future__ import annotations

import re

from ..errors import ValuesError
from .json_text import parse_json

# Repeats are possessive: an end that is missing costs one pass, not one for each beginning.
_STRING = r'"(?:[^"\\]++|\\.)*+"?'
_COMMENT = re.compile(rf"{_STRING}|//[^\r\n]*+|/\*(?:[^*]++|\*(?!/))*+(?:\*/)?", re.DOTALL)
_COMMA = re.compile(rf"{_STRING}|,(?=[ \t\r\n]*+[\]}}])", re.DOTALL)
_SUSPECT = re.compile(r",[ \t\r\n]*+[\]}]")


def parse_tolerant(data: bytes) -> object:
    """What the JSON in `data` holds. Raises ValuesError with a sentence that gives the line."""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        byte = data[error.start]
        raise ValuesError(
            f"found byte 0x{byte:02x} at position {error.start}, which is not UTF-8, expected JSON in UTF-8."
        ) from None
    if "//" in text or "/*" in text:
        text = _COMMENT.sub(_without_comment, text)
    if _SUSPECT.search(text):
        text = _COMMA.sub(_without_comma, text)
    return parse_json(text)


def _without_comment(match: re.Match[str]) -> str:
    """A string as it is; of a comment the line breaks, so that lines keep their numbers."""
    text = match[0]
    return text if text[0] == '"' else " " + "\n" * text.count("\n")


def _without_comma(match: re.Match[str]) -> str:
    """A string as it is; a blank for a trailing comma."""
    return match[0] if match[0] != "," else " "
