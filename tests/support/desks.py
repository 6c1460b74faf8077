"""What a desk shows after something was done."""

from __future__ import annotations

from collections.abc import Callable
from typing import ParamSpec

from dmlviz.workspace.explorer.workspace import Workspace
from dmlviz.workspace.shown.state import State

Given = ParamSpec("Given")


def done(workspace: Workspace, call: Callable[Given, object], *given: Given.args, **named: Given.kwargs) -> State:
    """The state after a call of one of the workspace's methods."""
    call(*given, **named)
    return workspace.state
