"""What has to hold of any wrong rule: it is declared well, draws elements that are there, in whole words."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dmlviz.desc.base import Desc
from dmlviz.desc.indexing import unravel
from dmlviz.errors import DmlvizError
from dmlviz.operators.maps import NOWHERE, Reader, Sources
from dmlviz.operators.registry import operator_of
from dmlviz.operators.report import root_of
from dmlviz.operators.sentences import sentence_of
from dmlviz.operators.wrong_rules import Misreading, WrongOutputs
from dmlviz.tracing import Trace

Array = NDArray[Any]
Arrays = list[Array]
ANSWERS = ("outputs", "accepts", "lowest_level", "reads", "input_sizes")
PANELS = {"formula", "memory", "levels", "ruler"}
LONGEST = 130
"""Letters of a sentence with its numbers: two lines."""


def rule(desc: Desc, id_: str) -> Misreading[Any]:
    """The wrong rule about a desc's operator."""
    found: Misreading[Any] = next(each for each in operator_of(desc).misreadings() if each.id == id_)
    return found


# ---- pictures by a rule


def elements(desc: Desc, read: Reader, found: Sources) -> Array:
    """(N,) the elements that sources name; 0 for those from nowhere. Each source, and each cell, has to be there."""
    made = np.zeros(len(found.tensor), desc.inputs[0].tensor.data_type.dtype)
    for k in {*found.tensor.tolist()}:
        here = found.tensor == k
        at = tuple(axis[here] for axis in found.index)
        if k == NOWHERE:
            assert not np.any(at)
        else:
            made[here] = read(k, np.ravel_multi_index(at, desc.inputs[k].tensor.sizes))
    if found.via is not None:
        np.ravel_multi_index(found.via, desc.inputs[found.via_tensor].tensor.sizes)
    return made


def drawn(wrong: WrongOutputs, desc: Desc, read: Reader) -> Arrays:
    """The whole outputs by a rule, which any window of them agrees with."""
    assert wrong.source is not None
    made = []
    for output, sizes in enumerate(wrong.sizes):
        flat = np.arange(int(np.prod(sizes)), dtype=np.int64)
        whole, *parts = (wrong.source(output, unravel(some, sizes)) for some in (flat, flat[::-3], flat[-1:], flat[:0]))
        columns, *windows = ([each.tensor, *each.index, *(each.via or ())] for each in (whole, *parts))
        for some, window in zip((flat[::-3], flat[-1:], flat[:0]), windows, strict=True):
            assert equal(window, [axis[some] for axis in columns])
        made.append(elements(desc, read, whole).reshape(sizes))
    return made


def equal(one: Arrays, other: Arrays) -> bool:
    return len(one) == len(other) and all(map(np.array_equal, one, other))


def prove_drawn(misreadings: Sequence[Misreading[Any]], trace: Trace) -> None:
    """What rules draw of a valid desc is there, whether it differs from the truth or not."""
    for each in misreadings:
        assert isinstance(each.differs(trace.desc, trace.read), bool), each.id
        wrong = each.outputs(trace.desc, trace.read) if each.outputs is not None and each.accepts is None else None
        if wrong is not None and wrong.source is not None:
            drawn(wrong, trace.desc, trace.read)


# ---- words


def prove_declared(misreadings: Sequence[Misreading[Any]], desc_type: type[Desc]) -> None:
    """Each rule has an id of its own, a place to look that is there, an answer, and short texts."""
    assert len({each.id for each in misreadings}) == len(misreadings)
    fields = {field.name for field in desc_type.FIELDS}
    for each in misreadings:
        assert any(getattr(each, answer) for answer in ANSWERS), f"{each.id} answers nothing"
        assert each.name, each.id
        assert len(each.name) <= 40, each.name
        assert not each.name.endswith("."), each.name
        assert each.look, each.id
        paths = [path for path in each.lights if not sentence_of(operator_of(desc_type.TYPE), path)]
        assert {root_of(path).split("[")[0] for path in paths} <= fields | PANELS, each.id
        assert each.feedback.endswith("."), each.id
        assert len(each.feedback) <= 110, each.id


def prove_sentences(misreadings: Sequence[Misreading[Any]], trace: Trace) -> None:
    """A sentence of a valid desc has all its numbers, and ends."""
    for each in misreadings:
        sentence = each.says(trace.desc)
        assert sentence.endswith("."), each.id
        assert not any(each in sentence for each in ("\n", "None")), sentence
        assert "{" not in each.feedback or sentence != each.feedback, sentence
        assert len(sentence) <= LONGEST, sentence


def broken_or_not(descs: Sequence[Desc]) -> list[Desc]:
    """Some descs, and the same with a size or a type of an input changed."""
    made = list(descs)
    for desc in descs:
        for part in desc.inputs:
            name, tensor = part.field.name, part.tensor
            for other in (tensor.resized([n + 1 for n in tensor.sizes]), tensor.changed(data_type="INT8")):
                with suppress(DmlvizError):
                    made.append(desc.replace({name: [other, *desc.get(name)[1:]] if part.field.many else other}))
    return made
