// SPDX-License-Identifier: LGPL-2.1-or-later
#include "python/module/objects.hpp"

namespace ringscope {

namespace py = pybind11;

py::object object_of(const Json& json) {
  switch (json.type()) {
    case Json::value_t::boolean:
      return py::bool_(json.get<bool>());
    case Json::value_t::number_integer:
      return py::int_(json.get<std::int64_t>());
    case Json::value_t::number_unsigned:
      return py::int_(json.get<std::uint64_t>());
    case Json::value_t::number_float:
      return py::float_(json.get<double>());
    case Json::value_t::string:
      return py::str(json.get_ref<const std::string&>());
    case Json::value_t::array: {
      py::list list(json.size());
      for (std::size_t i = 0; i < json.size(); ++i) list[i] = object_of(json[i]);
      return list;
    }
    case Json::value_t::object: {
      py::dict dict;
      for (const auto& [key, value] : json.items()) dict[py::str(key)] = object_of(value);
      return dict;
    }
    default:
      return py::none();
  }
}

}  // namespace ringscope
