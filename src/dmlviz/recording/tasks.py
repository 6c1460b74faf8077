"""The question that a session's task asks, as a page asks and grades it: every answer's verdict, made beforehand."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from ..desc.base import Part
from ..desc.indexing import flat_in
from ..desc.levels import LEVELS
from ..desc.tensors import brackets
from ..errors import DmlvizError, TaskError
from ..operators.maps import Place
from ..scene.steps.apart import Apart
from ..session.experiments import Experiment, Session
from ..teaching.kinds.lib.pictured_kinds import MEMORY
from ..teaching.lessons.lessons import lesson_of
from ..teaching.questions.answers import FROM_NOWHERE, FROM_NOWHERE_JSON, shown
from ..teaching.questions.looking import names_memory, on_page
from ..teaching.questions.question import Answer, Picture, Question, Verdict
from ..teaching.tasks.own_tasks import with_own_tasks
from ..teaching.tasks.played import played
from ..teaching.tasks.tasks import AuthoredQuestion, question_of
from ..teaching.words.chain_rules import OF_CHAINS
from .needed_cells import unshown
from .pictures import Recorded, recorded
from .stages import end_of, wired_inputs
from .words import words

WITH_FORM = ("blank", "fixes", "level")
"""Kinds that are answered in dmlviz alone: they need its form, and every rule held against what is typed."""
FORMS: Mapping[str, str] = {
    "cell": "values",
    "fill": "values",
    "order": "values",
    "count": "number",
    "runs": "number",
    "insizes": "sizes",
    "sizes": "sizes",
    "source": "input",
    "via": "input",
    "unread": "inputs",
    "dest": "outputs",
    "pictures": "choice",
    "misprint": "choice",
    "lowest": "choice",
    "promised": "choice",
    "valid": "choices",
    **dict.fromkeys(OF_CHAINS, "choice"),
}
"""What a page takes as the answer to each kind: typed text, a marked cell or several, one choice or several."""
WHOLE = ("level", "fixes")
"""Kinds whose picture is no answer: another desc is."""
GIVES_OUTPUTS = "blank"
"""The kind whose outputs are given; where they come from is asked."""
DRAWN_LATER = ("valid", "lowest")
"""Kinds that ask which rules hold: a picture is drawn of valid descs alone."""
TELLS_RULES = (*DRAWN_LATER, "promised", "misprint")
"""Kinds whose answer the verdict tells, or its reasons."""
MOST_FIRSTS = 64
"""Values of an answer for each of which it is said what is wrong with it."""
NONE = "none"
"""The choice of no feature level."""


class Cover(Struct, frozen=True):
    """What an open question covers: what is asked must not stand beside it."""

    kind: str
    hidden: frozenset[str]
    """As `Question.hidden` has it."""
    cells: frozenset[tuple[int, int]] = frozenset()
    """Output and flat index of the elements that alone are asked for; empty for all."""
    plays: Apart | None = None
    """What steps may write before the answer; None where they can't be played."""

    @property
    def rules(self) -> bool:
        """True if the verdict and its reasons are covered."""
        return self.kind in TELLS_RULES or not self.hidden.isdisjoint(("rules", "levels", "feature_level"))

    @property
    def picture(self) -> bool:
        """True if the picture is covered: whether there is one tells what is asked. The tensors are listed instead."""
        return self.kind in DRAWN_LATER

    @property
    def links(self) -> bool:
        """True if colours, partners and formulas are covered."""
        return self.kind not in WHOLE and self.plays is None

    @property
    def outputs(self) -> bool:
        """True if what outputs hold is covered."""
        return self.links and self.kind != GIVES_OUTPUTS

    def sizes(self, path: str) -> bool:
        """True where a tensor's sizes are asked for, or one of them."""
        field = path.partition("[")[0]
        return any(field_path.startswith((f"{path}.Sizes", f"{field}.Sizes")) for field_path in self.hidden)

    def table(self, path: str, is_output: bool) -> bool:
        """True where a tensor's sizes are asked for, or one of them, or what an input holds."""
        return self.sizes(path) or (not is_output and path in self.hidden)


def cover_of(question: Question) -> Cover:
    """What a question covers while it is open."""
    at = question.at
    cells = frozenset[tuple[int, int]]()
    if at is not None and question.cells:
        sizes = question.subject.desc.outputs[at.place.number].tensor.sizes
        cells = frozenset((at.place.number, flat_in(index, sizes)) for index in question.cells)
    name = question.kind.name
    return Cover(name, question.hidden, cells, played(question))


class Option(Struct, frozen=True):
    """One thing to choose."""

    key: str
    text: str
    outputs: tuple[tuple[tuple[int, ...], tuple[Any, ...]], ...] = ()
    """Sizes and values of the outputs of a picture."""
    numbers: tuple[tuple[str, ...], tuple[str, ...]] = ((), ())
    """Of a part of an output those of its rows, and of its columns."""

    @property
    def tables(self) -> list[list[list[str]]]:
        """Rows of values as texts, for each of the outputs."""
        return [
            [[shown(element) for element in values[at : at + across]] for at in range(0, len(values), across)]
            for sizes, values in self.outputs
            for across in (sizes[-1] if sizes else 1,)
        ]


class Reply(Struct, frozen=True):
    """What is said to an answer."""

    right: bool
    feedback: str
    look: str
    rules: tuple[str, ...] = ()
    """Wrong rules that give this answer."""
    names_memory: bool = False
    """Linear memory is where to look."""


class Asked(Struct, frozen=True, kw_only=True):
    """A question as a page asks it. Keys are answers as text, see `key_of`."""

    question: Question
    form: str
    """One of `FORMS`."""
    options: tuple[Option, ...]
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
        return any(reply.names_memory for reply in self.verdicts.values())

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
        is_told = cover is None or (cover.kind not in WHOLE and not (is_open and (self.place is None or cover.rules)))
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
        about_memory = question is not None and question.kind.name in MEMORY
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
    if task.question.kind.name not in OF_CHAINS:
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
            tasks.append(Unasked("", words("unreadable", why=step.problem)))
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
    form = FORMS.get(question.kind.name)
    if form is None or question.kind.name in WITH_FORM:
        return Unasked(question.prompt, words("needs_form"), question)
    options = options_of(question)
    answers: dict[str, Any] = {}
    if form == "choice":
        answers = {option.key: choice_json(question, option.key) for option in options}
    for answer in (question.truth, *question.answers.values(), *question.kind.counted_from_one(question)):
        answers.setdefault(key_of(question, answer), question.kind.json(answer))
    graded = {key: question.grade(answer) for key, answer in answers.items()}
    truth = key_of(question, question.truth)
    none: Any = FROM_NOWHERE_JSON if question.kind.takes_nowhere(question.subject) else []
    return Asked(
        question=question,
        form=form,
        options=options,
        truth=truth,
        verdicts={key: _reply_of(question, verdict) for key, verdict in graded.items()},
        other=_other_reply(question, form, graded),
        firsts=_first_replies(question) if form == "values" else (),
        none=_reply_of(question, question.grade(none)) if takes_none(question) else None,
    )


def takes_none(question: Question) -> bool:
    """True where an answer may be that nothing fits, or that an element comes from nowhere."""
    many = FORMS[question.kind.name] in ("choices", "inputs", "outputs")
    return many or question.kind.takes_nowhere(question.subject)


def element_of(question: Question) -> str:
    """The element that is asked about, as `OutputTensor[1,0]`; "" where the question is about no single one."""
    at = question.at
    if at is None or question.kind.name in ("pictures", *OF_CHAINS) or not at.index:
        return ""
    return f"{part_at(question, at.place).path}{brackets(at.index)}"


def part_at(question: Question, place: Place) -> Part:
    """A tensor of the desc that is asked about."""
    desc = question.subject.desc
    return (desc.outputs if place.is_output else desc.inputs)[place.number]


def key_of(question: Question, answer: Answer) -> str:
    """An answer as text that is equal for equal answers: what a page makes of what is typed or marked.

    Values stand with blanks between them, sizes with commas. A cell is `tensor:flat`, several are sorted, and
    nowhere is "".
    """
    form = FORMS[question.kind.name]
    if form == "values":
        return " ".join(map(str, answer if isinstance(answer, tuple) else (answer,)))
    if form == "sizes":
        sizes = answer[0] if answer and isinstance(answer[0], tuple) else answer
        return ",".join(map(str, sizes))
    if form in ("input", "inputs", "outputs"):
        cells = [] if answer == FROM_NOWHERE else [answer] if form == "input" else sorted(answer)
        desc = question.subject.desc
        parts = desc.outputs if form == "outputs" else desc.inputs
        return " ".join(f"{number}:{flat_in(index, parts[number].tensor.sizes)}" for number, index in cells)
    if form == "choices":
        return " ".join(sorted(answer))
    if isinstance(answer, bool):
        return "true" if answer else "false"
    return str(answer)


def options_of(question: Question) -> tuple[Option, ...]:
    """What there is to choose from; none where the answer is typed or marked."""
    if question.kind.name == "promised":
        return Option("true", words("yes")), Option("false", words("no"))
    if question.kind.name == "lowest":
        return (*(Option(level.value, level.value) for level in LEVELS), Option(NONE, words("no_level")))
    return tuple(option_of(choice.id, choice.text, choice.picture) for choice in question.choices)


def option_of(key: str, text: str, picture: Picture | None) -> Option:
    """One thing to choose, with its picture if it has one."""
    return Option(key, text) if picture is None else Option(key, text, picture.tables, picture.numbers)


def choice_json(question: Question, key: str) -> Any:
    """The answer's JSON that a choice stands for."""
    if question.kind.name == "promised":
        return key == "true"
    return None if question.kind.name == "lowest" and key == NONE else key


def _reply_of(question: Question, verdict: Verdict) -> Reply:
    look = on_page(question, verdict.look)
    return Reply(
        right=verdict.right,
        feedback=verdict.feedback,
        look=look,
        rules=verdict.rules,
        names_memory=names_memory(verdict.look),
    )


def _other_reply(question: Question, form: str, graded: Mapping[str, Verdict]) -> Reply:
    """What is said to an answer that is neither right nor that of a wrong rule."""
    for answer in _guesses(question, form):
        try:
            if key_of(question, question.kind.read(question, answer)) not in graded:
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
        count = len(key_of(question, question.truth).split(","))
        for n in range(1, 1000):
            repeated = [n] * count
            yield [repeated] if question.kind.name == "sizes" else repeated
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
        read = question.kind.read(question, answer)
    except DmlvizError:
        return False
    return read != question.truth and read not in question.answers.values()
