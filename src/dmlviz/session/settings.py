"""A user's settings: read from a file that people may edit, written when something is changed on the screen.

{"theme": "dmlviz-light", "seconds": 5.0, "keys": {"steps.play": "i", "session.open": "f7"}}
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, get_args, get_type_hints

from msgspec import Meta, Struct, ValidationError, convert, field
from msgspec.structs import replace

from ..errors import plain, quote
from .kept import Kept

PRINTED = r"^[^\x00-\x1f\x7f-\x9f]+$"
Truth = Annotated[bool, Meta(description="true or false")]


class Settings(Struct, frozen=True, kw_only=True):
    """Each field is a setting by its name in the file; its description is what a sentence expects."""

    theme: Annotated[str, Meta(pattern=PRINTED, description="the name of a theme")] = "dmlviz-dark"
    seconds: Annotated[float, Meta(ge=0.1, le=3600, description="a number from 0.1 to 3600")] = 2.0
    """A pass of all steps."""
    unit: Annotated[
        Literal["element", "run", "slice", "whole"], Meta(description="one of element, run, slice, whole")
    ] = "element"
    zoom: Annotated[
        Literal["auto", "large", "values", "blocks"], Meta(description="one of auto, large, values, blocks")
    ] = "auto"
    memory: Annotated[bool | None, Meta(description="true, false or null")] = None
    """The memory strip is shown; None: where there is room."""
    animation: Truth = True
    progress: Truth = True
    keys: Annotated[
        Mapping[str, Annotated[str, Meta(pattern=PRINTED)]], Meta(description='an object such as {"steps.play": "i"}')
    ] = field(default_factory=dict)
    """Keys by the id of their binding; several are parted by commas."""


def default_file() -> Path:
    """The file, in the user's folder for configuration, of the settings."""
    from platformdirs import user_config_path

    return user_config_path("dmlviz", appauthor=False) / "config.json"


class Store(Kept[dict[str, Any]]):
    """A file of settings. What is in it and can't be read is never overwritten."""

    def __init__(self, file: Path) -> None:
        super().__init__(file, dict[str, Any])
        self._raw = self.read() or {}
        self.sentences: list[str] = []
        """A sentence for each thing that can't be used."""
        if self.problem:
            why = self.problem.removesuffix(".")
            self.sentences.append(f"{why}; the defaults are used, and nothing is written there.")
        used: dict[str, Any] = {}
        for name, kind in get_type_hints(Settings, include_extras=True).items():
            try:
                used |= {name: convert(self._raw[name], kind)} if name in self._raw else {}
            except ValidationError:
                found = quote(self._raw[name])
                expected = get_args(kind)[1].description
                self.sentences.append(f"{plain(str(file))}: {name} is {found}, expected {expected}.")
        self.settings = Settings(**used)

    def remember(self, name: str, value: Any) -> None:
        """Changes a setting, here and in the file, which keeps all else that it holds. Raises SessionError."""
        if getattr(self.settings, name) == value:
            return
        self.settings = replace(self.settings, **dict[str, Any]({name: value}))
        if not self.problem:
            self._raw[name] = value
            self.write(self._raw)
