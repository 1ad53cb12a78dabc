#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Are the sources in the style of the house? Prints each breach as path:line: what is wrong.

Run by ctest. By hand: scripts/check_style.py [ROOT].
"""

import ast
import io
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tokenize

import yaml

import check_coroutines
import check_folders
import check_paths
import check_words

COLUMNS = 100
FUNCTION_LINES = 60
FILE_LINES = 330
CLASS_LINES = 700  # of a .cpp that holds one class
README_LINES = 150
FORMATTER_VERSION = "14"  # others lay out some lines differently

CPP = (".cpp", ".hpp", ".def")
CODE = CPP + (".py", "CMakeLists.txt", ".sh", "")
LICENSED = CPP + (".py", ".pyi", ".c", ".h", ".cu", ".cuh", ".js", ".css", ".cmake",
                  "CMakeLists.txt", "")
WIDE = (".md", ".ipynb", ".csv", ".txt", ".log", ".json", ".xml", "LICENSE")  # tables, screens

LAYERS = yaml.safe_load(pathlib.Path(__file__).with_name("layers.yaml").read_text(encoding="utf-8"))
SIMGRID_HOME = "sim/kernel/simgrid/"
SIMGRID_USERS = (SIMGRID_HOME, "benchmarks/packets.cpp")  # a program of SimGrid's alone

LICENCE = "SPDX-License-Identifier: LGPL-2.1-or-later"
LICENCE_LINE = re.compile(rf"\A(#!.*\n)?(?://|#|/\*) {re.escape(LICENCE)}(?: \*/)?\n")
UNFINISHED = re.compile(r"\b(TO" r"DO|FIX" r"ME|XX" r"X)\b")
PYTHON_PATH = re.compile(r"\bsys\.pa" r"th\b")  # packages are found from the project's root
BANNED_WORDS = {"Util", "Utils", "Utility", "Utilities", "Helper", "Helpers", "Manager", "Impl"}
TYPE_NAME = re.compile(r"\b(?:class|struct|enum|union|concept|using)\s+(?:class\s+)?"
                       r"(?:\[\[\w+\]\]\s*)?(\w+)\s*(?=[{:=;]|final\b|$)")
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')
NOT_CODE = re.compile(
    r'R"(?P<mark>[^(\s]*)\(.*?\)(?P=mark)"|"(?:\\.|[^"\\\n])*"|'
    r"(?<![0-9a-zA-Z])'(?:\\.|[^'\\\n])+'|//[^\n]*|/\*.*?\*/", re.DOTALL)
MEMBER = re.compile(r"^(?:\S.*[ *&])?([A-Z]\w+)::~?\w+\(", re.MULTILINE)  # and its class
VAGUE_BEGINNING = re.compile(r"(?:(?://+<?|#+)\s*)?(Of|That|What|Whom|Whose)\b")
NOT_A_FUNCTION = re.compile(r"\b(namespace|class|struct|enum|union|extern|concept)\b(?![^(]*\()")


def project_files(root):
    """Paths below root, sorted, without what is built, hidden or binary."""
    found = []
    for folder, folders, files in os.walk(root):
        if "pyvenv.cfg" in files:  # Python's packages
            files, folders[:] = [], []
        folders[:] = sorted(
            name for name in folders
            if (name == ".ci" or not name.startswith((".", "build"))) and
            name not in ("out", "results", "__pycache__"))  # results: written by programs
        for name in sorted(files):
            path = os.path.relpath(os.path.join(folder, name), root)
            binary = name.endswith((".png", ".pyc", ".et", ".gz", ".xz")) or ".sqlite" in name
            if not binary and (name == ".clang-format" or name[0] != "."):
                found.append(path)
    return found


def kind_of(path):
    name = os.path.basename(path)
    return name if name in ("CMakeLists.txt", "LICENSE") else os.path.splitext(name)[1]


def is_python(path, text):
    return path.endswith(".py") or text.startswith("#!/usr/bin/python3")


def check_lines(path, text):
    for number, line in enumerate(text.splitlines(), 1):
        if len(line) > COLUMNS and not path.endswith(WIDE):
            yield number, f"{len(line)} columns, at most {COLUMNS} are allowed"
        if word := UNFINISHED.search(line):
            yield number, f"{word[0]}: finish it, or open an issue"
        if PYTHON_PATH.search(line) and is_python(path, text):
            yield number, "Python's path stays as it is: start modules at the root, python3 -m"


def without_licence(text):
    """Source text without its SPDX line, which no limit counts."""
    return LICENCE_LINE.sub(lambda found: found[1] or "", text)


def check_licence(path, text):
    hidden = os.path.basename(path).startswith(".")
    licensed = kind_of(path) in LICENSED and not hidden or text.startswith("#!")
    if licensed and text and not LICENCE_LINE.match(text):
        yield 1, f"expected '{LICENCE}' in a comment on the first line, or below '#!'"


def check_file_length(path, text):
    lines = without_licence(text).count("\n")
    one_class = kind_of(path) == ".cpp" and len(set(MEMBER.findall(text))) == 1
    most = CLASS_LINES if one_class else FILE_LINES
    if kind_of(path) in CODE and lines > most:
        yield 1, f"{lines} lines, at most {most} are allowed: split it by topic"
    if path == "README.md" and lines > README_LINES:
        yield 1, f"{lines} lines, at most {README_LINES} are allowed"


def code_only(text):
    """C++ with comments, strings and preprocessor lines blanked; lines stay where they are."""
    blank = NOT_CODE.sub(lambda found: re.sub(r"[^\n]", " ", found[0]), text)
    return re.sub(r"^[ \t]*#(?:.*\\\n)*.*$", lambda found: re.sub(r"[^\n]", " ", found[0]), blank,
                  flags=re.MULTILINE)


def cpp_functions(text):
    """(first line, last line) of every outermost function body with its signature."""
    code = code_only(text)
    opened = []  # per open brace: the offset where its function begins, None for other braces
    head = 0
    for offset, letter in enumerate(code):
        if letter == "{":
            signature = code[head:offset]
            inside = any(start is not None for start in opened)
            is_function = "(" in signature and not NOT_A_FUNCTION.search(signature)
            begin = offset - len(signature.lstrip())
            opened.append(begin if is_function and not inside else None)
        elif letter == "}" and opened:
            start = opened.pop()
            if start is not None:
                yield code.count("\n", 0, start) + 1, code.count("\n", 0, offset) + 1
        if letter in "{};":
            head = offset + 1


def check_functions(path, text):
    functions = []
    if path.endswith(CPP):
        functions = cpp_functions(text)
    elif is_python(path, text):
        functions = [(node.lineno, node.end_lineno) for node in ast.walk(ast.parse(text))
                     if isinstance(node, ast.FunctionDef)]
    for first, last in functions:
        if last - first + 1 > FUNCTION_LINES:
            yield first, (f"a function of {last - first + 1} lines, "
                          f"at most {FUNCTION_LINES} are allowed")


def check_names(path, text):
    stem = os.path.splitext(os.path.basename(path))[0]
    for word in stem.split("_"):
        if word.capitalize() in BANNED_WORDS:
            yield 1, f"'{word}' in a file's name is vague: name what it does"
    if not path.endswith(CPP):
        return
    for number, line in enumerate(code_only(text).splitlines(), 1):
        for name in TYPE_NAME.findall(line):
            for word in re.findall(r"[A-Z][a-z0-9]*", name):
                if word in BANNED_WORDS and name != "NetZoneImpl":  # SimGrid's own
                    yield number, f"'{word}' in {name} is vague: name what it does"


def cpp_comments(text):
    """(line, column, comment) of every // comment."""
    for found in NOT_CODE.finditer(text):
        if found[0].startswith("//"):
            line_start = text.rfind("\n", 0, found.start()) + 1
            yield text.count("\n", 0, found.start()) + 1, found.start() - line_start, found[0]


def python_comments(text):
    """(line, column, comment) of every # comment."""
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            yield *token.start, token.string


def docstrings(text):
    """(line, docstring) of the module, its classes and functions."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)):
            if words := ast.get_docstring(node):
                yield node.body[0].lineno, words


def first_lines(comments):
    """(line, comment) of the lines that do not go on with a comment above them."""
    before = None
    for line, column, comment in comments:
        if before != (line - 1, column):
            yield line, comment
        before = None if LICENCE in comment else (line, column)


def check_comments(path, text):
    beginnings = []
    if path.endswith(CPP):
        beginnings = first_lines(cpp_comments(text))
    elif is_python(path, text):
        beginnings = [*first_lines(python_comments(text)), *docstrings(text)]
    for line, words in beginnings:
        if vague := VAGUE_BEGINNING.match(words):
            yield line, f"a comment that begins with '{vague[1]}': begin with a noun or an action"


def check_includes(path, text):
    if not path.endswith(CPP):
        return
    layer = max((one for one in LAYERS if path.startswith(one + "/")), key=len, default=None)
    for number, line in enumerate(text.splitlines(), 1):
        found = INCLUDE.match(line)
        if not found:
            continue
        bracket, name = found.groups()
        if re.match(r"(simgrid|xbt)\b", name) and not path.startswith(SIMGRID_USERS):
            yield number, f"only {SIMGRID_HOME}* may include SimGrid, got {name}"
        if layer is None:
            continue
        in_test = check_folders.FOR_TESTS.search(path) is not None
        below = ("base/", *LAYERS[layer], *["scripts/testing/"] * in_test)
        if bracket == '"' and not name.startswith(below):
            yield number, f"{layer} may include {' '.join(below)} only, got {name}"
        plain = re.fullmatch(r"[a-z_]+|fmt/\w+\.h" + (r"|g(test|mock)/\w+\.h" * in_test), name)
        if bracket == "<" and layer in ("algorithms", "nccl") and not plain:
            yield number, f"{layer} may include std and fmt only, got <{name}>"


def check_header(path, text):
    if not path.endswith(".hpp"):
        return
    if not without_licence(text).startswith("//"):
        yield 1, "a header opens with a comment that describes it"
    if "#pragma once" not in text.splitlines():
        yield 1, "#pragma once is missing"


def check_awaited(path, text):
    return check_coroutines.breaches_in(code_only(text)) if path.endswith(CPP) else []


RULES = [check_lines, check_licence, check_file_length, check_functions, check_names,
         check_comments, check_includes, check_header, check_awaited]


def breaches_in(path, text, rules=RULES):
    """All breaches of one file as "path:line: what is wrong"."""
    if path == "LICENSE":
        return []
    return [f"{path}:{line}: {what}" for rule in rules for line, what in rule(path, text)]


def check_format(root, paths):
    """Errors of clang-format itself."""
    formatter = shutil.which("clang-format")
    if not formatter:
        print("SKIP layout: clang-format is not installed")
        return []
    version = subprocess.run([formatter, "--version"], capture_output=True, text=True).stdout
    if f"version {FORMATTER_VERSION}." not in version:
        print(f"SKIP layout: needs clang-format {FORMATTER_VERSION}, found {version.strip()}")
        return []
    sources = [path for path in paths if path.endswith((".cpp", ".hpp"))]
    if not sources:
        return []
    ran = subprocess.run([formatter, "--dry-run", "--Werror", *sources], cwd=root,
                         capture_output=True, text=True)
    first = {}
    for path, line in re.findall(r"^(.+?):(\d+):\d+: error: ", ran.stderr, re.MULTILINE):
        first.setdefault(path, line)
    return [f"{path}:{line}: not as clang-format lays it out: run clang-format -i {path}"
            for path, line in first.items()]


def main():
    root = sys.argv[1] if len(sys.argv) > 1 else os.path.join(os.path.dirname(__file__), "..")
    if not os.path.isdir(root):
        sys.exit(__doc__)
    paths = project_files(root)
    texts, breaches = {}, []
    for path in paths:
        try:
            texts[path] = pathlib.Path(root, path).read_text(encoding="utf-8")
        except UnicodeDecodeError as error:
            breaches.append(f"{path}:1: not UTF-8 at byte {error.start}: a source is text")
    breaches += [breach for path, text in texts.items() for breach in breaches_in(path, text)]
    breaches += check_folders.breaches_of(
        {path: text for path, text in texts.items() if path.endswith(CPP)})
    breaches += check_paths.breaches_of(root, texts)
    breaches += check_words.breaches_of(texts)
    breaches += check_format(root, paths)
    print("\n".join(breaches) or f"{len(paths)} files are in style")
    sys.exit(1 if breaches else 0)


if __name__ == "__main__":
    main()
