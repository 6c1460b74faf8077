"""The footer: the keys that work now, whole entries only, drawn anew only where it says something else."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from textual.dom import DOMNode

from dmlviz.widgets.bars.footer_line import LAST, Entry, fitting, ordered

NODE = DOMNode()
IDS = (
    "steps.play",
    "steps.back",
    "steps.forward",
    "fix.first",
    "rules.next",
    "session.open",
    "app.keys",
    "app.palette",
)


def entry(id_: str, key: str = "k", what: str = "do") -> Entry:
    return Entry(id=id_, keys=(key,), what=what, actions=("act",), node=NODE)


def entries() -> st.SearchStrategy[list[Entry]]:
    words = st.text("abcdef", min_size=1, max_size=12)
    return st.lists(st.builds(entry, st.sampled_from((*IDS, "", "later.thing", "another.thing")), words, words))


@given(entries(), st.integers(0, 200), st.sampled_from([2, 3]))
def test_whole_entries_fit_and_the_last_ones_stay(found: list[Entry], room: int, gap: int) -> None:
    every = ordered(found)
    shown = fitting(every, room, gap)
    ends = [e for e in every if e.id in LAST]
    assert shown[len(shown) - len(ends) :] == ends
    firsts = shown[: len(shown) - len(ends)]
    assert firsts == [e for e in every if e.id not in LAST][: len(firsts)]
    length = sum(len(e.text) for e in shown) + gap * max(0, len(shown) - 1)
    assert length <= room or shown == ends
    rest = [e for e in every if e.id not in LAST][len(firsts) :]
    if rest and length <= room:
        assert length + gap * bool(shown) + len(rest[0].text) > room
