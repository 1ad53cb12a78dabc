// SPDX-License-Identifier: LGPL-2.1-or-later
// The module that holds SimGrid, loaded when a run first asks for its kernel.
#include <dlfcn.h>
#include <fmt/core.h>

#include <filesystem>
#include <stdexcept>
#include <system_error>

#include "sim/kernel/kernel.hpp"

namespace ringscope::sim {
namespace {

using Maker = Kernel*();

/// The module beside the program, as in a build; else in the folder of an installation's libraries.
/// A path, since a sanitizer's dlopen() does not look where a program's RUNPATH says.
std::filesystem::path find_module() {
  const char* const name = "libringscope_simgrid.so";
  std::error_code unknown;
  const auto folder = std::filesystem::read_symlink("/proc/self/exe", unknown).parent_path();
  for (const auto& path : {folder / name, folder / RINGSCOPE_MODULES / name})
    if (std::filesystem::exists(path, unknown)) return path;
  return name;
}

/// Never unloaded: the kernels that it makes are code of it. Null where it cannot be loaded.
void* load_module() { return dlopen(find_module().c_str(), RTLD_NOW | RTLD_LOCAL); }

Maker* load() {
  void* const module = load_module();
  void* const maker = module != nullptr ? dlsym(module, "ringscope_simgrid_kernel") : nullptr;
  if (maker == nullptr)
    throw std::runtime_error(fmt::format("no SimGrid for the kernel 'simgrid': {}", dlerror()));
  return reinterpret_cast<Maker*>(maker);
}

}  // namespace

std::unique_ptr<Kernel> make_simgrid_kernel() {
  static Maker* const make = load();
  return std::unique_ptr<Kernel>(make());
}

bool simgrid_module_found() { return load_module() != nullptr; }

}  // namespace ringscope::sim
