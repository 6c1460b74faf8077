"""The experiments of a session as they are recorded: pictures, and tasks with a reply to each answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct, field
from msgspec.structs import replace

from ..errors import TaskError
from ..operators.maps import Place
from ..operators.report import Report, Severity
from ..scene.steps.order import Unit
from ..scene.view_state import ViewState, scan, view_state_of
from ..session.experiments import Experiment, Session
from ..session.notes import printable
from ..teaching.asked import json_of, takes_none, text_of
from ..teaching.lessons.lessons import Step, lesson_of
from ..teaching.questions.question import Question, Reply
from ..teaching.questions.subject import FROM_NOWHERE_JSON
from ..teaching.questions.wording import on_page
from ..teaching.tasks.own_tasks import with_own_tasks
from ..teaching.tasks.tasks import question_of
from ..teaching.words.catalogue import sentence
from .pictures import Picture, picture_of


class Cover(Struct, frozen=True):
    """What an open question covers: what is asked must not stand beside it."""

    hidden: frozenset[str]
    rules: bool
    picture: bool
    """The picture, for whether there is one tells what is asked. The tensors are listed instead."""
    links: bool
    """Colours, partners and formulas."""
    outputs: bool

    @staticmethod
    def of(question: Question) -> Cover:
        kind = question.kind
        hidden = question.hidden
        rules = kind.told_by_rules or not hidden.isdisjoint(("rules", "levels", "feature_level"))
        links = kind.form.how != "edit"
        outputs = links and kind.form.name != "field"
        return Cover(hidden=hidden, rules=rules, picture=kind.about_rules, links=links, outputs=outputs)

    def sizes(self, path: str) -> bool:
        names = f"{path}.Sizes", f"{path.partition('[')[0]}.Sizes"
        return any(hidden.startswith(names) for hidden in self.hidden)

    def hides(self, place: Place, path: str) -> bool:
        """True for a tensor that isn't drawn: its sizes are asked for, or what is in it."""
        return self.sizes(path) or (not place.is_output and path in self.hidden)


class Asked(Struct, frozen=True, kw_only=True):
    """A task as a page asks it. Keys are answers as text, see `teaching.asked`."""

    prompt: str
    question: Question | None = None
    """None where nobody can ask it."""
    reason: str = ""
    """Why a page takes no answer to it, in a sentence; "" where it does."""
    verdicts: Mapping[str, Reply] = field(default_factory=dict)
    """What is said to the right answer, to that of each wrong rule, and where nothing is chosen and that may be."""
    other: Reply | None = None
    """What is said to any other answer."""
    then: str = ""


class Exercise(Struct, frozen=True, kw_only=True):
    """A recorded experiment, with the task that it asks, if it has one."""

    home: Experiment
    view: ViewState
    """Of the desc that is asked about, which may differ from the experiment's own."""
    picture: Picture | None
    """None where the desc is invalid, so that there is nothing true to draw, and where it is large."""
    task: Asked | None
    number: int

    @property
    def experiment(self) -> Experiment:
        return self.view.experiment

    @property
    def question(self) -> Question | None:
        return self.task.question if self.task is not None else None

    @property
    def name(self) -> str:
        return printable(self.experiment.name)

    @property
    def title(self) -> str:
        """Its name, or its number while its task is open, whose answer the name may tell."""
        is_named = self.cover is None and self.name
        if is_named:
            return self.name
        return sentence("record.experiment_number", number=self.number)

    @property
    def cover(self) -> Cover | None:
        """What is covered until the task is answered; None for nothing."""
        return Cover.of(self.question) if self.question is not None else None

    @property
    def count(self) -> int:
        """The number of its last step, from which on the answer is told."""
        cover = self.cover
        if cover is not None and (cover.picture or (cover.rules and self.picture is None)):
            return 1
        return self.picture.steps.count if self.picture is not None else 0


def summary(report: Report) -> str:
    broken = len(report.broken)
    level = report.lowest_level
    rules = f"{broken} of {report.rules} checks failed" if broken else f"{report.rules} checks pass"
    lowest = "no feature level accepts it" if level is None else f"lowest feature level {level}"
    return f"{report.verdict.mark} {report.verdict.value} at feature level {report.feature_level}: {rules}; {lowest}."


def reasons_of(report: Report) -> list[str]:
    """Broken rules first, then warnings and notes, each cause once."""
    causes = (cause.told for cause in report.causes)
    failures = sorted(causes, key=lambda check: [*Severity].index(check.severity))
    return [f"{check.severity.value} {check.id}: {check.message}" for check in failures]


def exercises_of(session: Session, *, asks: bool = True) -> list[Exercise]:
    """The experiments, with tasks if `asks`; steps by copy if a task is about memory, and larger if too many."""
    tasks: Sequence[Asked | None] = tasks_of(session) if asks else [None] * len(session.experiments)
    return [_exercise(session, number, task) for number, task in enumerate(tasks)]


def _exercise(session: Session, number: int, task: Asked | None) -> Exercise:
    home = session.experiments[number]
    question = task.question if task is not None else None
    one = question.subject.experiment if question is not None else home
    view = view_state_of(one, turned=one.view.view.turned)
    if view.waits:  # nothing of a page may be left to be counted later
        view = replace(view, report=scan(view))
    picture = None
    if view.live and view.trace is not None:
        is_memory = question is not None and question.kind.about_memory
        picture = picture_of(view.trace, Unit.COPY if is_memory else one.view.view.unit, turned=view.turned)
    is_drawn = picture is not None or not view.live or question is None or question.kind.about_rules
    if task is not None and not task.reason and not is_drawn:
        task = replace(task, reason=sentence("record.left_out"))
    return Exercise(home=home, view=view, picture=picture, task=task, number=number + 1)


def tasks_of(session: Session) -> list[Asked | None]:
    lesson = lesson_of(with_own_tasks(session))
    if lesson is None:
        return [None] * len(session.experiments)
    return [_task_of(step, lesson.seed) for step in lesson.steps]


def _task_of(step: Step, seed: int) -> Asked | None:
    if step.problem:
        return Asked(prompt="", reason=sentence("record.unaskable", why=step.problem))
    if step.task is None:
        return None
    try:
        question = question_of(step.experiment, step.task, seed)
    except TaskError as error:
        return Asked(prompt=step.task.say, reason=sentence("record.unaskable", why=str(error)))
    return replace(asked_of(question), then=" ".join(step.task.afterwards()))


def asked_of(question: Question) -> Asked:
    """A question with a reply to each answer that a page tells from others; with a reason where it needs a form."""
    form = question.kind.form
    asked = Asked(prompt=question.prompt, question=question)
    if form.name in ("field", "desc"):  # every rule is held against what is typed there
        return replace(asked, reason=sentence("record.needs_form"))
    options = question.options if form.name == "choice" else ()
    answers = {option.id: json_of(question, option.id) for option in options}
    for answer in (question.truth, *question.answers.values(), *question.kind.counted_from_one(question)):
        answers.setdefault(text_of(question, answer), form.json(answer))
    if takes_none(question):
        none: Any = FROM_NOWHERE_JSON if question.kind.takes_nowhere(question.subject) else []
        answers.setdefault("", none)
    verdicts = {key: on_page(question, question.grade(answer)) for key, answer in answers.items()}
    if form.name == "choice":
        other = next(reply for reply in verdicts.values() if not reply.right)
    elif form.name == "values" and isinstance(question.truth, tuple):
        other = replace(question.verdict_on(("?",) * len(question.truth)), says="")
    else:
        other = question.verdict_on("?")
    return replace(asked, verdicts=verdicts, other=on_page(question, other))
