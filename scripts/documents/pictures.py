# SPDX-License-Identifier: LGPL-2.1-or-later
"""Pictures and lesson pages that the commands of a page make, shown below those commands."""

import html
import os
import re
import shutil
import subprocess
import tempfile

# Commands, or a file with its name; and the screen that follows at once.
BLOCK = re.compile(r"^```(sh|(?:yaml|python) (\S+))\n(.*?)^```\n(?:\n```text\n.*?^```\n)?",
                   re.MULTILINE | re.DOTALL)
FILE = re.compile(r"[\w-]+\.(?:csv|json|yaml|html|py|txt|sqlite)\b")
MADE = re.compile(r"^ringscope .*(?:-o|--figure) ([\w-]+\.(svg|html))\b")
FIGURE = '\n<figure>{}<figcaption><a href="{{0}}">{{2}}</a></figcaption></figure>\n'
SHOWN = {"svg": FIGURE.format('<img src="{0}" alt="{1}">'),
         "html": FIGURE.format('<iframe src="{0}" title="{1}" loading="lazy"></iframe>')}


def needed(text):
    """[(end of its block, command)] that make something to show, or a file for one that does."""
    found, files = [], set()
    for block in reversed(list(BLOCK.finditer(text))):
        lines = re.sub(r"\\\n\s*", "", block[3]).replace(".png", ".svg").splitlines()
        if block[2]:
            lines = [f"cat >{block[2]} <<'END_OF_FILE'\n{block[3]}END_OF_FILE"]
        for command in reversed(lines):
            named = set(FILE.findall(command))
            if MADE.search(command) or named & files:
                found.insert(0, (block.end(), command))
                files |= named
    return found


def run(script, root, program, place):
    """Runs lines of bash in a folder. Failures make no picture, and are told by other tests."""
    build = os.path.dirname(program)
    added = {"RINGSCOPE_DATA": root, "PYTHONPATH": os.path.join(build, "python"),
             "PATH": f"{build}:{os.environ['PATH']}"}
    subprocess.run(["bash", "-c", script], cwd=place, env={**os.environ, **added},
                   stdin=subprocess.DEVNULL, capture_output=True)


def add(text, name, root, program, play):
    """The page's text with all that was made, which is put into the folder `play`."""
    found = needed(text)
    script = "\n".join(['ln -s "$RINGSCOPE_DATA"/* .', *(command for _, command in found)])
    with tempfile.TemporaryDirectory() as place:
        run(script, root, program, place)
        for end, command in reversed(found):
            made = MADE.search(command)
            if made and os.path.exists(os.path.join(place, made[1])):
                goal = f"{name}-{made[1]}"
                shutil.copy(os.path.join(place, made[1]), os.path.join(play, goal))
                shown = SHOWN[made[2]].format(f"../play/{goal}", html.escape(command), made[1])
                text = text[:end] + shown + text[end:]
    return text
