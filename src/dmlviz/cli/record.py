"""`dmlviz record`: the steps of a file's experiments as a page, as stills or as animations."""

from __future__ import annotations

import os
from pathlib import Path

from ..errors import SessionError, plain
from .parsers import add_file, add_force, parser
from .shared import FINE, INVALID, find_whole, progress, say, write_out


def run(argv: list[str]) -> int:
    """Records a file. Raises DmlvizError for what can't be done; nothing is written then."""
    words = parser(
        "record",
        "Make a page of a session that anybody can step through, or pictures of its steps.",
        "An invalid desc is shown with its reasons. png and gif need `.venv/bin/pip install '.[gif]'`.\n"
        "Exit codes: 0 fine, 1 a desc is invalid, 2 anything that can't be done.",
    )
    add = words.add_argument
    add_file(words)
    add("--to", metavar="FORMAT", help="html, svg, png or gif (default: the ending of -o, or html)")
    add("-o", dest="output", metavar="F", help="write to this file; with several files, their names begin with it")
    add("--steps", metavar="A:B", help="only the steps A to B, or one step, as stills or an animation")
    add("--experiment", metavar="NAME", help="only the experiment of that name")
    add("--size", metavar="W:H", help="the ratio of stills and animations, such as 16:9")
    add_force(words)
    args = words.parse_args(argv)
    from ..recording import recording

    output = None if args.output == "-" else args.output
    to = recording.format_of(args.to, output, "-o")
    if output is not None and not os.path.isdir(Path(output).parent):  # told before minutes of drawing
        where = plain(str(Path(output).parent))
        raise SessionError(f"{plain(output)} can't be written: {where} is no directory.")
    source = find_whole(args.file, args.experiment, dims=args.dims)
    with progress(f"recording {source.shown}"):
        recorded = recording.record(
            source.session,
            to,
            experiment=args.experiment,
            steps=args.steps,
            size=args.size,
            say=lambda sentence: say(f"{source.shown}: {sentence}"),
        )
    if output is not None:
        paths = recording.save_recording(recorded, output, unless="" if args.force else "--force")
        more = f" to {plain(str(paths[-1]))}, {len(paths)} files" if len(paths) > 1 else ""
        say(f"wrote {plain(str(paths[0]))}{more}.")
    elif len(recorded) > 1:
        several = f"{to} makes {len(recorded)} files"
        raise SessionError(f"{several}, expected -o F to say where, or --experiment and --steps for one.")
    else:
        write_out(recorded[0].content, to)
    chosen = [one for one in source.session.experiments if args.experiment in (None, one.name)]
    return FINE if all(one.check().ok is not False for one in chosen) else INVALID
