"""`dmlviz export`: the experiments of a file for another program."""

from __future__ import annotations

from ..errors import InvalidDescError, SessionError, plain, quote
from .parsers import add_file, add_force, parser
from .shared import FINE, INVALID, count_of, find_whole, progress, say, write_out


def run(argv: list[str]) -> int:
    """Exports a file. Raises DmlvizError for what can't be done; nothing is written then."""
    words = parser(
        "export",
        "Print the experiments of a file as source text for another program, or write them to a file.",
        "Exit codes: 0 fine, 1 a desc is invalid and TARGET needs a valid one, 2 anything else that can't be done.",
    )
    add = words.add_argument
    add_file(words, nargs="?")
    add("--to", nargs="?", const="", metavar="TARGET", help="the format; without TARGET, list all")
    add("-o", dest="output", metavar="F", help="write to this file, and .npy files that it needs next to it")
    add("--level", metavar="L", help="at this feature level, such as 5_0, whatever the file says")
    add("--experiment", metavar="NAME", help="only the experiment of that name")
    add("--snippet", action="store_true", help="print a few lines of one experiment, for a slide")
    add_force(words)
    args = words.parse_args(argv)
    from ..desc.levels import FeatureLevel
    from ..exporters.lib import exporting, writing

    if args.to == "":
        for name in exporting.targets():
            print(f"{name:<12} {exporting.target_of(name).ABOUT}")
        return FINE
    if not args.to:
        raise SessionError(f"--to is missing, expected --to and one of {', '.join(exporting.targets())}.")
    if args.file is None:
        raise SessionError("FILE is missing, expected a file, an example's name, a token, or -.")
    target = exporting.target_of(args.to)
    level = FeatureLevel.of(args.level) if args.level is not None else None
    if args.snippet and level is not None:
        raise SessionError("--level is given, expected none with --snippet, which asks for no level.")
    source = find_whole(args.file, args.experiment, dims=args.dims)
    output = None if args.output == "-" else args.output
    stem = writing.STEM if output is None else writing.stem_of(output)
    try:
        with progress(f"exporting {source.shown}"):
            if args.snippet:
                export = exporting.snippet(source.session, args.to, experiment=args.experiment, stem=stem)
            else:
                export = exporting.export(source.session, args.to, experiment=args.experiment, stem=stem, level=level)
    except InvalidDescError as error:
        say(str(error))
        return INVALID
    for one in source.session.experiments:
        if args.experiment in (None, one.name) and (report := one.check()).ok is False:
            say(f"experiment {quote(one.name)} is invalid: {report.causes[0].message}")
    if output is None:
        writing.require_alone(export, "-o F to say where")
        write_out(export.content, target.SUFFIX)
        return FINE
    writing.write(export, output, unless="" if args.force else "--force")
    beside = f", and {count_of(len(export.files), '.npy file')} next to it" if export.files else ""
    say(f"wrote {plain(output)}{beside}.")
    return FINE
