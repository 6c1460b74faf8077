"""What has to hold of any wrong rule: it is declared well, says where it differs from the truth, and in what words."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

import dmlviz as dml
from dmlviz.desc.base import Desc
from dmlviz.desc.fields import Role
from dmlviz.desc.indexing import ravel, sample_indices, unravel
from dmlviz.desc.values import Constant, Filled, Indices, Stored, element_of
from dmlviz.errors import DmlvizError
from dmlviz.operators.checking import check
from dmlviz.operators.maps import NOWHERE, Place, Reader, Sources
from dmlviz.operators.registry import operator_of, operators
from dmlviz.operators.report import root_of
from dmlviz.operators.wrong_rules import Misreading, WrongOutputs
from dmlviz.tracing import Trace
from support.effort import tried
from support.strategies import Case

Array = NDArray[Any]
Arrays = list[Array]
Oracle = Callable[[Any, Arrays], "Arrays | None"]
"""What a rule makes of a desc and its inputs, by NumPy; None where it has no meaning."""
ANSWERS = ("outputs", "accepts", "lowest_level", "reads", "input_sizes")
PANELS = {"formula", "memory", "rules", "levels", "ruler"}
LONGEST = 130
"""Letters of a sentence with its numbers: two lines."""


# ---- finding


def rule(misreadings: Sequence[Misreading[Any]], id_: str) -> Misreading[Any]:
    (found,) = [each for each in misreadings if each.id == id_]
    return found


def rules_of(desc_type: type[Desc]) -> dict[str, Misreading[Any]]:
    """The wrong rules of an operator by id, without those that others have, too; neighbours may have any of them."""
    paged = [o for kind, o in operators().items() if kind != desc_type.TYPE and o.page_number < math.inf]
    others = {each.id for other in paged for each in other.misreadings()}
    return {each.id: each for each in operator_of(desc_type.TYPE).misreadings() if each.id not in others}


# ---- pictures by a rule


def distinct(tensor: dml.TensorDesc) -> Array:
    """1, 2, 3, ...: no two elements are equal, and none is 0."""
    return np.arange(1, tensor.element_count + 1).astype(tensor.data_type.dtype).reshape(tensor.sizes)


def reader(desc: Desc, arrays: Arrays) -> Reader:
    return Reader([Stored(part.tensor, array) for part, array in zip(desc.inputs, arrays, strict=True)])


def every(sizes: Sequence[int]) -> tuple[Indices, ...]:
    return unravel(np.arange(int(np.prod(sizes)), dtype=np.int64), sizes)


def elements(desc: Desc, read: Reader, found: Sources) -> Array:
    """(N,) the elements that sources name; 0 for those from nowhere. Each source, and each cell, has to be there."""
    made = np.zeros(len(found.tensor), desc.inputs[0].tensor.data_type.dtype)
    assert {len(axis) for axis in found.index} == {len(made)}
    lost = found.tensor == NOWHERE
    assert not any(axis[lost].any() for axis in found.index)
    for k in {*found.tensor[~lost].tolist()}:
        sizes, here = desc.inputs[k].tensor.sizes, found.tensor == k
        at = [axis[here] for axis in found.index]
        assert all(((axis >= 0) & (axis < size)).all() for axis, size in zip(at, sizes, strict=True))
        made[here] = read(k, ravel(at, sizes))
    if found.via is not None:
        for axis, size in zip(found.via, desc.inputs[found.via_tensor].tensor.sizes, strict=True):
            assert ((axis >= 0) & (axis < size)).all()
    return made


def _columns(found: Sources) -> list[list[int]]:
    """Tensors and places of sources, and of their cells."""
    return [axis.tolist() for axis in (found.tensor, *found.index, *(found.via or ()))]


def drawn(wrong: WrongOutputs, desc: Desc, read: Reader) -> Arrays:
    """The whole outputs by a rule, which any window of them agrees with."""
    assert wrong.source is not None
    made = []
    for output, sizes in enumerate(wrong.sizes):
        whole = wrong.source(output, every(sizes))
        flat = np.arange(int(np.prod(sizes)), dtype=np.int64)
        for some in (flat[::-3], flat[-1:], flat[:0]):
            part = wrong.source(output, unravel(some, sizes))
            assert _columns(part) == [[column[i] for i in some] for column in _columns(whole)]
        made.append(elements(desc, read, whole).reshape(sizes))
    return made


def source_at(misreading: Misreading[Any], desc: Desc, read: Reader, index: Sequence[int]) -> tuple[int, ...]:
    """The tensor and the index that an element of the first output comes from, by a rule that has a meaning here.

    Beyond the output, its last element is asked for.
    """
    wrong = misreading.outputs(desc, read) if misreading.outputs else None
    assert wrong is not None
    assert wrong.source is not None
    at = tuple(np.array([min(i, n - 1)]) for i, n in zip(index, wrong.sizes[0], strict=True))
    sources = wrong.source(0, at)
    return int(sources.tensor[0]), *(int(axis[0]) for axis in sources.index)


def told(each: Misreading[Any], trace: Trace) -> WrongOutputs | None:
    assert each.outputs is not None
    return each.outputs(trace.desc, trace.read)


def pictures(each: Misreading[Any], trace: Trace) -> Arrays | None:
    """Each output by a rule that has pictures; None where it has no meaning."""
    found = told(each, trace)
    return None if found is None else drawn(found, trace.desc, trace.read)


def picture(each: Misreading[Any], trace: Trace) -> Array:
    """The only output by a rule that has a meaning here."""
    made = pictures(each, trace)
    assert made is not None
    (found,) = made
    return found


def equal(one: Arrays, other: Arrays) -> bool:
    return len(one) == len(other) and all(np.array_equal(a, b) for a, b in zip(one, other, strict=True))


# ---- where a rule differs


def disagrees(each: Misreading[Any], trace: Trace) -> bool:
    """True if a rule's outputs of a valid desc aren't the truth's, found by looking at where every element comes from.

    So values may be equal by chance.
    """
    found = None if each.outputs is None else told(each, trace)
    if found is None:
        return False
    if found.sizes != tuple(part.tensor.sizes for part in trace.outputs):
        return True
    if found.source is None:
        return False
    for k, sizes in enumerate(found.sizes):
        mine, true = found.source(k, every(sizes)), trace.sources(k, every(sizes))
        pairs = zip((mine.tensor, *mine.index), (true.tensor, *true.index), strict=True)
        if any((a != b).any() for a, b in pairs):
            return True
        constant = trace.constant(k)
        if found.constant is not None and constant is not None and NOWHERE in mine.tensor:
            own = element_of(found.constant, trace.outputs[k].tensor.data_type)
            if own.tobytes() != constant.tobytes():
                return True
    return False


def miscounts(each: Misreading[Any], trace: Trace) -> bool:
    """True if a rule has some element read more or less often than it is."""
    if each.reads is None:
        return False
    for k, part in enumerate(trace.inputs):
        if part.field.role is Role.DATA:
            at = every(part.tensor.sizes)
            places = zip(*(axis.tolist() for axis in at), strict=True)
            found = [each.reads(trace.desc, trace.read, k, place) for place in places]
            if found != trace.counts(k, at).tolist():
                return True
    return False


def missizes(each: Misreading[Any], desc: Desc) -> bool:
    """True if a rule wants other sizes of an input that steers."""
    found = [each.input_sizes(desc, k) for k in range(len(desc.inputs))] if each.input_sizes else []
    return any(
        sizes not in (None, part.tensor.sizes) for sizes, part in zip(found, desc.inputs if found else (), strict=True)
    )


def prove_differs(each: Misreading[Any], trace: Trace) -> None:
    """A rule's outputs, reads and sizes of a valid desc aren't the truth's just where the rule says so."""
    said = each.differs(trace.desc, trace.read)
    assert isinstance(said, bool), each.id
    if each.outputs is not None or each.reads is not None or each.input_sizes is not None:
        assert said is (disagrees(each, trace) or miscounts(each, trace) or missizes(each, trace.desc)), each.id
    if each.outputs is not None:
        pictures_or_sizes = told(each, trace)
        if pictures_or_sizes is not None and pictures_or_sizes.source is not None:
            drawn(pictures_or_sizes, trace.desc, trace.read)


def prove_outputs(each: Misreading[Any], trace: Trace, oracle: Oracle) -> None:
    """A rule's outputs are the oracle's, and not the truth just where the rule says so."""
    arrays = [values.array() for values in trace.values]
    want, wrong = oracle(trace.desc, arrays), told(each, trace)
    assert (wrong is None) is (want is None), each.id
    if wrong is not None and want is not None:
        assert wrong.sizes == tuple(array.shape for array in want), each.id
        assert wrong.source is None or equal(drawn(wrong, trace.desc, trace.read), want), each.id
    prove_differs(each, trace)


def accepts(misreadings: Sequence[Misreading[Any]], id_: str, desc: Desc) -> bool | None:
    """The verdict of a desc by a rule; it follows from no value."""
    found = rule(misreadings, id_).accepts
    assert found is not None
    return found(desc, Reader(()))


def prove_verdict(each: Misreading[Any], desc: Desc, read: Reader | None = None) -> bool | None:
    """The verdict of a desc by a rule, and of its values with a reader: it isn't the check's just where the rule says.

    Where the rule is about outputs, and the desc is valid, it may be those that differ.
    """
    assert each.accepts is not None
    held = read or Reader(())
    said, valid = each.accepts(desc, held), check(desc, read.values if read is not None else None).ok
    if each.outputs is None or not valid:
        assert each.differs(desc, held) is (said is not None and said is not valid), each.id
    return said


def prove_lowest_level(each: Misreading[Any], desc: Desc) -> None:
    assert each.lowest_level is not None
    assert each.differs(desc, Reader(())) is (each.lowest_level(desc) is not dml.check(desc).lowest_level), each.id


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
        assert each.lights, each.id
        assert {root_of(path).split("[")[0] for path in each.lights} <= fields | PANELS, each.id
        assert each.feedback.endswith("."), each.id
        assert len(each.feedback) <= 110, each.id


def prove_sentences(misreadings: Sequence[Misreading[Any]], trace: Trace) -> None:
    """A sentence of a valid desc has all its numbers, whichever element is asked about, and ends."""
    for each in misreadings:
        said = {each.says(trace.desc, trace.read)}
        for is_output, parts in ((False, trace.inputs), (True, trace.outputs)):
            for k, part in enumerate(parts):
                some = unravel(sample_indices(part.tensor.element_count, 7), part.tensor.sizes)
                for at in zip(*(axis.tolist() for axis in some), strict=True):
                    said.add(each.says(trace.desc, trace.read, Place(is_output, k), at))
        for sentence in said:
            assert sentence.endswith("."), each.id
            assert "\n" not in sentence, each.id
            assert "None" not in sentence, sentence
            assert not set(sentence) & set("{}") or "{" not in each.feedback or sentence != each.feedback, sentence
            assert len(sentence) <= LONGEST, sentence


# ---- all of that, as tests


def all_hold(rules: Mapping[str, Misreading[Any]], trace: Trace) -> None:
    """What holds of any rule at a valid desc."""
    for each in rules.values():
        prove_differs(each, trace)
        if each.accepts is not None:
            assert each.differs(trace.desc, trace.read) is (each.accepts(trace.desc, trace.read) is False), each.id
    prove_sentences(list(rules.values()), trace)


def traced(case: Case) -> Trace:
    return dml.trace(case.desc, case.arrays)


def by_id(misreadings: Sequence[Misreading[Any]]) -> pytest.MarkDecorator:
    """Parametrizes a test by `each` of some rules."""
    return pytest.mark.parametrize("each", misreadings, ids=[each.id for each in misreadings])


def outputs_test(
    misreadings: Sequence[Misreading[Any]], cases: st.SearchStrategy[Case], oracles: Mapping[str, Oracle]
) -> Any:
    """A test that holds the outputs of each of some rules, which has an oracle, against that."""

    @by_id([each for each in misreadings if each.outputs is not None])
    @tried(400)
    @given(case=cases)
    def test(each: Misreading[Any], case: Case) -> None:
        prove_outputs(each, traced(case), oracles[each.id])

    return test


def verdicts_test(misreadings: Sequence[Misreading[Any]], descs: st.SearchStrategy[Any]) -> Any:
    """A test that holds the verdicts of each of some rules against the check's, of descs that may be broken."""

    @by_id([each for each in misreadings if each.accepts is not None])
    @tried(150)
    @given(desc=descs)
    def test(each: Misreading[Any], desc: Desc) -> None:
        prove_verdict(each, desc)

    return test


# ---- descs whose values may break a rule


@st.composite
def perhaps_broken_values(
    draw: st.DrawFn, traces: st.SearchStrategy[Trace], numbers: Sequence[str], steering: str, types: Sequence[str]
) -> tuple[Any, Reader]:
    """A case and its values, at times with another of some `numbers`, or an output that doesn't fit.

    Or `steering`, the tensor of indices or lengths, has wrong sizes, or one of the wrong `types`.
    """
    trace = draw(traces)
    desc: Any = trace.desc
    values, tensor = list(trace.values), next(p.tensor for p in trace.inputs if p.field.name == steering)
    kind = draw(st.sampled_from(["valid", "valid", *numbers, "output", "sizes", "type"]))
    if kind in numbers:
        desc = desc.replace({kind: draw(st.integers(-2, 6)), "OutputTensor": None})
    elif kind == "output":
        desc = desc.replace({"OutputTensor": desc.output_tensor.resized([n + 1 for n in desc.output_tensor.sizes])})
    elif kind in ("sizes", "type"):
        sizes = (2, *tensor.sizes[1:]) if kind == "sizes" else tensor.sizes
        other = tensor.resized(sizes) if kind == "sizes" else dml.TensorDesc(draw(st.sampled_from(types)), sizes)
        desc = desc.replace({steering: other})
        values[1] = Filled(other, Constant(draw(st.integers(-5, 8))))
    return desc, Reader(values)


def broken_or_not(descs: Sequence[Desc]) -> list[Desc]:
    """Some descs, and the same with a number, a size or a type changed."""
    made = list(descs)
    for desc in descs:
        for part in desc.inputs:
            for other in (part.tensor.resized([n + 1 for n in part.tensor.sizes]), part.tensor.retyped("INT8")):
                held = desc.get(part.field.name)
                try:
                    made.append(desc.replace({part.field.name: [other, *held[1:]] if part.field.many else other}))
                except DmlvizError:
                    continue
    return made
