"""`dmlviz same`: are two of a file's experiments, with all that they read, the same map?"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import SessionError, plain, quote
from .parsers import add_file, parser
from .shared import FINE, UNREADABLE, progress, read_session, say

if TYPE_CHECKING:
    from ..equality.deciding import Verdict
    from ..session.chains import Chain
    from ..session.experiments import Session

DIFFERENT = 1
"""The exit code where an element comes from elsewhere; `UNREADABLE` where that isn't decided too."""


def run(argv: list[str]) -> int:
    """Says whether two experiments are the same map, or checks a certificate that says so."""
    words = parser(
        "same",
        "Say whether two experiments of a file, each with all that it reads, are the same map: whether each element of "
        "their outputs comes from the same one. It is decided for all index values where that can be, else for these. "
        "Inputs of both are one where one experiment is in both, else where type, sizes and values agree, in order.",
        "Exit codes: 0 the same, 1 different, with the first element that is, 2 not decided, or wrong usage: with "
        "--json only what is not decided prints something.",
    )
    add_file(words, nargs="?")
    words.add_argument(
        "a", metavar="A", nargs="?", help="an experiment's name, or number from 1; NAME[1] is its second output"
    )
    words.add_argument("b", metavar="B", nargs="?", help="the other's")
    words.add_argument("--json", action="store_true", help="print the verdict as JSON")
    words.add_argument("--certificate", metavar="F", help="write to this file what proves that they are the same")
    words.add_argument("--verify", metavar="F", help="check such a file, by a program that knows nothing of dmlviz")
    words.add_argument("--force", action="store_true", help="replace a certificate that is there")
    args = words.parse_args(argv)
    if args.verify is not None:
        return _verify(args)
    if args.file is None:
        raise SessionError("FILE is missing, expected a session file, and the names of two of its experiments.")
    session, code = read_session(args.file, args.dims)
    if session is None:
        return code
    if args.b is None:
        names = [quote(experiment.name, 40) for experiment in session.experiments]
        known = ", ".join(names[:8] + ["..."] * (len(names) > 8))
        raise SessionError(f"{'A' if args.a is None else 'B'} is missing, expected two names among {known}.")
    left, right = (_outputs(session, word) for word in (args.a, args.b))
    if len(left[1]) != len(right[1]):
        few, many = sorted((left, right), key=lambda each: len(each[1]))
        name = many[0].stages[-1].name
        raise SessionError(
            f"{quote(name)} has {len(many[1])} outputs and {quote(few[0].stages[-1].name)} {len(few[1])} to be held "
            f"against them, expected one, such as {plain(name)}[0]."
        )
    from ..equality.deciding import same

    with progress(f"comparing {plain(args.a)} and {plain(args.b)}"):
        pairs = zip(left[1], right[1], strict=True)
        verdict = worst(same(left[0], right[0], one, other) for one, other in pairs)
    print(json.dumps(_as_json(verdict, left[0], right[0]), ensure_ascii=False) if args.json else verdict.sentence)
    if not args.json and verdict.left is not None and verdict.right is not None:
        print(f"  {left[0].path_text(verdict.left)}\n  {right[0].path_text(verdict.right)}")
    if args.certificate is not None:
        _certify(args, session, verdict, left, right)
    return {True: FINE, False: DIFFERENT, None: UNREADABLE}[verdict.same]


def worst(verdicts: Iterable[Verdict]) -> Verdict:
    """What is known of several outputs together: one that differs outweighs one that isn't decided."""
    order = ("DIFFERENT", "ON_THIS_DATA", "NOT_DECIDED", "FOR_THESE", "FOR_ALL")
    return min(verdicts, key=lambda verdict: order.index(verdict.answer.name))


Ends = tuple["Chain", list[int]]
"""A chain, and which of its outputs are meant."""


def _outputs(session: Session, word: str) -> Ends:
    """What a word names: an experiment, or one output of it. Raises DmlvizError for none."""
    names = [experiment.name for experiment in session.experiments]
    found = re.fullmatch(r"(.*)\[(\d{1,9})\]", word, re.DOTALL)
    if word in names or found is None:
        chain = _chain(session, word)
        return chain, list(range(len(chain.outputs)))
    chain, number = _chain(session, found[1]), int(found[2])
    if number >= len(chain.outputs):
        raise SessionError(f"{quote(word)} is no output, expected {plain(found[1])}[0] to [{len(chain.outputs) - 1}].")
    return chain, [number]


def _chain(session: Session, word: str) -> Chain:
    """The chain of an experiment's name, or else of its number, as the explorer counts. Raises DmlvizError for none."""
    from ..session.chains import Chain

    number = int(word) if re.fullmatch(r"[0-9]{1,9}", word) else 0
    if not 0 < number <= len(session.experiments) or any(one.name == word for one in session.experiments):
        return session.chain(word)
    return Chain(session.experiments[number - 1])


def _as_json(verdict: Verdict, left: Chain, right: Chain) -> dict[str, Any]:
    """The verdict as plain values."""

    def way(chain: Chain, path: Any) -> dict[str, Any] | None:
        if path is None:
            return None
        stages = [[chain.stages[hop.stage].name, hop.output, list(hop.index)] for hop in path.hops]
        root = None if path.root < 0 else chain.inputs[path.root]
        name = None if root is None else [chain.stages[root.stage].name, root.part.path]
        return {"input": name, "index": list(path.index), "stages": stages}

    return {
        "answer": verdict.answer.name.lower(),
        "same": verdict.same,
        "sentence": verdict.sentence,
        "first": None if verdict.left is None else list(verdict.left.hops[0].index),
        "left": way(left, verdict.left),
        "right": way(right, verdict.right),
        "reason": "; ".join(filter(None, [verdict.matched, verdict.reason])),
    }


def _certify(args: Any, session: Session, verdict: Verdict, left: Ends, right: Ends) -> None:
    """Writes what proves the verdict. Raises DmlvizError where there is nothing to prove, or it can't be written."""
    from ..equality.certificates import certificate_of
    from ..session.whole_files import write_whole

    if not verdict:
        say("no certificate is written: it is about what is the same.")
        return
    if len(left[1]) > 1:
        raise SessionError(f"--certificate is about one output, expected one, such as {plain(args.a)}[0].")
    for chain, _ in (left, right):  # a certificate is about names
        session.chain(chain.stages[-1].name)
    target = Path(args.certificate)
    if target.exists() and not args.force:
        raise SessionError(f"{plain(args.certificate)} is there already, expected another name, or --force.")
    certificate = certificate_of(verdict, left[0], right[0], left[1][0], right[1][0])
    if _session_json(args.file) is None:
        say("FILE is no session file that --verify can read by itself; `dmlviz import FILE -o F` makes one.")
    try:
        write_whole(target, json.dumps(certificate, ensure_ascii=False).encode())
    except OSError as error:
        raise SessionError(f"{plain(args.certificate)} can't be written: {error.strerror or error}.") from None
    say(f"wrote {plain(args.certificate)}.")


def _session_json(word: str) -> Any:
    """The JSON of a session file, or of an example, as it is; None for anything else."""
    from ..session.examples import all_examples

    shipped = {example.name: example.path for example in all_examples()}
    path = Path(word)
    try:
        found = json.loads((path if path.is_file() else shipped.get(word, path)).read_bytes())
    except (OSError, ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) and isinstance(found.get("experiments"), list) else None


def _verify(args: Any) -> int:
    """Checks a certificate against FILE; 0 for one that holds, 1 for one that is refused."""
    from ..equality.verify import verify

    if args.file is None:
        raise SessionError("FILE is missing, expected the session file that the certificate is about.")
    if args.certificate is not None or args.json:
        raise SessionError("--verify stands beside FILE, A and B alone.")
    session, (known, code) = _session_json(args.file), read_session(args.file, args.dims)
    if known is None:
        return code
    if session is None:
        raise SessionError(f"{plain(args.file)} is no session file, expected the one that the certificate is about.")
    try:
        certificate = json.loads(Path(args.verify).read_bytes())
        ends = [(str(name), int(output)) for name, output in certificate["outputs"]]
        one, other = ends
    except OSError as error:
        raise SessionError(f"{plain(args.verify)} can't be read: {error.strerror or error}.") from None
    except (ArithmeticError, LookupError, TypeError, ValueError, RecursionError):
        raise SessionError(f"{plain(args.verify)} is no certificate, expected what --certificate writes.") from None
    for given, (name, output) in ((args.a, one), (args.b, other)):
        meant, numbers = (None, [0]) if given is None else _outputs(known, given)
        if meant is not None and (meant.stages[-1].name, numbers[0]) != (name, output):
            raise SessionError(f"{plain(args.verify)} is about {quote(f'{name}[{output}]')}, expected {quote(given)}.")
    left, right = (known.chain(name) for name, _ in ends)  # the program takes it that descs are valid
    try:
        with progress(f"checking {plain(args.verify)}"):
            verify(certificate, session)
    except (ArithmeticError, AttributeError, LookupError, MemoryError, RecursionError, TypeError, ValueError) as error:
        print(f"Refused: {error}.")
        return DIFFERENT
    said = " and ".join(f"{plain(name)}[{output}]" for name, output in ends)
    from ..equality.deciding import Inputs  # which are matched as the program does

    matched = Inputs(left, right).matched()
    print(f"Holds: {said} are the same map, {certificate['values']} index values{matched and f': {matched}'}.")
    return FINE
