# SPDX-License-Identifier: LGPL-2.1-or-later
"""The site: sources laid out for mkdocs, built strictly, checked, and put into its place."""

import json
import os
import shutil
import subprocess
import tempfile

import yaml

from documents import links, pictures
from documents.sources import PageError, Sources, file_page


# The playground if it is built, and then pages of all lessons.
PLAY = """cp "${PATH%%:*}/web/index.html" . || exit
for file in "$RINGSCOPE_DATA/scenarios/lessons"/[0-9a-z]*.yaml; do
  name=$(basename "$file" .yaml); ringscope lesson "$name" -o "$name.html"
done"""


class SiteError(Exception):
    """A site that was not built; each reason stands on a line."""


def write(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def lay_out(sources, root, program, folder):
    """The pages, the theme and the configuration in a folder, as mkdocs expects them."""
    play = os.path.join(folder, "pages", "play")
    os.makedirs(play)
    pictures.run(PLAY, root, program, play)
    sources.config["extra"] = {"play": sorted(os.listdir(play))}
    for page in sources.pages:
        text = sources.text(page)
        if page.startswith(("how-to/", "tutorials/")):
            text = sources.text(page, lambda source, name=os.path.basename(page)[:-3]:
                                pictures.add(source, name, root, program, play))
        write(os.path.join(folder, "pages", page), text)
    for name in sources.files:
        write(os.path.join(folder, "pages", file_page(name)), sources.read(name))
    shutil.copytree(sources.path("docs/theme"), os.path.join(folder, "theme"))
    write(os.path.join(folder, "mkdocs.yml"),
          yaml.safe_dump({**sources.config, "docs_dir": "pages"}, sort_keys=False))


def build(root, program, target):
    """Builds the site into the folder `target`, which is left alone where something is wrong."""
    sources = Sources(root, program)
    target = os.path.abspath(target)
    os.makedirs(os.path.dirname(target), exist_ok=True)
    with tempfile.TemporaryDirectory(dir=os.path.dirname(target), prefix="site-") as folder:
        try:
            lay_out(sources, root, program, folder)
        except PageError as error:
            raise SiteError(str(error)) from None
        made = os.path.join(folder, "site")
        ran = subprocess.run(["mkdocs", "build", "--strict", "-d", made], cwd=folder,
                             capture_output=True, text=True)
        if ran.returncode != 0:
            raise SiteError("\n".join(line for line in (ran.stdout + ran.stderr).splitlines()
                                      if "WARNING" in line or "ERROR" in line))
        write_index(made, sources.pages)
        broken = links.broken(made)
        if broken:
            raise SiteError("\n".join(broken))
        shutil.rmtree(target, ignore_errors=True)
        os.rename(made, target)
    return len(sources.pages)


def write_index(site, pages):
    """Rows that the search looks through, [page, address, heading, text], as a script."""
    rows = [row for page in pages for row in links.Page(site, links.html_of(page)).sections()]
    write(os.path.join(site, "words.js"),
          "var words = " + json.dumps(rows, ensure_ascii=False, separators=(",", ":")) + ";\n")
