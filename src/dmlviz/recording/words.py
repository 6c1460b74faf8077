"""What recordings say themselves, in the language of a session or of its reader: keys `page.…` of the catalogues."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct

from ..session.experiments import Session
from ..teaching.lessons.lessons import chosen_language
from ..teaching.words.catalogue import known_language, sentence, session_language, user_language
from ..teaching.words.texts import ENGLISH

SCRIPT = (
    "values_first", "number_first", "sizes_first", "input_first", "inputs_first", "outputs_first", "choice_first",
    "choices_first", "right", "wrong", "look", "hint", "no_hints", "the_answer", "typed", "typed_one",
    "no_value", "whole_number", "whole_numbers", "told_later", "not_written", "is_read_by", "sends", "and_more",
    "so_far", "not_read", "sends_nothing", "marked", "unmarked", "play", "stop", "step_of", "all_written",
)  # fmt: skip
"""What the page's program says."""


HAND_IN = ("kept", "not_kept", "answered_count", "name_first", "saved", "forget", "forget_really")
"""What it says of the answers that it keeps."""


class Words(Struct, frozen=True):
    """The sentences of one language."""

    lang: str = ENGLISH
    texts: str = ""
    """The language of an author's texts, where it is another."""

    @property
    def spoken(self) -> str:
        """The language of an author's texts, as far as they are in it."""
        return self.texts or self.lang

    def __call__(self, key: str, /, **values: Any) -> str:
        """The sentence under `page.` and `key`, with its placeholders filled."""
        return sentence(self.lang, f"page.{key}", **values)

    def count(self, key: str, count: int, **values: Any) -> str:
        """A sentence with a number in it: `key` itself for several, `key_one` for 1."""
        return self(f"{key}_one" if count == 1 else key, count=f"{count:,}", **values)

    def of_script(self, keys: Sequence[str] = SCRIPT) -> Mapping[str, str]:
        """What the page's program says, with its placeholders."""
        return {key: self(key, **{name: f"{{{name}}}" for name in PLACES.get(key, ())}) for key in keys}


PLACES: Mapping[str, tuple[str, ...]] = {
    "look": ("look",),
    "hint": ("hint",),
    "the_answer": ("answer",),
    "typed": ("found", "count"),
    "typed_one": ("found",),
    "no_value": ("value", "type"),
    "marked": ("name",),
    "unmarked": ("name",),
    "step_of": ("step", "count"),
    "all_written": ("count",),
    "answered_count": ("count", "tasks"),
    "saved": ("file",),
}
"""The placeholders of those that have any."""


def words_of(session: Session, lang: str = "") -> Words:
    """The words of a recording: in `lang` if it is given, else the session's own, else the user's, else English.

    Where only the session's texts are in `lang`, the rest is in the user's language. Raises DmlvizError where nothing
    is.
    """
    wanted = chosen_language(session, lang) if lang else session_language(session.extra)
    own = known_language(wanted) or user_language() or ENGLISH
    return Words(own, wanted if wanted not in ("", own) else "")
