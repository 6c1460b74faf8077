"""The JSON that a recorded page draws, and what it asks."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any

from dmlviz.recording.page import page_of
from dmlviz.recording.tasks import Asked, Exercise, exercises_of
from dmlviz.session.experiments import Session
from dmlviz.teaching.questions.question import Question


def html_page(session: Session, **how: Any) -> str:
    """A session as a page."""
    return page_of(session, exercises_of(session, **how))


def json_of_page(page: str) -> Any:
    """A page's JSON."""
    (text,) = re.findall(r'<script type="application/json">(.*?)</script>', page, re.DOTALL)
    return json.loads(text)


def asked_in(exercises: Sequence[Exercise]) -> Iterator[tuple[int, Exercise, Asked, Question]]:
    """Those that ask a question that a page takes answers to, with their numbers from 0."""
    for number, exercise in enumerate(exercises):
        task = exercise.task
        if task is not None and task.question is not None and not task.reason:
            yield number, exercise, task, task.question
