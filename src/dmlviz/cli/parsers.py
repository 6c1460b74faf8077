"""Parsers of the words after a command. The explorer has none, so that it opens without argparse."""

from __future__ import annotations

import argparse
import os
from pathlib import Path
from typing import Any, NoReturn

from ..errors import SessionError, plain, quote
from ..retired import told

_MOST_SIZE = 2**32 - 1
_MOST_DIGITS = 18


class _Parser(argparse.ArgumentParser):
    """Says what is wrong in one sentence, as everything else here does."""

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        for word in args:
            option = word.partition("=")[0]
            is_unknown = option.startswith("--") and option not in self._option_string_actions
            if is_unknown and (sentence := told(option)):
                raise SessionError(sentence)
        return super().parse_known_args(args, namespace)

    def error(self, message: str) -> NoReturn:
        raise SessionError(f"{plain(message)}; `{self.prog} --help` tells what is expected.")


def parser(name: str, about: str, epilog: str = "") -> argparse.ArgumentParser:
    """A parser for a command. It raises SessionError for what it doesn't expect."""
    how = argparse.RawDescriptionHelpFormatter
    return _Parser(f"dmlviz {name}", description=about, epilog=epilog, formatter_class=how, allow_abbrev=False)


def integer(word: str, name: str, least: int, most: int) -> int:
    """The integer that an option's word says. Raises SessionError, which calls the option `name`."""
    digits = word.removeprefix("-")
    if digits.isascii() and digits.isdecimal() and len(digits) <= _MOST_DIGITS and least <= int(word) <= most:
        return int(word)
    raise SessionError(f"{name} is {quote(word)}, expected an integer of {least:,} to {most:,}.")


class _TakeDim(argparse.Action):
    """Adds `NAME=N` to the sizes so far."""

    def __call__(self, parser: Any, namespace: Any, values: Any, option_string: str | None = None) -> None:
        name, mark, size = values.rpartition("=")
        if not mark or not name or not (size.isascii() and size.isdecimal() and len(size) <= 10):
            raise SessionError(f"--dim is {quote(values)}, expected NAME=N: a free dimension and its size.")
        if not 1 <= int(size) <= _MOST_SIZE:
            raise SessionError(f"--dim {quote(name)} is {int(size)}, expected a size of 1 to {_MOST_SIZE:,}.")
        dims = dict(getattr(namespace, self.dest))
        if dims.setdefault(name, int(size)) != int(size):
            raise SessionError(f"--dim {quote(name)} is both {dims[name]} and {int(size)}, expected one size.")
        setattr(namespace, self.dest, dims)


def add_file(words: argparse.ArgumentParser, **how: Any) -> None:
    """Adds FILE, which a command reads whatever holds it, and `--dim` for a model."""
    help_ = "a session file, an example's name, a token, what can be imported, or -"
    words.add_argument("file", metavar="FILE", help=help_, **how)
    add_dim_option(words)


def add_dim_option(words: argparse.ArgumentParser) -> None:
    """Adds `--dim NAME=N`, which may be given again; `dims` of the words that are parsed holds all of them."""
    words.add_argument(
        "--dim",
        dest="dims",
        action=_TakeDim,
        default={},
        metavar="NAME=N",
        help="the size of a free dimension of an ONNX model, by its name or as INPUT:AXIS=N; may be given again",
    )


def add_hand_in_options(words: argparse.ArgumentParser) -> None:
    """Adds `--hand-in F` and `--as NAME`."""
    words.add_argument("--hand-in", metavar="F", help="write the answers to F at the end, to be handed in")
    words.add_argument("--as", dest="name", default="", metavar="NAME", help="whose answers F says these are")


def file_to_hand_in(args: argparse.Namespace) -> Path | None:
    """The file of `--hand-in`, with a tidy name in `args`; None without it. Raises SessionError for no place."""
    from ..teaching.progress.hand_ins import free_for_hand_in, name_of, tidied

    if args.hand_in is None:
        if args.name:
            raise SessionError("--as is given without --hand-in, expected --hand-in F too.")
        return None
    args.name = tidied(name_of(args.name, "--as"))
    file = Path(args.hand_in)
    if os.path.isdir(file) or not os.path.isdir(file.parent):  # Path's own raise where they can't look
        raise SessionError(f"--hand-in is {quote(args.hand_in)}, expected a file in a folder that there is.")
    return free_for_hand_in(file)
