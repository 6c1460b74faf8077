"""How each kind of question is answered, and the JSON form of an answer that is made key by key."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from typing import Any

from ...desc.fields import NumberField, NumbersField
from ...desc.levels import LEVELS
from ...desc.values import SPECIAL
from ...errors import DmlvizError, quote
from ...teaching.kinds.lib.pictured_kinds import WITHOUT_OUTPUTS
from ...teaching.questions.question import Question
from .ask_state import Form

MOST_TYPED = 48
"""Characters of a number, or of a list of them."""


FORMS: Mapping[str, Form] = {
    "pictures": Form.CHOICE,
    "cell": Form.NUMBER,
    "sizes": Form.NUMBERS,
    "dest": Form.OUTPUT_MARKS,
    "source": Form.POINT,
    "count": Form.NUMBER,
    "via": Form.POINT,
    "fill": Form.CELLS,
    "order": Form.CELLS,
    "unread": Form.INPUT_MARKS,
    "blank": Form.NUMBERS,
    "insizes": Form.NUMBERS,
    "promised": Form.CHOICE,
    "valid": Form.LIST,
    "waits": Form.LIST,
    "lowest": Form.LEVEL,
    "parsons": Form.TERMS,
    "runs": Form.NUMBER,
    "bytes": Form.NUMBER,
    "faster": Form.CHOICE,
}
"""The kinds that are asked in the picture, in the order in which they come."""
TASK_FORMS: Mapping[str, Form] = {**FORMS, "misprint": Form.CHOICE, "fixes": Form.CHOICE, "level": Form.DOOR}
"""How each kind of question is answered, those that only an author can ask among them."""
VALID = "valid"
"""The option that no rule is broken."""
NONE = "none"
"""The option that no level takes a desc, or that no element is to be marked."""
SEPARATORS = ", "
"""What parts numbers, and cells that are typed into."""
LEVEL_NAMES = (*(level.value for level in LEVELS), NONE)


def hides_drawn(question: Question) -> bool:
    """True where a question hides what a picture would show: a field, an input, or the sizes of a tensor."""
    desc = question.subject.desc
    shown = {field.name for field in desc.FIELDS if isinstance(field, (NumberField, NumbersField))}
    shown |= {path for part in desc.inputs for path in (part.path, f"{part.path}.Sizes")}
    if question.kind.name not in WITHOUT_OUTPUTS:
        shown |= {f"{part.path}.Sizes" for part in desc.outputs}
    # `Repeats[1]` and `InputTensor.Sizes[0]` are hidden with all of theirs.
    return any(path in shown or path.rpartition("[")[0] in shown for path in question.hidden)


def first_sentence(question: Question, taken: int = 0) -> str:
    """What is to be chosen or typed first, and how; `taken` places of a formula have their terms."""
    key = TASK_FORMS[question.kind.name].value.replace(" ", "_")
    count = len(question.truth) if isinstance(question.truth, tuple) else 1
    return question.subject.sentence(f"ask.{key}_first", taken=taken, count=count)


def typed_number(text: str, what: str = "answer") -> int | float:
    """A typed number. Raises DmlvizError, with a sentence, for what is none."""
    if re.fullmatch(r"-?\d+", text):
        return int(text)
    try:
        number = float(text)
    except ValueError:
        raise DmlvizError(f"{what} is {quote(text)}, expected a number.") from None
    if not math.isfinite(number):
        raise DmlvizError(f"{what} is {quote(text)}, expected a number that is finite.")
    return number


def typed_integers(text: str) -> list[int]:
    """Typed integers with commas or blanks between. Raises DmlvizError, with a sentence."""
    pieces = text.replace(",", " ").split()
    for piece in pieces:
        if not re.fullmatch(r"-?\d+", piece):
            raise DmlvizError(f"answer has {quote(piece)}, expected integers with commas or blanks between.")
    return [int(piece) for piece in pieces]


def typed_json(question: Question, slots: Sequence[str]) -> Any:
    """An answer that was typed into `slots`, as JSON. Raises DmlvizError, with a sentence."""
    name, form = question.kind.name, TASK_FORMS[question.kind.name]
    if not any(text.strip(SEPARATORS) for text in slots):
        raise DmlvizError(first_sentence(question))
    if form is Form.NUMBER:
        return typed_number(slots[0])
    if form is Form.CELLS:
        if not all(slots):
            left = sum(not text for text in slots)
            raise DmlvizError(f"{left} of {len(slots)} cells {'is' if left == 1 else 'are'} empty.")
        return [text if text in SPECIAL else typed_number(text, f"number {k + 1}") for k, text in enumerate(slots)]
    numbers = typed_integers(slots[0])
    if name == "sizes":
        return [numbers]
    if name == "blank" and not isinstance(question.truth, tuple):
        if len(numbers) != 1:
            raise DmlvizError(f"answer is {quote(slots[0])}, expected one number for {question.blank}.")
        return numbers[0]
    return numbers


def choice_json(question: Question, id_: str) -> Any:
    """The answer that is option `id_`, as JSON: a boolean for yes or no, None for no level, else the id."""
    if question.kind.name == "promised":
        return id_ == "a"
    return None if id_ == NONE else id_
