"""What is asked next: of a session, after a wrong answer, and in practice, where what was missed comes back."""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial

from msgspec import structs

from ...desc.base import Desc
from ...session.experiments import Experiment
from ..kinds.lib.asking import kinds_named
from ..kinds.whole_outputs import FILL
from ..progress.progress import Answered, seconds_of
from ..questions.question import Kind, Question, Wish, told_by_reveal
from ..questions.subject import Subject
from ..varying import AT_A_GLANCE, MOST_ELEMENTS, broken, edited, edits, experiment_with_values, mended_desc, varied
from ..words.catalogue import sentence
from .diagnosis import MOST, TOLD_BY, Diagnosis

TRIES = 160
"""Descs that are tried, the first half of them after fewer edits than the others."""
WIDEST = 9
"""The largest size of any tensor: a joined or repeated one has more than an edit gives."""
LEAST_SHARE, MOST_SHARE = 1 / 3, 3
"""How many elements the tensors of a follow-up have together, for each of the desc's just seen."""
DEEP = 2
"""Axes longer than 1 of a tensor, or one more where the other has more: it is drawn as one table."""
MOST_BESIDE, MOST_LINES = 6, 9
"""Columns of an output of which 80x24 has four beside each other, and lines for them; wider ones take two rows."""


def follow_up(
    seen: Question, rule: str = "", *, seed: int = 0, believed: Sequence[str] = (), before: Sequence[Question] = ()
) -> Question | None:
    """A question of the same kind about a desc near the one just seen, which tells a wrong rule from the truth.

    `rule` is the id of the one that the answer followed. Without it one of those that are `believed` is told, as far as
    the question just seen tells any; else any other that it tells. Its desc is another one than those of `seen` and
    `before`. None where there is none: what only an author can ask has none, nor have chains.
    """
    if seen.kind.authored or seen.kind.of_chains:
        return None
    told = [id_ for id_ in believed if id_ in seen.answers][:1] or list(seen.answers)
    wanted = [rule] if rule and seen.knows(rule) else told
    base = seen.subject.experiment
    desc = seen.subject.desc
    known = [question.subject.desc for question in (seen, *before)]
    dice = random.Random(f"follow {seen.kind.name} {seed} {base.name} {len(before)}")
    for experiment in _near(base, dice, seen.kind):
        subject = Subject(experiment)
        near = experiment.desc
        if near in known or not _is_like(near, desc) or not subject.moves:
            continue
        if seen.kind.name == "pictures" and not _is_low(near):
            continue
        question = seen.kind.make(subject, seed, Wish(rules=wanted, field=seen.blank))
        if question is None:
            continue
        if not wanted or not question.answers.keys().isdisjoint(wanted):
            # Of all rules that give an answer, the one that it is asked for is the likeliest.
            first = {id_: question.answers[id_] for id_ in wanted[:1] if id_ in question.answers}
            return structs.replace(question, answers={**first, **question.answers})
    return None


def _is_like(desc: Desc, seen: Desc) -> bool:
    tensors, others = ([part.tensor for part in one.parts if part.tensor.can_exist] for one in (desc, seen))
    ranks = {next((part.tensor.dimension_count for part in one.inputs), 0) for one in (desc, seen)}
    count = sum(tensor.element_count for tensor in tensors)
    usual = sum(min(tensor.element_count, MOST_ELEMENTS) for tensor in others)
    if len(ranks) > 1 or not LEAST_SHARE * usual <= count <= MOST_SHARE * usual:
        return False
    most = max([MOST_ELEMENTS, *(min(tensor.element_count, AT_A_GLANCE) for tensor in others)])
    if any(tensor.element_count > most or max(tensor.sizes, default=1) > WIDEST for tensor in tensors):
        return False
    depth, own = (max([sum(n > 1 for n in tensor.sizes) for tensor in each] or [0]) for each in (tensors, others))
    return depth <= max(DEEP, min(own, DEEP + 1))


def _is_low(desc: Desc) -> bool:
    each = [(part.tensor.element_count, (1, *part.tensor.sizes)[-2:]) for part in desc.outputs]
    lines = sum(count // sizes[-1] + count // math.prod(sizes) for count, sizes in each)
    return lines * (2 if any(sizes[-1] > MOST_BESIDE for _, sizes in each) else 1) <= MOST_LINES


def _near(base: Experiment, dice: random.Random, kind: Kind) -> Iterator[Experiment]:
    breaks = kind.of_any_desc
    is_large = any(part.tensor.can_exist and part.tensor.element_count > AT_A_GLANCE for part in base.desc.parts)
    sound = None if is_large else mended_desc(base.desc)
    for k in range(TRIES):
        keeps = sound is None or (breaks and dice.random() < 0.5)  # what is broken stays as it is
        if not is_large:
            start = base.desc if keeps or sound is None else sound
            most = (1 if keeps else 4) if 2 * k < TRIES else 6
            desc = edited(start, dice, dice.randint(1, most), edits, mends=not keeps)
        elif (small := varied(base, dice)) is not None:
            desc = small.desc
        else:
            return
        if breaks and dice.random() < 0.6 and (is_large or not keeps):
            desc = edited(desc, dice, 1, partial(edits, breaks=True))
        if (experiment := experiment_with_values(base, desc, dice, outside=breaks)) is not None:
            yield replace(experiment, feature_level=base.feature_level)


OTHERS = ("valid", "insizes", "count", "dest", "source", "via", "unread", "order", "runs", "blank")
"""Kinds for variety, with a diagnosis of their own: some rules are about what is valid, and show in no output."""
EACH_OTHER = 4
INVALID_SHARE = 0.5
FIRST, MORE = 120, 24
"""Questions that are made at the start, and looked at for each; and those that are made before each further one."""
TASKS, DAYS = (2, 5), (1, 7)
"""How many tasks, and how many days, after it was missed a rule comes back."""
DAY, NEARLY = 24 * 3600.0, 0.75
"""What share of those days is enough: whoever practises a little earlier the next day still gets it."""


def bank(bases: Sequence[Experiment], seed: int = 0, kinds: Sequence[str] = TOLD_BY) -> Iterator[Question]:
    """Questions without end about ever new descs like some valid experiments, one or more of each operator.

    Whole outputs to fill in are among them. Descs are broken only where `kinds` ask what is valid.
    """
    dice = random.Random(f"bank {seed}")
    asking = kinds_named(kinds)
    for number in itertools.count(1):
        base = dice.choice(bases)
        breaks = "valid" in kinds and dice.random() < INVALID_SHARE
        experiment = (broken if breaks else varied)(base, dice)
        subject = Subject(experiment) if experiment is not None else None
        if subject is None or not subject.moves:
            continue
        yield from (question for kind in asking if (question := kind.make(subject, number)) is not None)
        if (whole := FILL.whole(subject, number)) is not None:
            yield whole


def candidates(questions: Sequence[Question], diagnosis: Diagnosis, dice: random.Random) -> list[Question]:
    if (suspected := diagnosis.suspected) is not None:
        return [question for question in questions if suspected in question.ways]
    return dice.sample(questions, min(FIRST, len(questions)))


def due(answers: Sequence[Answered], now: float) -> list[str]:
    """Missed rules that are to be asked about again, the one that has waited longest first.

    A rule comes back after 2 and after 5 tasks, the next day and the next week; missed again, it begins anew. `now` is
    in seconds since 1970.
    """
    missed = {answered.rules[0]: k for k, answered in enumerate(answers) if answered.rules}

    def is_due(rule: str) -> bool:
        k = missed[rule]
        since = answers[k + 1 :]
        stage = sum(later.on == rule and later.right and not later.looked_up for later in since)
        if stage < len(TASKS):
            return len(since) >= TASKS[stage]
        days = [*DAYS, math.inf][min(stage - len(TASKS), len(DAYS))]
        return now - seconds_of(answers[k].time) >= days * DAY * NEARLY

    return sorted(filter(is_due, missed), key=missed.__getitem__)


class Practice:
    def __init__(
        self, bases: Sequence[Experiment], seed: int = 0, answers: Sequence[Answered] = (), others: Sequence[str] = ()
    ) -> None:
        """`answers` are those so far, from earlier days too. Where there are `others`, those alone are asked."""
        self._banks = bank(bases, seed), bank(bases, seed, others or OTHERS)
        self._telling = list[Question]()
        self._others = list[Question]()
        self._dice = random.Random(f"practice {seed}")
        self._asked = 0
        self._each_other = 1 if others else EACH_OTHER
        self._before: Question | None = None  # what it asked shows on the screen once it is answered
        self.answers = list(answers)
        self.diagnosis = Diagnosis()
        self.on = ""
        """The missed rule that the present question is about; empty for none."""
        self.news = ""
        """A sentence on what the answers follow, once it is confirmed; told with the answer that confirmed it."""

    def next(self, now: float, before: Question | None = None, missed: Sequence[str] = ()) -> Question:
        """The question to ask now: about a rule that is due, else the one that tells most, or one for variety.

        `now` is in seconds since 1970. Nothing is asked that the answer to `before` showed, by default the last one.
        Rules in `missed` are asked about first.
        """
        self._asked += 1
        self._before = before or self._before
        self._telling += itertools.islice(self._banks[0], MORE if self._telling else FIRST)
        if missed:
            self._others += itertools.islice(self._banks[1], MORE if self._others else FIRST)
        question = self._returning_question(now, missed) or self._other_question() or self._telling_question()
        self._before = question
        self._telling = [made for made in self._telling if made is not question]
        self._others = [made for made in self._others if made is not question]
        return question

    def _untold(self, questions: Iterable[Question]) -> list[Question]:
        before = self._before
        return [question for question in questions if before is None or not told_by_reveal(before, question)]

    def _returning_question(self, now: float, missed: Sequence[str]) -> Question | None:
        named = [self.diagnosis.rule] if self.diagnosis.rule is not None else []
        if self.diagnosis.done:
            self.diagnosis = Diagnosis()
        for rule in (*named, *missed, *due(self.answers, now)):
            if questions := self._untold(q for q in (*self._telling, *self._others) if rule in q.answers):
                self.on = rule
                return min(questions, key=lambda question: question.kind.stage)
        self.on = ""
        return None

    def _other_question(self) -> Question | None:
        """Every `each_other` questions one of the other kinds; None in between, and while a rule is to be confirmed."""
        if self._asked % self._each_other or self.diagnosis.suspected is not None:
            return None
        self._others += itertools.islice(self._banks[1], MORE)
        left = self._untold(self._others)
        telling = [question for question in left if question.answers]
        return self._dice.choice(telling or left or [None])

    def _telling_question(self) -> Question:
        while True:
            some = candidates(self._telling, self.diagnosis, self._dice)
            if (question := self.diagnosis.next(self._untold(some))) is not None:
                return question
            self._telling += itertools.islice(self._banks[0], FIRST)
            if not some:
                self.diagnosis = Diagnosis()

    def heard(self, question: Question, answer: object, answered: Answered) -> None:
        """Takes an answer in its JSON form, None where it was skipped, and its record into account."""
        self.answers.append(answered)
        self.news = ""
        is_told = question.kind.name in TOLD_BY or question.confirms
        if answered.skipped or answered.looked_up or not is_told:
            return
        self.diagnosis.take(question, question.kind.form.read(question, answer))
        if rules := [question.rule(id_) for id_ in self.diagnosis.named if question.knows(id_)]:
            names = "” or “".join(rule.name for rule in rules)
            self.news = sentence("practice.as_if", names=names, look=rules[0].look)


MOST_SUBJECTS = 6
LEAST_BITS = 0.02
"""What an answer has to tell to be asked for by a diagnosis."""


class Order:
    """Chooses the next question, none twice: until a diagnosis what tells it most, then each kind in turn."""

    def __init__(self, subjects: Sequence[Subject], kinds: Sequence[Kind], seed: int = 0) -> None:
        any_wired = any(subject.experiment.is_wired for subject in subjects)
        self._kinds = [kind for kind in kinds if any_wired or not kind.of_chains]
        self._subjects = subjects
        self._seed = seed
        self._turn = 0
        self._seen: set[Hashable] = set()
        self._in_turn = self._each_in_turn()
        self._telling = [kind for kind in kinds if kind.name in TOLD_BY]

    def asked(self, question: Question) -> None:
        self._seen.add(_key(question))

    def next_question(self, diagnosis: Diagnosis) -> Question | None:
        """The question to ask next, after the answers that `diagnosis` has had; None where there is none left."""
        question = self.confirming_question(diagnosis)
        if question is None and not diagnosis.done and self._turn < MOST:
            seed = self._seed + self._turn
            near = [self._subjects[(self._turn + k) % len(self._subjects)] for k in range(MOST_SUBJECTS)]
            made = (kind.make(each, seed) for each in dict.fromkeys(near) for kind in self._telling)
            question = diagnosis.most_telling([*self._new(made)])
            if question is not None and diagnosis.information(question) < LEAST_BITS:
                question = None
            self._turn += 1
        question = question or next(self._in_turn, None)
        if question is not None:
            self.asked(question)
        return question

    def confirming_question(self, diagnosis: Diagnosis) -> Question | None:
        """A question that may confirm the rule that `diagnosis` suspects; None where there is none."""
        if diagnosis.suspected is None or diagnosis.done:
            return None
        seed = self._seed + self._turn
        makers: list[Callable[[Subject, int], Question | None]] = [FILL.whole] if FILL in self._kinds else []
        makers += [kind.make for kind in self._kinds if kind.confirms_elsewise]
        return diagnosis.next([*self._new(make(subject, seed) for subject in self._subjects for make in makers)])

    def _new(self, questions: Iterable[Question | None]) -> Iterator[Question]:
        return (question for question in questions if question is not None and _key(question) not in self._seen)

    def _each_in_turn(self) -> Iterator[Question]:
        count = len(self._subjects)
        for turn in itertools.count():
            any_new = False
            for number, kind in enumerate(self._kinds):
                subjects = (self._subjects[(turn + number + step) % count] for step in range(count))
                question = next(self._new(kind.make(subject, self._seed + turn) for subject in subjects), None)
                if question is not None:
                    any_new = True
                    yield question
            if not any_new:
                return


def _key(question: Question) -> tuple[Hashable, ...]:
    """What makes a question another one, whatever its seed and its words."""
    pictures = frozenset(choice.picture for choice in question.choices if choice.picture is not None)
    truth = None if question.choices else question.truth
    name = question.subject.experiment.name
    return name, question.kind.name, question.at, question.blank, truth, pictures
