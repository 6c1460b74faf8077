"""The question that a session's task asks, as a page asks and grades it: every answer's reply, made beforehand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from ..errors import TaskError
from ..scene.steps.apart import Apart
from ..session.experiments import Experiment, Session
from ..teaching.asked import Task, json_of, task_of, text_of
from ..teaching.lessons.lessons import lesson_of
from ..teaching.questions.question import Kind, Question, Reply
from ..teaching.questions.subject import FROM_NOWHERE_JSON
from ..teaching.questions.wording import names_memory, without_keys
from ..teaching.tasks.own_tasks import played, with_own_tasks
from ..teaching.tasks.tasks import AuthoredQuestion, question_of
from ..teaching.words.catalogue import sentence
from .pictures import Recorded, recorded

WITH_FORM = ("field", "desc")
"""Forms of answers that are given in dmlviz alone, and with every rule held against what is typed."""


class Cover(Struct, frozen=True):
    """What an open question covers: what is asked must not stand beside it."""

    kind: Kind
    hidden: frozenset[str]
    """As `Question.hidden` has it."""
    plays: Apart | None = None
    """What steps may write before the answer; None where they can't be played."""

    @property
    def rules(self) -> bool:
        """True if the verdict and its reasons are covered."""
        return self.kind.told_by_rules or not self.hidden.isdisjoint(("rules", "levels", "feature_level"))

    @property
    def picture(self) -> bool:
        """True if the picture is covered: whether there is one tells what is asked. The tensors are listed instead."""
        return self.kind.about_rules

    @property
    def links(self) -> bool:
        """True if colours, partners and formulas are covered."""
        return self.kind.form.how != "edit" and self.plays is None

    @property
    def outputs(self) -> bool:
        """True if what outputs hold is covered."""
        return self.links and self.kind.form.name != "field"

    def sizes(self, path: str) -> bool:
        """True where a tensor's sizes are asked for, or one of them."""
        field = path.partition("[")[0]
        return any(field_path.startswith((f"{path}.Sizes", f"{field}.Sizes")) for field_path in self.hidden)

    def table(self, path: str, is_output: bool) -> bool:
        """True where a tensor's sizes are asked for, or one of them, or what an input holds."""
        return self.sizes(path) or (not is_output and path in self.hidden)


class Asked(Struct, frozen=True, kw_only=True):
    """A question as a page asks it. Keys are answers as text, see `teaching.asked`."""

    question: Question
    task: Task
    verdicts: Mapping[str, Reply]
    """What is said to the right answer, to that of each wrong rule, and where nothing is chosen and that may be."""
    other: Reply
    """What is said to any other answer."""
    is_filled: bool = False
    """Several values are typed: after any other answer it is said which is the first that is wrong."""
    then: str = ""
    """What the author says once it is answered."""

    @property
    def prompt(self) -> str:
        return self.question.prompt

    @property
    def id(self) -> str:
        """What progress calls it."""
        return self.question.task.id if isinstance(self.question, AuthoredQuestion) else ""

    @property
    def truth(self) -> str:
        """The key of the right answer."""
        return text_of(self.question, self.question.truth)

    @property
    def names_memory(self) -> bool:
        """Linear memory is where to look after some answer."""
        return any(names_memory(reply.look) for reply in self.verdicts.values())


class Unasked(Struct, frozen=True):
    """A task that a page can't ask, and why, in one sentence."""

    prompt: str
    reason: str
    question: Question | None = None
    """What dmlviz asks where it has a form; None where nobody can ask it."""
    then: str = ""
    """What the author says once it is answered."""


class Exercise(Struct, frozen=True):
    """A recorded experiment, with the task that it asks, if it has one."""

    shown: Recorded
    """The desc that is asked about, which may differ from the experiment's own."""
    task: Asked | Unasked | None
    home: Experiment
    """The experiment itself."""
    place: tuple[int, int] | None = None
    """Which stage it is, from 1, and of how many; None where it neither reads another nor is read."""

    def title(self, number: int = 0) -> str:
        """Its name, or its number while its task is open, whose answer the name may tell.

        The name of a chain's stage stands in what others read, but for one that its task makes.
        """
        cover = self.cover
        is_told = cover is None or (cover.kind.form.how != "edit" and self.place is not None and not cover.rules)
        unnamed = sentence("page.experiment_number", number=number) if number else sentence("page.experiment")
        return (is_told and self.shown.name) or unnamed

    def stage(self) -> str:
        """Where it stands in a chain, and what it reads there; "" where it stands alone."""
        if self.place is None:
            return ""
        n, count = self.place
        read: list[str] = []
        if self.home.is_wired:
            from ..session.wiring import wire_name, wires  # most sessions have no wires

            read = [f"{part.path} ⇠ {wire_name(wire)}" for part, wire in wires(self.home)]
        return " · ".join((sentence("page.stage", number=n, count=count), *read))

    @property
    def cover(self) -> Cover | None:
        """What is covered until the task is answered; None for nothing."""
        question = self.task.question if self.task is not None else None
        return Cover(question.kind, question.hidden, played(question)) if question is not None else None

    @property
    def count(self) -> int:
        """The number of its last step, from which on the answer is told."""
        cover = self.cover
        if cover is not None and (cover.picture or (cover.rules and self.shown.picture is None)):
            return 1
        return self.shown.picture.steps.count if self.shown.picture is not None else 0


def exercises_of(session: Session, *, bare: bool = False, unit: str = "") -> list[Exercise]:
    """The experiments of a session with their tasks, which `bare` leaves out; for `unit` see `recorded`."""
    tasks: Sequence[Asked | Unasked | None] = [None] * len(session.experiments) if bare else tasks_of(session)
    asking = {id(one) for one, task in zip(session.experiments, tasks, strict=True) if task is not None}
    every = []
    for number, (each, task) in enumerate(zip(session.experiments, tasks, strict=True)):
        question = task.question if task is not None else None
        memory = question is not None and question.kind.about_memory
        desc = question.subject.experiment if question is not None else each
        end = _end_of(session, number)
        if end is not None and asking & {id(stage) for stage in each.stages[:-1]}:
            end = None  # where its input comes from is asked of what it reads
        shown = recorded(desc, unit, about_memory=memory, end=end)
        if isinstance(task, Asked) and shown.is_large and not task.question.kind.about_rules:
            task = Unasked(task.prompt, sentence("page.left_out"), task.question, task.then)
        every.append(Exercise(shown, task, each, session.stage(number)))
    return every


def _end_of(session: Session, number: int) -> Experiment | None:
    """What the longest chain ends with in which an experiment, from 0, stands; None where it stands alone."""
    own = session.experiments[number]
    ends = (one for one in session.experiments if one.is_wired and any(stage is own for stage in one.stages))
    return max(ends, key=lambda one: len(one.stages), default=None)


def tasks_of(session: Session) -> list[Asked | Unasked | None]:
    """The task of each experiment; None for none."""
    lesson = lesson_of(with_own_tasks(session))
    if lesson is None:
        return [None] * len(session.experiments)
    tasks: list[Asked | Unasked | None] = []
    for step in lesson.steps:
        if step.problem:
            tasks.append(Unasked("", sentence("page.unaskable", why=step.problem)))
        elif step.task is None:
            tasks.append(None)
        else:
            try:
                question = question_of(step.experiment, step.task, lesson.seed)
            except TaskError as error:
                tasks.append(Unasked(step.task.say, sentence("page.unaskable", why=str(error))))
                continue
            tasks.append(replace(asked_of(question), then=" ".join(step.task.afterwards())))
    return [
        Unasked(task.prompt, sentence("page.needs_stages"), task.question, task.then)
        if isinstance(task, Asked) and _is_told_elsewhere(session, task, tasks, n)
        else task
        for n, task in enumerate(tasks)
    ]


def _is_told_elsewhere(session: Session, task: Asked, tasks: Sequence[Asked | Unasked | None], number: int) -> bool:
    """True where a task is about a chain, and the page shows of another experiment what answers it.

    What reads the end tells its whole way, unless it has a task.
    """
    own = session.experiments[number]
    if not task.question.kind.of_chains:
        return False
    told = (one for one, its in zip(session.experiments, tasks, strict=True) if its is None or its.question is None)
    return any(one is not own and any(stage is own for stage in one.stages) for one in told)


def asked_of(question: Question) -> Asked | Unasked:
    """A question with a reply to each answer that a page tells from others; `Unasked` where it needs a form."""
    task, form = task_of(question), question.kind.form
    if form.name in WITH_FORM:
        return Unasked(question.prompt, sentence("page.needs_form"), question)
    answers = {option.id: json_of(question, option.id) for option in task.options} if form.name == "choice" else {}
    for answer in (question.truth, *question.answers.values(), *question.kind.counted_from_one(question)):
        answers.setdefault(text_of(question, answer), form.json(answer))
    if task.takes_none:
        none: Any = FROM_NOWHERE_JSON if question.kind.takes_nowhere(question.subject) else []
        answers.setdefault("", none)
    verdicts = {key: _shown(question, question.grade(answer)) for key, answer in answers.items()}
    is_filled = form.name == "values" and isinstance(question.truth, tuple)
    if form.name == "choice":
        other = next(reply for reply in verdicts.values() if not reply.right)
    else:
        other = _shown(question, question.verdict_on(("?",) * len(question.truth) if is_filled else "?"))
    other = replace(other, says="") if is_filled else other
    return Asked(question=question, task=task, verdicts=verdicts, other=other, is_filled=is_filled)


def _shown(question: Question, reply: Reply) -> Reply:
    """A reply as a page says it."""
    return replace(reply, look=without_keys(question.subject, reply.look))
