"""What recordings say themselves: sentences under `page.…`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..teaching.words.catalogue import sentence

SCRIPT = (
    "answer_first", "right", "wrong", "look", "hint", "no_hints", "the_answer", "typed",
    "no_value", "whole_numbers", "told_later", "not_written", "is_read_by", "sends", "and_more",
    "so_far", "not_read", "sends_nothing", "marked", "unmarked", "play", "stop", "step_of", "all_written",
)  # fmt: skip
"""What the page's program says."""


HAND_IN = ("answered_count", "name_first", "saved")
"""What it says of the answers that it saves."""


PLACES: Mapping[str, tuple[str, ...]] = {
    "look": ("look",),
    "hint": ("hint",),
    "the_answer": ("answer",),
    "typed": ("found", "count"),
    "no_value": ("value", "type"),
    "marked": ("name",),
    "unmarked": ("name",),
    "step_of": ("step", "count"),
    "all_written": ("count",),
    "answered_count": ("count", "tasks"),
    "saved": ("file",),
}
"""The placeholders of those that have any."""


def words(key: str, /, **values: Any) -> str:
    """The sentence under `page.` and `key`, with its placeholders filled."""
    return sentence(f"page.{key}", **values)


def counted(key: str, count: int, **values: Any) -> str:
    """A sentence with a number in it."""
    return words(key, count=f"{count:,}", **values)


def of_script(keys: Sequence[str] = SCRIPT) -> Mapping[str, str]:
    """What the page's program says, with its placeholders."""
    return {key: words(key, **{name: f"{{{name}}}" for name in PLACES.get(key, ())}) for key in keys}
