"""`html`: a session as one page that its program draws from one JSON; it loads nothing, and asks no network."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from ..operators.registry import operator_of
from ..session.experiments import Session
from ..session.notes import printable
from ..teaching.lessons.lessons import Lesson, lesson_of
from ..teaching.tasks.own_tasks import with_own_tasks
from ..teaching.words.catalogue import sentence, templates
from .drawing import escaped
from .page_data import Data, colours_of, experiment_data, told
from .tasks import Asked, Exercise, exercises_of

SHARED, SHORT = "\x7f", 12
"""What the place of a text begins with that is there oftener, as no text does; letters of one that stays."""


@cache
def _own(name: str) -> str:
    """The page's program, or what it looks like, without what only its readers need."""
    text = re.sub(r"(?m)^ *(/\*.*\*/\n)?| // .*$", "", (Path(__file__).parent / name).read_text("utf-8"))
    blanks = r"\s*([{};:,])\s*" if name.endswith(".css") else r"(?<=\{) | (?=\})| (=>|[!=]==|&&|\|\||\?\?) "
    return re.sub(blanks, r"\1", text)


def html_page(session: Session, *, bare: bool = False, unit: str = "") -> str:
    """The session as a page; `bare` has pictures and steps alone. Raises DmlvizError."""
    return page_of(session, exercises_of(session, bare=bare, unit=unit), bare=bare)


def page_of(session: Session, every: Sequence[Exercise], *, bare: bool = False) -> str:
    """The page of a session of which every exercise is worked out already."""
    data = page_data(session, every, bare=bare)
    return _document(data, "\n\n".join(plain_text(data, every)))


def page_data(session: Session, exercises: Sequence[Exercise], *, bare: bool = False) -> Data:
    """All that a page shows, as JSON."""
    several = len(exercises) > 1
    every = [experiment_data(each, n * several, bare=bare) for n, each in enumerate(exercises, 1)]
    lesson = lesson_of(session)
    title, open_title = _titles(session, lesson, exercises)
    asks = any(isinstance(one.task, Asked) for one in exercises)
    progress = lesson_of(with_own_tasks(session)) if asks else None
    data = told(
        title=open_title,
        then_title=title if title != open_title else "",
        goal=printable(lesson.goal) if lesson is not None else "",
        bare=bare,
        asks=asks and not bare,
        lesson=progress.name if progress is not None else "",
    )
    data |= {"experiments": every, "colours": colours_of(exercises)}
    said = {*re.findall(r"\w+", _own("player.js"))}
    return data | {"words": {key: text for key, text in templates("page.").items() if _is_said(key, said)}}


def _is_said(key: str, words: Collection[str]) -> bool:
    """True for a sentence that the page's program names: whole, or by the form of an answer."""
    return key in words or f"{key.partition('_')[0]}_" in words


def _document(data: Data, plain: str) -> str:
    """A page that draws its JSON, and is plain text where no program runs."""
    script, style = _own("player.js"), _own("player.css")
    policy = (
        f"default-src 'none'; style-src 'sha256-{_hash(style)}'; script-src 'sha256-{_hash(script)}'; "
        "base-uri 'none'; form-action 'none'"
    )
    counts = Counter(_texts_in(data))
    shared = [text for text, count in counts.items() if count > 1 and len(text) > SHORT]
    places = {text: f"{SHARED}{number}" for number, text in enumerate(shared)}
    packed = {"shared": shared, **_with_places(data, places)}
    text = json.dumps(packed, ensure_ascii=False, separators=(",", ":"))
    for sign in "<>&":  # nothing in it ends the element or begins another
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        '<meta name="color-scheme" content="light dark">'
        f"<title>{escaped(data['title'])}</title><style>{style}</style></head>"
        f"<body><main><noscript><pre>{escaped(plain)}</pre></noscript></main>"
        f'<script type="application/json">{text}</script><script>{script}</script></body></html>\n'
    )


def _texts_in(tree: Any) -> Iterator[str]:
    """Every text that JSON holds, keys apart."""
    if isinstance(tree, str):
        yield tree
    for each in tree.values() if isinstance(tree, dict) else tree if isinstance(tree, (list, tuple)) else ():
        yield from _texts_in(each)


def _with_places(tree: Any, places: Mapping[str, str]) -> Any:
    """JSON with places for texts that stand elsewhere."""
    if isinstance(tree, dict):
        return {key: _with_places(each, places) for key, each in tree.items()}
    if isinstance(tree, (list, tuple)):
        return [_with_places(each, places) for each in tree]
    return places.get(tree, tree) if isinstance(tree, str) else tree


def plain_text(data: Data, every: Sequence[Exercise]) -> Iterator[str]:
    """The page's parts without its program, of which an open task covers what it asks for."""
    yield data["title"]
    if data.get("asks"):
        yield sentence("page.needs_script")
    for one, each in zip(data["experiments"], every, strict=True):
        task = one.get("task", {})
        is_open = "hints" in task
        texts = (task["prompt"],) if is_open else (one.get("meaning", ""), one["verdict"], *one.get("reasons", ()))
        yield "\n".join((one.get("title", ""), *texts))
        for table in one.get("tables", ()):
            if not (is_open and (table["out"] or "covered" in table or "picture" in task)):
                yield _table_text(table)
        if not is_open and each.shown.picture is not None:
            yield "\n".join(each.shown.picture.told.sentences)


def _table_text(table: Data) -> str:
    """A tensor row by row."""
    wide, texts = table["columns"], table["texts"]
    width = max(map(len, texts))
    rows = ("  ".join(text.rjust(width) for text in texts[at : at + wide]) for at in range(0, len(texts), wide))
    return "\n".join((f"{table['path']} {table['type']}", *rows))


def _titles(session: Session, lesson: Lesson | None, every: Sequence[Exercise]) -> tuple[str, str]:
    """The title, and what stands for it where it may say what is asked: the operators' names."""
    named = lesson.title if lesson is not None else session.title
    title = printable(named) or (every[0].shown.name if every else "") or "dmlviz"
    tells = any(one.cover is not None and (one.cover.rules or not named) for one in every)
    if not tells or "lesson" in session.extra:
        return title, title
    names = dict.fromkeys(operator_of(one.shown.experiment.desc).name for one in every)
    return title, ", ".join(names)


def _hash(text: str) -> str:
    """The SHA-256 of a text, in base64, as a policy has it."""
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
