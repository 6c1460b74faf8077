"""A few mutated hand-ins, progress files and lessons."""

from __future__ import annotations

from support import mutated_lessons


def test_no_mutated_hand_in_progress_file_or_lesson_ends_in_a_traceback() -> None:
    assert not mutated_lessons.play(5, 0, 90)
