"""A parser for pages that fails if a page is not well formed."""

from __future__ import annotations

from html.parser import HTMLParser
from itertools import pairwise

VOID = {"meta", "input", "br", "hr", "link", "img"}
RAW = {"script", "style"}


class Page(HTMLParser):
    """The tags, attributes and texts of a page; all tags must be closed in order."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str]]] = []
        self.texts: list[str] = []
        self.raw: dict[str, str] = {}
        self._open: list[str] = []
        self.feed(page)
        self.close()
        assert self._open == []

    def handle_starttag(self, tag, attributes):
        named = dict(attributes)
        assert len(named) == len(attributes), (tag, attributes)
        if tag == "title" and "svg" in self._open:
            tag = "svg-title"  # the text of a mark
        self.tags.append((tag, named))
        if tag not in VOID:
            self._open.append("title" if tag == "svg-title" else tag)

    def handle_endtag(self, tag):
        assert self._open.pop() == tag

    def handle_data(self, data):
        if self._open and self._open[-1] in RAW:
            self.raw[self._open[-1]] = data
        else:
            self.texts.append(data)

    @property
    def text(self) -> str:
        return "".join(self.texts)

    def named(self, tag: str) -> list[dict[str, str]]:
        """The attributes of all tags with a name."""
        return [attributes for name, attributes in self.tags if name == tag]

    @property
    def ids(self) -> list[str]:
        return [attributes["id"] for _, attributes in self.tags if "id" in attributes]


def check_page(html: str) -> Page:
    """Parse a page, and check that it is self-contained and that its links, headings and tables are valid."""
    page = Page(html)
    assert html.startswith("<!doctype html>")
    assert [len(page.named(tag)) for tag in ("script", "style", "h1", "main", "title")] == [1, 1, 1, 1, 1]
    outward = {"src", "srcset", "action", "data", "poster", "style", "xlink:href"}
    assert not [(tag, attributes) for tag, attributes in page.tags if outward & attributes.keys()]
    assert not [name for _, attributes in page.tags for name in attributes if name.startswith("on")]
    assert len(set(page.ids)) == len(page.ids)
    assert all(link["href"][:1] == "#" and link["href"][1:] in page.ids for link in page.named("a"))
    levels = [int(tag[1]) for tag, _ in page.tags if tag[0] == "h" and tag[1:].isdigit()]
    assert levels[0] == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))
    assert all("scope" in attributes for attributes in page.named("th"))
    for name in ("http:", "https:", "url(", "@import", "NaN", "None"):
        assert name not in html, name
    return page
