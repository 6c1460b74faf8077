"""Forms of answers: how each is read and written, as JSON and as one text."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Literal

import msgspec
import numpy as np

from ....desc.base import Part
from ....desc.indexing import flat_in, index_in
from ....desc.tensors import braces
from ....desc.value_sources import convert
from ....errors import DmlvizError, quote
from ...questions.question import Form, Question
from ...questions.subject import FROM_NOWHERE, FROM_NOWHERE_JSON, NOTHING, Answer, Cell, typed_numbers, values_of
from ...questions.wording import is_index


class Choices(Form):
    name = "choices"
    how = "tick"
    words = "choices"
    takes_several = True

    def read(self, question: Question, given: object) -> tuple[str, ...]:
        ids = [choice.id for choice in question.choices]
        if not isinstance(given, list) or not all(chosen in ids for chosen in given):
            raise DmlvizError(f"answer is {quote(given)}, expected a list of some of {', '.join(ids)}; empty for none.")
        return tuple(sorted(set(given)))

    def text(self, question: Question, answer: Answer) -> str:
        return " ".join(sorted(answer))

    def typed(self, question: Question, text: str) -> list[str]:
        if text.lower().strip() in NOTHING:
            return []
        return [super(Choices, self).typed(question, word) for word in re.split(r"[\s,;]+", text) if word]


class Numbers(Form):
    """Integers: one, a list, or a list in a list, as the truth is."""

    how = "type"

    def __init__(self, name: str, words: str) -> None:
        self.name, self.words = name, words

    def read(self, question: Question, given: object) -> Answer:
        shape: Any = int
        expected = "an integer"
        if isinstance(question.truth, tuple):
            shape = tuple[int, ...]
            expected = "a list of integers"
            if _is_nested(question.truth):
                shape = tuple[tuple[int, ...]]
                expected = "a list with the sizes of 1 output, as [[4, 2]]"
        try:
            return msgspec.convert(given, shape)
        except msgspec.ValidationError:
            raise DmlvizError(f"answer is {quote(given)}, expected {expected}.") from None

    def text(self, question: Question, answer: Answer) -> str:
        numbers = answer if isinstance(answer, tuple) else (answer,)
        return " ".join(map(str, numbers[0] if _is_nested(numbers) else numbers))

    def typed(self, question: Question, text: str) -> Any:
        numbers = typed_numbers(text)
        truth = question.truth
        if not isinstance(truth, tuple):
            return numbers[0] if len(numbers) == 1 else numbers
        return [numbers] if _is_nested(truth) else numbers


def _is_nested(numbers: tuple[Any, ...]) -> bool:
    return bool(numbers) and isinstance(numbers[0], tuple)


class Values(Numbers):
    """As many values of the outputs' type as the truth has, rounded as session files round them."""

    def __init__(self, *, fills: bool = False) -> None:
        super().__init__("values", "numbers" if fills else "number")
        self.fills = fills

    def read(self, question: Question, given: object) -> Any:
        data_type = question.subject.desc.outputs[0].tensor.data_type
        several = isinstance(question.truth, tuple)
        listed, count = (given, len(question.truth)) if several else ([given], 1)
        if not isinstance(listed, list) or len(listed) != count:
            raise DmlvizError(f"answer is {quote(given)}, expected a list of {count}.")
        numbers = [convert(value, data_type, "answer") for value in listed]
        held = values_of(np.array(numbers, data_type.dtype))
        return tuple(held) if several else held[0]


class Cells(Form):
    """Elements of one side; `one` alone, or any number of them, in any order, each once or oftener."""

    how = "mark"

    def __init__(self, side: Literal["inputs", "outputs"], *, one: bool = False) -> None:
        self.side, self._one = side, one
        self.name = "input" if one else side
        self._key = "output" if side == "outputs" else "tensor"
        self.takes_several = not one
        self.words = "cell" if one else "cells"

    def _parts(self, question: Question) -> Sequence[Part]:
        desc = question.subject.desc
        return desc.outputs if self.side == "outputs" else desc.inputs

    def read(self, question: Question, given: object) -> Answer:
        if self._one:
            takes_nowhere = given == FROM_NOWHERE_JSON and question.kind.takes_nowhere(question.subject)
            return FROM_NOWHERE if takes_nowhere else self._cell(question, given)
        if not isinstance(given, list):
            raise DmlvizError(f'answer is {quote(given)}, expected a list of {{"{self._key}": 0, "index": [2, 0]}}.')
        return tuple(sorted({self._cell(question, cell) for cell in given}))

    def _cell(self, question: Question, given: object) -> Cell:
        parts = self._parts(question)
        if isinstance(given, dict) and given.keys() == {self._key, "index"}:
            number = given[self._key]
            index = given["index"]
            is_listed = isinstance(index, list) and {*map(type, (number, *index))} == {int}
            if is_listed and 0 <= number < len(parts) and is_index(index, parts[number].tensor.sizes):
                return number, tuple(index)
        there = ", ".join(f"{part.path} {braces(part.tensor.sizes)}" for part in parts)
        example = f'{{"{self._key}": 0, "index": [2, 0]}}'
        raise DmlvizError(f"answer has {quote(given)}, expected an element of {there}, written as {example}.")

    def json(self, answer: Answer) -> Any:
        if not self._one:
            return [{self._key: number, "index": list(index)} for number, index in answer]
        if answer == FROM_NOWHERE:
            return FROM_NOWHERE_JSON
        return {self._key: answer[0], "index": list(answer[1])}

    def text(self, question: Question, answer: Answer) -> str:
        if answer == FROM_NOWHERE:
            return ""
        cells = [answer] if self._one else sorted(answer)
        parts = self._parts(question)
        return " ".join(f"{number}:{flat_in(index, parts[number].tensor.sizes)}" for number, index in cells)

    def typed(self, question: Question, text: str) -> Any:
        if text.strip().lower() in ("", *NOTHING):
            return FROM_NOWHERE_JSON if self._one else []
        as_written = re.fullmatch(r"\s*(\d{1,5}:\d{1,12}\s*)+", text, re.ASCII)  # by `text`
        cells = text.split() if as_written else text.split(";")
        read = [self._typed_cell(question, cell) for cell in cells if cell.strip()]
        return read[0] if self._one and len(read) == 1 else read

    def _typed_cell(self, question: Question, text: str) -> dict[str, Any]:
        """An element from `0:7`, its tensor's number and its place in row-major order, or from `2 0` and `1: 2 0`."""
        number, _, index = text.rpartition(":")
        given = typed_numbers(number) or [question.kind.tensor_marked(question.subject)]
        at = typed_numbers(index)
        tensors = [part.tensor for part in self._parts(question)]
        if number and given[0] in range(len(tensors)) and len(at) == 1:
            tensor = tensors[int(given[0])]
            if at[0] in range(tensor.element_count):
                at = [*index_in(int(at[0]), tensor.sizes)]
        return {self._key: given[0], "index": at}


CHOICE = Form()
CHOICES = Choices()
VALUE = Values()
VALUES = Values(fills=True)
NUMBER = Numbers("number", "number")
SIZES = Numbers("sizes", "numbers")
FIELD = Numbers("field", "field")
INPUT = Cells("inputs", one=True)
INPUTS = Cells("inputs")
OUTPUTS = Cells("outputs")
