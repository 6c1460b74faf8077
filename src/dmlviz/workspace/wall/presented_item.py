"""One experiment as it is presented: its question, the answers and their hands, and what the reveal tells."""

from __future__ import annotations

import dataclasses
import random
from collections.abc import Sequence
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from ...desc.tensors import braces, brackets
from ...errors import DmlvizError
from ...operators.registry import operator_of
from ...scene.view_state import ViewState, view_state_of
from ...session.class_status import Said
from ...session.experiments import Experiment
from ...session.notes import printable, split_notes
from ...session.presentation_state import Counts
from ...teaching.asked import about
from ...teaching.kinds.lib.asking import kinds
from ...teaching.kinds.whole_descs import DescAnswer
from ...teaching.lessons.lessons import Step
from ...teaching.questions.question import Picture as Drawn
from ...teaching.questions.question import Question
from ...teaching.questions.subject import FROM_NOWHERE_JSON, Subject, shown
from ...teaching.tasks.changed_descs import changed
from ...teaching.tasks.own_tasks import offered
from ...teaching.tasks.tasks import AuthoredQuestion, question_of
from ...teaching.words.catalogue import sentence
from ..asking.asked_desc import hides_drawn

LETTERS = "abcd"
MOST_SAID = 48


class Answer(Struct, frozen=True):
    """One of the answers that hands are counted for."""

    id: str
    text: str
    right: bool
    rule: str = ""
    """Who gives it: the wrong rule's id and name; "" for the right one, and where no rule gives it."""
    picture: Drawn | None = None
    says: str = ""
    given: Any = None
    """The answer that it stands for, as the question has it; None for an edit that is offered."""


class Item(Struct, frozen=True, kw_only=True):
    """One experiment as it is presented."""

    view: ViewState
    """Of the experiment that is asked about: with what its task changes."""
    prompt: str
    question: Question | None
    """None where nothing can be asked but what the prompt says."""
    answers: tuple[Answer, ...]
    sentences: tuple[str, ...]
    notes: tuple[str, ...]
    problem: str
    solved: ViewState
    """What the reveal shows: a desc that wins a level, or that is mended; else the one that was asked about."""

    @property
    def draws_open(self) -> bool:
        """True if its picture tells nothing that is asked, nor anything that its author hides."""
        question = self.question
        # The steps, and the names, of others may tell what is asked; a level's picture is of what it starts with.
        is_drawn = question is None or question.kind.pictured or _is_level(question)
        return self.view.live and is_drawn and not (question is not None and hides_drawn(question))


def item_of(step: Step, seed: int = 0) -> Item:
    """How a step's experiment is presented: its author's question, or one that is made from its desc."""
    one, task, problem = step.experiment, step.task, step.problem
    told, own = split_notes(printable(one.notes))
    notes = [line for line in told.splitlines() if line.strip()]
    question: Question | None = None
    try:
        if task is not None:
            question = question_of(one, task, seed)
            notes = [*task.speaker, *notes, *(f"{rule}: {text}" for rule, text in task.wrong.items())]
            one = question.subject.experiment  # with what its task changes
    except DmlvizError as error:
        task, problem = None, str(error)
    view = view_state_of(one)
    is_broken = view.report.ok is False
    if question is None and not is_broken:
        question = _generated(one)
    prompt = own or (sentence("present.refused") if is_broken else operator_of(one.desc).title)
    solved, said = one, list[str]()
    answers: tuple[Answer, ...] = ()
    if question is not None:
        prompt, answers = question.prompt, answers_of(question)
        notes += [own] if own and own != prompt else []
        if question.kind.form.how == "edit":
            solved = _solution(question)
            shown_by = next((answer.id for answer in answers if answer.right), "")
            said += [sentence("present.picture_of", letter=shown_by)] if shown_by and solved is not one else []
            notes += [] if answers else [question.kind.says(question)]
        else:
            text = in_few_words(question, question.truth)
            said += [sentence("page.the_answer", answer=text)] if text and not answers else []
            said.append(question.kind.says(question))
        said += task.afterwards() if task is not None else []
        element = about(question, prompt)
        if element and question.kind.pictured and hides_drawn(question):
            prompt = f"{prompt} {sentence('page.about', element=element)}"  # no picture marks it
            question = replace(question, prompt=prompt)
    if is_broken:
        reasons = [reason.cause.told.message for reason in view.why.errors]
        said += [reason for reason in reasons if not any(reason in other for other in said)]
    return Item(
        view=view,
        prompt=prompt,
        question=question,
        answers=answers,
        sentences=tuple(dict.fromkeys(said)),
        notes=tuple(notes),
        problem=problem,
        solved=view if solved is one else view_state_of(solved),
    )


def rule_name(question: Question, rule: str) -> str:
    """A wrong rule's id and name; the id alone of one that nothing knows."""
    return f"{rule} {question.rule(rule).name}" if question.knows(rule) else rule


def _solution(question: Question) -> Experiment:
    one = question.subject.experiment
    if isinstance(question, AuthoredQuestion) and question.task.solutions:
        try:
            return changed(one, question.task.solutions[0], "task.solutions[0]")
        except DmlvizError:
            return one
    answer = next((offer.desc for offer in offered(question) if offer.mends), None)
    if answer is None and isinstance(question.truth, DescAnswer):
        answer = question.truth.desc
    return dataclasses.replace(one, desc=answer) if answer is not None else one


def _generated(one: Experiment) -> Question | None:
    subject, first = Subject(one), [kind for kind in kinds().values() if kind.pictured and kind.stage == 1]
    made = (kind.make(subject, 0) for kind in sorted(first, key=lambda kind: kind.form.how != "choose"))
    return next((question for question in made if question is not None and question.subject is subject), None)


def _is_level(question: Question) -> bool:
    return question.kind.form.how == "edit" and question.goal is not None


def answers_of(question: Question) -> tuple[Answer, ...]:
    """The answers that hands can be counted for, by letters: the right one and those of wrong rules.

    Of edits that are offered, several may be right. () where the right one can't be said in a few words.
    """
    if question.kind.form.how == "edit":
        edits = zip(LETTERS, () if _is_level(question) else offered(question), strict=False)
        return tuple(Answer(letter, offer.text, offer.mends) for letter, offer in edits)
    rules: dict[Any, str] = {}
    for id_, given in question.answers.items():
        rules.setdefault(given, rule_name(question, id_))
    choices = {choice.id: choice for choice in question.choices}
    if isinstance(question.truth, str) and question.truth in choices and set(choices) <= set(LETTERS):
        pairs = [(choice.text, id_) for id_, choice in choices.items()]
    else:
        pairs = _in_words(question, list(rules))
    answers = []
    for letter, (text, given) in zip(LETTERS, pairs, strict=False):
        verdict = question.verdict_on(given)
        answers.append(
            Answer(
                letter,
                text,
                verdict.right,
                rules.get(given, ""),
                picture=choices[given].picture if given in choices else None,
                says=verdict.says,
                given=given,
            )
        )
    return tuple(answers)


def _in_words(question: Question, wrong: list[Any]) -> list[tuple[str, Any]]:
    every: list[Any] = [True, False]
    if not isinstance(question.truth, bool):
        every = [question.truth, *wrong[: len(LETTERS) - 1]]
        random.Random(f"{question.id} {question.subject.experiment.name}").shuffle(every)
    found: dict[str, Any] = {}
    for given in every:
        found.setdefault(in_few_words(question, given), given)
    found.pop("", None)
    if question.truth not in found.values() or len(found) < 2:
        return []
    meant = {choice.id: choice.text for choice in question.choices}
    return [(f"{text}: {meant[text]}" if text in meant else text, given) for text, given in found.items()]


def in_few_words(question: Question, answer: Any) -> str:
    """An answer in at most MOST_SAID characters; "" for one that can't be said so."""
    text = in_words(question, question.kind.form.json(answer))
    return text if len(text) <= MOST_SAID else ""


def in_words(question: Question, answer: Any) -> str:
    """An answer, which is JSON, as a person reads it; of several choices what each says."""
    subject, form = question.subject, question.kind.form
    if answer is None or answer == []:
        return sentence("present.valid" if form.how == "tick" else "words.none")
    if isinstance(answer, bool):
        return sentence("page.yes" if answer else "page.no")
    if answer == FROM_NOWHERE_JSON and question.kind.takes_nowhere(subject):
        return sentence("answer.nowhere")
    if isinstance(answer, dict) and "index" in answer:
        parts = subject.desc.outputs if "output" in answer else subject.desc.inputs
        part = parts[answer["output" if "output" in answer else "tensor"]]
        return f"{part.path}{brackets(answer['index'])}"
    if isinstance(answer, list):
        if all(isinstance(entry, list) for entry in answer):
            return "  ".join(map(braces, answer))
        named = {choice.id: choice.text or choice.id for choice in question.choices}
        joint = "; " if any(entry in named for entry in answer if isinstance(entry, str)) else ", "
        return joint.join(named.get(words, words) for words in (in_words(question, entry) for entry in answer))
    return shown(answer)


def counted_hands(answers: Sequence[Answer], counts: Counts, first: Counts = ()) -> tuple[Said, ...]:
    """The hands of each answer in a vote; in the second one with their share in the `first`."""
    shares = shares_of(first) or [None] * len(answers)
    return tuple(
        Said(text=answer.id, count=count, right=answer.right, rule=answer.rule, says=answer.says, before=share)
        for answer, count, share in zip(answers, counts, shares, strict=True)
    )


def shares_of(counts: Sequence[int | None]) -> list[int | None]:
    """The share of each answer in all that were given, 0 to 100."""
    total = sum(count or 0 for count in counts)
    return [None if count is None else round(100 * count / max(1, total)) for count in counts]


def total_of(counted: Sequence[Said]) -> int:
    """All who answered."""
    return sum(each.count or 0 for each in counted)
