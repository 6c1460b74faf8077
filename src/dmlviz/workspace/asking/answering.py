"""What a question hides and says first, and its answer as it is typed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...errors import DmlvizError
from ...scene.steps.order import Unit
from ...session.experiments import Experiment
from ...teaching.asked import json_of
from ...teaching.questions.question import Question

MOST_TYPED = 48
"""Characters of a number, or of a list of them."""
VALID = "valid"
"""The option that no rule is broken."""
NONE = "none"
"""The option that no level takes a desc, that no element is to be marked, or that one comes from nowhere."""
SEPARATORS = ", "
"""What parts numbers, and cells that are typed into."""


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


def unit_of(question: Question | None, one: Experiment) -> Unit:
    """What a step writes once the answer is told: a copy where memory is asked about, else what its author likes."""
    if question is not None and question.kind.about_memory:
        return Unit.COPY
    return Unit(one.view.view.unit or Unit.SLICE)


def first_sentence(question: Question) -> str:
    """What is to be chosen or typed first, and how; a desc is chosen among edits that are offered."""
    form, count = question.kind.form, len(question.truth) if isinstance(question.truth, tuple) else 1
    key = "ask.mark_first" if form.is_marked else "ask.point_first" if form.is_pointed else "ask.choose_first"
    key, nowhere = "ask.type_first" if form.is_typed else key, int(question.kind.takes_nowhere(question.subject))
    return question.subject.sentence(key, count=count, nowhere=nowhere, side=form.side)


def typed_json(question: Question, slots: Sequence[str]) -> Any:
    """An answer that was typed into `slots`, as JSON. Raises DmlvizError, with a sentence."""
    say, left = question.subject.sentence, sum(not text.strip(SEPARATORS) for text in slots)
    if left == len(slots):
        raise DmlvizError(first_sentence(question))
    if left:
        raise DmlvizError(say("ask.empty", left=left, count=len(slots)))
    return json_of(question, " ".join(slots))
