"""Keys that a user chose, checked before they are used."""

from __future__ import annotations

from collections.abc import Mapping

from textual.binding import Binding
from textual.keys import Keys, _character_to_key

from ...errors import plain, quote
from ..commands import made_bindings
from .explorer import Explorer

NAMED = frozenset(key.value for key in Keys if not key.value.startswith("<")) | {"space"}
RESERVED = {
    "tab": "goes to the next field",
    "shift+tab": "goes to the field before",
    "ctrl+p": "opens the palette",
    "ctrl+c": "copies what is selected",
    "escape": "closes dialogs",
}
"""What no command may have, and why."""
PUNCTUATION = frozenset(_character_to_key(chr(code)) for code in range(33, 127))


def checked(keys: Mapping[str, str]) -> tuple[dict[str, str], frozenset[str], list[str]]:
    """What can be used of keys by binding id, the actions that are on letters then, and a sentence for each other one.

    A key that another command has is only given if that command gets another one.
    """
    known = {binding.id: (kind, binding) for kind, binding in made_bindings() if binding.id is not None}
    used: dict[str, str] = {}
    said: list[str] = []
    for name, text in keys.items():
        if name not in known:
            near = ", ".join(sorted(each for each in known if each.split(".")[0] == name.split(".")[0]))
            said.append(
                f"keys.{plain(name)} is no command, expected {f'one of {near}' if near else 'such as steps.play'}."
            )
            continue
        names = [_name(each.strip()) for each in text.split(",")] if text != "," else ["comma"]
        wrong = [each for each in names if not _is_key(each)]
        if wrong:
            said.append(f"keys.{plain(name)} is {quote(text)}, expected keys such as p, f7 or ctrl+t.")
            continue
        taken = [RESERVED[each] for each in names if each in RESERVED]
        if taken:
            said.append(f"keys.{plain(name)} is {quote(text)}, which {taken[0]}, expected a key that is free.")
            continue
        used[name] = ",".join(names)
    clashing = True
    while clashing:  # what is taken back may be in another's way in turn
        clashing = False
        for name in list(used):
            kind, _ = known[name]
            for other, (owner, binding) in known.items():
                if other == name or (owner is not kind and Explorer not in (owner, kind)):
                    continue  # two panes never have the focus at once
                both = set(used[name].split(",")) & set(used.get(other, binding.key).split(","))
                if both:
                    said.append(
                        f"keys.{name} is {quote(keys[name])}, which {other} has, expected a key that is free; "
                        f"it stays {quote(known[name][1].key)}."
                    )
                    del used[name]
                    clashing = True
                    break
    letters = frozenset(_action(known[name][1]) for name, text in used.items() if any(map(_is_typed, text.split(","))))
    return used, letters, said


def _name(key: str) -> str:
    *held, last = key.split("+") if len(key) > 1 else [key]
    return "+".join([*held, _character_to_key(last) if len(last) == 1 else last])


def _is_key(key: str) -> bool:
    *held, last = key.split("+")
    if any(each not in ("ctrl", "shift", "alt", "super", "meta", "hyper") for each in held):
        return False
    return len(last) == 1 or last in NAMED or last in PUNCTUATION or key in NAMED


def _is_typed(key: str) -> bool:
    """True if a field would take the key as text."""
    return len(key) == 1 or key in PUNCTUATION or key == "space"


def _action(binding: Binding) -> str:
    return binding.action.partition("(")[0]
