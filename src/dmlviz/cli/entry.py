"""The command line: stdout is data, stderr is talk, exit codes are an API.

0 is fine; 1: a desc is invalid; 2: usage, or a file that can't be read as a session.
"""

from __future__ import annotations

import contextlib
import gc
import json
import os
import signal
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from ..errors import DmlvizError, SessionError, plain, quote
from ..version import __version__
from .shared import FINE, INVALID, UNREADABLE, progress, read, say
from .shared import parser as parser_for

if TYPE_CHECKING:
    from ..opening import Found

HELP = """\
usage: dmlviz [FILE | TOKEN | -]
       dmlviz COMMAND ...

See where every element of a DirectML operator goes, and why a desc is refused.

  dmlviz                       open the explorer on the last session, or on an example
  dmlviz lesson.json           open a session file; - reads it from standard input
  dmlviz dml1:...              open what a shared token holds
  dmlviz model.onnx            open what can be imported: C++, DxDispatch, ONNX, NumPy and PyTorch calls

commands:
  examples [NAME]              list the examples that come with dmlviz; print one as a session file
  check FILE... [--level L]    hold every rule against every desc; exit 1 if one is invalid
  run FILE                     compute the outputs on the compiled kernels, with timing
  export FILE --to TARGET      print it for another program: NumPy, PyTorch, ONNX, C++ and more; -o F writes a file
  import FILE... [-o F]        make a session file of C++, DxDispatch, ONNX, NumPy and PyTorch calls, tokens
  explain FILE                 tell the picture and the steps in words
  bench [FILE | --grid G]      time the kernels beside NumPy, PyTorch and ONNX Runtime
  serve [FILE] [--port N]      the same explorer in a browser tab

options:
  --warm                       compile every kernel now and keep it, so that no first use waits
  --version                    print the version
  --help                       print this

try:
  dmlviz examples gather-2 > lesson.json
  dmlviz check lesson.json
  dmlviz run lesson.json
  dmlviz lesson.json

`dmlviz COMMAND --help` tells more of each. A file called like a command is opened as ./check.
Exit codes: 0 fine, 1 a desc is invalid, 2 wrong usage or a file that is no session.
"""


def main(argv: Sequence[str] | None = None) -> NoReturn:
    """Runs the command line and exits with its code."""
    sys.set_int_max_str_digits(100_000)  # sizes of thousands of digits are held, checked and told too
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")  # no name in a session may break printing
            if stream is sys.stdout and not stream.isatty():
                stream.reconfigure(encoding="utf-8")  # data, which `check -` and others read
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
        _drop_output()
        code = FINE
    except OSError as error:
        say(f"standard output can't be written: {error.strerror or error}.")
        _drop_output()
        code = UNREADABLE
    sys.exit(code)


def _drop_output() -> None:
    """What is buffered for standard output must not fail again at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def dispatch(argv: list[str]) -> int:
    commands: dict[str, Callable[[list[str]], int]] = {
        "examples": _examples,
        "check": _check,
        "run": _run,
        "export": _export,
        "import": _import,
        "explain": _explain,
        "bench": _bench,
        "serve": _serve,
    }
    if argv and argv[0] in commands:
        return commands[argv[0]](argv[1:])
    if any(word in ("-h", "--help") for word in argv):
        print(HELP, end="")
        return FINE
    if "--version" in argv:
        print(f"dmlviz {__version__}")
        return FINE
    if argv == ["--warm"]:
        return _warm()
    for word in argv:
        if word == "--warm":
            raise SessionError(f"--warm stands alone, found {len(argv) - 1} more beside it.")
        if word.startswith("-") and word != "-":
            raise SessionError(f"{plain(word)} is no option, expected --help, --version or --warm.")
    if len(argv) > 1:
        raise SessionError(
            f"found {quote(argv[0])} and {quote(argv[1])}, expected one file, or one of {', '.join(commands)} first."
        )
    return _explore(argv[0] if argv else None)


# ---- the explorer -----------------------------------------------------------------------------------------------


def _explore(file: str | None) -> int:
    from .. import opening
    from ..session import recent_files

    if file is None:
        opened = recent_files.Recent(recent_files.default_file()).last()
    else:
        found = opening.find(file)
        if found.errors:
            raise found.errors[0]
        if file == "-":
            _take_terminal()
        opened = recent_files.Opened(found.session, found.path, said=_imported(found), saved=found.held)
    in_browser = os.environ.get("TEXTUAL_DRIVER", "").endswith(":WebDriver")  # `serve` has started it
    if not in_browser and not all(
        stream is not None and stream.isatty() for stream in (sys.stdin, sys.stdout, sys.stderr)
    ):
        raise SessionError(
            "the explorer needs a terminal, found standard input or output redirected; "
            "`dmlviz check FILE` and `dmlviz run FILE` work without one."
        )
    if hasattr(signal, "SIGHUP"):
        signal.signal(signal.SIGHUP, signal.SIG_DFL)  # under nohup it would outlive its terminal, with nobody to see it
    gc.disable()  # the app turns it on again when all that stays is there
    from ..app import explore

    return explore(opened.session, opened.path, opened)


def _imported(found: Found) -> str:
    """What the explorer says about a session that was imported: how much of it was, and what was left out."""
    if not found.remarks:
        return ""
    count, left = len(found.session.experiments), [each for each in found.remarks if not each.taken]
    said = f"imported {count} experiment{'s' * (count != 1)} from {found.shown}"
    if left:
        first = "; ".join(f"{each.where}: {each.text.rstrip('.')}" for each in left[:3])
        said += f", ignored {first}" + (f" and {len(left) - 3} more" if len(left) > 3 else "")
    return f"{said}."


def _take_terminal() -> None:
    """Puts the terminal in the place of standard input, which has been read to its end."""
    try:
        terminal = os.open("/dev/tty", os.O_RDWR)
    except OSError:
        raise SessionError("the explorer needs a terminal, found none behind standard input.") from None
    os.dup2(terminal, sys.stdin.fileno())


# ---- kernels, ahead of their first use --------------------------------------------------------------------------


def _warm() -> int:
    """Gets every operator's kernel ready, says how, and where it is kept."""
    from concurrent.futures import ThreadPoolExecutor

    from .. import kernels
    from ..kernels.lib import cache, loading
    from ..kernels.lib.kernel import KernelState
    from ..operators.registry import operators
    from ..timing.sampling import duration

    names = [operator.name for operator in operators().values()]
    began = time.perf_counter()
    directory = cache.cache_directory(Path(kernels.__file__).parent)
    states: list[KernelState] = []
    unkept: list[str] = []

    def leave(*_: object) -> None:
        if sys.stderr.isatty():
            os.write(2, b"\r\x1b[2K\x1b[?25h")  # the bar's line goes, the cursor comes back
        os._exit(130)  # the compiler is not waited for

    # As an exception, ctrl+c would be lost where it falls into a callback, of the compiler's or the collector's.
    before = signal.signal(signal.SIGINT, leave)
    compiler = ThreadPoolExecutor(1)
    try:
        with _steps(len(names)) as step:
            for name in names:
                step(f"{'loading' if cache.is_kept(name) else 'compiling'} {name}")
                kernel = compiler.submit(loading.load, name).result()
                states.append(kernel.state)
                if not cache.is_kept(name):
                    unkept.append(name)
                print(f"{name}: {kernel.state} in {duration(kernel.seconds)}", flush=True)
            compiler.submit(loading.ready_to_share).result()
    finally:
        signal.signal(signal.SIGINT, before)
    compiler.shutdown()
    compiled = states.count(KernelState.COMPILED)
    spent = time.perf_counter() - began
    print(f"{compiled} compiled, {len(states) - compiled} found in the cache, in {duration(spent)}")
    if directory is None or unkept:
        what = "nothing" if len(unkept) == len(names) else "not all"
        why = "no place for it can be written" if directory is None else f"{directory} takes no more files"
        say(f"{what} is kept: {why}, so every start compiles anew; expected NUMBA_CACHE_DIR to name a writable folder.")
    else:
        print(f"kept in {directory}")
    return FINE


@contextlib.contextmanager
def _steps(count: int) -> Iterator[Callable[[str], None]]:
    """Takes the name of each of `count` steps as it begins: a bar on stderr, or a line for each where that is no
    terminal.
    """
    if not sys.stderr.isatty():
        numbers = iter(range(1, count + 1))
        yield lambda what: say(f"{what}, {next(numbers)} of {count}")
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = TextColumn("{task.description:<30}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn()
    with Progress(*columns, console=Console(stderr=True), transient=True, redirect_stdout=sys.stdout.isatty()) as bar:
        task = bar.add_task("", total=count)
        begun = 0

        def step(what: str) -> None:
            nonlocal begun
            bar.update(task, description=what, completed=begun)
            begun += 1

        yield step
        bar.update(task, description="", completed=count)


# ---- commands ---------------------------------------------------------------------------------------------------


def _examples(argv: list[str]) -> int:
    parser = parser_for("examples", "List the examples that come with dmlviz, or print one as a session file.")
    parser.add_argument("name", nargs="?", metavar="NAME", help="print this example instead of the list")
    name = parser.parse_args(argv).name
    from ..session import examples

    if name is not None:
        print(examples.example(name).path.read_text("utf-8"), end="")
        return FINE
    shelf = examples.all_examples()
    width = max(len(each.name) for each in shelf)
    for each in shelf:
        found = each.session()
        count = len(found.experiments)
        more = f"  ({count} experiments)" if count > 1 else ""
        print(f"{each.name:<{width}}  {found.title}{more}")
    return FINE


def _check(argv: list[str]) -> int:
    parser = parser_for(
        "check",
        "Hold every rule against every desc in session files.",
        "Exit codes: 0 every desc is valid, 1 one is not, 2 a file can't be read as a session.",
    )
    parser.add_argument("files", nargs="+", metavar="FILE", help="a session file, a token, what can be imported, or -")
    parser.add_argument("--level", metavar="L", help="check at this feature level, such as 5_0, whatever the file says")
    parser.add_argument("--json", action="store_true", help="print every check, passed ones too, as JSON")
    args = parser.parse_args(argv)
    from ..desc.levels import FeatureLevel

    level = FeatureLevel.of(args.level) if args.level is not None else None
    code, found = FINE, []
    for file in args.files:
        experiments, failed = read(file)
        code = max(code, failed)
        for each in experiments:
            experiment = replace(each, feature_level=level) if level else each
            with progress(f"checking {plain(experiment.name)}"):
                report = experiment.check()
            code = max(code, FINE if report.ok else INVALID)
            if args.json:
                found.append(_check_json(file, experiment, report))
            else:
                print("\n".join(_check_text(file if len(args.files) > 1 else "", experiment, report)))
    if args.json:
        print(json.dumps({"experiments": found}, ensure_ascii=False, indent=1))
    return code


def _check_json(file: str, experiment: Any, report: Any) -> dict[str, Any]:
    return {
        "file": file,
        "name": experiment.name,
        "feature_level": report.feature_level.value,
        "ok": report.ok,
        "lowest_level": report.lowest_level.value if report.lowest_level else None,
        "checks": [
            {
                "id": c.id,
                "severity": c.severity.value,
                "ok": c.ok,
                "field": c.field,
                "expected": c.expected,
                "found": c.found,
                "message": c.message,
                "page": c.page,
                "fixes": [{"label": fix.label} for fix in c.fixes],
            }
            for c in report.checks
        ],
    }


def _check_text(file: str, experiment: Any, report: Any) -> Iterator[str]:
    from ..operators.registry import operator_of

    held = sum(c.ok for c in report.checks)
    lowest = f"lowest level {report.lowest_level}" if report.lowest_level else "no feature level accepts it"
    where = f"{plain(file)}: " if file else ""
    what = f"{where}{plain(experiment.name)} · {operator_of(experiment.desc).name} at {report.feature_level}"
    if report.ok:
        yield f"✔ {what}: valid, {held} checks hold, {lowest}"
    else:
        count = len(report.errors)
        yield f"✘ {what}: E_INVALIDARG, {count} {'rule' if count == 1 else 'rules'} broken, {lowest}"
    for c in report.failures:
        mark = {"error": "✘", "warning": "!", "note": "i"}[c.severity.value]
        yield f"    {mark} {c.id}: {c.message}"
        yield f"      {c.page}"
        for number, fix in enumerate(c.fixes, 1):
            yield f"      fix {number}: {fix.label}{'' if fix.mends_all else ' (other rules stay broken)'}"
    for waiting in report.waiting:
        yield f"    … {waiting.id} ({waiting.field}) waits for {waiting.on}"


def _run(argv: list[str]) -> int:
    parser = parser_for(
        "run",
        "Compute the outputs of every desc in a session file on the compiled kernels, with timing.",
        "The first run on a machine compiles the kernels it needs, which takes a second or two; later ones load them.",
    )
    parser.add_argument("file", metavar="FILE", help="a session file, a token, what can be imported, or -")
    parser.add_argument("--json", action="store_true", help="print every output whole, as JSON")
    args = parser.parse_args(argv)
    experiments, code = read(args.file)
    pieces = _Pieces(args.json)
    shown = "standard input" if args.file == "-" else plain(args.file)
    for experiment in experiments:
        code = max(code, _run_one(shown, experiment, pieces))
    pieces.close()
    return code


class _Pieces:
    """Prints results one after the other, so that none is kept; as one JSON object where `as_json`."""

    def __init__(self, as_json: bool) -> None:
        self.as_json = as_json
        self._count = 0
        if as_json:
            sys.stdout.write('{"experiments": [')

    def add(self, chunks: Iterable[str]) -> None:
        sys.stdout.write(("," if self._count else "") + "\n " if self.as_json else ("\n" if self._count else ""))
        self._count += 1
        for chunk in chunks:
            sys.stdout.write(chunk)
        sys.stdout.flush()

    def close(self) -> None:
        if self.as_json:
            sys.stdout.write("\n]}\n")


def _run_one(file: str, experiment: Any, pieces: _Pieces) -> int:
    from ..operators.registry import operator_of
    from ..running import engine
    from ..timing import sampling

    def failed(why: str, code: int) -> int:
        say(f"{file}: experiment {quote(experiment.name)}: {why}")
        if pieces.as_json:
            nothing = {"name": experiment.name, "ok": False, "kernel": "numba", "outputs": [], "timing": None}
            pieces.add([json.dumps(nothing, ensure_ascii=False)])
        return code

    name = plain(experiment.name)
    with progress(f"checking {name}"):
        report = experiment.check()
    if not report.ok:
        first = report.errors[0]
        count = len(report.errors) - 1
        more = f" ({count} more {'rule is' if count == 1 else 'rules are'} broken, see `dmlviz check`)" if count else ""
        return failed(f"{first.id}: {first.message.removesuffix('.')}{more}.", INVALID)
    operator = operator_of(experiment.desc)
    try:
        with progress(f"preparing and running {operator.name} for {name}"):
            arrays = engine.inputs_of(experiment.desc, experiment.sources())
            bound = engine.bind(experiment.desc, arrays, feature_level=experiment.feature_level)
            timing = sampling.measure(bound)
    except DmlvizError as error:
        return failed(str(error), UNREADABLE)
    results = list(zip(experiment.desc.outputs, bound.outputs, strict=True))
    pieces.add(_run_json(experiment, results, timing) if pieces.as_json else _run_text(experiment, results, timing))
    return FINE


def _run_json(experiment: Any, results: Sequence[tuple[Any, Any]], timing: Any) -> Iterator[str]:
    from ..formats.json_text import json_values

    yield f'{{"name": {json.dumps(experiment.name, ensure_ascii=False)}, "ok": true, "kernel": "numba", "outputs": ['
    for k, (part, array) in enumerate(results):
        head = {"name": part.path, "data_type": part.tensor.data_type.name, "sizes": list(part.tensor.sizes)}
        yield f'{", " if k else ""}{json.dumps(head)[:-1]}, "values": '
        yield from json_values(array)
        yield "}"
    yield f'], "timing": {json.dumps(timing.to_json())}}}'


def _run_text(experiment: Any, results: Sequence[tuple[Any, Any]], timing: Any) -> Iterator[str]:
    from ..formats.page_text import page_lines
    from ..operators.registry import operator_of

    yield f"{plain(experiment.name)} · {operator_of(experiment.desc).name}\n"
    for part, array in results:
        sizes = ", ".join(map(str, part.tensor.sizes))
        yield f"{part.path}: (Sizes:{{{sizes}}}, DataType:{part.tensor.data_type})\n"
        yield "\n".join(page_lines(array)) + "\n"
    yield f"numba kernel, {timing.kernel}: {_timing_text(timing)}\n"


def _timing_text(timing: Any) -> str:
    from ..timing.sampling import duration

    warm = f"{duration(timing.median)} median of {timing.n:,} warm calls"
    spread = f"min {duration(timing.min)}, p95 {duration(timing.p95)}"
    return f"{warm} ({spread}), {timing.word} call {duration(timing.opening)}"


def _export(argv: list[str]) -> int:
    from .sharing import export

    return export(argv)


def _import(argv: list[str]) -> int:
    from .sharing import import_

    return import_(argv)


def _explain(argv: list[str]) -> int:
    from .sharing import explain

    return explain(argv)


def _bench(argv: list[str]) -> int:
    parser = parser_for(
        "bench",
        "Time the kernels beside other libraries, each in a process of its own, and beside a plain copy.",
        "ctrl+c ends it and prints what there is. PyTorch and ONNX Runtime: pip install 'dmlviz[bench]'.\n"
        "Exit codes: 0 every peer made the same bytes, 1 one did not, 2 wrong usage, 130 ctrl+c.",
    )
    parser.add_argument("file", nargs="?", metavar="FILE", help="time the experiments of a session file instead")
    parser.add_argument("--grid", metavar="G", help="small (about a minute, the default) or full (about 25 minutes)")
    parser.add_argument(
        "--peers", metavar="P", help="numpy,torch,onnxruntime or some of them; those not there are told"
    )
    parser.add_argument(
        "--only", metavar="REGEX", help="of the grid, only cells whose id matches, such as 4Mi/.*/gather"
    )
    parser.add_argument("--rounds", type=int, default=9, metavar="N", help="samples of every call; 9")
    parser.add_argument("--json", metavar="F", help="write the result to a file")
    parser.add_argument(
        "--update", action="store_true", help="keep the cells that file already has, but those timed now"
    )
    parser.add_argument("--list", action="store_true", help="print the cells' ids and time nothing")
    parser.add_argument("--show", metavar="F", help="print a result that --json wrote, and time nothing")
    parser.add_argument("--markdown", action="store_true", help="print Markdown instead of the table")
    from .bench import bench

    return bench(parser.parse_args(argv))


def _serve(argv: list[str]) -> int:
    parser = parser_for(
        "serve",
        "Serve the explorer to browser tabs on this machine, each tab with an explorer of its own.",
        "Needs textual-serve: pip install 'dmlviz[web]'.",
    )
    parser.add_argument("file", nargs="?", metavar="FILE", help="a session file, a token, or what can be imported")
    parser.add_argument("--port", type=int, default=8000, metavar="N", help="8000; 0 takes any free one")
    parser.add_argument("--host", default="127.0.0.1", metavar="H", help="127.0.0.1, which only this machine reaches")
    args = parser.parse_args(argv)
    if not 0 <= args.port <= 65535:
        raise SessionError(f"--port is {args.port}, expected 0 to 65535.")
    if args.file == "-":
        raise SessionError("serve reads no session from standard input, expected a file, which every tab opens.")
    if args.file is not None:
        from .. import opening

        found = opening.find(args.file)  # what is wrong is said here, and not in every tab
        if found.errors:
            raise found.errors[0]
    from ..web.server import serve

    serve([args.file] if args.file is not None else [], args.host, args.port)
    return FINE
