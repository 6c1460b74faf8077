"""The question that a session's task asks, as a page asks and grades it: every answer's verdict, made beforehand."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from ..errors import DmlvizError, TaskError
from ..scene.steps.apart import Apart
from ..session.experiments import Experiment, Session
from ..teaching.asked import json_of, task_of, text_of
from ..teaching.lessons.lessons import lesson_of
from ..teaching.questions.answers import FROM_NOWHERE_JSON
from ..teaching.questions.question import Choice, Kind, Question, Reply
from ..teaching.questions.wording import without_keys
from ..teaching.tasks.own_tasks import played, with_own_tasks
from ..teaching.tasks.tasks import AuthoredQuestion, question_of
from ..teaching.words.catalogue import sentence
from .needed_cells import unshown
from .pictures import Recorded, recorded
from .stages import end_of, wired_inputs
from .words import words

WITH_FORM = ("field", "desc")
"""Forms of answers that are given in dmlviz alone, and with every rule held against what is typed."""
MOST_FIRSTS = 64
"""Values of an answer for each of which it is said what is wrong with it."""


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


def cover_of(question: Question) -> Cover:
    """What a question covers while it is open."""
    return Cover(question.kind, question.hidden, played(question))


class Asked(Struct, frozen=True, kw_only=True):
    """A question as a page asks it. Keys are answers as text, see `teaching.asked`."""

    question: Question
    form: str
    """As `Task.form` has it."""
    options: tuple[Choice, ...]
    truth: str
    """The key of the right answer."""
    verdicts: Mapping[str, Reply]
    """What is said to the right answer, and to that of each wrong rule."""
    other: Reply
    """What is said to any other answer."""
    firsts: tuple[Reply, ...] = ()
    """The same, by the first value that is wrong; empty where it is always `other`."""
    none: Reply | None = None
    """What is said where nothing is marked; None where that is `other` too."""
    then: str = ""
    """What the author says once it is answered."""

    @property
    def prompt(self) -> str:
        return self.question.prompt

    @property
    def about(self) -> str:
        """The element that is asked about, as `OutputTensor[1,0]`; "" where the question is about no single one."""
        return element_of(self.question)

    @property
    def id(self) -> str:
        """What progress calls it."""
        return self.question.task.id if isinstance(self.question, AuthoredQuestion) else ""

    @property
    def names_memory(self) -> bool:
        """Linear memory is where to look after some answer."""
        return any(reply.look == sentence("words.memory") for reply in self.verdicts.values())

    def asked(self) -> str:
        """The prompt, and behind it the element that it is about, where it doesn't name that."""
        if self.about in self.prompt:
            return self.prompt
        return f"{self.prompt} {words('about', element=self.about)}"

    @property
    def data_type(self) -> str:
        """The type to which typed values are rounded."""
        outputs = self.question.subject.desc.outputs
        return outputs[0].tensor.data_type.name if outputs else "FLOAT32"

    @property
    def cover(self) -> Cover:
        return cover_of(self.question)


class Unasked(Struct, frozen=True):
    """A task that a page can't ask, and why, in one sentence."""

    prompt: str
    reason: str
    question: Question | None = None
    """What dmlviz asks where it has a form; None where nobody can ask it."""
    then: str = ""
    """What the author says once it is answered."""

    @property
    def cover(self) -> Cover | None:
        return cover_of(self.question) if self.question is not None else None


class Exercise(Struct, frozen=True):
    """A recorded experiment, with the task that it asks, if it has one."""

    shown: Recorded
    """The desc that is asked about, which may differ from the experiment's own."""
    task: Asked | Unasked | None
    home: Experiment
    """The experiment itself."""
    place: tuple[int, int] | None = None
    """Which stage it is, from 1, and of how many; None where it neither reads another nor is read."""

    def title(self, number: int = 0, *, is_open: bool = True) -> str:
        """Its name, or its number while its task is open, whose answer the name may tell.

        The name of a chain's stage stands in what others read; what a level's answer is isn't told by a still or stage.
        """
        cover = self.cover
        is_told = cover is None or (
            cover.kind.form.how != "edit" and not (is_open and (self.place is None or cover.rules))
        )
        unnamed = words("experiment_number", number=number) if number else words("experiment")
        return (is_told and self.shown.name) or unnamed

    def stage(self) -> str:
        """Where it stands in a chain, and what it reads there; "" where it stands alone."""
        if self.place is None:
            return ""
        number, count = self.place
        return " · ".join((words("stage", number=number, count=count), *wired_inputs(self.home)))

    @property
    def cover(self) -> Cover | None:
        """What is covered until the task is answered; None for nothing."""
        return self.task.cover if self.task is not None else None

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
    exercises = []
    for number, (experiment, task) in enumerate(zip(session.experiments, tasks, strict=True)):
        question = task.question if task is not None else None
        about_memory = question is not None and question.kind.about_memory
        desc = question.subject.experiment if question is not None else experiment
        end = end_of(session, number)
        if end is not None and asking & {id(stage) for stage in experiment.stages[:-1]}:
            end = None  # where its input comes from is asked of what it reads
        shown_one = recorded(desc, unit, about_memory=about_memory, end=end)
        asked = _on_page(task, shown_one) if isinstance(task, Asked) else task
        exercises.append(Exercise(shown_one, asked, experiment, session.stage(number)))
    return exercises


def _on_page(task: Asked, shown: Recorded) -> Asked | Unasked:
    """A task as a page asks it, which it does only where it shows what answers it."""
    path = unshown(task.question, shown, listed=task.cover.picture)
    return Unasked(task.prompt, words("left_out", path=path), task.question, task.then) if path else task


def _is_told_elsewhere(session: Session, task: Asked, tasks: Sequence[Asked | Unasked | None], number: int) -> bool:
    """True where a task is about a chain, and the page shows of another experiment what answers it.

    What reads the end tells its whole way, unless it has a task.
    """
    own = session.experiments[number]
    if not task.question.kind.of_chains:
        return False
    told = (one for one, its in zip(session.experiments, tasks, strict=True) if its is None or its.cover is None)
    return any(one is not own and any(stage is own for stage in one.stages) for one in told)


def tasks_of(session: Session) -> list[Asked | Unasked | None]:
    """The task of each experiment; None for none."""
    lesson = lesson_of(with_own_tasks(session))
    if lesson is None:
        return [None] * len(session.experiments)
    tasks: list[Asked | Unasked | None] = []
    for step in lesson.steps:
        if step.problem:
            tasks.append(Unasked("", words("unaskable", why=step.problem)))
        elif step.task is None:
            tasks.append(None)
        else:
            try:
                question = question_of(step.experiment, step.task, lesson.seed)
            except TaskError as error:
                tasks.append(Unasked(step.task.say, words("unaskable", why=str(error))))
                continue
            asked = asked_of(question)
            tasks.append(replace(asked, then=" ".join(step.task.afterwards())))
    return [
        Unasked(task.prompt, words("needs_stages"), task.question, task.then)
        if isinstance(task, Asked) and _is_told_elsewhere(session, task, tasks, number)
        else task
        for number, task in enumerate(tasks)
    ]


def asked_of(question: Question) -> Asked | Unasked:
    """A question with a verdict for each answer that a page tells from others; `Unasked` where it needs a form."""
    task = task_of(question)
    form, options = task.form, task.options
    if form in WITH_FORM:
        return Unasked(question.prompt, words("needs_form"), question)
    answers = {option.id: json_of(question, option.id) for option in options} if form == "choice" else {}
    for answer in (question.truth, *question.answers.values(), *question.kind.counted_from_one(question)):
        answers.setdefault(text_of(question, answer), question.kind.form.json(answer))
    graded = {key: question.grade(answer) for key, answer in answers.items()}
    truth = text_of(question, question.truth)
    none: Any = FROM_NOWHERE_JSON if question.kind.takes_nowhere(question.subject) else []
    return Asked(
        question=question,
        form=form,
        options=options,
        truth=truth,
        verdicts={key: _reply_of(question, verdict) for key, verdict in graded.items()},
        other=_other_reply(question, form, graded),
        firsts=_first_replies(question) if form == "values" else (),
        none=_reply_of(question, question.grade(none)) if task.takes_none else None,
    )


def element_of(question: Question) -> str:
    """The element that is asked about, as `OutputTensor[1,0]`; "" where the question is about no single one."""
    return task_of(question).about


def _reply_of(question: Question, verdict: Reply) -> Reply:
    return replace(verdict, look=without_keys(question.subject, verdict.look))


def _other_reply(question: Question, form: str, graded: Mapping[str, Reply]) -> Reply:
    """What is said to an answer that is neither right nor that of a wrong rule."""
    for answer in _guesses(question, form):
        try:
            if text_of(question, question.kind.form.read(question, answer)) not in graded:
                return _reply_of(question, question.grade(answer))
        except DmlvizError:
            continue
    return Reply(False, question.kind.says(question), question.hint(1))


def _guesses(question: Question, form: str) -> Iterable[Any]:
    """Answers of the right shape, of which some is neither right nor that of a wrong rule."""
    if form == "values":
        yield from ((other if isinstance(question.truth, tuple) else other[0]) for other in _wrong_lists(question, 0))
    elif form == "number":
        yield from range(10_000)
    elif form == "sizes":
        count = len(text_of(question, question.truth).split())
        for n in range(1, 1000):
            repeated = [n] * count
            yield [repeated] if isinstance(question.truth[0], tuple) else repeated
    elif form == "choices":
        yield from ([option.id] for option in question.choices)
        yield [option.id for option in question.choices]
    elif form in ("input", "inputs", "outputs"):
        side = "output" if form == "outputs" else "tensor"
        desc = question.subject.desc
        for k, part in enumerate(desc.outputs if form == "outputs" else desc.inputs):
            sizes = part.tensor.sizes
            for flat in range(min(part.tensor.element_count, 256)):
                index, rest = [], flat
                for size in reversed(sizes):
                    rest, at = divmod(rest, size)
                    index.append(at)
                cell = {side: k, "index": index[::-1]}
                yield cell if form == "input" else [cell]


def _wrong_lists(question: Question, at: int) -> Iterable[list[Any]]:
    """The right values with another one in place `at`."""
    truth = list(question.truth) if isinstance(question.truth, tuple) else [question.truth]
    for other in range(128):
        yield [*truth[:at], other, *truth[at + 1 :]]


def _first_replies(question: Question) -> tuple[Reply, ...]:
    """What is said to an answer of which value n is the first that is wrong, and that no wrong rule gives.

    Empty where a single value is asked for, and where some value has no such answer.
    """
    if not isinstance(question.truth, tuple):
        return ()
    feedback: list[Reply] = []
    for at in range(min(len(question.truth), MOST_FIRSTS)):
        guess = next((guess for guess in _wrong_lists(question, at) if _is_other(question, guess)), None)
        if guess is None:
            return ()
        feedback.append(_reply_of(question, question.grade(guess)))
    return tuple(feedback)


def _is_other(question: Question, answer: Any) -> bool:
    """True for the JSON of an answer that is neither right nor that of a wrong rule."""
    try:
        read = question.kind.form.read(question, answer)
    except DmlvizError:
        return False
    return read != question.truth and read not in question.answers.values()
