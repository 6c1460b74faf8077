"""What a class has handed in, as tables for a terminal: of others' texts nothing that acts on one."""

from __future__ import annotations

import json
import shutil
import unicodedata
from collections.abc import Sequence
from functools import cache
from itertools import groupby

from ..formats.text_columns import wrapped
from ..teaching.progress.class_tables import LOOKED_UP, NOTHING, RIGHT, SKIPPED, WRONG, ClassTable, Row
from .shared import count_of

ACTS = {"Cc", "Zl", "Zp"}
"""Unicode's categories of control characters and ends of lines; joiners (Cf) are of names in many languages."""
TURNS = {"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"}
"""Unicode's directions of what turns others around."""
SIGNS = {RIGHT: "✓", LOOKED_UP: "◧", WRONG: "✗", SKIPPED: "–"}
"""How the first try at a task went."""


def harmless(name: str) -> str:
    """Text of others without control characters, and without what turns its direction."""
    return "".join(c for c in name if unicodedata.category(c) not in ACTS and unicodedata.bidirectional(c) not in TURNS)


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
    """Prints text of others, each line wrapped where the terminal's ends."""
    for line in lines:
        safe = harmless(line)
        begin = " " * (len(safe) - len(safe.lstrip()))
        for part in wrapped(safe.lstrip(), max(9, shutil.get_terminal_size().columns - len(begin))) or [""]:
            print(begin + part)


def _print_task(number: int, rows: Sequence[Row]) -> None:
    """Prints a task, the first answers to it with the wrong rule behind each, and who handed in nothing of it."""
    tried = [row for row in rows if row.first != NOTHING]
    name, kind, right = rows[0].task, rows[0].kind, sum(row.first == RIGHT for row in tried)
    name = name if name.endswith(f"/{kind}") else f"{name} {kind}"
    _print(f"{number:3}  {right} of {len(tried)} right at the first try: {name}")
    lines = [rows[0].prompt] * bool(rows[0].prompt)
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
