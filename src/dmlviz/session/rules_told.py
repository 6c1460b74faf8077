"""Rules as they are told whatever the desc: the sentence, its page, and a desc that breaks it."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import replace
from functools import cache

from msgspec import Struct

from ..desc.base import Desc
from ..errors import DmlvizError, quote
from ..operators.base import address_of
from ..operators.registry import operator_of, operators
from ..operators.report import OF_TENSORS, Cause, Check
from ..operators.sentences import SENTENCES, SHARED_SENTENCES, sentence_of
from ..retired import told
from . import examples
from .experiments import Session
from .reading import meant_by
from .writing import dump

OF_CHAINS = "chains"
OF_ALL = "every operator"


class Rule(Struct, frozen=True, kw_only=True):
    """A rule, and the example that breaks it."""

    id: str
    sentence: str
    holders: tuple[str, ...]
    """The operators that have it, by name; OF_ALL, or OF_CHAINS."""
    example: str = ""
    """The name of the example that breaks it; "" where none does, which leaves the fields below None."""
    session: Session | None = None
    cause: Cause | None = None
    """How that breaks it, with the fixes that were verified."""

    @property
    def session_text(self) -> str:
        """A session file that breaks the rule; "" without an example."""
        return dump(self.session, views=False) if self.session is not None else ""

    @property
    def lines(self) -> list[tuple[str, str]]:
        """What is told of it, with a word before each."""
        if self.session is None or self.cause is None:
            return [("rule", self.sentence)]
        return about(self.session.experiments[0].desc, self.cause.first)


def about(desc: Desc, broken: Check) -> list[tuple[str, str]]:
    """The rule that `desc` breaks, whatever the numbers: its sentence, page, address, example; a word each."""
    op = operator_of(desc)
    is_known = op.page_number < math.inf and broken.page.startswith(op.page)
    told = [
        ("rule", sentence_of(op, broken.id)),
        ("page", re.sub(r"^DML_(\w+)_OPERATOR_DESC", r"\1 page", broken.page)),
        ("", address_of(broken.page) if broken.page == OF_TENSORS else op.address if is_known else ""),
        ("example", example_named(broken.id)),
    ]
    return [(word, text) for word, text in told if text]


@cache
def example_named(id_: str) -> str:
    """The name of the example that breaks a rule, `rule-gather-fits` of gather.fits; "" where there is none."""
    known = examples.by_name()
    group, _, rest = re.sub(r"_(\d+)$", r"\1", id_).replace("_", "-").partition(".")
    names = (f"rule-{group}-{rest}", f"warning-{group}-{rest}", f"{group}-{rest}", f"warning-{rest}")
    return next((name for name in names if name in known), "")


def ids() -> dict[str, str]:
    """Every rule's sentence by its id: those of all operators, those of some, each operator's own, those of chains."""
    own = {id_: text for op in operators().values() for id_, text in op.sentences.items()}
    general = {id_: text for id_, text in SENTENCES.items() if not id_.startswith("chain.")}
    return {**general, **SHARED_SENTENCES, **own, **SENTENCES}


def named(word: str) -> list[str]:
    """The ids that a word names: one, those of a group, or those of an operator. Raises DmlvizError for none."""
    known, low = ids(), word.lower()
    if low in known:
        return [low]
    group = [id_ for id_ in known if id_.startswith(f"{low}.") or low.upper() in _holders().get(id_, ())]
    if group:
        return group
    said = f"there is no rule {quote(word)}, {meant_by(low, known)}expected one that `dmlviz rule` lists."
    raise DmlvizError(told(low) or said)


@cache
def _holders() -> Mapping[str, set[str]]:
    """The operators by the ids of rules that aren't held against all of them, as examples of each show."""
    found: dict[str, set[str]] = {}
    held = [(id_, op.name) for op in operators().values() for id_ in op.sentences]
    for shipped in examples.all_examples():
        for one in shipped.session().experiments:
            own = operator_of(one.desc).name
            held += [(check.id, own) for check in one.check().checks]
    for id_, name in held:
        if id_ not in SENTENCES:
            found.setdefault(id_, set()).add(name)
    return found


def rule(id_: str) -> Rule:
    name = example_named(id_)
    held = _holders().get(id_, ())
    holders = tuple(op.name for op in operators().values() if op.name in held)
    holders = holders or (OF_CHAINS if id_.startswith("chain.") else OF_ALL,)
    for one in examples.example(name).session().experiments if name else ():
        for cause in one.check().causes:
            if cause.first.id == id_:
                said = sentence_of(operator_of(one.desc), id_)
                alone = Session((replace(one, notes="", extra={}),), f"Violates {id_}")
                return Rule(id=id_, sentence=said, holders=holders, example=name, session=alone, cause=cause)
    return Rule(id=id_, sentence=ids()[id_], holders=holders)
