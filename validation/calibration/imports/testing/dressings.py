# SPDX-License-Identifier: LGPL-2.1-or-later
"""How launchers, terminals and pages change what a program prints, line by line.

Labels: Open MPI 4 --tag-output and --timestamp-output, PRRTE of Open MPI 5, srun --label, Intel MPI
-prepend-rank, pdsh and clush, kubectl logs --prefix --timestamps, CRI-O, docker compose, Ray,
journald, Python's logging, stern, diff, cat -n, grep -n. Marks: terminals' sequences, as bytes, by
cat -v and without ESC. Exports: docker's json-file, kubectl -o json, Loki, CloudWatch and its
Insights, Google Cloud, Ansible, CSV, newest first, with times or without.
"""

import csv
import io
import json
import re


def labelled(label: str):
    return lambda text: "".join(f"{label}{line}\n" for line in text.splitlines())


def stamped(text: str) -> str:
    return "".join(f"2026-01-05T10:{number // 60 % 60:02}:{number % 60:02}.123Z {line}\n"
                   for number, line in enumerate(text.splitlines()))


def timed(form: str):
    """`form` has %M:%S of the line's time."""
    return lambda text: "".join(
        form.replace("%M", f"{number // 60 % 60:02}").replace("%S", f"{number % 60:02}")
        + f"{line}\n" for number, line in enumerate(text.splitlines()))


def in_terminal(text: str) -> str:
    """Title and modes of the terminal, then each line as one of three programs colours it."""
    forms = ("\x1b[1;32m{}\x1b(B\x1b[m\x1b[0K\n", "^[[32m{}^[[0m\n", "[32m{}[0m\n")
    return "\x1b]0;root@node0: ~\x07\x1b[?2004h\n" + "".join(
        forms[number % 3].format(line) for number, line in enumerate(text.splitlines()))


def tagged_with_time(text: str) -> str:
    return "".join(f"Mon Jan  5 10:11:{number % 60:02} 2026[1,0]<stdout>:{line}\n"
                   for number, line in enumerate(text.splitlines()))


def intel(text: str) -> str:
    """Its label again before the second half of a row, which the program prints by itself."""
    return labelled("[0] ")(re.sub(r"((?:sum|none)\s+-?\d+)(  +[\d.]+.*?(?:0|N/A))(  +\d.*)$",
                                   r"\1[0] \2[0] \3", text, flags=re.MULTILINE))


def without_hashes(text: str) -> str:
    """As Markdown shows it: a line that begins with "# " is a heading."""
    return re.sub(r"^# ?(?=[ A-Z])|#(?=wrong)", "", re.sub(r"^# *", "# ", text, flags=re.MULTILINE),
                  flags=re.MULTILINE) if "nThread" in text else re.sub(
                      r"^#(?= )", "", text, flags=re.MULTILINE)


def with_other_ranks(text: str) -> str:
    lines = [f"[1,0]<stdout>:{line}" for line in text.splitlines()]
    for place in range(len(lines) - 1, 0, -3):
        lines.insert(place, f"[1,{place % 7 + 1}]<stderr>:node1:22:22 [0] NCCL INFO Channel 00/0 : "
                     f"{place}[0] -> 1[0] via P2P/IPC")
    return "\n".join(lines) + "\n"


def with_messages(text: str) -> str:
    lines = text.splitlines()
    for place in range(len(lines) - 1, 0, -4):
        lines.insert(place, "node0:2000:2000 [0] NCCL INFO comm 0x55 rank 0 nranks 8 cudaDev 0")
    return "Warning: Permanently added 'node1' (ED25519) to the list of known hosts.\n" + \
        "\n".join(lines) + "\n"


def counted(form: str):
    return lambda text: "".join(f"{form.format(number)}{line}\n"
                                for number, line in enumerate(text.splitlines(), 1))


def in_objects(form, indent=None):
    """`form` gives an object of JSON for the number of a line and the line; one object a line."""
    return lambda text: "".join(json.dumps(form(number, line), indent=indent) + "\n"
                                for number, line in enumerate(text.splitlines()))


def in_list(form, key: str, newest_first: bool = False, indent=None):
    def change(text: str) -> str:
        found = [form(number, line) for number, line in enumerate(text.splitlines())]
        return json.dumps({"status": "success", key: found[::-1] if newest_first else found},
                          indent=indent) + "\n"
    return change


def in_csv(text: str) -> str:
    file = io.StringIO()
    csv.writer(file, quoting=csv.QUOTE_ALL).writerows(
        [["Time", "Line"], *([f"2026-01-05T10:11:12.{number:06}Z", line]
                             for number, line in enumerate(text.splitlines()))])
    return file.getvalue()


def in_ansible(text: str) -> str:
    lines = ",\n".join(f"        {json.dumps(line)}" for line in text.splitlines())
    return f'TASK [show] ***\nok: [node0] => {{\n    "run.stdout_lines": [\n{lines}\n    ]\n}}\n'


def newest_first(text: str) -> str:
    return "\n".join(stamped(text).splitlines()[::-1]) + "\n"


def last_first(text: str) -> str:
    return "\n".join(text.splitlines()[::-1]) + "\n"


def in_thousands(text: str) -> str:
    """The first two numbers of each row, as a spreadsheet shows them."""
    return re.sub(r"^( *)(\d+)(?: +(\d+)(?= ))?(?= )", lambda row: row[1] + "  ".join(
        f"{int(one):,}" for one in row.groups()[1:] if one), text, flags=re.MULTILINE)


def wrapped(width: int):
    return lambda text: re.sub(rf"(.{{{width}}})(?=.)", r"\1\n", text)


NANOSECONDS = 1767607872 * 10 ** 9
PAGE = """# NCCL is slow on our cluster

We have two hosts, 4 GPUs each, see below. 100 Gbit/s each. The driver is 570.86.

| host | driver | NIC |
|------|--------|-----|
| node0 | 570.86 | mlx5_0 |

```
{}```

Any idea? 12 of 16 ranks look fine.
"""

DRESSINGS = {
    "plain": lambda text: text,
    "tag_output": labelled("[1,0]<stdout>:"),
    "prrte": labelled("[prterun-node0-4711@1,0]<stdout>: "),
    "srun": labelled("0: "),
    "srun_wide": labelled("000: "),
    "intel_host": labelled("[node0:0] "),
    "intel": intel,
    "pdsh": labelled("node0: "),
    "kubectl": labelled("[pod/nccl-test-launcher-x7v/launcher] "),
    "compose": labelled("nccl-1  | "),
    "ray": labelled("(Benchmark pid=123, ip=10.0.0.7) "),
    "stamped": stamped,
    "tagged_with_time": tagged_with_time,
    "quoted": labelled("> "),
    "indented": labelled("    "),
    "carriage": lambda text: text.replace("\n", "\r\n"),
    "coloured": lambda text: "".join(f"\x1b[32m{line}\x1b[0m\n" for line in text.splitlines()),
    "page": PAGE.format,
    "kubectl_stamped": timed("[pod/nccl-x7v/main] 2026-01-05T10:%M:%S.123456789Z "),
    "crio": timed("2026-01-05T10:%M:%S.123456789+01:00 stdout F "),
    "journald": timed("Jan 05 10:%M:%S node0 nccl[4711]: "),
    "clock": timed("[10:%M:%S] "),
    "python_log": timed("2026-01-05 10:%M:%S,123 - INFO - "),
    "terminal": in_terminal,
    "byte_order_mark": lambda text: "\ufeff" + text.replace("\n", "\r\n"),
    "word_processor": lambda text: text.replace("  ", "\u00a0&nbsp;").replace(" -", " \u2013"),
    "inline_code": lambda text: "".join(f"`{line}`\n" for line in text.splitlines()),
    "boxed": lambda text: "".join(f"\u2502 {line:<140} \u2502\n" for line in text.splitlines()),
    "slack": lambda text: f"see:\n```{text.rstrip()}```\n:eyes: 2\n",
    "carriage_alone": lambda text: text.replace("\n", "\r"),
    "stern": labelled("nccl-x7v launcher "),
    "added": labelled("+"),
    "cat_n": counted("{:6}\t"),
    "grep_n": counted("slurm-4711.out:{}:"),
    "seconds": counted("[{:9}.012345] "),
    "csv": in_csv,
    "csv_unquoted": lambda text: "Time,Line\n" + counted("17676078{:05},")(text),
    "ansible": in_ansible,
    "docker_json": in_objects(lambda number, line: {
        "log": f"{line}\n", "stream": "stdout", "time": f"2026-01-05T10:11:12.{number:06}Z"}),
    "kubectl_json": lambda text: json.dumps({"kind": "Pod", "log": text}, indent=4) + "\n",
    "loki": in_list(lambda number, line: [f"{NANOSECONDS + number}", line], "values", True),
    "cloudwatch": in_list(lambda number, line: {
        "timestamp": NANOSECONDS // 10 ** 6 + number, "message": line}, "events", indent=4),
    "insights": in_list(lambda number, line: [
        {"field": "@timestamp", "value": f"2026-01-05 10:11:12.{number:03}"},
        {"field": "@message", "value": line}], "results"),
    "google_cloud": in_list(lambda number, line: {
        "insertId": f"a{number}", "textPayload": f"{line}\n",
        "timestamp": f"2026-01-05T10:11:12.{number:06}Z"}, "entries", True, 2),
    "newest_first": newest_first,
    "last_first": last_first,
    "in_thousands": in_thousands,
    "messages": with_messages,
    "other_ranks": with_other_ranks,
    "stamp_and_label": lambda text: stamped(labelled("[1,0]<stdout>:")(text)),
}
