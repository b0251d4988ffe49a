"""Check a built documentation site without a network: python tests/check_site.py site

Every link leads to a page of the site and to an anchor of that page, and no page requests anything from elsewhere.
"""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass, field
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

# Attributes whose address a browser requests when it shows the page. Links (a href) are not requested.
_REQUESTED = {
    "script": ("src",),
    "link": ("href",),
    "img": ("src", "srcset"),
    "iframe": ("src",),
    "source": ("src", "srcset"),
    "video": ("src", "poster"),
    "audio": ("src",),
    "object": ("data",),
    "embed": ("src",),
    "image": ("href", "xlink:href"),
    "use": ("href", "xlink:href"),
}
_NOT_FETCHED = {"canonical", "prev", "next", "edit"}  # values of rel that browsers do not request
_STYLE_ADDRESS = re.compile(r"@import\s+(?:url\(\s*)?[\"']?([^\"'; )]+)|url\(\s*[\"']?(?!data:|#)([^\"') ]+)")


@dataclass
class _Page(HTMLParser):
    """Anchors, links and requested addresses of one page."""

    path: Path
    anchors: set[str] = field(default_factory=set)
    links: list[str] = field(default_factory=list)
    requested: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__()
        self.feed(self.path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        self.anchors |= {given[name] for name in ("id", "name") if name in given}
        if tag == "a" and "href" in given:
            self.links.append(given["href"])
        if not _NOT_FETCHED & set(given.get("rel", "").split()):
            self.requested += [given[name] for name in _REQUESTED.get(tag, ()) if name in given]
        self.requested += _style_addresses(given.get("style", ""))


def _style_addresses(text: str) -> list[str]:
    return ["".join(found) for found in _STYLE_ADDRESS.findall(text)]


@cache
def _page(path: Path) -> _Page:
    return _Page(path)


def _is_outside(address: str) -> bool:
    return bool(re.match(r"(?!data:|blob:)\w+:|//", address.strip()))


def outside_requests(site: Path) -> list[str]:
    """Return "page: address" for everything that a page or a style sheet requests from elsewhere."""
    found = [(path, _page(path).requested) for path in sorted(site.rglob("*.html"))]
    found += [(path, _style_addresses(path.read_text(encoding="utf-8"))) for path in sorted(site.rglob("*.css"))]
    return [
        f"{path.relative_to(site)}: {address}"
        for path, addresses in found
        for address in addresses
        if _is_outside(address)
    ]


def broken_links(site: Path) -> list[str]:
    """Return "page: address" for every link and requested file that leads nowhere inside the site."""
    broken = []
    for path in sorted(site.rglob("*.html")):
        page = _page(path)
        for address in [*page.links, *page.requested]:
            if not _is_outside(address) and not address.startswith(("data:", "mailto:")) and not _leads(path, address):
                broken.append(f"{path.relative_to(site)}: {address}")
    return broken


def _leads(path: Path, address: str) -> bool:
    parts = urlsplit(address)
    target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
    if target.is_dir():
        target /= "index.html"
    if not target.is_file():
        return path.name == "404.html"  # its links are from the root of a server
    fragment = unquote(parts.fragment)
    return not fragment or target.suffix != ".html" or fragment in _page(target).anchors


def main() -> int:
    """Print what is wrong with the site named on the command line; return the exit status."""
    site = Path(sys.argv[1]).resolve()
    pages = list(site.rglob("*.html"))
    wrong = [f"requests from elsewhere: {one}" for one in outside_requests(site)]
    wrong += [f"leads nowhere: {one}" for one in broken_links(site)]
    print(*wrong, f"{len(pages)} pages, {len(wrong)} problems", sep="\n")
    return bool(wrong) or not pages


if __name__ == "__main__":
    raise SystemExit(main())
