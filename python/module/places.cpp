// SPDX-License-Identifier: LGPL-2.1-or-later
#include <pybind11/stl.h>

#include <chrono>

#include "cli/commands/place_text.hpp"
#include "python/module/parts.hpp"
#include "sim/studies/evaluator.hpp"

namespace ringscope {
namespace {

namespace py = pybind11;

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
