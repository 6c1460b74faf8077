"""`dmlviz simplify`: what does the same as a chain with less, each offer proved before it is told."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..errors import SessionError, plain, quote
from .parsers import add_file, parser
from .shared import FINE, progress, read_session, write_session

if TYPE_CHECKING:
    from ..session.experiments import Session


def run(argv: list[str]) -> int:
    """Lists offers, or writes the session with one of them, or with all that cost nothing."""
    words = parser(
        "simplify",
        "List what does the same as an experiment, with all that it reads, in fewer dispatches or with fewer bytes "
        "moved. Each offer is proved to be the same map before it is told, by what `dmlviz same` goes by.",
        "Exit codes: 0 fine, also where there is nothing to offer, 2 a chain can't run, or a file can't be read.",
    )
    add_file(words)
    words.add_argument("name", metavar="NAME", nargs="?", help="the experiment; not needed where one chain is there")
    words.add_argument("--apply", metavar="N", help="write the session with offer N; all: with each that costs nothing")
    words.add_argument("-o", dest="output", metavar="F", help="write it to this file, not to standard output")
    words.add_argument("--force", action="store_true", help="replace a file that is there")
    args = words.parse_args(argv)
    if args.apply is None and (args.output is not None or args.force):
        raise SessionError("-o and --force are given without --apply, expected --apply N too.")
    session, code = read_session(args.file, args.dims)
    if session is None:
        return code
    from ..equality.simplifying import best_of, offers

    number = _number(session, args.name)
    name = plain(session.experiments[number].name, 40)
    with progress(f"simplifying {name}"):
        found = offers(session, number)
    if args.apply is None:
        stages = " ▸ ".join(plain(stage.name, 40) for stage in session.experiments[number].stages)
        print(f"{stages}: {len(found) or 'no'} offer{'s' * (len(found) != 1)}")
        for n, offer in enumerate(found, 1):
            print(f"{n:>3}  {offer.text}\n     {offer.saves}; the same map, {offer.holds}")
        return FINE
    if args.apply == "all":
        with progress(f"simplifying {name}"):
            session, number = best_of(session, number)
    elif args.apply.isdecimal() and 1 <= int(args.apply) <= len(found):
        session, number = found[int(args.apply) - 1].session, found[int(args.apply) - 1].number
    else:
        known = f"all or a number from 1 to {len(found)}." if found else "all: there is no offer."
        raise SessionError(f"--apply is {quote(args.apply)}, expected {known}")
    write_session(session, args.output, force=args.force)
    return FINE


def _number(session: Session, name: str | None) -> int:
    """The number of the experiment of that name, or of the only one that ends a chain. Raises SessionError."""
    own = session.experiments
    read = {id(stage) for one in own for stage in one.stages[:-1]}
    ends = [one for one in own if one.is_wired and id(one) not in read]
    if name is None and len(ends) != 1:
        known = ", ".join(quote(one.name, 40) for one in ends[:8])
        raise SessionError(f"NAME is missing, expected one of {known}." if ends else "the session has no chains.")
    end = ends[0] if name is None else session.chain(name).stages[-1]
    return next(n for n, one in enumerate(own) if one is end)
