"""Forms of answers: how each is read and written, as JSON and as one text."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Literal

import numpy as np

from ....desc.base import Part
from ....desc.indexing import flat_in, index_in
from ....desc.tensors import braces
from ....desc.value_sources import convert
from ....errors import DmlvizError, quote
from ...questions.answers import (
    FROM_NOWHERE,
    FROM_NOWHERE_JSON,
    NOTHING,
    Answer,
    Cell,
    Value,
    read_integers,
    typed_numbers,
    values_of,
)
from ...questions.question import Form, Question


class Choices(Form):
    """Several of a question's options, sorted, each once."""

    name, how, words = "choices", "tick", "choices"
    takes_several = True

    def read(self, question: Question, given: object) -> tuple[str, ...]:
        ids = [choice.id for choice in question.choices]
        if not isinstance(given, list):
            raise DmlvizError(f"answer is {quote(given)}, expected a list of ids of rules; empty for none.")
        for chosen in given:
            if chosen not in ids:
                raise DmlvizError(f"answer has {quote(chosen)}, expected some of {', '.join(ids)}.")
        return tuple(sorted(set(given)))

    def text(self, question: Question, answer: Answer) -> str:
        return " ".join(sorted(answer))

    def typed(self, question: Question, text: str) -> list[str]:
        if text.lower().strip() in NOTHING:
            return []
        return [super(Choices, self).typed(question, word) for word in re.split(r"[\s,;]+", text) if word]


class Number(Form):
    """How many: an integer of 0 or more."""

    name, how, words = "number", "type", "number"

    def read(self, question: Question, given: object) -> Answer:
        if type(given) is not int or given < 0:
            raise DmlvizError(f"answer is {quote(given)}, expected an integer of 0 or more.")
        return given

    def typed(self, question: Question, text: str) -> Any:
        numbers = typed_numbers(text)
        return numbers[0] if len(numbers) == 1 else numbers


class OneValue(Number):
    """A value of the outputs' type, rounded as session files round it."""

    name = "values"

    def read(self, question: Question, given: object, field: str = "answer") -> Value:
        data_type = question.subject.desc.outputs[0].tensor.data_type
        return values_of(np.array([convert(given, data_type, field)], data_type.dtype))[0]


class Values(OneValue):
    """As many values as the truth has."""

    words = "numbers"

    def read(self, question: Question, given: object, field: str = "answer") -> Any:
        count = len(question.truth)
        if not isinstance(given, list):
            raise DmlvizError(f"answer is {quote(given)}, expected a list of {count}.")
        if len(given) != count:
            entries = "entry" if len(given) == 1 else "entries"
            raise DmlvizError(f"answer has {len(given)} {entries}, expected {count}.")
        return tuple(super(Values, self).read(question, one, f"{field}[{i}]") for i, one in enumerate(given))

    def text(self, question: Question, answer: Answer) -> str:
        return " ".join(map(str, answer))

    def typed(self, question: Question, text: str) -> Any:
        return typed_numbers(text)


class SizesForm(Form):
    """The sizes of one tensor; `nested` where an answer is a tuple of such."""

    name, how = "sizes", "type"

    def __init__(self, *, nested: bool = False) -> None:
        self._nested, self.words = nested, "sizes" if nested else "numbers"

    def read(self, question: Question, given: object) -> Answer:
        if not self._nested:
            return read_integers(given)
        if not isinstance(given, list) or len(given) != 1 or not isinstance(given[0], list):
            raise DmlvizError(f"answer is {quote(given)}, expected a list with the sizes of 1 output, as [[4, 2]].")
        return (read_integers(given[0], "answer[0]"),)

    def text(self, question: Question, answer: Answer) -> str:
        return " ".join(map(str, answer[0] if self._nested else answer))

    def typed(self, question: Question, text: str) -> Any:
        return [typed_numbers(sizes) for sizes in text.split(";")] if self._nested else typed_numbers(text)


class Cells(Form):
    """Elements of one side; `one` alone, or any number of them, in any order, each once or oftener."""

    how = "mark"

    def __init__(self, side: Literal["inputs", "outputs"], *, one: bool = False) -> None:
        self.side, self._one = side, one
        self.name = "input" if one else side
        self._key = "output" if side == "outputs" else "tensor"
        self.takes_several = not one
        self.words = "cell" if one else "cells"

    def typed_as(self, question: Question) -> str:
        return f"{self.words}{'_or_nowhere' * question.kind.takes_nowhere(question.subject)}"

    def _parts(self, question: Question) -> Sequence[Part]:
        desc = question.subject.desc
        return desc.outputs if self.side == "outputs" else desc.inputs

    def read(self, question: Question, given: object) -> Answer:
        if self._one:
            takes_nowhere = given == FROM_NOWHERE_JSON and question.kind.takes_nowhere(question.subject)
            return FROM_NOWHERE if takes_nowhere else self._cell(question, given, "answer")
        if not isinstance(given, list):
            raise DmlvizError(f'answer is {quote(given)}, expected a list of {{"{self._key}": 0, "index": [2, 0]}}.')
        return tuple(sorted({self._cell(question, cell, f"answer[{i}]") for i, cell in enumerate(given)}))

    def _cell(self, question: Question, given: object, field: str) -> Cell:
        key, parts = self._key, self._parts(question)
        if not isinstance(given, dict) or set(given) != {key, "index"}:
            raise DmlvizError(f'{field} is {quote(given)}, expected an object such as {{"{key}": 0, "index": [2, 0]}}.')
        number = given[key]
        if type(number) is not int or not 0 <= number < len(parts):
            raise DmlvizError(f"{field}.{key} is {quote(number)}, expected 0 to {len(parts) - 1}.")
        index, sizes = read_integers(given["index"], f"{field}.index"), parts[number].tensor.sizes
        if len(index) != len(sizes) or not all(0 <= i < n for i, n in zip(index, sizes, strict=True)):
            raise DmlvizError(f"{field}.index is {quote(list(index))}, expected an index into Sizes {braces(sizes)}.")
        return number, index

    def json(self, answer: Answer) -> Any:
        if self._one:
            return FROM_NOWHERE_JSON if answer == FROM_NOWHERE else {self._key: answer[0], "index": list(answer[1])}
        return [{self._key: number, "index": list(index)} for number, index in answer]

    def text(self, question: Question, answer: Answer) -> str:
        cells = [] if answer == FROM_NOWHERE else [answer] if self._one else sorted(answer)
        parts = self._parts(question)
        return " ".join(f"{number}:{flat_in(index, parts[number].tensor.sizes)}" for number, index in cells)

    def typed(self, question: Question, text: str) -> Any:
        if text.strip().lower() in ("", *NOTHING):
            return FROM_NOWHERE_JSON if self._one else []
        cells = [cell for cell in text.split(";") if cell.strip()]
        if re.fullmatch(r"\s*(\d{1,5}:\d{1,12}\s*)+", text, re.ASCII):
            cells = text.split()
        read = [self._typed_cell(question, cell) for cell in cells]
        return read[0] if self._one and len(read) == 1 else read

    def _typed_cell(self, question: Question, text: str) -> dict[str, Any]:
        """An element from `0:7`, its tensor's number and its place in row-major order, or from `2 0` and `1: 2 0`."""
        number, _, index = text.rpartition(":")
        given, at = typed_numbers(number) or [question.kind.tensor_marked(question.subject)], typed_numbers(index)
        parts, tensor = self._parts(question), given[0]
        if number and len(at) == 1 and isinstance(at[0], int) and isinstance(tensor, int) and tensor < len(parts):
            sizes, count = parts[tensor].tensor.sizes, parts[tensor].tensor.element_count
            if at[0] >= count:
                raise DmlvizError(f"answer holds {quote(text)}, expected an element of {parts[tensor].path}.")
            at = [*index_in(at[0], sizes)]
        return {self._key: tensor, "index": at}


CHOICE, CHOICES, NUMBER, VALUE, VALUES = Form(), Choices(), Number(), OneValue(), Values()
INPUT, INPUTS, OUTPUTS = Cells("inputs", one=True), Cells("inputs"), Cells("outputs")
