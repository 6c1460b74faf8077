"""Answers that are a desc: of any operator, with index and length values where those may change."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from ....desc.base import Desc
from ....desc.fields import Role
from ....desc.value_sources import Listed, parse_source
from ....errors import DmlvizError, quote
from ....formats.json_text import parse_json
from ....session.reading import parse_desc
from ....session.writing import dump_desc
from ...questions.answers import Answer
from ...questions.question import Form, Question


class DescAnswer(Struct, frozen=True):
    """A desc, and the values of its index and length tensors by path, where they are given."""

    desc: Desc
    steering: tuple[tuple[str, tuple[Any, ...]], ...] = ()


def read_desc(given: object, kind: str, *, any_operator: bool) -> DescAnswer:
    """An answer from its JSON: a desc, or an object with `desc` and, where they differ, `type` and `values`.

    `kind` is the type of the question's desc. Raises DmlvizError with a sentence.
    """
    if not isinstance(given, dict):
        raise DmlvizError(f"answer is {quote(given)}, expected a desc, as session files write it.")
    members: Mapping[str, Any] = given if "desc" in given else {"desc": given}
    for key in members:
        if key not in ("type", "desc", "values", "name", "feature_level"):
            raise DmlvizError(f"answer has {quote(key)}, expected only type, desc and values.")
    named = members.get("type", kind)
    if not isinstance(named, str):
        raise DmlvizError(f"answer.type is {quote(named)}, expected text such as {quote(kind)}.")
    if named != kind and not any_operator:
        raise DmlvizError(f"answer.type is {quote(named)}, expected {quote(kind)}.")
    desc = parse_desc(named, members["desc"])
    values = members.get("values", {})
    if not isinstance(values, dict):
        raise DmlvizError(f"answer.values is {quote(values)}, expected an object with index or length values.")
    paths = [p.path for p in desc.inputs if p.field.role is not Role.DATA]
    data = {p.field.name for p in desc.inputs if p.field.role is Role.DATA}
    steering: dict[str, tuple[Any, ...]] = {}
    for path, entry in values.items():
        if path in data:
            continue  # data is given: what is said of it has no part
        if path not in paths:
            known = ", ".join(paths) or "none"
            raise DmlvizError(f"answer.values has {quote(path)}, expected index or length tensors only: {known}.")
        source = parse_source(entry, f"answer.values.{path}")
        if not isinstance(source, Listed):
            raise DmlvizError(f"answer.values.{path} is {quote(entry)}, expected a list of integers.")
        if any(type(item) is not int for item in source.items):
            raise DmlvizError(f"answer.values.{path} is {quote(entry)}, expected integers.")
        steering[path] = source.items
    return DescAnswer(desc, tuple(sorted(steering.items())))


def desc_json(answer: DescAnswer) -> dict[str, Any]:
    """The JSON that `read_desc` reads back."""
    members: dict[str, Any] = {"type": answer.desc.TYPE, "desc": dump_desc(answer.desc)}
    if answer.steering:
        members["values"] = {path: list(items) for path, items in answer.steering}
    return members


class DescForm(Form):
    """A desc: of the question's operator, or of `any_operator`."""

    name, how = "desc", "edit"

    def __init__(self, *, any_operator: bool = False) -> None:
        self._any_operator = any_operator

    def read(self, question: Question, given: object) -> DescAnswer:
        return read_desc(given, question.subject.desc.TYPE, any_operator=self._any_operator)

    def json(self, answer: Answer) -> Any:
        return desc_json(answer)

    def text(self, question: Question, answer: Answer) -> str:
        return json.dumps(desc_json(answer))

    def typed(self, question: Question, text: str) -> Any:
        return parse_json(text)
