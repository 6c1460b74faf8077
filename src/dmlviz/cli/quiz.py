"""`dmlviz quiz`: questions about the experiments of a session on stdout, answered on stdin."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..errors import DmlvizError, SessionError, plain, quote
from .parsers import add_dim_option, add_named_file, integer, parser
from .shared import UNREADABLE, progress, read_session, say, shown

if TYPE_CHECKING:
    from ..teaching.lessons.lessons import Lesson
    from ..teaching.progress.progress import Progress
    from ..teaching.questions.question import Question, Reply
    from ..teaching.questions.subject import Subject

COUNT = 18
"""Questions that are asked unless `--count` says otherwise: enough to name a rule, see `diagnosis.MOST`."""
MOST_COUNT = 100_000


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
    add_named_file(words)
    words.add_argument("--kinds", metavar="K,...", help="ask only questions of these kinds")
    words.add_argument(
        "--seed", default="0", metavar="N", help="another number asks other questions, the same one the same"
    )
    words.add_argument(
        "--count", default=str(COUNT), metavar="N", help=f"ask at most so many questions; {COUNT} if left out"
    )
    words.add_argument("--json", action="store_true", help="speak JSON, one object a line")
    add_dim_option(words)
    args = words.parse_args(argv)
    count, seed = integer(args.count, "--count", 1, MOST_COUNT), integer(args.seed, "--seed", -(10**18), 10**18)
    from ..teaching.diagnosis.diagnosis import FILLS
    from ..teaching.diagnosis.order import Order
    from ..teaching.kinds.lib.asking import kinds_named
    from ..teaching.questions.subject import Subject
    from ..teaching.words.catalogue import sentence
    from ..workspace.lessons.course_map import lesson_in

    kinds = kinds_named(None if args.kinds is None else [kind.strip() for kind in args.kinds.split(",")])
    kinds = [kind for kind in kinds if args.json or kind.form.how != "edit"]  # nobody types a desc
    session, code = read_session(args.file, args.dims)
    if not session.experiments:
        return code or UNREADABLE
    subjects = [Subject(experiment) for experiment in session.experiments]
    lesson = lesson_in(session)
    kept = _user_progress()
    quiz = _Quiz(kept, lesson.name if lesson is not None else "", as_json=args.json)
    order = Order(subjects, kinds, seed)
    tasks = _tasks(lesson, {kind.name for kind in kinds}, seed) if lesson is not None else iter(())
    for number in range(count):
        with progress(sentence("quiz.looking")):
            # What is suspected is confirmed before the quiz ends, though not all tasks are asked then.
            confirming = order.confirming_question(quiz.diagnosis) if count - number <= FILLS else None
            question = confirming or next(tasks, None) or order.next_question(quiz.diagnosis)
        if question is None and not number:
            raise SessionError(f"{plain(args.file)}: no question can be asked, expected other kinds or another file.")
        if question is None:
            break
        order.asked(question)
        if not quiz.ask(question):
            break
    quiz.tell_result(subjects)
    return code


def _tasks(lesson: Lesson, kinds: set[str], seed: int) -> Iterator[Question]:
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
                yield question
        if problem:
            say(sentence("lesson.left_out", step=step.number, why=problem))


def _user_progress() -> Progress:
    """The user's progress, which the settings may have nothing kept of; stderr says what can't be read of either."""
    from ..session import settings
    from ..teaching.progress import progress

    store = settings.Store(settings.default_file())
    kept = progress.Progress(progress.default_file() if store.settings.progress else None)
    for sentence in (*store.sentences, *kept.problems):
        say(sentence)
    return kept


class _Quiz:
    """What was asked and answered so far; each thing is told as a JSON object, or as lines."""

    def __init__(self, kept: Progress, lesson_name: str, *, as_json: bool) -> None:
        from ..teaching.diagnosis.diagnosis import Diagnosis

        self._kept, self._lesson, self._as_json = kept, lesson_name, as_json
        self.verdicts: list[Reply] = []
        self.diagnosis = Diagnosis()

    def ask(self, question: Question) -> bool:
        """Asks until there is a verdict; False where input ends, or nobody wants to go on."""
        from ..teaching.questions.question_json import verdict_json
        from .quiz_text import form_line, verdict_lines

        began, rungs, say = time.time(), 0, question.subject.sentence
        self._tell_question(question)
        while line := sys.stdin.buffer.readline():
            text = line.decode("utf-8-sig", "replace").rstrip("\r\n")
            try:
                word, argument = _message(text) if self._as_json else _typed(question, text.strip(), rungs)
                if word == "quit":
                    return False
                if word == "hint":
                    hint = {"number": argument, "text": question.hint(argument)}
                    rungs = max(rungs, argument)
                    self._tell({"hint": hint}, [say("quiz.hint", number=argument, hint=hint["text"])])
                    continue
                verdict = self._verdict(question, word, argument)
            except DmlvizError as error:
                self._tell({"error": str(error)}, [say("quiz.not_understood", why=str(error)), form_line(question)])
                if self._as_json:
                    self._tell_question(question)
                continue
            self.verdicts.append(verdict)
            self._tell({"verdict": verdict_json(question, verdict)}, verdict_lines(question, verdict))
            self._keep(question, verdict, argument, rungs, began, skipped=word == "skip")
            return True
        return False

    def tell_result(self, subjects: Sequence[Subject]) -> None:
        """Tells how many answers were right, and by which rule the wrong ones go."""
        from .quiz_text import result_lines

        asked, right = len(self.verdicts), sum(verdict.right for verdict in self.verdicts)
        beliefs = [{"rule": rule, "probability": round(share, 6)} for rule, share in self.diagnosis.beliefs.items()]
        result = {"asked": asked, "right": right, "beliefs": beliefs, "diagnosis": self.diagnosis.rule}
        self._tell({"result": result}, result_lines(subjects, right, asked, self.diagnosis.named))

    def _tell_question(self, question: Question) -> None:
        from ..teaching.questions.question_json import question_json
        from .quiz_text import form_line, question_lines

        head = question.subject.sentence("quiz.question", number=len(self.verdicts) + 1)
        asked = question_json(question)
        self._tell({"question": asked}, ["", head, *question_lines(question, asked), form_line(question)])

    def _tell(self, message: Mapping[str, Any], lines: Iterable[str]) -> None:
        from ..formats.json_text import escaped

        for line in [escaped(json.dumps(message, ensure_ascii=False))] if self._as_json else map(shown, lines):
            print(line)
        sys.stdout.flush()

    def _verdict(self, question: Question, word: str, answer: Any) -> Reply:
        """The verdict on an answer or a skip. Raises DmlvizError for what is no answer."""
        from ..teaching.levels.level import read_answer
        from ..teaching.questions.question import Reply

        if word == "answer":
            return self.diagnosis.take(question, read_answer(question, answer))
        says, look = question.kind.says(question), question.kind.hints(question)[0]
        return Reply(False, says, look)

    def _keep(
        self, question: Question, verdict: Reply, answer: Any, rungs: int, began: float, *, skipped: bool
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
                answer=answer,
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


def _message(line: str) -> tuple[str, Any]:
    """What a program sends: ("answer", its JSON), ("hint", its number) or ("skip", None). Raises DmlvizError."""
    from ..formats.json_text import parse_json

    message = parse_json(line)
    if not isinstance(message, dict) or len(message) != 1:
        raise DmlvizError(f"found {quote(message)}, expected an object with answer, hint or skip alone.")
    ((word, argument),) = message.items()
    if word not in ("answer", "hint", "skip"):
        raise DmlvizError(f"found {quote(word)}, expected answer, hint or skip.")
    if word == "skip" and argument is not True:
        raise DmlvizError(f"skip is {quote(argument)}, expected true.")
    return word, None if word == "skip" else argument


def _typed(question: Question, text: str, rungs: int) -> tuple[str, Any]:
    """What a person types, as `_message` has it, or ("quit", None); a hint is the one after `rungs`."""
    from ..teaching.asked import json_of

    if text in ("quit", "skip"):
        return text, None
    if text.split()[:1] == ["hint"]:
        return "hint", min(4, rungs + 1)
    if not text.strip(" ,;"):
        raise DmlvizError(question.subject.sentence("quiz.first"))
    return "answer", json_of(question, text)
