"""The question that a session's task asks, as a page asks and grades it: every answer's verdict, made beforehand."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ..desc.base import Part
from ..desc.levels import LEVELS
from ..desc.tensors import brackets
from ..errors import DmlvizError, TaskError
from ..operators.maps import Place
from ..session.experiments import Session
from ..teaching.lessons import lesson_of
from ..teaching.question import Answer, Question, Verdict
from ..teaching.tasks import question_of
from .tables import Table

WITH_FORM = ("blank", "fixes", "level", "parsons")
"""Kinds that are answered in dmlviz alone: they need its form, and every rule held against what is typed."""
FORMS: Mapping[str, str] = {
    "cell": "values",
    "fill": "values",
    "order": "values",
    "count": "number",
    "runs": "number",
    "bytes": "number",
    "insizes": "sizes",
    "sizes": "sizes",
    "source": "input",
    "via": "input",
    "unread": "inputs",
    "dest": "outputs",
    "pictures": "choice",
    "faster": "choice",
    "misprint": "choice",
    "lowest": "choice",
    "promised": "choice",
    "valid": "choices",
    "waits": "choices",
}
"""What a page takes as the answer to each kind: typed text, a marked cell or several, one choice or several."""
MOST_FIRSTS = 64
"""Values of an answer for each of which it is said what is wrong with it."""
NONE = "none"
"""The choice of no feature level."""


@dataclass(frozen=True, slots=True)
class Option:
    """One thing to choose."""

    key: str
    text: str
    outputs: tuple[tuple[tuple[int, ...], tuple[Any, ...]], ...] = ()
    """Sizes and values of the outputs of a picture."""


@dataclass(frozen=True, slots=True)
class Said:
    """What is said to an answer."""

    right: bool
    feedback: str
    look: str


@dataclass(frozen=True)
class Asked:
    """A question as a page asks it. Keys are answers as text, see `key_of`."""

    question: Question
    form: str
    """One of `FORMS`."""
    options: tuple[Option, ...]
    truth: str
    """The key of the right answer."""
    verdicts: Mapping[str, Said]
    """What is said to the right answer, and to that of each wrong rule."""
    other: Said
    """What is said to any other answer."""
    firsts: tuple[Said, ...] = ()
    """The same, by the first value that is wrong; empty where it is always `other`."""
    none: Said | None = None
    """What is said where nothing is marked; None where that is `other` too."""
    then: str = ""
    """What the author says once it is answered."""

    @property
    def prompt(self) -> str:
        return self.question.prompt

    @property
    def hints(self) -> list[str]:
        return [self.question.hint(number) for number in range(1, 5)]

    @property
    def about(self) -> str:
        """The element that is asked about, as `OutputTensor[1,0]`; "" where the question is about no single one."""
        at = self.question.at
        if at is None or self.question.kind.name == "pictures" or not at.index:
            return ""
        return f"{self.part(at.place).path}{brackets(at.index)}"

    def part(self, place: Place) -> Part:
        """A tensor of the desc that is asked about."""
        desc = self.question.subject.desc
        return (desc.outputs if place.is_output else desc.inputs)[place.number]

    @property
    def asked(self) -> str:
        """The prompt, with the element that it is about."""
        return f"{self.prompt} It is about {self.about}." if self.about not in self.prompt else self.prompt

    @property
    def data_type(self) -> str:
        """The type to which typed values are rounded."""
        outputs = self.question.subject.desc.outputs
        return outputs[0].tensor.data_type.name if outputs else "FLOAT32"

    def hides(self, table: Table) -> bool:
        """True where even a tensor's sizes are asked for, or what an input holds."""
        hidden = self.question.hidden
        return f"{table.path}.Sizes" in hidden or (not table.place.is_output and table.path in hidden)


@dataclass(frozen=True, slots=True)
class Unasked:
    """A task that a page can't ask, and why, in one sentence."""

    prompt: str
    reason: str


def tasks_of(session: Session) -> list[Asked | Unasked | None]:
    """The task of each experiment; None where it has none."""
    lesson = lesson_of(session)
    if lesson is None:
        return [None] * len(session.experiments)
    made: list[Asked | Unasked | None] = []
    for step in lesson.steps:
        if step.problem:
            made.append(Unasked("", f"The task can't be read: {step.problem}"))
        elif step.task is None:
            made.append(None)
        else:
            try:
                question = question_of(step.experiment, step.task, lesson.seed, lesson.lang)
            except TaskError as error:
                made.append(Unasked(step.task.say.said(lesson.lang), f"The task can't be asked: {error}"))
                continue
            found = asked_of(question)
            if isinstance(found, Asked) and step.task.then is not None:
                found = replace(found, then=step.task.then.said(lesson.lang))
            made.append(found)
    return made


def asked_of(question: Question) -> Asked | Unasked:
    """A question with a verdict for each answer that a page has to tell from others."""
    form = FORMS.get(question.kind.name)
    if form is None or question.kind.name in WITH_FORM:
        return Unasked(question.prompt, "This task is answered in dmlviz: it needs the form.")
    options = _options(question)
    answers: dict[str, Any] = {}
    if form == "choice":
        answers = {option.key: _of_choice(question, option.key) for option in options}
    for answer in (question.truth, *question.answers.values()):
        answers.setdefault(key_of(question, answer), question.kind.json(answer))
    graded = {key: question.grade(answer) for key, answer in answers.items()}
    truth = key_of(question, question.truth)
    return Asked(
        question,
        form,
        options,
        truth,
        {key: _said(verdict) for key, verdict in graded.items()},
        _other(question, form, graded),
        _firsts(question) if form == "values" else (),
        _said(question.grade([])) if form in ("choices", "inputs", "outputs") else None,
    )


def key_of(question: Question, answer: Answer) -> str:
    """An answer as text that is equal for equal answers: what a page makes of what is typed or marked.

    Values stand with blanks between them, sizes with commas; a cell is `tensor:flat`, several are sorted.
    """
    form = FORMS[question.kind.name]
    if form == "values":
        return " ".join(map(str, answer if isinstance(answer, tuple) else (answer,)))
    if form == "sizes":
        held = answer[0] if answer and isinstance(answer[0], tuple) else answer
        return ",".join(map(str, held))
    if form in ("input", "inputs", "outputs"):
        cells = [answer] if form == "input" else sorted(answer)
        desc = question.subject.desc
        parts = desc.outputs if form == "outputs" else desc.inputs
        return " ".join(f"{number}:{_flat(index, parts[number].tensor.sizes)}" for number, index in cells)
    if form == "choices":
        return " ".join(sorted(answer))
    if isinstance(answer, bool):
        return "true" if answer else "false"
    return str(answer)


def _flat(index: Iterable[int], sizes: Sequence[int]) -> int:
    flat = 0
    for at, size in zip(index, sizes, strict=True):
        flat = flat * size + at
    return flat


def _options(question: Question) -> tuple[Option, ...]:
    if question.kind.name == "promised":
        return Option("true", "yes"), Option("false", "no")
    if question.kind.name == "lowest":
        return (*(Option(each.value, each.value) for each in LEVELS), Option(NONE, "no level"))
    return tuple(
        Option(each.id, each.text, each.picture.outputs if each.picture is not None else ())
        for each in question.choices
    )


def _of_choice(question: Question, key: str) -> Any:
    """The answer's JSON that a choice stands for."""
    if question.kind.name == "promised":
        return key == "true"
    return None if question.kind.name == "lowest" and key == NONE else key


def _said(verdict: Verdict) -> Said:
    return Said(verdict.right, verdict.feedback, verdict.look)


def _other(question: Question, form: str, graded: Mapping[str, Verdict]) -> Said:
    """What is said to an answer that is neither right nor that of a wrong rule."""
    for answer in _guesses(question, form):
        try:
            if key_of(question, question.kind.read(question, answer)) not in graded:
                return _said(question.grade(answer))
        except DmlvizError:
            continue
    return Said(False, question.kind.says(question), question.hint(1))


def _guesses(question: Question, form: str) -> Iterable[Any]:
    """Answers of the right shape, of which some is neither right nor that of a wrong rule."""
    if form == "values":
        yield from ((other if isinstance(question.truth, tuple) else other[0]) for other in _wrong_lists(question, 0))
    elif form == "number":
        yield from range(10_000)
    elif form == "sizes":
        count = len(key_of(question, question.truth).split(","))
        for n in range(1, 1000):
            made = [n] * count
            yield [made] if question.kind.name == "sizes" else made
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


def _firsts(question: Question) -> tuple[Said, ...]:
    """What is said to an answer of which value n is the first that is wrong, and that no wrong rule gives."""
    if not isinstance(question.truth, tuple):
        return ()
    found: list[Said] = []
    for at in range(min(len(question.truth), MOST_FIRSTS)):
        guess = next((each for each in _wrong_lists(question, at) if _is_other(question, each)), None)
        if guess is None:
            return ()
        found.append(_said(question.grade(guess)))
    return tuple(found)


def _is_other(question: Question, answer: Any) -> bool:
    """True for the JSON of an answer that is neither right nor that of a wrong rule."""
    try:
        read = question.kind.read(question, answer)
    except DmlvizError:
        return False
    return read != question.truth and read not in question.answers.values()
