"""One experiment as it is presented: its question, the answers to count hands for, and what the reveal tells."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ..desc.fields import NumberField, NumbersField
from ..desc.tensors import braces, brackets
from ..errors import DmlvizError
from ..operators.registry import operator_of
from ..scene.view_state import ViewState, view_state_of
from ..session.experiments import Experiment
from ..session.notes import printable, split_notes
from ..session.presentation_state import Build
from ..teaching.answers import shown
from ..teaching.asking import kinds
from ..teaching.question import Picture as Drawn
from ..teaching.question import Question
from ..teaching.subject import Subject
from ..teaching.tasks import question_of, task_of

GENERATED = ("pictures", "cell", "sizes", "count")
"""What is asked about an experiment whose author asks nothing: the first kind that can be."""
WITHOUT_LETTERS = frozenset({"level", "fixes"})
"""Kinds whose answer is a desc."""
LETTERS = "abcd"
MOST_SAID = 48
"""Columns of an answer that is chosen by a letter."""


@dataclass(frozen=True, slots=True)
class Answer:
    """One of the answers that hands are counted for."""

    id: str
    text: str
    right: bool
    rule: str = ""
    """Who gives it: the wrong rule's id and name; "" for the right one, and where no rule gives it."""
    picture: Drawn | None = None


@dataclass(frozen=True)
class Item:
    """One experiment as it is presented."""

    experiment: Experiment
    view: ViewState
    prompt: str
    question: Question | None = None
    """None where nothing can be asked but what the prompt says."""
    answers: tuple[Answer, ...] = ()
    said: tuple[str, ...] = ()
    """What the reveal tells, sentence by sentence."""
    notes: tuple[str, ...] = ()
    """The speaker's."""
    problem: str = ""
    """Why its own task can't be asked."""

    @property
    def builds(self) -> tuple[Build, ...]:
        """What page down shows of it, one after the other."""
        return tuple(Build) if self.view.live else (Build.QUESTION, Build.REVEAL)

    @property
    def is_invalid(self) -> bool:
        return not self.view.report.ok

    @property
    def numbers(self) -> tuple[tuple[str, str], ...]:
        """The desc's numbers: each field's name, and what it holds."""
        desc = self.experiment.desc
        found = []
        for each in desc.FIELDS:
            if isinstance(each, NumbersField):
                found.append((each.name, braces(desc.get(each.name))))
            elif isinstance(each, NumberField):
                found.append((each.name, str(desc.get(each.name))))
        return tuple(found)

    @property
    def lines(self) -> tuple[str, ...]:
        """The desc in plain lines, for one without a picture."""
        tensors = [
            f"{part.path}  {part.tensor.data_type}  {braces(part.tensor.sizes)}" for part in self.experiment.desc.parts
        ]
        numbers = [f"{name}  {text}" for name, text in self.numbers]
        return (*tensors, *numbers, f"FeatureLevel  {self.experiment.feature_level}")


def item_of(experiment: Experiment, lang: str = "en", seed: int = 0) -> Item:
    """How an experiment is presented: its author's question, or one that is made from its desc."""
    view = view_state_of(experiment)
    told, own = split_notes(printable(experiment.notes))
    notes = [each for each in told.splitlines() if each.strip()]
    question: Question | None = None
    said: list[str] = []
    problem = ""
    try:
        task = task_of(experiment, lang)
        if task is not None:
            question = question_of(experiment, task, seed, lang)
            notes = [*(printable(each.said(lang)) for each in task.speaker), *notes]
    except DmlvizError as error:
        task, problem = None, str(error)
    if question is None and view.report.ok:
        question = _generated(experiment)
    if question is not None and own:
        notes.append(own)
    answers = answers_of(question) if question is not None else ()
    if question is not None:
        if question.kind.name not in WITHOUT_LETTERS:
            said += [*_right(question, answers), question.kind.says(question)]
        if task is not None and task.then is not None:
            said.append(task.then.said(lang))
    if not view.report.ok:
        reasons = [reason.first.message for reason in view.why.errors]
        said += [each for each in reasons if not any(each in other for other in said)]
        prompt = question.prompt if question is not None else own or "Why is this desc refused?"
    else:
        prompt = question.prompt if question is not None else own or operator_of(experiment.desc).title
    return Item(experiment, view, prompt, question, answers, tuple(dict.fromkeys(said)), tuple(notes), problem)


def _generated(experiment: Experiment) -> Question | None:
    """A question about a valid desc; None where there is nothing to ask."""
    subject, known = Subject(experiment), kinds()
    made = (known[name].make(subject, 0) for name in GENERATED if name in known)
    return next((question for question in made if question is not None), None)


def answers_of(question: Question) -> tuple[Answer, ...]:
    """The answers that hands can be counted for, by letters: the right one and those of wrong rules.

    None where the right one can't be said in a few words.
    """
    if question.kind.name in WITHOUT_LETTERS:
        return ()
    rules: dict[Any, str] = {}
    for id_, given in question.answers.items():
        rules.setdefault(given, f"{id_} {question.rule(id_).name}" if question.knows(id_) else id_)
    choices = {each.id: each for each in question.choices}
    if isinstance(question.truth, str) and question.truth in choices and set(choices) <= set(LETTERS):
        return tuple(
            Answer(each.id, each.text, each.id == question.truth, rules.get(each.id, ""), each.picture)
            for each in question.choices
        )
    if isinstance(question.truth, bool):
        every: list[Any] = [True, False]
    else:
        wrong = list(rules)[: len(LETTERS) - 1]
        every = [question.truth, *wrong]
        random.Random(f"{question.id} {question.subject.experiment.name}").shuffle(every)
    found: dict[str, Any] = {}
    for given in every:
        text = said_of(question, given)
        if given == question.truth and (text is None or text in found):
            return ()
        if text is not None:
            found.setdefault(text, given)
    if len(found) < 2:
        return ()
    return tuple(
        Answer(letter, text, given == question.truth, rules.get(given, ""))
        for letter, (text, given) in zip(LETTERS, found.items(), strict=False)
    )


def said_of(question: Question, answer: Any) -> str | None:
    """An answer in a few words; None for one that can't be said so."""
    text = _said(question, question.kind.json(answer))
    return text if text is not None and 0 < len(text) <= MOST_SAID else None


def _said(question: Question, found: Any) -> str | None:
    if found is None:
        return "none"
    if isinstance(found, bool):
        return "yes" if found else "no"
    if isinstance(found, (int, float)):
        return shown(found)
    if isinstance(found, str):
        return found
    if isinstance(found, dict):
        number = found.get("tensor", found.get("output"))
        desc, index = question.subject.desc, found.get("index")
        parts = desc.outputs if "output" in found else desc.inputs
        if type(number) is not int or number >= len(parts) or not isinstance(index, list):
            return None
        return f"{parts[number].path}{brackets(index)}"
    if isinstance(found, list):
        if not found:
            return "none" if question.kind.name != "valid" else "valid"
        if all(isinstance(each, list) for each in found):
            return "  ".join(braces(each) for each in found)
        said = [_said(question, each) for each in found]
        return ", ".join(each for each in said if each is not None) if None not in said else None
    return None


def _right(question: Question, answers: Sequence[Answer]) -> list[str]:
    """The answer in a sentence, where no letter stands for it."""
    if any(each.right for each in answers):
        return []
    text = said_of(question, question.truth)
    return [f"Answer: {text}"] if text is not None else []
