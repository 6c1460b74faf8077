"""What the palette offers: the commands that can act now, each with who does it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator, Mapping
from typing import Any

from textual import actions
from textual.app import SystemCommand
from textual.screen import Screen
from textual.widget import Widget

from ...widgets.fields.field import Field
from ...widgets.lib.commands import Command, command_keys, listed
from ...widgets.panels.reasons_panel import ReasonsPanel
from ...widgets.picture.tensor_stack import TensorStack
from ...workspace.shown.state import State

KINDS: Mapping[str, type[Widget]] = {"form": Field, "picture": TensorStack, "rules": ReasonsPanel}
"""The panes whose commands work from everywhere; those of a field work only where it has the focus."""


def offers(screen: Screen[Any], state: State, keymap: Mapping[str, str]) -> Iterator[SystemCommand]:
    """The commands that can act on a screen, in the order of their groups, each with its keys."""
    for cmd in listed():
        owner = _owner(screen, cmd)
        if owner is None or not cmd.when(state) or not _can(owner, cmd):
            continue
        keys, about = command_keys(cmd, keymap), cmd.help
        match actions.parse(cmd.action):
            case _, "fix", (int(number),) if (fix := state.fix(number)) is not None:
                about = fix.label
        yield SystemCommand(cmd.title, f"{about} ({keys})" if keys else about, _act_of(owner, cmd))


def _owner(screen: Screen[Any], cmd: Command) -> Widget | None:
    """The screen, or the pane that does a command: the one with the focus, else the last; None where there is none."""
    if cmd.pane == "explorer":
        return screen
    kind = KINDS.get(cmd.pane)
    if kind is None:
        return None
    panes = [node for node in screen.query(kind) if node.display]
    return next((node for node in panes if node.has_focus or node.has_focus_within), panes[-1] if panes else None)


def _can(owner: Widget, cmd: Command) -> bool:
    """True if the owner itself says so; letters aren't typed from the palette, so the focus doesn't count."""
    namespace, name, parameters = actions.parse(cmd.action)
    if (namespace or isinstance(owner, Screen)) and name != "to_picture":
        return True
    return bool(owner.check_action(name, parameters))


def _act_of(owner: Widget, cmd: Command) -> Callable[[], Awaitable[None]]:
    async def run() -> None:
        namespace, name, parameters = actions.parse(cmd.action)
        if namespace:
            await owner.app.run_action(cmd.action)
        elif _can(owner, cmd):  # the form's row may be another by now
            done = getattr(owner, f"action_{name}")(*parameters)
            if hasattr(done, "__await__") and not hasattr(done, "cancel"):  # workers run by themselves
                await done

    return run
