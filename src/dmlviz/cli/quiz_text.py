"""A quiz as a person reads and types it: questions and verdicts in words and rows of numbers, answers as lines."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..errors import DmlvizError, quote

if TYPE_CHECKING:
    from ..teaching.diagnosis.diagnosis import Diagnosis
    from ..teaching.questions.question import Question, Verdict
    from ..teaching.questions.subject import Subject

_EDIT = re.compile(r"([A-Za-z]+(?:\[\d{1,4}\])?)\s*(=?)\s*(.*)")
LETTERS = "abcdefghijklmnopqrstuvwxyz"


class TextVoice:
    """Prints a quiz as plain lines, and reads what was typed."""

    def __init__(self, subjects: Sequence[Subject]) -> None:
        self._subjects = subjects
        self._hints = 0

    def print_question(self, question: Question, number: int) -> None:
        self._hints = 0
        head = question.subject.sentence("quiz.question", number=number)
        _print_lines("", head, *question_lines(question), form_line(question))

    def understood(self, question: Question, line: str) -> tuple[str, Any]:
        """("answer", its JSON), ("hint", its number), ("skip", None) or ("quit", None). Raises DmlvizError."""
        text = line.strip()
        if text in ("quit", "skip"):
            return text, None
        if text.split()[:1] == ["hint"]:
            return "hint", min(4, self._hints + 1)
        from ..teaching.asked import json_of

        if not text.strip(" ,;"):
            raise DmlvizError(question.subject.sentence("quiz.first"))
        return "answer", json_of(question, text if question.kind.form.how != "edit" else _desc_text(question, text))

    def print_hint(self, question: Question, number: int) -> None:
        text = question.hint(number)
        self._hints = number
        _print_lines(question.subject.sentence("quiz.hint", number=number, hint=text))

    def print_error(self, sentence: str, question: Question, number: int) -> None:
        _print_lines(question.subject.sentence("quiz.not_understood", why=sentence), form_line(question))

    def print_verdict(self, question: Question, verdict: Verdict) -> None:
        from ..teaching.tasks.tasks import AuthoredQuestion

        afterwards = question.task.afterwards() if isinstance(question, AuthoredQuestion) else ()
        _print_lines(*verdict_lines(question, verdict), *afterwards)

    def print_totals(self, verdicts: Sequence[Verdict], diagnosis: Diagnosis) -> None:
        from ..teaching.questions.looking import on_stdout

        right = sum(verdict.right for verdict in verdicts)
        _print_lines("", self._subjects[0].sentence("quiz.total", right=right, count=len(verdicts)))
        rules = {rule.id: (subject, rule) for subject in self._subjects for rule in subject.rules}
        if held := [rules[id_] for id_ in diagnosis.named if id_ in rules]:
            subject, named = held[0]
            names = subject.sentence("practice.or").join(rule.name for _, rule in held)
            look = on_stdout(subject, named.look, of_rule=True)
            _print_lines(subject.sentence("quiz.as_if", names=names, look=look))


def _print_lines(*lines: str) -> None:
    for line in lines:
        print("".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in line))
    sys.stdout.flush()


def form_line(question: Question) -> str:
    """One line on what may be typed."""
    form, say = question.kind.form, question.subject.sentence
    key = form.typed_as(question)
    return say("quiz.or", form=say(f"quiz.{key}"))


# ---- questions and verdicts


def question_lines(question: Question) -> Iterator[str]:
    """What is known, then what is asked; nothing that `--json` doesn't tell."""
    from ..teaching.questions.question_json import question_json
    from ..teaching.tasks.tasks import AuthoredQuestion

    asked, say = question_json(question), question.subject.sentence
    experiment = asked["experiment"]
    level = experiment["feature_level"] or "?"
    if "chain" in asked:
        yield say("quiz.chain", level=level, name=experiment["name"])
        for text, _, values in question.kind.lines(question):
            yield f"{text}{': ' * bool(values)}{' '.join(map(_number_text, values))}"
    else:
        operator = experiment["type"].removeprefix("DML_OPERATOR_")
        yield say("quiz.head", operator=operator, level=level)
    for name, field in experiment["desc"].items():
        values = experiment["values"].get(name)
        many = isinstance(field, list) and any(isinstance(tensor, Mapping) for tensor in field)
        for k, tensor in enumerate(field if many else [field]):
            yield f"{name}{f'[{k}]' * many}: {_field_text(tensor)}"
            if name in experiment["values"]:
                yield from _row_lines(values[k] if many and values else values)
    if asked["goal"] is not None and "chain" not in asked:
        yield say("quiz.goal")
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
    """A field's value in one line; what is asked for is `?`."""
    if field is None:
        return "?"
    if isinstance(field, Mapping):
        more = "".join(f", {key} {_field_text(v)}" for key, v in field.items() if key not in ("DataType", "Sizes"))
        return f"{field.get('DataType') or '?'} {_field_text(field.get('Sizes'))}{more}"
    if isinstance(field, list):
        return "{" + ", ".join(map(_field_text, field)) + "}"
    return str(field)


def _row_lines(values: Any) -> Iterator[str]:
    """The innermost rows of nested lists, one a line, with where it stands; nothing for None."""
    if values is None:
        return
    rows: list[tuple[tuple[int, ...], Any]] = [((), values)]
    while rows[0][1] and isinstance(rows[0][1][0], list):
        rows = [((*at, i), inner) for at, outer in rows for i, inner in enumerate(outer)]
    for at, row in rows:
        where = f"[{', '.join(map(str, at))}] " if at else ""
        yield f"  {where}{' '.join(map(_number_text, row))}"


def _number_text(value: Any) -> str:
    return "?" if value is None else str(value).removesuffix(".0")


def verdict_lines(question: Question, verdict: Verdict) -> Iterator[str]:
    """Right or wrong, why, and where to look."""
    from ..teaching.questions.looking import on_stdout

    say = question.subject.sentence
    if verdict.right:
        yield say("quiz.right", feedback=verdict.feedback)
        return
    wrong = "quiz.partly" if verdict.score > 0 else "quiz.wrong"
    yield say(wrong, percent=round(100 * verdict.score), feedback=verdict.feedback)
    answer = question.kind.says(question)
    if answer not in verdict.feedback:
        yield answer
    of_rule = any(question.knows(rule) and question.rule(rule).look == verdict.look for rule in verdict.rules[:1])
    yield say("quiz.look", look=on_stdout(question.subject, verdict.look, of_rule=of_rule))


# ---- descs


def _desc_text(question: Question, text: str) -> str:
    """The JSON of a desc, which may be typed as the question's with fields changed: `Axis 1; IndicesTensor = 3 1`.

    Of an index or length tensor `=` tells values, and nothing between tells sizes.
    """
    from ..desc.fields import Role
    from ..session.writing import dump_desc
    from ..teaching.questions.answers import typed_numbers

    if text.startswith("{"):
        return text
    desc, say = question.subject.desc, question.subject.sentence
    tree, values = dump_desc(desc), {}
    others = {field.name: field for field in (*desc.ATTRIBUTES, *desc.COUNTS)}
    tensors = {part.path: part for part in desc.parts}
    for edit in text.split(";"):
        name, mark, given = match.groups() if (match := _EDIT.fullmatch(edit.strip())) else ("", "", "")
        if name in others:
            tree[name] = others[name].dump(others[name].read(given))
        elif name not in tensors:
            names = ", ".join((*others, *tensors))
            raise DmlvizError(say("quiz.found_field", found=quote(edit.strip()), names=names))
        elif mark and tensors[name].field.role in (Role.INDICES, Role.LENGTHS):
            values[name] = typed_numbers(given)
        else:
            tensor = {"DataType": tensors[name].tensor.data_type.name, "Sizes": typed_numbers(given)}
            field, _, number = name.rstrip("]").partition("[")
            holder: Any = tree[field] if number else tree
            holder[int(number) if number else field] = tensor
    for follows in desc.FIELDS:  # what follows from the rest is inferred again, unless it was typed
        if follows.can_be_inferred and follows.name not in text:
            tree.pop(follows.name, None)
    return json.dumps({"desc": tree, "values": values})
