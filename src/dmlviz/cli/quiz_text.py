"""A quiz in words and rows of numbers, as a person reads it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ..teaching.questions.question import Question, Reply
    from ..teaching.questions.subject import Subject


def form_line(question: Question) -> str:
    """One line on what may be typed."""
    say, kind = question.subject.sentence, question.kind
    nowhere = int(kind.form.side == "inputs" and kind.takes_nowhere(question.subject))
    return say("quiz.or", form=say(f"quiz.{kind.form.words}", nowhere=nowhere))


def question_lines(question: Question, asked: Mapping[str, Any]) -> Iterator[str]:
    """What is known, then what is asked; nothing that `asked`, its JSON, doesn't tell."""
    from ..teaching.asked import task_of
    from ..teaching.questions.answers import LETTERS
    from ..teaching.tasks.tasks import AuthoredQuestion

    say, experiment = question.subject.sentence, asked["experiment"]
    level, name = experiment["feature_level"] or "?", experiment["name"]
    operator = (experiment["type"] or "").removeprefix("DML_OPERATOR_")
    yield say("quiz.chain" if "chain" in asked else "quiz.head", level=level, name=name, operator=operator)
    for text, _, values in task_of(question).facts:
        yield f"{text}{': ' * bool(values)}{' '.join(map(_number_text, values))}"
    for name, field in experiment["desc"].items():
        many = isinstance(field, list) and any(isinstance(tensor, Mapping) for tensor in field)
        values = experiment["values"].get(name)
        for k, tensor in enumerate(field if many else [field]):
            yield f"{name}{f'[{k}]' * many}: {_field_text(tensor)}"
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
    if isinstance(field, Mapping):
        more = "".join(f", {key} {_field_text(v)}" for key, v in field.items() if key not in ("DataType", "Sizes"))
        return f"{field.get('DataType') or '?'} {_field_text(field.get('Sizes'))}{more}"
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


def verdict_lines(question: Question, verdict: Reply) -> Iterator[str]:
    """Right or wrong, why, where to look, and what an author says afterwards."""
    from ..teaching.questions.looking import without_keys
    from ..teaching.tasks.tasks import AuthoredQuestion

    say, answer = question.subject.sentence, question.kind.says(question)
    yield say("quiz.right" if verdict.right else "quiz.wrong", feedback=verdict.says)
    if not verdict.right:
        yield from [answer] if answer not in verdict.says else ()
        yield say("quiz.look", look=without_keys(question.subject, verdict.look))
    if isinstance(question, AuthoredQuestion):
        yield from question.task.afterwards()


def result_lines(subjects: Sequence[Subject], right: int, count: int, named: Sequence[str]) -> Iterator[str]:
    """How many answers were right, and the rules by which the wrong ones go."""
    from ..teaching.questions.looking import without_keys

    say = subjects[0].sentence
    yield from ("", say("quiz.total", right=right, count=count))
    rules = {rule.id: (subject, rule) for subject in subjects for rule in subject.rules}
    if held := [rules[id_] for id_ in named if id_ in rules]:
        subject, first = held[0]
        names = say("practice.or").join(rule.name for _, rule in held)
        yield say("practice.as_if", names=names, look=without_keys(subject, first.look))
