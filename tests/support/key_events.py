"""A key as a terminal sends it."""

from __future__ import annotations

import unicodedata

from textual import events
from textual.keys import _get_unicode_name_from_key


def key_event(name: str) -> events.Key:
    try:
        char: str | None = unicodedata.lookup(_get_unicode_name_from_key(name))
    except KeyError:
        char = name if len(name) == 1 else None
    return events.Key(name, char)
