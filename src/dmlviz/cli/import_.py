"""`dmlviz import`: a session of what other programs' files hold."""

from __future__ import annotations

import sys

from ..errors import DmlvizError, SessionError, plain
from .parsers import add_dim_option, add_force, parser
from .shared import FINE, UNREADABLE, count_of, progress, require_free, say, say_about


def run(argv: list[str]) -> int:
    """Imports files as one session. Raises DmlvizError where nothing can be written; nothing has changed then."""
    words = parser(
        "import",
        "Read descs from C++, DxDispatch and ONNX models, NumPy and PyTorch calls, tokens or session files, and print "
        "them as one session file. Skipped parts are listed on stderr.",
        "Exit codes: 0 fine, 2 a file has nothing to import; the others are written all the same.",
    )
    words.add_argument(
        "files", nargs="+", metavar="FILE", help="a file, an example's name or a token; - for standard input"
    )
    words.add_argument("-o", dest="output", metavar="F", help="write the session to this file")
    add_force(words)
    add_dim_option(words)
    args = words.parse_args(argv)
    from .. import opening
    from ..desc.value_sources import Npy
    from ..importers.lib import found
    from ..session.experiments import Session
    from ..session.writing import dump, save

    code, sessions = FINE, []
    for word in args.files:
        try:
            with progress(f"reading {plain(word, 60)}"):
                imported = opening.find(word, imports=True, dims=args.dims)
        except DmlvizError as error:
            say(str(error))
            code = UNREADABLE
            continue
        code = max(code, say_about(imported, taken=True))
        sessions.append(imported.session)
    items = [item for session in sessions for item in found.own_items(session.experiments)]
    every = found.imported(items).experiments
    if not every:
        return UNREADABLE
    whole = sessions[0] if len(sessions) == 1 else Session(every)
    if args.output is None or args.output == "-":
        entries = (entry for one in whole.experiments for entry in one.values.values())
        if files := sorted({entry.file for entry in entries if isinstance(entry, Npy)}):
            raise SessionError(f"the session needs {plain(files[0])} next to it, expected -o F to say where.")
        sys.stdout.write(dump(whole))
        return code
    require_free(args.output, force=args.force)
    save(whole, args.output)
    say(f"wrote {plain(args.output)}: {count_of(len(whole.experiments), 'experiment')}.")
    return code
