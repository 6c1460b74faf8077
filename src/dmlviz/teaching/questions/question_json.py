"""Questions and verdicts as `quiz` prints them: JSON objects that give nothing away."""

from __future__ import annotations

import json
from typing import Any

from ...desc.indexing import ravel
from ...desc.value_sources import nest
from ...session.writing import dump_desc, dump_experiment
from ..words.chain_rules import OF_CHAINS
from .answers import values_of
from .elements import LARGE, indices_in_window
from .question import At, Choice, Picture, Question, Verdict, Window
from .subject import Subject

MEMBERS = ("DataType", "DimensionCount", "Flags")
"""What is written of a tensor whose sizes are asked for: the rest would tell them."""

OF_STAGE = ("name", "feature_level", "type", "desc", "values")


def question_json(question: Question) -> dict[str, Any]:
    """The JSON object of a question, without its answer: None for what its kind doesn't use; `cells` are left out."""
    return {
        "id": question.id,
        "kind": question.kind.name,
        "prompt": question.prompt,
        "experiment": _experiment_json(question),
        **_chain_json(question),
        "at": _at_json(question.at),
        "field": question.blank,
        "first": question.first,
        **({"cells": [list(cell) for cell in question.cells]} if question.cells else {}),
        "goal": None if question.goal is None else _picture_json(question.goal),
        "windows": [_window_json(window) for window in question.windows] or None,
        "choices": [_choice_json(choice) for choice in question.choices] or None,
        "hints": 4,
    }


def verdict_json(question: Question, verdict: Verdict) -> dict[str, Any]:
    """The JSON object of a verdict on an answer to a question."""
    return {
        "right": verdict.right,
        "score": verdict.score,
        "answer": question.kind.json(verdict.answer),
        "rules": list(verdict.rules),
        "feedback": verdict.feedback,
        "look": verdict.look,
    }


def _chain_json(question: Question) -> dict[str, Any]:
    """Of a question about a chain its experiments, as session files have them; ."""
    if question.kind.name not in OF_CHAINS:
        return {}
    stages = [
        {key: dumped[key] for key in OF_STAGE} for dumped in map(dump_experiment, question.subject.experiment.stages)
    ]
    return {"chain": stages}


def _at_json(at: At | None) -> dict[str, Any] | None:
    if at is None:
        return None
    return {"output" if at.place.is_output else "tensor": at.place.number, "index": list(at.index)}


def _window_json(window: Window) -> dict[str, Any]:
    return {"tensor": window.tensor, "start": list(window.start), "sizes": list(window.sizes)}


def _choice_json(choice: Choice) -> dict[str, Any]:
    if choice.picture is None:
        return {"id": choice.id, "text": choice.text}
    return {"id": choice.id, "outputs": _picture_json(choice.picture)}


def _picture_json(picture: Picture) -> list[dict[str, Any]]:
    return [{"sizes": list(sizes), "values": nest(values, sizes)} for sizes, values in picture.outputs]


def _experiment_json(question: Question) -> dict[str, Any]:
    """The experiment without notes; None stands for what is asked for, and for a name, which may tell it.

    Of a chain its name, by which the question calls it, and its level alone.
    """
    experiment, is_chain = question.subject.experiment, question.kind.name in OF_CHAINS
    return {
        "name": experiment.name if is_chain else None,
        "feature_level": None if question.blank == "feature_level" else experiment.feature_level.value,
        "type": experiment.desc.TYPE if not is_chain else None,
        "desc": _desc_json(question) if not is_chain else {},
        "values": _values_json(question) if not is_chain else {},
    }


def _desc_json(question: Question) -> dict[str, Any]:
    """The desc; None stands for what is hidden: sizes, numbers, entries of arrays."""
    desc = question.subject.desc
    members: dict[str, Any] = json.loads(json.dumps(dump_desc(desc)))
    paths = {path for path in question.hidden if path.endswith(".Sizes")}
    for part in desc.parts:
        if f"{part.path}.Sizes" in paths and not part.field.many:
            members.setdefault(part.field.name, {"DataType": part.tensor.data_type.name})
    tensors = {part.path for part in desc.parts}
    others = {field.name for field in (*desc.ATTRIBUTES, *desc.COUNTS)}
    hidden = [path for path in question.hidden if path.partition("[")[0] in others]
    for path in sorted({*paths, *hidden, *([question.blank] if question.blank else [])}):
        if path not in tensors:
            _put_none(members, path)
    return members


def _put_none(members: dict[str, Any], path: str) -> None:
    """Puts None in the place of `Axis`, `Repeats[1]`, `InputTensors[0].Sizes[2]`, `OutputTensor.Sizes`."""
    steps: list[str | int] = []
    for name in path.split("."):
        head, *entries = name.replace("]", "").split("[")
        steps += [head, *map(int, entries)]
    member: Any = members
    for step in steps[:-1]:
        if isinstance(member, dict) and step not in member:
            return
        member = member[step]
    if "Sizes" in steps:  # no other member may tell it
        tensor: Any = members
        for step in steps[: steps.index("Sizes")]:
            tensor = tensor[step]
        for name in [key for key in tensor if key not in (*MEMBERS, "Sizes")]:
            del tensor[name]
        if steps[-1] == "Sizes":
            tensor.pop("DimensionCount", None)
            tensor["Sizes"] = None
            return
    if isinstance(member, dict) and steps[-1] not in member:
        return
    member[steps[-1]] = None


def _values_json(question: Question) -> dict[str, Any]:
    """The values of every input, in lists: of a large one those of its window; None for hidden or unseen ones."""
    subject, values = question.subject, {}
    windows = {window.tensor: window for window in question.windows}
    for field in subject.desc.TENSORS:
        parts = [(k, part) for k, part in enumerate(subject.desc.inputs) if part.field.name == field.name]
        if parts:
            listed = [
                None if part.path in question.hidden else _elements_json(subject, k, windows.get(k))
                for k, part in parts
            ]
            values[field.name] = listed if field.many else listed[0]
    return values


def _elements_json(subject: Subject, number: int, window: Window | None) -> Any:
    """The elements of an input, or of its window, in nested lists; None for a large one without a window."""
    tensor = subject.desc.inputs[number].tensor
    sizes = window.sizes if window is not None else tensor.sizes
    if not tensor.can_exist or (window is None and tensor.element_count > LARGE):
        return None
    index = indices_in_window(window.start if window is not None else (0,) * len(sizes), sizes)
    return nest(values_of(subject.trace.read(number, ravel(index, tensor.sizes))), sizes)
