"""A question in JSON, without anything of its truth, and the reply to an answer.

An answer is one text: a choice `b`, several `a d`, numbers and sizes `3 5 nan`, cells `0:7 0:8` by tensor and place in
row-major order, "" for no cell; a desc is its JSON.
"""

from __future__ import annotations

import json
from typing import Any

from ..desc.value_sources import nest
from ..session.writing import dump_desc, dump_experiment, dump_tensor
from .questions.question import Choice, Picture, Question, Reply
from .questions.subject import SMALL, Answer, values_of
from .questions.wording import element_text


def about(question: Question, prompt: str = "") -> str:
    """The element that is asked about, as `OutputTensor[1,0]`; "" for no single one, and where a prompt names it."""
    at = question.at
    if at is None or not at.index or question.choices:
        return ""
    name = element_text(question.subject, at)
    return name if name not in prompt else ""


def takes_none(question: Question) -> bool:
    """True if an answer may be that nothing fits, or that an element comes from nowhere."""
    return question.kind.form.takes_several or question.kind.takes_nowhere(question.subject)


def json_of(question: Question, text: str) -> Any:
    """The JSON of an answer's text, which a person may have typed. Raises DmlvizError, with a sentence."""
    return question.kind.form.typed(question, text)


def text_of(question: Question, answer: Answer) -> str:
    return question.kind.form.text(question, answer)


def question_json(question: Question) -> dict[str, Any]:
    """The JSON object of a question, without its answer: None for what its kind doesn't use; `cells` are left out."""
    at = question.at
    experiment = question.subject.experiment
    asked: dict[str, Any] = {
        "id": question.id,
        "kind": question.kind.name,
        "prompt": question.prompt,
        "experiment": _experiment_json(question),
        "at": at and {"output" if at.place.is_output else "tensor": at.place.number, "index": list(at.index)},
        "field": question.blank,
        "first": question.first,
        "goal": question.goal and _picture_json(question.goal),
        "windows": None,
        "choices": [_choice_json(choice) for choice in question.choices] or None,
        "hints": 4,
    }
    if question.kind.of_chains:
        known = ("name", "feature_level", "type", "desc", "values")
        asked["chain"] = [{key: dump_experiment(stage)[key] for key in known} for stage in experiment.stages]
    if question.cells:
        asked["cells"] = [list(cell) for cell in question.cells]
    return asked


def verdict_json(question: Question, verdict: Reply) -> dict[str, Any]:
    return {
        "right": verdict.right,
        "score": float(verdict.right),
        "answer": question.kind.form.json(question.truth),
        "rules": list(verdict.rules),
        "feedback": verdict.says,
        "look": verdict.look,
    }


def _choice_json(choice: Choice) -> dict[str, Any]:
    if choice.picture is None:
        return {"id": choice.id, "text": choice.text}
    return {"id": choice.id, "outputs": _picture_json(choice.picture)}


def _picture_json(picture: Picture) -> list[dict[str, Any]]:
    return [{"sizes": list(sizes), "values": nest(values, sizes)} for sizes, values in picture.outputs]


def _experiment_json(question: Question) -> dict[str, Any]:
    """The experiment without notes, None for what is asked and for a name, which may tell; of a chain that alone."""
    experiment = question.subject.experiment
    level = None if question.blank == "feature_level" else experiment.feature_level.value
    if question.kind.of_chains:
        return {"name": experiment.name, "feature_level": level, "type": None, "desc": {}, "values": {}}
    values = _values_json(question)
    return {"name": None, "feature_level": level, "type": experiment.desc.TYPE, "desc": _desc_json(question), **values}


def _desc_json(question: Question) -> dict[str, Any]:
    desc = question.subject.desc
    hidden = {*question.hidden, question.blank or ""}
    members: dict[str, Any] = json.loads(json.dumps(dump_desc(desc)))
    for field in (*desc.ATTRIBUTES, *desc.COUNTS):
        if field.name in members and any(path.partition("[")[0] == field.name for path in hidden):
            members[field.name] = None
    for part in desc.parts:
        if any(path.startswith(f"{part.path}.Sizes") for path in hidden):
            told = ("DataType", "Flags")  # the rest would tell the sizes
            known = {key: value for key, value in dump_tensor(part.tensor).items() if key in told}
            name, _, number = part.path.rstrip("]").partition("[")
            holder: Any = members.get(name, {}) if number else members
            holder[int(number) if number else name] = {**known, "Sizes": None}
    return members


def _values_json(question: Question) -> dict[str, Any]:
    subject = question.subject
    values = dict[str, Any]()
    for k, part in enumerate(subject.desc.inputs):
        given, tensor = None, part.tensor
        if part.path not in question.hidden and tensor.can_exist and tensor.element_count <= SMALL:
            elements = subject.trace.read(k, tensor.flat)
            given = nest(values_of(elements), tensor.sizes)
        if part.field.many:
            values.setdefault(part.field.name, []).append(given)
        else:
            values[part.field.name] = given
    return {"values": values}
