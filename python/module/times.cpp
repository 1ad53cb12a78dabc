// SPDX-License-Identifier: LGPL-2.1-or-later
#include "python/module/parts.hpp"
#include "sim/estimate/nccl_times.hpp"

namespace ringscope {
namespace {

/// Table of a communicator; each word is a name, or YAML, and "" what nobody said.
NcclTimes table_of(const std::string& cluster, const std::string& collective,
                   const std::string& ranks, const std::string& library,
                   const std::string& placement, std::uint64_t least, std::uint64_t most,
                   double bound, const py::object& show) {
  const py::gil_scoped_release unlocked;
  Watch watch(show);
  NcclTimes times(nccl_scenario({.cluster = named_value("cluster", cluster),
                                 .collective = named_value("collective", collective),
                                 .ranks = named_value("ranks", ranks),
                                 .library = named_value("library", library),
                                 .placement = named_value("placement", placement)}));
  times.build_table({least, most, bound}, [&watch](double share) { watch(share); });
  return times;
}

py::tuple tuple_of(const EstimatedCall& found) {
  py::object low = py::none(), high = py::none();
  if (found.likely) {
    low = py::float_(found.likely->low_s);
    high = py::float_(found.likely->high_s);
  }
  return py::make_tuple(found.time_s, low, high, found.algorithm, found.protocol, found.channels);
}

}  // namespace

void add_times(py::module_& module) {
  py::class_<NcclTimes>(module, "NcclTimes")
      .def(py::init(&table_of), py::arg("cluster"), py::arg("collective"), py::arg("ranks"),
           py::arg("library"), py::arg("placement"), py::arg("least"), py::arg("most"),
           py::arg("bound"), py::arg("show"))
      .def("__len__", &NcclTimes::points)
      .def("at",
           [](const NcclTimes& times, std::uint64_t bytes) { return tuple_of(times.at(bytes)); })
      .def("time",
           [](const NcclTimes& times, std::uint64_t bytes) { return times.at(bytes).time_s; });
}

}  // namespace ringscope
