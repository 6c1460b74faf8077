"""`dmlviz quiz`: questions about the experiments of a session on stdout, answered on stdin."""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, BinaryIO

from ..errors import DmlvizError, SessionError, plain, quote
from .parsers import add_dim_option, add_hand_in_options, file_to_hand_in, integer, parser
from .shared import UNREADABLE, hand_in, progress, read_session, say, user_settings

if TYPE_CHECKING:
    from ..teaching.diagnosis.diagnosis import Diagnosis
    from ..teaching.diagnosis.order import Order
    from ..teaching.lessons.lessons import Lesson
    from ..teaching.progress.progress import Progress
    from ..teaching.questions.question import Question, Verdict
    from ..teaching.questions.subject import Subject

COUNT = 18
"""Questions that are asked unless `--count` says otherwise: enough to name a rule, see `MOST_TELLING`."""
MOST_COUNT = 100_000
MOST_LINE = 1 << 16
"""Bytes of an answer's line."""
MOST_NAMED = 2
"""Wrong rules that are named where the answers fit several."""
MOST_KEPT = 1 << 15
"""Characters of an answer that is remembered."""


def run(argv: list[str]) -> int:
    """Asks about the experiments of a file until enough was asked, or input ends."""
    words = parser(
        "quiz",
        "Ask questions about the experiments of a session, the tasks of a lesson or an example first: one at a time "
        "on standard output, answered by lines on standard input. An answer is a line such as `4,2` or `b`; `hint`, "
        "`skip` and `quit` are lines too.",
        "With --json each line is one JSON object, in and out, for a program. The last line is the result. Answers are "
        'remembered, as `dmlviz progress` shows them, unless the settings have `"progress": false`.',
    )
    words.add_argument("file", metavar="FILE", help="a session file, an example's name, a token, what can be imported")
    words.add_argument("--kinds", metavar="K,...", help="ask only questions of these kinds")
    words.add_argument(
        "--seed", default="0", metavar="N", help="another number asks other questions, the same one the same"
    )
    words.add_argument(
        "--count", default=str(COUNT), metavar="N", help=f"ask at most so many questions; {COUNT} if left out"
    )
    words.add_argument("--json", action="store_true", help="speak JSON, one object a line")
    add_hand_in_options(words)
    add_dim_option(words)
    args = words.parse_args(argv)
    if args.file == "-":
        raise SessionError("- is no file to ask about: answers are read from standard input, expected a file's name.")
    count, seed = (
        integer(args.count, "--count", 1, MOST_COUNT),
        integer(args.seed, "--seed", -(10**18), 10**18),
    )
    return _hold_quiz(args, count, seed)


def _hold_quiz(args: argparse.Namespace, count: int, seed: int) -> int:
    from ..teaching.diagnosis.diagnosis import FILLS
    from ..teaching.diagnosis.order import Order
    from ..teaching.kinds.lib.asking import kinds_named
    from ..teaching.questions.subject import Subject
    from ..teaching.words.catalogue import sentence
    from ..workspace.lessons.course_map import lesson_in

    handed_in = file_to_hand_in(args)
    kinds = kinds_named(None if args.kinds is None else [kind.strip() for kind in args.kinds.split(",")])
    session, code = read_session(args.file, args.dims)
    if session is None or not session.experiments:
        return code or UNREADABLE
    settings = user_settings()
    subjects = [Subject(experiment) for experiment in session.experiments]
    lesson = lesson_in(session)
    kept = _user_progress(remembers=settings.progress)
    voice = _Json() if args.json else _Text(subjects)
    before = len(kept.answers)
    quiz = _Quiz(voice, kept, lesson.name if lesson is not None else "")
    order = Order(subjects, kinds, seed)
    tasks = _tasks(lesson, {kind.name for kind in kinds}, seed, order) if lesson is not None else iter(())
    asked: list[Question] = []
    try:
        while len(asked) < count:
            with progress(sentence("quiz.looking")):
                # What is suspected is confirmed before the quiz ends, though not all tasks are asked then.
                ends = count - len(asked) <= FILLS
                confirming = order.confirming_question(quiz.diagnosis) if ends else None
                question = confirming or next(tasks, None) or order.next_question(quiz.diagnosis)
            if question is None:
                break
            asked.append(question)
            if not quiz.ask(question):
                break
        if not asked:
            which = "of these kinds " if args.kinds is not None else ""
            raise SessionError(f"{plain(args.file)}: no question {which}can be asked about {_in_words(subjects)}.")
        voice.print_totals(quiz.verdicts, quiz.diagnosis)
    finally:  # Ctrl-C ends a quiz, too
        if handed_in is not None and asked:
            # A lesson's count from its first sitting on.
            hand_in(handed_in, args.name, lesson, kept.answers if lesson is not None else kept.answers[before:])
    return code


def _tasks(lesson: Lesson, kinds: set[str], seed: int, order: Order) -> Iterator[Question]:
    """Questions from a lesson's tasks of these kinds; a sentence on stderr says which can't be asked."""
    from ..teaching.tasks.tasks import question_of
    from ..teaching.words.catalogue import sentence

    for step in lesson.steps:
        problem = step.problem
        if step.task is not None and not problem:
            if step.task.kind not in kinds:
                continue
            try:
                question = question_of(step.experiment, step.task, lesson.seed + seed)
            except DmlvizError as error:
                problem = str(error)
            else:
                order.asked(step.number - 1, question)
                yield question
        if problem:
            say(sentence("lesson.left_out", step=step.number, why=problem))


def _user_progress(*, remembers: bool) -> Progress:
    """The user's progress, or an empty one that nothing keeps; sentences on stderr say what can't be read of it."""
    from ..teaching.progress.progress import Progress, default_file

    kept = Progress(default_file() if remembers else None)
    for sentence in kept.problems:
        say(sentence)
    return kept


def _in_words(subjects: Sequence[Subject]) -> str:
    return f"its {len(subjects)} experiments" if len(subjects) > 1 else quote(subjects[0].experiment.name)


def _next_line(stream: BinaryIO) -> str | None:
    """A line without its end; None where input has ended. Raises DmlvizError for one that can't be read."""
    line = stream.readline(MOST_LINE + 1)
    if not line:
        return None
    if len(line) > MOST_LINE and not line.endswith(b"\n"):
        while (rest := stream.readline(MOST_LINE)) and not rest.endswith(b"\n"):
            pass
        raise DmlvizError(f"the line is longer than {MOST_LINE:,} bytes, expected an answer.")
    try:
        return line.decode("utf-8-sig").rstrip("\r\n")
    except UnicodeDecodeError as error:
        raise DmlvizError(f"the line is not UTF-8: found byte 0x{line[error.start]:02x}, expected an answer.") from None


class _Quiz:
    """What was asked and answered so far."""

    def __init__(self, voice: _Json | _Text, kept: Progress, lesson: str) -> None:
        """`lesson` is the name of the lesson that is asked about."""
        from ..teaching.diagnosis.order import MOST_TELLING
        from ..teaching.diagnosis.proving import Proving

        self._voice, self._kept, self._lesson = voice, kept, lesson
        self.verdicts: list[Verdict] = []
        self.diagnosis = Proving(most=MOST_TELLING)

    def ask(self, question: Question) -> bool:
        """Asks until there is a verdict; False where input ends, or nobody wants to go on."""
        from ..teaching.levels.level import read_answer
        from ..teaching.questions.question import Verdict

        began, rungs = time.time(), 0
        self._voice.print_question(question, len(self.verdicts) + 1)
        while True:
            try:
                line = _next_line(sys.stdin.buffer)
                if line is None:
                    return False
                word, argument = self._voice.understood(question, line)
                if word == "quit":
                    return False
                if word == "hint":
                    self._voice.print_hint(question, argument)
                    rungs = max(rungs, argument)
                    continue
                if word == "skip":
                    verdict = Verdict(
                        right=False,
                        score=0.0,
                        answer=question.truth,
                        rules=(),
                        feedback=question.kind.says(question),
                        look=question.kind.hints(question)[0],
                    )
                else:
                    verdict = self.diagnosis.take(question, read_answer(question, argument))
            except DmlvizError as error:
                self._voice.print_error(str(error), question, len(self.verdicts) + 1)
                continue
            self.verdicts.append(verdict)
            self._voice.print_verdict(question, verdict)
            self._keep(question, verdict, argument, rungs, began, skipped=word == "skip")
            return True

    def _keep(
        self, question: Question, verdict: Verdict, answer: Any, rungs: int, began: float, *, skipped: bool
    ) -> None:
        """Remembers an answer, given as JSON has it."""
        from ..teaching.progress.progress import Answered, counted_as, now_text
        from ..teaching.tasks.tasks import MOST_HINTS, AuthoredQuestion

        now, subject, told = time.time(), question.subject, len(self._kept.problems)
        self._kept.add(
            Answered(
                time=now_text(now),
                task=question.task.id if isinstance(question, AuthoredQuestion) else subject.experiment.name,
                operator=subject.operator.name,
                kind=question.kind.name,
                seed=question.seed,
                right=verdict.right,
                answer=answer if len(json.dumps(answer)) <= MOST_KEPT else None,
                rules=verdict.rules,
                rungs=rungs,
                skipped=skipped,
                looked_up=rungs >= MOST_HINTS,
                seconds=max(0.0, round(now - began, 1)),
                lesson=counted_as(self._lesson, question.kind.name),
            )
        )
        for sentence in self._kept.problems[told:]:
            say(sentence)


class _Json:
    """A quiz as a program speaks and understands it: one object a line."""

    def print_question(self, question: Question, number: int) -> None:
        from ..teaching.questions.question_json import question_json

        self._print_json({"question": question_json(question)})

    def understood(self, question: Question, line: str) -> tuple[str, Any]:
        """("answer", its JSON), ("hint", its number) or ("skip", None). Raises DmlvizError."""
        from ..formats.json_text import parse_json

        message = parse_json(line)
        if not isinstance(message, dict) or len(message) != 1:
            raise DmlvizError(f"found {quote(message)}, expected an object with answer, hint or skip alone.")
        ((word, argument),) = message.items()
        if word == "answer":
            return word, argument
        if word == "hint":
            if type(argument) is not int:
                raise DmlvizError(f"hint is {quote(argument)}, expected 1 to 4.")
            return word, argument
        if word == "skip":
            if argument is not True:
                raise DmlvizError(f"skip is {quote(argument)}, expected true.")
            return word, None
        raise DmlvizError(f"found {quote(word)}, expected answer, hint or skip.")

    def print_hint(self, question: Question, number: int) -> None:
        self._print_json({"hint": {"number": number, "text": question.hint(number)}})

    def print_error(self, sentence: str, question: Question, number: int) -> None:
        self._print_json({"error": sentence})
        self.print_question(question, number)

    def print_verdict(self, question: Question, verdict: Verdict) -> None:
        from ..teaching.questions.question_json import verdict_json

        self._print_json({"verdict": verdict_json(question, verdict)})

    def print_totals(self, verdicts: Sequence[Verdict], diagnosis: Diagnosis) -> None:
        right = sum(verdict.right for verdict in verdicts)
        beliefs = [{"rule": belief.rule, "probability": round(belief.probability, 6)} for belief in diagnosis.beliefs]
        totals = {"asked": len(verdicts), "right": right, "beliefs": beliefs, "diagnosis": diagnosis.rule}
        self._print_json({"result": totals})

    def _print_json(self, message: Mapping[str, Any]) -> None:
        from ..formats.json_text import escaped

        print(escaped(json.dumps(message, ensure_ascii=False)), flush=True)


class _Text:
    """A quiz as a person does: sentences and rows of numbers; nothing moves, no colours."""

    def __init__(self, subjects: Sequence[Subject]) -> None:
        self._subjects = subjects
        self._hints = 0

    def print_question(self, question: Question, number: int) -> None:
        from .quiz_text import form_line, question_lines

        self._hints = 0
        self._print_lines(
            "",
            question.subject.sentence("quiz.question", number=number),
            *question_lines(question),
            form_line(question),
        )

    def understood(self, question: Question, line: str) -> tuple[str, Any]:
        """("answer", its JSON), ("hint", its number), ("skip", None) or ("quit", None). Raises DmlvizError."""
        from .quiz_text import typed

        word = line.strip()
        if word in ("quit", "q", "exit"):
            return "quit", None
        if word in ("skip", "s"):
            return "skip", None
        if word.startswith("hint") or word == "h":
            number = word.removeprefix("hint").strip() if word != "h" else ""
            if number and not (number.isascii() and number.isdecimal() and len(number) < 3):
                raise DmlvizError(question.subject.sentence("quiz.found_hint", found=quote(number)))
            return "hint", int(number) if number else min(4, self._hints + 1)
        return "answer", typed(question, word)

    def print_hint(self, question: Question, number: int) -> None:
        text = question.hint(number)
        self._hints = number
        self._print_lines(question.subject.sentence("quiz.hint", number=number, hint=text))

    def print_error(self, sentence: str, question: Question, number: int) -> None:
        from .quiz_text import form_line

        self._print_lines(question.subject.sentence("quiz.not_understood", why=sentence), form_line(question))

    def print_verdict(self, question: Question, verdict: Verdict) -> None:
        from ..teaching.tasks.tasks import AuthoredQuestion
        from .quiz_text import verdict_lines

        afterwards = question.task.afterwards() if isinstance(question, AuthoredQuestion) else ()
        self._print_lines(*verdict_lines(question, verdict), *afterwards)

    def print_totals(self, verdicts: Sequence[Verdict], diagnosis: Diagnosis) -> None:
        from ..teaching.questions.looking import on_stdout

        right = sum(verdict.right for verdict in verdicts)
        self._print_lines("", self._subjects[0].sentence("quiz.total", right=right, count=len(verdicts)))
        if diagnosis.rule is None:
            return
        ids = (diagnosis.rule, *diagnosis.twins(diagnosis.rule))[:MOST_NAMED]
        rules = {rule.id: (subject, rule) for subject in self._subjects for rule in subject.rules if rule.id in ids}
        if diagnosis.rule in rules:
            subject, named = rules[diagnosis.rule]
            names = subject.sentence("practice.or").join(rules[id_][1].name for id_ in ids if id_ in rules)
            look = on_stdout(subject, named.look, of_rule=True)
            self._print_lines(subject.sentence("quiz.as_if", names=names, look=look))

    def _print_lines(self, *lines: str) -> None:
        for line in lines:
            print("".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in line))
        sys.stdout.flush()
