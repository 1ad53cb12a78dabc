// The module that holds SimGrid, loaded when a run first asks for its kernel.
#include <dlfcn.h>
#include <fmt/core.h>

#include <stdexcept>

#include "sim/kernel/kernels.hpp"

namespace ringscope::sim {
namespace {

using Maker = Kernel*();

/// The module is looked for where the program's RUNPATH says: beside it in a build, in a folder of
/// the libraries' once it is installed.
Maker* load() {
  constexpr const char* module = "libringscope_simgrid.so";
  // Never unloaded: the kernels that it makes are code of it.
  void* const library = dlopen(module, RTLD_NOW | RTLD_LOCAL);
  void* const maker = library != nullptr ? dlsym(library, "ringscope_simgrid_kernel") : nullptr;
  if (maker == nullptr)
    throw std::runtime_error(fmt::format("no SimGrid for the kernel 'simgrid': {}", dlerror()));
  return reinterpret_cast<Maker*>(maker);
}

}  // namespace

std::unique_ptr<Kernel> make_simgrid_kernel() {
  static Maker* const make = load();
  return std::unique_ptr<Kernel>(make());
}

}  // namespace ringscope::sim
