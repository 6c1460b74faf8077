"""Sentences of questions and their screens by key, from `sentences.json`; and terms and signs, each in a sentence."""

from __future__ import annotations

import json
import re
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
        if not several:
            return str(super().format_field(value, spec))
        return one if str(value) == "1" else many


@cache
def sentences() -> Mapping[str, str]:
    return MappingProxyType(json.loads((files(__package__) / "sentences.json").read_text("utf-8")))


def sentence(key: str, **values: Any) -> str:
    return _Filling().vformat(sentences()[key], (), values)


def templates(start: str) -> Mapping[str, str]:
    return {key.removeprefix(start): text for key, text in sentences().items() if key.startswith(start)}


TERMS: Mapping[str, str] = {
    "desc: the operator's struct, filled in.": r"(?i)\bdescs?\b",
    "IndexDimensions: how many trailing IndicesTensor sizes count.": r"\bIndexDimensions\b",
    "feature level: a version of DirectML, such as 2_1.": r"(?i)\bfeature[ -]?levels?\b",
    "DimensionCount: a tensor's rank, x.ndim in NumPy.": r"\bDimensionCounts?\b",
    "length: how many elements of a sequence are reversed.": r"(?i)SequenceLengths|sequence lengths?|\blengths? \d",
    "run: contiguous elements that one copy moves.": r"(?i)by run\b|to run\b|\bruns? of\b|“run”",
    "i, j: indices along the axes, counted from 0.": r"\[[^]]*\bi\b[^]]*\] = ",
    "s: the index along Axis at which tensor k begins.": r"\bs = ",
    "L: the sequence's length, at most the size along Axis.": r"\[:L\]|\bL = ",
    "×2: read by two elements of the output; ×0 by none.": r"×\d",
    "0–1: from 0 to 1, inclusive.": r"\b\d+[–-]\d+\b(?! of)",
    "!: an index out of range; DirectML doesn't promise a value.": r"(?<=\d)!|(?<= )!(?=[ .]|$)",
    "◁: a warning names this field; ◀ an error does, ✘ its cells.": r"◁",
    "▣: wrong at first; ■ right, □ to do, – skipped.": r"▣",
    "◧: seen before answering, in the explorer or by the last hint.": r"◧",
    "stage: one experiment of a chain; it reads other stages' outputs.": r"(?i)\bstages?\b",
    "⇠: comes from.": r"⇠",
}
"""Words of DirectML's, and signs, explained where a lesson first has them: a sentence each, and what finds it."""
SIGNS: Mapping[str, str] = {
    "A, B: a letter and its colour mean the same wherever they are.": r"(?m)(^|[ ▐▕])[A-H] ?\d",
    "▐ ▌: the element under the cursor; ▕ ▏ what belongs to it.": r"▐|▕",
    "₀₁₂₃₄₅₆₇₈₉: the position in its sequence.": r"[₀-₉]",
    "·: hidden for now.": r"  ·  ",
    "∅: a constant; no input element is copied there.": "∅",
    "↓ →: the axis that runs down, and across.": r"[↓→] ?(axis )?\d",
    "%: the remainder, as in Python.": r"\d % \d",
    "✗: wrong; ✓ correct, or solved; ○ missed.": r"✗|✓|○",
    "▶ ◀: look here.": r"▶\w",
    "─▶: this value comes from there.": r"─▶|\w ▶",
    "▲: the index above says which value is read.": r"▲",
    "‹ ›: one slice of several; a click, pgup and pgdn go to another.": r"‹\[",
    "▸: where the keys act.": r"(?<!\d)▸",
    "|◀ ◀◀ ▶ ▶▶ ▶|: to the first step, one back, play, one on, to the last; a click on the line goes there.": r"\|◀",
    "◂3 5▸: so many more elements before and after.": r"◂\d|\d▸",
    "▴ ▾: more lines, by pgup, pgdn, the wheel or a click.": r"▴|▾",
    "auto: follows from the other numbers until you type into it.": r"\bauto\b",
    "par: the fewest changes that solve a puzzle; ★ at par, □ open.": r"★|\bpar \d",
}
"""Signs that are told under `?` where they are on the screen."""


def found(text: str, table: Mapping[str, str] = TERMS) -> tuple[str, ...]:
    """The sentences on the terms, or on another table's signs, that stand in a text, in the table's order."""
    return tuple(told for told, pattern in table.items() if re.search(pattern, text))
