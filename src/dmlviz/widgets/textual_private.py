"""All that the widgets, the screens and the app use of Textual's private parts, each with its reason.

Textual may change them in any release. `tests/screens/test_textual_private.py` looks for each of them, and whether what
is public does the same by now: then it goes.
"""

from __future__ import annotations

from textual import events
from textual.dom import DOMNode
from textual.widgets import Input


def actions_of(node: DOMNode, key: str) -> list[str]:
    """The actions that a widget's own bindings have for a key.

    `DOMNode._bindings` is asked, as what is public (`Screen.active_bindings`) knows one binding for each key, and only
    those of the widget that has the focus by now.
    """
    return [binding.action for binding in node._bindings.key_to_bindings.get(key, ())]


async def type_into(field: Input, event: events.Key) -> None:
    """Types a key's character into a field: `Input._on_key` has the cursor seen while it is typed, too."""
    await field._on_key(event)
