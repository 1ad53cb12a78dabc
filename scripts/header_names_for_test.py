# SPDX-License-Identifier: LGPL-2.1-or-later
"""Names that a C++ header declares at namespace scope and names that it uses, read as text.

Relies on the project's style: types are in PascalCase, all else is in snake_case, and clang-format
sets the spaces. No scope is followed: a parameter, variable or member of a header counts in all of
that header.
"""

import re

from check_style import code_only

TOKEN = re.compile(r"[A-Za-z_]\w*|\d[\w.']*|::|->|==|\.\.\.|\S")
WORD = re.compile(r"[A-Za-z_]\w*\Z")
# A class whose members are defined outside it, or from which another one inherits.
INSIDE = re.compile(r"\b(\w+)(?:<[\w, ]*>)?::~?\w+\(|\b(?:class|struct) \w+(?: final)? : "
                    r"(?:public |private )?(?:\w+::)*(\w+)")
BOUND = re.compile(r"\bauto\s*&*\s*\[([^\]]*)\]")  # structured bindings
OPENING, CLOSING = set("([{"), set(")]}")
TYPES = {"class", "struct", "enum", "union"}
WITH_ARGUMENTS = {"alignas", "decltype", "explicit", "noexcept", "requires", "__attribute__"}
# A name after one of these is used, not declared.
BEFORE_USE = set(
    "return co_return co_await co_yield throw case goto new delete else do not and or operator "
    "public private protected virtual const sizeof typename requires".split())
AFTER_VARIABLE = {";", "=", "{"}
AFTER_DECLARED = AFTER_VARIABLE | {",", ")", "(", "[", ":"}


def outside_angles(words):
    """Words of a declaration up to its "=", without template arguments, and those from it on."""
    found, depth = [], 0
    for at, word in enumerate(words):
        if word == "=" and depth == 0:
            return found, words[at:]
        depth += (word == "<") - (word == ">")
        if depth == 0 and word != ">":
            found.append(word)
    return found, []


def names_declared(words):
    """Names that a statement declares at namespace scope; its brackets are given without content.

    None for members defined outside their class, operators, and macros.
    """
    head, rest = outside_angles(words)
    if not head or {"operator", "static_assert"} & set(head):
        return []
    if head[0] == "using":
        return [head[1] if rest else head[-1]]
    end = next((at for at, word in enumerate(head) if at and word in ("(", "{", "[", ":")
                and head[at - 1] not in WITH_ARGUMENTS), len(head))
    head = [word for word in head[:end] if word != "final"]
    if len(head) < 2 or not WORD.match(head[-1]) or head[-2] == "::":
        return []
    return [head[-1]] + [name for comma, name, after in zip(rest, rest[1:], rest[2:] + [";"])
                         if comma == "," and WORD.match(name) and after in AFTER_VARIABLE]


def is_forward(words):
    """Whether a statement declares a type without its definition."""
    head, _ = outside_angles(words)
    return "{" not in words and bool(TYPES & set(head)) and "enum" not in head


def has_body(words):
    """Whether the brace after these words opens a function's body, behind which no ";" follows."""
    head, _ = outside_angles(words)
    return "(" in head and not (TYPES | {"concept", "using"}) & set(head)


class HeaderNames:
    """Names in the text of one header.

    declared, forward: {name: namespaces} of what it declares, and of types that it only announces.
    own: its parameters, variables, and members of classes, types among them.
    inside: classes of other headers, too, whose members it names as in a member of theirs.
    """

    def __init__(self, text):
        self._code = code_only(text)
        found = list(TOKEN.finditer(self._code))
        self._tokens = [one[0] for one in found] + ["", "", ""]
        self._begins = [one.start() for one in found]
        self._closing = self._pair_brackets()
        self._enumerators = self._find_enumerators()
        self._spaces = []  # (first token, end, name) of each namespace
        self.declared, self.forward = {}, {}
        self._read_namespace(0, len(found), "")
        self.inside = {one or other for one, other in INSIDE.findall(self._code)}
        self.own = {self._tokens[at] for at in range(len(found))
                    if at not in self._enumerators and self.declares(at)}
        self.own -= {name for name in (*self.declared, *self.forward) if name[0].isupper()}
        self.own |= {name for names in BOUND.findall(self._code) for name in names.split(", ")}

    def _pair_brackets(self):
        closing, open_ = {}, []
        for at, token in enumerate(self._tokens):
            if token in OPENING:
                open_.append(at)
            elif token in CLOSING and open_:
                closing[open_.pop()] = at
        return closing

    def _find_enumerators(self):
        found = set()
        for at, token in enumerate(self._tokens):
            if token == "enum":
                while self._tokens[at] not in AFTER_VARIABLE | {""}:
                    at += 1
                found |= {place + 1 for place in range(at, self._closing.get(at, at))
                          if self._tokens[place] in ("{", ",")}
        return found

    def _read_namespace(self, begin, end, name):
        self._spaces.append((begin, end, name))
        words, at = [], begin  # words: of one statement, without those in brackets
        while at < end:
            token = self._tokens[at]
            last = self._closing.get(at, at)
            if token == "{" and (words[:1] == ["namespace"] or words == ["extern"]):
                inner = "".join(words[1:])
                self._read_namespace(at + 1, last, "::".join(filter(None, (name, inner))))
                words = []
            elif token == ";" or token == "{" and has_body(words):
                kept = self.forward if is_forward(words) else self.declared
                for declared in names_declared(words):
                    kept.setdefault(declared, set()).add(name)
                words = []
            elif self._tokens[at:at + 2] != ["[", "["]:  # no attribute
                words.append(token)
            at = last + 1

    def _spaced(self, at):
        return self._code[self._begins[at] - 1].isspace()

    def declares(self, at):
        """Whether a token is a name that is declared there, in any scope."""
        name, before, after = self._tokens[at], self._tokens[at - 1], self._tokens[at + 1]
        if not WORD.match(name):
            return False
        if at in self._enumerators:
            return True
        if before in TYPES | {"concept"}:
            return after != "::"
        if before in ("typename", "using"):
            return after in ("=", ",", ">")
        if name[0].isupper() or after not in AFTER_DECLARED:
            return False
        if after == "=" or before == "," and self._ends_statement(at):
            return True
        first = at - 1
        while first and self._tokens[first] in ("&", "*", "..."):
            first -= 1
        if first < at - 1:  # `Type& name`, but not `value & name`
            return not self._spaced(first + 1)
        return before == ">" and not self._spaced(first) or \
            bool(WORD.match(before)) and before not in BEFORE_USE

    def _ends_statement(self, at):
        """Whether a ";" and no closing bracket follows a token."""
        while self._tokens[at] not in CLOSING | {";", ""}:
            at = self._closing.get(at, at) + 1
        return self._tokens[at] == ";"

    def needs_definition(self, at):
        """Whether a type is a base or has an object or a member there: announcing it is too little.
        A pointer to a member of it needs no more.
        """
        before, (after, second) = self._tokens[at - 1], self._tokens[at + 1:at + 3]
        return after == "::" and second != "*" or before in ("public", "private", "protected") or \
            after in ("(", "{") and before in (":", "=", ",", "(", "{", "return") or \
            bool(WORD.match(after)) and second in AFTER_VARIABLE

    def line(self, at):
        return self._code.count("\n", 0, self._begins[at]) + 1

    def namespace(self, at):
        """Namespace in which a token is: "a::b"."""
        return max(space for space in self._spaces if space[0] <= at < space[1])[2]

    def uses(self):
        """(token, [a, b, c] for a::b::c) of each name but members of objects."""
        at = 0
        while at < len(self._begins):
            first, chain = at, [self._tokens[at]]
            while self._tokens[at + 1] == "::" and WORD.match(self._tokens[at + 2]):
                at += 2
                chain.append(self._tokens[at])
            if WORD.match(chain[0]) and self._tokens[first - 1] not in (
                    ".", "->", "::", "namespace"):
                yield first, chain
            at += 1
