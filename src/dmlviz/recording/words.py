"""What recordings say themselves, in the language of a session or of its reader: keys `page.…` of the catalogues."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ..session.experiments import Session
from ..teaching.catalogue import said, session_language, user_language
from ..teaching.texts import ENGLISH

SCRIPT = (
    "right", "wrong", "look", "hint", "no_hints", "the_answer", "choose_first", "mark_first", "typed", "typed_one",
    "no_value", "whole_number", "whole_numbers", "told_later", "not_written", "is_read_by", "sends", "and_more",
    "so_far", "not_read", "sends_nothing", "marked", "unmarked", "play", "stop", "step_of", "all_written",
)  # fmt: skip
"""What the page's program says."""


@dataclass(frozen=True, slots=True)
class Words:
    """The sentences of one language."""

    lang: str = ENGLISH

    def __call__(self, key: str, /, **values: Any) -> str:
        return said(self.lang, f"page.{key}", **values)

    def count(self, key: str, count: int, **values: Any) -> str:
        """A sentence with a number in it: `key` itself for several, `key_one` for 1."""
        return self(f"{key}_one" if count == 1 else key, count=f"{count:,}", **values)

    @property
    def of_script(self) -> Mapping[str, str]:
        """What the page's program says, with its placeholders."""
        return {key: self(key, **{name: f"{{{name}}}" for name in PLACES.get(key, ())}) for key in SCRIPT}


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
}
"""The placeholders of those that have any."""


def language_of(session: Session, lang: str = "") -> str:
    """The language of a recording: the session's own, else `lang`, else the user's, else English."""
    return session_language(session.extra) or lang or user_language() or ENGLISH
