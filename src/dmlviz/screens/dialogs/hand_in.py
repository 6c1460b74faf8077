"""Hands in what was answered of a lesson: asks for a name or a number, and writes a file that is called after both."""

from __future__ import annotations

import re
from typing import Any

from textual.screen import Screen

from ...errors import plain
from ...teaching.lessons.lessons import Lesson, hand_in_of
from ...teaching.progress.hand_ins import HandIn, name_of
from ...teaching.progress.progress import Progress
from ...teaching.words.catalogue import sentence
from ..downloads import downloads_of
from .asking import AskLine
from .file_opening import path_of


async def hand_in(screen: Screen[Any], lesson: Lesson, progress: Progress) -> None:
    """Asks over a screen until the file is written, or somebody cancels; it lies where dmlviz was started."""
    downloads = downloads_of(screen.app)

    def written(name: str) -> tuple[HandIn, str]:
        made = hand_in_of(lesson, progress.answers, name_of(name, sentence("handin.name")))
        words = (re.sub(r"\W+", "-", part).strip("-")[:60] for part in (lesson.name, name))
        file = f"{'-'.join(filter(None, words))}.json"
        if downloads is None:
            made.write(path_of(file))
        return made, file

    ask = AskLine(sentence("handin.ask", title=plain(lesson.title, 40)), written)
    taken = await screen.app.push_screen_wait(ask)
    if taken is None:
        return
    made, file = taken
    if downloads is not None:
        file = await downloads.send(file, made.text.encode(), {})
    if file:
        screen.notify(sentence("handin.done", count=len(made.answers), file=plain(file)), markup=False)
