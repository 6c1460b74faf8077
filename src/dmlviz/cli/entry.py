"""The entry: what the words on the command line ask for, and the exit code."""

from __future__ import annotations

import difflib
import importlib
import io
import os
import re
import sys
import traceback
from collections.abc import Callable, Mapping, Sequence
from keyword import iskeyword
from typing import Any, NoReturn, cast

from ..errors import DmlvizError, FaultError, SessionError, plain, quote
from ..retired import told
from ..version import __version__
from .shared import FAULT, FINE, UNREADABLE, count_of, drop, say, say_plainly

HELP = """\
usage: dmlviz [FILE | EXAMPLE | TOKEN | -]
       dmlviz COMMAND ...

See where every element of a DirectML operator goes, and why a desc is rejected.

  dmlviz                       open the explorer on the last session, or on an example
  dmlviz lesson.json           open a session file; - reads it from standard input
  dmlviz join-1                open an example, if no file has this name; all commands take examples, too
  dmlviz dml1:...              open what a shared token holds
  dmlviz model.onnx            open what can be imported: C++, DxDispatch, ONNX, NumPy and PyTorch calls

commands:
  examples [NAME]              list the examples that come with dmlviz, or print one as a session file
  check [FILE...] [--level L]  check every desc in files and folders; exit with 1 if one is invalid
  rule [ID]                    explain a rule, with a desc that violates it; or list the rules
  run FILE                     compute the outputs with the compiled kernels, and time them
  export FILE --to TARGET      export to another program: NumPy, PyTorch, ONNX, C++ and more; -o F writes a file
  import FILE... [-o F]        make a session file of C++, DxDispatch, ONNX, NumPy and PyTorch calls, tokens
  header                       print a C++ header that prints the descs that CreateOperator rejects
  record FILE [--to F] [-o F]  make a page of the steps, or pictures: html, svg, png, gif
  same FILE A B                say whether two experiments, each with all it reads, are equivalent
  explain FILE                 describe the picture and the steps in words
  learn [FILE] [--lesson NAME] open the course: seven lessons, 25 puzzles and one for each related operator
  present FILE [--notes]       show a session to a class, by page down alone; --notes is the presenter view
  class FILE [--save F]        present a session, and let students answer on their phones
  quiz FILE                    ask questions about the experiments, answered on standard input
  progress [--export F]        show the answers so far; hand them in, forget them, or make tables for a class
  bench FILE [-o F]            time the kernels next to NumPy, a naive loop and memcpy
  serve [FILE] [--port N]      open the same explorer in a browser tab

options:
  --warm                       compile every kernel now and keep it, so that no first use waits
  --version                    print the version
  --help                       print this

`dmlviz COMMAND --help` has the options of each. To open a file with a command's name, write ./check.
Exit codes: 0 fine, 1 a desc or a task is invalid, 2 wrong usage or an unreadable file, 70 an internal error.
"""
NAMES = (
    *("examples", "check", "rule", "run", "export", "import", "header", "record", "same", "explain"),
    *("learn", "present", "class", "quiz", "progress", "bench", "serve"),
)
COMMANDS: Mapping[str, str] = {name: f"{name}_" if iskeyword(name) else name for name in NAMES}
"""The module of each command; its `run` takes the words after the command's name and returns the exit code."""


def main(argv: Sequence[str] | None = None) -> NoReturn:
    """Runs the command line and exits with its code."""
    _open_closed_streams()
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # no name in a session may break printing
            encoding = None if stream.isatty() else "utf-8"
            stream.reconfigure(errors="backslashreplace", encoding=encoding)
    code: Any
    try:
        try:
            code = dispatch(list(sys.argv[1:] if argv is None else argv))
        except SystemExit as done:  # argparse printed help
            code = done.code
        sys.stdout.flush()
    except DmlvizError as error:
        say(str(error))
        code = UNREADABLE
    except KeyboardInterrupt:
        code = 130
    except MemoryError:
        say("memory ran out, expected more of it or a smaller session.")
        code = UNREADABLE
    except BrokenPipeError:  # whoever read the output has enough
        drop(sys.stdout)
        code = FINE
    except OSError as error:
        say(f"standard output can't be written: {error.strerror or error}.")
        drop(sys.stdout)
        code = UNREADABLE
    except Exception as error:
        say(_about_fault(error))
        code = FAULT
    sys.exit(code)


def _about_fault(error: Exception) -> str:
    """One sentence about a fault of dmlviz's own. Its details go to a file; where there can be none, to stderr."""
    fault: BaseException | None = error
    kept = ""
    if isinstance(error, FaultError):
        fault = error.__cause__
        kept = f"{error}; " if str(error) else ""
    told = f"{type(fault).__name__} is an internal error, and doesn't mean that the files are wrong; {kept}"
    details = f"dmlviz {__version__}, Python {sys.version}, {sys.platform}\n\n"
    details += "".join(traceback.format_exception(fault))
    try:
        from ..session.whole_files import state_folder, write_whole

        file = state_folder() / "fault.txt"
        file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        write_whole(file, details.encode(errors="backslashreplace"))
    except (OSError, RuntimeError):  # RuntimeError: nobody knows the user's own folder
        say_plainly(details)
        return f"{told}its details are above."
    return f"{told}its details are in {plain(str(file))}."


def _open_closed_streams() -> None:
    """Opens standard streams that the caller has closed, leading nowhere: the exit code still tells."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:  # each gets its own number, the lowest that is free
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115


def dispatch(argv: list[str]) -> int:
    """Runs a command, an option, or the explorer, as the words ask; gives the exit code."""
    if argv and argv[0] in COMMANDS:
        return _run_command(COMMANDS[argv[0]], argv[1:])
    if any(word in ("-h", "--help") for word in argv):
        print(HELP, end="")
        return FINE
    if "--version" in argv:
        print(f"dmlviz {__version__}")
        return FINE
    if argv[:1] == ["--warm"]:
        if len(argv) > 1:
            raise SessionError(f"--warm has {count_of(len(argv) - 1, 'argument')}, expected none.")
        return _run_command("warm", [])
    gone = told(f"dmlviz {argv[0]}") if argv else ""
    if gone and not os.path.lexists(argv[0]):
        raise SessionError(gone)
    for word in argv:
        if word.startswith("-") and word != "-":
            wrong = f"{plain(word)} is no option here"
            known = "--help, --version or --warm"
            raise SessionError(told(word) or f"{wrong}, expected {known}.")
    if len(argv) > 1:
        both = f"found {quote(argv[0])} and {quote(argv[1])}"
        known = ", ".join(COMMANDS)
        raise SessionError(f"{both}, expected one file, or one of {known} first.")
    word = argv[0] if argv and re.fullmatch(r"[A-Za-z]{1,20}", argv[0]) and not os.path.lexists(argv[0]) else ""
    if near := difflib.get_close_matches(word, COMMANDS, 1, 0.75):
        from ..session.examples import by_name

        if word not in by_name():
            raise SessionError(f"{word}: no such file, expected a file or a command; did you mean {near[0]}?")
    return _run_command("explore", argv)


def _run_command(module: str, words: list[str]) -> int:
    """Runs a command; its module is imported now, so that none waits for what another needs."""
    command = importlib.import_module(f"{__package__}.{module}")
    return cast(Callable[[list[str]], int], command.run)(words)
