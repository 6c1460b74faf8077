"""Sentences that questions and their screens are made of, by key: `sentences.json`."""

from __future__ import annotations

import json
import string
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from types import MappingProxyType
from typing import Any


class _Filling(string.Formatter):
    """Fills placeholders; `{count:row|rows}` is the first of two where there is one of it, else the second."""

    def format_field(self, value: Any, spec: str) -> str:
        one, several, many = spec.partition("|")
        return str(super().format_field(value, spec)) if not several else one if str(value) == "1" else many


@cache
def sentences() -> Mapping[str, str]:
    """Every sentence by its key, placeholders left."""
    return MappingProxyType(json.loads((files(__package__) / "sentences.json").read_text("utf-8")))


def sentence(key: str, **values: Any) -> str:
    """The sentence of a key, with values in it."""
    return _Filling().vformat(sentences()[key], (), values)


def templates(start: str) -> Mapping[str, str]:
    """The sentences whose keys begin so, by the rest of the key, placeholders left."""
    return {key.removeprefix(start): text for key, text in sentences().items() if key.startswith(start)}
