"""A question and a verdict in words and rows of numbers, and the answers that a person types."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from ..errors import DmlvizError, quote

if TYPE_CHECKING:
    from ..teaching.questions.question import Question, Verdict

LETTERS = "abcdefghijklmnopqrstuvwxyz"
MOST_NUMBERS = 4096
MOST_IN_MEMORY = 16
Say = Callable[..., str]
"""The sentence of a key, with values in it."""
_NUMBER = re.compile(r"[-+]?(\d+(\.\d*)?|\.\d+)([eE][-+]?\d+)?|[-+]?inf|nan")
_EDIT = re.compile(r"([A-Za-z]+(?:\[\d{1,4}\])?)\s*=?\s*(.*)")

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


def question_lines(question: Question) -> Iterator[str]:
    """What is known, then what is asked; nothing that `--json` doesn't tell."""
    from ..desc.tensors import brackets
    from ..teaching.questions.question_json import question_json
    from ..teaching.questions.wording import path_of
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
    for name, whole in experiment["desc"].items():
        many = isinstance(whole, list) and any(isinstance(tensor, Mapping) for tensor in whole)
        for path, field in ((f"{name}[{i}]", tensor) for i, tensor in enumerate(whole)) if many else ((name, whole),):
            yield f"{path}: {_field_text(field)}"
            if name in experiment["values"]:
                values = experiment["values"][name]
                yield from _row_lines(
                    values[int(path[len(name) + 1 : -1])] if many and values else values, say, windows.get(number)
                )
                number += 1
    if asked["goal"] is not None and "chain" not in asked:
        yield say("quiz.goal")
        for field in asked["goal"]:
            yield from _goal_lines(field, say)
    yield asked["prompt"]
    if isinstance(question, AuthoredQuestion) and question.own_prompt != question.prompt:
        at = question.at
        named = f"{path_of(question.subject, at.place)}{brackets(at.index)}" if at is not None else ""
        # An author's words may only point at the element, and say nothing of how much may be changed.
        if (named not in question.prompt and not question.kind.part(question)) or question.kind.name == "fixes":
            yield question.own_prompt
    for letter, choice in zip(LETTERS, asked["choices"] or (), strict=False):
        if "outputs" in choice:
            yield f"{letter})"
            part = {"start": asked["at"]["index"], "sizes": choice["outputs"][0]["sizes"]} if asked["at"] else None
            for field in choice["outputs"]:
                yield from _goal_lines(field, say, part)
        else:
            named = choice["id"] if choice["id"] not in (letter, choice["text"]) else ""
            yield f"{letter}) {named}{': ' if named else ''}{choice['text']}"


def _goal_lines(output: Mapping[str, Any], say: Say, part: Mapping[str, Any] | None = None) -> Iterator[str]:
    yield f"{{{', '.join(map(str, output['sizes']))}}}"
    yield from _row_lines(output["values"], say, part)


def _field_text(field: Any) -> str:
    """A field's value in one line; what is asked for is `?`."""
    if field is None:
        return "?"
    if isinstance(field, Mapping):
        sizes = field.get("Sizes")
        shown_sizes = "?" if sizes is None else "{" + ", ".join("?" if n is None else str(n) for n in sizes) + "}"
        more = "".join(f", {key} {_field_text(v)}" for key, v in field.items() if key not in ("DataType", "Sizes"))
        return f"{field.get('DataType') or '?'} {shown_sizes}{more}"
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
    for at, row in _indexed_rows(values, ()):
        where = f"[{', '.join(map(str, at))}] " if at else ""
        yield f"  {where}{' '.join(_number_text(element) for element in row)}"


def _indexed_rows(values: list[Any], at: tuple[int, ...]) -> Iterator[tuple[tuple[int, ...], list[Any]]]:
    if not values or not isinstance(values[0], list):
        yield at, values
        return
    for i, inner in enumerate(values):
        yield from _indexed_rows(inner, (*at, i))


def _number_text(value: Any) -> str:
    return "?" if value is None else str(value).removesuffix(".0")


def verdict_lines(question: Question, verdict: Verdict) -> Iterator[str]:
    """Right or wrong, why, and where to look."""
    from ..teaching.questions.looking import names_memory, on_stdout

    say = question.subject.sentence
    if verdict.right:
        yield say("quiz.right", feedback=verdict.feedback)
        return
    wrong = "quiz.partly" if verdict.score > 0 else "quiz.wrong"
    yield say(wrong, percent=round(100 * verdict.score), feedback=verdict.feedback)
    yield say("quiz.answer_is", answer=answer_text(question, question.kind.json(verdict.answer)))
    of_rule = any(question.knows(rule) and question.rule(rule).look == verdict.look for rule in verdict.rules[:1])
    yield say("quiz.look", look=on_stdout(question.subject, verdict.look, of_rule=of_rule))
    if names_memory(verdict.look):
        yield from memory_lines(question)


def memory_lines(question: Question) -> Iterator[str]:
    """Linear memory as far as a line has room for it: what is copied first stands between brackets."""
    from ..recording.memory_rows import memory_rows
    from ..recording.pictures import recorded
    from ..scene.elements.known import EVERYTHING
    from ..scene.steps.order import Unit

    picture = recorded(question.subject.experiment, unit=Unit.RUN).picture
    rows = memory_rows(picture, 1, MOST_IN_MEMORY, MOST_IN_MEMORY) if picture is not None else ()
    for row in filter(None, rows):
        texts = [cell.text for cell in row.cells(EVERYTHING)]
        (before, behind), first = row.left_out, int(row.contents.flat[0])
        inner = range(max(0, row.run.start - first), min(len(texts), row.run.stop - first))
        texts[inner.start] = f"[{texts[inner.start]}"
        texts[inner.stop - 1] = f"{texts[inner.stop - 1]}]"
        shown = " ".join(["…"] * bool(before) + texts + ["…"] * bool(behind))
        yield f"  {question.subject.sentence('page.memory_of', path=row.part.path)}: {shown}"


def answer_text(question: Question, answer: Any) -> str:
    """An answer as it would be typed."""
    letters = {choice.id: letter for letter, choice in zip(LETTERS, question.choices, strict=False)}
    form = _form_name(question)
    if form == "choice":
        return letters.get(answer, str(answer))
    if form == "choices":
        return " ".join(letters[id_] for id_ in answer) or "none"
    if form == "level":
        return str(answer or "none")
    if form == "yes":
        return "yes" if answer else "no"
    if form in ("cell", "cell_or_nowhere"):
        return answer if isinstance(answer, str) else _cell_text(answer)
    if form == "cells":
        return "; ".join(map(_cell_text, answer)) or "none"
    if form == "sizes":
        return "; ".join(",".join(map(str, sizes)) for sizes in answer)
    if form == "desc":
        own = question.subject.desc.TYPE
        whole = {key: member for key, member in answer.items() if key != "type" or member != own}
        return json.dumps(whole["desc"] if whole.keys() == {"desc"} else whole, ensure_ascii=False)
    return " ".join(map(_number_text, answer)) if isinstance(answer, list) else _number_text(answer)


def _cell_text(cell: Mapping[str, Any]) -> str:
    number = cell.get("output", cell.get("tensor"))
    index = " ".join(map(str, cell["index"]))
    return f"{number}: {index}" if number else index


def typed(question: Question, text: str) -> Any:
    """The JSON of the answer that was typed. Raises DmlvizError, with a sentence, where it is nothing of the kind."""
    if not text.strip(" ,;"):
        raise DmlvizError(question.subject.sentence("quiz.first"))
    form, say = _form_name(question), question.subject.sentence
    if re.match(r'\{\s*"|"', text) or (text[0] == "[" and form in ("choices", "cells")):
        from ..formats.json_text import parse_json

        return parse_json(text)
    none = text.lower() in ("none", "valid", "-")
    if form == "choice":
        return _choice_id(question, text)
    if form == "choices":
        return [] if none else [_choice_id(question, word) for word in re.split(r"[\s,;]+", text) if word]
    if form == "level":
        return None if none else text
    if form == "yes":
        if text.lower() not in ("yes", "y", "no", "n"):
            raise DmlvizError(say("quiz.found_yes", found=quote(text)))
        return text.lower()[0] == "y"
    if form == "desc":
        return _edited_desc(question, text)
    if form == "sizes":
        return [_integers(sizes, say) for sizes in text.split(";")]
    if form == "cell_or_nowhere" and (none or text.lower() == "nowhere"):
        return "nowhere"
    if form in ("cell", "cell_or_nowhere", "cells"):
        side = "output" if question.kind.name == "dest" else "tensor"
        first = _default_tensor(question)
        cells = [] if none else [_parsed_cell(cell, side, first, say) for cell in text.split(";") if cell.strip()]
        if form == "cells":
            return cells
        if len(cells) != 1:
            raise DmlvizError(say("quiz.found_index", found=len(cells)))
        return cells[0]
    numbers = _numbers(text, say)
    if form == "number":
        if len(numbers) != 1:
            raise DmlvizError(say("quiz.found_count", found=len(numbers)))
        return numbers[0]
    return numbers


def _default_tensor(question: Question) -> int:
    """The number of the tensor that is meant where none is typed: for `via` the first that steers."""
    from ..desc.fields import Role

    if question.kind.name != "via":
        return 0
    return next(k for k, part in enumerate(question.subject.desc.inputs) if part.field.role is not Role.DATA)


def _choice_id(question: Question, word: str) -> str:
    letter = word.rstrip(".)").lower()
    by_letter = {mark: choice.id for mark, choice in zip(LETTERS, question.choices, strict=False)}
    if letter in by_letter:
        return by_letter[letter]
    if any(choice.id == word for choice in question.choices):
        return word
    last = LETTERS[len(by_letter) - 1]
    raise DmlvizError(question.subject.sentence("quiz.found_letter", found=quote(word), last=last))


def _number_words(text: str, say: Say) -> list[str]:
    words = [word for word in re.split(r"[\s,{}()\[\]]+", text) if word]
    if len(words) > MOST_NUMBERS:
        raise DmlvizError(say("quiz.found_many", found=f"{len(words):,}", most=f"{MOST_NUMBERS:,}"))
    return words


def _numbers(text: str, say: Say) -> list[int | float | str]:
    numbers: list[int | float | str] = []
    for word in _number_words(text, say):
        low = word.lower().replace("−", "-")
        if not _NUMBER.fullmatch(low) or len(low) > 400:
            raise DmlvizError(say("quiz.found_number", found=quote(word)))
        if low.lstrip("+-") in ("inf", "nan"):
            numbers.append(low.removeprefix("+"))
        else:
            numbers.append(int(low) if low.lstrip("+-").isdecimal() else float(low))
    return numbers


def _integers(text: str, say: Say) -> list[int]:
    integers = []
    for word in _number_words(text, say):
        digits = word.replace("−", "-")
        if not re.fullmatch(r"-?[0-9]{1,20}", digits):
            raise DmlvizError(say("quiz.found_integer", found=quote(word)))
        integers.append(int(digits))
    return integers


def _parsed_cell(text: str, side: str, first: int, say: Say) -> dict[str, Any]:
    number, mark, index = text.rpartition(":")
    which = _integers(number, say) if mark else [first]
    if len(which) != 1:
        raise DmlvizError(say("quiz.found_colon", found=quote(number)))
    return {side: which[0], "index": _integers(index, say)}


def _edited_desc(question: Question, text: str) -> dict[str, Any]:
    """The question's desc with fields changed: `Axis 1; OutputTensors[1] 2,2; IndicesTensor = 3 1`.

    Of an index or length tensor `=` tells values, and nothing between tells sizes.
    """
    from ..desc.fields import Role, TensorField
    from ..session.writing import dump_desc

    desc, say = question.subject.desc, question.subject.sentence
    tree, values = dump_desc(desc), {}
    fields = {field.name: field for field in desc.FIELDS}
    for edit in (part.strip() for part in text.split(";")):
        parsed = _EDIT.fullmatch(edit)
        name = parsed[1].split("[")[0] if parsed else ""
        if parsed is None or name not in fields:
            raise DmlvizError(say("quiz.found_field", found=quote(edit), names=", ".join(fields)))
        field = fields[name]
        if field.takes_letters:
            tree[name] = field.dump(field.read(parsed[2]))
            continue
        numbers = _integers(parsed[2], say)
        if isinstance(field, TensorField):
            if "=" in edit and field.role in (Role.INDICES, Role.LENGTHS):
                values[parsed[1]] = numbers
                continue
            part = next((p for p in desc.parts if p.path == parsed[1]), None)
            if part is None:
                paths = ", ".join(p.path for p in desc.parts)
                raise DmlvizError(say("quiz.found_part", found=quote(parsed[1]), names=paths))
            tensor = {"DataType": part.tensor.data_type.name, "Sizes": numbers}
            if field.many:
                tree[name][int(parsed[1][len(name) + 1 : -1])] = tensor
            else:
                tree[name] = tensor
        elif field.is_list:
            tree[name] = numbers
        elif len(numbers) != 1:
            raise DmlvizError(say("quiz.found_one_of", found=len(numbers), name=name))
        else:
            tree[name] = numbers[0]
    for field in desc.FIELDS:  # what follows from the rest is inferred again, unless it was typed
        if field.can_be_inferred and not re.search(rf"\b{field.name}\b", text):
            tree.pop(field.name, None)
    return {"desc": tree, "values": values}
