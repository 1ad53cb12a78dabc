"""Expressions that g++ 12 compiles to wrong programs: temporaries of a coroutine that it loses.

It copies or destroys a braced list, or the task that a conditional chose, while the coroutine that
awaits still needs it; nothing warns. Each gets a name, or a branch, of its own.
"""

import re

AWAIT = re.compile(r"\bco_await\b")
UNNAMED_LIST = re.compile(r"(?:^|[(,=?:{]|\breturn\b)\s*\{\s*[^\s}]")
OPENING, CLOSING = "([{", ")]}"


def operand_of(code, begin):
    """The expression that a co_await which ends at `begin` awaits, with its arguments."""
    depth = 0
    for end in range(begin, len(code)):
        letter = code[end]
        if letter in OPENING:
            depth += 1
        elif letter in CLOSING:
            depth -= 1
        if depth < 0 or depth == 0 and letter in ";,":
            return code[begin:end]
    return code[begin:]


def chooses(operand):
    """True of "(condition ? one : other)", whatever follows it."""
    operand = operand.lstrip()
    if not operand.startswith("("):
        return False
    depth = 0
    for letter in operand:
        depth += (letter in OPENING) - (letter in CLOSING)
        if letter == "?" and depth == 1:
            return True
        if depth == 0:
            return False
    return False


def breaches_in(code):
    """(line, what is wrong) in C++ without comments and strings."""
    for found in AWAIT.finditer(code):
        operand = operand_of(code, found.end())
        line = code.count("\n", 0, found.start()) + 1
        if chooses(operand):
            yield line, "co_await of a conditional, which g++ 12 loses: write an if"
        if UNNAMED_LIST.search(operand):
            yield line, "a braced list in a co_await, which g++ 12 loses: name it first"
