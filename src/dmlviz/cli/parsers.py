"""Parsers of the words after a command. The explorer has none, so that it opens without argparse."""

from __future__ import annotations

import argparse
from typing import Any, NoReturn

from ..errors import SessionError, plain, quote
from ..retired import told

_MOST_DIGITS = 18


class _Parser(argparse.ArgumentParser):
    """Says what is wrong in one sentence, as everything else here does."""

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        for word in args:
            option = word.partition("=")[0]
            is_unknown = option.startswith("--") and option not in self._option_string_actions
            if is_unknown and (said := told(option)):
                raise SessionError(said)
        return super().parse_known_args(args, namespace)

    def error(self, message: str) -> NoReturn:
        raise SessionError(f"{plain(message)}; `{self.prog} --help` lists the options.")


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
        name, _, size = values.rpartition("=")
        if not name:
            raise SessionError(f"--dim is {quote(values)}, expected NAME=N: a free dimension and its size.")
        dims = {**getattr(namespace, self.dest), name: integer(size, f"--dim {quote(name)}", 1, 2**32 - 1)}
        setattr(namespace, self.dest, dims)


def add_file(words: argparse.ArgumentParser, **how: Any) -> None:
    """Adds FILE, which a command reads whatever holds it, and `--dim` for a model."""
    words.add_argument("file", metavar="FILE", help="a file, an example's name, a token, or - for stdin", **how)
    add_dim_option(words)


def add_named_file(words: argparse.ArgumentParser, **how: Any) -> None:
    """Adds FILE, which has to be there for longer than standard input."""
    words.add_argument("file", metavar="FILE", type=_named, help="a file, an example's name, or a token", **how)


def _named(word: str) -> str:
    if word == "-":
        raise argparse.ArgumentTypeError("standard input can't be read again, expected a file's name")
    return word


def add_dim_option(words: argparse.ArgumentParser) -> None:
    """Adds `--dim NAME=N`, which may be given again; `dims` of the words that are parsed holds all of them."""
    words.add_argument(
        "--dim",
        dest="dims",
        action=_TakeDim,
        default={},
        metavar="NAME=N",
        help="the size of a free dimension of an ONNX model, by its name or as INPUT:AXIS=N; may be repeated",
    )


def add_force(words: argparse.ArgumentParser) -> None:
    words.add_argument("--force", action="store_true", help="replace existing files")
