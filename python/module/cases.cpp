// SPDX-License-Identifier: LGPL-2.1-or-later
#include <pybind11/stl.h>

#include <nlohmann/json.hpp>

#include "python/module/objects.hpp"
#include "python/module/parts.hpp"
#include "python/module/questions.hpp"
#include "python/module/watch.hpp"
#include "scenarios/answer/explain/explain.hpp"
#include "scenarios/answer/text/report_text.hpp"
#include "scenarios/warnings/job_warnings.hpp"
#include "sim/run_cost.hpp"

namespace ringscope {
namespace {

namespace py = pybind11;

/// Cases that were simulated, whose answers are written in the form that is asked for.
struct Reports {
  std::vector<Report> all;
};

/// One after the other: threads are the caller's.
Reports run(const PythonQuestion& question, const RunOptions& chosen, const py::object& show) {
  const py::gil_scoped_release unlocked;
  const std::vector<Scenario> scenarios = scenarios_of(question);
  const double free = free_memory_bytes();
  for (const Scenario& scenario : scenarios) estimate_for(scenario, chosen, false, free);
  Watch watch(show);
  Reports reports;
  for (const Scenario& scenario : scenarios) {
    RunOptions options = chosen;
    const double count = static_cast<double>(scenarios.size());
    const double done = static_cast<double>(reports.all.size());
    options.progress = [&watch, count, done](double share) { watch((done + share) / count); };
    reports.all.push_back(simulate(scenario, options));
    reports.all.back().warnings = job_warnings(scenario);
  }
  return reports;
}

RunOptions options_of(const std::string& kernel, bool skip, bool fold, double tolerance,
                      bool record) {
  RunOptions options;
  for (const std::string_view known : kernel_names())
    if (known == kernel) options.kernel = known;
  if (options.kernel != kernel) {
    const auto known = kernel_names();
    const Place place{std::make_shared<const Source>(Source{"kernel", kernel}), 0, 0};
    throw InputError(place, unknown_name("kernel", kernel,
                                         std::vector<std::string>(known.begin(), known.end())));
  }
  options.skip = skip;
  options.tolerance = tolerance;
  options.record_spans = options.record_chain = record;
  if (record) options.path_limit = long_path_limit;
  if (!fold) options.fold_from = options.fold_uneven_from = never_fold;
  options.fold_channels = fold;
  return options;
}

py::object explanation_of(const Reports& reports) { return object_of(explanation(reports.all)); }

}  // namespace

void add_cases(py::module_& module) {
  py::class_<Reports>(module, "Reports")
      .def("__len__", [](const Reports& reports) { return reports.all.size(); })
      .def("document", [](const Reports& reports) { return object_of(document(reports.all)); })
      .def("comparison", [](const Reports& reports) { return object_of(comparison(reports.all)); })
      .def("explanation", &explanation_of)
      .def("screen", [](const Reports& reports) { return print_run(reports.all); })
      .def("compare_screen", [](const Reports& reports) { return print_compare(reports.all); })
      .def("explain_screen",
           [](const Reports& reports, bool all) { return print_explanation(reports.all, all); })
      .def("csv", [](const Reports& reports) { return to_csv(reports.all); })
      .def("timeline", [](const Reports& reports) { return to_timeline_csv(reports.all); })
      .def("trace", [](const Reports& reports) { return to_trace(reports.all); });
  module.def(
      "run",
      [](const PythonQuestion& question, const std::string& kernel, bool skip, bool fold,
         double tolerance, bool record, const py::object& show) {
        return run(question, options_of(kernel, skip, fold, tolerance, record), show);
      },
      py::arg("question"), py::arg("kernel"), py::arg("skip"), py::arg("fold"),
      py::arg("tolerance"), py::arg("record"), py::arg("show"));
}

}  // namespace ringscope
