"""`dmlviz header`: the C++ header that prints the desc that CreateOperator refused."""

from __future__ import annotations

from .parsers import parser
from .shared import FINE


def run(argv: list[str]) -> int:
    words = parser(
        "header",
        "Print a C++17 header on DirectML.h. In your program DML_CREATE_OPERATOR(device, &desc, IID_PPV_ARGS(&made)) "
        "then replaces device->CreateOperator(...), and prints the desc if that fails, as it is in memory; what "
        "was printed is read by `dmlviz check -`.",
        "Typical: dmlviz header > dml_dump.h",
    )
    words.parse_args(argv)
    from ..exporters.lib.dump_header import dump_header

    print(dump_header(), end="")
    return FINE
