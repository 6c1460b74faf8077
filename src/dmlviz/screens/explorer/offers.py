"""What the palette offers: the commands that can act now, each with who does it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

from textual import actions
from textual.app import SystemCommand
from textual.screen import Screen
from textual.widget import Widget

from ...widgets.fields.field import Field
from ...widgets.lib.commands import Command, command_keys, listed
from ...widgets.picture.tensor_stack import TensorStack
from ...workspace.shown.state import State

KINDS: Mapping[str, type[Widget]] = {"form": Field, "picture": TensorStack}
"""The panes whose commands work from everywhere; those of a field work only where it has the focus."""


def offers(screen: Screen[Any], state: State, keymap: Mapping[str, str]) -> Iterator[SystemCommand]:
    """The commands that can act on a screen, in the order of their groups, each with its keys."""
    for cmd in listed():
        owner, (_, name, parameters) = _owner(screen, cmd), actions.parse(cmd.action)
        if owner is None or not cmd.when(state):
            continue
        # No letter is typed from the palette, so that the screen isn't asked where the focus is.
        if owner is not screen and not owner.check_action(name, parameters):
            continue
        keys, about = command_keys(cmd, keymap), cmd.help
        match parameters:
            case (int(number),) if name == "fix" and (fix := state.fix(number)) is not None:
                about = fix.label
        yield SystemCommand(cmd.title, f"{about} ({keys})" if keys else about, partial(_act, owner, cmd.action))


def _owner(screen: Screen[Any], cmd: Command) -> Widget | None:
    """The screen, or the pane that does a command: the one with the focus, else the last; None where there is none."""
    if cmd.pane == "explorer":
        return screen
    kind = KINDS.get(cmd.pane)
    panes = [node for node in screen.query(kind) if node.display] if kind is not None else []
    return next((node for node in panes if node.has_focus or node.has_focus_within), panes[-1] if panes else None)


async def _act(owner: Widget, action: str) -> None:
    namespace, name, parameters = actions.parse(action)
    if isinstance(owner, Screen) and not namespace:
        getattr(owner, f"action_{name}")(*parameters)
    else:
        await owner.app.run_action(action, owner)
