"""`dmlviz header`: the C++ header that prints the desc that CreateOperator refused."""

from __future__ import annotations

from .parsers import parser
from .shared import FINE


def run(argv: list[str]) -> int:
    words = parser(
        "header",
        "Print a C++17 header for any DirectML.h. In your program, replace device->CreateOperator(...) with "
        "DML_CREATE_OPERATOR(device, &desc, IID_PPV_ARGS(&made)): if it fails, the macro prints the desc as it is in "
        "memory. `dmlviz check -` reads this output.",
        "Typical: dmlviz header > dml_dump.h",
    )
    words.parse_args(argv)
    from ..exporters.lib.dump_header import dump_header

    print(dump_header(), end="")
    return FINE
