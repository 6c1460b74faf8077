"""What was answered, and what a class has handed in: as tables for a terminal, or for a spreadsheet."""

from __future__ import annotations

import csv
import json
import re
import sys
from collections import Counter
from collections.abc import Sequence
from itertools import groupby
from pathlib import Path

from msgspec.structs import asdict

from ..errors import DmlvizError, plain
from ..teaching.kinds.lib.chain_rules import CHAIN_RULES
from ..teaching.misconceptions import misconceptions
from ..teaching.progress.hand_ins import (
    LOOKED_UP,
    NOTHING,
    RIGHT,
    SKIPPED,
    WRONG,
    ClassTable,
    HandIn,
    Row,
    class_table,
    read_hand_ins,
)
from ..teaching.progress.progress import Progress
from .shared import FINE, UNREADABLE, count_of, say, shown

SIGNS = {RIGHT: "✓", LOOKED_UP: "◧", WRONG: "✗", SKIPPED: "–"}
"""How the first try at a task went."""


def rule_text(rule: str) -> str:
    """A wrong rule's id and name; the id alone of one that nobody knows."""
    known = misconceptions() | {each.id: each for each in CHAIN_RULES}
    return f"{rule} {known[rule].name}" if rule in known else rule


def _print_class(table: ClassTable) -> None:
    """Prints each lesson with the first answers to its tasks, then the rules of the class."""
    _print(f"{count_of(len(table.students), 'student')}: {', '.join(table.students)}")
    for lesson, rows in groupby(table.rows, lambda row: row.lesson):
        tasks = [[*each] for _, each in groupby(rows, lambda row: (row.task, row.kind))]
        _print("", f"{lesson} · {count_of(len(tasks), 'task')}")
        for number, task in enumerate(tasks, 1):
            _print_task(number, task)
    if table.rules:
        _print("", "Misconceptions that answers follow, by how many students gave them")
    for rules, holders in table.rules:
        _print(f"{len(holders):5}  {' or '.join(map(rule_text, rules))}  {', '.join(holders)}")


def _print(*lines: str) -> None:
    for line in lines:
        print(shown(line))


def _print_task(number: int, rows: Sequence[Row]) -> None:
    tried = [row for row in rows if row.first != NOTHING]
    name = rows[0].task
    kind = rows[0].kind
    right = sum(row.first == RIGHT for row in tried)
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
    if isinstance(answer, str):
        return answer
    return json.dumps(answer, ensure_ascii=False)


def print_summary(kept: Progress) -> None:
    if not kept.answers:
        print("No answers yet. g asks a question in the explorer; `dmlviz quiz gather-2` asks here.")
        return
    counts = Counter(answer.operator for answer in kept.answers)
    right = Counter(answer.operator for answer in kept.answers if answer.right)
    for op, count in counts.items():
        print(f"{shown(op):22} {right[op]:5,} of {count:5,} right")
    followed = Counter(answer.rules for answer in kept.answers if answer.rules)
    for rules, count in sorted(followed.items()):
        print(f"answered as {shown(' or '.join(map(rule_text, rules)))}: {count_of(count, 'time')}")


def print_merged(files: list[str], *, as_csv: bool) -> int:
    hand_ins: list[HandIn] = []
    code = FINE
    stems = [Path(file).stem for file in files]
    for file in files:
        try:
            prefix = Path(file).stem
            if len(files) == 1:
                prefix = ""
            elif stems.count(prefix) > 1:
                prefix = plain(file)
            hand_ins += read_hand_ins(Path(file), prefix=prefix)
        except DmlvizError as error:
            say(str(error))
            code = UNREADABLE
    table = class_table(hand_ins)
    if as_csv:
        _print_csv(table)
    elif hand_ins:
        _print_class(table)
    return code


def _print_csv(table: ClassTable) -> None:
    out = csv.DictWriter(sys.stdout, Row.__struct_fields__, lineterminator="\n")
    out.writeheader()
    for row in table.rows:
        told = asdict(row) | {"rules": " ".join(row.rules)}
        for name, cell in told.items():
            if isinstance(cell, str):
                told[name] = _csv_cell(cell)
        out.writerow(told)


def _csv_cell(name: str) -> str:
    """Text of others for a spreadsheet's cell, with a quote before what would be a formula.

    Where a comma stands in numbers, `;` parts cells: what is behind one is a cell, too.
    """
    return re.sub(r"(^|;)(?=[ \u200c\u200d]*[=+@\uff1d\uff0b\uff20\uff0d-])", r"\1'", shown(name))
