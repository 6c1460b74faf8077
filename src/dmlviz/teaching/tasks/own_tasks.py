"""What an experiment itself asks, and edits that are offered for a broken desc."""

from __future__ import annotations

import itertools
import random
from contextlib import suppress
from dataclasses import replace

from msgspec import Struct

from ...desc.base import Desc
from ...errors import DmlvizError
from ...operators.fixes.differences import changes_between
from ...session.examples import TASK, asked_by_examples
from ...session.experiments import Experiment, Session
from ...session.reading import parse_desc
from ...session.writing import dump_desc
from ..kinds.whole_descs import FIXES, LEVEL
from ..questions.goals import first_error
from ..questions.question import Question
from .changed_descs import one_off
from .tasks import AuthoredQuestion, question_of, said_in_notes, task_of

MENDING, FAILING = 2, 2


class Offered(Struct, frozen=True):
    text: str
    desc: Desc
    mends: bool


def offered(question: Question) -> tuple[Offered, ...]:
    """Edits to choose among in a `fixes` question: some mend the desc, some don't; the seed gives the order."""
    subject = question.subject
    edits = dict[str, Offered]()
    level = subject.experiment.feature_level
    tree = dump_desc(subject.desc)
    for fix in (fix for broken in subject.report.errors for fix in broken.fixes):
        same = fix.mends_all and fix.feature_level is level and not fix.turned
        if same and len(edits) < MENDING and question.kind.is_right(question, type(question.truth)(fix.desc)):
            edits.setdefault(fix.label, Offered(fix.label, fix.desc, True))
    dice = random.Random(f"offered {subject.experiment.name} {question.seed}")
    tried = list[Desc]()
    names = [name for name in tree if name not in {count.name for count in subject.desc.COUNTS}]
    for name, numbers in itertools.product(names, (lambda n: [n + 1], lambda n: [n - 1])):
        for other in one_off(tree[name], numbers):
            with suppress(DmlvizError):
                edited = parse_desc(subject.desc.TYPE, {**tree, name: other})
                tried += [edited] if first_error(edited, level) else []
    dice.shuffle(tried)
    tried.sort(key=lambda desc: not all(part.tensor.can_exist for part in desc.parts))  # a size of 0 tempts nobody
    for desc in tried:
        text = ", ".join(map(str, changes_between(subject.desc, desc, level, level)))
        if text and len(edits) < MENDING + FAILING:
            edits.setdefault(text, Offered(text, desc, False))
    shuffled = list(edits.values())
    dice.shuffle(shuffled)
    return tuple(shuffled)


def with_own_task(experiment: Experiment) -> Experiment:
    """An experiment with the task of the shipped example that it is; as it was where it is none, or is edited.

    Where an example's task has no words of its own, they are the question of its notes.
    """
    for same in asked_by_examples(experiment):
        is_unedited = same.desc == experiment.desc and same.feature_level is experiment.feature_level
        if is_unedited and dict(same.values) == dict(experiment.values):
            task = {"say": said_in_notes(same), **same.extra[TASK]}
            return replace(experiment, extra={**experiment.extra, TASK: task})
    return experiment


def with_own_tasks(session: Session) -> Session:
    """A session with what the shipped examples in it ask; a lesson as it is, whose author has chosen its tasks."""
    if "lesson" in session.extra:
        return session
    return replace(session, experiments=tuple(map(with_own_task, session.experiments)))


def own_question(experiment: Experiment, seed: int = 0) -> AuthoredQuestion | None:
    """What the task of an experiment, or of the unedited example that it is, asks; None for none and for a level."""
    own = with_own_task(experiment)
    with suppress(DmlvizError):  # `dmlviz check` says why
        task = task_of(own) if own is not experiment or not asked_by_examples(experiment) else None
        if task is not None and task.kind != LEVEL.name:
            question = question_of(experiment, task, seed)
            if question.kind is not FIXES:
                return question
            return question if any(edit.mends for edit in offered(question)) else None
    return None
