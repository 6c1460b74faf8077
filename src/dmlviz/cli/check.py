"""`dmlviz check`: every rule held against every desc in files and folders, told to people or to programs."""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from ..errors import SessionError, reason_of
from ..formats.regular_files import open_regular
from .parsers import add_dim_option, parser
from .shared import FINE, progress, say, worst

if TYPE_CHECKING:
    from .checking.findings import FileTold
    from .checking.found_files import Search


def run(argv: list[str]) -> int:
    """Checks the experiments of every file that is named or found."""
    args = _words().parse_args(argv)
    from ..desc.levels import FeatureLevel
    from .checking.found_files import Search
    from .checking.one_file import Options, check_file

    level = FeatureLevel.of(args.level) if args.level is not None else None
    as_text, search = not (args.json or args.github), Search()
    several = len(args.files) != 1 or os.path.isdir(args.files[0])
    options = Options(level=level, dims=args.dims, json=args.json, taking_path=as_text and several)
    with progress("looking for files") if not args.quiet else contextlib.nullcontext():
        jobs = list(_jobs(args.files, search))
    if args.fix:
        from .fixing import fix_all

        fix_all((word for word, _ in jobs), level)
    teller = _Teller(args, search)
    every = (check_file(word, options, is_found=is_found) for word, is_found in jobs)
    for told in _with_progress(every, len(jobs), args.quiet):
        teller.tell(told)
    teller.end()
    return worst(teller.codes)


def _words() -> argparse.ArgumentParser:
    words = parser(
        "check",
        "Hold every rule against every desc in session files, or in whatever can be imported, and the tasks of lessons "
        "to account. Of a folder the files that git knows or doesn't ignore are looked at; without FILE that is the "
        "folder you are in.",
        "Exit codes: 0 every desc is valid, 1 one is not, or a task is at fault; 2 nothing is known to be broken, but "
        "a file can't be read, or something in it could not be checked. No option changes the code.",
    )
    what = "a folder, a session file, an example's name, a token, what can be imported, or -"
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
    words.add_argument("--quiet", action="store_true", help="print nothing of valid descs, no count, no progress")
    return words


def _jobs(words: Sequence[str], search: Search) -> Iterator[tuple[str, bool]]:
    """The files to be checked, and whether each was only found: as they are named, those of a folder by their names."""
    from .checking.found_files import shown_path

    seen: set[str] = set()
    for word in words or ["."]:
        if os.path.isdir(word):
            for path in search.below(word):
                if path not in seen:
                    seen.add(path)
                    yield path, True
        elif (path := shown_path(word)) not in seen:
            seen.add(path)
            search.seen += 1
            yield word, False


def _with_progress(every: Iterable[FileTold], count: int, quiet: bool) -> Iterator[FileTold]:
    """What is told of each file; a terminal is told how many are done once that takes longer than a second."""
    started = shown = time.monotonic()
    is_watched = sys.stderr.isatty() and not quiet and count > 1
    is_shown = False
    for done, told in enumerate(every, 1):
        if is_shown:
            sys.stderr.write("\r\x1b[K")
            is_shown = False
        yield told
        now = time.monotonic()
        if is_watched and now - started > 1 and now - shown > 0.1 and done < count:
            sys.stderr.write(f"\r{done:,} of {count:,} files")
            sys.stderr.flush()
            shown, is_shown = now, True


class _Teller:
    """Tells what was found as it comes, or at the end where a format is a whole."""

    def __init__(self, args: argparse.Namespace, search: Search) -> None:
        self._args, self._search = args, search
        self.codes: set[int] = {FINE}
        self._kept: list[FileTold] = []
        self._counts = dict.fromkeys(("holding", "descs", "invalid", "not checked", "waits", "unread"), 0)
        self._is_coloured = sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
        self._as_text = not (args.json or args.github)

    def tell(self, told: FileTold) -> None:
        """Tells of one file."""
        from .checking.as_text import coloured, text_lines

        quiet = self._args.quiet
        self.codes |= told.codes
        self._count(told)
        for sentence in () if quiet and not told.findings else told.says:
            say(sentence)
        if self._as_text:
            for line in text_lines(told, quiet=quiet):
                print(coloured(line) if self._is_coloured else line)
        elif told.says or not told.nothing:
            self._kept.append(told)

    def _count(self, told: FileTold) -> None:
        self._counts["holding"] += bool(told.descs)
        self._counts["descs"] += len(told.descs)
        if told.findings and not told.descs:
            self._counts["not checked" if told.findings[0].is_review else "unread"] += 1
        for desc in told.descs:
            if desc.verdict != "valid":
                self._counts[desc.verdict] += 1

    def end(self) -> None:
        """Prints what a format makes of the whole, and the count."""
        args = self._args
        if args.json:
            from ..formats.json_text import escaped

            whole: dict[str, Any] = {
                "experiments": [desc.json for told in self._kept for desc in told.descs],
                "files": [told.json for told in self._kept],
            }
            print(escaped(json.dumps(whole, ensure_ascii=False, indent=1)))
        elif args.github:
            from .checking.as_github import annotated

            for line in annotated(self._kept):
                print(line)
            self._summarise()
        is_folder = not args.files or any(map(os.path.isdir, args.files))
        if args.quiet or not (is_folder or (self._as_text and len(args.files) > 1)):
            return
        if self._as_text:
            print(self.summary)
        else:
            say(self.summary)

    @property
    def summary(self) -> str:
        """How many files and descs there were: the last line."""
        counts, seen = self._counts, self._search.seen
        told = [f"{counts['holding']:,} with descs", _of(counts["descs"], "desc"), f"{counts['invalid']:,} broken"]
        told += [f"{counts['not checked']:,} not checked"]
        told += [f"{counts['waits']:,} waiting for others"] * bool(counts["waits"])
        told += [f"{_of(counts['unread'], 'file')} could not be read"] * bool(counts["unread"])
        told += ["found by a walk, without git"] * self._search.without_git
        return f"{_of(seen, 'file')}: {', '.join(told)}"

    def _summarise(self) -> None:
        """Adds to the summary of the job that GitHub's runner names a file for. Raises SessionError."""
        from .checking.as_github import summary

        file = os.environ.get("GITHUB_STEP_SUMMARY")
        if file:
            try:
                with open_regular(file, "ab") as out:
                    out.write(summary(self._kept, self.summary).encode(errors="backslashreplace"))
            except (OSError, ValueError) as error:
                raise SessionError(f"GITHUB_STEP_SUMMARY can't be written: {reason_of(error)}.") from None


def _of(count: int, what: str) -> str:
    return f"{count:,} {what}{'s' * (count != 1)}"
