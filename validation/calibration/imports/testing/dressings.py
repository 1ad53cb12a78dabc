# SPDX-License-Identifier: LGPL-2.1-or-later
"""How launchers, terminals and pages change what a program prints, line by line.

Labels: Open MPI 4 --tag-output and --timestamp-output, PRRTE of Open MPI 5, srun --label, Intel MPI
-prepend-rank, pdsh and clush, kubectl logs --prefix --timestamps, CRI-O, docker compose, Ray,
journald, Python's logging. Marks: terminals' sequences, as bytes, by cat -v and without ESC.
"""

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
    "messages": with_messages,
    "other_ranks": with_other_ranks,
    "stamp_and_label": lambda text: stamped(labelled("[1,0]<stdout>:")(text)),
}
