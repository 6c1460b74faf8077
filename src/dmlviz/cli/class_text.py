"""What a class has handed in, as lines for a terminal: of others' texts nothing that acts on one."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Iterator, Sequence
from functools import cache

from ..formats.text_columns import width, wrapped
from ..teaching.progress.class_tables import LOOKED_UP, RIGHT, SKIPPED, WRONG, ClassTable, ClassTask, Tried

ACTS = {"Cc", "Zl", "Zp"}
"""Unicode's categories of control characters and ends of lines; joiners (Cf) are of names in many languages."""
TURNS = {"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"}
"""Unicode's directions of what turns others around."""
SIGNS = {RIGHT: "✓", LOOKED_UP: "◧", WRONG: "✗", SKIPPED: "–"}
LEGEND = "✓ right at the first try  ◧ looked up first  ✗ wrong  – skipped; ×2 two tries, h1 one hint; · nothing"
NAME, CELL, GIVEN = 20, 7, 38
"""Columns of a name, of a student's cell, and of an answer."""
MOST_GIVEN, MOST_TASKS = 8, 60
"""Answers of a task, and tasks of a lesson: --csv has all."""


def harmless(name: str) -> str:
    """Text of others without control characters, and without what turns its direction."""
    return "".join(c for c in name if unicodedata.category(c) not in ACTS and unicodedata.bidirectional(c) not in TURNS)


def class_lines(table: ClassTable, columns: int) -> Iterator[str]:
    """Each lesson with its tasks and its students, then the rules of the class."""
    yield f"{_count(len(table.students), 'student')}: {_names([name for name, _ in table.students], columns - 14)}"
    for lesson in table.lessons:
        tasks = [task for task in table.tasks if task.lesson == lesson]
        yield ""
        yield f"{_fitting(lesson, columns - 20)} · {_count(len(tasks), 'task')}"
        for number, task in enumerate(tasks[:MOST_TASKS], 1):
            yield from _task_lines(number, task, columns)
        yield from _student_lines([name for name, _ in table.students], tasks[:MOST_TASKS], columns)
        if len(tasks) > MOST_TASKS:
            yield f"and {len(tasks) - MOST_TASKS:,} tasks more: --csv has them all."
    if table.rules:
        yield ""
        yield "Wrong rules that answers follow, by how many students gave them"
        for (rule, *others), students in table.rules:
            yield f"{len(students):5}  {_padded(rule_text(rule), GIVEN)}  {_names(students, columns - GIVEN - 9)}"
            yield from (f"   or  {_fitting(rule_text(other), columns - 7)}" for other in others)


def rule_text(rule: str) -> str:
    """A wrong rule's id and name; the id alone of one that nobody knows."""
    return f"{rule} {_rule_names().get(rule, '')}".rstrip()


@cache
def _rule_names() -> dict[str, str]:
    """The name of each wrong rule, by its id."""
    from ..operators.registry import operators
    from ..teaching.words.chain_rules import CHAIN_RULES

    of_operators = (rule for operator in operators().values() for rule in operator.misreadings())
    return {rule.id: rule.name for rule in (*of_operators, *CHAIN_RULES)}


def _task_lines(number: int, task: ClassTask, columns: int) -> Iterator[str]:
    """A task, the first answers to it with the wrong rule behind each, and who handed in nothing of it."""
    right = sum(tried.mark == RIGHT for tried in task.tried)
    name, kind = task.asked.task, task.asked.kind
    name = name if name.endswith(f"/{kind}") else f"{name} {kind}"
    yield f"{number:3}  {_fitting(name, columns - 48)}: {right} of {len(task.tried)} right at the first try"
    if task.asked.prompt:
        yield f"     {_fitting(task.asked.prompt, columns - 5)}"
    given = task.given
    for answer in given[:MOST_GIVEN]:
        rules = "; ".join(map(rule_text, answer.rules))
        said = f"{_in_words(json.loads(answer.answer)) if answer.answer else 'skipped'}{f'   {rules}' if rules else ''}"
        who = _names(answer.students, columns - GIVEN - 13)
        yield f"     {SIGNS[answer.mark]} {_padded(said, GIVEN)} {len(answer.students):3}  {who}"
    if len(given) > MOST_GIVEN:
        yield f"     and {len(given) - MOST_GIVEN:,} answers more"
    if task.nothing:
        yield f"     nothing handed in: {_names(task.nothing, columns - 24)}"


def _in_words(answer: object) -> str:
    """An answer as a line has it: elements by their indices, texts without quotes."""
    if isinstance(answer, dict) and isinstance(answer.get("index"), list):
        return json.dumps(answer["index"], separators=(",", ":"))
    if isinstance(answer, list) and answer and all(isinstance(entry, dict) for entry in answer):
        return " ".join(map(_in_words, answer))
    return answer if isinstance(answer, str) else json.dumps(answer, ensure_ascii=False)


def _student_lines(students: Sequence[str], tasks: Sequence[ClassTask], columns: int) -> Iterator[str]:
    """A line for each student with a cell for each task, in as many blocks as the terminal's width makes of them."""
    across = max(1, (columns - NAME - 2) // CELL)
    for begin in range(0, len(tasks), across):
        block = tasks[begin : begin + across]
        yield ""
        yield " " * (NAME + 2) + "".join(f"{begin + k + 1:<{CELL}}" for k in range(len(block))).rstrip()
        cells = [{tried.student: _cell(tried) for tried in task.tried} for task in block]
        for student in students:
            line = "".join(by_student.get(student, "·").ljust(CELL) for by_student in cells)
            yield f"{_padded(student, NAME)}  {line}".rstrip()
    yield ""
    yield from wrapped(LEGEND, columns)


def _cell(tried: Tried) -> str:
    """How the first try went, how many there were, and hints."""
    tries = f"×{min(tried.tries, 99)}" if tried.tries > 1 else ""
    return f"{SIGNS[tried.mark]}{tries}{f'h{tried.hints}' if tried.hints else ''}"


def _names(names: Sequence[str], columns: int) -> str:
    """As many names as fit, one at least, and how many more there are."""
    listed = [_fitting(name, NAME) for name in names[: max(1, columns)]]
    for count in range(len(listed), 0, -1):
        more = f" +{len(names) - count:,}" if count < len(names) else ""
        line = ", ".join(listed[:count]) + more
        if count == 1 or width(line) <= columns:
            return line
    return ""


def _count(count: int, what: str) -> str:
    return f"{count:,} {what}{'s' * (count != 1)}"


def _padded(text: str, columns: int) -> str:
    """Text of others in just so many columns."""
    shown = _fitting(text, columns)
    return shown + " " * (columns - width(shown))


def _fitting(text: str, columns: int) -> str:
    """Text of others in at most so many columns."""
    shown = harmless(text)
    while width(shown) > columns:
        shown = f"{shown[: columns - 1 if len(shown) > columns else -2]}…"
    return shown
