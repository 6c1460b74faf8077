"""Presentations without a screen, and a clock for them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from dmlviz.session import examples
from dmlviz.session.class_status import ClassStatus
from dmlviz.session.experiments import Session
from dmlviz.session.presentation_state import Build, StateFile
from dmlviz.widgets.boards.presented_lines import wall_head, wall_lines
from dmlviz.workspace.shown.picture import Room
from dmlviz.workspace.wall.presenting import Presenting
from dmlviz.workspace.wall.wall_state import WallState

Q, P, R = Build.QUESTION, Build.PLAY, Build.REVEAL
START = 1_800_000_000.0
CLASS = ClassStatus(
    code="K7QM4XT",
    address="http://192.168.178.123:8765",
    title="Rows by index",
    tasks=8,
    joined=28,
    asked=True,
)
CLASSROOM = Path(__file__).parents[2] / "examples" / "classroom" / "rows-by-index.json"


class Time:
    """Seconds since 1970 that stand still until a test has them go on."""

    def __init__(self) -> None:
        self.now = START

    def __call__(self) -> float:
        return self.now


def session_of(*names: str) -> Session:
    """The experiments of examples, as one session."""
    return Session(tuple(each for name in names for each in examples.example(name).session().experiments[:1]))


def presented(*names: str, kept: StateFile | None = None, time: Time | None = None) -> Presenting:
    made = Presenting(session_of(*names), time or Time(), kept=kept)
    made.fit(Room(100, 24))
    return made


def stand(state: WallState) -> tuple[int, Build]:
    return state.heading.number, state.build


def count(made: Presenting, letter: str, number: int) -> None:
    made.count_hands(letter)
    for digit in str(number):
        made.digit(digit)
    made.enter()


def two(tmp_path: Path, *names: str, time: Time) -> Callable[[], Presenting]:
    return lambda: presented(*names, kept=StateFile("/a/lesson.json", tmp_path), time=time)


def tell(made: Presenting, **more: Any) -> Presenting:
    """Has phones tell how a class stands, of the question that is on the wall."""
    of: dict[str, Any] = {"question": made.question_key(made.shared.experiment), "vote": made.shared.vote}
    made.hear(replace(CLASS, **of | more))
    return made


def on_wall(state: WallState) -> str:
    """All that is written on the wall."""
    lines = [*wall_head(state, 400), *wall_lines(state, 400, 200), *wall_lines(state, 400, 200, short=True)]
    return "\n".join("".join(span.text for span in line) for line in lines)
