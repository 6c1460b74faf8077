"""Entries of a catalogue of sentences that can't be used."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from dmlviz.teaching.words.catalogue import english, fits, placeholders, sentences


def faults(lang: str, found: Mapping[str, str] | None = None) -> Iterator[str]:
    """A sentence for each entry of a catalogue that can't be used."""
    known = english()
    for key, text in (sentences(lang) if found is None else found).items():
        if key not in known:
            yield f"{lang}: {key} is no sentence of dmlviz, expected one of those in en.json, or of a wrong rule."
        elif not fits(text, known[key]):
            wanted = ", ".join(sorted(placeholders(known[key]))) or "none"
            yield f"{lang}: {key} has placeholders other than the English sentence, expected {wanted}."
