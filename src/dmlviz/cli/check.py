"""`dmlviz check`: every rule held against every desc in files and folders, told to people or to programs."""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import SessionError, plain, reason_of
from .parsers import add_dim_option, parser
from .shared import FINE, progress, say, worst

if TYPE_CHECKING:
    from .checking.findings import FileTold
    from .checking.found_files import Search
    from .checking.one_file import Options
    from .checking.side_by_side import Job

FORMATS = ("text", "concise", "json", "sarif", "github")


def run(argv: list[str]) -> int:
    """Checks the experiments of every file that is named or found."""
    args = _words().parse_args(_with_number(argv))
    if args.json:
        if args.format not in (None, "json"):
            raise SessionError(f"--json is given beside --format {args.format}, expected one of them.")
        args.format = "json"
    if args.fix is not None and args.fix < 0:
        raise SessionError(f"--fix is {args.fix}, expected the number of a fix from 1, or nothing.")
    if args.diff and (args.format or args.output):
        raise SessionError("--diff is given beside --format or -o, expected it without: it prints a patch.")
    args.format = args.format or "text"
    from .checking.found_files import Search
    from .checking.side_by_side import check_all

    options, search = _options(args), Search(args.exclude)
    with progress("looking for files") if not args.quiet else contextlib.nullcontext():
        jobs = list(_jobs(args, search))
    if args.output and os.path.realpath(args.output) in {
        os.path.realpath(job.word) for job in jobs if not job.is_found
    }:
        raise SessionError(f"-o is {plain(args.output)}, which is checked itself, expected another file.")
    if args.fix is not None or args.diff:
        from .fixing import fix_all

        fix_all((job.word for job in jobs), options)
    if args.diff:
        return worst({FINE, *(code for told in check_all(jobs, options) for code in _told_of(told))})
    teller = _Teller(args, search)
    for told in _with_progress(check_all(jobs, options), len(jobs), args.quiet):
        teller.tell(told)
    teller.end()
    return worst(teller.codes)


def _with_number(argv: list[str]) -> list[str]:
    """The words, of which one behind `--fix` that is no number is a file."""
    after = [*argv[1:], ""]
    return [f"{word}=0" if word == "--fix" and not after[i].isdecimal() else word for i, word in enumerate(argv)]


def _told_of(told: FileTold) -> frozenset[int]:
    """The exit codes for a file of which only what can't be read is told."""
    for sentence in told.says:
        say(sentence)
    return told.codes


def _words() -> argparse.ArgumentParser:
    words = parser(
        "check",
        "Hold every rule against every desc in session files, or in whatever can be imported, and the tasks of lessons "
        "to account. Of a folder the files that git knows or doesn't ignore are looked at; without FILE that is the "
        "folder you are in.",
        "Exit codes: 0 every desc is valid, 1 one is not, or a task is at fault; 2 nothing is known to be broken, but "
        "a file can't be read, or something in it could not be checked. No format changes the code.",
    )
    what = "a folder, a session file, an example's name, a token, what can be imported, or -"
    words.add_argument("files", metavar="FILE", nargs="*", help=what)
    add_dim_option(words)
    words.add_argument("--level", metavar="L", help="check at this feature level, such as 5_0, whatever the file says")
    words.add_argument("--format", choices=FORMATS, help="how to print it; text if left out")
    words.add_argument("--json", action="store_true", help="print every check, passed ones too: --format json")
    words.add_argument("-o", dest="output", metavar="F", help="write the format to F, and text to the terminal")
    words.add_argument(
        "--errors-only",
        action="store_true",
        help="print broken rules, tasks' faults and what could not be checked: no warning, note, or check that holds "
        "or waits",
    )
    words.add_argument(
        "--fix",
        type=int,
        metavar="[N]",
        help="write the first fix that loses nothing of each broken rule, or without loss the N-th, into session files "
        "and DxDispatch models, then check them",
    )
    words.add_argument("--diff", action="store_true", help="print what --fix would change, of C++ too; write nothing")
    words.add_argument("--quiet", action="store_true", help="print nothing of valid descs, no count, no progress")
    for word, what in (("--select", "alone counts"), ("--ignore", "doesn't count")):
        help_ = f"this rule, group or operator {what} (repeatable)"
        words.add_argument(word, action="append", metavar="ID", default=[], help=help_)
    words.add_argument(
        "--fail-on", choices=("error", "warning", "note"), default="error", help="what makes the exit code 1"
    )
    words.add_argument("--allow-unchecked", action="store_true", help="exit 0 though something could not be checked")
    words.add_argument(
        "--exclude", action="append", metavar="GLOB", default=[], help="leave out what fits below folders (repeatable)"
    )
    words.add_argument("--force-exclude", action="store_true", help="leave out named files that --exclude fits, too")
    words.add_argument("--found", action="store_true", help="be silent of named files that hold nothing, as of found")
    return words


def _options(args: argparse.Namespace) -> Options:
    """What the words say of each file. Raises DmlvizError."""
    from ..desc.levels import FeatureLevel
    from .checking.one_file import Options

    machine = "text" if args.output else args.format
    return Options(
        level=FeatureLevel.of(args.level) if args.level is not None else None,
        dims=args.dims,
        errors_only=args.errors_only,
        json=args.format == "json",
        mends=args.format == "sarif",
        selected=_ids("--select", args.select) if args.select else None,
        ignored=_ids("--ignore", args.ignore),
        fail_on=args.fail_on,
        allow_unchecked=args.allow_unchecked,
        fix=args.fix or None,
        diff=args.diff,
        taking_path=machine == "text" and (len(args.files) != 1 or os.path.isdir(args.files[0])),
    )


def _ids(option: str, words: Sequence[str]) -> frozenset[str]:
    """The rules that words name, several parted by commas. Raises DmlvizError for one that names none."""
    from ..session import rules_told
    from .checking.findings import NOT_CHECKED

    named = [word for several in words for word in several.split(",") if word]
    if words and not named:  # nobody shall believe that all rules were held
        raise SessionError(f"{option} names no rule, expected at least one; `dmlviz rule` lists them.")
    return frozenset(
        id_ for word in named for id_ in ([NOT_CHECKED] if word == NOT_CHECKED else rules_told.named(word))
    )


def _jobs(args: argparse.Namespace, search: Search) -> Iterator[Job]:
    """The files to be checked, in order: as they are named, those below a folder by their names, each once."""
    from .checking import found_files
    from .checking.side_by_side import Job

    seen: set[str] = set()
    for word in args.files or ["."]:
        if os.path.isdir(word):
            for path in search.below(word):
                if path not in seen:
                    seen.add(path)
                    yield Job(path, True)
        elif args.force_exclude and found_files.is_excluded(found_files.shown_path(word), args.exclude):
            continue
        elif (path := found_files.shown_path(word)) not in seen:
            seen.add(path)
            search.seen += 1
            is_found = args.found and os.path.lexists(word)
            if not is_found or found_files.may_hold(word):
                yield Job(word, is_found)


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
        self._as_text = args.format == "text" or bool(args.output)
        self._keeps = args.format not in ("text", "concise") or bool(args.output)

    def tell(self, told: FileTold) -> None:
        """Tells of one file."""
        from .checking import as_text

        args = self._args
        self.codes |= told.codes
        self._count(told)
        if self._keeps and (told.says or not told.nothing):
            self._kept.append(told)
        is_told = {finding.message for finding in told.findings} if args.format == "concise" else set()
        for sentence in () if args.quiet and not told.findings else told.says:
            if not any(sentence.endswith(message) for message in is_told):
                say(sentence)
        if self._as_text:
            for line in as_text.text_lines(told, quiet=args.quiet):
                print(as_text.coloured(line) if self._is_coloured else line)
        elif args.format == "concise":
            for line in as_text.concise_lines(told):
                print(line)

    def _count(self, told: FileTold) -> None:
        self._counts["holding"] += bool(told.descs)
        self._counts["descs"] += len(told.descs)
        if told.findings and not told.descs:
            self._counts["not checked" if told.findings[0].is_review else "unread"] += 1
        for desc in told.descs:
            if desc.verdict != "valid":
                self._counts[desc.verdict] += 1

    def end(self) -> None:
        """Writes or prints what a format makes of the whole, and the count."""
        args = self._args
        if args.output:
            try:
                from ..session.whole_files import write_whole

                write_whole(Path(args.output), self._whole().encode(errors="backslashreplace"))
            except (OSError, ValueError) as error:
                raise SessionError(f"{plain(args.output)} can't be written: {reason_of(error)}.") from None
        elif args.format not in ("text", "concise"):
            sys.stdout.write(self._whole())
        if args.format == "github":
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

    def _whole(self) -> str:
        """What the format makes of all files."""
        args, kept = self._args, self._kept
        if args.format == "json":
            from ..formats.json_text import escaped

            whole: dict[str, Any] = {
                "experiments": [desc.json for told in kept for desc in told.descs],
                "files": [told.json for told in kept],
            }
            return f"{escaped(json.dumps(whole, ensure_ascii=False, indent=1))}\n"
        if args.format == "sarif":
            from .checking.as_sarif import sarif

            return "".join(sarif(kept, worst(self.codes)))
        from .checking import as_github, as_text

        if args.format == "github":
            lines = list(as_github.annotated(kept))
        else:
            told_lines = as_text.concise_lines if args.format == "concise" else as_text.text_lines
            lines = [line for told in kept for line in told_lines(told)]
        return "".join(f"{line}\n" for line in lines)

    def _summarise(self) -> None:
        """Adds to the summary of the job that GitHub's runner names a file for. Raises SessionError."""
        from .checking.as_github import summary

        file = os.environ.get("GITHUB_STEP_SUMMARY")
        if file:
            try:
                with open(file, "a", encoding="utf-8", errors="backslashreplace") as out:
                    out.write(summary(self._kept, self.summary))
            except (OSError, ValueError) as error:
                raise SessionError(f"GITHUB_STEP_SUMMARY can't be written: {reason_of(error)}.") from None


def _of(count: int, what: str) -> str:
    return f"{count:,} {what}{'s' * (count != 1)}"
