# SPDX-License-Identifier: LGPL-2.1-or-later
"""Coroutines that may read what is gone: what g++ 12 loses, and what parameters refer to.

g++ 12 copies or destroys a braced list, or the task that a conditional chose, while the coroutine
that awaits still needs it; nothing warns. Each gets a name, or a branch, of its own. A reference
parameter refers to an argument that may have gone when the task is resumed, as a temporary has; and
a lambda's captures go with the lambda. Both are passed by value, what is large by a pointer.
"""

import re

AWAIT = re.compile(r"\bco_await\b")
KEYWORD = re.compile(r"\bco_(?:await|return|yield)\b")
BODY = re.compile(r"\)\s*(?:(?:const|noexcept|override|final|mutable)\b\s*)*"
                  r"(?:->\s*[\w:<>]+\s*)?\{")
CAPTURES = re.compile(r"\[\s*[^\]\s][^\]]*\]\s*$")
CONTROL = re.compile(r"\b(?:if|for|while|switch|catch|constexpr)\s*$")
UNNAMED_LIST = re.compile(r"(?:^|[(,=?:{]|\breturn\b)\s*\{\s*[^\s}]")
OPENING, CLOSING = "([{", ")]}"


def depths(code, begin, step=1):
    """(place, letter, depth of brackets behind it) from `begin` on; backwards with step -1."""
    depth = 0
    for place in range(begin, len(code) if step > 0 else -1, step):
        depth += step * ((code[place] in OPENING) - (code[place] in CLOSING))
        yield place, code[place], depth


def operand_of(code, begin):
    """The expression that a co_await which ends at `begin` awaits, with its arguments."""
    ends = (end for end, letter, depth in depths(code, begin)
            if depth < 0 or depth == 0 and letter in ";,")
    return code[begin:next(ends, len(code))]


def chooses(operand):
    """True of "(condition ? one : other)", whatever follows it."""
    operand = operand.lstrip()
    for _, letter, depth in depths(operand, 0) if operand.startswith("(") else ():
        if depth == 0 or (letter == "?" and depth == 1):
            return depth == 1
    return False


def partner_of(code, place, step, without):
    """Place of the bracket that belongs to the one at `place`; `without` if there is none."""
    return next((other for other, _, depth in depths(code, place, step) if depth == 0), without)


def functions_in(code):
    """(parameters' begin, parameters, what stands before, body's begin and end) of each function.

    Lambdas count as functions, statements such as loops do not.
    """
    for found in BODY.finditer(code):
        begin = partner_of(code, found.start(), -1, -1)
        before = code[max(0, begin - 200):begin]
        if begin < 0 or CONTROL.search(before):
            continue
        body = found.end() - 1
        yield begin, code[begin + 1:found.start()], before, body, partner_of(
            code, body, 1, len(code))


def handed_in(code):
    """(line, what is wrong) of what coroutines refer to outside themselves."""
    functions = list(functions_in(code))
    for found in KEYWORD.finditer(code):
        around = [one for one in functions if one[3] < found.start() < one[4]]
        if not around:
            continue
        begin, parameters, before, _, _ = max(around, key=lambda one: one[3])
        line = code.count("\n", 0, begin) + 1
        if "&" in parameters:
            yield line, "a coroutine with a reference parameter: take a value, or a pointer"
        if CAPTURES.search(before):
            yield line, "a capturing lambda that is a coroutine: write a function"


def breaches_in(code):
    """(line, what is wrong) in C++ without comments and strings."""
    yield from sorted(set(handed_in(code)))
    for found in AWAIT.finditer(code):
        operand = operand_of(code, found.end())
        line = code.count("\n", 0, found.start()) + 1
        if chooses(operand):
            yield line, "co_await of a conditional, which g++ 12 loses: write an if"
        if UNNAMED_LIST.search(operand):
            yield line, "a braced list in a co_await, which g++ 12 loses: name it first"
