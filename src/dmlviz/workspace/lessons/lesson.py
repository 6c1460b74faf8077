"""A lesson as a student goes through it: one step after the other, then questions chosen by the answers.

Where somebody is follows from their answers alone, so a lesson goes on where it was left, however it ended.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from types import MappingProxyType

from msgspec import Struct
from msgspec.structs import replace

from ...errors import DmlvizError
from ...session.new_experiments import fresh
from ...teaching.diagnosis.diagnosis import TOLD_BY
from ...teaching.diagnosis.practice import OTHERS, Practice, follow_up
from ...teaching.kinds.lib.asking import kinds
from ...teaching.lessons.lessons import Lesson, Step
from ...teaching.progress.progress import AGAIN, EXIT, TEST, Answered, is_of, seconds_of
from ...teaching.questions.question import Question, told_by_reveal
from ...teaching.tasks.tasks import AuthoredQuestion, Task, question_of
from ...teaching.words.catalogue import sentence

MOST_WRONG = 2
"""Wrong answers to a step, after which it goes on."""
REPLAYED = 6
"""Questions about a step that are made once more where a lesson goes on, at most: each is unlike those before it."""
RIGHT, MISSED, SKIPPED = "right", "missed", "skipped"
_ANSWERED = ("right", "missed", "skipped", "begun")


class Standing(Struct, frozen=True):
    """How far somebody is in a lesson, by their answers since they began it for the last time."""

    marks: tuple[str, ...]
    """Of each step: "right", "looked up" where that came first, "missed" where a wrong answer came first,
    "skipped", "begun", "" or "left out"."""
    exits: int
    """Exit questions that were answered or skipped."""
    rounds: int
    """How often the whole lesson was gone through before."""
    tested_out: bool = False
    """Somebody has answered as many questions rightly as stand at its end, and needs none of its steps."""

    @property
    def done(self) -> int:
        """How many steps were answered or skipped."""
        return sum(mark in ("right", "looked up", "missed", "skipped") for mark in self.marks)

    @property
    def count(self) -> int:
        """How many steps there are, without those that are left out."""
        return sum(mark != "left out" for mark in self.marks)


class LessonState(Struct, frozen=True, kw_only=True):
    """What a screen shows of a lesson beside its question."""

    number: int
    """Of the lessons that come with dmlviz, from 1; 0 for another one."""
    part: str
    """"step", or "exit" for a question at the end."""
    at: int
    """Which one is asked, from 1."""
    count: int
    marks: tuple[str, ...]
    """Of each step, or of each exit question: as in `Standing`."""
    phase: str = ""
    """predict, run, investigate, modify or make; "" for none."""


def exit_id(lesson: Lesson) -> str:
    """The id under which answers to exit questions are kept."""
    return f"{lesson.id}{EXIT}"


def standing(lesson: Lesson, answers: Sequence[Answered]) -> Standing:
    """Where somebody is in a lesson, by all of their answers, those to other things too."""
    now, rounds = _this_round(lesson, answers)
    return replace(_standing_of(lesson, now, rounds), tested_out=has_tested_out(lesson, answers))


def has_tested_out(lesson: Lesson, answers: Sequence[Answered]) -> bool:
    """True if as many questions as stand at the lesson's end were once answered rightly, one after the other."""
    streak = 0
    for answer in answers:
        if answer.task == f"{lesson.id}{TEST}" and is_of(answer, lesson.name):
            streak = streak + 1 if answer.right and not answer.looked_up else 0
            if streak >= lesson.exit > 0:
                return True
    return False


def first_tries(lesson: Lesson, answers: Sequence[Answered]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Of each step (the first try, how it stands by now), by all answers ever."""
    firsts, later = [], []
    for step in lesson.steps:
        own = answers_to(lesson, step, answers)
        first = _mark_of(own[0]) if own else ""
        if first == MISSED and _is_level(step):  # it is tried as often as one likes
            first = next((_mark_of(answer) for answer in own if answer.right), MISSED)
        firsts.append(first)
        later.append(RIGHT if any(_mark_of(answer) == RIGHT for answer in own) else first)
    return tuple(firsts), tuple(later)


def answers_to(lesson: Lesson, step: Step, answers: Sequence[Answered]) -> list[Answered]:
    """All answers to a step, those of a later try at what was missed too, in their order."""
    if step.task is None:
        return []
    ids = (step.task.id, f"{step.task.id}{AGAIN}")
    return [answer for answer in answers if answer.task in ids and is_of(answer, lesson.name)]


def is_mended(rules: Sequence[str], answers: Sequence[Answered]) -> bool:
    """True if a question on one of some wrong rules was answered rightly after the last answer that followed them.

    Answers of before say no rule: there the same step's is such a question.
    """
    last = max((k for k, answer in enumerate(answers) if not {*rules}.isdisjoint(answer.rules)), default=-1)
    step = answers[last].task.removesuffix(AGAIN)
    later = [answer for answer in answers[last + 1 :] if answer.right and not answer.looked_up]
    of_before = () if step.endswith(EXIT) else [a for a in later if a.v == 1 and a.task.removesuffix(AGAIN) == step]
    return bool(of_before) or any(answer.on in rules for answer in later)


def missed_again(lesson: Lesson, marks: Sequence[str]) -> Lesson:
    """The steps that were missed or skipped, as a lesson of their own without questions at the end.

    Its answers are kept under ids of their own, so that the lesson's first tries and its place stay as they were.
    """
    steps = []
    for step, mark in zip(lesson.steps, marks, strict=True):
        if mark in ("missed", "skipped") and step.task is not None:
            steps.append(replace(step, task=replace(step.task, id=f"{step.task.id}{AGAIN}")))
    return replace(lesson, steps=tuple(steps), exit=0, problems=())


def _standing_of(
    lesson: Lesson, now: Sequence[Answered], rounds: int = 0, gone: Mapping[int, str] = MappingProxyType({})
) -> Standing:
    """How each step of a lesson was answered in one round; `gone` are the numbers of steps that can't be asked.

    A step that was answered wrongly is missed once a later one was asked: no question was like it.
    """
    marks = [
        "left out" if step.number in gone or not _can_be_asked(step) else _mark(step, now) for step in lesson.steps
    ]
    exits = sum(answer.task == exit_id(lesson) for answer in now)
    asked = [k for k, step in enumerate(lesson.steps) if marks[k] in _ANSWERED and not _is_level(step)]
    for k in range(len(marks) if exits else max(asked, default=0)):
        if marks[k] == "begun" and not _is_level(lesson.steps[k]):
            marks[k] = "missed"
    return Standing(tuple(marks), exits, rounds)


def _is_level(step: Step) -> bool:
    return step.task is not None and bool(step.task.goal)


def _can_be_asked(step: Step) -> bool:
    """True if a step has a task, and nothing keeps it from being asked."""
    return step.task is not None and not step.problem


def _mark(step: Step, answers: Sequence[Answered]) -> str:
    """A step's mark by the answers, as in `Standing.marks`; a level is tried as often as one likes."""
    assert step.task is not None
    own = [answer for answer in answers if answer.task == step.task.id]
    wrong = sum(not answer.right and not answer.skipped for answer in own)
    if any(answer.right for answer in own):
        if _is_level(step):
            return _mark_of(next(answer for answer in own if answer.right))
        return _mark_of(own[0]) if own[0].right else "missed"
    if any(answer.skipped for answer in own):
        return "skipped"
    if wrong >= (1 if kinds()[step.task.kind].authored else MOST_WRONG) and not _is_level(step):
        return "missed"
    return "begun" if own else ""


def _mark_of(answer: Answered) -> str:
    """The mark of a step by its first answer."""
    if not answer.right:
        return "skipped" if answer.skipped else "missed"
    return "looked up" if answer.looked_up else "right"


def _this_round(lesson: Lesson, answers: Sequence[Answered]) -> tuple[list[Answered], int]:
    """The answers since the lesson was begun for the last time, and how often it was ended before."""
    ids = {step.task.id for step in lesson.steps if step.task is not None}
    now: list[Answered] = []
    rounds = exits = 0
    for answer in answers:
        if not is_of(answer, lesson.name):
            continue
        if answer.task == exit_id(lesson):
            exits += 1
        elif answer.task not in ids:
            continue
        now.append(answer)
        if exits and exits >= lesson.exit:
            now, exits, rounds = [], 0, rounds + 1
    return now, rounds


class RunningLesson:
    """Chooses what a lesson asks next. No clock, and no dice but the lesson's seed."""

    def __init__(
        self, lesson: Lesson, answers: Sequence[Answered], *, number: int = 0, test: bool = False, again: bool = False
    ) -> None:
        """`answers` are all of the student's so far; those of this lesson say where it goes on.

        With `test` it begins with the questions that let it be skipped; `again` is set for steps of `missed_again`.
        """
        self.lesson, self.number = replace(lesson), number
        self._answers, _ = _this_round(lesson, answers)
        self.testing, self._test_right = test and lesson.exit > 0, 0
        """Whether what is asked now lets the lesson be skipped, and how many such answers were right."""
        self._of_test = False  # the present question is one of those
        self.again, self._ever = again, tuple(answers)
        """Whether this is a later try at what was missed."""
        self._left_out: dict[int, str] = {}
        if not lesson.exit and self.standing.done == self.standing.count:
            self._answers = []  # it is at its end: it begins anew
        self._said: list[str] = [*lesson.problems]
        self._said += [
            sentence("lesson.left_out", step=step.number, why=step.problem) for step in lesson.steps if step.problem
        ]
        self._step: Step | None = None
        self._practice: Practice | None = None
        self._exit_at = 0  # which exit question is asked
        self._asked: dict[str, dict[int, Question]] = {}  # of a step, by how many answers it had before
        self._question: Question | None = None
        self._ends: set[int] = set()  # numbers of steps that no other question is like
        self.on = ""
        """The missed rule that the present question is about; empty for none."""
        self.news = ""
        """A sentence on what the answers follow, told with the answer that confirmed it."""

    # ---- what is asked

    @property
    def task(self) -> str:
        """The id under which the answer to the present question is kept."""
        present = self.present
        if self._of_test:
            return f"{self.lesson.id}{TEST}"
        return present.id if present is not None else exit_id(self.lesson)

    @property
    def tested_out(self) -> bool:
        """True once the questions that let the lesson be skipped were all answered rightly."""
        return self.testing and self._test_right >= self.lesson.exit

    @property
    def may_test(self) -> bool:
        """True while nothing was answered, where the questions at the end may be tried first."""
        return (
            not (self.testing or self.again or self._answers)
            and self.lesson.exit > 0
            and any(step.task is not None for step in self.lesson.steps)
        )

    @property
    def step(self) -> Step | None:
        """The step that is asked about; None among the exit questions."""
        return self._step

    @property
    def present(self) -> Task | None:
        """The task of the step that is asked about; None among the exit questions."""
        return self._step.task if self._step is not None else None

    @property
    def standing(self) -> Standing:
        standing = _standing_of(self.lesson, self._answers, gone=self._left_out)
        marks = [
            "missed" if mark == "begun" and step.number in self._ends else mark
            for step, mark in zip(self.lesson.steps, standing.marks, strict=True)
        ]
        return replace(standing, marks=tuple(marks))

    def notices(self) -> list[str]:
        """Why steps are left out, each sentence once."""
        said, self._said = self._said, []
        return said

    def next(self, now: float) -> Question | None:
        """The question to ask now; None once the lesson is at its end. `now` is in seconds since 1970."""
        self.on = self.news = ""
        if self.testing:
            if self.tested_out:
                return None
            self._step, self._exit_at, self._of_test = None, self._test_right + 1, True
            self._question = self._exit_question(now)
            return self._question
        self._of_test = False
        for step, mark in zip(self.lesson.steps, self.standing.marks, strict=True):
            if mark in ("", "begun"):
                try:
                    question = self._question_about(step)
                except DmlvizError as error:
                    self._left_out[step.number] = str(error)
                    self._said.append(sentence("lesson.left_out", step=step.number, why=error))
                    continue
                if question is None:
                    self._ends.add(step.number)
                    continue
                self._step, self._question = step, question
                self.on = self._followed(step, question)
                return question
        self._step = None
        if all(step.task is None for step in self.lesson.steps):
            return None  # nothing says what to ask about at the end
        self._exit_at = self.standing.exits + 1
        self._question = self._exit_question(now) if self._exit_at <= self.lesson.exit else None
        return self._question

    def another(self) -> Question | None:
        """Another question like the present one, beside what the lesson wants; None where there is none."""
        assert self._question is not None
        if self._of_test:
            return None
        if self._step is not None:
            question = self._question_about(self._step)
            self.on = self._followed(self._step, question) if question is not None else self.on
        else:
            self.on = ""
            question = self._follow_up(self._question, self._answers[-1], [self._question])
        self._question = question or self._question
        return question

    def heard(self, question: Question, answer: object, answered: Answered) -> None:
        """Takes an answer, as JSON has it, and how it was graded; None is that of a skipped question."""
        if self.testing:
            counts = answered.right and not answered.looked_up
            self._test_right += counts
            if not counts:
                self.testing, self._practice = False, None  # the lesson begins
            elif self._practice is not None:
                self._practice.heard(question, answer, answered)
            return
        self._answers.append(answered)
        step = self._step
        if step is not None and not (_is_level(step) or answered.right or answered.skipped):
            mark = self.standing.marks[self.lesson.steps.index(step)]
            is_over = mark == "missed" and not question.kind.authored
            if not is_over and self._question_about(step) is None:
                self._ends.add(step.number)
        if self._practice is not None and answered.task == exit_id(self.lesson):
            self._practice.heard(question, answer, answered)
            self.news = self._practice.news

    def heard_level(self, answers: Sequence[Answered]) -> bool:
        """Takes what was answered on a level's own screen into account; True if the level is solved by that."""
        own = [answer for answer in answers if answer.task == self.task and is_of(answer, self.lesson.name)]
        self._answers += own
        return any(answer.right for answer in own)

    def _question_about(self, step: Step) -> Question | None:
        """A step's own question; after each answer another like it, by what was answered; None where there is none.

        A level's stays as it is, until it is solved.
        """
        assert step.task is not None
        answers = [answer for answer in self._answers if answer.task == step.task.id]
        asked = self._asked.setdefault(step.task.id, {})
        if not asked:
            asked[0] = question_of(step.experiment, step.task, self.lesson.seed)
            if self.again and not _is_level(step):
                asked[0] = self._unlike_before(asked[0], step.task) or asked[0]
        if _is_level(step):
            return asked[0]
        for k in range(max(0, len(answers) - REPLAYED), len(answers)):
            if k + 1 not in asked:
                question = self._follow_up(asked.get(k, asked[0]), answers[k], [*asked.values()])
                if question is None:
                    return None
                asked[k + 1] = question
        return asked[len(answers)]

    def _followed(self, step: Step, question: Question) -> str:
        """The wrong rule that answers to a step followed, where a question tells it; "" for none."""
        assert step.task is not None
        id_ = step.task.id.removesuffix(AGAIN)
        own = [a for a in (*self._ever, *self._answers) if a.task.removesuffix(AGAIN) == id_ and a.rules]
        rule = next((a.rules[0] for a in reversed(own) if is_of(a, self.lesson.name)), "")
        return rule if rule in question.answers else ""

    def _unlike_before(self, seen: Question, task: Task) -> Question | None:
        """A question like a step's own that was missed, about the wrong rule that was held; None where none is."""
        first = task.id.removesuffix(AGAIN)
        rules = [a.rules[0] for a in self._ever if a.task in (first, task.id) and a.rules and not a.right]
        seed = self.lesson.seed + len(self._ever)
        return follow_up(seen, rules[-1] if rules else "", seed=seed, believed=rules, before=[seen])

    def _follow_up(self, seen: Question, answered: Answered, before: Sequence[Question]) -> Question | None:
        """A question like one that was answered, about the wrong rule that the answer followed."""
        rule = answered.rules[0] if answered.rules else ""
        believed = [rule for answer in reversed(self._answers) for rule in answer.rules[:1]]
        return follow_up(seen, rule, seed=self._seed, believed=believed, before=before)

    @property
    def _seed(self) -> int:
        """The seed of follow-ups, by when somebody began: each student has others, and finds them again."""
        return self.lesson.seed + (int(seconds_of(self._answers[0].time)) if self._answers else 0)

    def _exit_question(self, now: float) -> Question:
        """A question at the end of the lesson that tells a rule which is still believed, if there is one."""
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
        """A question like a step's that tells a missed rule which practice has none about; None where none is left.

        It is the step's own where none is like it. Rules about values out of range, and about two faults that make up
        for each other, show in few descs.
        """
        for rule in missed:
            for step in self.lesson.steps:
                if not _can_be_asked(step) or step.task is None or _is_level(step) or step.number in self._left_out:
                    continue
                try:
                    question = question_of(step.experiment, step.task, self.lesson.seed)
                except DmlvizError:
                    continue  # a file of its values has gone since
                is_told = self._question is not None and told_by_reveal(self._question, question)
                if rule in question.answers and not is_told:
                    self.on = rule
                    before = [*self._asked.get(step.task.id, {}).values()]
                    return follow_up(question, rule, seed=self._seed, before=before) or question
        return None

    def _new_practice(self) -> Practice:
        """A practice about the lesson's operators and its kinds."""
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
        standing = self.standing
        marks = standing.marks
        if self.testing:
            left = self.lesson.exit - self._test_right
            return f"on, {left} more" if left else "the end of the lesson"
        if self._step is not None and marks[self.lesson.steps.index(self._step)] == "begun":
            return sentence("next.like")
        ahead = next((k + 1 for k, mark in enumerate(marks) if mark in ("", "begun")), None)
        if ahead is not None:
            return sentence("next.step", step=ahead)
        if standing.exits < self.lesson.exit:
            left = self.lesson.exit - standing.exits
            return sentence("next.more", count=left)
        return sentence("next.end")

    def told(self, *, right: bool) -> tuple[str, ...]:
        """What the lesson says besides the verdict, sentence by sentence."""
        task, said = self.present, []
        own = isinstance(self._question, AuthoredQuestion)  # what a task says is about its own desc
        if own and task is not None and task.then is not None and self.after != sentence("next.like"):
            said.append(task.then)
        if self._of_test and not self.testing:
            said.append(sentence("test.failed"))
        if self._step is not None and self._step.number in self._ends and not right:
            said.append(sentence("another.none"))
        return tuple(said)

    @property
    def state(self) -> LessonState:
        """What a screen shows of the lesson now."""
        standing, step, task = self.standing, self._step, self.present
        if step is None or task is None:
            total, exits = max(1, self.lesson.exit), [e for e in self._answers if e.task == exit_id(self.lesson)]
            marks = [_mark_of(answer) for answer in exits[:total]]
            if self._of_test:
                marks = ["right"] * self._test_right
            marks += [""] * (total - len(marks))
            at = max(1, min(total, self._exit_at))
            return LessonState(number=self.number, part="exit", at=at, count=total, marks=tuple(marks))
        at, count = self.lesson.steps.index(step) + 1, len(self.lesson.steps)
        return LessonState(
            number=self.number,
            part="step",
            at=at,
            count=count,
            marks=standing.marks,
            phase=task.phase,
        )
