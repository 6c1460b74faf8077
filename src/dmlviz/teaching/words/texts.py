"""Texts of authors: one string, or one a language."""

from __future__ import annotations

import re
from collections.abc import Mapping

from msgspec import Struct, field

from ...errors import TaskError, quote
from ...session.notes import printable

ENGLISH = "en"
_TAG = re.compile(
    r"[a-z]{2,3}(-[a-z]{3}){0,3}(-[a-z]{4})?(-([a-z]{2}|[0-9]{3}))?(-([a-z0-9]{5,8}|[0-9][a-z0-9]{3}))*"
    r"(-[a-wyz0-9](-[a-z0-9]{2,8})+)*(-x(-[a-z0-9]{1,8})+)?|x(-[a-z0-9]{1,8})+",
    re.IGNORECASE | re.ASCII,
)
"""A language tag as RFC 5646 has it."""


def is_language_tag(tag: str) -> bool:
    """True for `de`, `pt-BR`, `zh-Hant-TW`; whether anybody speaks it isn't known here."""
    return _TAG.fullmatch(tag) is not None


class Text(Struct, frozen=True):
    """What an author says, by language; false for nothing. Plain strings of a file are in its language, `home`."""

    words: Mapping[str, str] = field(default_factory=dict)
    home: str = ENGLISH

    def __bool__(self) -> bool:
        """True if the text says something in any language."""
        return any(self.words.values())

    def __hash__(self) -> int:
        return hash((frozenset(self.words), self.home))  # whatever their order: equal texts hash alike

    def in_language(self, lang: str = ENGLISH) -> str:
        """The text in a language, else in the file's, else in English, else in the only one; "" for none."""
        for tag in (lang, lang.partition("-")[0], self.home, ENGLISH):
            if tag in self.words:
                return self.words[tag]
        return next(iter(self.words.values()), "")


def read_text(words: object, field: str, home: str = ENGLISH) -> Text:
    """A text from JSON, a string or `{"en": "…", "ja": "…"}`, without what a terminal acts on. Raises TaskError."""
    if isinstance(words, str):
        return Text({home: printable(words)}, home)
    if not isinstance(words, dict) or not words or not all(isinstance(words, str) for words in words.values()):
        raise TaskError(f'{field} is {quote(words)}, expected text, or an object by language such as {{"en": "…"}}.')
    return Text({printable(lang): printable(text) for lang, text in words.items()}, home)


def read_texts(texts: object, field: str, home: str = ENGLISH) -> tuple[Text, ...]:
    """Texts from a list of them. Raises TaskError."""
    if not isinstance(texts, list):
        raise TaskError(f"{field} is {quote(texts)}, expected a list of texts.")
    return tuple(read_text(text, f"{field}[{k}]", home) for k, text in enumerate(texts))
