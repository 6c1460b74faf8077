"""One experiment as it is presented: its question, the answers to count hands for, and what the reveal tells."""

from __future__ import annotations

import dataclasses
import random
from collections.abc import Sequence
from functools import cached_property
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from ...desc.tensors import braces, brackets
from ...errors import DmlvizError
from ...operators.fixes.differences import changes_between
from ...operators.registry import operator_of
from ...scene.view_state import ViewState, view_state_of
from ...session.experiments import Experiment
from ...session.notes import printable, split_notes
from ...session.presentation_state import Build
from ...teaching.asked import task_of
from ...teaching.kinds.lib.asking import kinds
from ...teaching.kinds.whole_descs import DescAnswer
from ...teaching.lessons.lessons import Step
from ...teaching.questions.question import Picture as Drawn
from ...teaching.questions.question import Question
from ...teaching.questions.subject import FROM_NOWHERE_JSON, Subject, shown
from ...teaching.tasks.changed_descs import changed, steering_of
from ...teaching.tasks.own_tasks import offered
from ...teaching.tasks.tasks import OTHER, AuthoredQuestion, question_of
from ...teaching.words import catalogue
from ..asking.answering import hides_drawn
from ..asking.asked_desc import numbers_of

LETTERS = "abcd"
MOST_SAID = 48
"""Columns of an answer that is chosen by a letter."""


class Answer(Struct, frozen=True):
    """One of the answers that hands are counted for."""

    id: str
    text: str
    right: bool
    rule: str = ""
    """Who gives it: the wrong rule's id and name; "" for the right one, and where no rule gives it."""
    picture: Drawn | None = None
    words: str = ""
    """The author's for those who give it."""
    given: Any = None
    """The answer that it stands for, as the question has it; None for an edit that is offered."""


class Item(Struct, frozen=True, kw_only=True, dict=True):
    """One experiment as it is presented."""

    view: ViewState
    """Of the experiment that is asked about: with what its task changes."""
    prompt: str
    question: Question | None = None
    """None where nothing can be asked but what the prompt says."""
    answers: tuple[Answer, ...] = ()
    sentences: tuple[str, ...] = ()
    """What the reveal tells, sentence by sentence."""
    notes: tuple[str, ...] = ()
    """The speaker's."""
    problem: str = ""
    """Why its own task can't be asked."""
    solved: ViewState | None = None
    """What the reveal shows in its place: a desc that wins a level, or that is mended."""
    tells: bool = False
    """The answer was revealed before the steps are shown, and stays on the wall with them."""

    def say(self, key: str, **values: Any) -> str:
        """The sentence of that key."""
        return catalogue.sentence(key, **values)

    @property
    def experiment(self) -> Experiment:
        """The experiment that is asked about."""
        return self.view.experiment

    @property
    def builds(self) -> tuple[Build, ...]:
        """What page down shows in turn; where nothing is drawn, no steps: they would tell answer and validity."""
        return tuple(Build) if self.draws_open and not self.tells else (Build.QUESTION, Build.REVEAL)

    @property
    def draws_open(self) -> bool:
        """True if its picture tells nothing that is asked, nor anything that its author hides."""
        question = self.question
        # The steps, and the names, of others may tell what is asked; a level's picture is of what it starts with.
        is_drawn = question is None or question.kind.pictured or _is_level(question)
        asks_in_words = question is not None and (not is_drawn or hides_drawn(question))
        return self.view.live and not asks_in_words

    @cached_property
    def after_reveal(self) -> Item:
        """A copy of which the answer stays on the wall while its steps are shown."""
        return replace(self, tells=True)

    def is_told(self, build: Build) -> bool:
        """True if the answer may be seen: from the reveal on, which steps follow where they would have told it."""
        return build is Build.REVEAL or (build is Build.PLAY and Build.PLAY not in self.builds)

    def experiment_at(self, build: Build) -> Experiment:
        """The experiment that is on the wall: once it is revealed, the solution where there is one."""
        return self.view_at(build).experiment

    def view_at(self, build: Build) -> ViewState:
        """The view that is on the wall: once it is revealed, the solution's where there is one."""
        return self.solved if self.solved is not None and self.is_told(build) else self.view

    def numbers_at(self, build: Build) -> tuple[tuple[str, str], ...]:
        """(name, text) of the numbers of the desc that is on the wall."""
        return numbers_of(self.experiment_at(build).desc)

    @property
    def lines(self) -> tuple[str, ...]:
        """The desc in plain lines, for one without a picture."""
        tensors = [
            f"{part.path}  {part.tensor.data_type}  {braces(part.tensor.sizes)}" for part in self.experiment.desc.parts
        ]
        numbers = [f"{name}  {text}" for name, text in self.numbers_at(Build.QUESTION)]
        return (*tensors, *numbers, f"{self.say('words.feature_level')}  {self.experiment.feature_level}")


def item_of(step: Step, seed: int = 0) -> Item:
    """How a step's experiment is presented: its author's question, or one that is made from its desc."""
    one, task, problem = step.experiment, step.task, step.problem
    told, own = split_notes(printable(one.notes))
    notes = [line for line in told.splitlines() if line.strip()]
    question: Question | None = None
    said: list[str] = []
    try:
        if task is not None:
            question = question_of(one, task, seed)
            notes = [*(printable(text) for text in task.speaker), *notes]
    except DmlvizError as error:
        task, problem = None, str(error)
    if question is not None:
        one = question.subject.experiment  # with what its task changes
    view = view_state_of(one)
    if question is None and view.report.ok is not False:
        question = _generated(one)
    if question is not None and own and own != question.prompt:
        notes.append(own)
    answers = answers_of(question) if question is not None else ()
    solution: Experiment | None = None
    if question is not None:
        if question.kind.form.how != "edit":
            said += [*_right_sentences(question, answers), question.kind.says(question)]
        else:
            solution = _solution(question)
            said += [_solution_sentence(question, answers, one, solution)] if solution is not None else []
        if task is not None:
            said += task.afterwards()
        said += [f"{answer.id}: {answer.words}" for answer in answers if answer.words]
        notes += _unlettered_words(question, answers)
    if view.report.ok is False:
        causes = [reason.cause.told for reason in view.why.errors]
        reasons = [cause.message for cause in causes]
        said += [reason for reason in reasons if not any(reason in other for other in said)]
        prompt = question.prompt if question is not None else own or catalogue.sentence("present.refused")
    else:
        prompt = question.prompt if question is not None else own or operator_of(one.desc).title
    if question is not None and question.kind.pictured and hides_drawn(question):
        prompt = _prompt_with_element(question)  # no picture marks it
        question = replace(question, prompt=prompt)
    return Item(
        view=view,
        prompt=prompt,
        question=question,
        answers=answers,
        sentences=tuple(dict.fromkeys(said)),
        notes=tuple(notes),
        problem=problem,
        solved=view_state_of(solution) if solution is not None else None,
    )


def _unlettered_words(question: Question, answers: Sequence[Answer]) -> list[str]:
    """The author's words for wrong rules whose answers have no letter: the speaker has them."""
    if not isinstance(question, AuthoredQuestion):
        return []
    lettered = {answer.words for answer in answers}
    notes = []
    for rule, text in question.task.wrong.items():
        words = text
        name = rule_name(question, rule) if rule != OTHER else question.subject.sentence("present.no_rule")
        notes += [f"{name}: {words}"] if words not in lettered else []
    return notes


def rule_name(question: Question, rule: str) -> str:
    """A wrong rule's id and name; the id alone of one that nothing knows."""
    return f"{rule} {question.rule(rule).name}" if question.knows(rule) else rule


def _own_words(question: Question, answer: Any) -> str:
    """The author's words for those who give a wrong answer; "" where nobody wrote some."""
    if answer == question.truth or not isinstance(question, AuthoredQuestion):
        return ""
    text = question.words_on(answer, [rule for rule, given in question.answers.items() if given == answer])
    return text if text is not None else ""


def _prompt_with_element(question: Question) -> str:
    """The prompt, with the element that the question is about where that isn't in it."""
    about = task_of(question).about
    if not about or about in question.prompt:
        return question.prompt
    return f"{question.prompt} {question.subject.sentence('page.about', element=about)}"


def _solution(question: Question) -> Experiment | None:
    """A desc that answers a question whose answer is a desc; None where that can't be made."""
    subject = question.subject
    if isinstance(question, AuthoredQuestion) and question.task.solutions:
        try:
            return changed(subject.experiment, question.task.solutions[0], "task.solutions[0]")
        except DmlvizError:
            return None
    answer = next((offer.desc for offer in offered(question) if offer.mends), None)
    if answer is None and isinstance(question.truth, DescAnswer):
        answer = question.truth.desc
    return dataclasses.replace(subject.experiment, desc=answer) if answer is not None else None


def _solution_sentence(question: Question, answers: Sequence[Answer], start: Experiment, end: Experiment) -> str:
    """What a solution changes, in a line."""
    letter = next((answer.id for answer in answers if answer.right), None)
    if letter is not None:
        return question.subject.sentence("present.picture_of", letter=letter)
    if end.desc.TYPE != start.desc.TYPE:
        words = [operator_of(end.desc).name, *(f"{name} {n}" for name, n in numbers_of(end.desc))]
    else:
        changes = changes_between(start.desc, end.desc, start.feature_level, start.feature_level)
        words = [str(change) for change in changes]
    before = steering_of(start)
    words += [f"{path} {', '.join(map(str, now))}" for path, now in steering_of(end).items() if before.get(path) != now]
    return question.subject.sentence("present.solution", changes="; ".join(words))


def _generated(one: Experiment) -> Question | None:
    """A question about a valid desc, one with choices if it can be; None where there is nothing to ask."""
    subject, first = Subject(one), [kind for kind in kinds().values() if kind.pictured and kind.stage == 1]
    made = (kind.make(subject, 0) for kind in sorted(first, key=lambda kind: kind.form.how != "choose"))
    return next((question for question in made if question is not None and question.subject is subject), None)


def _is_level(question: Question) -> bool:
    """True where a desc is to be found that makes a goal."""
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
        return tuple(
            Answer(
                id=choice.id,
                text=choice.text,
                right=choice.id == question.truth,
                rule=rules.get(choice.id, ""),
                picture=choice.picture,
                words=_own_words(question, choice.id),
                given=choice.id,
            )
            for choice in question.choices
        )
    if isinstance(question.truth, bool):
        every: list[Any] = [True, False]
    else:
        wrong = list(rules)[: len(LETTERS) - 1]
        every = [question.truth, *wrong]
        random.Random(f"{question.id} {question.subject.experiment.name}").shuffle(every)
    answers: dict[str, Any] = {}
    for given in every:
        text = in_few_words(question, given)
        if given == question.truth and (text is None or text in answers):
            return ()
        if text is not None:
            answers.setdefault(text, given)
    if len(answers) < 2:
        return ()
    said = {choice.id: choice.text for choice in question.choices if choice.text and choice.text != choice.id}
    return tuple(
        Answer(
            letter,
            f"{text}: {said[text]}" if text in said else text,
            given == question.truth,
            rules.get(given, ""),
            words=_own_words(question, given),
            given=given,
        )
        for letter, (text, given) in zip(LETTERS, answers.items(), strict=False)
    )


def in_few_words(question: Question, answer: Any) -> str | None:
    """An answer in at most MOST_SAID characters; None for one that can't be said so."""
    text = in_words(question, question.kind.form.json(answer))
    return text if text is not None and 0 < len(text) <= MOST_SAID else None


def in_words(question: Question, answer: Any) -> str | None:
    """An answer that JSON has, in words; None for one that can't be said."""
    subject = question.subject
    if answer is None:
        return subject.sentence("words.none")
    if isinstance(answer, bool):
        return subject.sentence("page.yes") if answer else subject.sentence("page.no")
    if isinstance(answer, (int, float)):
        return shown(answer)
    if answer == FROM_NOWHERE_JSON and question.kind.takes_nowhere(subject):
        return subject.sentence("answer.nowhere")
    if isinstance(answer, str):
        return answer
    if isinstance(answer, dict):
        number = answer.get("tensor", answer.get("output"))
        desc, index = question.subject.desc, answer.get("index")
        parts = desc.outputs if "output" in answer else desc.inputs
        if type(number) is not int or number >= len(parts) or not isinstance(index, list):
            return None
        return f"{parts[number].path}{brackets(index)}"
    if isinstance(answer, list):
        if not answer:
            return subject.sentence("present.valid" if question.kind.form.how == "tick" else "words.none")
        if all(isinstance(entry, list) for entry in answer):
            return "  ".join(braces(sizes) for sizes in answer)
        texts = [in_words(question, entry) for entry in answer]
        return ", ".join(text for text in texts if text is not None) if None not in texts else None
    return None


def _right_sentences(question: Question, answers: Sequence[Answer]) -> list[str]:
    """A sentence with the right answer; [] where a letter stands for it, or it takes too many words."""
    if any(answer.right for answer in answers):
        return []
    text = in_few_words(question, question.truth)
    return [question.subject.sentence("present.answer", answer=text)] if text is not None else []
