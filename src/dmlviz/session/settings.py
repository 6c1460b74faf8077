"""A user's settings: read from a file that people may edit, written when something is changed on the screen.

{"theme": "dmlviz-light", "seconds": 5.0, "keys": {"steps.play": "i", "session.open": "f7"}}
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

from msgspec import Struct, field
from msgspec.structs import replace

from ..desc.npy_files import resolved
from ..errors import DmlvizError, SessionError, plain, quote, reason_of
from ..formats.json_text import parse_json
from ..formats.regular_files import read_regular
from .whole_files import write_whole


class Settings(Struct, frozen=True, kw_only=True):
    """Each field is a setting by its name in the file."""

    theme: str = "dmlviz-dark"
    seconds: float = 2.0
    """Seconds a pass."""
    unit: str = "element"
    """What a step is."""
    zoom: str = "auto"
    """How large cells are at first."""
    memory: bool | None = None
    """The memory strip is shown; None: where there is room."""
    animation: bool = True
    progress: bool = True
    """Answers to questions are kept."""
    keys: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    """Keys by the id of their binding; several are parted by commas."""


def _one_of(*names: str) -> tuple[Callable[[Any], bool], str]:
    """A test for one of some names, and what it expects, in words."""
    return lambda setting: isinstance(setting, str) and setting in names, f"one of {', '.join(names)}"


def _is_seconds(setting: Any) -> bool:
    return isinstance(setting, (int, float)) and not isinstance(setting, bool) and 0.1 <= setting <= 3600


def _is_text(setting: Any) -> bool:
    return isinstance(setting, str) and bool(setting.strip()) and setting.isprintable()


_FLAG = (lambda setting: isinstance(setting, bool), "true or false")
EXPECTED: Mapping[str, tuple[Callable[[Any], bool], str]] = {
    "theme": (_is_text, "the name of a theme"),
    "seconds": (_is_seconds, "a number from 0.1 to 3600"),
    "unit": _one_of("element", "run", "slice", "whole"),
    "zoom": _one_of("auto", "large", "values", "blocks"),
    "memory": (lambda setting: setting is None or isinstance(setting, bool), "true, false or null"),
    "animation": _FLAG,
    "progress": _FLAG,
    "keys": (lambda setting: isinstance(setting, dict), 'an object such as {"steps.play": "i"}'),
}


def default_file() -> Path:
    """The file, in the user's folder for configuration, of the settings."""
    from platformdirs import user_config_path

    return user_config_path("dmlviz", appauthor=False) / "config.json"


def parse(text: str, shown: str) -> tuple[Settings, list[str]]:
    """The settings in `text`, and a sentence for each that can't be used and stays as it is by default.

    Keys that this version doesn't know are left alone. Raises SessionError for what holds no settings at all.
    """
    try:
        tree = parse_json(text)
    except DmlvizError as error:
        raise SessionError(f"{shown}: {error}") from None
    if not isinstance(tree, dict):
        raise SessionError(f"{shown} is {quote(tree)}, expected an object with settings.")
    used: dict[str, Any] = {}
    sentences: list[str] = []
    for name, value in tree.items():
        if name not in EXPECTED:
            continue
        fits, expected = EXPECTED[name]
        if name == "keys" and fits(value):
            used["keys"] = {}
            for binding, key in value.items():
                if _is_text(key):
                    used["keys"][binding] = key
                else:
                    sentences.append(f"{shown}: keys.{plain(binding)} is {quote(key)}, expected the name of a key.")
        elif fits(value):
            used[name] = float(value) if name == "seconds" else value
        else:
            sentences.append(f"{shown}: {name} is {quote(value)}, expected {expected}.")
    used["keys"] = MappingProxyType(used.get("keys", {}))
    return Settings(**used), sentences


class Store:
    """A file of settings. What is in it and can't be read is never overwritten."""

    def __init__(self, file: Path) -> None:
        self.file = file
        self.sentences: list[str] = []
        """A sentence for each thing that can't be used."""
        self.settings = Settings()
        self._raw: dict[str, Any] = {}
        self._readable = True
        try:
            text = read_regular(file).decode("utf-8-sig")
        except FileNotFoundError:
            return
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or "it is not UTF-8, expected settings in JSON"
            self._refuse(f"{plain(str(file))} can't be read: {reason}.")
            return
        try:
            self.settings, self.sentences = parse(text, plain(str(file)))
            self._raw = parse_json(text)
        except DmlvizError as error:
            self._refuse(str(error))

    def _refuse(self, sentence: str) -> None:
        """Notes why the file can't be read, and has nothing written to it."""
        self.sentences.append(f"{sentence.removesuffix('.')}; the defaults are used, and nothing is written there.")
        self._readable = False

    def remember(self, name: str, value: Any) -> None:
        """Changes a setting, here and in the file, which keeps all else that it holds. Raises SessionError."""
        if name not in Settings.__struct_fields__ or not EXPECTED[name][0](value):
            raise SessionError(f"{name} is {quote(value)}, expected {EXPECTED[name][1] if name in EXPECTED else 'no'}.")
        if getattr(self.settings, name) == value:
            return
        self.settings = replace(self.settings, **dict[str, Any]({name: value}))
        if not self._readable:
            return
        self._raw[name] = dict(value) if isinstance(value, Mapping) else value
        write(self.file, self._raw)


def write(file: Path, tree: Mapping[str, Any]) -> None:
    """Writes an object as JSON, whole or not at all. Raises SessionError where that can't be done."""
    lines = ",\n".join(
        f"  {json.dumps(k)}: {json.dumps(_plain_numbers(v), ensure_ascii=False)}" for k, v in tree.items()
    )
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        write_whole(resolved(file), f"{{\n{lines}\n}}\n".encode("utf-8", "backslashreplace"))
    except OSError as error:
        raise SessionError(f"{plain(str(file))} can't be written: {reason_of(error)}.") from None


def _plain_numbers(tree: Any) -> Any:
    """Numbers beyond every float, which JSON as Python writes it has no word for, as text."""
    if isinstance(tree, dict):
        return {key: _plain_numbers(value) for key, value in tree.items()}
    if isinstance(tree, list):
        return [_plain_numbers(value) for value in tree]
    return str(tree) if isinstance(tree, float) and not math.isfinite(tree) else tree
