"""A class on phones, of which 5 % of the connections break each second and 1 % of the phones sleep, for some minutes.

    python benchmarks/class_load.py [--phones 30,200,400] [--minutes 10] [--seed 1]

`dmlviz class --no-wall` runs as a process, phones are simulated in this one, over several questions with two votes. It
fails unless every answer that a phone showed as sent is in the file of `--save` exactly once, nothing else is there,
and the hands on the wall are those answers. Prints a row for each number of phones:

    seen     ms from the presenter's key, or a sleeper's waking, until a phone shows the question; those cut off
             included
    taken    ms from the press until the answer shows as sent; those that were cut off and sent again included
    CPU      processor seconds of the server; idle: the share of a core that it takes while nobody does anything

Both share this machine, so that they are upper bounds. Linux only; needs the `test` extra.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import itertools
import json
import random
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from support.class_phones import Class, Phone, answers_by_rule, known_answers, until, write_lesson

from dmlviz.workspace.wall.presenting import Presenting

Answers = dict[int, tuple[str, ...]]
"""What one student answered, by a question's number: in the first vote and in the second, or in one of them."""
NOTHING = "?"


class Figures(NamedTuple):
    """What one run gave."""

    phones: int
    answers: int
    seen: list[float]
    taken: list[float]
    cpu: float
    idle: float
    memory: float
    cuts: int

    def __str__(self) -> str:
        seen, taken = (f"{middle(s):.0f} / {p99(s):.0f}" for s in (self.seen, self.taken))
        return (
            f"| {self.phones} | {self.answers} | {self.cuts} | {seen} | {taken} | {self.cpu:.1f} s | "
            f"{100 * self.idle:.1f} % | {self.memory:.0f} MB |"
        )


HEAD = (
    "| phones | answers | cuts | seen, median / p99 ms | taken, median / p99 ms | CPU | idle | memory |\n" + "|---" * 8
)


def middle(seconds: list[float]) -> float:
    return 1000 * sorted(seconds)[len(seconds) // 2] if seconds else 0.0


def p99(seconds: list[float]) -> float:
    return 1000 * sorted(seconds)[len(seconds) * 99 // 100] if seconds else 0.0


class Load:
    """One class, from its start to what it has saved."""

    def __init__(self, folder: Path, phones: int, seconds: float, seed: int, cut: float, asleep: float) -> None:
        self.seconds, self.cut, self.asleep, self.chance = seconds, cut, asleep, random.Random(seed)
        self.saved = folder / "saved.jsonl"
        self.room = Class(write_lesson(folder / "lesson.json"), folder, "--save", str(self.saved))
        self.count, self.cuts = phones, 0
        self.seen: list[float] = []
        self.answering: list[asyncio.Task[None]] = []

    async def run(self) -> Figures:
        status = await asyncio.to_thread(self.room.start)
        self.phones = [
            Phone(status.address, status.code, random.Random(f"{self.chance.random()} {k}"), unlucky=self.cut / 2)
            for k in range(self.count)
        ]
        try:
            async with contextlib.AsyncExitStack() as stack:
                await asyncio.gather(*(stack.enter_async_context(phone.on()) for phone in self.phones))
                before, _ = self.room.cost()
                await asyncio.sleep(min(5.0, self.seconds / 10))
                idle = (self.room.cost()[0] - before) / min(5.0, self.seconds / 10)
                trouble = [asyncio.create_task(each) for each in (self._cut_off(), self._send_to_sleep())]
                await self._hold()
                for task in (*trouble, *self.answering):
                    task.cancel()
                for phone in self.phones:
                    phone.unlucky = 0.0
                await self._settle()
                self._check_hands()
            cpu, memory = self.room.cost()
            said = await asyncio.to_thread(self.room.stop)
        finally:
            self.room.kill()
        assert "Traceback" not in said, said
        wrong = [each for phone in self.phones for each in phone.told_wrong()]
        assert not wrong, wrong
        match(self.phones, students_of(self.saved, self.room.presenting))
        took = [each for phone in self.phones for each in phone.took]
        return Figures(self.count, len(took), self.seen, took, cpu, idle, memory, self.cuts)

    # ---- what happens

    async def _cut_off(self) -> None:
        """Each second a share of the phones loses its connections, each at a moment of its own."""
        while True:
            for phone in self.phones:
                if self.chance.random() < self.cut:
                    self.cuts += 1
                    asyncio.get_running_loop().call_later(self.chance.random(), phone.cut)
            await asyncio.sleep(1)

    async def _send_to_sleep(self) -> None:
        async with asyncio.TaskGroup() as group:
            while True:
                for phone in self.chance.sample(self.phones, max(1, round(self.asleep * self.count))):
                    group.create_task(phone.sleep(self.chance.uniform(1, 5)))
                await asyncio.sleep(3)

    async def _hold(self) -> None:
        """Goes through the session: each question open for a while, voted on twice, and revealed."""
        presenting = self.room.presenting
        votes = 2 * presenting.count
        for number in range(presenting.count):
            for vote in (0, 1):
                if vote and not presenting.item.answers:
                    break
                began = time.monotonic()
                if vote:
                    presenting.second_vote()
                elif number:
                    presenting.go_to(number + 1)
                await self._answer(began + 0.7 * self.seconds / votes)
                await asyncio.sleep(began + 0.85 * self.seconds / votes - time.monotonic())
                shown = (
                    [phone.seen.get((number + 1, vote), (0.0, 0.0)) for phone in self.phones] if number + vote else []
                )
                self.seen += [at - max(began, woke) for at, woke in shown if at]
            presenting.reveal()
            await asyncio.sleep(0.15 * self.seconds / votes)

    async def _answer(self, ends: float) -> None:
        """Most phones answer until then, and some change their mind; returns once all are told or it is too late."""
        presenting = self.room.presenting
        known, place = known_answers(presenting.item), (presenting.shared.experiment + 1, presenting.shared.vote)
        length = ends - time.monotonic()

        async def one(phone: Phone) -> None:
            await asyncio.sleep(phone.chance.random() * length)
            for _ in range(1 if phone.chance.random() < 0.6 else 2):
                if phone.place == place:  # whoever was away sees another question when they are back
                    await phone.give(phone.chance.choice(known))
                await asyncio.sleep(phone.chance.random())

        answering = [asyncio.create_task(one(phone)) for phone in self.phones if phone.chance.random() < 0.97 and known]
        self.answering += answering
        if answering:
            await asyncio.wait(answering, timeout=length)

    async def _settle(self) -> None:
        """Waits until all phones know how it ended."""
        number = self.room.presenting.count
        await until(
            lambda: all(
                (p.state["question"] is None or p.state["question"]["number"] == number) and not p.state["open"]
                for p in self.phones
            ),
            "phones to see the end",
        )

    # ---- what has to hold

    def _check_hands(self) -> None:
        """The hands on the wall are what phones show as sent."""
        presenting = self.room.presenting
        presenting.follow()
        for number in range(presenting.count):
            item = presenting.item_at(number)
            for vote in (0, 1) if item.answers else ():
                counts = presenting.shared.counts(presenting.question_key(number), len(item.answers), vote)
                sure, may = Counter[str](), Counter[str]()
                for phone in self.phones:
                    texts = texts_of(phone).get((number + 1, vote), set())
                    sure.update(texts if len(texts) == 1 else ())
                    may.update(texts)
                for answer, hands in zip(item.answers, counts, strict=True):
                    assert sure[answer.id] <= (hands or 0) <= may[answer.id], (number, vote, counts, sure, may)


def texts_of(phone: Phone) -> dict[tuple[int, int], set[str]]:
    """What the server may have of a phone, by number and vote; NOTHING among them where it may have nothing."""
    return {
        (phone.numbers[id_], vote): {*texts, *(() if (id_, vote) in phone.sent else (NOTHING,))}
        for (id_, vote), texts in phone.pressed.items()
    }


def tables_of(phone: Phone) -> dict[int, set[tuple[str, ...]]]:
    """What the table may say of a phone, by number: its answers in the order of votes."""
    texts = texts_of(phone)
    return {
        number: {
            tuple(text for text in both if text != NOTHING)
            for both in itertools.product(*(texts.get((number, vote), {NOTHING}) for vote in (0, 1)))
        }
        for number, _ in texts
    }


def match(phones: Iterable[Phone], students: list[Answers]) -> None:
    """Each student of the table is one phone, and each phone that shows an answer as sent is one student."""
    wanted = [tables_of(phone) for phone in phones]
    owners: dict[int, int] = {}

    def fits(table: dict[int, set[tuple[str, ...]]], student: Answers) -> bool:
        return student.keys() <= table.keys() and all(student.get(n, ()) in may for n, may in table.items())

    def place(n: int, tried: set[int]) -> bool:
        """Finds the phone of a student, if need be by giving another student another phone."""
        for k, table in enumerate(wanted):
            if k not in tried and fits(table, students[n]):
                tried.add(k)
                if k not in owners or place(owners[k], tried):
                    owners[k] = n
                    return True
        return False

    foreign = [student for n, student in enumerate(students) if not place(n, set())]
    assert not foreign, f"{len(foreign)} students of the table are no phone: {foreign[:3]}"
    lost = [table for k, table in enumerate(wanted) if k not in owners and not all(() in may for may in table.values())]
    assert not lost, f"{len(lost)} phones are not in the table: {lost[:3]}"


def students_of(saved: Path, presenting: Presenting) -> list[Answers]:
    """What each student answered, as the file of `--save` has it."""
    asked: list[int] = []
    texts = {}
    for number in range(presenting.count):
        item = presenting.item_at(number)
        asked += [number + 1] if known_answers(item) else []
        for rule in ("", *(item.question.answers if item.question is not None else ())):
            text = answers_by_rule(item, rule)
            if text is not None and item.question is not None:
                answer = item.question.answers[rule] if rule else item.question.truth
                texts[number + 1, json.dumps(item.question.kind.json(answer))] = text
    students = []
    for line in saved.read_text().splitlines():
        student: Answers = {}
        members = json.loads(line)
        numbers = dict(zip((task["task"] for task in members["tasks"]), asked, strict=True))
        for given in members["answers"]:
            number = numbers[given["task"]]
            student[number] = (*student.get(number, ()), texts[number, json.dumps(given["answer"])])
        students.append(student)
    return students


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--phones", default="30,200,400", help="how many, one run after the other")
    parser.add_argument("--minutes", type=float, default=10.0, help="how long each run takes")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--cut", type=float, default=0.05, help="share of the phones that are cut off each second")
    parser.add_argument("--asleep", type=float, default=0.01, help="share of the phones that sleep")
    args = parser.parse_args()
    print(HEAD)
    for phones in map(int, args.phones.split(",")):
        with tempfile.TemporaryDirectory() as folder:
            load = Load(Path(folder), phones, 60 * args.minutes, args.seed, args.cut, args.asleep)
            print(asyncio.run(load.run()), flush=True)


if __name__ == "__main__":
    main()
