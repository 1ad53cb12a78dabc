# SPDX-License-Identifier: LGPL-2.1-or-later
"""Program that forks for each input, so that it is loaded once: see fork_server.cpp."""

import os
import signal
import subprocess
import threading


class ForkServer:
    """One process that serves one thread; `environment` is that of all that it runs."""

    def __init__(self, path, environment):
        # A session of its own: ^C is for those who start inputs, and lets the last one end.
        self._process = subprocess.Popen([path], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                         start_new_session=True,
                                         env={**os.environ, **environment})

    def run(self, words, folder, streams, limits, environment):
        """Ends as (code, late, memory): the code negative for a signal. `streams`: files for its
        standard output and error; `limits`: seconds of CPU, of the wall clock, bytes."""
        cpu_s, wall_s, memory = limits
        settings = [f"{name}={value}" for name, value in environment.items()]
        parts = [folder, *streams, str(cpu_s), str(memory), str(len(settings)), *settings,
                 "ringscope", *words]
        self._process.stdin.write(
            b"".join(os.fsencode(part) + b"\0" for part in [str(len(parts)), *parts]))
        self._process.stdin.flush()
        process = int(self._process.stdout.readline())
        expired = threading.Event()
        timer = threading.Timer(wall_s, end, (process, expired))
        timer.start()
        status = self._process.stdout.readline().decode().strip()
        timer.cancel()
        if status == "memory":
            return -signal.SIGKILL, False, True
        return os.waitstatus_to_exitcode(int(status)), expired.is_set(), False

    def __del__(self):
        self._process.stdin.close()
        self._process.stdout.close()
        self._process.wait()


def end(process, expired):
    expired.set()
    try:
        os.killpg(process, signal.SIGKILL)
    except ProcessLookupError:
        pass  # ended meanwhile
