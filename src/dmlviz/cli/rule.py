"""`dmlviz rule`: a rule in plain words, and a desc that breaks it; without an id the list."""

from __future__ import annotations

import json
from typing import Any

from ..formats.json_text import escaped
from ..session import rules_told
from ..session.rules_told import Rule
from ..teaching import misconceptions
from .checking.as_text import MARKS
from .parsers import parser
from .shared import FINE


def run(argv: list[str]) -> int:
    words = parser(
        "rule",
        "Explain a rule that `check` names: its sentence, its page, a desc that violates it, and fixes that were "
        "tried. Without an ID, list all rules; with a group's, list the group.",
        "ID is a rule (gather.fits), a group (gather), an operator (TILE), or a misconception (G4).",
    )
    words.add_argument("id", nargs="?", metavar="ID", help="the rule, as `check` names it")
    words.add_argument("--json", action="store_true", help="print it as JSON, a list of rules")
    args = words.parse_args(argv)
    word = args.id or ""
    wrong = [misconceptions.explained(id_) for id_ in [misconceptions.named(word)] if id_]
    ids = rules_told.named(word) if word and not wrong else [*rules_told.ids()]
    rules = [] if wrong else [rules_told.rule(id_) for id_ in ids]
    if args.json:
        told = wrong or [rule_json(rule) for rule in rules]
        print(escaped(json.dumps(told, ensure_ascii=False, indent=1)))
    elif wrong or len(rules) == 1:
        print(
            "\n".join([f"{key:<11}{held}" for key, held in wrong[0].items() if held] if wrong else rule_lines(rules[0]))
        )
    else:
        print("\n".join([*_list_lines(rules), *(misconceptions.listed() if not word else ())]))
    return FINE


def _list_lines(rules: list[Rule]) -> list[str]:
    """The rules' sentences, by the operators that have them."""
    width = max(len(rule.id) for rule in rules)
    by_holders: dict[str, list[str]] = {}
    for rule in rules:
        line = f"  {_mark(rule)} {rule.id:<{width}}  {rule.sentence}"
        by_holders.setdefault(", ".join(rule.holders), ["", ", ".join(rule.holders)]).append(line)
    return [line for lines in by_holders.values() for line in lines][1:]


def _mark(rule: Rule) -> str:
    """What stands before a rule, by its severity; a dot where no example shows that."""
    return MARKS[rule.cause.first.severity] if rule.cause is not None else "·"


def rule_lines(rule: Rule) -> list[str]:
    """All there is to tell of a rule; the desc as a session file, to be copied."""
    lines = [f"{word:<9}{text}" for word, text in rule.lines]
    if rule.cause is None:
        return [f"{_mark(rule)} {rule.id} · {', '.join(rule.holders)}", *lines, "", "No example violates it."]
    severity = rule.cause.first.severity
    fixes = [f"fix {number}: {fix.text}" for number, fix in enumerate(rule.cause.first.fixes, 1)]
    return [
        f"{_mark(rule)} {rule.id} · {severity} · {', '.join(rule.holders)}",
        *lines,
        "",
        "This desc violates it:",
        rule.session_text.rstrip("\n"),
        "",
        f"{_mark(rule)} {rule.cause.message}",
        *(fixes or ["No edit is sure to fix it." if severity == "error" else "It rejects no desc."]),
    ]


def rule_json(rule: Rule) -> dict[str, Any]:
    """A rule for another program; without an example what only that could tell is null."""
    told = dict(rule.lines)
    first = rule.cause.first if rule.cause is not None else None
    return {
        "id": rule.id,
        "severity": first.severity.value if first is not None else None,
        "operators": list(rule.holders),
        "rule": rule.sentence,
        "page": first.page if first is not None else None,
        "address": told.get("") or None,
        "example": rule.example or None,
        "broken_by": json.loads(rule.session_text) if rule.session is not None else None,
        "experiment": rule.session.experiments[0].name if rule.session is not None else None,
        "field": first.field if first is not None else None,
        "message": rule.cause.message if rule.cause is not None else None,
        "fixes": [fix.text for fix in first.fixes] if first is not None else [],
    }
