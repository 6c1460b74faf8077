"""`dmlviz examples`: the list of what comes with dmlviz, or one of it."""

from __future__ import annotations

from .parsers import parser
from .shared import FINE


def run(argv: list[str]) -> int:
    words = parser("examples", "List the examples that come with dmlviz, or print one as a session file.")
    words.add_argument("name", nargs="?", metavar="NAME", help="print this example instead of the list")
    name = words.parse_args(argv).name
    from ..session import examples

    if name is not None:
        print(examples.example(name).path.read_text("utf-8"), end="")
        return FINE
    listed = examples.all_examples()
    width = max(len(shipped.name) for shipped in listed)
    for shipped in listed:
        session = shipped.session()
        count = len(session.experiments)
        more = f"  ({count} experiments)" if count > 1 else ""
        print(f"{shipped.name:<{width}}  {session.title}{more}")
    return FINE
