"""Where to look, in the words of the place that says so: wrong rules name it by the explorer's keys and panels."""

from __future__ import annotations

import re
from collections.abc import Mapping

from .question import Question
from .subject import Subject

KEYED = re.compile(r"^([mv]), ")
"""`m, memory` and `v, the level table`."""
CHECK = re.compile(r"\b[a-z_]+\.[a-z_]+")
"""The id of a check, such as `axis.range`."""
FORMULA = re.compile("formula line")
DRAWN = re.compile(r"axes' names|formula line|stands")
"""What words name that only a picture shows."""
ON_PAGE: Mapping[str, str] = {"m": "words.page_memory", "v": "words.levels"}
ON_STDOUT: Mapping[str, str] = {"m": "words.quiz_memory", "v": "words.levels"}
"""What stands for a key of the explorer."""


def names_memory(look: str) -> bool:
    """True where a place to look is linear memory."""
    return look.startswith("m,")


def without_formula(sentence: str) -> str:
    """A sentence as it is told where no formula line is: without the words that send somebody there."""
    return re.sub(rf"(^| )Look: [^.]*{FORMULA.pattern}[^.]*\.", "", sentence)


def on_page(question: Question, look: str) -> str:
    """A place to look as a recorded page says it, which has no keys and no rules beside the picture."""
    return _placed(question.subject, look, ON_PAGE)


def on_stdout(subject: Subject, look: str, *, of_rule: bool) -> str:
    """A place to look as a quiz says it, which draws nothing; `of_rule` where a wrong rule names it, not an author."""
    placed = _placed(subject, look, ON_STDOUT)
    is_drawn = placed == look and (DRAWN if of_rule else FORMULA).search(look)
    return subject.sentence("words.quiz_explorer", look=look) if is_drawn else placed


def _placed(subject: Subject, look: str, words: Mapping[str, str]) -> str:
    if keyed := KEYED.match(look):
        return subject.sentence(words[keyed[1]])
    check = CHECK.search(look)
    told = subject.rule_sentence(check[0]) if check else ""
    return f"{look}: {told.removesuffix('.')}" if told else look
