# SPDX-License-Identifier: LGPL-2.1-or-later
"""Changes of a text that keep most of it: bytes, words, numbers, lines, structure.

Every function takes (random, text, other) and returns a new text, as bytes; `other` is a text of
the same kind to take pieces from. mutated() applies one to four of them.
"""

import re

BYTES = [b"\x00", b"\x1b[2J", b"\x7f", b"\xff", b"\xc3", b"\xe2\x82", b"\xef\xbb\xbf", b"\r\n",
         b"\t", b"\n", b" ", b"\"", b"'", b"#", b":", b": ", b"{", b"}", b"[", b"]", b",", b"-",
         b"&a", b"*a", b"!!int ", b"%", b"\\", b"/", b"<", b">", b"=", b"\xc2\xb5",
         b"\xe2\x80\xa8", b"\xed\xa0\x80", b"\xf4\x90\x80\x80"]
NUMBERS = [b"0", b"1", b"2", b"3", b"-1", b"0.5", b"7", b"64", b"1000", b"65536", b"1000000",
           b"2147483647", b"2147483648", b"4294967296", b"9223372036854775807",
           b"18446744073709551616", b"1e18", b"1e308", b"1e309", b"5e-324", b"1e-300", b"nan",
           b"inf", b"-0", b"0x10", b"1e", b"1.7976931348623157e308", b"99999999999999999999999"]
NUMBER = re.compile(rb"[-+]?\d[\d.]*(?:[eE][-+]?\d+)?")
TOKEN = re.compile(rb"\w+|\s+|[^\w\s]")
UNITS = [b"B", b"KiB", b"TiB", b"GB", b"s", b"ms", b"us", b"ns", b"ps", b"ns/B", b"Gbit/s", b"B/s",
         b"TB/s", b"bit/s", b"unlimited"]


def change_byte(random, text, _):
    at = random.randrange(len(text) + 1)
    length = random.choice([0, 0, 1, 1, 2, 8])
    new = random.choice([b"", random.choice(BYTES), bytes([random.randrange(256)])])
    return text[:at] + new + text[at + length:]


def replace_one(random, text, pattern, new):
    """`new` gets the match's bytes."""
    found = list(pattern.finditer(text))
    if not found:
        return text
    match = random.choice(found)
    return text[:match.start()] + new(match[0]) + text[match.end():]


def change_number(random, text, _):
    def new(old):
        if random.random() < 0.5:
            return random.choice(NUMBERS)
        factor = random.choice([0.001, 0.1, 0.5, 2, 3, 10, 1000, 1e6, 1e9])
        try:
            return b"%g" % (float(old) * factor)
        except ValueError:
            return random.choice(NUMBERS)
    return replace_one(random, text, NUMBER, new)


def change_unit(random, text, _):
    pattern = re.compile(rb"\b(?:" + b"|".join(map(re.escape, UNITS)) + rb")\b")
    return replace_one(random, text, pattern, lambda _: random.choice(UNITS))


def change_word(random, text, other):
    words = re.findall(rb"[\w./-]+", other) or [b"x"]
    word = random.choice(words)
    action = random.choice([lambda old: word, lambda old: b"", lambda old: old + b" " + old,
                            lambda old: old[::-1], lambda old: old[:-1], lambda old: old + word,
                            lambda old: old * random.choice([2, 50, 5000])])
    return replace_one(random, text, re.compile(rb"[\w./-]+"), action)


def swap_tokens(random, text, _):
    tokens = TOKEN.findall(text)
    if len(tokens) < 2:
        return text
    a, b = random.randrange(len(tokens)), random.randrange(len(tokens))
    tokens[a], tokens[b] = tokens[b], tokens[a]
    return b"".join(tokens)


def change_line(random, text, other):
    lines = text.splitlines(keepends=True) or [b""]
    at = random.randrange(len(lines))
    strange = random.choice(other.splitlines(keepends=True) or [b"\n"])
    action = random.randrange(6)
    if action == 0:
        del lines[at]
    elif action == 1:
        lines.insert(at, lines[at])
    elif action == 2:
        lines[at] = b" " * random.randrange(1, 5) + lines[at]
    elif action == 3:
        lines[at] = lines[at].lstrip()
    elif action == 4:
        lines.insert(at, strange)
    else:
        lines[at] = strange
    return b"".join(lines)


def change_structure(random, text, other):
    """A value becomes one of another kind; a part is cut, moved or repeated; deep nesting."""
    action = random.randrange(6)
    if action == 0:
        new = random.choice([b"[]", b"{}", b"[[]]", b"{a: b}", b"~", b"''", b"[1, 2, 3]", b"true",
                             b"[" * 80, b"{a: " * 70, b"|\n  x", b"- 1"])
        return replace_one(random, text, re.compile(rb"(?<=: )[^\n]*"), lambda _: new)
    begin, end = sorted((random.randrange(len(text) + 1), random.randrange(len(text) + 1)))
    if action == 1:
        return text[:begin]
    if action == 2:
        return text[:begin] + text[end:]
    if action == 3:
        end = min(end, begin + 200)
        return text[:begin] + text[begin:end] * random.choice([2, 3, 100]) + text[end:]
    if action == 4:
        at = random.randrange(len(other) + 1)
        return text[:begin] + other[at:at + random.choice([10, 100, 1000])] + text[begin:]
    return random.choice([b"", b"\n", text + text, text[::-1], b"\xef\xbb\xbf" + text,
                          text.replace(b"\n", b"\r\n")])


ALL = [change_byte, change_number, change_number, change_unit, change_word, swap_tokens,
       change_line, change_structure]


def mutated(random, text, other):
    """One to four changes; at most 200 kB, as more only costs time."""
    for _ in range(random.choice([1, 1, 1, 2, 2, 3, 4])):
        text = random.choice(ALL)(random, text, other)
    return text[:200000]


def mutated_words(random, words, others):
    """A command line: its words as bytes, with changes in or among them."""
    words = list(words)
    for _ in range(random.choice([1, 1, 2, 3])):
        at = random.randrange(len(words))
        strange = random.choice(random.choice(others))
        action = random.randrange(7)
        if action == 0 and len(words) > 1:
            del words[at]
        elif action == 1:
            words.insert(at, strange)
        elif action == 2:
            words[at] = strange
        elif action == 3:
            words.insert(at, words[at])
        else:
            words[at] = mutated(random, words[at], strange)
    return [tame(word) for word in words]


def tame(word):
    """A word as a command line can hold it, and that names no file outside the folder."""
    word = word.replace(b"\x00", b"").replace(b"..", b".")[:100000]
    return re.sub(rb"^(-\w|[^/]*=)?/+", rb"\1", word)
