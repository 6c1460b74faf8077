"""Reads a recorded page as a browser does: its tree, its tables, and what its program is told of them."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from html.parser import HTMLParser
from typing import Any

VOID = {"meta", "input", "br"}


@dataclass
class Element:
    """An element, and what it holds: elements and texts."""

    name: str
    attributes: dict[str, str | None]
    held: list[Element | str] = field(default_factory=list)

    def all(self, name: str) -> list[Element]:
        """Every element of a name below this one, in the order of the page."""
        found: list[Element] = []
        for each in self.held:
            if isinstance(each, Element):
                found += [each] * (each.name == name) + each.all(name)
        return found

    def of_class(self, name: str) -> list[Element]:
        """Every element of a class below this one."""
        found: list[Element] = []
        for each in self.held:
            if isinstance(each, Element):
                found += [each] * (name in (each.attributes.get("class") or "").split()) + each.of_class(name)
        return found

    @property
    def text(self) -> str:
        return "".join(each if isinstance(each, str) else each.text for each in self.held)

    @property
    def tree(self) -> list[Any]:
        """Names and names of attributes, without a word of what is said."""
        below = [each.tree for each in self.held if isinstance(each, Element)]
        return [self.name, sorted(self.attributes), below]


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.root = Element("", {})
        self.open = [self.root]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        made = Element(tag, dict(attrs))
        self.open[-1].held.append(made)
        if tag not in VOID:
            self.open.append(made)

    def handle_endtag(self, tag: str) -> None:
        assert self.open[-1].name == tag, f"</{tag}> ends <{self.open[-1].name}>"
        self.open.pop()

    def handle_data(self, data: str) -> None:
        self.open[-1].held.append(data)


def parsed(page: str) -> Element:
    """The page's tree; every element is closed where it should be."""
    reader = _Reader()
    reader.feed(page)
    reader.close()
    assert reader.open == [reader.root]
    return reader.root


def experiments(page: str) -> list[Element]:
    return parsed(page).of_class("dmlviz")


def data_of(section: Element) -> Any:
    """What the page's program is told of an experiment."""
    (script,) = section.of_class("data")
    return json.loads(script.text)


def tables_of(section: Element) -> list[list[str]]:
    """The values of each table, row-major."""
    pictures = section.of_class("picture")
    tables = pictures[0].all("table") if pictures else []
    return [[value_of(td) for body in table.all("tbody") for td in body.all("td")] for table in tables]


def value_of(td: Element) -> str:
    """What a cell says, without its letter."""
    return "".join(each for each in td.held if isinstance(each, str))
