"""Keys that a user chose, checked before they are used."""

from __future__ import annotations

from collections.abc import Mapping

from textual.keys import Keys

from ...errors import plain, quote
from ...widgets.lib.commands import NO_KEY, Command, character_of, listed
from ...widgets.lib.textual_private import key_of_character

NAMED = frozenset(key.value for key in Keys if not key.value.startswith("<")) | {"space"}
RESERVED = {
    "tab": "goes to the next field",
    "shift+tab": "goes to the field before",
    "ctrl+p": "opens the palette",
    "ctrl+c": "copies what is selected",
    "escape": "closes dialogs",
}
"""What no command may have, and why."""
PUNCTUATION = frozenset(key_of_character(chr(code)) for code in range(33, 127))


def checked(keys: Mapping[str, str]) -> tuple[dict[str, str], frozenset[str], list[str]]:
    """The keymap by command id, the actions that a user put on typed keys, and a sentence for what can't be used.

    A key that the user chose beats another command's own: that command keeps its other keys, or has none.
    """
    known = {cmd.id: cmd for cmd in listed()}
    used: dict[str, str] = {}
    said: list[str] = []
    for name, text in keys.items():
        trouble = _trouble(name, text, known, used)
        if trouble:
            said.append(trouble)
        else:
            used[name] = ",".join(_textual_keys(text))
    keymap = dict(used)
    for cmd in known.values():
        if cmd.id in used or not cmd.keys:
            continue
        taken = {key for name, chosen in used.items() if _meet(known[name], cmd) for key in chosen.split(",")}
        left = [key for key in cmd.keys.split(",") if key not in taken]
        if len(left) < len(cmd.keys.split(",")):
            keymap[cmd.id] = ",".join(left) or NO_KEY
    typed = {known[name].action for name, chosen in used.items() if any(map(character_of, chosen.split(",")))}
    return keymap, frozenset(typed), said


def _trouble(name: str, text: str, known: Mapping[str, Command], used: Mapping[str, str]) -> str:
    """Why keys can't be given to a command; empty where they can."""
    if name not in known:
        near = ", ".join(sorted(other for other in known if other.split(".")[0] == name.split(".")[0]))
        return f"keys.{plain(name)} is no command, expected {f'one of {near}' if near else 'such as steps.play'}."
    names = _textual_keys(text)
    if not all(map(_is_key, names)):
        return f"keys.{plain(name)} is {quote(text)}, expected keys such as p, f7 or ctrl+t."
    reserved = [RESERVED[key] for key in names if key in RESERVED]
    if reserved:
        return f"keys.{plain(name)} is {quote(text)}, which {reserved[0]}, expected a key that is free."
    for other, taken in used.items():
        if _meet(known[name], known[other]) and set(names) & set(taken.split(",")):
            stays = f"it stays {quote(known[name].keys)}" if known[name].keys else "it has none"
            return f"keys.{name} is {quote(text)}, which keys.{other} has, expected another key; {stays}."
    return ""


def _meet(one: Command, other: Command) -> bool:
    """True if a key of one may be pressed where the other works; two panes never have the focus at once."""
    return one.id != other.id and (one.pane == other.pane or "explorer" in (one.pane, other.pane))


def _textual_keys(text: str) -> list[str]:
    return [_textual_key(key.strip()) for key in text.split(",")] if text != "," else ["comma"]


def _textual_key(key: str) -> str:
    *modifiers, last = key.split("+") if len(key) > 1 else [key]
    return "+".join([*modifiers, key_of_character(last) if len(last) == 1 else last])


def _is_key(key: str) -> bool:
    *modifiers, last = key.split("+")
    if any(modifier not in ("ctrl", "shift", "alt", "super", "meta", "hyper") for modifier in modifiers):
        return False
    return len(last) == 1 or last in NAMED or last in PUNCTUATION or key in NAMED
