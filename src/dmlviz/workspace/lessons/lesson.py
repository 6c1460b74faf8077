"""A lesson as a student goes through it: one step after the other, then questions chosen by the answers.

Where somebody is follows from their answers alone, so a lesson goes on where it was left, however it ended.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterator, Sequence

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from ...errors import DmlvizError
from ...scene.drawing.small_table import SmallTable
from ...session.experiments import Session
from ...session.new_experiments import fresh
from ...teaching.diagnosis.diagnosis import TOLD_BY
from ...teaching.diagnosis.practice import OTHERS, Practice, follow_up
from ...teaching.kinds.lib.asking import kinds
from ...teaching.lessons.lessons import Lesson, Step, lesson_of
from ...teaching.levels.level import Level, best
from ...teaching.progress.progress import AGAIN, EXIT, TEST, Answered, is_of, seconds_of
from ...teaching.questions.question import Question, told_by_reveal
from ...teaching.questions.subject import Reading, Subject, shown
from ...teaching.tasks.own_tasks import with_own_tasks
from ...teaching.tasks.tasks import AuthoredQuestion, Task, question_of
from ...teaching.words.catalogue import sentence

MOST_WRONG = 2
"""Wrong answers to a step, after which it goes on."""
RIGHT, LOOKED_UP, MISSED, SKIPPED, BEGUN, LEFT_OUT = "right", "looked up", "missed", "skipped", "begun", "left out"
"""Marks of steps; a step that nobody has answered has none."""
OPEN = ("", BEGUN)


class Standing(Struct, frozen=True):
    """How far somebody is in a lesson, by their answers since they began it for the last time."""

    marks: tuple[str, ...]
    """Of each step how its first answer went, or that it is begun or left out; "" for nothing."""
    exits: int
    rounds: int
    tested_out: bool
    """Somebody has answered as many questions rightly as stand at its end, and needs none of its steps."""

    @property
    def done(self) -> int:
        """How many steps were answered or skipped."""
        return sum(mark not in (*OPEN, LEFT_OUT) for mark in self.marks)

    @property
    def count(self) -> int:
        """How many steps there are, without those that are left out."""
        return sum(mark != LEFT_OUT for mark in self.marks)


class LessonState(Struct, frozen=True, kw_only=True):
    """What a screen shows of a lesson beside its question."""

    number: int
    """Of the lessons that come with dmlviz, from 1; 0 for another one."""
    part: str
    """"step", or "exit" for a question at the end."""
    at: int
    count: int
    marks: tuple[str, ...]
    """Of each step, or of each exit question: as in `Standing`."""
    phase: str = ""
    """predict, run, investigate, modify or make; "" for none."""


def _rule_of(answer: Answered) -> str:
    return answer.rules[0] if answer.rules else ""


def exit_id(lesson: Lesson) -> str:
    """The id under which answers to exit questions are kept."""
    return f"{lesson.id}{EXIT}"


def standing(lesson: Lesson, answers: Sequence[Answered]) -> Standing:
    """Where somebody is in a lesson, by all of their answers, those to other things too."""
    now, rounds = _this_round(lesson, answers)
    return Standing(_marks(lesson, now), _exits(lesson, now), rounds, has_tested_out(lesson, answers))


def has_tested_out(lesson: Lesson, answers: Sequence[Answered]) -> bool:
    """True if as many questions as stand at the lesson's end were answered rightly, one after the other."""
    asked = [answer for answer in answers if answer.task == f"{lesson.id}{TEST}" and is_of(answer, lesson.name)]
    last = asked[-lesson.exit :]
    return len(last) == lesson.exit > 0 and all(answer.right and not answer.looked_up for answer in last)


def first_tries(lesson: Lesson, answers: Sequence[Answered]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Of each step (the first try, how it stands by now), by all answers ever."""
    every = [_answers_to(lesson, step, answers) for step in lesson.steps]
    firsts = tuple(_first(step, own) for step, own in zip(lesson.steps, every, strict=True))
    later = (RIGHT if RIGHT in map(_mark_of, own) else first for first, own in zip(firsts, every, strict=True))
    return firsts, tuple(later)


def is_mended(rules: Sequence[str], answers: Sequence[Answered]) -> bool:
    """True if a question on one of some wrong rules was answered rightly after the last answer that followed them."""
    last = max((k for k, answer in enumerate(answers) if not {*rules}.isdisjoint(answer.rules)), default=-1)
    return any(answer.on in rules and answer.right and not answer.looked_up for answer in answers[last + 1 :])


def missed_again(lesson: Lesson, marks: Sequence[str]) -> Lesson:
    """The steps that were missed or skipped, as a lesson without an end, with ids of its own for its answers."""
    steps = []
    for step, mark in zip(lesson.steps, marks, strict=True):
        if mark in (MISSED, SKIPPED) and step.task is not None:
            steps.append(replace(step, task=replace(step.task, id=f"{step.task.id}{AGAIN}")))
    return replace(lesson, steps=tuple(steps), exit=0, problems=())


def _answers_to(lesson: Lesson, step: Step, answers: Sequence[Answered]) -> list[Answered]:
    if step.task is None:
        return []
    id_ = step.task.id.removesuffix(AGAIN)
    return [answer for answer in answers if answer.task in (id_, f"{id_}{AGAIN}") and is_of(answer, lesson.name)]


def _marks(lesson: Lesson, now: Sequence[Answered], alone: Collection[int] = ()) -> tuple[str, ...]:
    """How each step was answered in one round; `alone` are the numbers of steps that no other question is like.

    A step that was answered wrongly is missed once a later one was asked: no question was like it either.
    """
    marks = [_mark(step, now) for step in lesson.steps]
    tasks = [k for k, step in enumerate(lesson.steps) if not _is_level(step)]
    last = max((k for k in tasks if marks[k] not in ("", LEFT_OUT)), default=0)
    for k in tasks:
        if marks[k] == BEGUN and (k < last or _exits(lesson, now) or lesson.steps[k].number in alone):
            marks[k] = MISSED
    return tuple(marks)


def _exits(lesson: Lesson, answers: Sequence[Answered]) -> int:
    return sum(answer.task == exit_id(lesson) for answer in answers)


def _is_level(step: Step) -> bool:
    return step.task is not None and bool(step.task.goal)


def _mark(step: Step, answers: Sequence[Answered]) -> str:
    if step.task is None or step.problem:
        return LEFT_OUT
    own = [answer for answer in answers if answer.task == step.task.id]
    most = 1 if kinds()[step.task.kind].authored else MOST_WRONG
    is_over = any(answer.right or answer.skipped for answer in own) or (len(own) >= most and not _is_level(step))
    return _first(step, own) if is_over else BEGUN if own else ""


def _first(step: Step, own: Sequence[Answered]) -> str:
    right = [answer for answer in own if answer.right and _is_level(step)]
    return next(map(_mark_of, (*right, *own)), "")


def _mark_of(answer: Answered) -> str:
    if not answer.right:
        return SKIPPED if answer.skipped else MISSED
    return LOOKED_UP if answer.looked_up else RIGHT


def _this_round(lesson: Lesson, answers: Sequence[Answered]) -> tuple[list[Answered], int]:
    """The answers since the lesson was begun for the last time, and how often it was ended before."""
    ids = {step.task.id for step in lesson.steps if step.task is not None} | {exit_id(lesson)}
    now: list[Answered] = []
    rounds = 0
    for answer in answers:
        if answer.task not in ids or not is_of(answer, lesson.name):
            continue
        now.append(answer)
        if _exits(lesson, [answer]) and _exits(lesson, now) >= lesson.exit:
            now, rounds = [], rounds + 1
    return now, rounds


class RunningLesson:
    """Chooses what a lesson asks next. No clock, and no dice but the lesson's seed."""

    def __init__(self, lesson: Lesson, answers: Sequence[Answered], *, number: int = 0, test: bool = False) -> None:
        """`answers` are all of the student's so far; `test` begins with questions that let the lesson be skipped."""
        self.number = number
        self._ever = [answer for answer in answers if is_of(answer, lesson.name)]
        self._own: dict[int, Question] = {}  # what each step asks at first, by its number
        self.lesson = replace(lesson, steps=tuple(self._tried(step, lesson.seed) for step in lesson.steps))
        self._answers, _ = _this_round(lesson, answers)
        self._alone = set[int]()  # as in `_marks`
        if not lesson.exit and not {*OPEN} & {*self._now}:
            self._answers = []  # it is at its end: it begins anew
        self._testing = test and lesson.exit > 0
        self._test_right = 0
        # The present question lets the lesson be skipped; the next one does if it is testing.
        self._of_test = False
        out = [step for step in self.lesson.steps if step.problem]
        left_out = [sentence("lesson.left_out", step=step.number, why=step.problem) for step in out]
        self.problems = [*lesson.problems, *left_out]
        self.step: Step | None = None
        self._practice: Practice | None = None
        self._exit_at = 0  # which exit question is asked
        self._asked: dict[int, list[Question]] = {}  # of a step: its own, and those after each answer
        self._question: Question | None = None
        self.on = ""
        """The missed rule that the present question is about; empty for none."""
        self.news = ""
        """A sentence on what the answers follow, told with the answer that confirmed it."""

    def _tried(self, step: Step, seed: int) -> Step:
        if step.task is not None and not step.problem:
            try:
                self._own[step.number] = question_of(step.experiment, step.task, seed)
            except DmlvizError as error:
                return replace(step, problem=str(error))
        return step

    # ---- what is asked

    @property
    def task(self) -> str:
        """The id under which the answer to the present question is kept."""
        present = self.present
        if self._of_test:
            return f"{self.lesson.id}{TEST}"
        return present.id if present is not None else exit_id(self.lesson)

    @property
    def present(self) -> Task | None:
        """The task of the step that is asked about; None among the exit questions."""
        return self.step.task if self.step is not None else None

    @property
    def _now(self) -> tuple[str, ...]:
        return _marks(self.lesson, self._answers, self._alone)

    def next(self, now: float) -> Question | None:
        """The question to ask now; None once the lesson is at its end. `now` is in seconds since 1970."""
        self.on = self.news = ""
        self._of_test = self._testing
        if self._testing:
            self.step, self._exit_at = None, self._test_right + 1
            self._question = self._exit_question(now) if self._exit_at <= self.lesson.exit else None
            return self._question
        for step, mark in zip(self.lesson.steps, self._now, strict=True):
            question = self._question_about(step) if mark in OPEN else None
            if question is not None:
                self.step, self._question = step, question
                self.on = self._followed(step, question)
                return question
        self.step, self._exit_at = None, _exits(self.lesson, self._answers) + 1
        self._question = self._exit_question(now) if self._own and self._exit_at <= self.lesson.exit else None
        return self._question

    def another(self) -> Question | None:
        """Another question like the present one, beside what the lesson wants; None where there is none."""
        assert self._question is not None
        if self._of_test:
            return None
        if self.step is not None:
            question = self._question_about(self.step)
            self.on = self._followed(self.step, question) if question is not None else self.on
        else:
            self.on = ""
            question = self._like(self._question, _rule_of(self._answers[-1]), [self._question])
        self._question = question or self._question
        return question

    def heard(self, question: Question, answer: object, answered: Answered) -> None:
        """Takes an answer, as JSON has it, and how it was graded; None is that of a skipped question."""
        if self._testing:
            counts = answered.right and not answered.looked_up
            self._test_right += counts
            if not counts:
                self._testing, self._practice = False, None  # the lesson begins
            elif self._practice is not None:
                self._practice.heard(question, answer, answered)
            return
        self._answers.append(answered)
        self._ever.append(answered)
        step = self.step
        if step is None and self._practice is not None:
            self._practice.heard(question, answer, answered)
            self.news = self._practice.news
        elif (
            step is not None
            and not (answered.right or answered.skipped)
            and (question.kind.authored or self._now[self.lesson.steps.index(step)] in OPEN)
        ):
            self._question_about(step)  # so that it is known whether another one is like it

    def heard_level(self, answers: Sequence[Answered]) -> bool:
        """Takes what was answered on a level's own screen into account; True if the level is solved by that."""
        own = [answer for answer in answers if answer.task == self.task and is_of(answer, self.lesson.name)]
        self._answers += own
        return any(answer.right for answer in own)

    def _question_about(self, step: Step) -> Question | None:
        assert step.task is not None
        own = self._own[step.number]
        if _is_level(step):
            return own
        asked = self._asked.setdefault(step.number, [])
        if not asked:  # what was missed is asked about another desc
            again = self._like(own, self._followed(step, own), [own]) if step.task.id.endswith(AGAIN) else None
            asked.append(again or own)
        for answer in [answer for answer in self._answers if answer.task == step.task.id][len(asked) - 1 :]:
            question = self._like(asked[-1], _rule_of(answer), asked)
            if question is None:
                self._alone.add(step.number)
                return None
            asked.append(question)
        return asked[-1]

    def _followed(self, step: Step, question: Question) -> str:
        rules = map(_rule_of, reversed(_answers_to(self.lesson, step, self._ever)))
        rule = next(filter(None, rules), "")
        return rule if rule in question.answers else ""

    def _like(self, seen: Question, rule: str, before: Sequence[Question]) -> Question | None:
        believed = [rule for rule in map(_rule_of, reversed(self._ever)) if rule]
        return follow_up(seen, rule, seed=self._seed, believed=believed, before=before)

    @property
    def _seed(self) -> int:
        """The seed of follow-ups, by when somebody began: each student has others, and finds them again."""
        return self.lesson.seed + (int(seconds_of(self._answers[0].time)) if self._answers else len(self._ever))

    def _exit_question(self, now: float) -> Question:
        if self._practice is None:
            self._practice = self._new_practice()
        missed = self._missed
        question = self._practice.next(now, self._question, missed)
        self.on = self._practice.on
        if not self.on and (own := self._missed_question(missed)) is not None:
            return own
        if not self.on:  # what was followed is told apart by whatever tells it
            self.on = next((rule for rule in missed if rule in question.answers), "")
        if self.on in question.answers:  # of all rules that give an answer, this one is the likeliest
            question = replace(question, answers={self.on: question.answers[self.on], **question.answers})
        return question

    @property
    def _missed(self) -> list[str]:
        """Wrong rules that answers followed, but those that the questions at the end have mended.

        What is still believed comes first, and of that what those questions asked about least: as few rules as give
        all wrong answers, those that give most of them.
        """
        asked = Counter(answer.on for answer in self._answers if answer.task == exit_id(self.lesson))
        wrong = [answer.rules for answer in self._answers if answer.rules]
        # Of rules that give an answer the first has been said; whoever answers by another of them is met next.
        missed = dict.fromkeys([*(rules[0] for rules in wrong), *(rule for rules in wrong for rule in rules[1:])])
        mended = {rule for rule in missed if is_mended([rule], self._answers)}
        left = [rule for rule in missed if rule not in mended or not asked[rule]]
        held = set[str]()
        for rule in sorted(missed, key=lambda rule: -sum(rule in rules for rules in wrong)):
            held |= {rule for rules in wrong if rule in rules and held.isdisjoint(rules)}
        return sorted(left, key=lambda rule: (rule in mended or rule not in held, asked[rule]))

    def _missed_question(self, missed: Sequence[str]) -> Question | None:
        """A question like a step's that tells a missed rule which practice has none about, or else the step's own.

        Rules about values out of range, and about two faults that make up for each other, show in few descs.
        """
        for rule in missed:
            for number, own in self._own.items():
                is_told = self._question is not None and told_by_reveal(self._question, own)
                if rule in own.answers and own.kind.form.how != "edit" and not is_told:
                    self.on = rule
                    return follow_up(own, rule, seed=self._seed, before=self._asked.get(number, ())) or own
        return None

    def _new_practice(self) -> Practice:
        steps = [step for step in self.lesson.steps if step.task is not None]
        asked = [step for step in steps if not _is_level(step)] or steps
        bases = [fresh(kind) for kind in dict.fromkeys(step.experiment.desc.TYPE for step in asked)]
        names = [step.task.kind for step in asked if step.task is not None]
        of_maps = sum(not kinds()[name].of_any_desc for name in names)
        seed = self.lesson.seed + len(self._answers)
        if not {*TOLD_BY}.isdisjoint(names) and 2 * of_maps >= len(names):
            return Practice(bases, seed, self._answers)
        others = [name for name in (*OTHERS, "lowest") if name in names] or OTHERS
        return Practice(bases, seed, self._answers, others)

    # ---- what is shown

    @property
    def after(self) -> str:
        """What enter leads to once the present question is answered, in a few words."""
        marks = self._now
        if self._testing:
            left = self.lesson.exit - self._test_right
            return f"on, {left} more" if left else "the end of the lesson"
        if self.step is not None and marks[self.lesson.steps.index(self.step)] == BEGUN:
            return sentence("next.like")
        ahead = next((k + 1 for k, mark in enumerate(marks) if mark in OPEN), None)
        if ahead is not None:
            return sentence("next.step", step=ahead)
        left = self.lesson.exit - _exits(self.lesson, self._answers)
        return sentence("next.more", count=left) if left > 0 else sentence("next.end")

    def told(self, *, right: bool) -> tuple[str, ...]:
        """What the lesson says besides the verdict, sentence by sentence."""
        task, said = self.present, []
        own = isinstance(self._question, AuthoredQuestion)  # what a task says is about its own desc
        if own and task is not None and task.then is not None and self.after != sentence("next.like"):
            said.append(task.then)
        if self._of_test and not self._testing:
            said.append(sentence("test.failed"))
        if self.step is not None and self.step.number in self._alone and not right:
            said.append(sentence("another.none"))
        return tuple(said)

    @property
    def state(self) -> LessonState:
        """What a screen shows of the lesson now."""
        step, task = self.step, self.present
        if step is not None and task is not None:
            at, marks = self.lesson.steps.index(step) + 1, self._now
            return LessonState(number=self.number, part="step", at=at, count=len(marks), marks=marks, phase=task.phase)
        total = max(1, self.lesson.exit)
        exits = [e for e in self._answers if e.task == exit_id(self.lesson)]
        answered = [RIGHT] * self._test_right if self._of_test else [_mark_of(answer) for answer in exits[:total]]
        marks = (*answered, *[""] * (total - len(answered)))
        at = max(1, min(total, self._exit_at))
        return LessonState(number=self.number, part="exit", at=at, count=total, marks=marks)


def lesson_in(session: Session) -> Lesson | None:
    """The lesson that a session holds, with the tasks of shipped examples in it; None where nothing asks anything."""
    lesson = lesson_of(with_own_tasks(session))
    if lesson is None:
        return None
    steps = zip(lesson.steps, session.experiments, strict=True)
    return replace(lesson, steps=tuple(replace(step, experiment=one) for step, one in steps))


class Item(Struct, frozen=True, kw_only=True):
    """A lesson or a level, and how far somebody came in it."""

    id: str
    title: str
    about: str
    """What a student can do after the lesson; what the level asks for, or else what it teaches."""
    what: Lesson | Level
    sign: str
    """What stands before it in the list: a lesson's number, or a level's id and whether it is solved, or at par."""
    status: str
    is_done: bool
    number: int = 0
    """Of the lessons that come with dmlviz, from 1; 0 for anything else."""
    marks: tuple[str, ...] = ()
    """Of each step: how it stands in a lesson that is gone through, else how the first try went."""
    is_begun: bool = False
    is_at_end: bool = False


class Course(Struct, frozen=True):
    """Lessons and levels with what was answered of them."""

    lessons: tuple[Item, ...]
    """The session's own lesson first, where it has one."""
    levels: tuple[Item, ...]

    @property
    def items(self) -> tuple[Item, ...]:
        """Every lesson and level, in the order of the list."""
        return (*self.lessons, *self.levels)

    @property
    def next(self) -> Item:
        """The session's own lesson, the lesson that was begun, or the first that isn't done."""
        begun = [item for item in self.lessons if item.is_begun or not (item.number or item.is_done)]
        return next(iter((*begun, *(item for item in self.items if not item.is_done))), self.items[0])

    def following(self, id_: str) -> Item | None:
        """The lesson or level after that of an id: the next one that isn't done yet, else the next; None at the end."""
        group = self.levels if any(level.id == id_ for level in self.levels) else self.lessons
        after = group[[item.id for item in group].index(id_) + 1 :]
        return next((item for item in after if not item.is_done), after[0] if after else None)

    def find(self, id_: str) -> Item | None:
        """The lesson or level of an id."""
        return next((item for item in self.items if item.id == id_), None)


def course_of(
    lessons: Sequence[Lesson], levels: Sequence[Level], answers: Sequence[Answered], own: Lesson | None = None
) -> Course:
    """The course of whoever gave some answers; `own` is the lesson of the session that is open."""
    items = [] if own is None else [_lesson_item(own, 0, answers)]
    items += [_lesson_item(lesson, number, answers) for number, lesson in enumerate(lessons, 1)]
    return Course(tuple(items), tuple(_level_item(level, best(level, answers)) for level in levels))


def _lesson_item(lesson: Lesson, number: int, answers: Sequence[Answered]) -> Item:
    now = standing(lesson, answers)
    is_done = now.rounds > 0 or now.tested_out
    if is_done and not now.done:
        status = sentence("map.done")
    elif now.done == now.count and lesson.exit:
        status = sentence("lesson.step", at=now.exits + 1, count=lesson.exit)
    else:
        status = sentence("words.of", number=now.done, count=now.count)
    firsts, _ = first_tries(lesson, answers)
    ends_with_steps = not lesson.exit and 0 < now.count == now.done
    return Item(
        id=lesson.id,
        title=lesson.title,
        about=lesson.goal,
        what=lesson,
        sign=f"{number or '·'} ",
        status=status,
        is_done=is_done,
        number=number,
        marks=now.marks if now.done or not is_done else tuple(mark or SKIPPED for mark in firsts),
        is_begun=now.done > 0,
        is_at_end=ends_with_steps or (now.rounds > 0 and set(now.marks) <= {"", LEFT_OUT}),
    )


def _level_item(level: Level, least: int | None) -> Item:
    sign = "□" if least is None else "★" if least <= level.par else "✓"
    return Item(
        id=level.id,
        title=level.title,
        about=level.task.say or level.task.learn,
        what=level,
        sign=f"{sign} {level.id}",
        status=sentence("map.best" if sign == "✓" else "map.par", par=level.par, best=least),
        is_done=least is not None,
    )


MOST_SHOWN = 36


class Belief(Struct, frozen=True, kw_only=True):
    """A wrong rule that an answer of the lesson followed."""

    rule: str
    name: str
    """Of two rules that gave the same answers both names."""
    mended: bool
    feedback: str
    picture: tuple[SmallTable, SmallTable] | None
    """The output by that rule and the true one; None where no small output shows it."""


class LessonEnd(Struct, frozen=True, kw_only=True):
    """What the last page of a lesson shows."""

    title: str
    tested_out: bool
    firsts: tuple[str, ...]
    later: tuple[str, ...]
    """The same by now: "right" once any answer was."""
    exits: tuple[int, int]
    """(right, answers) of the last questions at the end."""
    beliefs: tuple[Belief, ...]
    following: str
    """The title of the lesson that comes next; "" where none does."""

    @property
    def missed(self) -> int:
        """How many steps were not answered rightly at the first try."""
        return sum(mark in (MISSED, SKIPPED) for mark in self.firsts)


def lesson_end(lesson: Lesson, answers: Sequence[Answered], *, following: str) -> LessonEnd:
    """The end of a lesson, by all answers of a student; `following` is the title of the next lesson."""
    firsts, later = first_tries(lesson, answers)
    tasks = {exit_id(lesson), *(step.task.id for step in lesson.steps if step.task is not None)}
    own = [a for a in answers if a.task.removesuffix(AGAIN) in tasks and is_of(a, lesson.name)]
    exits = [answer for answer in own if answer.task == exit_id(lesson)][-lesson.exit :] if lesson.exit else []
    given = {rule: tuple(k for k, a in enumerate(own) if rule in a.rules) for answer in own for rule in answer.rules}
    lines = dict.fromkeys(given[answer.rules[0]] for answer in own if answer.rules)
    alike = [([rule for rule in given if given[rule] == line], own[line[-1]]) for line in lines]
    beliefs = [belief for rules, last in alike if (belief := _belief(lesson, rules, last, own)) is not None]
    return LessonEnd(
        title=lesson.title,
        tested_out=has_tested_out(lesson, answers) and not exits,
        firsts=firsts,
        later=later,
        exits=(sum(answer.right for answer in exits), len(exits)),
        beliefs=tuple(sorted(beliefs, key=lambda belief: not belief.mended)),
        following=following,
    )


def _belief(lesson: Lesson, rules: Sequence[str], last: Answered, answers: Sequence[Answered]) -> Belief | None:
    """Wrong rules that gave the same answers in words, the first in the picture of the first step that shows it.

    None for what nothing knows.
    """
    rule = rules[0]
    asked = [question for question in _questions(lesson, last) if question.knows(rule)]
    if not asked:
        return None
    pictures = ((question, picture) for question in asked if (picture := _pictured(question.subject, rule)) is not None)
    question, picture = next(pictures, (asked[0], None))
    known = question.rule(rule)
    return Belief(
        rule=rule,
        name=" or ".join(question.rule(each).name for each in rules[:2] if question.knows(each)),
        mended=is_mended(rules, answers),
        feedback=known.says(question.subject.desc),
        picture=picture,
    )


def _questions(lesson: Lesson, answered: Answered) -> Iterator[Question]:
    tasks = [(step.experiment, step.task) for step in lesson.steps if step.task is not None]
    for experiment, task in sorted(tasks, key=lambda each: each[1].id != answered.task.removesuffix(AGAIN)):
        try:
            question = question_of(experiment, task, lesson.seed)
        except DmlvizError:
            continue
        if question.subject.operator.name == answered.operator and question.subject.valid:
            yield question


def _pictured(subject: Subject, rule: str) -> tuple[SmallTable, SmallTable] | None:
    """The first output by a rule and by the truth; None where that is large, or they look alike."""
    reading = subject.element_readings.get(rule) if subject.is_small else None
    if reading is None or not reading.sizes or not subject.truth.sizes:
        return None
    wrong, true = _table(reading), _table(subject.truth)
    promised = all(subject.truth.promised.get((0, index)) for index in np.ndindex(*subject.truth.sizes[0]))
    return None if wrong is None or true is None or wrong == true or not promised else (wrong, true)


def _table(reading: Reading) -> SmallTable | None:
    sizes = reading.sizes[0]
    if math.prod(sizes) > MOST_SHOWN:
        return None
    texts = [shown(reading.value[0, index]) for index in np.ndindex(*sizes)]
    return SmallTable(((tuple(n for n in sizes if n > 1) or (1,), texts),))
