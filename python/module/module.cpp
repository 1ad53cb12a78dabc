// SPDX-License-Identifier: LGPL-2.1-or-later
#include <pybind11/stl.h>

#include "python/module/parts.hpp"
#include "scenarios/answer/formats/report_formats.hpp"
#include "sim/simulation.hpp"
#include "topologies/input/data_files.hpp"

namespace ringscope {
namespace {

void add_errors(py::module_& module) {
  auto input = py::register_exception<InputError>(module, "InputError", PyExc_ValueError);
  input.doc() = "Invalid input: its place, the expected value and the value there.";
  auto deadlock =
      py::register_exception<DeadlockError>(module, "DeadlockError", PyExc_RuntimeError);
  deadlock.doc() = "Deadlocked ranks: for each its position and the operation that it waits for.";
  for (py::object error : {py::object(input), py::object(deadlock)})
    error.attr("__module__") = "ringscope";
}

}  // namespace

PYBIND11_MODULE(_core, module) {
  module.doc() = "The simulator behind `import ringscope`.";
  module.attr("__version__") = std::string(version());
  add_errors(module);
  py::class_<Question>(module, "Question")
      .def(py::init(&question_of), py::arg("name"), py::arg("text"), py::arg("set"));
  module.def("data_directory", &data_directory, "Where scenarios/ and topologies/ are.");
  module.def("names", &names_in, py::arg("folder"), "Names of the files there.");
  add_cases(module);
  add_studies(module);
  add_places(module);
  add_gains(module);
  add_times(module);
}

}  // namespace ringscope
