"""Questions and verdicts as JSON objects: what a program that answers sees."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from ..desc.indexing import unravel
from ..desc.values import Array
from ..session.cell_edits import listed
from ..session.writing import dump_desc
from .question import At, Picture, Question, Verdict

HINTS = 4
MOST_LISTED = 4096
"""Elements of a tensor that are listed where no window says which."""


def question_json(question: Question) -> dict[str, Any]:
    """The question; what its kind doesn't use is null, and so is what is asked for."""
    return {
        "question": {
            "id": question.id,
            "kind": question.kind.name,
            "prompt": question.prompt,
            "experiment": _experiment(question),
            "at": None if question.at is None else _at(question.at),
            "field": question.blank,
            "first": question.first,
            "goal": None if question.goal is None else _picture(question.goal),
            "windows": [{"tensor": w.tensor, "start": list(w.start), "sizes": list(w.sizes)} for w in question.windows]
            or None,
            "choices": [
                {"id": c.id, "text": c.text} if c.picture is None else {"id": c.id, "outputs": _picture(c.picture)}
                for c in question.choices
            ]
            or None,
            "hints": HINTS,
        }
    }


def verdict_json(question: Question, verdict: Verdict) -> dict[str, Any]:
    """The verdict on an answer."""
    return {
        "verdict": {
            "right": verdict.right,
            "score": verdict.score,
            "answer": question.kind.json(verdict.answer),
            "rules": list(verdict.rules),
            "feedback": verdict.feedback,
            "look": verdict.look,
        }
    }


def _at(at: At) -> dict[str, Any]:
    return {"output" if at.place.is_output else "tensor": at.place.number, "index": list(at.index)}


def _picture(picture: Picture) -> list[dict[str, Any]]:
    return [{"sizes": list(sizes), "values": _nested(list(values), sizes)} for sizes, values in picture.outputs]


def _nested(flat: list[Any], sizes: tuple[int, ...]) -> Any:
    for size in reversed(sizes[1:]):
        flat = [flat[i : i + size] for i in range(0, len(flat), size)]
    return flat


def _experiment(question: Question) -> dict[str, Any]:
    experiment, hidden = question.subject.experiment, question.hidden
    desc = dump_desc(experiment.desc)
    for part in experiment.desc.outputs:
        if f"{part.path}.Sizes" in hidden:
            desc[part.field.name] = None
    level: str | None = experiment.feature_level.value
    if question.blank == "feature_level":
        level = None
    elif question.blank is not None:
        _hide(desc, question.blank)
    return {
        "name": experiment.name,
        "feature_level": level,
        "type": experiment.desc.TYPE,
        "desc": desc,
        "values": _values(question),
    }


def _hide(desc: dict[str, Any], path: str) -> None:
    """Nulls what a path leads to: `Axis`, `OutputTensors[1].Sizes[2]`."""
    found = re.fullmatch(r"(\w+)(?:\[(\d+)\])?(?:\.(\w+))?(?:\[(\d+)\])?", path)
    assert found is not None
    steps = [found[1], found[2] and int(found[2]), found[3], found[4] and int(found[4])]
    *way, last = [step for step in steps if step is not None]
    held: Any = desc
    for step in way:
        held = held[step]
    held[last] = None


def _values(question: Question) -> dict[str, Any]:
    made: dict[str, Any] = {}
    sources, _ = question.subject.experiment.sources_or_defaults()
    for k, (part, values) in enumerate(zip(question.subject.desc.inputs, sources, strict=True)):
        shown: Any = None
        window = next((w for w in question.windows if w.tensor == k), None)
        if f"values.{part.path}" not in question.hidden and part.tensor.can_exist:
            sizes = part.tensor.sizes if window is None else window.sizes
            start = (0,) * len(sizes) if window is None else window.start
            count = int(np.prod(sizes, dtype=object))
            if count <= MOST_LISTED:
                at = unravel(np.arange(count, dtype=np.int64), sizes)
                flat = np.zeros(count, np.int64)
                for axis, first, whole in zip(at, start, part.tensor.sizes, strict=True):
                    flat = flat * whole + axis + first
                shown = _nested(listed(_read(values, flat)), sizes)
        if part.field.many:
            made.setdefault(part.field.name, []).append(shown)
        else:
            made[part.field.name] = shown
    return made


def _read(values: Any, flat: Any) -> Array:
    found: Array = values.read(flat)
    return found
