#!/usr/bin/python3
"""Fetches the sources of yaml-cpp as Debian has them, and unpacks them.

Usage: plots/playground/fetch_yaml_cpp.py FOLDER
"""

import hashlib
import io
import sys
import tarfile
import urllib.error
import urllib.request

NAME = "yaml-cpp_0.7.0+dfsg.orig.tar.xz"
SHA256 = "dc63708605404e0b963e0ca3a9619d1c8270eda2839603e6fa0384e5e51e5312"
PLACES = ("http://deb.debian.org/debian/pool/main/y/yaml-cpp/" + NAME,
          "https://snapshot.debian.org/archive/debian/20230610T000000Z/pool/main/y/yaml-cpp/" +
          NAME)


def fetched():
    """The archive; whoever sends it, its digest says whether it is the one."""
    complaints = []
    for place in PLACES:
        try:
            with urllib.request.urlopen(place, timeout=60) as answer:
                archive = answer.read()
        except (OSError, urllib.error.URLError) as error:
            complaints.append(f"{place}: {error}")
            continue
        if hashlib.sha256(archive).hexdigest() == SHA256:
            return archive
        complaints.append(f"{place}: expected SHA-256 {SHA256}, got another")
    sys.exit("fetch_yaml_cpp: " + "\n  ".join(complaints))


def main():
    with tarfile.open(fileobj=io.BytesIO(fetched())) as archive:
        archive.extractall(sys.argv[1])


if __name__ == "__main__":
    main()
