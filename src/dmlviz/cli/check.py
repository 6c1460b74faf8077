"""`dmlviz check`: every rule held against every desc in files and folders, told to people or to programs."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

from .parsers import add_dim_option, parser
from .shared import count_of, progress, say, worst

if TYPE_CHECKING:
    from .checking.findings import FileTold
    from .checking.found_files import Search


def run(argv: list[str]) -> int:
    """Checks the experiments of every file that is named or found."""
    args = _words().parse_args(argv)
    from ..desc.levels import FeatureLevel
    from .checking.as_text import coloured, text_lines
    from .checking.found_files import Search
    from .checking.one_file import Options, check_file

    level = FeatureLevel.of(args.level) if args.level is not None else None
    as_text, search = not (args.json or args.github), Search()
    is_folder = not args.files or any(map(os.path.isdir, args.files))
    options = Options(
        level=level, dims=args.dims, json=args.json, taking_path=as_text and (is_folder or len(args.files) > 1)
    )
    is_coloured = sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    with progress("looking for files"):
        jobs = _jobs(args.files, search).values()
    if args.fix:
        from .fixing import fix_all

        fix_all((word for word, _ in jobs), level)
    every: list[FileTold] = []
    for word, is_found in jobs:
        told = check_file(word, options, is_found=is_found)
        every.append(told)
        for sentence in () if args.quiet and not told.findings else told.says:
            say(sentence)
        for line in text_lines(told, quiet=args.quiet) if as_text else ():
            print(coloured(line) if is_coloured else line)
    if args.json:
        print(_json(every))
    elif args.github:
        from .checking.as_github import annotated

        for line in annotated(every):
            print(line)
    if not args.quiet and is_folder and not as_text:
        say(_summary(every, search))
    elif not args.quiet and (is_folder or len(args.files) > 1) and as_text:
        print(_summary(every, search))
    return worst(told.code for told in every)


def _words() -> argparse.ArgumentParser:
    words = parser(
        "check",
        "Check every desc in session files and in files that can be imported, and the tasks of lessons. In a folder, "
        "check the files that git knows or doesn't ignore; without FILE, check the current folder.",
        "Exit codes: 0 every desc is valid, 1 one is not, or a task is at fault; 2 nothing is known to be broken, but "
        "a file can't be read, or something in it could not be checked. No option changes the code.",
    )
    what = "a folder, a file, an example's name, a token, or - for stdin"
    words.add_argument("files", metavar="FILE", nargs="*", help=what)
    add_dim_option(words)
    words.add_argument("--level", metavar="L", help="check at this feature level, such as 5_0, whatever the file says")
    formats = words.add_mutually_exclusive_group()
    formats.add_argument("--json", action="store_true", help="print every check, passed ones too")
    formats.add_argument("--github", action="store_true", help="print annotations for a workflow of GitHub's")
    words.add_argument(
        "--fix",
        action="store_true",
        help="make the first fix that loses nothing of each broken rule in session files and DxDispatch models, say "
        "what changes, then check them",
    )
    words.add_argument("--quiet", action="store_true", help="print nothing of valid descs, and no count")
    return words


def _jobs(words: Sequence[str], search: Search) -> dict[str, tuple[str, bool]]:
    """The files to be checked, each once: by its path its name, and whether it was only found in a folder."""
    from .checking.found_files import shown_path

    jobs: dict[str, tuple[str, bool]] = {}
    for word in words or ["."]:
        if os.path.isdir(word):
            for path in search.below(word):
                jobs.setdefault(path, (path, True))
        else:
            search.seen += shown_path(word) not in jobs
            jobs.setdefault(shown_path(word), (word, False))
    return jobs


def _json(every: Sequence[FileTold]) -> str:
    from ..formats.json_text import escaped

    whole = {
        "experiments": [desc.json for told in every for desc in told.descs],
        "files": [told.json for told in every if told.says or not told.nothing],
    }
    return escaped(json.dumps(whole, ensure_ascii=False, indent=1))


def _summary(every: Sequence[FileTold], search: Search) -> str:
    """How many files and descs there were: the last line."""
    verdicts = Counter(desc.verdict for told in every for desc in told.descs)
    unread = Counter(told.findings[0].id for told in every if told.findings and not told.descs)
    not_checked = verdicts["not checked"] + unread.pop("not_checked", 0)
    told = [f"{sum(bool(told.descs) for told in every):,} with descs", count_of(verdicts.total(), "desc")]
    told += [f"{verdicts['invalid']:,} broken", f"{not_checked:,} not checked"]
    told += [f"{verdicts['waits']:,} waiting for others"] * bool(verdicts["waits"])
    told += [f"{count_of(unread.total(), 'file')} could not be read"] * bool(unread)
    told += ["found by a walk, without git"] * search.without_git
    return f"{count_of(search.seen, 'file')}: {', '.join(told)}"
