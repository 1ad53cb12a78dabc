#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Wording: no file has a phrase to replace, a long sentence or a long paragraph.

Usage: scripts/check_words.py
Phrases of scripts/words.txt count in Markdown, YAML comments and string literals of C++ and Python
outside tests; sentences over 30 words in Markdown and YAML comments; paragraphs over five lines in
Markdown. Fences, code spans, HTML comments, docstrings and targets of links never count, tables
only for phrases; a link is one word, a list no paragraph.
"""

import pathlib
import re
import sys

import check_folders

ROOT = pathlib.Path(__file__).resolve().parent.parent
WORDS = "scripts/words.txt"
SENTENCE, LINES = 30, 5  # words of a sentence, lines of a paragraph

FENCE = re.compile(r"^[ >]*(?:(?:[-*+]|\d+[.)]) +)?(?P<mark>`{3,}|~{3,})[^\n`]*$.*?"
                   r"(?:^[ >]*(?P=mark)[`~]*[ \t]*$|\Z)", re.MULTILINE | re.DOTALL)
HTML_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
CODE_SPAN = re.compile(r"(?<!`)(`+)(?!`)((?:(?!\n\s*\n).)+?)(?<!`)\1(?!`)", re.DOTALL)
LINK_TARGET = re.compile(r"\]\([^()]*(?:\([^()]*\)[^()]*)*\)|^\[[^\]]+\]: .*$", re.MULTILINE)
OPENING = re.compile(r"(?P<blank>[\s\-=*_]*$)|(?P<table>\s*\|)|(?P<heading>#{1,6}\s)|"
                     r"(?P<item>\s*(?:[-*+]|\d+[.)])\s)")
ABBREVIATIONS = ("e.g", "i.e", "cf", "vs", "ca", "approx", "fig", "eq", "sec", "resp", "incl")
SENTENCE_END = re.compile(
    "".join(rf"(?<!\b{re.escape(word)})" for word in ABBREVIATIONS) +
    r"(?:(?<!\betc)|(?=\.\s+(?-i:[A-Z])))(?<!\.\.)[.!?][\"'”’)\]*_]*(?=\s|$)", re.IGNORECASE)
CPP_TOKEN = re.compile(r'R"(?P<mark>[^(\s]*)\(.*?\)(?P=mark)"|"(?P<words>(?:\\.|[^"\\])*)"|'
                       r"(?<![0-9a-zA-Z])'(?:\\.|[^'\\\n])+'|//[^\n]*|/\*.*?\*/", re.DOTALL)
PYTHON_TOKEN = re.compile(  # three quotes that open a line: a docstring
    r"^[ \t]*r?(?P<doc>\"\"\"|''').*?(?P=doc)|#[^\n]*|"
    r"(?P<quote>\"\"\"|'''|\"|')(?P<words>(?:\\.|.)*?)(?P=quote)", re.DOTALL | re.MULTILINE)
TEST = check_folders.FOR_TESTS


def newlines(found):
    return "\n" * found[0].count("\n")


def plain(text):
    """Text with each code span as one word and without targets of links."""
    for pattern, word in ((CODE_SPAN, "Code"), (LINK_TARGET, "]")):
        text = pattern.sub(lambda found, word=word: word + newlines(found), text)
    return text


def markdown_blocks(text):
    """(first line, text, form) of headings, paragraphs, list items and table rows."""
    lines, first, form = [], 0, ""
    text = plain(HTML_COMMENT.sub(newlines, FENCE.sub(newlines, text)))
    for number, line in enumerate([*text.splitlines(), ""], 1):
        line = re.sub(r"^ {0,3}> ?", "", line)
        opened = (found := OPENING.match(line)) and found.lastgroup
        if lines and (opened or form in ("heading", "table")):
            yield first, "\n".join(lines), form
            lines = []
        if not lines:
            first, form = number, opened or ("item" if line.startswith("  ") else "paragraph")
        if form != "blank":
            lines.append(line)


def yaml_blocks(text):
    """All comments, line by line; a point ends those that the next line does not continue."""
    lines, column = [""], None
    for line in text.splitlines():
        bare = re.sub(r'"[^"]*"|(?<!\w)\'[^\']*\'', lambda quoted: "x" * len(quoted[0]), line)
        found = re.search(r"(?:^|(?<=\s))#", bare)
        words = line[found.end():].strip() if found and "SPDX-" not in line else ""
        if not words or line[:found.start()].strip() or found.start() != column:
            lines[-1] += " ." * bool(lines[-1])
        column = found.start() if words else None
        lines.append(words)
    yield 0, plain("\n".join(lines)), "comment"


def string_blocks(text, token):
    """Literals of two words or more, adjacent ones joined; fields count as a word each."""
    marked = token.sub(lambda found: f"\1{found['words']}\2" if found["words"] else newlines(found),
                       text)
    marked = re.sub(r"\x02(\s*)\w{0,2}\x01", r"\1", marked)  # a prefix may stand between: f, r, u8
    for found in re.finditer(r"\x01([^\x02]*)\x02", marked):
        words = re.sub(r"\{[^{}]*\}", " Value ", found[1].replace("\\n", "  "))
        if re.search(r"\w\s+\w", words):
            begins = re.match(r"[\"'(]*\w", words)  # else it continues another string
            yield marked.count("\n", 0, found.start()) + 1, "Value" * (not begins) + words, "string"


def blocks(path, text):
    if path.endswith(".md"):
        return markdown_blocks(text)
    if path.endswith((".yaml", ".yml")):
        return yaml_blocks(text)
    if path.endswith((".cpp", ".hpp", ".def")) and not TEST.search(path):
        return string_blocks(text, CPP_TOKEN)
    is_python = path.endswith(".py") or text.startswith("#!/usr/bin/python3")
    return string_blocks(text, PYTHON_TOKEN) if is_python and not TEST.search(path) else []


def sentences(text):
    """(offset, sentence), from its first word on."""
    start = 0
    for end in [*(found.end() for found in SENTENCE_END.finditer(text)), len(text)]:
        if word := re.search(r"\w", text[start:end]):
            yield start + word.start(), text[start + word.start():end]
        start = end


REPLACEMENTS = {phrase.lower(): instead for phrase, instead in (
    line.split(" -> ") for line in (ROOT / WORDS).read_text(encoding="utf-8").splitlines()
    if line and line[0] != "#")}
PHRASE = re.compile(r"(?<![\w/.'-])(?:%s)(?![\w/-]|\.\w)" % "|".join(
    re.escape(phrase).replace(r"\ ", r"\s+") for phrase in sorted(REPLACEMENTS, key=len)[::-1]))


def findings_in(path, text):
    """(line, message); a question may have phrases that begin with what."""
    for first, block, form in blocks(path, text):
        if form == "paragraph" and (lines := block.count("\n") + 1) > LINES:
            yield first, f"paragraph of {lines} lines, at most {LINES} allowed: split it"
        for offset, sentence in sentences(block):
            line = first + block.count("\n", 0, offset)
            words = len(re.findall(r"\S*\w\S*", re.sub(r"\[[^\]]*\]", "Link", sentence)))
            if words > SENTENCE and form not in ("table", "string"):
                yield line, f"sentence of {words} words, at most {SENTENCE} allowed: split it"
            for found in PHRASE.finditer("^" + sentence.lower()):
                phrase = " ".join(found[0].split())
                if not ("?" in sentence[-3:] and phrase.startswith(("what", "^what"))):
                    below = sentence.count("\n", 0, max(0, found.start() - 1))
                    yield line + below, f"'{phrase.strip('^')}': write '{REPLACEMENTS[phrase]}'"


def breaches_of(texts):
    """`texts`: {path: text}."""
    for path, text in texts.items():
        for line, message in findings_in(path, text):
            yield f"{path}:{line}: {message}"


def main():
    import check_style  # imports this module
    texts = {path: pathlib.Path(ROOT, path).read_text(encoding="utf-8", errors="replace")
             for path in check_style.project_files(ROOT)}
    breaches = list(breaches_of(texts))
    print("\n".join(breaches) or f"{len(texts)} files have no finding")
    sys.exit(len(breaches) > 0)


if __name__ == "__main__":
    main()
