// SPDX-License-Identifier: LGPL-2.1-or-later
#include "topologies/exports/markup.hpp"

namespace ringscope {

std::string escaped_markup(std::string_view text) {
  std::string result;
  for (const char c : text) {
    switch (c) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '"':
        result += "&quot;";
        break;
      default:
        result += c;
    }
  }
  return result;
}

}  // namespace ringscope
