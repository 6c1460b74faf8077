"""`dmlviz same`: are two of a file's experiments, with all that they read, equivalent?"""

from __future__ import annotations

import re

from ..errors import SessionError, plain, quote
from ..session.chains import Chain
from ..session.experiments import Session
from ..session.same import same
from .parsers import add_file, parser
from .shared import FINE, UNREADABLE, progress, read_session

WORST_FIRST = ("DIFFERENT", "NOT_DECIDED", "FOR_THESE", "FOR_ALL")
"""What is known of several outputs together is the worst of it."""


def run(argv: list[str]) -> int:
    words = parser(
        "same",
        "Say whether two experiments of a file, each with all that it reads, are equivalent: whether each output "
        "element comes from the same input element. All elements are compared, up to 2^22: for the given index "
        "values, then for all others if these are at most 4,096, else for 64 random ones. "
        "Inputs count as one if both read one experiment, or if types, sizes and values agree, in order.",
        "Exit codes: 0 equivalent, 1 different, with the first element that differs, 2 equivalent for some index "
        "values only, not decided, or wrong usage.",
    )
    add_file(words)
    words.add_argument("a", metavar="A", help="an experiment's name, or number from 1; NAME[1] is its second output")
    words.add_argument("b", metavar="B", help="the other's")
    args = words.parse_args(argv)
    session, code = read_session(args.file, args.dims)
    if not session.experiments:
        return code or UNREADABLE
    left, right = (_outputs(session, word) for word in (args.a, args.b))
    if len(left[1]) != len(right[1]):
        counts = f"{quote(args.a)} has {len(left[1])} outputs and {quote(args.b)} {len(right[1])}"
        raise SessionError(f"{counts}, expected the same number, or one output of each, such as NAME[0].")
    with progress(f"comparing {plain(args.a)} and {plain(args.b)}"):
        pairs = zip(left[1], right[1], strict=True)
        verdicts = [same(left[0], right[0], one, other) for one, other in pairs]
    verdict = min(verdicts, key=lambda verdict: WORST_FIRST.index(verdict.answer.name))
    print(verdict.sentence)
    if verdict.left is not None and verdict.right is not None:
        print(f"  {left[0].path_text(verdict.left)}\n  {right[0].path_text(verdict.right)}")
    return {"FOR_ALL": FINE, "DIFFERENT": 1}.get(verdict.answer.name, UNREADABLE)


def _outputs(session: Session, word: str) -> tuple[Chain, list[int]]:
    """The chain that a word names, and its outputs, or the one that it names. Raises DmlvizError for none."""
    found = re.fullmatch(r"(.*)\[(\d{1,9})\]", word, re.DOTALL)
    if found is None or any(one.name == word for one in session.experiments):
        chain = _chain(session, word)
        return chain, list(range(len(chain.outputs)))
    chain = _chain(session, found[1])
    number = int(found[2])
    if number >= len(chain.outputs):
        last = len(chain.outputs) - 1
        known = f"{plain(found[1])}[0] to [{last}]"
        raise SessionError(f"{quote(word)} is no output, expected {known}.")
    return chain, [number]


def _chain(session: Session, word: str) -> Chain:
    """The chain of an experiment's name, or else of its number, as the explorer counts. Raises DmlvizError for none."""
    every = session.experiments
    number = int(word) if re.fullmatch(r"[0-9]{1,9}", word) else 0
    is_name = any(one.name == word for one in every)
    if is_name or not 0 < number <= len(every):
        return session.chain(word)
    return Chain(every[number - 1])
