"""`swap`: may the last two stages of a chain change places?"""

from __future__ import annotations

import random
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ...desc.base import Desc
from ...desc.fields import Role
from ...desc.indexing import flat_in
from ...desc.tensors import TensorDesc, braces
from ...desc.value_sources import Wired
from ...errors import DmlvizError
from ...session.experiments import Experiment, Session
from ...session.wiring import with_part
from ..questions.question import ANYTHING, Question, Wish
from ..questions.subject import Subject
from .equal import verdict_on
from .lib.chain_kind import ChainKind, chain_of, data_roots, end_element, root_element, the_chain

if TYPE_CHECKING:
    from ...equality.deciding import Verdict
    from ...session.chains import Chain, Path


class SwapKind(ChainKind):
    """Asks whether the last stage may stand before the one that it reads: then it is done to each input of that."""

    name = "swap"

    def make(self, subject: Subject, seed: int, wish: Wish = ANYTHING) -> Question | None:
        chain = chain_of(subject)
        if chain is None or (turned := _turned(subject)) is None:
            return None
        dice, count = self.dice(subject, seed), len(chain.stages)
        prompt = subject.sentence("swap.prompt", first=count - 1, second=count)
        others = [subject.sentence("swap.same"), *_elements(subject, turned[1], dice)]
        return self.posed(subject, seed, prompt, _told(subject, turned), others, first=count - 2)

    def answer_text(self, question: Question, rule: str) -> str | None:
        subject = question.subject
        turned = _turned(subject)
        assert turned is not None
        if not rule:
            return _told(subject, turned)
        kinds = {stage.desc.TYPE.removeprefix("DML_OPERATOR_") for stage in the_chain(subject).stages[-2:]}
        holds = rule == "Q1" or (rule == "Q3" and kinds == {"JOIN", "TILE"})
        return subject.sentence("swap.same") if holds else None

    def says(self, question: Question) -> str:
        subject = question.subject
        turned = _turned(subject)
        assert turned is not None
        other, verdict = turned
        if verdict.first is None or verdict.left is None or verdict.right is None:
            told = _told(subject, turned)
            return f"{told[0].upper()}{told[1:]}."
        chain = the_chain(subject)
        here = root_element(chain, verdict.left.root, _flat(chain, verdict.left))
        its = data_roots(chain)[data_roots(other).index(verdict.right.root)]  # in the same order
        there = root_element(chain, its, _flat(other, verdict.right))
        element = end_element(chain, 0, verdict.first)
        return subject.sentence("swap.says", element=element, here=here, there=there)


def _flat(chain: Chain, path: Path) -> int:
    """The flat number of the input's element that a path ends at."""
    return flat_in(path.index, chain.inputs[path.root].part.tensor.sizes)


Turned = tuple["Chain", "Verdict"]


def _turned(subject: Subject) -> Turned | None:
    """The chain with its last two stages in the other order, and whether it is the same map; None for none."""
    return subject.keep("swap", lambda: _turned_of(the_chain(subject)))


def _turned_of(chain: Chain) -> Turned | None:
    from ...session.chains import Chain

    if len(chain.stages) < 2:
        return None
    *before, one, two = chain.stages
    data = [part for part in two.desc.inputs if part.field.role is Role.DATA]
    own = {part.path: two.values.get(part.path) for part in two.desc.inputs if part.field.role is not Role.DATA}
    alone = len(data) == len(one.desc.outputs) == len(two.desc.outputs) == 1
    wires = [entry for path, entry in one.values.items() if isinstance(entry, Wired) and path not in _data(one)]
    if not alone or chain.wire(-1 + len(chain.stages), 0) != (len(before), 0) or wires:
        return None
    if any(isinstance(entry, Wired) for entry in own.values()):
        return None
    made: list[Experiment] = []
    values, desc = dict(one.values), one.desc
    try:
        for k, path in enumerate(_data(one)):
            tensor = next(part.tensor for part in one.desc.inputs if part.path == path)
            moved = _reading(two, data[0].path, tensor, one.values.get(path), f"{two.name}, {k + 1}")
            if not moved.desc.outputs:  # it can't stand there
                return None
            made.append(moved)
            values[path] = Wired(moved.name)
            desc = with_part(desc, path, moved.desc.outputs[0].tensor)
        end = replace(one, desc=_inferred(desc), values=values)
        turned = Chain(Session((*before, *made, end)).experiments[-1])
    except DmlvizError:
        return None
    found = verdict_on(chain, turned)
    ends = [found[0].left, found[0].right] if found is not None else []
    if found is None or any(path is not None and path.root < 0 for path in ends):  # a constant is no place
        return None
    return turned, found[0]


def _data(stage: Experiment) -> list[str]:
    """The paths of a stage's data inputs."""
    return [part.path for part in stage.desc.inputs if part.field.role is Role.DATA]


def _reading(stage: Experiment, path: str, tensor: TensorDesc, entry: Any, name: str) -> Experiment:
    """A stage that reads another tensor, and what fills that. Raises DmlvizError where no desc of it can."""
    values = {key: held for key, held in {**stage.values, path: entry}.items() if held is not None}
    return replace(stage, name=name, desc=with_part(_inferred(stage.desc), path, tensor), values=values)


def _inferred(desc: Desc) -> Desc:
    """The desc without what follows from the rest."""
    return desc.replace({field.name: None for field in desc.FIELDS if field.can_be_inferred})


def _told(subject: Subject, turned: Turned) -> str:
    """The right choice."""
    other, verdict = turned
    if verdict.same:
        return subject.sentence("swap.same")
    if verdict.first is None:
        return subject.sentence("swap.sizes", sizes=braces(other.outputs[0].tensor.sizes))
    return subject.sentence("swap.differs", element=end_element(the_chain(subject), 0, verdict.first))


def _elements(subject: Subject, verdict: Verdict, dice: random.Random) -> list[str]:
    """Choices of other elements: behind the first one that differs, or any."""
    chain = the_chain(subject)
    count = chain.outputs[0].tensor.element_count
    others = [flat for flat in range(count) if flat != verdict.first]
    chosen = dice.sample(others, min(2, len(others)))
    return [subject.sentence("swap.differs", element=end_element(chain, 0, flat)) for flat in chosen]


KIND = SwapKind()
