# SPDX-License-Identifier: LGPL-2.1-or-later
"""Budget of a fuzzer: it ends when its time or its count of inputs is spent, on several threads."""

import itertools
import re
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


class Budget:
    """Numbers of inputs, from `first` on, until `count` were given or `time_s` is over."""

    def __init__(self, time_s=None, count=None, first=0, jobs=1, name="", screen=sys.stderr):
        self._end = None if time_s is None else time.monotonic() + time_s
        self._count = count
        self._first = first
        self._jobs = jobs
        self._name = name
        self._screen = screen if screen.isatty() else None
        self._lock = threading.Lock()
        self._shown = 0.0
        self.done = 0
        self.interrupted = False

    def each(self, one):
        """Calls one(number) until the budget is spent or ^C; what `one` throws ends it."""
        numbers = itertools.count(self._first)
        failures = []

        def work():
            while True:
                with self._lock:
                    number = next(numbers)
                    if failures or self.interrupted or not self._has(number):
                        return
                try:
                    one(number)
                except BaseException as failure:  # raised again below, in the thread that asked
                    failures.append(failure)
                    return
                self._count_one()

        threads = [threading.Thread(target=work, daemon=True) for _ in range(self._jobs)]
        for thread in threads:
            thread.start()
        try:
            wait_for(threads)
        except KeyboardInterrupt:  # what is under way ends; a second ^C leaves it
            self.interrupted = True
            wait_for(threads)
        self._show("\r\033[K")
        if failures:
            raise failures[0]

    def _has(self, number):
        in_count = self._count is None or number < self._first + self._count
        return in_count and (self._end is None or time.monotonic() < self._end)

    def _count_one(self):
        with self._lock:
            self.done += 1
            now = time.monotonic()
            if now - self._shown < 0.5:
                return
            self._shown = now
            left = "" if self._end is None else f", {max(0, self._end - now):.0f} s left"
            total = "" if self._count is None else f" of {self._count}"
        self._show(f"\r\033[K{self._name}: {self.done}{total} inputs{left}")

    def _show(self, text):
        if self._screen:
            self._screen.write(text)
            self._screen.flush()


def wait_for(threads):
    for thread in threads:
        thread.join()
