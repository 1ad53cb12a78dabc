# SPDX-License-Identifier: LGPL-2.1-or-later
"""Budget of a fuzzer: it ends when its time or its count of inputs is spent, on several threads."""

import itertools
import os
import re
import signal
import sys
import threading
import time

UNITS = {"s": 1, "min": 60, "h": 3600}


def seconds(text):
    """"120s", "2min" or "1h"; ValueError otherwise."""
    found = re.fullmatch(r"(\d+(?:\.\d+)?) ?(s|min|h)", text)
    if not found:
        raise ValueError(f"expected a time such as 120s, 2min or 1h, got '{text}'")
    return float(found[1]) * UNITS[found[2]]


class Stop:
    """^C, as a flag: inputs that are under way end. The second one calls `at_once`."""

    def __init__(self, at_once):
        self.asked = False
        self._at_once = at_once
        self._process = os.getpid()
        signal.signal(signal.SIGINT, self._ask)

    def _ask(self, *_):
        if os.getpid() != self._process:
            return  # a fork that is about to become the program
        if self.asked:
            self._at_once()
        self.asked = True


class Budget:
    """Numbers of inputs, from `first` on, until `count` were given or `time_s` is over, or ^C."""

    def __init__(self, stop, time_s=None, count=None, first=0, jobs=1, name=""):
        self.stop = stop
        self.time_s = time_s
        self.count = count
        self.jobs = jobs
        self._end = None if time_s is None else time.monotonic() + time_s
        self._first = first
        self._name = name
        self._lock = threading.Lock()
        self._shown = 0.0
        self.done = 0

    def each(self, one):
        """Calls one(number) until the budget is spent; what `one` throws ends it."""
        numbers = itertools.count(self._first)
        failures = []

        def work():
            while True:
                with self._lock:
                    number = next(numbers)
                    if failures or self.stop.asked or not self._has(number):
                        return
                try:
                    one(number)
                except BaseException as failure:  # raised again below, in the thread that asked
                    failures.append(failure)
                    return
                self._count_one()

        threads = [threading.Thread(target=work, daemon=True) for _ in range(self.jobs)]
        for thread in threads:
            thread.start()
        for thread in threads:
            while thread.is_alive():
                thread.join(0.1)  # and then for a ^C that came just before the wait
        self._show("\r\033[K")
        if failures:
            raise failures[0]

    def _has(self, number):
        in_count = self.count is None or number < self._first + self.count
        return in_count and (self._end is None or time.monotonic() < self._end)

    def _count_one(self):
        with self._lock:
            self.done += 1
            now = time.monotonic()
            if now - self._shown < 0.5:
                return
            self._shown = now
            left = "" if self._end is None else f", {max(0, self._end - now):.0f} s left"
            total = "" if self.count is None else f" of {self.count}"
        self._show(f"\r\033[K{self._name}: {self.done}{total} inputs{left}")

    def _show(self, text):
        if sys.stderr.isatty():
            print(text, end="", file=sys.stderr, flush=True)
