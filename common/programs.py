# SPDX-License-Identifier: LGPL-2.1-or-later
"""Shared by the scripts: what bad input is, how a file is written, how a script ends."""

import argparse
import contextlib
import os
import sys
import tempfile
import threading
import time
import traceback
import unicodedata
from typing import Callable


class InputError(Exception):
    """Bad input; the message names the place, what was expected and what stood there."""
    exit_code = 1


def write_text(path: str, text: str):
    """Writes text as write_bytes; "-" is standard output."""
    if path == "-":
        sys.stdout.write(text)
    else:
        write_bytes(path, text.encode("utf-8"))


def write_bytes(path: str, content: bytes):
    """Writes the file beside its place and renames it, so that nobody sees half of it."""
    try:
        if os.path.exists(path) and not os.path.isfile(path):
            with open(path, "wb") as file:  # /dev/null, a pipe
                file.write(content)
            return
        folder, name = os.path.split(os.path.realpath(path))
        handle, beside = tempfile.mkstemp(prefix=f".{name}.", dir=folder)
        try:
            with open(handle, "wb") as file:
                file.write(content)
            umask = os.umask(0)
            os.umask(umask)
            os.chmod(beside, 0o666 & ~umask)
            os.replace(beside, path)
        finally:
            if os.path.exists(beside):
                os.unlink(beside)
    except OSError as error:
        raise InputError(f"{path}: cannot be written: {error.strerror}") from None


def between_marks(text: str, begin: str, end: str, inner: str, path) -> str:
    """`text`, the content of the file `path`, with `inner` between its two marks."""
    if text.count(begin) != 1 or text.count(end) != 1 or text.index(begin) > text.index(end):
        raise InputError(f"{path}: expected one line {begin.strip()} and one {end.strip()} "
                         "behind it")
    return text.split(begin)[0] + begin + inner + end + text.split(end)[1]


def for_terminal(text: str) -> str:
    """Control characters but tab and line break become \\x1b and the like: an error repeats what
    stood in a file, and that must not drive a terminal."""
    return "".join(letter if letter in "\t\n" or unicodedata.category(letter) not in ("Cc", "Cs")
                   else ascii(letter)[1:-1] for letter in text)


class Parser(argparse.ArgumentParser):
    """Parser of a subcommand: wrong words are bad input like any other."""

    def error(self, message):
        raise InputError(f"{self.prog.removeprefix('ringscope ')}: {message}")


def page_parser(prog: str, page: str, kind=argparse.ArgumentParser) -> argparse.ArgumentParser:
    """The parser of a script whose --help is `page`, its own text, line by line."""
    return kind(prog=prog, description=page, allow_abbrev=False,
                formatter_class=argparse.RawDescriptionHelpFormatter)


def pairs_of(option, texts):
    pairs = {}
    for text in texts:
        key, found, value = text.partition("=")
        if not (key and found and value):
            raise InputError(f"{option}: expected KEY=VALUE, got '{text}'")
        pairs[key] = value
    return pairs


def values_of(option, texts):
    """{key: all its values}"""
    pairs = [pair for text in texts for pair in pairs_of(option, [text]).items()]
    return {key: [value for name, value in pairs if name == key] for key, _ in pairs}


@contextlib.contextmanager
def waiting(what: str):
    """Says on a terminal what goes on and since when, from its first second on."""
    ended, begun = threading.Event(), time.monotonic()

    def tell():
        while not ended.wait(1):
            print(f"\r{what}, {time.monotonic() - begun:.0f} s\x1b[K", end="", file=sys.stderr,
                  flush=True)

    if not sys.stderr.isatty() or os.environ.get("RINGSCOPE_QUIET"):
        yield
        return
    thread = threading.Thread(target=tell)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()
        print("\r\x1b[K", end="", file=sys.stderr, flush=True)


def run_main(main: Callable[[], int | None]):
    """Runs a script: bad input is one message and exit 1, a closed pipe or ^C no traceback."""
    try:
        code = main() or 0
        sys.stdout.flush()
    except InputError as error:
        print(for_terminal(str(error)), file=sys.stderr)
        code = error.exit_code
    except BrokenPipeError:  # `| head` is no error
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = 0
    except KeyboardInterrupt:
        code = 130
    except Exception:  # a defect of ours
        traceback.print_exc()
        code = 2
    sys.exit(code)
