"""A question about a subject, its kind, and the verdict on an answer."""

from __future__ import annotations

import random
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from msgspec import Struct, field
from msgspec.structs import replace

from ...desc.base import Part
from ...errors import DmlvizError, quote
from ...operators.maps import Place
from ..words.catalogue import sentence
from .subject import LETTERS, SMALL, Answer, Cell, How, Rule, Side, Subject, shown

Hints = tuple[str, str, str, str]
"""Where to look, the rule in words, the formula with blanks, the answer."""
SHOWN = 48
"""Elements of the outputs up to which all of them are drawn as a choice, or asked for."""


class At(Struct, frozen=True):
    """An element that a question is about; the elements under a shorter index, or all for none."""

    place: Place
    index: tuple[int, ...]

    @staticmethod
    def input(number: int, index: tuple[int, ...] = ()) -> At:
        return At(Place(False, number), index)

    @staticmethod
    def output(number: int, index: tuple[int, ...] = ()) -> At:
        return At(Place(True, number), index)


class Picture(Struct, frozen=True):
    """One choice's outputs, or those of a goal: sizes and row-major values."""

    outputs: tuple[tuple[tuple[int, ...], tuple[Any, ...]], ...]

    @property
    def tables(self) -> list[list[list[str]]]:
        return [
            [[shown(element) for element in values[at : at + across]] for at in range(0, len(values), across)]
            for sizes, values in self.outputs
            for across in (sizes[-1] if sizes else 1,)
        ]


class Choice(Struct, frozen=True):
    id: str
    """What is sent back, and kept: `a` to `d` where one of them is chosen; a rule's own name where several are."""
    text: str = ""
    picture: Picture | None = None


class Form:
    """How an answer is given: by itself one of a question's options, of which it is the key."""

    name: str = "choice"
    how: How = "choose"
    side: Side = ""
    takes_several: bool = False
    """True where an answer is any number of things, and none too."""
    words: str = "choice"
    """What `quiz` says is typed: a sentence's key."""
    fills = False
    """Several places are typed into, a value each."""
    in_row = False
    """Options are short names, which have one row."""

    @property
    def is_marked(self) -> bool:
        return self.how == "mark" and self.takes_several

    @property
    def is_listed(self) -> bool:
        """True where there are options with one of them under the cursor."""
        return self.how in ("choose", "tick")

    def read(self, question: Question, given: object) -> Answer:
        """An answer from its JSON. Raises DmlvizError, with a sentence, for another shape, type or size."""
        ids = [option.id for option in question.options]
        if not isinstance(given, str) or given not in ids:
            raise DmlvizError(f"answer is {quote(given)}, expected one of {', '.join(ids)}.")
        return given

    def json(self, answer: Answer) -> Any:
        """The JSON that `read` reads, with lists for tuples."""
        return [Form.json(self, part) for part in answer] if isinstance(answer, tuple) else answer

    def text(self, question: Question, answer: Answer) -> str:
        """An answer as one text that is equal for equal answers: `b`, `a d`, `3 5 nan`, or cells as `0:7 0:8`."""
        return str(answer)

    def typed(self, question: Question, text: str) -> Any:
        """The JSON of an answer's text, as `text` or a person writes it. Raises DmlvizError, with a sentence."""
        ids = {letter: choice.id for letter, choice in zip(LETTERS, question.choices, strict=False)}
        ids |= {option.id: option.id for option in question.options}
        word = text.strip().rstrip(".)")
        if (found := ids.get(word, ids.get(word.lower()))) is None:
            last = LETTERS[max(0, len(question.choices) - 1)]
            raise DmlvizError(sentence("quiz.found_letter", found=quote(text), last=last))
        return found


class Question(Struct, frozen=True, kw_only=True, dict=True):
    """One question, which follows from subject and seed alone. What a kind doesn't use is None or empty."""

    kind: Kind
    subject: Subject
    seed: int
    prompt: str
    """What is asked, in one or two sentences that name what the screen shows."""
    truth: Answer
    at: At | None = None
    blank: str | None = None
    """The field that is blank, DirectML's path."""
    first: int | None = None
    """How many elements are asked for: the first of memory, or of those under a shorter index."""
    cells: tuple[tuple[int, ...], ...] = ()
    """What a question about a chain is about, see `ChainKind`."""
    goal: Picture | None = None
    choices: tuple[Choice, ...] = ()
    hidden: frozenset[str] = frozenset()
    """What must not be seen while the question is open: paths (`OutputTensor`, `OutputTensor.Sizes`, `Axis`),
    `values` of outputs, and `memory`, `rules`, `fixes`, `levels`, `reads`, `links` for what panels tell.

    A tensor's path alone stands for its elements, `.Sizes` for its sizes too; `links` are colours and partners.
    """
    answers: Mapping[str, Answer] = field(default_factory=dict)
    """What holders of wrong rules answer, by the rules' ids; those alone whose answer isn't the truth."""
    meant: Mapping[str, frozenset[Answer]] = field(default_factory=dict)
    """What they may answer as well, see `Misreading.also`; it may be the truth."""

    @property
    def element(self) -> At:
        """`at`, of a kind that always has one."""
        assert self.at is not None
        return self.at

    @property
    def cell(self) -> Cell:
        """`element` by its tensor's number."""
        return self.element.place.number, self.element.index

    @property
    def id(self) -> str:
        """Unique within an experiment: `cell.7`."""
        return f"{self.kind.name}.{self.seed}"

    @property
    def options(self) -> tuple[Choice, ...]:
        return self.kind.options(self)

    @property
    def alternatives(self) -> int:
        """About how many answers whoever guesses chooses among."""
        return max(len(self.choices), len({*self.answers.values()}) + 1, self.kind.alternatives)

    @property
    def confirms(self) -> bool:
        """True where the answer is a whole output: nobody fills one in by a wrong rule by chance."""
        is_whole = self.at is not None and not self.at.index and self.first is None
        return is_whole and self.kind.form.name == "values"

    @cached_property
    def ways(self) -> dict[str, frozenset[Answer]]:
        """All that holders of wrong rules may answer, by the ids of those alone who may answer wrongly."""
        every = dict.fromkeys((*self.answers, *self.meant))
        said = {rule: {self.answers.get(rule, self.truth), *self.meant.get(rule, ())} for rule in every}
        return {rule: frozenset(ways) for rule, ways in said.items() if ways != {self.truth}}

    @cached_property
    def wrong(self) -> list[Answer]:
        """The wrong ones among them, once each and in one order."""
        said = (way for rule in self.ways for way in sorted(self.ways[rule], key=repr))
        return [*dict.fromkeys(way for way in said if way != self.truth)]

    def knows(self, rule_id: str) -> bool:
        """True if it is asked about that rule: one that the operator declares, or one of chains."""
        return any(rule.id == rule_id for rule in self.kind.rules_about(self.subject))

    def rule(self, rule_id: str) -> Rule:
        return next(rule for rule in self.kind.rules_about(self.subject) if rule.id == rule_id)

    def grade(self, answer: object) -> Reply:
        """The verdict on an answer in its JSON form. Raises DmlvizError for one of the wrong shape."""
        return self.verdict_on(self.kind.form.read(self, answer))

    def verdict_on(self, answer: Answer) -> Reply:
        return self.kind.reply(self, answer)

    def hint(self, number: int) -> str:
        """Hint 1 to 4: where to look, the rule, the formula with blanks, the answer."""
        if number not in range(1, 5):
            raise DmlvizError(f"hint is {quote(number)}, expected 1 to 4.")
        return self.kind.hints(self)[number - 1]


class Reply(Struct, frozen=True):
    right: bool
    says: str
    look: str
    rules: tuple[str, ...] = ()
    """Ids of all wrong rules that give the answer that was given."""
    lights: tuple[str, ...] = ()
    """What lights up: see `Misreading.lights`."""


class Wish(Struct, frozen=True, kw_only=True):
    """What an author wants asked. A kind ignores what it doesn't use, and chooses what is None or empty."""

    at: At | None = None
    first: int | None = None
    rules: Sequence[str] = ()
    """Whose answers are among the choices, by their ids."""
    field: str | None = None
    choices: Sequence[str] = ()
    wrong: Mapping[str, str] = {}
    """Which of them the holders of rules choose, by the rules' ids."""
    goal: Picture | None = None
    truth: Answer = None
    """The line that is right to choose, or a desc that gives the goal."""


ANYTHING = Wish()


class Kind(ABC):
    """A kind of question: it makes one from any subject, knows what each rule's holder answers, and grades."""

    name: ClassVar[str]
    stage: ClassVar[int] = 2
    """1 for a beginner's, to 3."""
    form: Form = Form()
    alternatives: ClassVar[int] = 8
    quantity: ClassVar[str] = ""
    """What a picture would tell of the answer: `value`, `source`, `via`, `dest`, `count`, `sizes`, `field`."""
    confirms_elsewise = False
    """Whether any answer confirms a rule, which shows in no filled output."""
    authored = False
    """Only an author can ask it: another like it would be the same once more."""
    of_any_desc = False
    """It is about descs that may be broken."""
    of_chains = False
    of_inputs = False
    """It is about an input's element."""
    pictured = False
    """It is asked in the picture, which of others would tell too much."""
    draws_outputs = True
    """Outputs have a place in that picture."""
    about_memory = False
    """The answer is shown in address order, copy by copy."""
    about_rules = False
    """It asks which rules hold."""
    told_by_rules = False
    """The desc's verdict or its reasons tell the answer."""
    needs: ClassVar[str] = "a misconception that answers otherwise here"
    """What it wants of a desc besides small tensors and promised values, see `lacks`."""
    late = False
    """Whether it is about rules, memory or levels, and so asked after all others where there are any."""

    @abstractmethod
    def make(self, subject: Subject, seed: int, wish: Wish = ANYTHING) -> Question | None:
        """A question as its author wishes, else the one of its kind that tells most wrong rules apart; None for none.

        The same subject and seed give the same question. Nothing is asked that the operator doesn't promise, nor about
        elements of a tensor that isn't small, see `Subject.small`.
        """

    @abstractmethod
    def answer(self, question: Question, rule: Rule | None) -> Answer | None:
        """What the holder of a rule answers; the truth for None. None where the rule makes an answer impossible."""

    @abstractmethod
    def says(self, question: Question) -> str:
        """One sentence that tells the right answer, or why it is right."""

    def options(self, question: Question) -> tuple[Choice, ...]:
        return question.choices

    def rules_about(self, subject: Subject) -> Sequence[Rule]:
        """The wrong rules that it may tell from the truth."""
        return subject.rules

    def lacks(self, subject: Subject) -> str:
        """What it needs of a desc that this one hasn't, for who is told that it can't be asked."""
        broken = [check.id for check in subject.report.errors]
        if broken and not self.of_any_desc:
            return f"a valid desc, but {broken[0]} fails"
        if subject.valid and not (subject.is_small or self.of_chains):
            return f"tensors of at most {SMALL} elements"
        is_promised = not subject.is_small or self.quantity == "promised" or all(subject.truth.promised.values())
        return self.needs if is_promised else f"promised values, and {self.needs}"

    def takes_nowhere(self, subject: Subject) -> bool:
        """True if an answer may say that an element comes from nowhere."""
        return False

    def tensor_marked(self, subject: Subject) -> int:
        """The tensor in which an element is marked that names none."""
        return 0

    def lines(self, question: Question) -> list[tuple[str, tuple[int, ...], tuple[Any, ...]]]:
        """What is known of a chain, (text, sizes, values) line by line; [] for one desc."""
        return []

    def places(self, question: Question) -> list[tuple[int, ...]]:
        """The indices of the elements that are asked for, in their order."""
        return [question.element.index]

    def hints(self, question: Question) -> Hints:
        """Where to look, the rule in words, the formula with blanks, the answer; by default the catalogue's."""
        look, rule, formula = (sentence(f"{self.name}.{part}") for part in ("look", "rule", "formula"))
        return look, rule, formula, self.says(question)

    def is_right(self, question: Question, answer: Answer) -> bool:
        return bool(answer == question.truth)

    def rules(self, question: Question, answer: Answer) -> tuple[str, ...]:
        """Ids of all wrong rules whose holders give a wrong answer."""
        return tuple(rule for rule, wrong in question.answers.items() if wrong == answer)

    def remarks(self, question: Question, answer: Answer) -> str:
        """One sentence on an answer that no rule gives, right or wrong; before it that coordinates count from 0."""
        is_from_one = answer != question.truth and answer in self.counted_from_one(question)
        return " ".join([*([sentence("words.from_zero")] if is_from_one else []), self.says(question)])

    def counted_from_one(self, question: Question) -> Sequence[Answer]:
        """What is answered by who counts coordinates from 1, those of the question or of the answer."""
        return ()

    def reply(self, question: Question, answer: Answer) -> Reply:
        """What is said to an answer: by the first wrong rule that gives it, if one does."""
        right = self.is_right(question, answer)
        rules = () if right else self.rules(question, answer)
        if not rules:
            return Reply(right, self.remarks(question, answer), self.hints(question)[0])
        rule = question.rule(rules[0])
        return Reply(right, rule.says(question.subject.desc), rule.look, rules, lights=rule.lights)

    def dice(self, subject: Subject, seed: int) -> random.Random:
        """The random numbers of a question, which follow from its seed, the kind and the experiment's name."""
        return random.Random(f"{self.name} {seed} {subject.experiment.name}")

    def pose(
        self, subject: Subject, seed: int, prompt: str, hidden: Iterable[str] = (), truth: Answer = None, **more: Any
    ) -> Question:
        """Makes a question, with its truth and what wrong rules answer otherwise; `more` are fields of `Question`."""
        question = Question(
            kind=self, subject=subject, seed=seed, prompt=prompt, truth=truth, hidden=frozenset(hidden), **more
        )
        truth = self.answer(question, None)
        wrong = {rule.id: self.answer(question, rule) for rule in self.rules_about(subject)}
        answers = {rule: answer for rule, answer in wrong.items() if answer is not None and answer != truth}
        meant = {
            rule.id: frozenset(self.answer(question, each) for each in rule.meanings) - {None}
            for rule in self.rules_about(subject)
            if rule.also
        }
        return replace(question, truth=truth, answers=answers, meant=meant)


def part_at(subject: Subject, place: Place) -> Part:
    return (subject.desc.outputs if place.is_output else subject.desc.inputs)[place.number]


def most_telling(every: Iterable[tuple[Any, Any, Sequence[Any]]], dice: random.Random) -> Any | None:
    """Of (what is asked about, the right answer, those of wrong rules) what tells most from the truth, then apart.

    By chance among near ties; None for none.
    """
    found = [(at, [answer for answer in said if answer not in (None, truth)]) for at, truth, said in every]
    most = max((len(wrong) for _, wrong in found), default=0)
    tied = [(at, len({*wrong})) for at, wrong in found if len(wrong) == most]
    widest = max((apart for _, apart in tied), default=0)
    return dice.choice([at for at, apart in tied if apart >= widest - 1]) if tied else None


def told_by_reveal(before: Question, question: Question) -> bool:
    """True if the screen shows what `question` asks for once `before` is answered.

    Whose picture is shown tells all of its desc but rules and memory: by wires, counts, titles and its formula.
    """
    one = before.subject
    other = question.subject
    kind = question.kind
    if one.desc != other.desc or not _alike(one, other, all_values=False):
        return False
    same = _alike(one, other, all_values=True)
    shown = {"sizes", "field"}
    if one.valid:
        shown |= {"source", "via", "dest", "count", *(["value"] if same else ())}
    is_same_place = before.cells == question.cells and (before.at == question.at or not kind.of_chains)
    is_again = before.kind is kind and is_same_place and one.experiment.feature_level is other.experiment.feature_level
    return kind.quantity in shown or (same and is_again)


def _alike(one: Subject, other: Subject, *, all_values: bool) -> bool:
    """True if two subjects of one desc have the same indices and lengths; with `all_values`, the same data too."""
    if one is other or not (one.valid and other.valid):
        return one is other or dict(one.experiment.values) == dict(other.experiment.values)
    numbers = [k for k, part in enumerate(one.desc.inputs) if all_values or not part.is_data]
    flat = {k: one.desc.inputs[k].tensor.flat for k in numbers}
    return all(np.array_equal(one.trace.read(k, flat[k]), other.trace.read(k, flat[k])) for k in numbers)
