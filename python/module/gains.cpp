// SPDX-License-Identifier: LGPL-2.1-or-later
#include <pybind11/stl.h>

#include <nlohmann/json.hpp>

#include "python/module/parts.hpp"
#include "scenarios/answer/explain/what_if.hpp"
#include "scenarios/answer/formats/report_formats.hpp"
#include "sim/simulation.hpp"

namespace ringscope {
namespace {

namespace py = pybind11;

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
