"""All that dmlviz uses of Textual's private parts, each with the reason; nothing else of the program names one.

Textual may change them in any release. `tests/test_source.py` looks whether each is there, whether one
of the same name has become public, and whether any other module uses one.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any, Generic, TypeVar

from rich.text import Text
from textual._xterm_parser import XTermParser  # what a terminal's bytes say
from textual.app import App
from textual.command import CommandList, CommandPalette
from textual.css.query import NoMatches
from textual.dom import DOMNode
from textual.keys import _character_to_key as key_of_character  # the name by which keymaps know a key
from textual.message import Message
from textual.message_pump import MessagePump
from textual.screen import Screen
from textual.widget import Widget
from textual.widgets.option_list import Option

__all__ = ["XTermParser", "key_of_character"]

ReturnType = TypeVar("ReturnType")


def bindings_of(node: DOMNode) -> Iterator[Any]:
    """All bindings of a widget, as keymaps have changed them; nothing public has those."""
    for bindings in node._bindings.key_to_bindings.values():
        yield from bindings


def rests(pump: MessagePump) -> bool:
    """True if a pump waits for messages; to ask by one, which is public, would wake it and delay the frame."""
    queue: Any = pump._message_queue
    return queue.empty() and bool(getattr(queue.ready_event, "_waiters", None))


def lay_out_now(screen: Screen[Any]) -> None:
    """Lays all of a screen out: now, and not once Textual's timer has had its turn."""
    for widget in screen.walk_children(Widget):
        if widget._layout_required:
            widget._check_refresh()  # says to what lies around it that it isn't as it was
    screen._refresh_layout()
    screen._layout_required = False


def draw_now(screen: Screen[Any]) -> None:
    """Draws what is wanted on a screen."""
    screen._on_timer_update()


def text_on(screen: Screen[Any]) -> str:
    """What stands on a screen, line by line."""
    return "\n".join(strip.text for strip in screen._compositor.render_strips())


class Palette(CommandPalette):
    """Textual's command palette, which neither a window of any size nor a hasty end brings down."""

    def _action_command_list(self, action: str) -> None:
        lists = self.query(CommandList)
        if action.startswith("page_") and not (lists and lists.first().scrollable_content_region.area):
            return
        super()._action_command_list(action)

    def _start_no_matches_countdown(self, search_value: str) -> None:
        self._stop_no_matches_countdown()
        self._no_matches_timer = self.set_timer(
            self._NO_MATCHES_COUNTDOWN, partial(self.say_no_matches, bool(search_value))
        )

    def say_no_matches(self, searched: bool) -> None:
        """Says that nothing was found; while the palette goes its list may be gone, which Textual doesn't expect."""
        lists = self.query(CommandList)
        if lists and searched:
            words = Text("No matches found", style="not bold", justify="center")
            lists.first().add_option(Option(words, disabled=True, id=self._NO_MATCHES))
        if lists:
            self._list_visible = searched

    def _watch__list_visible(self) -> None:
        if self.query(CommandList):  # which may be gone before what searches has ended
            super()._watch__list_visible()


class HookedApp(App[ReturnType], Generic[ReturnType]):
    """An `App` that hears of what drivers hand in, and of its faults; Textual has no public hook for either."""

    def takes_input(self, message: Message) -> bool:
        """True if the app keeps a message to handle it later, in its order; else Textual handles it now."""
        return False

    def end_by_fault(self, error: Exception) -> None:
        """Ends the program by a fault of its own."""
        raise NotImplementedError

    async def _post_message(self, message: Message) -> bool:
        return self.takes_input(message) or await super()._post_message(message)

    def _handle_exception(self, error: Exception) -> None:
        # Textual prints every local variable of every call, which takes seconds and fills the terminal.
        if not (self._exit and isinstance(error, NoMatches)):  # an app that ends makes no parts of a widget any more
            self.end_by_fault(error)


def end_by_fault(app: App[Any], error: Exception | None) -> None:
    """Ends an app at once, where public `App.exit` waits for messages; who runs it gets `error` raised, if any."""
    if error is not None:
        app._exception = error
        app._exception_event.set()
    app._exit = True
    app._close_messages_no_wait()


def is_ending(app: App[Any]) -> bool:
    """True once an app ends, when no key is handed on any more."""
    return app._exit


async def all_mounted(screen: Screen[Any]) -> None:
    """Waits until a screen is there with all that is in it now; `Widget.is_mounted` can't be waited for."""
    for node in [*screen.walk_children(with_self=True)]:
        await node._mounted_event.wait()


def focus_anew(screen: Screen[Any]) -> None:
    """Gives the focus to what a screen begins with where nothing has it, as `Screen.AUTO_FOCUS` says."""
    screen._update_auto_focus()
