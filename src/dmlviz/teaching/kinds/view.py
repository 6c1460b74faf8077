"""`view`: could strides say a chain's end in the memory of one of its inputs, without a copy?"""

from __future__ import annotations

import math
import random
from typing import TYPE_CHECKING

import numpy as np

from ...desc.indexing import flat_in, index_in
from ...desc.tensors import braces
from ..questions.question import ANYTHING, Question, Wish
from ..questions.subject import Subject
from .lib.chain_kind import ChainKind, chain_of, end_element, root_name, the_chain

if TYPE_CHECKING:
    from ...equality.views import View


class ViewKind(ChainKind):
    """Asks for the strides of an output of the end, or for the first element that they don't reach; `cells` has it."""

    name = "view"

    def make(self, subject: Subject, seed: int, wish: Wish = ANYTHING) -> Question | None:
        chain = chain_of(subject)
        if chain is None:
            return None
        dice = self.dice(subject, seed)
        count = len(chain.outputs)
        numbers = [wish.at.place.number] if wish.at is not None else dice.sample(range(count), count)
        for number in numbers:
            if number >= count or chain.outputs[number].tensor.element_count < 2:
                continue
            view = _view(subject, number)
            if view.needs_copy is None or not view.source:
                continue
            name = chain.element_text(len(chain.stages) - 1, number, ())[:-2]
            prompt = subject.sentence("view.prompt", output=name, count=len(chain.stages))
            others = _others(subject, number, dice)
            return self.posed(subject, seed, prompt, _told(subject, number), others, cells=((number,),))
        return None

    def answer_text(self, question: Question, rule: str) -> str | None:
        ((number,),) = question.cells
        return None if rule else _told(question.subject, number)

    def says(self, question: Question) -> str:
        subject, ((number,),) = question.subject, question.cells
        view, chain = _view(subject, number), the_chain(subject)
        first = chain.addresses(len(chain.stages) - 1, number, np.zeros(1, np.int64))
        words = {"strides": braces(view.strides), "base": view.base, "source": root_name(chain, int(first[0][0]))}
        if view.breaks is None:
            return subject.sentence("view.says", **words)
        flat = flat_in(view.breaks, chain.outputs[number].tensor.sizes)
        return subject.sentence("view.says_copy", element=end_element(chain, number, flat), **words)


def _view(subject: Subject, number: int) -> View:
    from ...equality.views import view_through

    return subject.keep(("view", number), lambda: view_through(the_chain(subject), number))


def _told(subject: Subject, number: int) -> str:
    """The right choice."""
    view = _view(subject, number)
    if view.breaks is None:
        return _strides(subject, view.strides, view.base)
    chain = the_chain(subject)
    flat = flat_in(view.breaks, chain.outputs[number].tensor.sizes)
    return subject.sentence("view.breaks", element=end_element(chain, number, flat))


def _strides(subject: Subject, strides: tuple[int, ...], base: int) -> str:
    return subject.sentence("view.strides", strides=braces(strides), base=base)


def _others(subject: Subject, number: int, dice: random.Random) -> list[str]:
    """The strides of the first elements, packed ones, other beginnings, and an element where strides would break."""
    view, chain = _view(subject, number), the_chain(subject)
    sizes = chain.outputs[number].tensor.sizes
    packed = tuple(math.prod(sizes[d + 1 :]) for d in range(len(sizes)))
    elements = range(1, chain.outputs[number].tensor.element_count)
    breaks = [flat for flat in elements if index_in(flat, sizes) != view.breaks]
    named = (end_element(chain, number, flat) for flat in dice.sample(breaks, min(2, len(breaks))))
    said = [subject.sentence("view.breaks", element=name) for name in named]
    return [
        _strides(subject, view.strides if view.breaks is not None else packed, view.base),
        *said[:1],
        _strides(subject, packed, 0 if view.base else 1),
        *said[1:],
    ]


KIND = ViewKind()
