"""How each kind of question is answered, and the JSON form of an answer that is made key by key."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ...desc.levels import LEVELS
from ...errors import DmlvizError
from ...scene.steps.order import Unit
from ...session.experiments import Experiment
from ...teaching.asked import json_of
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
    "through": Form.CHOICE,
    "reach": Form.CHOICE,
    "dead": Form.CHOICE,
    "blank": Form.NUMBERS,
    "insizes": Form.NUMBERS,
    "promised": Form.CHOICE,
    "valid": Form.LIST,
    "runs": Form.NUMBER,
    "lowest": Form.LEVEL,
}
"""The kinds that are asked in the picture, in the order in which they come."""
LATER = ("valid", "runs", "lowest")
"""Kinds about rules, memory and levels: asked where nothing is made of the desc, else after all others."""
TASK_FORMS: Mapping[str, Form] = {**FORMS, "misprint": Form.CHOICE, "fixes": Form.CHOICE, "level": Form.DOOR}
"""How each kind of question is answered, those that only an author can ask among them."""
VALID = "valid"
"""The option that no rule is broken."""
NONE = "none"
"""The option that no level takes a desc, that no element is to be marked, or that one comes from nowhere."""
SEPARATORS = ", "
"""What parts numbers, and cells that are typed into."""
LEVEL_NAMES = (*(level.value for level in LEVELS), NONE)


def form_of(question: Question) -> Form:
    """How a question is answered."""
    return TASK_FORMS[question.kind.name]


def hides_drawn(question: Question) -> bool:
    """True where a question hides what a picture would show: a field, an input, or the sizes of a tensor."""
    desc = question.subject.desc
    shown = {*desc.attributes}
    shown |= {path for part in desc.inputs for path in (part.path, f"{part.path}.Sizes")}
    if question.kind.draws_outputs:
        shown |= {f"{part.path}.Sizes" for part in desc.outputs}
    # `Repeats[1]` and `InputTensor.Sizes[0]` are hidden with all of theirs.
    return any(path in shown or path.rpartition("[")[0] in shown for path in question.hidden)


def hides_memory(question: Question) -> bool:
    """True where an open question hides linear memory, or is about it: its own picture is no answer."""
    return question.kind.about_memory or "memory" in question.hidden


def unit_of(question: Question | None, experiment: Experiment) -> Unit:
    """What a step writes once the answer is told: a copy where memory is asked about, else what its author likes."""
    if question is not None and question.kind.about_memory:
        return Unit.COPY
    return Unit(experiment.view.view.unit or Unit.SLICE)


def first_sentence(question: Question) -> str:
    """What is to be chosen or typed first, and how."""
    form, count = form_of(question), len(question.truth) if isinstance(question.truth, tuple) else 1
    key = "ask.mark_first" if form.is_marked else "ask.choose_first" if form.is_listed else "ask.point_first"
    key, nowhere = "ask.type_first" if form.is_typed else key, int(question.kind.takes_nowhere(question.subject))
    return question.subject.sentence(key, count=count, nowhere=nowhere, side=question.kind.form.side)


def typed_json(question: Question, slots: Sequence[str]) -> Any:
    """An answer that was typed into `slots`, as JSON. Raises DmlvizError, with a sentence."""
    say, left = question.subject.sentence, sum(not text.strip(SEPARATORS) for text in slots)
    if left == len(slots):
        raise DmlvizError(first_sentence(question))
    if left:
        raise DmlvizError(say("ask.empty", left=left, count=len(slots)))
    return json_of(question, " ".join(slots))


def choice_json(question: Question, id_: str) -> Any:
    """The answer that is option `id_`, as JSON: a boolean for yes or no, None for no level, else the id."""
    return json_of(question, question.options["ab".index(id_)].id if question.kind.form.words == "yes" else id_)
