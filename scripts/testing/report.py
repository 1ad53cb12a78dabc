# SPDX-License-Identifier: LGPL-2.1-or-later
"""Passes on what ctest prints, with a report before its summary: slowest tests, cases, failures.

Usage: ctest ... | python3 scripts/testing/report.py LOG, where LOG is ctest's LastTest.log.
At a terminal, tests that pass share one line.
"""

import re
import sys

ENDED = re.compile(r" *\d+/\d+ +Test +#\d+: (\S+) \.*\s*(?:\*\*\*)?(.*?) +([\d.]+) sec")
STARTED = re.compile(r" +Start +\d+: ")
SUMMARY = re.compile(r"\d+% tests passed, ")
SECTION = re.compile(r"^\d+/\d+ Test: (\S+)\n.*?\nOutput:\n-+\n(.*?)^<end of output>", re.M | re.S)
CASE = r"([\w/]+\.[\w/]+)"
STARTED_CASE = re.compile(rf"^\[ RUN      \] {CASE}", re.M)
ENDED_CASE = re.compile(rf"^\[ +(?:OK|SKIPPED|FAILED) +\] {CASE}", re.M)
FAILED_CASE = re.compile(rf"^\[  FAILED  \] {CASE}", re.M)
FAILED_PYTHON = re.compile(r"^(?:FAIL|ERROR): (\S+)(?: \([^)]*\))?(.*)", re.M)
RAN_PYTHON = re.compile(r"^Ran (\d+) tests? in ", re.M)
SLOWEST = 10


def failed_cases(test, output):
    """Names of a test's cases that failed, or had not ended when it did."""
    ended = ENDED_CASE.findall(output)
    names = FAILED_CASE.findall(output)
    names += [name for name in STARTED_CASE.findall(output) if name not in ended]
    found = [test.split(name.split(".")[0])[0] + name for name in dict.fromkeys(names)]
    return found + [f"{test}: {name}{more}" for name, more in FAILED_PYTHON.findall(output)]


def skip_reason(output):
    reason = re.search(r"^SKIP (?:\S+: )?(.*)", output, re.M)
    return f": {reason[1]}" if reason else ""


def block(title, lines):
    return ["", f"{title}:", *(f"  {line}" for line in lines)] if lines else []


def report(results, log):
    """Lines about `results`, {test: (status, seconds)}, whose output is in `log`."""
    outputs = {name: output for name, output in SECTION.findall(log) if name in results}
    slowest = sorted(results.items(), key=lambda one: -one[1][1])[:SLOWEST]
    lines = block("Slowest tests", [f"{seconds:6.1f} s  {name}" for name, (_, seconds) in slowest])
    lines += block("Skipped tests", [name + skip_reason(outputs.get(name, ""))
                                     for name, (status, _) in results.items()
                                     if status == "Skipped"])
    lines += block("Failed cases", [case for name, (status, _) in results.items()
                                    if status not in ("Passed", "Skipped")
                                    for case in failed_cases(name, outputs.get(name, ""))])
    cases = sum(len(STARTED_CASE.findall(output)) for output in outputs.values())
    python = sum(int(count) for output in outputs.values() for count in RAN_PYTHON.findall(output))
    return [*lines, "", f"{cases + python} cases in {len(results)} tests: {cases} of gtest, "
            f"{python} of unittest", ""]


def pass_on(lines, screen):
    """Prints ctest's lines but its summary; returns the summary's lines and the results."""
    results, held = {}, []
    passed = ""  # what the next line replaces
    for line in lines:
        if SUMMARY.match(line) or (held and not ENDED.match(line)):
            if SUMMARY.match(line):  # the output of a test had one, too
                screen.write("".join(held))
                held = []
            held.append(line)
            continue
        screen.write("".join(held))
        held = []
        if found := ENDED.match(line):
            results[found[1]] = (found[2], float(found[3]))
        if screen.isatty() and STARTED.match(line):
            continue
        screen.write(passed + line)
        one_line = screen.isatty() and found and found[2] == "Passed"
        passed = "\033[A\033[K" if one_line else ""
        screen.flush()
    return held, results


def main():
    held, results = pass_on(sys.stdin, sys.stdout)
    if held:
        with open(sys.argv[1], encoding="utf-8", errors="replace") as file:
            print("\n".join(report(results, file.read())))
    sys.stdout.write("".join(held))


if __name__ == "__main__":
    main()
