// SPDX-License-Identifier: LGPL-2.1-or-later
#include <pybind11/stl.h>

#include <chrono>

#include "cli/commands/sweep_rows.hpp"
#include "python/module/parts.hpp"
#include "sim/studies/evaluator.hpp"

namespace ringscope {
namespace {

Study study_from(const Question& question) {
  const std::vector<std::string> metrics = metric_names();
  return read_study(study_of(question), question.set, metrics);
}

/// Outcomes of these rows of the study.
std::vector<Outcome> evaluate(const Study& study, const std::vector<std::size_t>& rows,
                              const EvaluatorOptions& settings, const py::object& show) {
  const py::gil_scoped_release unlocked;
  for (const std::size_t row : rows)
    if (row >= study.size()) throw std::out_of_range("a row that the study does not have");
  Watch watch(show);
  EvaluatorOptions options = settings;
  options.progress = [&watch](double share) { watch(share); };
  Evaluator evaluator(std::move(options));
  return evaluator.evaluate(rows.size(), [&](std::size_t index, KnownParts& known) {
    return study_scenario(study, rows[index], known);
  });
}

EvaluatorOptions settings_of(bool skip, bool fold, double tolerance, int threads,
                             const std::string& store) {
  EvaluatorOptions settings;
  settings.run.set_exactness(skip, fold, tolerance);
  settings.threads = threads;
  settings.store = store;
  return settings;
}

py::object document_of(const Study& study, const std::vector<Outcome>& outcomes) {
  if (outcomes.size() != study.size()) throw std::invalid_argument("an outcome for each row");
  const auto best = best_first(outcomes, study.metrics.front());
  return object_of(sweep_json(study, outcomes, best, {}));
}

/// Outcomes travel between processes as tuples of their members.
py::tuple state_of(const Outcome& outcome) {
  return py::make_tuple(outcome.time_s, outcome.limit, outcome.metrics, outcome.error);
}

Outcome outcome_from(const py::tuple& state) {
  Outcome outcome;
  outcome.time_s = state[0].cast<double>();
  outcome.limit = state[1].cast<std::string>();
  outcome.metrics = state[2].cast<std::map<std::string, double>>();
  outcome.error = state[3].cast<std::string>();
  return outcome;
}

/// A search that has ended, whose answer is written in the form that is asked for.
struct SearchedPlaces {
  PlaceStudy study;
  PlaceAnswer answer;
};

/// `rules`: the map `place` as YAML, laid over the study's. `time_s`: 0 is no limit.
SearchedPlaces search(const Question& question, const std::string& rules, const std::string& only,
                      double time_s, EvaluatorOptions settings, const py::object& show) {
  const py::gil_scoped_release unlocked;
  const Value said = Value::from_text("rules", rules);
  SearchedPlaces found{read_place(place_study_of(question), question.set, said, only), {}};
  Watch watch(show);
  settings.progress = [&watch](double share) { watch(share); };
  const auto start = std::chrono::steady_clock::now();
  if (time_s > 0)
    settings.stop = [start, time_s](double share) {
      const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - start;
      return passed.count() >= share * time_s;
    };
  Evaluator evaluator(std::move(settings));
  found.answer = place(found.study, evaluator);
  return found;
}

}  // namespace

void add_studies(py::module_& module) {
  py::class_<EvaluatorOptions>(module, "Settings")
      .def(py::init(&settings_of), py::arg("skip"), py::arg("fold"), py::arg("tolerance"),
           py::arg("threads"), py::arg("store"));
  py::class_<Outcome>(module, "Outcome").def(py::pickle(&state_of, &outcome_from));
  py::class_<Study>(module, "Study")
      .def(py::init(&study_from), py::arg("question"))
      .def("__len__", &Study::size)
      .def_readonly("keys", &Study::keys)
      .def_readonly("metrics", &Study::metrics)
      .def("document", &document_of)
      .def("evaluate", &evaluate, py::arg("rows"), py::arg("settings"), py::arg("show"));
  module.def("metric_names", &metric_names);
}

void add_places(py::module_& module) {
  py::class_<SearchedPlaces>(module, "Places")
      .def("document",
           [](const SearchedPlaces& found) {
             return object_of(place_json(found.study, found.answer, {}));
           })
      .def("csv", [](const SearchedPlaces& found) { return place_csv(found.answer); })
      .def("screen", [](const SearchedPlaces& found, std::size_t top) {
        return place_screen(found.study, found.answer, top);
      });
  module.def("place", &search, py::arg("question"), py::arg("rules"), py::arg("only"),
             py::arg("time_s"), py::arg("settings"), py::arg("show"));
}

}  // namespace ringscope
