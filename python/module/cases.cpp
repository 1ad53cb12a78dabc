// SPDX-License-Identifier: LGPL-2.1-or-later
#include <pybind11/stl.h>
#include <nlohmann/json.hpp>

#include "python/module/parts.hpp"
#include "scenarios/answer/explain/explain.hpp"
#include "scenarios/answer/formats/report_formats.hpp"
#include "scenarios/answer/text/report_text.hpp"
#include "sim/simulation.hpp"

namespace ringscope {
namespace {

/// Cases that were simulated, whose answers are written in the form that is asked for.
struct Reports {
  std::vector<Report> all;
};

RunOptions options_of(const std::string& kernel, bool skip, bool fold, double tolerance,
                      bool record) {
  RunOptions options;
  options.set_exactness(skip, fold, tolerance);
  for (const std::string_view known : kernel_names())
    if (known == kernel) options.kernel = known;
  if (options.kernel != kernel) {
    const auto known = kernel_names();
    typed("kernel", kernel)
        .fail(unknown_name("kernel", kernel, std::vector<std::string>(known.begin(), known.end())));
  }
  options.record_spans = options.record_chain = record;
  if (record) options.path_limit = long_path_limit;
  return options;
}

/// One after the other: threads are the caller's.
Reports run(const Question& question, const std::string& kernel, bool skip, bool fold,
            double tolerance, bool record, const py::object& show) {
  RunOptions options = options_of(kernel, skip, fold, tolerance, record);
  const py::gil_scoped_release unlocked;
  Watch watch(show);
  options.progress = [&watch](double share) { watch(share); };
  return {answer({.run = std::move(options)}, question)};
}

/// The gains of all cases: those of one that cannot go on are unknown.
struct CaseGains {
  Json cases = Json::array();
  std::string screen;
};

CaseGains what_if(const Question& question, std::size_t top, const py::object& show) {
  const py::gil_scoped_release unlocked;
  const std::vector<Scenario> scenarios = read(question);
  Watch watch(show);
  const double runs = static_cast<double>(scenarios.size() * (1 + top));
  double done = 0;
  const auto simulated = [&](const Scenario& scenario, bool keep_deadlock) {
    RunOptions options;
    options.keep_deadlock = keep_deadlock;
    options.progress = [&watch, done, runs](double share) { watch((done + share) / runs); };
    done += 1;
    return simulate(scenario, options);
  };
  CaseGains found;
  for (const Scenario& scenario : scenarios) {
    const Report report = simulated(scenario, false);
    std::vector<Gain> gains;
    for (const Candidate& one : candidates(report, top))
      gains.push_back({one, simulated(improved(scenario, one), true)});
    sort_gains(gains);
    found.cases.push_back(gains_json(report, gains));
    found.screen += (found.screen.empty() ? "" : "\n") + print_gains(report, gains);
  }
  return found;
}

}  // namespace

void add_cases(py::module_& module) {
  py::class_<Reports>(module, "Reports")
      .def("__len__", [](const Reports& reports) { return reports.all.size(); })
      .def("document", [](const Reports& reports) { return object_of(document(reports.all)); })
      .def("comparison", [](const Reports& reports) { return object_of(comparison(reports.all)); })
      .def("explanation",
           [](const Reports& reports) { return object_of(explanation(reports.all)); })
      .def("screen", [](const Reports& reports) { return print_run(reports.all); })
      .def("compare_screen", [](const Reports& reports) { return print_compare(reports.all); })
      .def("explain_screen",
           [](const Reports& reports, bool all) { return print_explanation(reports.all, all); })
      .def("csv", [](const Reports& reports) { return to_csv(reports.all); })
      .def("timeline", [](const Reports& reports) { return to_timeline_csv(reports.all); })
      .def("trace", [](const Reports& reports) { return to_trace(reports.all); });
  module.def("run", &run, py::arg("question"), py::arg("kernel"), py::arg("skip"), py::arg("fold"),
             py::arg("tolerance"), py::arg("record"), py::arg("show"));
}

void add_gains(py::module_& module) {
  py::class_<CaseGains>(module, "Gains")
      .def("document",
           [](const CaseGains& gains) {
             const Json all = {{"schema", 1}, {"version", version()}, {"cases", gains.cases}};
             return object_of(all);
           })
      .def("screen", [](const CaseGains& gains) { return gains.screen; });
  module.def("what_if", &what_if, py::arg("question"), py::arg("top"), py::arg("show"));
}

}  // namespace ringscope
