#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Fetches the sources of yaml-cpp as Debian has them, and unpacks them.

Usage: plots/playground/fetch_yaml_cpp.py FOLDER
They come from where apt gets the library: a mirror keeps a source beside what is built of it.
"""

import hashlib
import io
import re
import subprocess
import sys
import tarfile
import urllib.request

LIBRARY = "libyaml-cpp-dev"
NAME = "yaml-cpp_0.7.0+dfsg.orig.tar.xz"
SHA256 = "dc63708605404e0b963e0ca3a9619d1c8270eda2839603e6fa0384e5e51e5312"


def stop(complaint):
    sys.exit(f"fetch_yaml_cpp: {complaint}")


def place():
    """The address of the archive on the mirror that apt takes the library from."""
    asked = subprocess.run(["apt-get", "download", "--print-uris", LIBRARY], check=False,
                           capture_output=True, text=True)
    found = re.search(r"'(\S+/)[^/\s]+\.deb'", asked.stdout)
    if asked.returncode != 0 or not found:
        stop(f"apt-get prints no address of {LIBRARY}: {asked.stderr.strip()}")
    return found[1] + NAME


def fetched(address):
    """The archive; whoever sends it, its digest says whether it is the one."""
    try:
        with urllib.request.urlopen(address, timeout=60) as answer:
            archive = answer.read()
    except OSError as error:
        stop(f"{address}: {error}")
    if hashlib.sha256(archive).hexdigest() != SHA256:
        stop(f"{address}: expected SHA-256 {SHA256}, got another")
    return archive


def main():
    with tarfile.open(fileobj=io.BytesIO(fetched(place()))) as archive:
        archive.extractall(sys.argv[1])


if __name__ == "__main__":
    main()
