"""Simulated students: how often a diagnosis names the wrong rule that one holds, and how many questions it takes.

    python benchmarks/students.py [--students 20] [--operators GATHER,TILE] [--seed 1]

A student holds one rule or none, applies it to a share κ of the questions, answers the others rightly, and slips with
probability 0.1. Questions are about ever new descs. One catalogue makes students and names them, so these are upper
bounds; what only people can show is that they learn.
"""

from __future__ import annotations

import argparse
import random
import statistics
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from dmlviz.operators.registry import operators
from dmlviz.session.new_experiments import sample
from dmlviz.teaching.diagnosis import Diagnosis
from dmlviz.teaching.practice import Bank, Pool
from dmlviz.teaching.question import Answer, Question

SLIP = 0.1
BANK = 700
"""Questions that a group of students chooses among."""
LONGEST = 18
"""Questions after which it is given up, fills among them."""


@dataclass(frozen=True)
class Student:
    """Answers by a rule's id; "" for the truth, "?" by chance."""

    rule: str
    steady: float
    dice: random.Random

    def answer(self, question: Question) -> Answer:
        dice = self.dice
        if self.rule == "?" or dice.random() < SLIP:
            return _any_answer(question, dice)
        follows = dice.random() < self.steady
        return question.answers.get(self.rule, question.truth) if follows else question.truth


def _any_answer(question: Question, dice: random.Random) -> Answer:
    """An answer by chance: a choice, another rule's answer, the truth, or one that no rule gives."""
    if question.choices and question.kind.name == "pictures":
        return dice.choice(question.choices).id
    if question.choices:
        return tuple(sorted(each.id for each in question.choices if dice.random() < 1 / len(question.choices)))
    known = [question.truth, *dict.fromkeys(question.answers.values())]
    none = _changed(question.truth, dice)
    return dice.choice([*known, none, none])


def _changed(answer: Answer, dice: random.Random) -> Answer:
    if isinstance(answer, bool):
        return not answer
    if isinstance(answer, int | float):
        return answer + dice.choice((-2, -1, 1, 2))
    if isinstance(answer, tuple) and answer:
        at = dice.randrange(len(answer))
        return (*answer[:at], _changed(answer[at], dice), *answer[at + 1 :])
    return answer


@dataclass(frozen=True)
class Found:
    """What became of one student."""

    rule: str
    named: str | None
    fits: bool
    """The rule that is held is among those that the answers fit."""
    questions: int


def diagnose(student: Student, bank: Sequence[Question], dice: random.Random) -> Found:
    """Asks one student until a rule is named, or it is given up."""
    diagnosis, count = Diagnosis(), 0
    pool = Pool(iter(bank), dice)
    pool.grow(len(bank))
    while not diagnosis.done and count < LONGEST:
        question = diagnosis.next(pool.candidates(diagnosis))
        if question is None:
            break
        pool.take(question)
        diagnosis.take(question, student.answer(question))
        count += 1
    named = diagnosis.rule
    fits = named is not None and (named == student.rule or student.rule in diagnosis.twins(named))
    return Found(student.rule, named, fits, count)


def bank_of(operator: str, seed: int, count: int = BANK) -> list[Question]:
    kind = next(kind for kind, each in operators().items() if each.name == operator)
    return list(islice(Bank([sample(kind)], seed).questions(), count))


def shown_rules(bank: Sequence[Question]) -> list[str]:
    """The rules that some question tells from the truth."""
    return sorted({rule for question in bank for rule in question.answers})


def group(rules: Sequence[str], each: int, steady: float, bank: Sequence[Question], seed: int) -> Iterator[Found]:
    for number, rule in enumerate(rules):
        for k in range(each):
            dice = random.Random(f"{seed} {rule} {number} {k} {steady}")
            yield diagnose(Student(rule, steady, dice), bank, dice)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--students", type=int, default=20, help="of each rule and operator")
    parser.add_argument("--operators", default=",".join(each.name for each in operators().values()))
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    print("| operator | students | named rightly | another rule | nothing said | questions, median (p90) |")
    print("|---|---|---|---|---|---|")
    for name in args.operators.split(","):
        began = time.monotonic()
        bank = bank_of(name, args.seed)
        rules = shown_rules(bank)
        for what, rules_held, steady in (
            ("consistent", rules, 1.0),
            ("κ 0.7", rules, 0.7),
            ("right", ["" for _ in range(10)], 1.0),
            ("by chance", ["?" for _ in range(10)], 1.0),
        ):
            found = list(group(rules_held, args.students, steady, bank, args.seed))
            right = sum(each.fits for each in found)
            other = sum(each.named is not None and not each.fits for each in found)
            counts = sorted(each.questions for each in found)
            p90 = counts[int(0.9 * (len(counts) - 1))]
            texts = [f"{100 * n / len(found):.1f} %" for n in (right, other, len(found) - right - other)]
            median = statistics.median(counts)
            print(f"| {name} {what} | {len(found)} | {texts[0]} | {texts[1]} | {texts[2]} | {median:g} ({p90}) |")
            if what == "consistent":
                by_rule = {rule: [each.fits for each in found if each.rule == rule] for rule in rules}
                weak = [
                    f"{rule} {100 * sum(v) / len(v):.0f} %" for rule, v in by_rule.items() if sum(v) < 0.85 * len(v)
                ]
                print(f"<!-- {name}: {time.monotonic() - began:.0f} s; weak: {', '.join(weak) or 'none'} -->")


if __name__ == "__main__":
    main()
