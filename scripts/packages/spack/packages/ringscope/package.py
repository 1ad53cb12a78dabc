# SPDX-License-Identifier: LGPL-2.1-or-later
"""Builds Ringscope by Spack from the sources that this file belongs to.

    spack repo add scripts/packages/spack
    spack dev-build --source-path . ringscope@0.2.0
"""

from spack.package import *


class Ringscope(CMakePackage):
    """Simulate collectives and training steps on a described cluster, and explain the result."""

    manual_download = True  # `spack dev-build` brings the sources
    license("LGPL-2.1-or-later")

    version("0.2.0")

    variant("python", default=True, description="`import ringscope`")
    variant("mpi", default=False, description="ringscope-mpi: probes and replays on real MPI")

    depends_on("cmake@3.25:", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("fmt@9:")
    depends_on("yaml-cpp@0.7:")
    depends_on("nlohmann-json@3.11:")
    depends_on("cli11@2.1:")
    depends_on("boost@1.74:+graph")
    depends_on("pugixml@1.13:")
    depends_on("qd@2.3:")
    depends_on("simgrid@3.32:")
    depends_on("hwloc@2.9:")
    depends_on("zlib@1.2.13:")
    depends_on("sqlite@3.40:")
    depends_on("openssl@3:")
    depends_on("scotch@7:")
    depends_on("mpi", when="+mpi")
    depends_on("python@3.11:", when="+python")
    depends_on("py-pybind11@2.10:", type="build", when="+python")

    # Fits and pictures (`calibrate`, `validate`, plots/) run by the system's python3, no other's.
    # Coroutines and <span>: what the project is compiled with.
    conflicts("%gcc@:11")
    conflicts("%clang@:13")

    def cmake_args(self):
        return [
            self.define("RINGSCOPE_TESTS", False),
            self.define("RINGSCOPE_BENCHMARKS", False),
            self.define_from_variant("RINGSCOPE_PYTHON", "python"),
            self.define("CMAKE_DISABLE_FIND_PACKAGE_MPI", "~mpi" in self.spec),
        ]
