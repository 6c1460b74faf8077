"""Texts of authors: one string, or one a language."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from ..errors import TaskError, quote
from ..session.notes import printable

ENGLISH = "en"


@dataclass(frozen=True, slots=True)
class Text:
    """What an author says, by language; false where nothing is said.

    `home` is the language of the file, in which plain strings are.
    """

    words: Mapping[str, str] = field(default_factory=dict, hash=False)
    home: str = ENGLISH

    def __bool__(self) -> bool:
        return any(self.words.values())

    def said(self, lang: str = ENGLISH) -> str:
        """The text in a language, else in the file's, else in English, else in the only one; "" for none."""
        for each in (lang, lang.partition("-")[0], self.home, ENGLISH):
            if each in self.words:
                return self.words[each]
        return next(iter(self.words.values()), "")


def read_text(found: object, field: str, home: str = ENGLISH) -> Text:
    """A text from its JSON: a string, or an object such as `{"en": "…", "ja": "…"}`. Raises TaskError.

    What a terminal would act on is left out: it may come from a stranger's file.
    """
    if isinstance(found, str):
        return Text({home: printable(found)}, home)
    if not isinstance(found, dict) or not found or not all(isinstance(each, str) for each in found.values()):
        raise TaskError(f'{field} is {quote(found)}, expected text, or an object by language such as {{"en": "…"}}.')
    return Text({printable(lang): printable(said) for lang, said in found.items()}, home)


def read_texts(found: object, field: str, home: str = ENGLISH) -> tuple[Text, ...]:
    """Texts from a list of them. Raises TaskError."""
    if not isinstance(found, list):
        raise TaskError(f"{field} is {quote(found)}, expected a list of texts.")
    return tuple(read_text(each, f"{field}[{k}]", home) for k, each in enumerate(found))
