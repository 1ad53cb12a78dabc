# SPDX-License-Identifier: LGPL-2.1-or-later
"""The program in one folder with the libraries that it loads, and archives of the same bytes."""

import os
import re
import shutil
import subprocess

# Files of glibc, which an executable takes from the machine that it runs on.
GLIBC = re.compile(r"(ld-linux.*|lib(c|m|pthread|dl|rt|resolv|util|anl))\.so\.\d+")


class ReleaseError(Exception):
    """A part was not made; the message gives the reason and what to do."""


def libraries(program):
    """{name: path} of the libraries that a program loads, glibc's left out."""
    told = subprocess.run(["ldd", program], capture_output=True, text=True, check=True).stdout
    if missing := re.findall(r"(\S+) => not found", told):
        raise ReleaseError(f"{program} loads {', '.join(missing)}, which ldd does not find")
    found = dict(re.findall(r"(\S+) => (/\S+)", told))
    return {name: path for name, path in sorted(found.items()) if not GLIBC.fullmatch(name)}


def package_of(file):
    """The Debian package that a file belongs to, or None."""
    plain = os.path.realpath(file)
    for path in (plain, plain.removeprefix("/usr")):
        told = subprocess.run(["dpkg-query", "--search", path], capture_output=True, text=True)
        if told.returncode == 0:
            return told.stdout.split(":")[0]
    return None


def assemble(build, folder):
    """Installs the program of a build into `folder`, with the libraries that it loads."""
    done = subprocess.run(["cmake", "--install", build, "--component", "Unspecified", "--strip",
                           "--prefix", folder], capture_output=True, text=True)
    if done.returncode != 0:
        raise ReleaseError(f"cmake --install {build} failed; build all of it first:\n{done.stderr}")
    # Python's module belongs to the system's python3. SimGrid stays out for its licences: Debian
    # links it with ns-3 (GPL 2) and GSL (GPL 3).
    shutil.rmtree(os.path.join(folder, "lib"))
    os.mkdir(os.path.join(folder, "lib"))
    for name, path in libraries(os.path.join(folder, "bin/ringscope")).items():
        shutil.copyfile(path, os.path.join(folder, "lib", name))
        package = package_of(path)
        licence = f"/usr/share/doc/{package}/copyright"
        if package and os.path.exists(licence):
            target = os.path.join(folder, "share/doc", package)
            os.makedirs(target, exist_ok=True)
            shutil.copyfile(licence, os.path.join(target, "copyright"))


def pack(folder, archive, epoch):
    """An archive of `folder`, whose bytes depend on its files and on `epoch` alone."""
    above, name = os.path.split(folder)
    subprocess.run(["tar", "--create", "--use-compress-program=gzip --no-name", f"--file={archive}",
                    f"--directory={above}", "--sort=name", f"--mtime=@{epoch}", "--owner=0",
                    "--group=0", "--numeric-owner", "--mode=u=rwX,go=rX", name], check=True)
