"""A quiz as a person reads and types it: questions and verdicts in words and rows of numbers, answers as lines."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..errors import DmlvizError, quote

if TYPE_CHECKING:
    from ..teaching.diagnosis.diagnosis import Diagnosis
    from ..teaching.questions.question import Question, Verdict
    from ..teaching.questions.subject import Subject

LETTERS = "abcdefghijklmnopqrstuvwxyz"
Say = Callable[..., str]
"""The sentence of a key, with values in it."""
_NUMBER = re.compile(r"[-+]?([0-9]{1,99}\.?[0-9]*|\.[0-9]+)(e[-+]?[0-9]+)?")
_EDIT = re.compile(r"([A-Za-z]+(?:\[\d{1,4}\])?)\s*(=?)\s*(.*)")

OF_KIND = {
    "valid": "choices",
    "sizes": "sizes",
    "insizes": "numbers",
    "source": "cell",
    "via": "cell",
    "dest": "cells",
    "unread": "cells",
    "lowest": "level",
    "promised": "yes",
    "fixes": "desc",
    "level": "desc",
    "fill": "numbers",
    "order": "numbers",
}
"""How answers to some kinds are typed; how to others, the question says."""


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
        return "answer", typed(question, text)

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
        if diagnosis.rule is None:
            return
        ids = (diagnosis.rule, *diagnosis.twins(diagnosis.rule))[:2]
        rules = {rule.id: (subject, rule) for subject in self._subjects for rule in subject.rules if rule.id in ids}
        if diagnosis.rule in rules:
            subject, named = rules[diagnosis.rule]
            names = subject.sentence("practice.or").join(rules[id_][1].name for id_ in ids if id_ in rules)
            look = on_stdout(subject, named.look, of_rule=True)
            _print_lines(subject.sentence("quiz.as_if", names=names, look=look))


def _print_lines(*lines: str) -> None:
    for line in lines:
        print("".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in line))
    sys.stdout.flush()


def _form_name(question: Question) -> str:
    """How an answer is typed: the key of a sentence, behind `quiz.`."""
    if (known := OF_KIND.get(question.kind.name)) is not None:
        return "cell_or_nowhere" if question.kind.takes_nowhere(question.subject) else known
    wanted = question.kind.json(question.truth)
    if isinstance(wanted, str) and any(choice.id == wanted for choice in question.choices):
        return "choice"
    return "numbers" if isinstance(wanted, list) else "number"


def form_line(question: Question) -> str:
    """One line on what may be typed."""
    say = question.subject.sentence
    return say("quiz.or", form=say(f"quiz.{_form_name(question)}"))


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
        for text, values in question.kind.lines(question):
            yield f"{text}{': ' * bool(values)}{' '.join(map(_number_text, values))}"
    else:
        operator = experiment["type"].removeprefix("DML_OPERATOR_")
        yield say("quiz.head", operator=operator, level=level)
    windows = {window["tensor"]: window for window in asked["windows"] or ()}
    number = 0
    for name, field in experiment["desc"].items():
        values = experiment["values"].get(name)
        many = isinstance(field, list) and any(isinstance(tensor, Mapping) for tensor in field)
        for k, tensor in enumerate(field if many else [field]):
            yield f"{name}{f'[{k}]' * many}: {_field_text(tensor)}"
            if name in experiment["values"]:
                yield from _row_lines(values[k] if many and values else values, say, windows.get(number))
                number += 1
    if asked["goal"] is not None and "chain" not in asked:
        yield say("quiz.goal")
        yield from _output_lines(asked["goal"], say)
    yield asked["prompt"]
    if isinstance(question, AuthoredQuestion) and question.own_prompt != question.prompt:
        yield question.own_prompt  # an author's words may leave out what exactly is to be typed
    for letter, choice in zip(LETTERS, asked["choices"] or (), strict=False):
        if "outputs" in choice:
            yield f"{letter})"
            part = {"start": asked["at"]["index"], "sizes": choice["outputs"][0]["sizes"]} if asked["at"] else None
            yield from _output_lines(choice["outputs"], say, part)
        else:
            named = choice["id"] if choice["id"] not in (letter, choice["text"]) else ""
            yield f"{letter}) {named}{': ' if named else ''}{choice['text']}"


def _output_lines(outputs: list[Any], say: Say, part: Mapping[str, Any] | None = None) -> Iterator[str]:
    for output in outputs:
        yield f"{{{', '.join(map(str, output['sizes']))}}}"
        yield from _row_lines(output["values"], say, part)


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


def _row_lines(values: Any, say: Say, window: Mapping[str, Any] | None) -> Iterator[str]:
    """The innermost rows of nested lists, one a line, with where it stands; nothing for None."""
    if values is None:
        return
    if window is not None:
        from ..desc.tensors import braces

        start = f"[{', '.join(map(str, window['start']))}]"
        yield f"  {say('quiz.part', start=start, sizes=braces(window['sizes']))}"
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


# ---- answers


def typed(question: Question, text: str) -> Any:
    """The JSON of the answer that was typed. Raises DmlvizError, with a sentence, where it is nothing of the kind."""
    form, say, word = _form_name(question), question.subject.sentence, text.lower()
    if not text.strip(" ,;"):
        raise DmlvizError(say("quiz.first"))
    none = word in ("none", "valid", "-")
    if form == "choice":
        return _choice_id(question, text)
    if form == "choices":
        return [] if none else [_choice_id(question, each) for each in re.split(r"[\s,;]+", text) if each]
    if form == "level":
        return None if none else text
    if form == "yes":
        if word not in ("yes", "y", "no", "n"):
            raise DmlvizError(say("quiz.found_yes", found=quote(text)))
        return word[0] == "y"
    if form == "desc":
        return _desc_json(question, text)
    if form == "sizes":
        return [_numbers(sizes, say) for sizes in text.split(";")]
    if form == "cells":
        return [] if none else [_cell_json(question, cell) for cell in text.split(";") if cell.strip()]
    if form == "cell_or_nowhere" and (none or word == "nowhere"):
        return "nowhere"
    if form in ("cell", "cell_or_nowhere"):
        return _cell_json(question, text)
    numbers = _numbers(text, say)
    return numbers[0] if form == "number" and len(numbers) == 1 else numbers


def _choice_id(question: Question, word: str) -> str:
    by_letter = {letter: choice.id for letter, choice in zip(LETTERS, question.choices, strict=False)}
    by_letter |= {choice.id: choice.id for choice in question.choices}
    found = by_letter.get(word.lower().rstrip(".)"))
    if found is None:
        last = LETTERS[len(question.choices) - 1]
        raise DmlvizError(question.subject.sentence("quiz.found_letter", found=quote(word), last=last))
    return found


def _numbers(text: str, say: Say) -> list[int | float | str]:
    """Numbers with blanks, commas or braces between."""
    numbers: list[int | float | str] = []
    for word in re.findall(r"[^\s,{}()\[\]]+", text.lower().replace("−", "-")):
        if word not in ("nan", "inf", "-inf") and not _NUMBER.fullmatch(word):
            raise DmlvizError(say("quiz.found_number", found=quote(word)))
        numbers.append(word if "n" in word else int(word) if word.strip("+-").isdigit() else float(word))
    return numbers


def _cell_json(question: Question, text: str) -> dict[str, Any]:
    """An element from `2 0` or `1: 2 0`, in front of the colon the tensor's number."""
    from ..desc.fields import Role

    say = question.subject.sentence
    number, _, index = text.rpartition(":")
    given = _numbers(number, say)
    if not given and question.kind.name == "via":  # the first that steers
        inputs = enumerate(question.subject.desc.inputs)
        given = [next(k for k, part in inputs if part.field.role is not Role.DATA)]
    side = "output" if question.kind.name == "dest" else "tensor"
    return {side: given[0] if given else 0, "index": _numbers(index, say)}


def _desc_json(question: Question, text: str) -> dict[str, Any]:
    """A desc from JSON, or the question's with fields changed: `Axis 1; OutputTensors[1] 2,2; IndicesTensor = 3 1`.

    Of an index or length tensor `=` tells values, and nothing between tells sizes.
    """
    from ..desc.fields import Role
    from ..formats.json_text import parse_json
    from ..session.writing import dump_desc

    if text.startswith("{"):
        found: dict[str, Any] = parse_json(text)
        return found
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
            values[name] = _numbers(given, say)
        else:
            tensor = {"DataType": tensors[name].tensor.data_type.name, "Sizes": _numbers(given, say)}
            field, _, number = name.rstrip("]").partition("[")
            holder: Any = tree[field] if number else tree
            holder[int(number) if number else field] = tensor
    for follows in desc.FIELDS:  # what follows from the rest is inferred again, unless it was typed
        if follows.can_be_inferred and follows.name not in text:
            tree.pop(follows.name, None)
    return {"desc": tree, "values": values}
