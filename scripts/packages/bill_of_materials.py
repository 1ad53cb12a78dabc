# SPDX-License-Identifier: LGPL-2.1-or-later
"""The bill of materials of a release: CycloneDX 1.5, in JSON."""

import hashlib
import os
import pathlib
import re
import subprocess
import time

# Packages that only tests are compiled with.
FOR_TESTS = {"libgtest-dev", "libgmock-dev"}


def licences(package):
    """Licences named by the package's copyright file, where it is machine-readable."""
    try:
        text = pathlib.Path(f"/usr/share/doc/{package}/copyright").read_text(encoding="utf-8")
        names = re.findall(r"^License:[ \t]*(\S.*)$", text, re.M)
    except OSError:
        names = []
    return [{"license": {"name": name}} for name in sorted(set(names))] or [
        {"license": {"name": f"see /usr/share/doc/{package}/copyright"}}]


def library(package, use):
    """The component of a Debian package, or None where it is not installed."""
    told = subprocess.run(["dpkg-query", "--show", "--showformat", "${Version} ${Architecture}",
                           package], capture_output=True, text=True)
    if told.returncode != 0 or len(told.stdout.split()) != 2:
        return None
    version, architecture = told.stdout.split()
    return {"type": "library", "name": package, "version": version,
            "properties": [{"name": "ringscope:use", "value": use}],
            "purl": f"pkg:deb/debian/{package}@{version}?arch={architecture}",
            "licenses": licences(package)}


def bill(root, version, epoch, files, bundled):
    """The document for the release's `files`; `bundled`: packages whose libraries are in them."""
    text = pathlib.Path(root, "scripts/install_packages").read_text(encoding="utf-8")
    uses = dict.fromkeys(set(re.findall(r"[\w.+-]+-dev(?![\w-])", text)) - FOR_TESTS,
                         "compiled with")  # Debian's packages of libraries
    uses.update({package: "bundled" for package in bundled})
    found = [library(package, use) for package, use in sorted(uses.items())]
    named = [{"type": "file", "name": os.path.basename(path),
              "hashes": [{"alg": "SHA-256", "content": hashlib.sha256(
                  pathlib.Path(path).read_bytes()).hexdigest()}]} for path in sorted(files)]
    program = {"type": "application", "name": "ringscope", "version": version,
               "licenses": [{"license": {"id": "LGPL-2.1-or-later"}}]}
    return {"bomFormat": "CycloneDX", "specVersion": "1.5", "version": 1,
            "metadata": {"timestamp": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(epoch)),
                         "component": program},
            "components": [component for component in found if component] + named}
