"""Recordings as the export dialog lists them, beside the exporters' source texts."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from msgspec import Struct

from ..errors import DmlvizError
from ..exporters.lib.exporting import Target
from ..exporters.lib.writing import Export
from ..session.experiments import Session
from ..teaching.lessons.lessons import lesson_of
from .page import html_page
from .stills import Stills
from .tasks import exercises_of


class Page(Struct):
    """`html`: the session as a page."""

    ABOUT: str = "one page with every step and task, which opens anywhere and loads nothing"
    SUFFIX: str = ".html"
    RUNS: bool = False

    def export(self, session: Session, stem: str) -> Export:
        """The whole session as one file, without any beside it."""
        return Export(html_page(session).encode())


class Still(Struct):
    """`svg`: an experiment's picture with everything written."""

    ABOUT: str = "the picture with everything written, for slides; dmlviz record makes one of each step"
    SUFFIX: str = ".svg"
    RUNS: bool = False

    def export(self, session: Session, stem: str) -> Export:
        """One experiment's picture. Raises DmlvizError for several."""
        if len(session.experiments) != 1:
            raise DmlvizError(
                f"the session has {len(session.experiments)} experiments, expected one for svg: w chooses it alone."
            )
        # An example's own task may ask about a changed desc, and nobody has asked for that picture.
        (one,) = exercises_of(session, bare=lesson_of(session) is None)
        return Export(Stills.of(one).svg(one.count).encode())


IS: Mapping[str, str] = MappingProxyType({"html": "a page for a browser", "svg": "a picture"})
"""What the file is that each makes; nobody reads its text."""
RECORDINGS: Mapping[str, Target] = MappingProxyType({"html": Page(), "svg": Still()})
"""What each is called, and what makes it."""
