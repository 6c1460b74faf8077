"""`dmlviz export`, `import` and `explain`: what goes out to other programs, and what comes in from them."""

from __future__ import annotations

import sys
from pathlib import Path

from ..desc.value_sources import Npy
from ..errors import DmlvizError, InvalidDescError, SessionError, plain
from ..exporters.lib import exporting, writing
from ..exporters.lib.export import Export
from ..opening import find
from ..session.experiments import Session
from ..session.writing import dump, save
from .shared import FINE, INVALID, UNREADABLE, parser, progress, read, say, say_about


def export(argv: list[str]) -> int:
    """`dmlviz export`. Raises DmlvizError for what can't be done; nothing is written then."""
    words = parser(
        "export",
        "Print the experiments of a file as source text for another program, or write them to a file.",
        "Exit codes: 0 fine, 1 a desc is invalid and the result would have to run, 2 anything else that can't be done.",
    )
    words.add_argument("file", nargs="?", metavar="FILE", help="a session file, a token, what can be imported, or -")
    words.add_argument("--to", nargs="?", const="", metavar="TARGET", help="what to make; without TARGET, list them")
    words.add_argument("-o", dest="output", metavar="F", help="write to this file, and .npy files it needs beside it")
    words.add_argument("--experiment", metavar="NAME", help="only the experiment of that name")
    words.add_argument("--force", action="store_true", help="replace files that are there")
    args = words.parse_args(argv)
    if args.to == "" and args.file is None:
        for name in exporting.targets():
            print(f"{name:<12} {exporting.target_of(name).ABOUT}")
        return FINE
    if not args.to:
        raise SessionError(f"--to is missing, expected --to and one of {', '.join(exporting.targets())}.")
    if args.file is None:
        raise SessionError("FILE is missing, expected a session file, a token, what can be imported, or -.")
    target = exporting.target_of(args.to)
    found = find(args.file)
    failed = say_about(found)
    if failed and args.experiment is None:
        raise SessionError(
            f"{found.shown} is not exported in part, expected --experiment NAME for one that can be read."
        )
    if args.output == "-":
        args.output = None
    stem = writing.STEM if args.output is None else writing.stem_of(args.output)
    try:
        with progress(f"exporting {found.shown}"):
            made = exporting.export(found.session, args.to, experiment=args.experiment, stem=stem)
    except InvalidDescError as error:
        say(str(error))
        return INVALID
    if args.output is not None:
        writing.write(made, args.output, unless="" if args.force else "--force")
        count = len(made.files)
        beside = f", and {count} .npy file{'s' * (count > 1)} beside it" if count else ""
        say(f"wrote {plain(args.output)}{beside}.")
        return FINE
    _print(made, target.SUFFIX)
    return FINE


def _print(made: Export, suffix: str) -> None:
    """The export on standard output. Raises SessionError where it doesn't belong there."""
    writing.require_alone(made, "-o F to say where")
    if isinstance(made.content, str):
        sys.stdout.write(made.content)
        return
    if sys.stdout.isatty():
        raise SessionError(f"a {suffix} file is no text for a terminal, expected -o F, or standard output redirected.")
    sys.stdout.flush()
    sys.stdout.buffer.write(made.content)


def import_(argv: list[str]) -> int:
    """`dmlviz import`. Raises DmlvizError where nothing can be written; nothing has changed then."""
    words = parser(
        "import",
        "Read descs from C++, DxDispatch and ONNX models, NumPy and PyTorch calls, tokens or session files, and print "
        "them as one session file. What was taken and what was ignored is told on stderr.",
        "Exit codes: 0 fine, 2 a file holds nothing that can be imported; the others are written all the same.",
    )
    words.add_argument("files", nargs="+", metavar="FILE", help="a file or a token; - for standard input")
    words.add_argument("-o", dest="output", metavar="F", help="write the session to this file")
    words.add_argument("--force", action="store_true", help="replace a file that is there")
    args = words.parse_args(argv)
    if args.output == "-":
        args.output = None
    code, sessions = FINE, []
    for word in args.files:
        try:
            with progress(f"reading {plain(word, 60)}"):
                found = find(word, imports=True)
        except DmlvizError as error:
            say(str(error))
            code = UNREADABLE
            continue
        code = max(code, say_about(found, taken=True))
        sessions.append(found.session)
    experiments = tuple(each for session in sessions for each in session.experiments)
    if not experiments:
        return UNREADABLE
    made = sessions[0] if len(sessions) == 1 else Session(experiments)
    if args.output is None:
        files = sorted({spec.file for each in experiments for spec in each.values.values() if isinstance(spec, Npy)})
        if files:
            raise SessionError(f"the session needs {plain(files[0])} beside it, expected -o F to say where.")
        sys.stdout.write(dump(made))
        return code
    if Path(args.output).exists() and not args.force:
        name = plain(args.output)
        raise SessionError(f"{name} exists already, expected another name, or --force, which replaces it.")
    save(made, args.output)
    count = len(experiments)
    say(f"wrote {plain(args.output)}: {count} experiment{'s' * (count != 1)}.")
    return code


def explain(argv: list[str]) -> int:
    """`dmlviz explain`."""
    words = parser(
        "explain",
        "Tell each experiment in plain text: the rules, the tensors, the picture, and every step in a sentence.",
        "Exit codes: 0 fine, 1 a desc is invalid (it says why), 2 a file can't be read.",
    )
    words.add_argument("file", metavar="FILE", help="a session file, a token, what can be imported, or -")
    args = words.parse_args(argv)
    from .. import explaining

    experiments, code = read(args.file)
    for number, each in enumerate(experiments):
        with progress(f"explaining {plain(each.name)}"):
            told = explaining.explain(each)
        print(f"{'=' * 80}\n\n" if number else "", told, "\n" if number < len(experiments) - 1 else "", sep="", end="")
        code = max(code, FINE if each.check().ok else INVALID)
    return code
