# SPDX-License-Identifier: LGPL-2.1-or-later
"""Links of a built site: does each lead to a page, and to an anchor in it, and is all here?"""

import html.parser
import os
import pathlib
import re
import urllib.parse

FETCHED = {("link", "href"), ("script", "src"), ("img", "src"), ("iframe", "src"),
           ("source", "src"), ("object", "data")}
# "data:,": a lesson page has no icon; pictures of notebooks are in their pages
ELSEWHERE = re.compile(r"(?:[a-z]+:)?//|data:(?!,$|image/png;)")
HEADINGS = ("h1", "h2", "h3")


def html_of(page):
    """The file that mkdocs makes of a page."""
    folder, name = os.path.split(page)
    name = "index.html" if name == "README.md" else name[:-3] + ".html"
    return os.path.join(folder, name)


class Page(html.parser.HTMLParser):
    """A page's anchors, links, what it fetches, and its words by headings."""

    def __init__(self, site, name):
        super().__init__()
        self.name = name
        self.anchors, self.links, self.fetched = set(), [], []
        self._sections = []
        self._in_main, self._heading, self._mark = False, False, False
        self.feed(pathlib.Path(site, name).read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        if "id" in given:
            self.anchors.add(given["id"])
        for key, value in attrs:
            if (tag, key) in FETCHED:
                self.fetched.append(value)
            elif (tag, key) == ("a", "href"):
                self.links.append(value)
        if tag in ("main", "footer"):
            self._in_main = tag == "main"
        if tag == "a":
            self._mark = given.get("class") == "headerlink"
        if self._in_main and tag in HEADINGS:
            self._heading = True
            self._sections.append([given.get("id", ""), "", []])

    def handle_endtag(self, tag):
        if tag == "main":
            self._in_main = False
        if tag == "a":
            self._mark = False
        if tag in HEADINGS:
            self._heading = False

    def handle_data(self, data):
        if not self._in_main or self._mark or not self._sections:
            return
        if self._heading:
            self._sections[-1][1] += data
        else:
            self._sections[-1][2].append(data)

    def sections(self):
        """[title of the page, address, heading, text]"""
        title = self._sections[0][1] if self._sections else self.name
        return [[title, f"{self.name}#{anchor}", heading, " ".join("".join(text).split())]
                for anchor, heading, text in self._sections]


def resolved(page, link):
    """(file, anchor) that a link of the page leads to."""
    address, _, anchor = map(urllib.parse.unquote, link.partition("#"))
    if not address:
        return page, anchor
    return os.path.normpath(os.path.join(os.path.dirname(page), address)), anchor


def broken(site):
    """Links without a goal, and what would be fetched from elsewhere, as sentences."""
    names = [os.path.relpath(os.path.join(folder, name), site)
             for folder, _, files in os.walk(site) for name in sorted(files)]
    pages = {name: Page(site, name) for name in sorted(names) if name.endswith(".html")}
    wrong = []
    for name, page in pages.items():
        wrong += [f"{name}: fetches '{link}' from elsewhere"
                  for link in filter(ELSEWHERE.match, page.fetched)]
        for link in page.links + page.fetched:
            if re.match(r"[a-z]+:|//", link):
                continue
            goal, anchor = resolved(name, link)
            if goal not in names:
                wrong.append(f"{name}: link to '{link}', which is not there")
            elif anchor and goal in pages and anchor not in pages[goal].anchors:
                wrong.append(f"{name}: link to '{link}', but {goal} has no such anchor")
    for name in names:
        if name.endswith(".css"):
            text = pathlib.Path(site, name).read_text(encoding="utf-8")
            wrong += [f"{name}: fetches '{address}' from elsewhere"
                      for address in re.findall(r"url\(['\"]?([^)'\"]+)|@import", text)
                      if not address or ELSEWHERE.match(address)]
    return wrong
