"""Sentences that questions and their screens are made of, by key: `sentences.json`."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from types import MappingProxyType
from typing import Any


@cache
def sentences() -> Mapping[str, str]:
    """Every sentence by its key, placeholders left."""
    return MappingProxyType(json.loads((files(__package__) / "sentences.json").read_text("utf-8")))


def sentence(key: str, **values: Any) -> str:
    """The sentence of a key, with values in it."""
    return sentences()[key].format_map(values)


def templates(start: str) -> Mapping[str, str]:
    """The sentences whose keys begin so, by the rest of the key, placeholders left."""
    return {key.removeprefix(start): text for key, text in sentences().items() if key.startswith(start)}


def called(kind: str) -> str:
    """A kind of question in a few plain words; its name, where it comes from outside."""
    return sentences().get(f"kind.{kind}", kind)
