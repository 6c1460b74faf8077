"""Programs in C++ on dml_dump.h, and the line that it prints of a desc."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

from dmlviz.desc.base import Desc
from dmlviz.exporters import dxdispatch
from dmlviz.exporters.lib.dump_header import dump_header
from dmlviz.session.experiments import Experiment, Session
from support import compiled_cpp

COMPILERS = [found for name in ("g++", "clang++") if (found := shutil.which(name)) is not None]
STRICT = ("-Wall", "-Wextra", "-Wconversion", "-Wshadow", "-pedantic", "-Werror")
SANITIZED = ("-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-g")


def compiled(folder: Path, text: str, compiler: str, std: str, *more: str) -> Path:
    """A program of a text on dml_dump.h, which has to compile without a warning."""
    (folder / "dml_dump.h").write_text(dump_header(), "ascii")
    source, binary = folder / "main.cpp", folder / "main"
    source.write_text(text, "utf-8")
    where = ("-O0", f"-I{folder}", f"-I{compiled_cpp.HEADERS}", str(source), "-o", str(binary))
    command = [compiler, f"-std={std}", *STRICT, *more, *where]
    built = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert built.returncode == 0, built.stderr[:4000]
    return binary


def line_of(desc: Desc, name: str) -> str:
    """The line that dml_dump.h prints of a desc, without a compiler."""
    model = json.loads(dxdispatch.export(Session((Experiment("", desc),)), "x").content)
    (made,) = model["dispatchables"].values()
    return json.dumps({"dml_dump": 1, "dispatchables": {name: made}}, separators=(",", ":"))
