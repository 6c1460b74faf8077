"""Wrong rules held against slow answers: pictures by a rule, drawn whole and by windows, and where it may differ."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import dmlviz as dml
from dmlviz.desc.base import Desc
from dmlviz.desc.indexing import ravel, unravel
from dmlviz.desc.values import Indices, Stored
from dmlviz.operators.maps import Place, Reader
from dmlviz.operators.wrong_rules import NOWHERE, Misreading, WrongOutputs
from support.strategies import Case

Arrays = list[NDArray[Any]]
Oracle = Callable[[Any, Arrays], "Arrays | None"]
"""What a rule makes of a desc and its inputs, by NumPy; None where it has no meaning."""


def rule(misreadings: Sequence[Misreading[Any]], id_: str) -> Misreading[Any]:
    (found,) = [each for each in misreadings if each.id == id_]
    return found


def ids(misreadings: Sequence[Misreading[Any]], answer: str) -> list[str]:
    """The ids of the rules that have such an answer."""
    return [each.id for each in misreadings if getattr(each, answer) is not None]


def accepts(misreadings: Sequence[Misreading[Any]], id_: str, desc: Desc) -> bool | None:
    """The verdict of a desc by a rule; it follows from no value."""
    found = rule(misreadings, id_).accepts
    assert found is not None
    return found(desc, Reader(()))


def reader(desc: Desc, arrays: Arrays) -> Reader:
    return Reader([Stored(part.tensor, array) for part, array in zip(desc.inputs, arrays, strict=True)])


def window(wrong: WrongOutputs, desc: Desc, read: Reader, output: int, index: tuple[Indices, ...]) -> NDArray[Any]:
    """The values of some elements by a rule; each source has to lie inside its input."""
    assert wrong.source is not None
    found = wrong.source(output, index)
    made = np.zeros(len(found.tensor), np.int64)
    assert {len(found.tensor), *map(len, found.index)} == {len(index[0])}
    assert found.tensor.min(initial=0) >= NOWHERE
    assert found.tensor.max(initial=0) < len(desc.inputs)
    lost = found.tensor == NOWHERE
    assert not any(axis[lost].any() for axis in found.index)
    for k in {*found.tensor[~lost].tolist()}:
        here, sizes = found.tensor == k, desc.inputs[k].tensor.sizes
        at = [axis[here] for axis in found.index]
        assert len(at) == len(sizes)
        assert all(((axis >= 0) & (axis < size)).all() for axis, size in zip(at, sizes, strict=True))
        made[here] = read(k, ravel(at, sizes))
    return made


def drawn(wrong: WrongOutputs, desc: Desc, read: Reader) -> Arrays:
    """The whole outputs by a rule, which any window of them agrees with."""
    made = []
    for output, sizes in enumerate(wrong.sizes):
        count = int(np.prod(sizes))
        whole = window(wrong, desc, read, output, unravel(np.arange(count, dtype=np.int64), sizes))
        some = np.arange(count, dtype=np.int64)[::-3]
        assert np.array_equal(window(wrong, desc, read, output, unravel(some, sizes)), whole[some])
        made.append(whole.reshape(sizes))
    return made


def equal(one: Arrays, other: Arrays) -> bool:
    return len(one) == len(other) and all(np.array_equal(a, b) for a, b in zip(one, other, strict=True))


def prove_outputs(each: Misreading[Any], case: Case, oracle: Oracle) -> None:
    """A rule's picture is the oracle's; it differs from the truth just where it says so."""
    assert each.outputs is not None
    trace = dml.trace(case.desc, case.arrays)
    wrong, want = each.outputs(case.desc, trace.read), oracle(case.desc, case.arrays)
    truth = [trace.reference(k) for k in range(len(trace.outputs))]
    differs = each.differs(case.desc, trace.read)
    assert isinstance(differs, bool)
    if wrong is None or want is None:
        assert wrong is None
        assert want is None
        assert not differs
        return
    assert wrong.sizes == tuple(array.shape for array in want)
    if wrong.source is None:
        assert differs is (wrong.sizes != tuple(array.shape for array in truth))
        return
    assert equal(drawn(wrong, case.desc, trace.read), want)
    assert differs is not equal(want, truth)


def prove_verdict(each: Misreading[Any], desc: Desc) -> None:
    """A verdict differs from the check's just where the rule says so."""
    assert each.accepts is not None
    read = Reader(())  # a verdict follows from no value
    said = each.accepts(desc, read)
    valid = dml.check(desc).ok
    if each.outputs is not None and valid:
        return  # then the rule is about outputs, if anything
    assert each.differs(desc, read) is (said is not None and said is not valid)


def prove_lowest_level(each: Misreading[Any], desc: Desc) -> None:
    assert each.lowest_level is not None
    assert each.differs(desc, Reader(())) is (each.lowest_level(desc) is not dml.check(desc).lowest_level)


def prove_sentences(misreadings: Sequence[Misreading[Any]], case: Case) -> None:
    """A sentence of a valid desc has all its numbers, whichever element is asked about, and ends."""
    trace = dml.trace(case.desc, case.arrays)
    for each in misreadings:
        said = {each.says(case.desc, trace.read)}
        for is_output, parts in ((False, trace.inputs), (True, trace.outputs)):
            for number, part in enumerate(parts):
                last = tuple(size - 1 for size in part.tensor.sizes)
                said |= {
                    each.says(case.desc, trace.read, Place(is_output, number), at) for at in (last, (0,) * len(last))
                }
        for sentence in said:
            assert sentence.endswith(".")
            assert len(sentence) <= 130, sentence


def prove_declared(misreadings: Sequence[Misreading[Any]]) -> None:
    """Each rule has an id of its own, a place to look, an answer, and short texts."""
    assert len({each.id for each in misreadings}) == len(misreadings)
    for each in misreadings:
        assert each.name
        assert each.look
        assert each.lights
        assert len(each.feedback) <= 110
        assert any((each.outputs, each.accepts, each.lowest_level)), each.id


def by_id(misreadings: Sequence[Misreading[Any]]) -> pytest.MarkDecorator:
    """Parametrizes a test by `each` of some rules."""
    return pytest.mark.parametrize("each", misreadings, ids=[each.id for each in misreadings])
