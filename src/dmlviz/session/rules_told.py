"""Rules as they are told whatever the desc: the sentence, its page, the level it depends on, and a desc that breaks it.

`dmlviz rule` tells all of that. The explorer tells the same of the desc that it shows, by `about`.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import Any

from msgspec import Struct

from ..desc.base import Desc
from ..desc.levels import LEVELS
from ..errors import DmlvizError, quote
from ..operators.base import Operator
from ..operators.level_rules import is_of_level, may_hold
from ..operators.registry import operator_of, operators
from ..operators.report import Cause, Check, Recorder, Severity
from ..operators.sentences import SENTENCES, SHARED_SENTENCES, sentence_of
from ..retired import told
from . import examples
from .experiments import Experiment, Session
from .reading import parse
from .rules_broken import BROKEN
from .wire_rules import PAGE as CHAINS_PAGE
from .writing import dump

NEAR = 0.6
"""How like an id a word is that was meant for it, as difflib has it."""
MOST_NEAR = 3
OF_CHAINS = "chains"
OF_ALL = "every operator"


class Rule(Struct, frozen=True, kw_only=True):
    """A rule, and a desc that breaks it."""

    id: str
    sentence: str
    """The rule, whatever the numbers."""
    holders: tuple[str, ...]
    """The operators that have it, by name; OF_ALL, or OF_CHAINS."""
    example: str
    """The name of the example that breaks it; "" where no example does."""
    experiment: Experiment
    """One that breaks it."""
    session: Session
    """That with what it reads, and no more."""
    cause: Cause
    """How `experiment` breaks it, with the fixes that were verified."""

    @property
    def severity(self) -> Severity:
        return self.cause.first.severity

    @property
    def session_text(self) -> str:
        """A session file that breaks the rule."""
        return dump(self.session, views=False)

    @property
    def lines(self) -> list[tuple[str, str]]:
        """What `about` tells of it, and the example, with a word before each."""
        return about(self.experiment.desc, self.cause.first)


def about(desc: Desc, broken: Check) -> list[tuple[str, str]]:
    """The rule that `desc` breaks, whatever the numbers: its sentence, page, address, level, example; a word each."""
    operator = operator_of(desc)
    told = [
        ("rule", sentence_of(operator, broken.id)),
        ("page", re.sub(r"^DML_(\w+)_OPERATOR_DESC", r"\1 page", broken.page)),
        ("", operator.address if operator.sentences and broken.page.startswith(operator.page) else ""),
        ("level", _level_words(operator, desc, broken)),
        ("example", example_named(broken.id)),
    ]
    return [(word, text) for word, text in told if text]


def _level_words(operator: Operator[Any], desc: Desc, broken: Check) -> str:
    """At which feature levels `desc` breaks a rule."""
    if broken.id == "chain.level":
        return "it compares the feature levels of two experiments"
    if is_of_level(broken):
        first = next((level for level in LEVELS if may_hold(operator, desc, broken, level)), None)
        holds = f"this desc holds it from {first} on" if first else "this desc breaks it at each"
        return f"it depends on the feature level; {holds}"
    levels = [level for level in LEVELS if _is_noted(operator, desc, broken.id, level)]
    if levels and len(levels) < len(LEVELS):
        span = f"{levels[0]} to {levels[-1]}" if len(levels) > 1 else str(levels[0])
        return f"it depends on the feature level; of this desc it speaks at {span}"
    return "the same at every feature level"


def _is_noted(operator: Operator[Any], desc: Desc, id_: str, level: Any) -> bool:
    record = Recorder(operator.page, level)
    operator.level_notes(desc, level, record)
    return any(check.id == id_ for check in record.checks)


@cache
def example_named(id_: str) -> str:
    """The name of the example that breaks a rule, `rule-gather-fits` of gather.fits; "" where there is none."""
    known = {shipped.name for shipped in examples.all_examples()}
    group, _, rest = re.sub(r"_(\d+)$", r"\1", id_).replace("_", "-").partition(".")
    names = (f"rule-{group}-{rest}", f"warning-{group}-{rest}", f"{group}-{rest}", f"warning-{rest}")
    return next((name for name in names if name in known), "")


def ids() -> dict[str, str]:
    """Every rule's sentence by its id: those of all operators, those of some, each operator's own, those of chains."""
    own = {id_: text for operator in operators().values() for id_, text in operator.sentences.items()}
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
    if sentence := told(low):
        raise DmlvizError(sentence)
    near = difflib.get_close_matches(low[:100], known, MOST_NEAR, NEAR)
    near = near or [id_ for id_ in known if low and low in id_.split(".")][:MOST_NEAR]
    meant = f"did you mean {' or '.join(near)}? " if near else ""
    raise DmlvizError(f"there is no rule {quote(word)}; {meant}`dmlviz rule` lists them.")


@cache
def _holders() -> Mapping[str, frozenset[str]]:
    """The operators by the ids of rules that aren't held against all of them, as examples of each show."""
    found: dict[str, set[str]] = {}
    for operator in operators().values():
        for id_ in operator.sentences:
            found.setdefault(id_, set()).add(operator.name)
    for shipped in examples.all_examples():
        for experiment in shipped.session().experiments:
            for check in experiment.check().checks:
                if check.id in SHARED_SENTENCES:
                    found.setdefault(check.id, set()).add(operator_of(experiment.desc).name)
    return {id_: frozenset(names) for id_, names in found.items()}


def rule(id_: str) -> Rule:
    """A rule by its id. Raises DmlvizError where nothing that is shipped breaks it."""
    name = example_named(id_)
    session = examples.example(name).session() if name else _session_of(id_)
    for experiment in session.experiments:
        causes = [cause for cause in experiment.check().causes if cause.first.id == id_]
        if causes:
            holders = _holders().get(id_)
            order = [operator.name for operator in operators().values() if holders and operator.name in holders]
            return Rule(
                id=id_,
                sentence=sentence_of(operator_of(experiment.desc), id_),
                holders=tuple(order) or (OF_CHAINS if causes[0].first.page == CHAINS_PAGE else OF_ALL,),
                example=name,
                experiment=experiment,
                session=replace(_alone(session, experiment), title=f"Breaks {id_}"),
                cause=causes[0],
            )
    raise DmlvizError(f"no desc that breaks {id_} is known, expected an example or an entry of rules_broken.")


def _session_of(id_: str) -> Session:
    session, _ = parse(BROKEN.get(id_, '{"dmlviz": 1, "experiments": [{}]}').encode(), id_, None, missing=[])
    return session


def _alone(session: Session, experiment: Experiment) -> Session:
    """A session of an experiment and those that it reads, without what is told beside descs."""
    stages: Sequence[Experiment] = experiment.stages if experiment.is_wired else (experiment,)
    kept = [one for one in session.experiments if any(one is stage for stage in (*stages, experiment))]
    if experiment.is_wired and len(kept) == 1:  # a ring, or a wire that leads nowhere
        kept = list(session.experiments)
    return Session(tuple(replace(one, notes="", extra={}) for one in kept))
