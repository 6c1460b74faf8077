"""A session of one experiment."""

from __future__ import annotations

from typing import Any

from dmlviz.session.experiments import Experiment, Session


def one(desc: Any, **more: Any) -> Session:
    return Session((Experiment("one", desc, **more),))
