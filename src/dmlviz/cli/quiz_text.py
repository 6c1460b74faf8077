"""A quiz as a person reads it, in words and rows of numbers, or a program, as JSON."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from ..errors import DmlvizError, SessionError, plain, quote
from ..formats.json_text import escaped, parse_json
from ..session import settings
from ..teaching.asked import json_of, question_json, verdict_json
from ..teaching.diagnosis.diagnosis import FILLS, Diagnosis
from ..teaching.diagnosis.practice import Order
from ..teaching.kinds.lib.asking import kinds_named
from ..teaching.lessons.lessons import Lesson
from ..teaching.levels.level import read_answer
from ..teaching.progress.progress import Answered, Progress, counted_as, default_file, now_text
from ..teaching.questions.question import Question, Reply
from ..teaching.questions.subject import LETTERS, Subject
from ..teaching.questions.wording import place_without
from ..teaching.tasks.tasks import MOST_HINTS, AuthoredQuestion, question_of
from ..teaching.words.catalogue import sentence
from ..workspace.lessons.lesson import lesson_in
from .shared import UNREADABLE, progress, read_session, say, shown


def ask_all(
    file: str, dims: Mapping[str, int], names: Sequence[str] | None, count: int, seed: int, *, as_json: bool
) -> int:
    """Asks `count` questions of these kinds about a file, all kinds for None; gives the exit code."""
    kinds = kinds_named(names)
    if not as_json:  # nobody types a desc
        kinds = [kind for kind in kinds if kind.form.how != "edit"]
    session, code = read_session(file, dims)
    if not session.experiments:
        return code or UNREADABLE
    subjects = [Subject(one) for one in session.experiments]
    lesson = lesson_in(session)
    quiz = _Quiz(lesson.name if lesson is not None else "", as_json=as_json)
    order = Order(subjects, kinds, seed)
    tasks = _tasks(lesson, {kind.name for kind in kinds}, seed) if lesson is not None else iter(())
    for number in range(count):
        with progress(sentence("quiz.looking")):
            # What is suspected is confirmed before the quiz ends, though not all tasks are asked then.
            confirming = order.confirming_question(quiz.diagnosis) if count - number <= FILLS else None
            question = confirming or next(tasks, None) or order.next_question(quiz.diagnosis)
        if question is None and not number:
            wrong = f"{plain(file)}: no question can be asked"
            raise SessionError(f"{wrong}, expected other kinds or another file.")
        if question is None:
            break
        order.asked(question)
        if not quiz.ask(question):
            break
    quiz.tell_result(subjects)
    return code


def _tasks(lesson: Lesson, kinds: set[str], seed: int) -> Iterator[Question]:
    """Questions from a lesson's tasks of these kinds; a sentence on stderr says which can't be asked."""
    for step in lesson.steps:
        problem = step.problem
        if step.task is not None and not problem and step.task.kind in kinds:
            try:
                yield question_of(step.experiment, step.task, lesson.seed + seed)
            except DmlvizError as error:
                problem = str(error)
        if problem:
            say(sentence("lesson.left_out", step=step.number, why=problem))


class _Quiz:
    """What was asked and answered so far; each thing is told as a JSON object, or as lines.

    The settings may have nothing kept of it; stderr says what can't be read of them, or of earlier answers.
    """

    def __init__(self, lesson_name: str, *, as_json: bool) -> None:
        store = settings.Store(settings.default_file())
        self._kept = Progress(default_file() if store.settings.progress else None)
        for problem in (*store.sentences, *self._kept.problems):
            say(problem)
        self._lesson = lesson_name
        self._as_json = as_json
        self.verdicts: list[Reply] = []
        self.diagnosis = Diagnosis()

    def ask(self, question: Question) -> bool:
        """Asks until there is a verdict; False where input ends, or nobody wants to go on."""
        began = time.time()
        rungs = 0
        self._tell_question(question)
        while line := sys.stdin.buffer.readline():
            text = line.decode("utf-8-sig", "replace").rstrip("\r\n")
            try:
                if self._as_json:
                    word, given = _message(text)
                else:
                    word, given = _typed(question, text.strip(), rungs)
                if word == "quit":
                    return False
                if word == "hint":
                    hint = {"number": given, "text": question.hint(given)}
                    rungs = max(rungs, given)
                    self._tell({"hint": hint}, [sentence("level.hint", number=given, count=4, hint=hint["text"])])
                    continue
                if word == "answer":
                    reply = self.diagnosis.take(question, read_answer(question, given))
                else:
                    kind = question.kind
                    reply = Reply(False, kind.says(question), kind.hints(question)[0])
            except DmlvizError as error:
                why = sentence("quiz.not_understood", why=str(error))
                self._tell({"error": str(error)}, [why, form_line(question)])
                if self._as_json:
                    self._tell_question(question)
                continue
            self.verdicts.append(reply)
            self._tell({"verdict": verdict_json(question, reply)}, verdict_lines(question, reply))
            self._keep(question, reply, given, rungs, began, skipped=word == "skip")
            return True
        return False

    def tell_result(self, subjects: Sequence[Subject]) -> None:
        """Tells how many answers were right, and by which rule the wrong ones go."""
        asked = len(self.verdicts)
        found = self.diagnosis
        right = sum(reply.right for reply in self.verdicts)
        beliefs = []
        for rule, share in found.beliefs.items():
            beliefs.append({"rule": rule, "probability": round(share, 6)})
        result = {"asked": asked, "right": right, "beliefs": beliefs, "diagnosis": found.rule}
        lines = result_lines(subjects, right, asked, found.named)
        self._tell({"result": result}, lines)

    def _tell_question(self, question: Question) -> None:
        head = sentence("quiz.question", number=len(self.verdicts) + 1)
        asked = question_json(question)
        lines = ["", head, *question_lines(question, asked)]
        self._tell({"question": asked}, [*lines, form_line(question)])

    def _tell(self, message: Mapping[str, Any], lines: Iterable[str]) -> None:
        if self._as_json:
            print(escaped(json.dumps(message, ensure_ascii=False)))
        else:
            for line in lines:
                print(shown(line))
        sys.stdout.flush()

    def _keep(self, question: Question, reply: Reply, answer: Any, rungs: int, began: float, *, skipped: bool) -> None:
        now = time.time()
        subject = question.subject
        told = len(self._kept.problems)
        self._kept.add(
            Answered(
                time=now_text(now),
                task=question.task.id if isinstance(question, AuthoredQuestion) else subject.experiment.name,
                operator=subject.operator.name,
                kind=question.kind.name,
                seed=question.seed,
                right=reply.right,
                answer=answer,
                rules=reply.rules,
                rungs=rungs,
                skipped=skipped,
                looked_up=rungs >= MOST_HINTS,
                seconds=max(0.0, round(now - began, 1)),
                lesson=counted_as(self._lesson, question.kind.name),
            )
        )
        for problem in self._kept.problems[told:]:
            say(problem)


def _message(line: str) -> tuple[str, Any]:
    """What a program sends: ("answer", its JSON), ("hint", its number) or ("skip", None). Raises DmlvizError."""
    message = parse_json(line)
    if not isinstance(message, dict) or len(message) != 1:
        raise DmlvizError(f"found {quote(message)}, expected an object with answer, hint or skip alone.")
    ((word, given),) = message.items()
    if word not in ("answer", "hint", "skip"):
        raise DmlvizError(f"found {quote(word)}, expected answer, hint or skip.")
    if word == "skip" and given is not True:
        raise DmlvizError(f"skip is {quote(given)}, expected true.")
    return word, None if word == "skip" else given


def _typed(question: Question, text: str, rungs: int) -> tuple[str, Any]:
    """What a person types, as `_message` has it, or ("quit", None); a hint is the one after `rungs`."""
    if text in ("quit", "skip"):
        return text, None
    if text.split()[:1] == ["hint"]:
        return "hint", min(4, rungs + 1)
    if not text.strip(" ,;"):
        raise DmlvizError(sentence("page.answer_first"))
    return "answer", json_of(question, text)


def form_line(question: Question) -> str:
    """One line on what may be typed."""
    kind = question.kind
    nowhere = int(kind.form.side == "inputs" and kind.takes_nowhere(question.subject))
    return sentence("quiz.or", form=sentence(f"quiz.{kind.form.words}", nowhere=nowhere))


def question_lines(question: Question, asked: Mapping[str, Any]) -> Iterator[str]:
    """What is known, then what is asked; nothing that `asked`, its JSON, doesn't tell."""
    one = asked["experiment"]
    level = one["feature_level"] or "?"
    name = one["name"]
    op = (one["type"] or "").removeprefix("DML_OPERATOR_")
    yield sentence("quiz.chain" if "chain" in asked else "quiz.head", level=level, name=name, operator=op)
    for text, _, values in question.kind.lines(question):
        yield f"{text}{': ' * bool(values)}{' '.join(map(_number_text, values))}"
    for name, field in one["desc"].items():
        many = isinstance(field, list) and any(isinstance(tensor, Mapping) for tensor in field)
        values = one["values"].get(name)
        for k, tensor in enumerate(field if many else [field]):
            yield f"{name}{f'[{k}]' * many}: {_field_text(tensor)}"
            yield from _row_lines(values[k] if many and values else values)
    if asked["goal"] is not None and "chain" not in asked:
        yield sentence("quiz.goal")
        yield from _output_lines(asked["goal"])
    yield asked["prompt"]
    if isinstance(question, AuthoredQuestion) and question.own_prompt != question.prompt:
        yield question.own_prompt  # an author's words may leave out what exactly is to be typed
    for letter, choice in zip(LETTERS, asked["choices"] or (), strict=False):
        if "outputs" in choice:
            yield f"{letter})"
            yield from _output_lines(choice["outputs"])
        else:
            named = choice["id"] if choice["id"] not in (letter, choice["text"]) else ""
            yield f"{letter}) {named}{': ' if named else ''}{choice['text']}"


def _output_lines(outputs: list[Any]) -> Iterator[str]:
    for output in outputs:
        yield f"{{{', '.join(map(str, output['sizes']))}}}"
        yield from _row_lines(output["values"])


def _field_text(field: Any) -> str:
    if isinstance(field, Mapping):
        text = f"{field.get('DataType') or '?'} {_field_text(field.get('Sizes'))}"
        for key, member in field.items():
            if key not in ("DataType", "Sizes"):
                text += f", {key} {_field_text(member)}"
        return text
    if isinstance(field, list):
        return "{" + ", ".join(map(_field_text, field)) + "}"
    return "?" if field is None else str(field)


def _row_lines(values: Any, at: Sequence[int] = ()) -> Iterator[str]:
    """The innermost rows of nested lists, one a line, with where it stands; nothing for None."""
    if values and isinstance(values[0], list):
        for i, inner in enumerate(values):
            yield from _row_lines(inner, (*at, i))
    elif values is not None:
        where = f"[{', '.join(map(str, at))}] " if at else ""
        yield f"  {where}{' '.join(map(_number_text, values))}"


def _number_text(value: Any) -> str:
    return _field_text(value).removesuffix(".0")


def verdict_lines(question: Question, reply: Reply) -> Iterator[str]:
    """Right or wrong, why, where to look, and what an author says afterwards."""
    answer = question.kind.says(question)
    yield sentence("quiz.right" if reply.right else "quiz.wrong", feedback=reply.says)
    if not reply.right:
        yield from [answer] if answer not in reply.says else ()
        yield sentence("quiz.look", look=place_without(question.subject, reply.look, reply.lights))
    if isinstance(question, AuthoredQuestion):
        yield from question.task.afterwards()


def result_lines(subjects: Sequence[Subject], right: int, count: int, named: Sequence[str]) -> Iterator[str]:
    """How many answers were right, and the rules by which the wrong ones go."""
    yield from ("", f"{sentence('end.right', right=right, count=count)}.")
    rules = {rule.id: (subject, rule) for subject in subjects for rule in subject.rules}
    if held := [rules[id_] for id_ in named if id_ in rules]:
        subject, first = held[0]
        names = "” or “".join(rule.name for _, rule in held)
        yield sentence("practice.as_if", names=names, look=place_without(subject, first.look, first.lights))
