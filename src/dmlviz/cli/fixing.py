"""`dmlviz check --fix` and `--diff`: fixes that lose nothing, written into the files that descs were read from.

Session files and DxDispatch models are written, whole or not at all. What is written was read again before: it holds
the desc that the fix says, the rule holds, and nothing else has changed. C++ is shown as a diff alone.
"""

from __future__ import annotations

import difflib
import os
import re
import shlex
import stat
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

from msgspec import Struct, field

from .. import opening
from ..desc.base import Desc
from ..errors import DmlvizError, plain, quote
from ..formats.json_edits import Edit, applied
from ..importers.lib import importing
from ..importers.lib.pasted_text import has_dumps
from ..operators.report import Cause, Fix, Report
from ..session.experiments import Session
from ..session.fix_edits import JsonSource
from ..session.reading import read_file
from ..session.tokens import is_token
from ..session.whole_files import digest, digest_of, write_whole
from .checking.one_file import Options
from .shared import progress, say

BOM = b"\xef\xbb\xbf"


class Mended(Struct):
    """A file with fixes made in its text, and what there is to say of it."""

    shown: str
    path: Path
    before: str
    after: str
    seen: str
    """A digest of what the file held."""
    done: list[str] = field(default_factory=list)
    """What was made of each desc."""
    left: list[str] = field(default_factory=list)
    """What was not, and why."""
    is_shown_only: bool = False
    """True for C++, which is never written."""
    mark: bytes = b""
    """The byte order mark that it begins with."""

    def write(self) -> None:
        """Writes the file whole. Raises DmlvizError, with one sentence, where it is left as it is."""
        why = _why_left(self.path)
        if not why and digest_of(self.path) != self.seen:
            why = "it has changed since it was read"
        if why:
            raise DmlvizError(f"{self.shown} is left as it is: {why}.")
        try:
            write_whole(self.path, self.mark + self.after.encode())
        except OSError as error:
            raise DmlvizError(f"{self.shown} can't be written: {error.strerror or error}.") from None

    def diff(self) -> str:
        """What has changed, as `patch -p1` and `git apply` take it."""
        name = plain(self.shown).lstrip("/")
        name += "\t" * (" " in name)  # which ends it, as git writes it too
        lines = difflib.unified_diff(_lines(self.before), _lines(self.after), f"a/{name}", f"b/{name}")
        return "".join(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines)


def _lines(text: str) -> list[str]:
    return re.findall(r"[^\n]*\n|[^\n]+", text)


def _why_left(path: Path) -> str:
    """Why a file isn't written, as the end of a sentence; "" for one that is."""
    try:
        found = path.lstat()
    except OSError as error:
        return f"it can't be read any more, {error.strerror or error}"
    if stat.S_ISLNK(found.st_mode):
        return "it is a link to another file"
    if found.st_nlink > 1:
        return "it has another name, a hard link"
    if not found.st_mode & 0o222 or not os.access(path, os.W_OK):
        return "it is read-only"
    return ""


def fix_all(words: Iterable[str], options: Options) -> None:
    """Writes fixes into the files that words name, and says so on stderr; or prints what would change."""
    for word in words:
        example = opening.example_of(word) if word != "-" and not is_token(word) else None
        if word == "-" or is_token(word) or (example is not None and not options.diff):
            shown = "standard input" if word == "-" else f"the example {example.name}" if example else "the token"
            say(f"{shown} is left as it is: it is no file of yours.")
            continue
        try:
            with progress(f"fixing {plain(word)}"):
                found = mended(example.path if example is not None else Path(word), options)
        except DmlvizError:
            continue  # the check tells why
        if found is not None:
            found.shown = f"{example.name}.json" if example is not None else found.shown
            _tell(found, options)


def _tell(found: Mended, options: Options) -> None:
    if not options.diff and found.after != found.before:
        try:
            found.write()
        except DmlvizError as error:
            found.left.insert(0, str(error))
        else:
            for sentence in found.done:
                say(sentence)
    elif found.after != found.before:
        text = found.diff()
        if sys.stdout.isatty():
            text = "".join(c if c.isprintable() or c in "\t\n" else "\N{REPLACEMENT CHARACTER}" for c in text)
        sys.stdout.write(text)
    for sentence in found.left:
        say(sentence)


def mended(path: Path, options: Options) -> Mended | None:
    """A file with a fix of each broken rule made, one after the other; None for a file without a broken desc.

    Raises DmlvizError where nothing can be read.
    """
    data, shown, folder = read_file(path)
    mark = BOM if data.startswith(BOM) else b""
    mender = _Mender(shown, folder, options)
    state = mender.read(data)
    if not any(state.report(i).errors for i in range(len(state.session.experiments))):
        return None
    kind = getattr(importing.source_of(data, shown), "__name__", "").split(".")
    found = Mended(
        shown=shown, path=path, before="", after="", seen=digest(data), mark=mark, is_shown_only="cpp" in kind
    )
    if not {"session", "dxdispatch", *(["cpp"] if options.diff else [])} & {*kind}:
        why = "C++ is never written, `--diff` shows it" if "cpp" in kind else "no session file and no DxDispatch model"
        if has_dumps(data):
            why = f"a log; `dmlviz import {shlex.quote(str(path))} -o s.json` makes a session of it, which --fix writes"
        found.left.append(f"{shown} is left as it is: {why}.")
        return found
    try:
        found.before = found.after = data.removeprefix(mark).decode()
    except UnicodeDecodeError:
        found.left.append(f"{shown} is left as it is: it is not UTF-8.")
        return found
    found.after = mender.mend(state, found).text
    return found


class _Step(Struct, frozen=True, kw_only=True):
    """A fix that is to be made."""

    key: tuple[int, str, str]
    """The number of the experiment, and the id and the field of the rule that it breaks."""
    where: str
    cause: Cause
    fix: Fix
    edits: list[Edit] | None
    """None for C++, whose literals are to be found."""

    @property
    def number(self) -> int:
        return self.key[0]


class _State(Struct):
    """A text, and what is read of it."""

    text: str
    session: Session
    places: Any
    unchecked: int
    """How many things in it are held against no rule."""
    reports: dict[int, Report] = field(default_factory=dict)
    """Of the experiments that were checked, by number."""

    def report(self, i: int) -> Report:
        """The report of experiment `i`, of which each is made once."""
        if i not in self.reports:
            self.reports[i] = self.session.experiments[i].check(self.session)
        return self.reports[i]

    def trouble(self, i: int) -> int:
        """How many checks of experiment `i` fail or wait for others."""
        return len(self.report(i).errors) + len(self.report(i).waiting)


class _Mender:
    """Makes fixes in the text of one file."""

    def __init__(self, shown: str, folder: Path, options: Options) -> None:
        self._shown, self._folder, self._options = shown, folder, options

    def read(self, data: bytes) -> _State:
        """What a file's bytes hold. Raises DmlvizError."""
        found = importing.read(data, self._shown, self._folder, self._options.dims)
        experiments = found.experiments
        if (level := self._options.level) is not None:
            experiments = tuple(replace(one, feature_level=level) for one in experiments)
        unchecked = sum(remark.unchecked for remark in found.remarks)
        text = data.decode("utf-8-sig", "replace")
        return _State(text, Session(experiments, folder=self._folder), found.places, unchecked)

    def mend(self, state: _State, told: Mended) -> _State:
        """The state after all fixes; what was made and what wasn't is added to `told`.

        The next fixes of all descs are made at once, and of half of them where that doesn't come out as it should.
        Each leaves fewer checks that fail or wait, so it ends.
        """
        left: dict[tuple[int, str, str], str] = {}
        done: list[tuple[int, str]] = []
        while steps := [*self._steps(state, told.is_shown_only, left)]:
            while True:
                try:
                    state = self._after(state, steps)
                except DmlvizError as error:
                    if len(steps) == 1:
                        left[steps[0].key] = f"{steps[0].where}: {steps[0].cause.first.id}: {error}"
                        break
                    steps = steps[: len(steps) // 2]
                else:
                    done += [(step.number, f"{step.where}: fixed: {step.fix.text}") for step in steps]
                    break
        told.done += [sentence for _, sentence in sorted(done, key=lambda one: one[0])]
        told.left += dict.fromkeys(left[key] for key in sorted(left, key=lambda key: key[0]))
        return state

    def _steps(self, state: _State, is_cpp: bool, left: dict[tuple[int, str, str], str]) -> Iterator[_Step]:
        """The next fix of each desc; of C++ of the first. Why there is none of a broken rule is added to `left`."""
        source = None if is_cpp else JsonSource(state.text, state.session, state.places)
        for i, experiment in enumerate(state.session.experiments):
            where = f"{self._shown}: experiment {quote(experiment.name)}"
            for cause in state.report(i).broken:
                key = i, cause.first.id, cause.first.field
                if key in left or not self._options.counts(cause.first.id):
                    continue
                try:
                    fix = self._chosen(cause)
                    edits = source.edits(i, fix) if source is not None else None
                except DmlvizError as error:
                    left[key] = f"{where}: {cause.first.id}: {error}"
                    continue
                yield _Step(key=key, where=where, cause=cause, fix=fix, edits=edits)
                if is_cpp:
                    return
                break

    def _chosen(self, cause: Cause) -> Fix:
        """The fix of a broken rule that is asked for. Raises DmlvizError where none may be made."""
        fixes, number = cause.first.fixes, self._options.fix
        if not fixes:
            raise DmlvizError("no edit that was tried mends it, so it is left.")
        if number is None:
            number = next((k for k, fix in enumerate(fixes, 1) if not fix.loses), 1)
        if number > len(fixes):
            raise DmlvizError(f"it has no fix {number}, only {len(fixes)}, so it is left.")
        fix = fixes[number - 1]
        if fix.loses:
            raise DmlvizError(f"fix {number} loses {fix.loses}, so it is left.")
        return fix

    def _after(self, state: _State, steps: Sequence[_Step]) -> _State:
        """The state after fixes. Raises DmlvizError where the text that comes of them doesn't hold what was meant."""
        edits = sorted(edit for step in steps for edit in step.edits or ())
        if any(one.end > other.start for one, other in pairwise(edits)):
            raise DmlvizError("its fix reaches into another one, so it is left.")
        text = applied(state.text, edits) if edits else self._literals(state, steps[0].number, steps[0].fix)
        after = self.read(text.encode())
        self._verify(state, after, steps)
        return after

    def _literals(self, state: _State, i: int, fix: Fix) -> str:
        """C++ with other literals. Raises DmlvizError where none say what a fix changes."""
        from ..importers.cpp.literals import with_literals

        old = state.session.experiments
        i = next((k for k, one in enumerate(old) if one.name == fix.at), i)
        if fix.feature_level is not old[i].feature_level:
            raise DmlvizError("no literal of C++ says the feature level, so no diff is shown.")

        def read(text: str) -> Desc | None:
            try:
                new = self.read(text.encode()).session.experiments
            except DmlvizError:
                return None
            alike = len(new) == len(old) and all(new[k].desc == one.desc for k, one in enumerate(old) if k != i)
            return new[i].desc if alike else None

        return with_literals(state.text, old[i].desc, fix.desc, read)

    def _verify(self, before: _State, after: _State, steps: Sequence[_Step]) -> None:
        """Raises DmlvizError unless fixes have done what they say, and nothing else."""
        old, new = before.session.experiments, after.session.experiments
        wanted = [(one.desc, one.feature_level) for one in old]
        for step in steps:
            names = [one.name for one in old]
            changed = step.number if step.fix.at is None else names.index(step.fix.at)
            wanted[changed] = step.fix.desc, step.fix.feature_level
            for name, desc in step.fix.also:
                wanted[names.index(name)] = desc, old[names.index(name)].feature_level
        if [(one.desc, one.feature_level) for one in new] != wanted:
            raise DmlvizError("its fix can't be written here without changing something else, so it is left.")
        numbers = {step.number for step in steps}
        if not any(one.is_wired for one in new):  # the others are as they were
            after.reports |= {k: report for k, report in before.reports.items() if k not in numbers}
        concerned = numbers | {k for k, one in enumerate(new) if one.is_wired}
        is_worse = any(after.trouble(k) - before.trouble(k) > -(k in numbers) for k in concerned)
        broken = {(step.number, check.id, check.field) for step in steps for check in after.report(step.number).errors}
        mended = {(step.number, check.id, check.field) for step in steps for check in step.cause.checks}
        if is_worse or mended & broken or after.unchecked > before.unchecked:
            raise DmlvizError("its fix would leave something else that doesn't fit, so it is left.")
        for experiment, other in zip(old, new, strict=True):
            inputs = {part.path for part in other.desc.inputs}
            if lost := [path for path in experiment.values if path in inputs and path not in other.values]:
                raise DmlvizError(f"its fix would lose the values of {', '.join(lost)}, so it is left.")
