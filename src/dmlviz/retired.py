"""Names that were taken out, at most forty, and what there is instead: what a user of before is told."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

INSTEAD: Mapping[str, str] = MappingProxyType(
    {
        # Options, as they are typed.
        "--allow-unchecked": "exit code 2 says that something could not be checked",
        "--diff": "`--fix` prints what it changes",
        "--errors-only": "`--json` has the severity of each check",
        "--exclude": "name the files and folders that you want checked",
        "--fail-on": "only a failed check or an invalid task makes the exit code 1",
        "--format": "`--json` and `--github` say how to print",
        "--grid": "`python benchmarks/bench.py` in a checkout times all kernels",
        "--hand-in": "`h` after a lesson and `dmlviz progress --export F` write answers to hand in",
        "--ignore": "every rule counts; `--json` has the id of each check",
        "--lang": "what dmlviz says is English",
        "--no-wall": "`dmlviz class FILE` holds the class from the projector",
        "--pace": "`dmlviz record` makes a page for one's own pace",
        "--peers": "`python benchmarks/bench.py` in a checkout times all kernels",
        "--present": "`dmlviz present FILE` shows it from a terminal",
        "--public-url": "`--host` says which address of the machine to listen on",
        "--seconds": "each step of an animation is shown for 0.9 seconds",
        "--select": "every rule counts; `--json` has the id of each check",
        "--certificate": "`dmlviz same FILE A B` says what it compared",
        "--verify": "`dmlviz same FILE A B` says what it compared",
        # Operators.
        "PADDING1": "PADDING does the same with a float for its value",
        # Commands.
        "dmlviz simplify": "`dmlviz same FILE A B` says whether two experiments are equivalent",
        # Rules.
        "padding.value_type": "PADDING takes its value as a FLOAT",
        "tensor.overlap": "strides are checked but for where they reach and overlap",
        "tensor.reach": "strides are checked but for where they reach and overlap",
        # Kinds of questions.
        "bytes": "ask `runs`, how many copies there are",
        "equal": "ask `through`, where an element comes from",
        "faster": "ask `runs`, how many copies there are",
        "hole": "ask `through`, where an element comes from",
        "parsons": "ask `source`, where an element comes from",
        "swap": "ask `through`, where an element comes from",
        "view": "ask `through`, where an element comes from",
        "waits": "ask `valid`, which checks fail",
        # Members of a task.
        "cells": "a `fill` asks a row or an output",
        # Keys of the explorer, as characters.
        "=": "`dmlviz same FILE A B` says whether two experiments are equivalent",
        "B": "the line of steps says how much an edit changed",
        "L": "`dmlviz same FILE A B` says whether two experiments are equivalent",
        "[": "a click on the line of steps goes to a step",
        "]": "a click on the line of steps goes to a step",
        "b": "a click on the line of steps goes to a step",
        "c": "`x` shows the desc and the picture as text to copy",
    }
)
"""By an option, a command, a key's character, a rule's id, a kind or a setting; "" where there is nothing instead."""


def told(name: str) -> str:
    """The sentence about a name that was taken out; "" for any other."""
    if name not in INSTEAD:
        return ""
    return f"`{name}` was taken out; {INSTEAD[name]}".removesuffix("; ") + "."
