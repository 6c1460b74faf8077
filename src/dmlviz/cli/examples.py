"""`dmlviz examples`: the list of what comes with dmlviz, or one of it."""

from __future__ import annotations

import sys

from .parsers import parser
from .shared import FINE


def run(argv: list[str]) -> int:
    """Lists the examples, group by group on a terminal; or prints the one that is named as a session file."""
    words = parser("examples", "List the examples that come with dmlviz, or print one as a session file.")
    words.add_argument("name", nargs="?", metavar="NAME", help="print this example instead of the list")
    name = words.parse_args(argv).name
    from ..session import examples

    if name is not None:
        print(examples.example(name).path.read_text("utf-8"), end="")
        return FINE
    if sys.stdout.isatty():
        _print_groups()
        return FINE
    listed = examples.all_examples()
    width = max(len(shipped.name) for shipped in listed)
    for shipped in listed:
        session = shipped.session()
        count = len(session.experiments)
        more = f"  ({count} experiments)" if count > 1 else ""
        print(f"{shipped.name:<{width}}  {session.title}{more}")
    return FINE


def _print_groups() -> None:
    """Prints the course, and every example by what it is for; scripts read the plain list."""
    from ..session import course

    groups = course.groups()
    width = max(len(card.name) for group in groups for card in group.cards)
    for i, group in enumerate(groups):
        print(f"{chr(10) * bool(i)}{group.title}")
        for number, card in enumerate(group.cards, 1):
            head = f"{number:>4}  " if group.is_course else "      "
            rule = f"  ({card.rules[0]})" if card.rules and not group.is_course else ""
            print(f"{head}{card.name:<{width}}  {card.title}{rule}")
