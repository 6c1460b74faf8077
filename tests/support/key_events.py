"""A key as a terminal sends it."""

from __future__ import annotations

import unicodedata

from textual import events
from textual.keys import REPLACED_KEYS, _character_to_key, _get_unicode_name_from_key


def key_event(name: str) -> events.Key:
    """The event of a key's name, or of the character that it types."""
    if len(name) == 1 and not name.isalnum():
        name = _character_to_key(name)
    try:
        char: str | None = unicodedata.lookup(_get_unicode_name_from_key(REPLACED_KEYS.get(name, name)))
    except KeyError:
        char = name if len(name) == 1 else None
    return events.Key(name, char)
