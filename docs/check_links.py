"""Find links between the built pages that lead nowhere: ``python check_links.py build/site``."""

import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

LINKS = {"a": "href", "img": "src", "link": "href", "script": "src"}


class _Page(HTMLParser):
    """The links of a page, and the places in it that links can lead to."""

    def __init__(self, text):
        super().__init__()
        self.links, self.places = [], {"", "top"}
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        """Note the tag's id or name, and where it leads."""
        found = dict(attrs)
        self.places |= {found.get("id"), found.get("name")} - {None}
        link = found.get(LINKS.get(tag, ""))
        if link is not None:
            self.links.append(link)


def broken_links(folder):
    """Return pairs of page and link, for every link inside the folder without a target."""
    pages = {
        path: _Page(path.read_text(encoding="utf-8"))
        for path in folder.rglob("*.html")
        if path.relative_to(folder).parts[0] != "_static"  # templates of the theme
    }
    found = []
    for path, page in pages.items():
        for link in page.links:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            target = (
                (path.parent / unquote(parts.path)).resolve() if parts.path else path
            )
            if target.is_dir():
                target /= "index.html"
            place = unquote(parts.fragment)
            if not target.exists() or (
                target in pages and place not in pages[target].places
            ):
                found.append((path.relative_to(folder), link))
    return len(pages), sum(len(page.links) for page in pages.values()), found


if __name__ == "__main__":
    n_pages, n_links, broken = broken_links(Path(sys.argv[1]).resolve())
    for page, link in broken:
        print(f"{page}: {link}")
    print(f"{n_pages} pages, {n_links} links, {len(broken)} broken")
    sys.exit(1 if broken or not n_pages else 0)
