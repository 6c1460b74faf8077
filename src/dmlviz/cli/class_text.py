"""What a class has handed in, as tables for a terminal."""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import groupby

from ..teaching.misconceptions import misconceptions
from ..teaching.progress.class_tables import LOOKED_UP, NOTHING, RIGHT, SKIPPED, WRONG, ClassTable, Row
from ..teaching.words.chain_rules import CHAIN_RULES
from .shared import count_of, shown

SIGNS = {RIGHT: "✓", LOOKED_UP: "◧", WRONG: "✗", SKIPPED: "–"}
"""How the first try at a task went."""


def rule_text(rule: str) -> str:
    """A wrong rule's id and name; the id alone of one that nobody knows."""
    known = misconceptions() | {each.id: each for each in CHAIN_RULES}
    return f"{rule} {known[rule].name}" if rule in known else rule


def print_class(table: ClassTable) -> None:
    """Prints each lesson with the first answers to its tasks, then the rules of the class."""
    _print(f"{count_of(len(table.students), 'student')}: {', '.join(table.students)}")
    for lesson, rows in groupby(table.rows, lambda row: row.lesson):
        tasks = [[*each] for _, each in groupby(rows, lambda row: (row.task, row.kind))]
        _print("", f"{lesson} · {count_of(len(tasks), 'task')}")
        for number, task in enumerate(tasks, 1):
            _print_task(number, task)
    if table.rules:
        _print("", "Wrong rules that answers follow, by how many students gave them")
    for rules, holders in table.rules:
        _print(f"{len(holders):5}  {' or '.join(map(rule_text, rules))}  {', '.join(holders)}")


def _print(*lines: str) -> None:
    for line in lines:
        print(shown(line))


def _print_task(number: int, rows: Sequence[Row]) -> None:
    """Prints a task, the first answers to it with the wrong rule behind each, and who handed in nothing of it."""
    tried = [row for row in rows if row.first != NOTHING]
    name, kind, right = rows[0].task, rows[0].kind, sum(row.first == RIGHT for row in tried)
    name = name if name.endswith(f"/{kind}") else f"{name} {kind}"
    _print(f"{number:3}  {right} of {len(tried)} right at the first try: {name}")
    lines = []
    groups: dict[tuple[str, str], list[Row]] = {}
    for row in tried:
        groups.setdefault((row.first, row.answer), []).append(row)
    for (mark, answer), group in sorted(groups.items(), key=lambda each: -len(each[1])):
        rules = "; ".join(map(rule_text, group[0].rules))
        said = _in_words(json.loads(answer)) if answer else "skipped"
        who = f"{len(group)}: {', '.join(row.student for row in group)}"
        lines.append(f"{SIGNS[mark]} {'   '.join(filter(None, (said, rules, who)))}")
    if nothing := [row.student for row in rows if row.first == NOTHING]:
        lines.append(f"nothing handed in by {len(nothing)}: {', '.join(nothing)}")
    _print(*(f"     {line}" for line in lines))


def _in_words(answer: object) -> str:
    """An answer as a line has it: elements by their indices, texts without quotes."""
    if isinstance(answer, dict) and isinstance(answer.get("index"), list):
        return json.dumps(answer["index"], separators=(",", ":"))
    if isinstance(answer, list) and answer and all(isinstance(entry, dict) for entry in answer):
        return " ".join(map(_in_words, answer))
    return answer if isinstance(answer, str) else json.dumps(answer, ensure_ascii=False)
