"""Texts of authors, in whatever language they write: a string, or an object by language of which one is read."""

from __future__ import annotations

from ...errors import TaskError, quote
from ...session.notes import printable


def read_text(words: object, field: str) -> str:
    """A text from JSON, without what a terminal acts on; of `{"en": "…", "ja": "…"}` the English, else the first.

    Raises TaskError.
    """
    if isinstance(words, dict) and words and all(isinstance(text, str) for text in words.values()):
        words = words.get("en", next(iter(words.values())))
    if not isinstance(words, str):
        raise TaskError(f"{field} is {quote(words)}, expected text.")
    return printable(words)


def read_texts(texts: object, field: str) -> tuple[str, ...]:
    """Texts from a list of them. Raises TaskError."""
    if not isinstance(texts, list):
        raise TaskError(f"{field} is {quote(texts)}, expected a list of texts.")
    return tuple(read_text(text, f"{field}[{k}]") for k, text in enumerate(texts))
