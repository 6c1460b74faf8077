"""Sentences that questions are made of, one catalogue a language: `catalogues/en.json`, and others beside it.

A sentence that a catalogue lacks, or has with other placeholders, is English.
"""

from __future__ import annotations

import json
import os
import re
import string
from collections.abc import Iterable, Mapping, Sequence
from functools import cache, partial
from importlib.resources import files
from types import MappingProxyType
from typing import Any

from ...desc.base import Desc
from ...errors import DmlvizError, quote
from ...operators.base import Operator
from ...operators.maps import Place, Reader
from ...operators.registry import operator_of, operators
from ...operators.report import Change, Check
from ...operators.sentences import SENTENCES, SHARED_SENTENCES, sentence_of
from ...operators.wrong_rules import Misreading, Phrase
from .chain_rules import CHAIN_RULES
from .texts import ENGLISH

FOLDER = "catalogues"
ENVIRONMENT = "DMLVIZ_LANG"
"""The variable that says in which language questions are asked: `de`."""


@cache
def languages() -> tuple[str, ...]:
    """The languages that have a catalogue, English first."""
    names = [file.name for file in (files(__package__) / FOLDER).iterdir() if file.name.endswith(".json")]
    return tuple(sorted((name.removesuffix(".json") for name in names), key=lambda lang: (lang != ENGLISH, lang)))


def languages_told(others: Sequence[str] = ()) -> str:
    """The languages to choose from, `others` last: `en, de, fr (42 %)`, with what an incomplete one can say."""
    return ", ".join(_told(lang) for lang in dict.fromkeys((*languages(), *others)))


def _told(lang: str) -> str:
    """A language, and the share of English sentences that its catalogue has, unless that is all, or there is none."""
    own, every = sentences(lang), english()
    count = sum(key in own and fits(own[key], text) for key, text in every.items())
    return lang if lang == ENGLISH or not own or count == len(every) else f"{lang} ({100 * count // len(every)} %)"


_chosen = [""]
"""What the settings ask for."""


def choose(lang: str) -> None:
    """Has questions asked in a language, unless the environment says another; "" for nobody's choice.

    Raises DmlvizError for a language without a catalogue.
    """
    if lang and not known_language(lang):
        raise DmlvizError(f"lang is {quote(lang)}, expected one of {languages_told()}.")
    _chosen[0] = lang


def user_language() -> str:
    """The language that the environment or the settings ask for; "" where neither has one that there is."""
    return known_language(os.environ.get(ENVIRONMENT, "")) or known_language(_chosen[0])


def known_language(wanted: str) -> str:
    """`de` for `de`, `de-AT` and `de_DE.UTF-8`; "" for a language without a catalogue."""
    lang = wanted.replace("_", "-").partition(".")[0].lower()
    known = {tag.replace("_", "-").lower(): tag for tag in languages()}
    return next((known[tag] for tag in (lang, lang.partition("-")[0]) if tag in known), "")


def session_language(extra: Mapping[str, Any]) -> str:
    """The language that a session says is its own, in `lang`; "" for none, and for one without a catalogue."""
    tag = extra.get("lang", "")
    return known_language(tag) if isinstance(tag, str) else ""


@cache
def sentences(lang: str) -> Mapping[str, str]:
    """What the catalogue of a language holds, by key; nothing for a language without one."""
    known = known_language(lang)
    if not known:
        return MappingProxyType({})
    catalogue = json.loads((files(__package__) / FOLDER / f"{known}.json").read_text("utf-8"))
    return MappingProxyType(catalogue)


@cache
def english() -> Mapping[str, str]:
    """Every sentence in English, by key: those of `en.json`, and the operators' titles, rules and wrong rules."""
    texts = dict(sentences(ENGLISH))
    texts |= {f"check.{id_}": text for id_, text in {**SENTENCES, **SHARED_SENTENCES}.items()}
    texts |= {f"rule.{r.id}.{part}": getattr(r, part) for r in CHAIN_RULES for part in ("name", "feedback", "look")}
    for operator in operators().values():
        texts[f"title.{operator.name}"] = operator.title
        for id_, text in operator.sentences.items():
            if texts.setdefault(f"check.{id_}", text) != text:
                texts[f"check.{id_}.{operator.name}"] = text
        for rule in operator.misreadings():
            for part in ("name", "feedback", "look"):
                text = getattr(rule, part)
                key = f"rule.{rule.id}.{part}"
                if texts.setdefault(key, text) != text:  # a rule that several operators share in other words
                    texts[f"rule.{rule.id}.{operator.name}.{part}"] = text
    return MappingProxyType(texts)


def placeholders(sentence: str) -> frozenset[str]:
    """The names between braces in a sentence. Raises ValueError for a brace without its other."""
    return frozenset(name for _, name, _, _ in string.Formatter().parse(sentence) if name is not None)


def fits(text: str, model: str) -> bool:
    """True if a sentence has the placeholders of its English model."""
    try:
        return placeholders(text) == placeholders(model)
    except ValueError:
        return False  # a brace without its other


def translated(lang: str, key: str, model: str) -> str:
    """The sentence of a language by its key, placeholders left; `model`, which is English, where none fits."""
    text = sentences(lang).get(key)
    return text if text is not None and fits(text, model) else model


def sentence(lang: str, key: str, **values: Any) -> str:
    """The sentence of a language by its key, with values in it; in English where the language has none."""
    return translated(lang, key, sentences(ENGLISH)[key]).format_map(values)


def templates(lang: str, start: str) -> Mapping[str, str]:
    """The sentences of a language whose keys begin so, by the rest of the key, placeholders left."""
    english = sentences(ENGLISH)
    return {key.removeprefix(start): translated(lang, key, english[key]) for key in english if key.startswith(start)}


def called(lang: str, kind: str) -> str:
    """A kind of question in a few plain words; its name, where no catalogue has any."""
    return translated(lang, f"kind.{kind}", sentences(ENGLISH).get(f"kind.{kind}", kind))


def key_text(lang: str, word: str) -> str:
    """What a key is called or does, by its English word, such as "next cell"; the word where no catalogue has it."""
    return translated(lang, f"key.{re.sub('[^a-z]+', '_', word.lower()).strip('_')}", word)


@cache
def drawn_words(lang: str) -> tuple[tuple[str, str], ...]:
    """(English phrase, the same in a language) of what is written around a picture and in formulas; () in English."""
    own = sentences(lang) if lang not in ("", ENGLISH) else {}
    return tuple((text, own[key]) for key, text in sentences(ENGLISH).items() if key in own and key[:6] == "drawn.")


def rule_text(lang: str, rule: Misreading[Any], part: str, operator: str) -> str:
    """A wrong rule's `name`, `feedback` or `look` in a language, placeholders left; `operator` is whose rule it is."""
    own: str = getattr(rule, part)
    for key in (f"rule.{rule.id}.{operator}.{part}", f"rule.{rule.id}.{part}"):
        if english().get(key) == own:
            return translated(lang, key, own)
    return own


def rule_feedback(
    lang: str,
    rule: Misreading[Any],
    desc: Desc,
    read: Reader,
    place: Place | None = None,
    index: Sequence[int] = (),
) -> str:
    """What the holder of a wrong rule is told, about an element if one was asked for; the desc has to be valid."""
    template = rule_text(lang, rule, "feedback", operator_of(desc).name)
    return rule.says(desc, read, place, index, feedback=template, phrased=partial(phrased, lang))


def title_of(lang: str, operator: Operator[Any]) -> str:
    """What an operator does, in one sentence."""
    return translated(lang, f"title.{operator.name}", operator.title)


def rule_sentence(lang: str, operator: Operator[Any], id_: str) -> str:
    """The rule behind a check id in one plain sentence; "" where an operator from outside gives none."""
    own = sentence_of(operator, id_)
    for key in (f"check.{id_}.{operator.name}", f"check.{id_}"):
        if english().get(key) == own:
            return translated(lang, key, own)
    return own


def check_says(lang: str, operator: Operator[Any], check: Check) -> str:
    """What a check says, with what was found; where a language has no such sentence, the rule behind it."""
    return retold(lang, check.message) or rule_sentence(lang, operator, check.id) or check.message


def retold(lang: str, message: str) -> str:
    """What a check says, in a language, with the same numbers; "" where its catalogue has no such sentence.

    Checks say English sentences. The catalogue's `says.` sentences are the patterns of those, placeholders for what
    differs; what stands at a placeholder may be such a sentence itself, without its full stop. The first that fits
    is taken, so whole sentences come before their parts. What somebody has typed is quoted, and stays.
    """
    if lang in ("", ENGLISH):
        return message
    for key, pattern in _patterns():
        match = pattern.fullmatch(message)
        if match is not None and key in sentences(lang):
            values = {name: retold_part(lang, text) for name, text in match.groupdict().items()}
            return sentence(lang, key, **values)
    return ""


def changes_told(lang: str, changes: Iterable[Change]) -> str:
    """What an edit changes, with commas between: `Axis 4 → 3, add InputTensors[1] FLOAT32 {2}`."""
    return ", ".join(retold_part(lang, str(change)) for change in changes)


def retold_part(lang: str, text: str) -> str:
    """What stands in a sentence of `retold`, in a language; as it is where no sentence fits."""
    if text.startswith('"') or not re.search("[a-z]{2}| ", text):
        return text
    return retold(lang, text) or retold(lang, f"{text}.").removesuffix(".") or text


@cache
def _patterns() -> tuple[tuple[str, re.Pattern[str]], ...]:
    """The keys of the sentences that checks say, with what finds each."""
    found = []
    for key, text in sentences(ENGLISH).items():
        if key.startswith("says."):
            pieces = string.Formatter().parse(text)
            what = {"path": r"\S"}  # one name; anything else may have blanks
            made = "".join(
                re.escape(before) + (f"(?P<{name}>{what.get(name, '.')}+?)" if name else "")
                for before, name, _, _ in pieces
            )
            found.append((key, re.compile(made)))
    return tuple(found)


def phrased(lang: str, value: Any) -> Any:
    """A value that stands in a sentence: words in the language, anything else as it is."""
    if isinstance(value, Phrase):
        return translated(lang, f"phrase.{value.key}", value.template).format_map(value.numbers)
    return value
