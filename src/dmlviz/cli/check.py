"""`dmlviz check`: every rule held against every desc in files and folders, told to people or to programs."""

from __future__ import annotations

import argparse
import json
import os
from collections import Counter
from collections.abc import Sequence
from typing import Any

from ..desc.levels import FeatureLevel
from ..errors import SessionError
from ..formats.json_text import escaped
from ..session.report_json import report_json
from .checking.as_github import annotated
from .checking.as_text import text_lines
from .checking.findings import CheckedDesc, CheckedFile
from .checking.found_files import files_below, shown_path
from .checking.one_file import check_file, nearest
from .parsers import add_dim_option, parser
from .shared import count_of, progress, say, worst


def run(argv: list[str]) -> int:
    args = _words().parse_args(argv)
    if args.fix and args.level is not None:
        raise SessionError("--level is given, expected none with --fix, which fixes at the level that the file says.")
    level = FeatureLevel.of(args.level) if args.level is not None else None
    as_text = not (args.json or args.github)
    is_folder = not args.files or any(map(os.path.isdir, args.files))
    jobs: dict[str, tuple[str, bool]] = {}
    """By a file's path what names it, and whether it was only found in a folder; each is checked once."""
    seen, by_git = 0, True
    with progress("looking for files"):
        for word in args.files or ["."]:
            if os.path.isdir(word):
                paths, count, is_listed = files_below(word)
                seen = seen + count
                by_git = by_git and is_listed
                for path in paths:
                    jobs.setdefault(path, (path, True))
            else:
                seen += shown_path(word) not in jobs
                jobs.setdefault(shown_path(word), (word, False))
    if args.fix:
        from .fixing import fix_all

        fix_all(word for word, _ in jobs.values())
    every: list[CheckedFile] = []
    for word, is_found in jobs.values():
        told = check_file(word, level, args.dims, is_found=is_found)
        if told is None:
            continue
        every.append(told)
        for said in () if args.quiet and not told.findings else told.says:
            say(said)
        is_named = is_folder or len(args.files) > 1
        for line in text_lines(told, is_named=is_named, quiet=args.quiet) if as_text else ():
            print(line)
    if args.json:
        _print_json(every)
    elif args.github:
        for line in annotated(every):
            print(line)
    if not args.quiet and (is_folder or (as_text and len(args.files) > 1)):
        summary = f"{count_of(seen, 'file')}: {_counts(every)}"
        if not by_git:
            summary += ", found by a walk, without git"
        (print if as_text else say)(summary)
    return worst(told.code for told in every)


def _words() -> argparse.ArgumentParser:
    words = parser(
        "check",
        "Check every desc in session files and in files that can be imported, and the tasks of lessons. In a folder, "
        "check the files that git knows or doesn't ignore; without FILE, check the current folder.",
        "Exit codes: 0 every desc is valid, 1 a desc or a task is invalid; 2 no desc is known to be invalid, but "
        "a file can't be read, or something in it could not be checked. No option changes the code.",
    )
    add = words.add_argument
    add("files", metavar="FILE", nargs="*", help="a folder, file, example, token, or - for stdin")
    add_dim_option(words)
    add("--level", metavar="L", help="check at this feature level, such as 5_0, whatever the file says")
    formats = words.add_mutually_exclusive_group()
    formats.add_argument("--json", action="store_true", help="print every check, passed ones too")
    formats.add_argument("--github", action="store_true", help="print annotations for a workflow of GitHub's")
    add(
        "--fix",
        action="store_true",
        help="for each failed check in session files and DxDispatch models, apply the first fix that loses no data, "
        "say what changes, then check again",
    )
    add("--quiet", action="store_true", help="print nothing about valid descs, and no count")
    return words


def _print_json(every: Sequence[CheckedFile]) -> None:
    ones = [_desc_json(told, desc) for told in every for desc in told.descs]
    whole = {"experiments": ones, "files": [told.json for told in every]}
    print(escaped(json.dumps(whole, ensure_ascii=False, indent=1)))


def _desc_json(told: CheckedFile, desc: CheckedDesc) -> dict[str, Any]:
    report = report_json(desc.experiment, desc.report)
    for check in report["checks"]:
        if check["ok"] is True:
            continue
        place = nearest(desc.places, desc.experiment.desc, check["field"])
        if place is not None:
            members = ("name",) if place.name else ("line", "column", "end_line", "end_column")
            check["place"] = {member: getattr(place, member) for member in members}
    made = {"file": told.word, "name": desc.experiment.name, **report}
    if desc.task:
        made["task"] = desc.task
    return made


def _counts(every: Sequence[CheckedFile]) -> str:
    verdicts = Counter(desc.report.verdict.value for told in every for desc in told.descs)
    unread = Counter(told.findings[0].id for told in every if told.findings and not told.descs)
    not_checked = verdicts["not checked"] + unread.pop("not_checked", 0)
    holding = sum(bool(told.descs) for told in every)
    counts = [f"{holding:,} with descs"]
    counts.append(count_of(verdicts.total(), "desc"))
    counts.append(f"{verdicts['invalid']:,} invalid")
    counts.append(f"{not_checked:,} not checked")
    if verdicts["waits"]:
        counts.append(f"{verdicts['waits']:,} waiting for others")
    if unread:
        files = count_of(unread.total(), "file")
        counts.append(f"{files} could not be read")
    return ", ".join(counts)
